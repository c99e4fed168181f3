// Command planapi takes questions in several parts, answers them and shows how.
package main

import "merve/internal/app"

func main() { app.Start(app.PlanAPI) }
