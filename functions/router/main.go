// Command router makes a plan of each question that nobody else has planned.
package main

import "merve/internal/app"

func main() { app.Start(app.Router) }
