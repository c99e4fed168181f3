// Command index keeps the search engine to the listings.
package main

import "merve/internal/app"

func main() { app.Start(app.Index) }
