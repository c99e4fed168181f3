// Command records tells people what happened to reports, orders and rides.
package main

import "merve/internal/app"

func main() { app.Start(app.Records) }
