package thread

import (
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// Assigned gives a thread to the assistant or to a person. A turn that is running decides again
// before it commits. [ErrNoThread] when there is no such thread.
func (s *Store) Assigned(id string, to Handler) dynamo.Write {
	update, vals := "REMOVE #handler, letGo", dynamo.V(nil)
	if to == ByPerson {
		update, vals = "SET #handler = :handler", dynamo.V{":handler": to}
	}
	return s.Table.Update(headKey(id), update, vals).If("attribute_exists(pk)", nil).Else(ErrNoThread)
}

// Reach says what somebody who is about to write to a thread's customer wants to do.
type Reach struct {
	Window    time.Duration // how long after the customer's last message this may be written; 0 is for ever
	Essential bool          // the answer to STOP itself
	Beside    bool          // of a person who has the thread: their own words, or what tells of an event
	Asks      string        // the pending action whose YES or NO this asks for; "" asks for none
	Apart     bool          // tells of something else than what waits for a YES or NO, which is in doubt then

	UnstoppedSince time.Time // refused when the customer has written STOP since, even if they took it back; zero is not
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

// Wanted reports whether that is as the recipient or the desk has it: nobody need look into it.
func (w Why) Wanted() bool { return w == OptedOut || w == TakenOver || w == Unasked }

// windowMargin is how long before its end a window counts as closed: sending takes a while.
const windowMargin = 5 * time.Minute

// InWindow reports whether free text that is written at a time can still go to a thread's customer:
// their last message opened the channel's window.
func (h Head) InWindow(byPerson bool, at time.Time) bool {
	window := h.Channel.Window(byPerson)
	return window == 0 || at.Sub(h.LastIn) < window-windowMargin
}

// MayWrite is the condition that the customer of a thread may be written to. It holds for a
// thread that does not exist, too (somebody who never wrote), except for free text in a window. A
// question goes out only while it is the one that waits: below a newer one, a bare YES would
// confirm what was not asked last. So it would below what is told apart from it, before that is in doubt.
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

// Doubt is the write by which a bare YES or NO to what waits on a thread is asked about first: it may
// never have been shown, or something else was since. It fails when something else than the pending
// action waits, or nothing; "" is whatever waits. A turn that is running decides again before it commits.
func (s *Store) Doubt(id, pending string) dynamo.Write {
	w := s.Table.Update(headKey(id), "SET pending.doubt = :yes", dynamo.V{":yes": true})
	if pending == "" {
		return w.If("attribute_exists(pending)", nil)
	}
	return w.If("pending.id = :id", dynamo.V{":id": pending})
}

// waiting is what a head has waiting, or nothing.
func waiting(head dynamo.Item) Pending {
	var h Head
	if head.Decode(&h) != nil || h.Pending == nil {
		return Pending{}
	}
	return *h.Pending
}

// Reachable reports whether somebody can be told of an event now: they want messages, and have
// written lately enough or can be told by the market's approved template.
func (h Head) Reachable(m *market.Market, event string, byPerson bool, now time.Time) bool {
	_, approved := m.WhatsApp.Templates[event]
	return !h.OptedOut && (h.InWindow(byPerson, now) || approved && h.Channel == channel.WhatsApp)
}
