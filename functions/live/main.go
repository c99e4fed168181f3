// Command live takes what clients send by sockets.
package main

import "merve/internal/app"

func main() { app.Start(app.Live) }
