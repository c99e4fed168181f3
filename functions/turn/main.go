// Command turn answers the unanswered messages of a thread.
package main

import "merve/internal/app"

func main() { app.Start(app.Turn) }
