// Command worker-weather tells the weather.
package main

import "merve/internal/app"

func main() { app.Start(app.WorkerWeather) }
