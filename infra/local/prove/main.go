// Command prove runs all tests again and again, from seeds that are printed, for as long as
// asked, and prints what they prove: the promises and the failures in the field, each with
// its tests and how many schedules (faults, histories, messages) they tried.
//
// A failure prints the seed that repeats it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"merve/infra/local/dynamodb"
)

func main() {
	var o options
	flag.DurationVar(&o.time, "time", 0, "start rounds for so long; 0 is one round")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first round; each further one adds 1")
	flag.Uint64Var(&o.times, "times", 1, "how many times as long random tests try")
	flag.BoolVar(&o.race, "race", true, "look for data races")
	flag.StringVar(&o.run, "run", "", "only tests that match")
	flag.Parse()
	if o.packages = flag.Args(); len(o.packages) == 0 {
		o.packages = []string{"./internal/...", "./infra/local/..."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := prove(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

type options struct {
	time     time.Duration
	seed     uint64
	times    uint64
	race     bool
	run      string
	packages []string
}

func prove(ctx context.Context, o options) error {
	promises, err := rows("infra/local/prove/promises.txt")
	if err != nil {
		return err
	}
	failures, err := rows("infra/local/prove/failures.txt")
	if err != nil {
		return err
	}
	found := results{}
	begin := time.Now()
	rounds := 0
	for seed := o.seed; ; seed++ {
		rounds++
		fmt.Printf("SEED=%d TIMES=%d\n", seed, o.times)
		if err = round(ctx, o, seed, found); err != nil || time.Since(begin) >= o.time {
			break
		}
	}
	printPromises(os.Stdout, promises, found)
	printFailures(os.Stdout, failures, found)
	fmt.Printf("\n%d tests, %d rounds, %s\n", len(found), rounds, time.Since(begin).Round(time.Second))
	return err
}

// round runs the tests once, with a store of their own.
func round(ctx context.Context, o options, seed uint64, found results) error {
	server, err := dynamodb.Start(ctx, dynamodb.Options{CacheDir: ".cache", Log: os.Stderr})
	if err != nil {
		return err
	}
	defer server.Stop()
	return test(ctx, o, seed, server.URL, found)
}
