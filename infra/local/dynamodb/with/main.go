// Command with starts a DynamoDB Local, runs a command next to it, and gives that command the
// server's address in MERVE_TEST_DYNAMODB: with go test ./...
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"merve/infra/local/dynamodb"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "with:", err)
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	if len(args) == 0 {
		return 2, errors.New("want a command")
	}
	server, err := dynamodb.Start(context.Background(), dynamodb.Options{CacheDir: ".cache", Log: os.Stderr})
	if err != nil {
		return 1, err
	}
	defer server.Stop()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "MERVE_TEST_DYNAMODB="+server.URL)
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
