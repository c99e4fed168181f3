// Command orchestrator goes on with plans when something has happened to them.
package main

import "merve/internal/app"

func main() { app.Start(app.Orchestrator) }
