// Command bench prints what Merve's operations cost: DynamoDB requests and capacity,
// bytes and time for a turn of each kind and for a booking from its first message to the
// notification, and the time from process start to first answer of each function.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"text/tabwriter"
	"time"

	"github.com/oklog/ulid/v2"

	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/infra/wiring"
	"merve/internal/actor"
	"merve/internal/app"
	"merve/internal/channel"
	"merve/internal/llm"
	"merve/internal/telemetry"
	"merve/internal/turn"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	server, err := dynamodb.Start(ctx, dynamodb.Options{CacheDir: ".cache", Log: os.Stderr})
	if err != nil {
		return err
	}
	defer server.Stop()
	name := func(logical string) string { return "merve-" + logical }
	if err := dynamodb.CreateTables(ctx, server.Config(), wiring.Tables(), name); err != nil {
		return err
	}
	config, err := app.FromEnv(func(string) string { return "" })
	if err != nil {
		return err
	}
	base := app.NewBase(app.Base{
		Config: config, AWS: server.Config(), Getenv: os.Getenv, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Now: time.Now, NewID: func() string { return ulid.Make().String() }, Wait: app.Wait, Queue: noQueue{},
	})
	if err := demo.Load(ctx, base.Markets(), base.Listings()); err != nil {
		return err
	}
	b := &bench{base: base, out: tabwriter.NewWriter(os.Stdout, 2, 8, 2, ' ', tabwriter.AlignRight)}
	if err := b.turns(ctx); err != nil {
		return err
	}
	if err := b.booking(ctx); err != nil {
		return err
	}
	if err := b.out.Flush(); err != nil {
		return err
	}
	return starts(os.Stdout)
}

type bench struct {
	base *app.Base
	out  *tabwriter.Writer
}

// price of a million write and read request units in US dollars, on demand, us-east-1,
// since November 2024. https://aws.amazon.com/dynamodb/pricing/on-demand/
const (
	writePrice = 0.625
	readPrice  = 0.125
)

func (b *bench) row(name string, c telemetry.Cost, took time.Duration) {
	dollars := c.WriteUnits*writePrice + c.ReadUnits*readPrice
	fmt.Fprintf(b.out, "%s\t%d\t%.1f\t%.1f\t%d\t%.1f ms\t%.1f ms\t$%.2f\t\n", name, c.Requests, c.WriteUnits, c.ReadUnits, c.Bytes,
		float64(took.Microseconds())/1000, float64((took-c.Time["dynamo"]-c.Time["model"]).Microseconds())/1000, dollars)
}

// turns prints a plain turn at growing lengths of the thread, and one with a tool.
func (b *bench) turns(ctx context.Context) error {
	fmt.Fprintln(b.out, "operation\trequests\twrite units\tread units\tbytes sent\ttime\tour own\tDynamoDB per million\t")
	fmt.Fprintln(b.out, "\t\t\t\t\t\t\t\t")
	r, err := b.base.Runner(answers{llm.Response{Text: "We have tables at seven and at half past eight. Which one would you like?"}})
	if err != nil {
		return err
	}
	who := actor.Actor{Kind: actor.Session, ID: ulid.Make().String()}
	for n := 1; n <= 1000; n++ {
		c, took, err := b.converse(ctx, r, who, channel.App, "is there a table for two tonight?")
		if err != nil {
			return err
		}
		switch n {
		case 1, 5, 20, 100, 1000:
			b.row(fmt.Sprintf("plain chat turn, the %dth of its thread", n), c, took)
		}
	}
	search := answers{
		llm.Response{Calls: []llm.Call{{ID: "c1", Name: "searchMarketplace", Args: []byte(`{"query":"sushi","domain":null,"category":null,"subCategory":null,"maxPrice":null,"limit":null}`)}}},
		llm.Response{Text: "Harbour Sushi in Kyrenia looks right for you."},
	}
	if r, err = b.base.Runner(search); err != nil {
		return err
	}
	c, took, err := b.converse(ctx, r, who, channel.App, "sushi?")
	if err != nil {
		return err
	}
	b.row("chat turn with one reading tool", c, took)
	return nil
}

// booking prints a booking from proposal to notification.
func (b *bench) booking(ctx context.Context) error {
	date := time.Now().AddDate(0, 0, 3).Format(time.DateOnly)
	offer := answers{
		llm.Response{Calls: []llm.Call{{ID: "c1", Name: "initiateBooking", Args: fmt.Appendf(nil,
			`{"listingId":"sushi-harbour","offeringId":"table","date":%q,"time":"19:00","endDate":null,"partySize":2,"note":null}`, date)}}},
		llm.Response{Text: "Here is the offer."},
	}
	r, err := b.base.Runner(offer)
	if err != nil {
		return err
	}
	who := actor.Actor{Kind: actor.Session, ID: ulid.Make().String()}
	var total telemetry.Cost
	for _, step := range []struct{ name, text string }{{"turn that proposes (draft and hold)", "a table at Harbour Sushi"}, {"turn of the YES (confirm)", "yes"}} {
		c, took, err := b.converse(ctx, r, who, channel.App, step.text)
		if err != nil {
			return err
		}
		b.row(step.name, c, took)
		total.Requests += c.Requests
		total.WriteUnits += c.WriteUnits
		total.ReadUnits += c.ReadUnits
	}
	txs, _, err := b.base.Ledger().ByOwner(ctx, who, 1, "")
	if err != nil || len(txs) == 0 {
		return fmt.Errorf("the booking is not there: %w", err)
	}
	events, err := b.base.Ledger().Events(ctx, txs[0].ID)
	if err != nil {
		return err
	}
	metered, meter := telemetry.WithMeter(ctx)
	start := time.Now()
	for _, e := range events {
		if err := b.base.Notifier().Tell(metered, e); err != nil {
			return err
		}
	}
	c := meter.Cost()
	b.row("notification of the business", c, time.Since(start))
	total.Requests += c.Requests
	total.WriteUnits += c.WriteUnits
	total.ReadUnits += c.ReadUnits
	b.row("confirmed booking in all", total, 0)
	return nil
}

// converse measures one message to its answer.
func (b *bench) converse(ctx context.Context, r *turn.Runner, who actor.Actor, ch channel.Channel, text string) (telemetry.Cost, time.Duration, error) {
	ctx, meter := telemetry.WithMeter(ctx)
	start := time.Now()
	_, err := r.Converse(ctx, channel.Inbound{
		Market: demo.Market, Channel: ch, ThreadType: channel.General, From: who, MessageID: ulid.Make().String(), Text: text,
	})
	return meter.Cost(), time.Since(start), err
}

// answers is a model that gives one answer after another, without end.
type answers []llm.Response

func (a answers) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	n := 0
	for _, m := range req.Messages {
		if m.Role == llm.ToolRole {
			n++
		}
	}
	return a[min(n, len(a)-1)], nil
}

type noQueue struct{}

func (noQueue) Queue(context.Context, string, string) error { return nil }
