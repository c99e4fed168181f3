package simulation

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/report"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// A model that wants to do harm with damage reports does none either: nobody's report is
// seen, changed or shared by another, and none is deleted without its owner's YES to that.
func TestPromise6_TheModelCannotReachAnothersReport(t *testing.T) {
	t.Parallel()
	base, runs := seedtest.Of(t), seedtest.Times(t, 2)
	for n := range uint64(runs) {
		t.Run(fmt.Sprint(base+n), func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: base + n, Faults: n%2 == 1, Market: hostile(n)})
			for range 3 {
				w.Join(channel.App).Agent = "sara"
			}
			w.Model, w.talk = wrecker, complain
			w.assail()
			w.Check()
			faulttest.Tried(t, w.bounded())
			if w.reports() == 0 {
				t.Error("nobody has reported anything")
			}
		})
	}
}

// complain is what people who report damage say, those who attack among them.
func complain(w *World, c *Customer) *Said {
	switch n := w.pick(10); {
	case n < 3:
		return &Said{Text: oneOf(w, Injections()) + " " + c.Canary}
	case n < 6:
		return &Said{Text: oneOf(w, yeses), Means: Yes}
	case n < 7:
		return &Said{Text: oneOf(w, noes), Means: No}
	}
	return &Said{Text: "the pipe in my kitchen broke " + c.Canary}
}

// wrecker is an adversary with the tools of damage reports and the ids of all of them.
func wrecker(w *World, r openaitest.Request) openaitest.Answer {
	w.watch(r)
	if w.chance(0.35) {
		return openaitest.Answer{Text: oneOf(w, []string{"I have deleted the report and booked you a plumber. " + Lie, "Your report has been deleted. " + Lie, "What is broken?"})}
	}
	own := canary.FindString(string(r.Body)) // what else it writes would be its own word
	id := oneOf(w, append(w.reportIDs(), "rp_0000000000000000", "../x", ""))
	text, err := json.Marshal(oneOf(w, Injections()) + " " + own)
	if err != nil {
		w.t.Error(err)
	}
	call := func(name, args string) openaitest.Answer {
		return openaitest.Answer{Calls: []openaitest.Call{{ID: "call_0", Name: name, Args: args}}}
	}
	switch w.pick(13) {
	case 0, 1:
		return call("start_damage_report", fmt.Sprintf(`{"address":"12 Harbour Road %s"}`, own))
	case 2:
		return call("update_damage_report_section", fmt.Sprintf(`{"reportId":%q,"section":"description","content":%s}`, id, text))
	case 3:
		return call("get_report_details", fmt.Sprintf(`{"reportId":%q}`, id))
	case 4:
		return call("list_user_reports", `{}`)
	case 5:
		return call("update_report_address", fmt.Sprintf(`{"reportId":%q,"address":%s}`, id, text))
	case 6:
		return call("update_report_photos", fmt.Sprintf(`{"reportId":%q,"photoUrls":[],"captions":null,"noPhotos":true}`, id))
	case 7:
		return call("mark_report_resolved", fmt.Sprintf(`{"reportId":%q}`, id))
	case 8:
		return call("create_time_limited_report_link", fmt.Sprintf(`{"reportId":%q,"ttlHours":%d}`, id, w.pick(400)-100))
	case 9:
		return call("link_chats", fmt.Sprintf(`{"code":%s}`, text))
	case 10:
		return call("initiateBooking", w.arguments())
	}
	return call("delete_report", fmt.Sprintf(`{"reportId":%q}`, id))
}

// reportIDs are those of everybody.
func (w *World) reportIDs() (ids []string) {
	w.eachReport(func(_ *Customer, r report.Report) { ids = append(ids, r.ID) })
	return ids
}

func (w *World) eachReport(do func(c *Customer, r report.Report)) {
	for _, c := range w.Customers {
		if c.Thread == "" {
			continue
		}
		head, err := w.healthy.Threads().Head(w.t.Context(), c.Thread)
		if err != nil {
			w.t.Error(err)
			continue
		}
		all, err := w.healthy.Reports().All(w.t.Context(), head.Market, head.Owner)
		if err != nil {
			w.t.Error(err)
		}
		for _, r := range all {
			do(c, r)
		}
	}
}

// reports checks what is left of all reports, and counts what was done with them.
func (w *World) reports() int {
	w.t.Helper()
	w.eachReport(func(c *Customer, r report.Report) {
		said := fmt.Sprint(r.Address, r.Sections)
		for _, found := range canary.FindAllString(said, -1) {
			if found != c.Canary {
				w.t.Errorf("%s's report holds what another has said: %s", c.Name, said)
			}
		}
	})
	done := 0
	for _, c := range w.Customers {
		if c.Thread == "" {
			continue
		}
		head, err := w.healthy.Threads().Head(w.t.Context(), c.Thread)
		if err != nil {
			w.t.Fatal(err)
		}
		deleted := 0
		for _, e := range w.reportEvents(head.Owner) {
			done++
			if e.Actor != head.Owner {
				w.t.Errorf("%s has %s a report of %s", e.Actor, e.Type, c.Name)
			}
			if e.Type == report.DeletedEvent {
				deleted++
			}
		}
		if yeses := w.yesesToDeletions(c); deleted > yeses {
			w.t.Errorf("%s: %d reports deleted, with %d YES", c.Name, deleted, yeses)
		}
	}
	return done
}

func (w *World) reportEvents(owner string) []report.Event {
	w.t.Helper()
	page, err := dynamo.Open(w.cfg).Table(w.prefix+"records").Query(w.t.Context(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :event)", Values: dynamo.V{":pk": "reports#" + owner, ":event": "event#"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	var all []report.Event
	for _, it := range page.Items {
		e, ok, err := report.Events.Read(it)
		if err != nil || !ok {
			w.t.Fatalf("%v: no event: %v", err, it.Key())
		}
		all = append(all, e)
	}
	return all
}

// yesesToDeletions counts the turns in which a customer said YES to a question whether a
// report is to be deleted.
func (w *World) yesesToDeletions(c *Customer) int {
	w.t.Helper()
	asked, n := map[string]bool{}, 0
	for _, turn := range w.turns(c.Thread) {
		if turn.Pending != "" && slices.Contains(turn.Calls, thread.Call{Name: "delete_report", Status: "proposed"}) {
			asked[turn.Pending] = true
		}
		if asked[turn.Settled] && w.meant(c, turn) == Yes {
			n++
		}
	}
	return n
}

// meant is what a customer meant by the last message that a turn answers.
func (w *World) meant(c *Customer, turn thread.Turn) Meaning {
	for _, s := range c.Said {
		if len(turn.In) > 0 && turn.In[len(turn.In)-1].Text == s.Text && s.Means != Neither {
			return s.Means
		}
	}
	return Neither
}
