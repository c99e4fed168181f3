// Command bench prints what Merve costs: DynamoDB requests, capacity, bytes, time, memory
// and US dollars of each operation, at the beginning of a conversation and when it has
// become long; how many turns a machine carries; how fast the functions start. It compares
// all of that with alternatives for conversation state on DynamoDB. It says
// which of the figures that Merve promises are kept, and prints Markdown, or JSON for
// checks by other programs.
//
// Requests are counted where they leave the SDK. Units are given twice: as DynamoDB Local
// counts them, which is too much for writes to indexes, and as AWS bills them.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"merve/infra/local/dynamodb"
	"merve/infra/wiring"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// Options say what to measure, and how long.
type Options struct {
	Parts        string // comma-separated; "" is all
	Transactions int    // among which holds expire
	Due          int    // holds that expire
	Histories    []int  // messages of the thread
	Audits, Runs int    // of each operation: for what it takes, for its times
	Turns        int    // of the throughput
	Starts       int    // of each of the functions
	Functions    []string
	Sizes        bool // of each function, built for the cloud
	PeerTurns    int
	Python       string // with the peers
	Root         string // of the repository
	Log          io.Writer
}

func defaults() Options {
	var functions []string
	for _, f := range wiring.Functions() {
		functions = append(functions, f.Runs())
	}
	slices.Sort(functions)
	functions = slices.Compact(functions)
	return Options{
		Functions:    functions,
		Transactions: 100_000, Due: 1000, Histories: []int{0, 100, 10_000}, Audits: 3, Runs: 40,
		Turns: 1600, Starts: 15, Sizes: true, PeerTurns: 200, Python: ".cache/peers/bin/python", Log: os.Stderr,
	}
}

// quick is for tests: enough for what is counted, too little for what is timed.
func (o Options) quick() Options {
	o.Transactions, o.Due, o.Histories = 100, 20, []int{0, 30, 150}
	o.Audits, o.Runs, o.Turns, o.Starts, o.PeerTurns = 2, 1, 60, 1, 20
	return o
}

func (o Options) wants(part string) bool {
	return o.Parts == "" || strings.Contains(","+o.Parts+",", ","+part+",")
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 3 && args[0] == holdPlans {
		plans, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return hold(ctx, args[1], plans, stdout)
	}
	o := defaults()
	o.Log = stderr
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	isQuick := flags.Bool("quick", false, "few repetitions")
	asJSON := flags.Bool("json", false, "JSON instead of Markdown")
	out := flags.String("out", "", "write to this file too")
	only := flags.String("only", "", "parts to run: operations,throughput,plans,live,requests,starts,peers")
	transactions := flags.Int("transactions", 0, "transactions among which holds expire (default 100000)")
	due := flags.Int("due", 0, "holds that expire among them (default 1000)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *isQuick {
		o = o.quick()
	}
	if *transactions > 0 {
		o.Transactions = *transactions
	}
	if *due > 0 {
		o.Due = *due
	}
	o.Parts = *only
	server, err := dynamodb.Start(ctx, dynamodb.Options{CacheDir: ".cache", Log: stderr})
	if err != nil {
		return err
	}
	defer server.Stop()
	r, err := measure(ctx, server.URL, o)
	if err != nil {
		return err
	}
	printed := r.markdown()
	if *asJSON {
		b, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		printed = string(b) + "\n"
	}
	if *out != "" {
		if err := os.WriteFile(*out, []byte(printed), 0o644); err != nil {
			return err
		}
	}
	_, err = io.WriteString(stdout, printed)
	return err
}

// Report is everything that was measured.
type Report struct {
	At           time.Time   `json:"at"`
	Machine      string      `json:"machine"`
	Store        string      `json:"store"`
	Transactions int         `json:"transactions"` // among which holds expire
	Due          int         `json:"due"`          // so many of them
	Rows         []Row       `json:"operations"`
	Cold         []Row       `json:"cold"`
	Throughput   *Throughput `json:"throughput,omitempty"`
	Starts       []Start     `json:"starts,omitempty"`
	Plans        *Plans      `json:"plans,omitempty"`
	Live         *Live       `json:"live,omitempty"`
	Requests     *Requests   `json:"requests,omitempty"`
	Peers        []Peer      `json:"peers,omitempty"`
	LeftOut      []string    `json:"leftOut,omitempty"`
	Targets      []Target    `json:"targets"`
	Prices       []Price     `json:"prices"`
	PricesAsOf   string      `json:"pricesAsOf"`
	Took         []Took      `json:"took"`
}

// Took is how long a part of the bench took.
type Took struct {
	Part    string  `json:"part"`
	Seconds float64 `json:"seconds"`
}

// measure runs the parts against the store at url.
func measure(ctx context.Context, url string, o Options) (*Report, error) {
	b, err := newBench(ctx, url, o)
	if err != nil {
		return nil, err
	}
	r := &Report{
		At: time.Now().UTC(), Store: "DynamoDB Local " + dynamodb.Version, Transactions: o.Transactions, Due: o.Due,
		Machine: machine(),
		Prices:  prices, PricesAsOf: pricesAsOf,
	}
	for _, part := range []struct {
		name string
		run  func(context.Context, *Report) error
	}{
		{"operations", b.operations}, {"throughput", b.throughput}, {"plans", b.plans}, {"live", b.live}, {"requests", b.requests},
		{"peers", b.peers}, {"starts", b.starts},
	} {
		if !o.wants(part.name) {
			continue
		}
		start := time.Now()
		if err := part.run(ctx, r); err != nil {
			return nil, fmt.Errorf("%s: %w", part.name, err)
		}
		r.Took = append(r.Took, Took{part.name, time.Since(start).Seconds()})
		b.tell("%s took %.0f s", part.name, time.Since(start).Seconds())
	}
	r.Targets = targets(r)
	return r, nil
}

// machine names the machine, and how busy others kept it as the bench began: times can be
// believed when fewer programs wait than there are cores.
func machine() string {
	load, _ := os.ReadFile("/proc/loadavg") // says nothing where this file does not exist
	busy := ""
	if waiting, _, ok := strings.Cut(string(load), " "); ok {
		busy = ", load " + waiting
	}
	return fmt.Sprintf("%d cores%s, %s, %s/%s", runtime.NumCPU(), busy, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
