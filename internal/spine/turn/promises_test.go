package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/faulttest"
	"merve/internal/base/pause"
	"merve/internal/base/seedtest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// TestPromise1_AYesToABookingIsNoneToItsEnd answers each kind of question about a booking with
// words for making one.
func TestPromise1_AYesToABookingIsNoneToItsEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ said, want string }{
		{"book", "Your booking is confirmed."},
		{"dive", "Please pay"},
		{"book, yes, move it", "has been moved"},
		{"book, yes, cancel it", "still waiting"},
		{"dive, yes, cancel it", "still waiting"},
		{"note", "still waiting"},
	} {
		t.Run(c.said, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.stock(nil, "meze", "reef")
			w.model = clerkModel()
			for i, text := range strings.Split(c.said, ", ") {
				w.say(w.from("ann", channel.App, fmt.Sprint(i), text))
			}
			got := textOf(w.say(w.from("ann", channel.App, "last", "Confirm my booking")).Turn)
			if !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestYesBeforeTheQuestion has "yes" come in, from a process whose clock is ahead, whenever
// the model thinks about a proposal: none of them is an answer to it.
func TestYesBeforeTheQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(m *market.Market) { m.Gate = market.Remind }) // where the model thinks of the proposal alone
	w.stock(nil, "meze")
	ahead := *w.threads
	ahead.Now = func() time.Time { return w.clock.now().Add(2 * time.Second) }
	asked := 0
	w.model = modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
		asked++
		_, err := ahead.Append(ctx, w.from("ann", channel.App, fmt.Sprint("yes ", asked), "yes"), false)
		return clerk(req), err
	})
	in := w.from("ann", channel.App, "1", "book")
	w.say(in)
	w.clock.add(time.Second)
	if err := w.runner.Work(t.Context(), threadOf(in)); err != nil {
		t.Fatal(err)
	}
	if txs := w.transactions(); len(txs) != 1 || txs[0].State != ledger.Hold || w.head(threadOf(in)).Pending == nil {
		t.Errorf("want one offer that waits: %+v", txs)
	}
	w.clock.add(3 * time.Second)
	if a := w.say(w.from("ann", channel.App, "last", "yes")); !strings.Contains(textOf(a.Turn), "is confirmed") {
		t.Errorf("the YES to the question was answered %q", textOf(a.Turn))
	}
}

// TestAudit wants a record of every call, what was decided about it and what came of it.
func TestAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	for i, text := range []string{"hi", "look around", "book"} {
		w.say(w.from("ann", channel.App, fmt.Sprint(i), text))
	}
	id := threadOf(w.from("ann", channel.App, "", ""))
	dynamotest.Lapse(t, dynamotest.TableName("records"), id, w.clock.now().AddDate(1, 0, 0))
	rounds, _, err := w.runner.Audit.Rounds(t.Context(), id, 10, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rounds {
		for _, c := range r.Calls {
			got = append(got, fmt.Sprintf("%d %s %s %s %v %d", r.Turn, c.Tool, c.Verdict, c.Status, c.Key != "" && r.Actor != "", r.Policy))
		}
	}
	want := []string{
		"3 initiateBooking allow proposed true 1",
		"2 searchMarketplace allow ok true 1", "2 getListing allow ok true 1", "2 getMyBookings allow ok true 1", "2 getListing allow ok true 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestAuditOfWhatWasRefused wants a record of every call that was not run, too, whatever it was refused
// for, and of one that failed.
func TestAuditOfWhatWasRefused(t *testing.T) {
	t.Parallel()
	off := false
	w := newWorld(t, func(m *market.Market) {
		m.Safety.MaxSameCall = 1
		m.Tools["getMyBookings"] = market.ToolPolicy{Enabled: &off}
	})
	w.stock(nil, "meze")
	asked := 0
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		if asked++; asked > 1 {
			return llm.Response{Text: "Hello.", Finish: "stop"}, nil
		}
		return llm.Response{Finish: "tool_calls", Calls: calls(
			llm.Call{Name: "noSuchTool", Args: json.RawMessage(`{"a":1}`)},
			llm.Call{Name: "getMyBookings", Args: json.RawMessage(`{}`)},
			llm.Call{Name: "getListing", Args: json.RawMessage(`{"listingId":7}`)},
			llm.Call{Name: "getListing", Args: json.RawMessage(`not JSON`)},
			llm.Call{Name: "getListing", Args: json.RawMessage(`{"listingId":"nowhere"}`)},
			search("tea"),
			search("tea"),
		)}, nil
	})
	w.say(w.from("ann", channel.App, "1", "hi"))
	id := threadOf(w.from("ann", channel.App, "", ""))
	rounds, _, err := w.runner.Audit.Rounds(t.Context(), id, 10, "")
	if err != nil || len(rounds) != 1 {
		t.Fatalf("%d records, %v", len(rounds), err)
	}
	var got []string
	for _, c := range rounds[0].Calls {
		args := c.Args
		if strings.Contains(args, `"query":"tea"`) {
			args = "tea"
		}
		got = append(got, fmt.Sprintf("%s %s %s %s, has a key %v", c.Tool, args, c.Verdict, c.Status, c.Key != ""))
	}
	want := []string{
		`noSuchTool {"a":1} deny denied, has a key false`,
		`getMyBookings {} deny denied, has a key false`,
		`getListing {"listingId":7} deny denied, has a key false`,
		`getListing "not JSON" deny denied, has a key false`,
		`getListing {"listingId":"nowhere"} allow failed, has a key true`,
		`searchMarketplace tea allow ok, has a key true`,
		`searchMarketplace tea deny denied, has a key false`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("audit (-want +got):\n%s", diff)
	}
}

// TestPromise2_NoClaimGoesOut has a model claim in every way that package claim knows, in
// ten languages, that something was done: none of it is on the thread, on the outbox or
// sent, whatever else the turn does, on any channel. What claims nothing goes out as it is.
func TestPromise2_NoClaimGoesOut(t *testing.T) {
	t.Parallel()
	for i, lang := range append(language.Supported(), "disguise") {
		ch := []channel.Channel{channel.WhatsApp, channel.Messenger, channel.App, channel.Web}[i%4]
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			claims, plain := repliesIn(t, lang)
			w := newWorld(t, func(m *market.Market) { m.Gate = market.Converse })
			w.stock(nil, "meze")
			said := 0
			say := func(text, reply string) string {
				said++
				w.clock.add(time.Second)
				w.model = modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
					if r := clerk(req); len(r.Calls) > 0 {
						return r, nil
					}
					return llm.Response{Text: reply, Finish: "stop"}, nil
				})
				in := w.from("ann", ch, fmt.Sprint(said), text)
				w.arrive(nil, in)
				return threadOf(in)
			}
			var id string
			for _, c := range claims {
				id = say("hello", c)
			}
			say("search", claims[0])
			say("book", claims[0])
			say("search", claims[0]) // beside what is pending
			say("yes, but later", claims[0])
			say("no", claims[0])
			if len(plain) > 0 {
				say("hello", plain[0])
			}
			w.settle()
			var out []string
			for _, turn := range w.turnsOf(id) {
				out = append(out, textOf(turn))
			}
			for _, m := range w.sent {
				out = append(out, m.Text)
			}
			if len(plain) > 0 && !slices.Contains(out, strings.TrimSpace(plain[0])) {
				t.Errorf("%q did not go out: %q", plain[0], out[len(out)-1])
			}
			for _, text := range out {
				if i := slices.IndexFunc(claims, func(c string) bool { return strings.Contains(text, strings.TrimSpace(c)) }); i >= 0 {
					t.Errorf("went out: %q", text)
				}
			}
			faulttest.Tried(t, said)
		})
	}
}

// What is held is said of what is held: not when the model took longer than the hold, nor when whoever
// takes the turn over comes late.
func TestPromise2_NoHoldThatIsOver(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]func(w *world, in channel.Inbound){
		"slow model": func(w *world, in channel.Inbound) {
			w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
				r := clerk(req)
				if len(r.Calls) == 0 {
					w.clock.add(65 * time.Second)
				}
				return r, nil
			})
		},
		"taken over": func(w *world, in channel.Inbound) {
			ctx, die := context.WithCancel(w.t.Context())
			w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
				r := clerk(req)
				if len(r.Calls) == 0 {
					die()
				}
				return r, ctx.Err()
			})
			if err := w.runner.Work(ctx, threadOf(in)); err == nil {
				w.t.Error("the turn has not died")
			}
			w.model = clerkModel()
			w.clock.add(2 * time.Minute)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(m *market.Market) { m.Safety.HoldSeconds = 60 })
			w.stock(nil, "meze")
			in := w.from("ann", channel.WhatsApp, "1", "book")
			w.comes(in)
			slow(w, in)
			w.work()
			turns := w.turnsOf(threadOf(in))
			if len(turns) != 1 {
				t.Fatalf("%d turns", len(turns))
			}
			got := textOf(turns[0])
			if strings.Contains(got, "Reply YES") || !strings.Contains(got, "the time to confirm") || len(turns[0].Out[0].Cards) > 0 || w.head(threadOf(in)).Pending != nil {
				t.Errorf("answered %q, with %v", got, turns[0].Out[0].Cards)
			}
			if txs := w.transactions(); len(txs) != 1 || txs[0].State == ledger.Hold {
				t.Errorf("left: %+v", txs)
			}
		})
	}
}

// What was booked before this turn is worded by the backend wherever its code is named, and is not taken for something
// that this turn has done.
func TestPromise2_AnOldBookingIsNoNewOne(t *testing.T) {
	t.Parallel()
	const stored = "Meze House · Booked: X12"
	withheld := wording.Say("en", wording.ClaimWithheld, nil)
	for _, tt := range []struct{ said, goesAs string }{
		{"Your booking X12 is confirmed.", stored},
		{"You have {{booking:X12}}, I see.", "You have " + stored + ", I see."},
		{"Your booking is confirmed.", withheld},
		{"Your booking X99 is confirmed.", withheld},
		{"I have cancelled X12 for you.", stored},
		{"You asked about X12. Your table is booked.", withheld},
		{"I've moved your booking X12 to 20:00.", stored},
		{"Your booking X12 has been rescheduled to 20:00.", stored},
		{"I have cancelled {{booking:X12}}.", withheld},
		{"● Booked: X13 · 2026-11-24 19:00", withheld},
	} {
		w := newWorld(t, nil)
		w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
			if last := req.Messages[len(req.Messages)-1]; last.Role == llm.User {
				return llm.Response{Calls: calls(llm.Call{Name: "bookingCode", Args: []byte("{}")}), Finish: "tool_calls"}, nil
			}
			return llm.Response{Text: tt.said, Finish: "stop"}, nil
		})
		a := w.say(w.from("ann", channel.App, "1", "is it booked?"))
		if got := textOf(a.Turn); got != tt.goesAs {
			t.Errorf("%q went out as %q", tt.said, got)
		}
	}
}

// repliesIn are the texts of package claim that claim something, and those that do not.
func repliesIn(t *testing.T, name string) (claims, plain []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "words", "claim", "testdata", "replies", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	kind := ""
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			kind = line
		default:
			line = strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line)
			if kind == "[none]" {
				plain = append(plain, line)
			} else {
				claims = append(claims, line)
			}
		}
	}
	if len(claims) < 20 {
		t.Fatalf("%d claims in %s", len(claims), name)
	}
	return claims, plain
}

// TestPromise5_OneTurnAtATime has clients and workers of several threads at work at once.
// No two turns of a thread are with the model at the same time, each sees all that came
// before, and every message is answered once, in order of arrival.
func TestPromise5_OneTurnAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var mu sync.Mutex
	thinking, views := map[string]int{}, map[string][][]string{}
	w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		var view []string
		for _, m := range req.Messages {
			if m.Role == llm.User {
				view = append(view, m.Text)
			}
		}
		mu.Lock()
		thinking[req.Seed]++
		views[req.Seed] = append(views[req.Seed], view)
		if thinking[req.Seed] > 1 {
			t.Errorf("two turns of %s are with the model", req.Seed)
		}
		mu.Unlock()
		err := pause.For(t.Context(), 3*time.Millisecond)
		mu.Lock()
		thinking[req.Seed]--
		mu.Unlock()
		return llm.Response{Text: "Yes?", Finish: "stop"}, err
	})
	const threads, clients = 3, 4
	each := seedtest.Times(t, 5)
	var all sync.WaitGroup
	for n := range threads {
		who := fmt.Sprint("person", n)
		for c := range clients {
			all.Go(func() {
				for i := range each {
					in := w.from(who, channel.App, fmt.Sprint(c, ".", i), fmt.Sprint("client ", c, " message ", i))
					if a, err := w.runner.Converse(t.Context(), in); err != nil || textOf(a.Turn) != "Yes?" {
						t.Errorf("client %d of %s, message %d: %q, %v", c, who, i, textOf(a.Turn), err)
					}
				}
			})
			all.Go(func() {
				for range each {
					if err := w.runner.Work(t.Context(), threadOf(w.from(who, channel.App, "", ""))); err != nil {
						t.Errorf("worker of %s: %v", who, err)
					}
				}
			})
		}
	}
	all.Wait()
	for n := range threads {
		in := w.from(fmt.Sprint("person", n), channel.App, "", "")
		answered := w.answeredInOrder(threadOf(in), clients*each)
		for _, view := range views[in.From.Key()] {
			if !extends(answered, view) {
				t.Errorf("a turn saw %q of %q", view, answered)
			}
		}
	}
	faulttest.Tried(t, threads*clients*each)
}

// answeredInOrder gives the texts that a thread's turns answered, and wants each once, in
// the order in which they arrived.
func (w *world) answeredInOrder(id string, want int) []string {
	w.t.Helper()
	var texts []string
	var last time.Time
	seen := map[string]bool{}
	for i, turn := range w.turnsOf(id) {
		if turn.N != i+1 {
			w.t.Errorf("turn %d has number %d", i+1, turn.N)
		}
		for _, m := range turn.In {
			if seen[m.ID] || m.At.Before(last) {
				w.t.Errorf("%q was answered twice or out of order", m.Text)
			}
			seen[m.ID], last = true, m.At
			texts = append(texts, m.Text)
		}
	}
	if len(texts) != want || len(w.head(id).Inbox) != 0 {
		w.t.Errorf("%d messages of %d were answered, %d wait", len(texts), want, len(w.head(id).Inbox))
	}
	return texts
}

// extends reports whether a view is a stretch of what was said, without a gap.
func extends(all, view []string) bool {
	for i := range all {
		if i+len(view) <= len(all) && slices.Equal(all[i:i+len(view)], view) {
			return true
		}
	}
	return false
}

// TestPromise7_FlatCost runs turns of every kind on threads of no, a hundred and ten
// thousand messages: they cost the same requests and, but for what the first turns do not
// yet have to read, the same capacity.
func TestPromise7_FlatCost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "cruise")
	w.model = clerkModel()
	said := []string{"hi", "search", "cruise", "is it by the sea?", "yes"}
	for _, ch := range []channel.Channel{channel.App, channel.WhatsApp} {
		w.costs(w.from("warm up", ch, "", ""), said) // what a process reads once
		histories := []int{0, 100, 10_000}
		if ch.Pushes() {
			histories[2] = 1000 // the same query reads them
		}
		costs := map[int][]telemetry.Cost{}
		for _, n := range histories {
			in := w.from(fmt.Sprint("history ", n), ch, "", "")
			w.remember(in, n)
			costs[n] = w.costs(in, said)
		}
		for i, text := range said {
			none, short, long := costs[histories[0]][i], costs[histories[1]][i], costs[histories[2]][i]
			t.Logf("%s, %s: %d requests, %g write and %g read units; with history %g", ch, text, none.Requests, none.WriteUnits, none.ReadUnits, long.ReadUnits)
			if none.Requests != short.Requests || short.Requests != long.Requests || none.Requests < 3 {
				t.Errorf("%s, %s: %d, %d, %d requests", ch, text, none.Requests, short.Requests, long.Requests)
			}
			if short.WriteUnits != long.WriteUnits || short.ReadUnits != long.ReadUnits || short.ReadUnits > none.ReadUnits+2 {
				t.Errorf("%s, %s: after 100 messages %g write and %g read units, after many %g and %g; none: %g and %g", ch, text,
					short.WriteUnits, short.ReadUnits, long.WriteUnits, long.ReadUnits, none.WriteUnits, none.ReadUnits)
			}
		}
	}
}

// costs are those of a conversation's messages, each until its answer has gone out.
func (w *world) costs(in channel.Inbound, said []string) []telemetry.Cost {
	w.t.Helper()
	var all []telemetry.Cost
	for i, text := range said {
		in.MessageID, in.Text = fmt.Sprint("said", i), text
		all = append(all, w.cost(in))
	}
	return all
}

// remember makes a thread as long as if so many messages, in and out, had been on it.
func (w *world) remember(in channel.Inbound, messages int) {
	w.t.Helper()
	if messages == 0 {
		return
	}
	in.MessageID, in.Text = "first", "hi"
	w.cost(in)
	id := threadOf(in)
	page, err := w.threads.Table.Query(w.t.Context(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :turn)", Values: dynamo.V{":pk": id, ":turn": "turn#"}})
	if err != nil || len(page.Items) != 1 {
		w.t.Fatalf("%d turns: %v", len(page.Items), err)
	}
	var puts []types.WriteRequest
	for n := 2; n <= messages/2; n++ {
		item := map[string]types.AttributeValue{}
		for name, value := range page.Items[0] {
			item[name] = value
		}
		item["sk"] = &types.AttributeValueMemberS{Value: fmt.Sprintf("turn#%08d", n)}
		item["n"] = &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
		if w.sara != nil && n%8 == 0 {
			item["digest"] = &types.AttributeValueMemberS{Value: fullDigest}
		}
		puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
	}
	for some := range slices.Chunk(puts, 25) {
		out, err := w.db.Client().BatchWriteItem(w.t.Context(), &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{dynamotest.TableName("conversations"): some}})
		if err != nil || len(out.UnprocessedItems) > 0 {
			w.t.Fatalf("history: %d left, %v", len(out.UnprocessedItems), err)
		}
	}
	update := w.threads.Table.Update(dynamo.Key{PK: id, SK: "~"}, "SET turns = :n", dynamo.V{":n": messages / 2})
	if err := w.db.Commit(w.t.Context(), update); err != nil {
		w.t.Fatal(err)
	}
	if h := w.head(id); h.Turns != messages/2 || thread.Recent > messages/2 {
		w.t.Fatalf("%d turns", h.Turns)
	}
}
