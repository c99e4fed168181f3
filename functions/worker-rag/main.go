// Command worker-rag finds products by what a question means.
package main

import "merve/internal/app"

func main() { app.Start(app.WorkerRag) }
