// Command collection looks after plans whose process has died.
package main

import "merve/internal/app"

func main() { app.Start(app.Collection) }
