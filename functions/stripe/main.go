// Command stripe takes Stripe's events and serves the pages on which is paid.
package main

import "merve/internal/app"

func main() { app.Start(app.Stripe) }
