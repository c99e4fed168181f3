// Command worker-general-chat talks.
package main

import "merve/internal/app"

func main() { app.Start(app.WorkerGeneralChat) }
