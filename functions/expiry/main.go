// Command expiry expires holds whose time has passed.
package main

import "merve/internal/app"

func main() { app.Start(app.Expiry) }
