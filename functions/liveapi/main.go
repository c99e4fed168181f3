// Command liveapi answers live conversations by request.
package main

import "merve/internal/app"

func main() { app.Start(app.LiveAPI) }
