// Command outreach reminds vendors who have not answered, and gives up those who do not.
package main

import "merve/internal/app"

func main() { app.Start(app.Outreach) }
