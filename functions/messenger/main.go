// Command messenger takes Messenger's events.
package main

import "merve/internal/app"

func main() { app.Start(app.Messenger) }
