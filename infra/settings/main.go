// Command settings reads the settings in its environment as the functions read theirs when they start, and says what is
// wrong with them. The cloud stack is made only of settings with which they start.
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
