// Command publisher publishes the events of plans as they are stored.
package main

import "merve/internal/app"

func main() { app.Start(app.Publisher) }
