// Command settings reads the settings in its environment the way the functions do at start, and reports
// errors in them. The cloud stack is only made with settings that pass.
package main

import (
	"fmt"
	"os"

	"merve/internal/app"
)

func main() {
	if _, err := app.FromEnv(os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
