package turn_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"merve/internal/base/telemetry"
	"merve/internal/model/llm"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
)

// overcounted stands for no limit: DynamoDB Local reports up to twice the capacity of a
// transaction that writes to an index.
const overcounted = 1000

// TestCostOfATurn holds every kind of turn to the requests that it makes, exactly, and to a
// budget of capacity, at the beginning of a thread and when it has become long.
func TestCostOfATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "cruise")
	w.model = clerkModel()
	kinds := []struct {
		said         string
		app, webhook int // requests; a webhook's with delivery
		limit        telemetry.Cost
	}{
		{"hi", 3, 6, telemetry.Cost{WriteUnits: 8, ReadUnits: 3}},
		{"search", 3, 6, telemetry.Cost{WriteUnits: 12, ReadUnits: 3}},
		{"cruise", 8, 11, telemetry.Cost{WriteUnits: overcounted, ReadUnits: 6}},
		{"is it by the sea?", 3, 6, telemetry.Cost{WriteUnits: 8, ReadUnits: 3}},
		{"no", 4, 7, telemetry.Cost{WriteUnits: overcounted, ReadUnits: 4}},
		{"note", 3, 6, telemetry.Cost{WriteUnits: 14, ReadUnits: 3}},
		{"yes", 5, 9, telemetry.Cost{WriteUnits: 16, ReadUnits: 4}}, // to a call: the market is looked at again, and that it is begun wants that and the lease
	}
	var table strings.Builder
	tab := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "message\tchannel\tturn\trequests\twrite units\tread units")
	for _, ch := range []channel.Channel{channel.App, channel.WhatsApp} {
		for n := range 6 {
			for i, k := range kinds {
				in := w.from("ann", ch, fmt.Sprint(n, ".", i), k.said)
				cost := w.cost(in)
				if n != 1 && n != 5 {
					continue
				}
				fmt.Fprintf(tab, "%s\t%s\t%d\t%d\t%g\t%g\n", k.said, ch, n*len(kinds)+i+1, cost.Requests, cost.WriteUnits, cost.ReadUnits)
				want := k.app
				if ch.Pushes() {
					want, k.limit.WriteUnits = k.webhook, overcounted
				}
				if cost.Requests != want || cost.WriteUnits > k.limit.WriteUnits || cost.ReadUnits > k.limit.ReadUnits || cost.ReadUnits == 0 {
					t.Errorf("%q on %s: %d requests, %g write and %g read units; want %d, at most %g and %g", k.said, ch,
						cost.Requests, cost.WriteUnits, cost.ReadUnits, want, k.limit.WriteUnits, k.limit.ReadUnits)
				}
			}
		}
	}
	if err := tab.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
}

// Where something stands, a plain turn reads it in one request, however much it is, and costs at most four write
// units more for all that is said and kept of it.
func TestPromise7_CostOfWhatStands(t *testing.T) {
	t.Parallel()
	for _, ch := range []channel.Channel{channel.App, channel.WhatsApp} {
		w := newWorld(t, nil)
		w.stock(nil, "meze")
		w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
			last := req.Messages[len(req.Messages)-1]
			if hour, err := strconv.Atoi(strings.TrimPrefix(last.Text, "at ")); err == nil && last.Role == llm.User {
				return llm.Response{Calls: calls(bookAt("meze", hour)), Finish: "tool_calls"}, nil
			}
			return llm.Response{Text: "Small plates by the sea.", Finish: "stop"}, nil
		})
		plain := 3
		if ch.Pushes() {
			plain = 6
		}
		say := func(id, text string) telemetry.Cost { return w.cost(w.from("ann", ch, id, text)) }
		say("warm up", "what is there?")
		nothing := say("nothing", "what is there?")
		var table strings.Builder
		for n := range 5 {
			say(fmt.Sprint("book", n), fmt.Sprint("at ", 18+n))
			waiting := say(fmt.Sprint("ask", n), "what is there?")
			say(fmt.Sprint("yes", n), "yes")
			said := say(fmt.Sprint("first", n), "what is there?")
			again := say(fmt.Sprint("again", n), "what is there?")
			fmt.Fprintf(&table, "%d stand: %v, again %v, one more waits %v\n", n+1, said, again, waiting)
			for _, c := range []telemetry.Cost{said, again, waiting} {
				if c.Requests > plain+1 || !ch.Pushes() && c.WriteUnits > nothing.WriteUnits+4 {
					t.Errorf("%s, %d stand: %d requests and %g write units, with nothing %d and %g", ch, n+1, c.Requests, c.WriteUnits, nothing.Requests, nothing.WriteUnits)
				}
			}
		}
		if h := w.head(threadOf(w.from("ann", ch, "", ""))); len(h.Known) == 0 || nothing.Requests != plain || !ch.Pushes() && nothing.WriteUnits > 8 {
			t.Errorf("%s: %q stand; with nothing %+v", ch, h.Known, nothing)
		}
		t.Log("\n" + table.String())
	}
}

// However often what is pending was asked about, the thread keeps which question was the first and
// which the last, and its YES asks for no more.
func TestPromise7_ManyReminders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "cruise")
	w.model = clerkModel()
	say := func(id, text string) (telemetry.Cost, []string) {
		in := w.from("ann", channel.WhatsApp, id, text)
		cost := w.cost(in)
		h, err := w.threads.Head(t.Context(), threadOf(in))
		if err != nil {
			t.Fatal(err)
		}
		if h.Pending == nil {
			return cost, nil
		}
		return cost, h.Pending.Asked
	}
	_, first := say("wish", "cruise")
	var asked []string
	for n := range 5 {
		last := asked
		if _, asked = say(fmt.Sprint("what", n), "is it by the sea?"); len(asked) != 2 || asked[0] != first[0] || slices.Equal(asked, last) {
			t.Errorf("after %d reminders: asked by %q, first by %q", n+1, asked, first)
		}
	}
	if cost, left := say("yes", "yes"); cost.Requests != 11 || left != nil {
		t.Errorf("its YES made %d requests, asked by %q", cost.Requests, left)
	}
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

// fullDigest is as long as what the model is told of a long thread grows.
var fullDigest = strings.Repeat("2026-11-23 customer: "+strings.Repeat("a leak ", 14)+"\n", 14)

// TestCostOfSarasTurn holds plain turns to one request more than the concierge's, for the
// reports that the model is told of, on threads of no, a hundred and ten thousand messages.
// Every eighth turn writes what is remembered of all before it, and no more on a long thread
// than on a short one.
func TestCostOfSarasTurn(t *testing.T) {
	t.Parallel()
	w := newSara(t, nil)
	w.model = w.modelOfSara()
	var table strings.Builder
	tab := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "history\tchannel\trequests\twrite units\tread units\twith what is remembered")
	said := make([]string, 9)
	for i := range said {
		said[i] = "and " + strings.Repeat("it leaks ", 16)
	}
	for _, ch := range []channel.Channel{channel.Web, channel.Messenger} {
		w.costs(w.from("warm up", ch, "", ""), said[:1]) // what a process reads once
		requests, histories := 4, []int{0, 100, 10_000}
		if ch.Pushes() {
			requests, histories[2] = 7, 1000 // the same query reads them
		}
		var most, least [3]telemetry.Cost
		for i, n := range histories {
			in := w.from(fmt.Sprint("history ", n), ch, "", "")
			w.remember(in, n)
			costs := w.costs(in, said)
			least[i] = slices.MinFunc(costs, byWrites)
			most[i] = slices.MaxFunc(costs, byWrites)
			fmt.Fprintf(tab, "%d\t%s\t%d\t%g\t%g\t%g, %g\n", n, ch, least[i].Requests, least[i].WriteUnits, least[i].ReadUnits, most[i].WriteUnits, most[i].ReadUnits)
			for _, c := range costs {
				if c.Requests != requests {
					t.Errorf("%s after %d: %d requests", ch, n, c.Requests)
				}
			}
		}
		// Of what is remembered 6 are the item's, which is one of 3 KB then; the rest are DynamoDB
		// Local's own, see overcounted.
		if !ch.Pushes() && (least[2].WriteUnits > 8 || most[2].WriteUnits > 24 || most[2].ReadUnits > 4) {
			t.Errorf("%s: %g write units, %g and %g read units with what is remembered", ch, least[2].WriteUnits, most[2].WriteUnits, most[2].ReadUnits)
		}
		if least[1].WriteUnits != least[2].WriteUnits || most[1].WriteUnits != most[2].WriteUnits || most[1].ReadUnits != most[2].ReadUnits {
			t.Errorf("%s: after 100 messages %+v to %+v, after many %+v to %+v", ch, least[1], most[1], least[2], most[2])
		}
	}
	if err := tab.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
}

func byWrites(a, b telemetry.Cost) int { return cmp.Compare(a.WriteUnits, b.WriteUnits) }
