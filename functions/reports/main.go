// Command reports tells customers what staff did with their reports.
package main

import "merve/internal/app"

func main() { app.Start(app.Reports) }
