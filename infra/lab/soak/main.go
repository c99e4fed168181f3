// Command soak keeps hundreds of conversations going on one machine, through the real
// HTTP surface, for as long as asked: customers in the app and on WhatsApp who book, say
// YES and NO, and come back; every message may be delivered again; the store, the model
// and Twilio fail now and then; and the process is killed and started again.
//
// Merve runs as a process of its own, so that what is measured is Merve's. It reaches
// DynamoDB Local, a model and a stand-in for Twilio by proxies that lose calls and
// answers. A few customers say what can never be answered: their turns alone may be given up, and
// have to be. At the end it is counted, at the providers' end and in the ledger, what was
// lost and what came twice; and that no process has more and more in memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

type options struct {
	time      time.Duration
	customers int
	think     time.Duration // mean, between an answer and the next message
	faults    float64       // share of calls that fail
	repeats   float64       // share of messages that are delivered again
	poison    int           // customers whose turns fail each time
	kills     int
	rate      float64 // messages a second, at least
	seed      uint64
	binary    string
	log       string
}

func main() {
	var o options
	flag.DurationVar(&o.time, "time", time.Minute, "how long")
	flag.IntVar(&o.customers, "customers", 200, "conversations at a time")
	flag.DurationVar(&o.think, "think", 4*time.Second, "mean time between an answer and the next message")
	flag.Float64Var(&o.faults, "faults", 0.005, "share of calls to the store and providers that fail")
	flag.Float64Var(&o.repeats, "repeats", 0.2, "share of messages that are delivered again")
	flag.IntVar(&o.poison, "poison", 2, "how many customers say what can never be answered")
	flag.IntVar(&o.kills, "kills", 1, "how often the process is killed and started again")
	flag.Float64Var(&o.rate, "rate", 10, "messages a second that have to be answered at least")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()), "repeats the customers' choices, and how many calls fail of each kind")
	flag.StringVar(&o.binary, "binary", "bin/merve", "the program to run")
	flag.StringVar(&o.log, "log", ".cache/soak.log", "where Merve's log is kept")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ok, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !ok {
		fmt.Fprintf(os.Stderr, "soak: failed; the same customers: -seed %d\n", o.seed)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (ok bool, err error) {
	w, err := newWorld(ctx, o)
	if err != nil {
		return false, err
	}
	defer w.close()
	if err := w.stock(ctx); err != nil {
		return false, err
	}
	fmt.Printf("soak: %d customers for %s, seed %d, %.1f%% of calls fail, %.0f%% of messages come again, killed %d times\n",
		o.customers, o.time, o.seed, 100*o.faults, 100*o.repeats, o.kills)
	w.live(ctx)
	r := w.check(ctx)
	r.print(os.Stdout)
	return len(r.Wrong) == 0, ctx.Err()
}
