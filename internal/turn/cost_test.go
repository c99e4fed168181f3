package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"merve/internal/channel"
	"merve/internal/llm"
	"merve/internal/outbox"
	"merve/internal/telemetry"
)

// overcounted stands for no limit: DynamoDB Local reports up to twice the capacity of a
// transaction that writes to an index.
const overcounted = 1000

// TestCostOfATurn holds turns to their budgets of requests and capacity, at the beginning
// of a thread and when it has become long.
func TestCostOfATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil)
	w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == llm.User && strings.Contains(last.Text, "search") {
			args := `{"query":"meze","domain":null,"category":null,"subCategory":null,"maxPrice":null,"limit":null}`
			return llm.Response{Calls: []llm.Call{{ID: "1", Name: "searchMarketplace", Args: []byte(args)}}, Finish: "tool_calls"}, nil
		}
		return llm.Response{Text: "There are three places by the harbour that may suit you; the quietest is Meze House.", Finish: "stop"}, nil
	})
	var table strings.Builder
	tab := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "turn\tnumber\trequests\twrite units\tread units")
	for _, c := range []struct {
		name  string
		ch    channel.Channel
		said  string
		limit telemetry.Cost
	}{
		{"chat", channel.App, "where can we eat tonight?", telemetry.Cost{Requests: 3, WriteUnits: 8, ReadUnits: 3}},
		{"webhook with delivery", channel.WhatsApp, "where can we eat tonight?", telemetry.Cost{Requests: 6, WriteUnits: overcounted, ReadUnits: 3}},
		{"chat with a search", channel.App, "search for meze", telemetry.Cost{Requests: 9, WriteUnits: 15, ReadUnits: 8}},
	} {
		for n := 1; n <= 60; n++ {
			in := w.from(c.name, c.ch, fmt.Sprint(n), c.said)
			cost := w.cost(in)
			if n != 5 && n != 60 {
				continue
			}
			fmt.Fprintf(tab, "%s\t%d\t%d\t%g\t%g\n", c.name, n, cost.Requests, cost.WriteUnits, cost.ReadUnits)
			if cost.Requests > c.limit.Requests || cost.WriteUnits > c.limit.WriteUnits || cost.ReadUnits > c.limit.ReadUnits {
				t.Errorf("%s, turn %d: %d requests, %g write and %g read units; want at most %d, %g and %g", c.name, n,
					cost.Requests, cost.WriteUnits, cost.ReadUnits, c.limit.Requests, c.limit.WriteUnits, c.limit.ReadUnits)
			}
			if cost.Requests < 3 || cost.WriteUnits == 0 || cost.ReadUnits == 0 {
				t.Errorf("%s, turn %d: nothing was counted: %+v", c.name, n, cost)
			}
		}
	}
	if err := tab.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
}

// cost is what a message costs until its answer has gone out.
func (w *world) cost(in channel.Inbound) telemetry.Cost {
	w.t.Helper()
	w.clock.add(100 * time.Millisecond)
	ctx, meter := telemetry.WithMeter(w.t.Context())
	if !in.Channel.Pushes() {
		if _, err := w.runner.Converse(ctx, in); err != nil {
			w.t.Fatal(err)
		}
		return meter.Cost()
	}
	a, err := w.runner.ProcessInbound(ctx, in)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.runner.Work(ctx, a.Thread); err != nil {
		w.t.Fatal(err)
	}
	ms, err := w.outbox.List(w.t.Context(), a.Thread, 100) // the stream brings these
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range ms {
		if m.Status == outbox.Queued {
			if err := w.sender.Deliver(ctx, m); err != nil {
				w.t.Fatal(err)
			}
		}
	}
	return meter.Cost()
}
