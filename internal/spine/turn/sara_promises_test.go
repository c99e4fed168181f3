package turn_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/record/ledger/ledgertest"
	"merve/internal/spine/gate"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// obedient does what it is told in the words of a tool call, and then says so.
func obedient() llm.Model {
	return modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		last := req.Messages[len(req.Messages)-1]
		if name, args, ok := strings.Cut(last.Text, " {"); ok && last.Role == llm.User {
			return llm.Response{Calls: calls(llm.Call{Name: name, Args: []byte("{" + args)}), Finish: "tool_calls"}, nil
		}
		return llm.Response{Text: "Here it is.", Finish: "stop"}, nil
	})
}

// chat is somebody who writes to Sara.
type chat struct {
	*world
	who     string
	channel channel.Channel
	said    int
}

func (c *chat) message(text string) channel.Inbound {
	c.said++
	return c.from(c.who, c.channel, fmt.Sprint("message ", c.said), text)
}

func (c *chat) id() string { return threadOf(c.from(c.who, c.channel, "", "")) }

// does has the model call a tool, and gives what came of it.
func (c *chat) does(tool, format string, args ...any) (turn.Answer, string) {
	c.t.Helper()
	a := c.say(c.message(tool + " " + fmt.Sprintf(format, args...)))
	c.sends(a.Thread)
	if len(a.Turn.Calls) != 1 {
		c.t.Fatalf("%s: %v", tool, a.Turn.Calls)
	}
	return a, a.Turn.Calls[0].Status
}

// reports starts a report and returns its id.
func (c *chat) reports(address string) string {
	c.t.Helper()
	known := c.reportIDs()
	if _, status := c.does("start_damage_report", `{"address":%q}`, address); status != "ok" {
		c.t.Fatalf("start: %s", status)
	}
	for _, id := range c.reportIDs() {
		if !slices.Contains(known, id) {
			return id
		}
	}
	c.t.Fatal("no report was started")
	return ""
}

// TestPromise1_NoDeletionWithoutYes has a deletion wait for its YES while everything else
// comes in that is none to exactly this question: other words, other people, other chats of
// the same person, answers to another question, and a model that tries again and again.
func TestPromise1_NoDeletionWithoutYes(t *testing.T) {
	t.Parallel()
	for _, mode := range []market.GateMode{market.Remind, market.Converse} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			w := newSara(t, func(m *market.Market) { m.Gate = mode })
			w.model = obedient()
			ann, other, eve := &chat{world: w, who: "ann", channel: channel.Web}, &chat{world: w, who: "ann", channel: channel.Messenger}, &chat{world: w, who: "eve", channel: channel.Web}
			mine, also := ann.reports("Mill Lane 3"), ann.reports("Mill Lane 4")
			other.link(ann)
			old, _ := ann.does("delete_report", `{"reportId":%q}`, also)
			w.say(ann.message("no"))
			asked, status := ann.does("delete_report", `{"reportId":%q}`, mine)
			if asked.Pending == nil || old.Pending == nil || status != "proposed" || asked.Pending.ID == old.Pending.ID {
				t.Fatalf("%s: %+v, %+v", status, old.Pending, asked.Pending)
			}
			button := func(c *chat, a gate.Answer, p string) channel.Inbound {
				in := c.message("YES")
				in.Button = gate.ButtonPayload(a, p)
				return in
			}
			replying := ann.message("yes")
			replying.ReplyTo = old.Pending.ID
			photo := ann.message("yes")
			photo.Media = []channel.Media{w.sara.photo(channel.Web, "wall.jpg")}
			tries := []channel.Inbound{
				ann.message("yes, but later"), ann.message("did I say yes?"), ann.message("delete it now"), photo, replying,
				ann.message(fmt.Sprintf("delete_report {\"reportId\":%q}", mine)), button(ann, gate.Yes, old.Pending.ID), button(ann, gate.Yes, "p_1"),
				other.message("yes"), button(other, gate.Yes, asked.Pending.ID), eve.message("yes"), button(eve, gate.Yes, asked.Pending.ID),
			}
			for _, in := range tries {
				w.say(in)
				if h := w.head(ann.id()); w.describe(mine) == "deleted" || w.describe(also) == "deleted" || h.Pending == nil || h.Pending.ID != asked.Pending.ID {
					t.Fatalf("after %q (%s) of %s on %s: %s, %s, %+v", in.Text, in.Button, in.From.Name, in.Channel, w.describe(mine), w.describe(also), h.Pending)
				}
			}
			yes := ann.message("yes")
			yes.ReplyTo = asked.Pending.ID // after all those, a bare one is asked about
			for range 2 {
				w.say(yes)
				if got := w.describe(mine) + ", " + w.describe(also); got != "deleted, pending, Mill Lane 4, 0 photos" {
					t.Errorf("after the YES: %s", got)
				}
			}
			faulttest.Tried(t, len(tries))
		})
	}
}

// link links a chat with another.
func (c *chat) link(with *chat) {
	c.t.Helper()
	code, _, err := c.threads.Links().Code(c.t.Context(), with.id())
	if err != nil {
		c.t.Fatal(err)
	}
	c.say(c.message("hello"))
	if _, status := c.does("link_chats", `{"code":%q}`, code); status != "proposed" {
		c.t.Fatalf("link: %s", status)
	}
	c.say(c.message("yes"))
}

// TestPromise6_OnesOwnReportsOnly has three chats, of which the second is linked with both
// others: each sees and changes its own reports and those of the chats that it is linked with,
// and nobody else's.
func TestPromise6_OnesOwnReportsOnly(t *testing.T) {
	t.Parallel()
	w := newSara(t, nil)
	w.model = obedient()
	chats := []*chat{{world: w, who: "ann", channel: channel.Web}, {world: w, who: "ann", channel: channel.Messenger}, {world: w, who: "bob", channel: channel.Web}}
	var ids []string
	for i, c := range chats {
		ids = append(ids, c.reports(fmt.Sprint("Mill Lane ", i)))
	}
	// may has each chat touch each report, and tells which it could.
	may := func() (all [3]string) {
		for i, c := range chats {
			for _, id := range ids {
				_, status := c.does("update_damage_report_section", `{"reportId":%q,"section":"other","content":"chat %d"}`, id, i)
				_, asked := c.does("get_report_details", `{"reportId":%q}`, id)
				if status != asked {
					t.Errorf("chat %d may change, and see: %s, %s", i, status, asked)
				}
				all[i] += status + " "
			}
		}
		return all
	}
	const ok, no = "ok ", "failed "
	alone := [3]string{ok + no + no, no + ok + no, no + no + ok}
	if diff := cmp.Diff(alone, may()); diff != "" {
		t.Errorf("before: %s", diff)
	}
	chats[1].link(chats[0])
	chats[1].link(chats[2])
	if diff := cmp.Diff([3]string{ok + ok + no, ok + ok + ok, no + ok + ok}, may()); diff != "" {
		t.Errorf("linked: %s", diff)
	}
	if _, status := chats[1].does("unlink_chats", `{}`); status != "ok" {
		t.Errorf("unlink: %s", status)
	}
	if diff := cmp.Diff(alone, may()); diff != "" {
		t.Errorf("undone: %s", diff)
	}
}

// bookedBefore is a booking of the customer's that was cancelled, with the key that made it.
func (c *chat) bookedBefore(name, note string) (ledger.Transaction, string) {
	c.t.Helper()
	ctx, key, start := c.t.Context(), dynamotest.ID("key"), c.clock.now().Truncate(time.Hour).Add(48*time.Hour)
	owner := c.head(c.id()).Owner
	terms := ledger.Terms{
		Business: "firm" + c.suffix, Listing: "harbour", ListingName: "Harbour Grill", Offering: "table", OfferingName: "Table", Market: c.market, Owner: owner, Thread: c.id(),
		Start: start, End: start.Add(time.Hour), Slots: []time.Time{start}, TimeZone: "Europe/Nicosia", Party: 2, Currency: "EUR", CustomerName: name, Note: note,
	}
	tx, err := c.ledger.Offer(ctx, terms, 1, time.Hour, key)
	if err == nil {
		tx, err = ledgertest.Confirm(ctx, c.ledger, actor.OfKey(owner), tx.ID, gate.Receipt{OfferHash: tx.OfferHash, Answer: "yes", Actor: owner}, "yes")
	}
	if err == nil {
		tx, err = c.ledger.Release(ctx, actor.OfKey(owner), tx.ID, "customer", "no")
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return tx, "idem#tx_draft:" + terms.Business + ":" + key
}

// TestErasedWithoutATrace has a customer tell secrets and have all deleted, by the turn
// that would remember what was said before it, and looks at everything that is stored.
func TestErasedWithoutATrace(t *testing.T) {
	t.Parallel()
	w := newSara(t, nil)
	w.model = obedient()
	ann := &chat{world: w, who: "ann", channel: channel.Web}
	id := ann.reports("secret lane 3")
	ann.does("update_damage_report_section", `{"reportId":%q,"section":"cause","content":"a secret leak"}`, id)
	ann.does("create_time_limited_report_link", `{"reportId":%q,"ttlHours":24}`, id)
	tx, made := ann.bookedBefore("Ann Secret", "a secret birthday")
	photo := ann.message("a secret " + strings.Repeat("long ", 200))
	photo.Media = []channel.Media{w.sara.photo(channel.Web, "secret.jpg")}
	w.say(photo)
	for range 2 {
		w.say(ann.message("still a secret"))
	}
	if _, status := ann.does("delete_my_data", `{}`); status != "proposed" {
		t.Fatal(status)
	}
	if a := w.say(ann.message("yes")); a.Turn.N != 8 {
		t.Fatalf("it was turn %d: want the one that remembers", a.Turn.N)
	}
	look := func() {
		t.Helper()
		owner := w.head(ann.id()).Owner
		for pk, table := range map[string]dynamo.Table{
			ann.id(): w.threads.Table, "audit#" + ann.id(): w.runner.Audit.Records, "reports#" + owner: w.runner.Audit.Records, "report#" + id: w.runner.Audit.Records,
			"tx#" + tx.ID: w.ledger.Table, made: w.ledger.Table,
		} {
			page, err := table.Query(t.Context(), dynamo.Under(pk, ""))
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				var plain map[string]any
				if err := it.Decode(&plain); err != nil {
					t.Fatal(err)
				}
				if text := strings.ToLower(fmt.Sprint(plain)); strings.Contains(text, "secret") {
					t.Errorf("%s %s: %s", pk, it.Key().SK, text)
				}
			}
		}
		if _, err := w.sara.photos.Kept(t.Context(), ann.id(), photo.Media[0].URL); err == nil {
			t.Error("the photo is kept")
		}
	}
	if kept, err := ledgertest.Events(t.Context(), w.ledger, tx.ID); err != nil || len(kept) != 4 {
		t.Errorf("%d events are kept, %v", len(kept), err)
	}
	look()
	for range 9 { // until the next turn that remembers
		w.say(ann.message("hello"))
	}
	look()
}

// TestField25_CrashOfErasingAnAudit fails every call of it: all of it goes when it comes again.
func TestField25_CrashOfErasingAnAudit(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) int {
		sound, id := turn.Audit{Records: dynamotest.Open(t).Table(dynamotest.TableName("records"))}, dynamotest.ID("th")
		put := sound.Records.Put(dynamo.Key{PK: "audit#" + id, SK: "00000001"}, turn.Round{Turn: 1})
		if err := sound.Records.DB().Commit(t.Context(), put); err != nil {
			t.Fatal(err)
		}
		broken := turn.Audit{Records: dynamotest.Once(t, calls).Table(dynamotest.TableName("records"))}
		calls.Deliver(t, nil, func() error { return broken.Erase(t.Context(), id) })
		left, _, err := sound.Rounds(t.Context(), id, 10, "")
		if err != nil || len(left) > 0 {
			t.Errorf("%d are left, %v", len(left), err)
		}
		return len(left)
	})
}

// TestEraseAudit deletes more records than go into one request, and those of one thread only.
func TestEraseAudit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	mine, other := w.suffix+"mine", w.suffix+"other"
	var ws []dynamo.Write
	for n := range 2*dynamo.MaxWrites - 1 {
		ws = append(ws, w.runner.Audit.Records.Put(dynamo.Key{PK: "audit#" + mine, SK: fmt.Sprintf("%08d", n)}, turn.Round{Turn: n}))
	}
	ws = append(ws, w.runner.Audit.Records.Put(dynamo.Key{PK: "audit#" + other, SK: "00000001"}, turn.Round{Turn: 1}))
	if err := w.db.CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := w.runner.Audit.Erase(t.Context(), mine); err != nil {
			t.Fatal(err)
		}
	}
	left := map[string]int{}
	for _, id := range []string{mine, other} {
		rounds, _, err := w.runner.Audit.Rounds(t.Context(), id, 100, "")
		if err != nil {
			t.Fatal(err)
		}
		left[strings.TrimPrefix(id, w.suffix)] = len(rounds)
	}
	if diff := cmp.Diff(map[string]int{"mine": 0, "other": 1}, left); diff != "" {
		t.Error(diff)
	}
}

// TestButtonsOfAChannel has YES and NO be buttons where a channel has them.
func TestButtonsOfAChannel(t *testing.T) {
	t.Parallel()
	for ch, want := range map[channel.Channel]int{channel.WhatsApp: 0, channel.Messenger: 2} {
		w := newWorld(t, nil)
		w.stock(nil)
		w.model = clerkModel()
		in := w.from("ann", ch, "1", "book")
		w.cost(in)
		pieces := w.outboxesOf([]string{threadOf(in)})
		if len(pieces) != 1 || pieces[0].Pending == "" || len(pieces[0].Buttons) != want {
			t.Errorf("%s: %+v", ch, pieces)
		}
	}
}

// TestSenderOfAChannel has replies leave from the market's own number on WhatsApp, and with
// buttons on Messenger, where a long one goes in its own pieces.
func TestSenderOfAChannel(t *testing.T) {
	t.Parallel()
	w := newSara(t, func(m *market.Market) { m.WhatsApp.From = "+15550100" })
	long := strings.Repeat("A lamp is out. ", 160) // 2,400 characters
	w.model = says(long)
	for ch, want := range map[channel.Channel]string{channel.WhatsApp: "+15550100", channel.Messenger: ""} {
		in := w.from("ann", ch, "1", "hi")
		w.cost(in)
		pieces := w.outboxesOf([]string{threadOf(in)})
		if len(pieces) != 2 || len(pieces[0].Text) > ch.MaxPiece() || len(pieces[0].Text) < ch.MaxPiece()-20 {
			t.Errorf("%s: %d pieces, the first of %d characters", ch, len(pieces), len(pieces[0].Text))
		}
		for _, m := range pieces {
			if m.From != want || len(m.Buttons) != 0 {
				t.Errorf("%s: from %q with %v", ch, m.From, m.Buttons)
			}
		}
	}
}
