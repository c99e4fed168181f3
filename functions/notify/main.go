// Command notify turns ledger events into messages on the outbox.
package main

import "merve/internal/app"

func main() { app.Start(app.Notify) }
