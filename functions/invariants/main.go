// Command invariants checks what must always hold in the ledger, raises alerts.
package main

import "merve/internal/app"

func main() { app.Start(app.Invariants) }
