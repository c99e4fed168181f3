// Command local runs the whole of Merve on this machine: every function behind the
// event types of the cloud, DynamoDB Local, queue, streams and schedules in process,
// and a demo market. It stays in the foreground; Ctrl-C stops all of it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"merve/infra/local/runner"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "merve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	r, err := runner.Start(ctx, runner.Options{Getenv: os.Getenv, Out: os.Stdout, Log: os.Stderr})
	if err != nil {
		return err
	}
	defer r.Stop()
	select {
	case <-ctx.Done():
		fmt.Println("stopping")
		return nil
	case err := <-r.Failed():
		return err
	}
}
