// Command chat takes messages of app and web and answers them; serves the chat page.
package main

import (
	"merve/infra/wiring"
	"merve/internal/app"
)

func main() { app.Start(app.Chat(wiring.Elsewhere())) }
