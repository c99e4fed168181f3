// Command marketplace takes calls of programs and of the desk about marketplace requests.
package main

import "merve/internal/app"

func main() { app.Start(app.Marketplace) }
