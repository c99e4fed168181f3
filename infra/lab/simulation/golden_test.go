package simulation

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/alert"
	"merve/internal/matter/appointment"
	"merve/internal/matter/request"
	"merve/internal/people/desk"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
)

var (
	updateGolden = flag.Bool("update", false, "write anew what this release stores and reads of the golden town, but not the dump")
	dumpGolden   = flag.String("dump", "", "write the golden town, as this release leaves it, into this file")
)

// The golden files, see README.md beside them. The dump stays as it is: a change that it does not survive
// needs a way from the old form to the new one.
const (
	goldenDump   = "testdata/golden/town.jsonl"
	goldenShapes = "testdata/golden/shapes.txt"
	goldenReads  = "testdata/golden/reads.txt"
)

// golden wants a text to be what a file has.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *updateGolden {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-then +now), -update to accept:\n%s", name, diff)
	}
}

// The story of the town is stored as it was: keys, attributes, types and codes.
func TestGolden_WhatIsStoredKeepsItsShape(t *testing.T) {
	t.Parallel()
	g := newGoldenTown(t)
	g.live()
	d := g.dump()
	if *dumpGolden != "" {
		d.write(t, *dumpGolden)
	}
	golden(t, goldenShapes, d.shape(t))
}

// The admin API shows the dumped town as it did when the dump was made. Its answers are the owning
// packages' own reading of what is stored, down to all that is held of a person.
func TestGolden_WhatWasStoredIsRead(t *testing.T) {
	t.Parallel()
	d := readDump(t, goldenDump)
	g := restoreTown(t, d)
	var out strings.Builder
	for _, path := range g.paths(d) {
		a := g.Request("admin", http.MethodGet, "/admin/api/"+path, asStaff, nil)
		fmt.Fprintf(&out, "%s %d\n%s\n", path, a.Status, strings.TrimSpace(elsewhere.ReplaceAllString(a.Body, "ADDRESS")))
	}
	golden(t, goldenReads, out.String())
}

// elsewhere are addresses of this run's bucket.
var elsewhere = regexp.MustCompile(`http://127\.0\.0\.1:[^"]*`)

// goldenRead are those whose threads are read: of each kind, and with something of each kind.
var goldenRead = strings.Fields("ann bob cid dan gus jan lea sam sue quin tom yan zoe meze dina")

// paths are those below /admin/api that show what a dump has: of people, what some of them have.
func (g *goldenTown) paths(d dump) []string {
	g.t.Helper()
	island := "markets/" + Market
	all := map[string]bool{island: true, "threads?marketId=" + Market + "&state=person": true}
	for _, one := range strings.Fields("markets alerts outbox reports") {
		all[one] = true
	}
	for _, of := range strings.Fields("/versions /listings /drivers /places /rides /waiting /days /listings/reef/versions") {
		all[island+of] = true
	}
	threads := map[string]bool{}
	for _, name := range goldenRead {
		id := g.person(name).Thread
		threads[id] = true
		for _, what := range []string{"", "/messages", "/data"} {
			all["threads/"+id+what] = true
		}
		all["audit?threadId="+id] = true
	}
	for _, l := range d.Items {
		var it map[string]json.RawMessage
		if err := json.Unmarshal(l.Item, &it); err != nil {
			g.t.Fatal(err)
		}
		pk, sk := text(it["pk"]), text(it["sk"])
		kind, id, _ := strings.Cut(sk, "#")
		of, owner, _ := strings.Cut(pk, "#")
		switch {
		case l.Table == "catalog" && of == "market" && kind == "listing":
			all[island+"/listings/"+id] = true
		case l.Table == "catalog" && of == "business":
			all["orders?businessId="+owner] = true
		case sk == "tx" && threads[text(it["thread"])]:
			all["transactions/"+owner] = true
		case kind == "ride" && threads[text(it["thread"])]:
			all[island+"/rides/"+text(it["thread"])+"/"+id] = true
		case kind == "order" && threads[text(it["thread"])] && text(it["status"]) != "proposed":
			all["orders/"+text(it["business"])+"/"+text(it["code"])] = true
		case of == "report" && sk == "owner":
			all["reports/"+owner] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Streams deliver at least once: all images of the dump are delivered again, and nothing is sent twice.
func TestGolden_StreamsAgain(t *testing.T) {
	t.Parallel()
	sent := map[bool][]string{}
	for _, again := range []bool{false, true} {
		g := restoreTown(t, readDump(t, goldenDump))
		if again {
			for _, s := range g.streams() {
				for _, image := range g.images[s.function] {
					s.add(g.prefix+s.table, image)
				}
			}
		}
		g.flow()
		for _, m := range g.twilio.Messages() {
			sent[again] = append(sent[again], m.To+" "+m.Body)
		}
		slices.Sort(sent[again])
	}
	if diff := cmp.Diff(sent[false], sent[true]); diff != "" {
		t.Errorf("sent (-of what waited +of all that was told before, too):\n%s", diff)
	}
	faulttest.Tried(t, len(sent[false]))
}

// goldenYes is the answer to a pending action of the dump, and what its owner must be told.
type goldenYes struct {
	name, kind string
	says       string // yes, or a tap on the button
	told       string
}

// goldenYeses answer every pending action of the dump but those in goldenOthers. Each kind that is
// registered is among them.
var goldenYeses = []goldenYes{
	{"zoe", "confirm_transaction", "yes", "Your booking is confirmed.\nMeze House · Table · Fri 27 Nov 2026, 20:00"},
	{"jan", "confirm_transaction", "yes", "Your booking is confirmed.\nMeze House · Table · Thu 26 Nov 2026, 19:00"},
	{"pat", "cancel_transaction", "yes", "Your booking has been cancelled.\nMeze House"},
	{"abe", "reschedule_transaction", "yes", "Your booking has been moved.\nMeze House · Table · Sat 28 Nov 2026, 19:00"},
	{"rae", "reschedule_transaction", "yes", "Your booking has been moved.\nReef Divers · Hut · 29 Nov"},
	{"bea", "pay_transaction", "yes", "Please pay €13.50 here:"},
	{"cid", "pay_transaction", "yes", "Please pay €45.00 here:"},
	{"col", "let_go_transaction", "yes", "nothing has been booked and the slot is free again"},
	{"ed", "confirm_order", "yes", "Your order is placed and Old Town Kebab has been told."},
	{"fran", "confirm_service", "yes", "Your request is placed and Quick Plumbing has been told."},
	{"gus", "confirm_viewing", "yes", "Your request for a viewing is placed"},
	{"dan", "cancel_order", "yes", "Your order has been cancelled."},
	{"fay", "cancel_request", "yes", "Your request has been cancelled."},
	{"hal", "confirm_taxi", "yes", "I am looking for a driver nearby"},
	{"joe", "cancel_taxi", "yes", "Your taxi has been cancelled."},
	{"ann", "frozen_call", "yes", "Sent to Meze House on WhatsApp: “And cats?”"},
	{"tom", "frozen_call", "yes", `Done: setReminder {"hoursBefore":1`},
	{"kebab", "frozen_call", "yes", "Which offer do you mean?"}, // the dump marks it as in doubt
	{"kebab", "frozen_call", "yes", "Done: Left from now on: 40 × Wrap"},
	{"plumber", "frozen_call", "tap", "Done: "},
	{"reef", "frozen_call", "yes", "Done: Set opening hours: Reef Divers · Mon · 10:00–20:00"},
	{"sue", "frozen_call", "yes", "Done: Delete the damage report about Mill Lane 4"},
	{"sol", "frozen_call", "yes", "Done: Delete everything that is kept of you here"},
}

// goldenOthers have pending actions that other tests settle: a hold that expires, and two turns that died
// after the YES.
var goldenOthers = strings.Fields("vic wes una")

// A YES to a pending action of the dump commits it, for every kind that is registered.
func TestGolden_EveryYesIsCarriedOut(t *testing.T) {
	t.Parallel()
	g := restoreTown(t, readDump(t, goldenDump))
	waiting := g.waiting()
	for _, y := range goldenYeses {
		if kind := g.waiting()[y.name]; kind != y.kind {
			t.Errorf("%q waits for %s, want %s", kind, y.name, y.kind)
			continue
		}
		said := &Said{Text: "yes"}
		if y.says == "tap" {
			said.Button = "yes:" + g.pending(y.name)
		}
		if got := g.hears(y.name, func() { g.Say(g.person(y.name), said) }); !strings.Contains(got, y.told) {
			t.Errorf("%s of %s is told %q, want %q", y.kind, y.name, got, y.told)
		}
		delete(waiting, y.name)
	}
	for _, name := range goldenOthers {
		delete(waiting, name)
	}
	if len(waiting) > 0 {
		t.Errorf("nobody said YES to what waits for %v", waiting)
	}
	g.registered()
	g.flow()
	for name, is := range map[string]ledger.State{
		"zoe": ledger.Confirmed, "jan": ledger.Confirmed, "abe": ledger.Confirmed, "rae": ledger.Confirmed,
		"pat": ledger.Cancelled, "col": ledger.Cancelled, "bea": ledger.Hold,
	} {
		if tx := g.booking(name); tx.State != is {
			t.Errorf("%s has %s, want %s", name, tx.State, is)
		}
	}
	// What pat has let go of is offered to who waited for it.
	if !strings.Contains(g.last("oli"), "Good news: what you were waiting for has become free") {
		t.Errorf("oli was told %q", g.last("oli"))
	}
	g.says("oli", "yes")
	if tx := g.booking("oli"); tx.State != ledger.Confirmed || tx.Start != g.booking("pat").Start {
		t.Errorf("oli has %+v", tx)
	}
	g.pays(g.tx("bea"))
	if tx := g.booking("bea"); tx.State != ledger.Confirmed {
		t.Errorf("bea paid, and has %s", tx.State)
	}
	faulttest.Tried(t, len(goldenYeses))
}

// registered wants each kind of pending action to have been said YES to.
func (g *goldenTown) registered() {
	g.t.Helper()
	r, err := g.healthy.Runner(nil)
	if err != nil {
		g.t.Fatal(err)
	}
	for kind := range r.Commitments {
		later := slices.Contains([]string{appointment.ConfirmKind, appointment.MoveKind, appointment.CancelKind, desk.OfferKind, request.OutreachKind, request.AcceptanceKind, request.ConsentKind,
			request.LetterKind, request.DropKind, request.DoneKind}, kind) // than the dump
		if !later && !slices.ContainsFunc(goldenYeses, func(y goldenYes) bool { return y.kind == kind }) {
			g.t.Errorf("nobody says YES to a %s", kind)
		}
	}
}

// waiting are the kinds of pending actions, by who is asked.
func (g *goldenTown) waiting() map[string]string {
	g.t.Helper()
	all := map[string]string{}
	for _, it := range g.items("conversations") {
		var h thread.Head
		if it.Key().SK != "~" {
			continue
		}
		if err := it.Decode(&h); err != nil {
			g.t.Fatal(err)
		}
		if h.Pending != nil {
			all[g.nameOf(it.Key().PK)] = h.Pending.Kind
		}
	}
	return all
}

// nameOf is whose thread that is.
func (g *goldenTown) nameOf(id string) string {
	for name, c := range g.who {
		if c.Thread == id {
			return name
		}
	}
	for _, c := range g.Others {
		if c.Thread == id {
			return c.Name
		}
	}
	return id
}

// hears is what somebody is told in answer to what is done.
func (g *goldenTown) hears(name string, do func()) string {
	g.t.Helper()
	before := len(g.allTold(name))
	do()
	g.answer(name)
	for g.Flow(&g.outbox) {
	}
	g.Pass(time.Second)
	return strings.Join(g.allTold(name)[before:], "\n")
}

// allTold is all that somebody was told since the town was restored.
func (g *goldenTown) allTold(name string) []string {
	c := g.person(name)
	if c.Phone != "" {
		return g.told(c)
	}
	var all []string
	for _, told := range c.Told {
		var a struct{ Reply string }
		if err := json.Unmarshal([]byte(told.Text), &a); err != nil {
			g.t.Fatal(err)
		}
		all = append(all, a.Reply)
	}
	return all
}

// last is what somebody was told last.
func (g *goldenTown) last(name string) string {
	all := g.allTold(name)
	return strings.Join(all[max(0, len(all)-1):], "")
}

// booking is the newest transaction of somebody.
func (g *goldenTown) booking(name string) ledger.Transaction {
	g.t.Helper()
	tx, err := g.healthy.Ledger().Get(g.t.Context(), actor.Actor{Kind: actor.System}, g.tx(name))
	if err != nil {
		g.t.Fatal(err)
	}
	return tx
}

// countOf counts the bookings of somebody.
func (g *goldenTown) countOf(name string) (n int) {
	for _, it := range g.items("ledger") {
		if it.Key().SK == "tx" && it.String("thread") == g.person(name).Thread {
			n++
		}
	}
	return n
}

// A turn that died after it had journalled is finished, and repeats no effect: lea's proposal was decided
// and not yet held, hugo's was held, the YES of wes was journalled, and that of una carried out.
func TestGolden_TurnsThatDiedAreFinished(t *testing.T) {
	t.Parallel()
	g := restoreTown(t, readDump(t, goldenDump))
	g.Model = func(*World, openaitest.Request) openaitest.Answer { // what was decided is in the journal alone
		return openaitest.Answer{Text: "What was it?"}
	}
	held := g.tx("hugo")
	had := map[string]int{"lea": g.countOf("lea"), "hugo": g.countOf("hugo")}
	g.flow() // the leases run out meanwhile
	for name, more := range map[string]int{"lea": 1, "hugo": 0} {
		if !strings.Contains(g.last(name), "Reply YES to confirm") || g.countOf(name) != had[name]+more {
			t.Errorf("%s was told %q and has %d bookings, %d before", name, g.last(name), g.countOf(name), had[name])
		}
	}
	if g.tx("hugo") != held {
		t.Errorf("hugo has %s now, and had %s", g.tx("hugo"), held)
	}
	for _, name := range []string{"lea", "hugo"} {
		g.says(name, "yes")
		if tx := g.booking(name); tx.State != ledger.Confirmed {
			t.Errorf("%s said yes and has %s", name, tx.State)
		}
	}
	if len(g.queue.messages) > 0 {
		t.Errorf("%d messages are still on the queue", len(g.queue.messages))
	}
	g.Pass(2 * time.Minute) // for what a sender had begun
	g.tick("sweep")
	for name, words := range map[string]string{"wes": "Is there a deck?", "una": "Is it far?"} {
		business, n := map[string]string{"wes": "cruise", "una": "kebab"}[name], 0
		for _, told := range g.allTold(business) {
			n += strings.Count(told, words)
		}
		if n != 1 || !strings.Contains(g.last(name), "Sent to ") {
			t.Errorf("%s was told %d times what %s wrote, who was told %q", business, n, name, g.last(name))
		}
	}
	for _, name := range []string{"ned", "xia"} {
		if all := g.allTold(name); len(all) != 1 {
			t.Errorf("%s was told %q", name, all)
		}
	}
	g.staffOn("mia", "return", nil) // as whoever got no answer does
	if all := g.allTold("mia"); len(all) != 1 || !strings.Contains(all[0], "The assistant is answering again.") {
		t.Errorf("mia, whose thread was being given back, was told %q", all)
	}
	faulttest.Tried(t, 4)
}

// What waits for a payment, a business, a driver or its time goes on: a hold is confirmed, another expires.
func TestGolden_WhatWaitsGoesOn(t *testing.T) {
	t.Parallel()
	g := restoreTown(t, readDump(t, goldenDump))
	known := g.criticals()
	g.flow()
	if !slices.ContainsFunc(g.allTold("meze"), func(s string) bool {
		return strings.Contains(s, g.booking("zoe").ListingName) || strings.Contains(s, "New booking")
	}) {
		t.Errorf("the business of bob's booking was told %q", g.allTold("meze"))
	}
	g.pays(g.tx("dot"))
	g.pays(g.tx("yan")) // after a card that was declined
	for _, name := range []string{"dot", "yan", "bob"} {
		if tx := g.booking(name); tx.State != ledger.Confirmed {
			t.Errorf("%s has %s", name, tx.State)
		}
	}
	g.says("plumber", "ACCEPT %s", g.latest("gil", "records", "order#", "code"))
	g.says("eren", "YES %s", g.latest("yan", "records", "ride#", "code"))
	g.says("dina", "ARRIVED")
	g.says("dina", "DONE")
	for _, w := range []struct{ name, table, begins, is string }{
		{"gil", "records", "order#", "accepted"}, {"yan", "records", "ride#", "assigned"}, {"eve", "records", "ride#", "done"},
	} {
		if got := g.latest(w.name, w.table, w.begins, "status"); got != w.is {
			t.Errorf("%s of %s is %s, want %s", w.begins, w.name, got, w.is)
		}
	}
	g.Pass(time.Hour + time.Minute)
	g.tick("expiry")
	vic := g.booking("vic")
	if vic.State != ledger.Expired || !strings.Contains(g.last("vic"), "The time to confirm this has run out") {
		t.Errorf("nobody answered, the hold is %s, and vic was told %q", vic.State, g.last("vic"))
	}
	if g.says("vic", "yes"); g.booking("vic").State != ledger.Expired {
		t.Errorf("a YES came too late and made it %s", g.booking("vic").State)
	}
	g.says("vic", bookMeze, "27", "21:00")
	g.says("vic", "yes")
	if tx := g.booking("vic"); tx.State != ledger.Confirmed || tx.ID == vic.ID || !tx.Start.Equal(vic.Start) {
		t.Errorf("the slot of the hold that expired is not free: %+v", tx)
	}
	g.until(48 * time.Hour) // eight hours before kay's booking
	g.tick("expiry")
	if !strings.Contains(g.last("kay"), "Soon: Sunset Cruise") {
		t.Errorf("kay was told %q", g.last("kay"))
	}
	g.tick("invariants")
	if diff := cmp.Diff(known, g.criticals()); diff != "" {
		t.Errorf("critical alerts (-before +after):\n%s", diff)
	}
	faulttest.Tried(t, 6)
}

// criticals are the ids of the alerts that are.
func (g *goldenTown) criticals() (ids []string) {
	g.t.Helper()
	for _, a := range g.call("admin", http.MethodGet, "alerts", nil)["alerts"].([]any) {
		if a := a.(map[string]any); a["severity"] == string(alert.Critical) {
			ids = append(ids, a["id"].(string))
		}
	}
	return ids
}
