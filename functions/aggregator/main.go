// Command aggregator writes answers that nobody else has written.
package main

import "merve/internal/app"

func main() { app.Start(app.Aggregator) }
