// Command worker-math computes.
package main

import "merve/internal/app"

func main() { app.Start(app.WorkerMath) }
