// Command liveturn answers live conversations while it thinks.
package main

import "merve/internal/app"

func main() { app.Start(app.LiveTurn) }
