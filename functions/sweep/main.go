// Command sweep finds messages appended and never answered, stored and never sent.
package main

import "merve/internal/app"

func main() { app.Start(app.Sweep) }
