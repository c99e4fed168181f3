package thread

import (
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// Assigned gives a thread to the assistant or to a person. A running turn decides again before it commits. [ErrNoThread]
// when there is no such thread.
func (s *Store) Assigned(id string, to Handler) dynamo.Write {
	update, vals := "REMOVE #handler, letGo", dynamo.V(nil)
	if to == ByPerson {
		update, vals = "SET #handler = :handler", dynamo.V{":handler": to}
	}
	return s.Table.Update(headKey(id), update, vals).If("attribute_exists(pk)", nil).Else(ErrNoThread)
}

// Reach describes a message that is about to be written to a thread's customer.
type Reach struct {
	Window    time.Duration // how long after the customer's last message it may be written; 0 is for ever
	Essential bool          // it is the answer to STOP itself
	Beside    bool          // it may go out while a person has the thread: their own words, or news of an event
	Asks      string        // the pending action that it asks about; "" asks nothing
	Apart     bool          // it is about something else than what waits for a YES or NO, which puts that in doubt

	UnstoppedSince time.Time // refused if the customer has written STOP since, even if they took it back; zero never refuses
}

// Why a thread's customer may not be written to.
type Why string

const (
	OptedOut     Why = "the recipient has opted out"
	TakenOver    Why = "a person has taken the thread over"
	WindowClosed Why = "outside the window of the channel, and no approved template"
	Unasked      Why = "what it asks waits for no answer any more"
	Undoubted    Why = "a bare YES to what waits may be meant for this"
)

// Wanted reports whether the recipient or the desk wants it so, and nobody needs to look into it.
func (w Why) Wanted() bool { return w == OptedOut || w == TakenOver || w == Unasked }

// windowMargin is how long before its end a window counts as closed, as sending takes a while.
const windowMargin = 5 * time.Minute

// InWindow reports whether free text can still go to a thread's customer at a time. Their last message opened the
// channel's window.
func (h Head) InWindow(byPerson bool, at time.Time) bool {
	window := h.Channel.Window(byPerson)
	return window == 0 || at.Sub(h.LastIn) < window-windowMargin
}

// MayWrite is the condition that the customer of a thread may be written to. It also holds for a thread that does not
// exist, as of somebody who never wrote, except for free text in a window.
//
// A question goes out only while it is the one that waits: below a newer one, a bare YES would confirm something other
// than the last question. For the same reason other news goes out only once the question is in doubt.
func (s *Store) MayWrite(id string, r Reach, refused func(Why) error) dynamo.Write {
	conds, vals := []string{}, dynamo.V{}
	if !r.Essential {
		conds = append(conds, "attribute_not_exists(optOut)")
	}
	if !r.UnstoppedSince.IsZero() {
		conds = append(conds, "(attribute_not_exists(stopAt) OR stopAt < :since)")
		vals[":since"] = r.UnstoppedSince
	}
	if !r.Beside {
		conds = append(conds, "attribute_not_exists(#handler)")
	}
	if r.Window > 0 {
		conds = append(conds, "lastIn > :window")
		vals[":window"] = s.Now().Add(-r.Window)
	}
	if r.Asks != "" {
		conds = append(conds, "pending.id = :asks")
		vals[":asks"] = r.Asks
	}
	if r.Apart {
		conds = append(conds, "(attribute_not_exists(pending) OR attribute_exists(pending.doubt))")
	}
	if len(conds) == 0 {
		conds = []string{"attribute_exists(pk) OR attribute_not_exists(pk)"} // always
	}
	return s.Table.Check(headKey(id), strings.Join(conds, " AND "), vals).ElseOld(func(old dynamo.Item) error {
		switch {
		case old["optOut"] != nil && !r.Essential, !r.UnstoppedSince.IsZero() && !old.Time("stopAt").Before(r.UnstoppedSince):
			return refused(OptedOut)
		case old["handler"] != nil && !r.Beside:
			return refused(TakenOver)
		case r.Asks != "" && waiting(old).ID != r.Asks:
			return refused(Unasked)
		case r.Apart && old["pending"] != nil && !waiting(old).Doubt:
			return refused(Undoubted)
		}
		return refused(WindowClosed)
	})
}

// Doubt is the write that puts what waits on a thread in doubt, as it may never have been shown, or something else was
// since. A bare YES or NO to it is then questioned first. The write fails when nothing waits, or something other than
// pending; "" is whatever waits. A running turn decides again before it commits.
func (s *Store) Doubt(id, pending string) dynamo.Write {
	w := s.Table.Update(headKey(id), "SET pending.doubt = :yes", dynamo.V{":yes": true})
	if pending == "" {
		return w.If("attribute_exists(pending)", nil)
	}
	return w.If("pending.id = :id", dynamo.V{":id": pending})
}

// waiting is the pending action of a head, or zero.
func waiting(head dynamo.Item) Pending {
	var h Head
	if head.Decode(&h) != nil || h.Pending == nil {
		return Pending{}
	}
	return *h.Pending
}

// Reachable reports whether the customer can hear of an event now: they want messages, and either have written lately
// enough or the market has an approved template.
func (h Head) Reachable(m *market.Market, event string, byPerson bool, now time.Time) bool {
	_, approved := m.WhatsApp.Templates[event]
	return !h.OptedOut && (h.InWindow(byPerson, now) || approved && h.Channel == channel.WhatsApp)
}
