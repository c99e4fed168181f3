// Command worker runs the steps of plans that its queue brings. Each kind of worker is a function of this program, but for
// those that are programs of their own.
package main

import "merve/internal/app"

func main() { app.Start(app.Worker) }
