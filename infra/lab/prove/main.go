// Command prove runs all tests (.ci/test.sh), and then those that try at random again and again,
// from seeds that are printed, for as long as asked, and prints what they prove: the promises and
// the failures in the field, each with its tests and how many schedules (faults, histories,
// messages) each tried.
//
// A failure prints the seed that repeats it. A row that no test stands for is one, too.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	var o options
	flag.DurationVar(&o.time, "time", 0, "end within so long, after one round at least")
	flag.Uint64Var(&o.seed, "seed", 1, "of the first round; each further one adds 1")
	flag.Uint64Var(&o.times, "times", 1, "how many times as long random tests try")
	flag.StringVar(&o.run, "run", "", "in each round, only tests that match")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := prove(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

type options struct {
	time  time.Duration
	seed  uint64
	times uint64
	run   string
}

func prove(ctx context.Context, o options) error {
	promises, err := rows("infra/lab/prove/promises.txt")
	if err != nil {
		return err
	}
	failures, err := rows("infra/lab/prove/failures.txt")
	if err != nil {
		return err
	}
	found := results{}
	begin := time.Now()
	r := round{seed: o.seed, times: o.times, run: o.run}
	rounds := 1
	for ; ; rounds++ {
		started := time.Now()
		fmt.Printf("SEED=%d TIMES=%d\n", r.seed, r.times)
		if err = r.test(ctx, found); err != nil || time.Since(begin)+time.Since(started) > o.time {
			break
		}
		r.seed++
		if o.run == "" { // what knows no chance is as it was
			r.packages, r.run = found.seeded()
		}
	}
	bare := append(printPromises(os.Stdout, promises, found), printFailures(os.Stdout, failures, found)...)
	fmt.Printf("\n%d tests, rounds: %d, %s\n", len(found), rounds, time.Since(begin).Round(time.Second))
	if err == nil && o.run == "" && len(bare) > 0 { // -run leaves out tests on purpose
		err = fmt.Errorf("no test ran for %s", strings.Join(bare, ", "))
	}
	return err
}
