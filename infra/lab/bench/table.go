package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// page is Markdown in the making.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) table(head string, rows func(row func(cells ...any))) {
	names := strings.Split(head, "|")
	p.line("\n| %s |", strings.Join(names, " | "))
	p.line("|%s", strings.Repeat(" --- |", len(names)))
	rows(func(cells ...any) {
		texts := make([]string, len(cells))
		for i, c := range cells {
			texts[i] = fmt.Sprint(c)
		}
		p.line("| %s |", strings.Join(texts, " | "))
	})
}

// markdown is the report for people.
func (r *Report) markdown() string {
	p := &page{}
	p.line("# What Merve costs")
	p.line("\n%s, %s, %s. Times are of this machine and of whoever else used it; all that is counted is the same everywhere.", r.At.Format(time.DateOnly), r.Machine, r.Store)
	r.briefTable(p)
	r.operationsTable(p)
	r.throughputTable(p)
	r.plansTable(p)
	r.liveTable(p)
	r.requestsTable(p)
	r.peersTable(p)
	r.startsTable(p)
	r.targetsTable(p)
	p.table("price|US dollars|for|source|as of", func(row func(...any)) {
		for _, x := range r.Prices {
			row(x.Name, fmt.Sprintf("%.4g", x.Dollar), x.Of, x.Source, x.AsOf)
		}
	})
	p.line("\nPut together on %s: us-east-1, on demand, no free tier, as others report them; AWS's own pages have the last word.", r.PricesAsOf)
	var took []string
	for _, t := range r.Took {
		took = append(took, fmt.Sprintf("%s %.0f s", t.Part, t.Seconds))
	}
	p.line("\nThe bench took: %s.", strings.Join(took, ", "))
	return p.String()
}

// brief are the operations that costs.md tells of, by the beginnings of their names.
var brief = []string{
	plainApp, plainPush, plainPage, repeated, oneTool, threeTools, proposal, reminder, confirm, notification, holdAlone, expiryOf, checkOf,
}

// briefTable is the table of costs.md.
func (r *Report) briefTable(p *page) {
	if len(r.Rows) == 0 {
		return
	}
	p.line("\n## In brief")
	p.table("operation|requests|write units|read units|KB sent|own ms|allocations|$ DynamoDB|$ whole", func(row func(...any)) {
		for _, prefix := range brief {
			var rows []Row
			for _, x := range r.Rows {
				if strings.HasPrefix(x.Name, prefix) {
					rows = append(rows, x)
				}
			}
			if len(rows) == 0 {
				continue
			}
			each := func(of func(Count) float64) string {
				return joined(rows, func(x Row) string { return grouped(of(x.Count)) })
			}
			last := rows[len(rows)-1]
			row(last.Name, each(func(c Count) float64 { return float64(c.Requests) }), each(func(c Count) float64 { return c.BilledWrites }),
				each(func(c Count) float64 { return c.BilledReads }), joined(rows, func(x Row) string { return kilobytes(x.Count.Bytes) }),
				fmt.Sprintf("%.1f", last.Own), grouped(math.Round(last.Allocs)), fmt.Sprintf("%.2f", last.Dollars.Store), fmt.Sprintf("%.2f", last.Dollars.Whole))
		}
		for _, x := range r.Peers {
			if x.Name == merve || x.Kind != "plain" {
				continue
			}
			turns := []PeerTurn{x.Turns[0], x.Turns[min(19, len(x.Turns)-1)], x.Turns[len(x.Turns)-1]}
			each := func(of func(PeerTurn) float64) string {
				return joined(turns, func(x PeerTurn) string { return grouped(of(x)) })
			}
			row("plain turn, "+x.Name, each(func(x PeerTurn) float64 { return float64(x.Requests) }), each(func(x PeerTurn) float64 { return x.WCU }),
				each(func(x PeerTurn) float64 { return x.RCU }), joined(turns, func(x PeerTurn) string { return kilobytes(x.Bytes) }), "–", "–",
				joined(turns, func(x PeerTurn) string {
					return fmt.Sprintf("%.2f", dollarsOf(Used{Writes: x.WCU, Reads: x.RCU}).Store)
				}), "")
		}
	})
	p.line(`
Three figures are with %s messages on the thread before (of the peers: at turn 1, 20 and the last), one is the same with all; times,
allocations and dollars are those with the most.`, strings.Join(r.histories(), ", "))
}

// histories are the lengths of threads.
func (r *Report) histories() (all []string) {
	for _, x := range r.Rows {
		if x.Name == plainApp {
			all = append(all, grouped(float64(x.History)))
		}
	}
	return all
}

// joined shows a figure of each, or one that is the same for all.
func joined[T any](all []T, show func(T) string) string {
	var shown []string
	for _, x := range all {
		shown = append(shown, show(x))
	}
	if len(slices.Compact(slices.Clone(shown))) == 1 {
		return shown[0]
	}
	return strings.Join(shown, " / ")
}

// grouped is a number with commas between thousands.
func grouped(x float64) string {
	whole, rest, _ := strings.Cut(number(x), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest != "" {
		whole += "." + rest
	}
	return whole
}

func kilobytes(bytes int64) string { return grouped(float64(bytes) / 1024) }

func (r *Report) operationsTable(p *page) {
	if len(r.Rows) == 0 {
		return
	}
	p.line("\n## Operations")
	p.table("operation|history|requests|WU counted|WU billed|RU counted|RU billed|bytes sent|p50 ms|p99 ms|own ms|with SDK ms|KB allocated|allocations|$ DynamoDB|$ whole|$ waiting", func(row func(...any)) {
		for _, x := range append(append([]Row{}, r.Rows...), r.Cold...) {
			history := fmt.Sprint(x.History)
			if x.History < 0 {
				history = "–"
			}
			row(x.Name, history, x.Count.Requests, number(x.Count.Writes), number(x.Count.BilledWrites), number(x.Count.Reads), number(x.Count.BilledReads),
				x.Count.Bytes, fmt.Sprintf("%.1f", x.P50), fmt.Sprintf("%.1f", x.P99), fmt.Sprintf("%.2f", x.Own), fmt.Sprintf("%.2f", x.Work),
				fmt.Sprintf("%.0f", x.Alloc/1024), fmt.Sprintf("%.0f", x.Allocs),
				fmt.Sprintf("%.2f", x.Dollars.Store), fmt.Sprintf("%.2f", x.Dollars.Whole), fmt.Sprintf("%.2f", x.Dollars.Waiting))
		}
	})
	p.line(`
History is the messages on the thread before. WU and RU are write and read units: as DynamoDB Local counts them (too many for
writes to indexes in a transaction), and as AWS bills them. Own time is without store, AWS's SDK, model and provider; beside it
with the SDK's encoding and signing. Dollars are for a million (of holds, in the expiry; of transactions, in the check after it): of DynamoDB as billed; of the whole, with HTTP API,
SQS FIFO (%d requests a message), and functions of %d MB that work as long as they do here on %.2f of a core and wait %s for
each DynamoDB request; and of waiting, %s for each question to the model and as long as a webhook's turn waits for a burst to end.
Units of many things in all are ten times those of a tenth of them.`,
		queueRequests, memoryMB, float64(memoryMB)/fullCoreMB, storeAnswer, modelAnswer)
}

func number(x float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0") }

func (r *Report) throughputTable(p *page) {
	if r.Throughput == nil {
		return
	}
	p.line("\n## Throughput")
	p.table("turn|at a time|turns|turns/s|p50 ms|p99 ms|CPU ms a turn", func(row func(...any)) {
		for _, x := range r.Throughput.Runs {
			row(x.Name, x.Workers, x.Turns, fmt.Sprintf("%.0f", x.PerSecond), fmt.Sprintf("%.1f", x.P50), fmt.Sprintf("%.1f", x.P99), fmt.Sprintf("%.2f", x.CPU))
		}
	})
	p.table("one slot|at a time|attempts|held|a second", func(row func(...any)) {
		for _, x := range r.Throughput.Contention {
			row(x.Name, x.Workers, x.Attempts, x.Held, fmt.Sprintf("%.0f", x.PerSecond))
		}
	})
}

func (r *Report) peersTable(p *page) {
	if len(r.Peers) == 0 {
		return
	}
	p.line("\n## Beside what one would take instead")
	p.table("program|turn|requests 1st / 20th / last|KB sent 20th / last|WU 1st / 20th / last|RU 1st / 20th / last|ms, last|turns|WU in all|$ DynamoDB in all, a million|of 20 at once kept|rows after the same again", func(row func(...any)) {
		for _, x := range r.Peers {
			first, mid, last := x.Turns[0], x.Turns[min(19, len(x.Turns)-1)], x.Turns[len(x.Turns)-1]
			kept, rows := "", ""
			if x.Crowd != nil {
				kept, rows = fmt.Sprint(x.Crowd.Kept), fmt.Sprint(x.Crowd.Rows)
			}
			row(x.Name, x.Kind, fmt.Sprintf("%d / %d / %d", first.Requests, mid.Requests, last.Requests),
				fmt.Sprintf("%.1f / %.1f", float64(mid.Bytes)/1024, float64(last.Bytes)/1024),
				number(first.WCU)+" / "+number(mid.WCU)+" / "+number(last.WCU), number(first.RCU)+" / "+number(mid.RCU)+" / "+number(last.RCU),
				fmt.Sprintf("%.0f", x.MS), len(x.Turns), number(x.Total.WCU),
				fmt.Sprintf("%.0f", dollarsOf(Used{Writes: x.Total.WCU, Reads: x.Total.RCU}).Store), kept, rows)
		}
	})
	p.line(`
The same texts, tool results and scripted answers, on the same server, in one run; Merve's units are those that AWS bills. The
peers store and read the whole history, so they are cheaper in short conversations (turn 1) and dearer in long ones; an
application that trims its state bounds them. They expect the caller to let one message of a thread in at a time, and keep no
record of what came twice. Merve's units pay for more than the history: each message is stored once however often it comes,
each step is journalled, the thread is leased to one turn at a time, and what goes out waits in an outbox.`)
	for _, what := range r.LeftOut {
		p.line("\n**LEFT OUT:** %s", what)
	}
}

func (r *Report) startsTable(p *page) {
	if len(r.Starts) == 0 {
		return
	}
	p.line("\n## Start")
	p.table("function|start to ready, median ms|to first answer|against an empty handler|requests for it|requests before|zip MB|binary MB", func(row func(...any)) {
		for _, x := range r.Starts {
			row(x.Name, fmt.Sprintf("%.1f", x.Ready), fmt.Sprintf("%.1f", x.MS), fmt.Sprintf("%.1f x", x.Against), x.Calls, x.Before,
				fmt.Sprintf("%.2f", float64(x.Zip)/1e6), fmt.Sprintf("%.2f", float64(x.Binary)/1e6))
		}
	})
	p.line(`
Medians of %d starts in turn, built for this machine; sizes are of arm64. Ready is when a function asks for its first event. Each
answers one of its own rightly: a page, a health check, an empty batch, or a webhook or tick for which it asks a store with nothing in it.`, r.Starts[0].Runs)
}

func (r *Report) targetsTable(p *page) {
	p.line("\n## Targets")
	p.table("what|want|measured|", func(row func(...any)) {
		for _, t := range r.Targets {
			verdict := "met"
			if !t.Met {
				verdict = "**missed**"
			}
			row(t.Name, t.Want, t.Measured, verdict)
		}
	})
}
