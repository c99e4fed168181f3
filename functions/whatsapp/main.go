// Command whatsapp takes WhatsApp messages and delivery statuses.
package main

import "merve/internal/app"

func main() { app.Start(app.WhatsApp) }
