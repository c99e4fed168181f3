// Command sender sends what is on the outbox.
package main

import "merve/internal/app"

func main() { app.Start(app.Sender) }
