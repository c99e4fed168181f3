// Command sara takes messages of the widget that other sites embed, and serves it and the shared reports.
package main

import "merve/internal/app"

func main() { app.Start(app.Sara) }
