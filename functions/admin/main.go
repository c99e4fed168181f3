// Command admin serves the admin API.
package main

import "merve/internal/app"

func main() { app.Start(app.Admin) }
