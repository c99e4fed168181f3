package turn

import (
	"cmp"
	"context"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// notices tells the customer what the backend has to say. A notice has a turn of its own.
type notices struct {
	*scene
	offers   *offers
	handover *handover
}

// tell says what the notice says. A pending action that the notice is about is over. What the notice offers is put to the
// customer, unless something else waits: the next answer may then mean either, whatever the notice has told. "Write to me
// if you still want it" is answered by a YES, too.
func (n *notices) tell(ctx context.Context, p *progress) (reply, bool, error) {
	notice := n.in[0].Notice
	if notice == nil {
		return reply{}, false, nil
	}
	if notice.Session != nil {
		say, err := n.beginSession(ctx, p, notice)
		return say, true, err
	}
	p.notes = append(p.notes, n.text(ctx, notice))
	for _, c := range notice.Cards {
		p.cards = append(p.cards, tool.Card(c))
	}
	if p.pending != nil && p.pending.Ref == notice.Ref {
		p.settlePending()
	}
	if n.byPerson() {
		if notice.Kind == thread.StaffReply || notice.Quote != nil { // the customer's next words may answer that
			p.letGo = nil
		}
		if err := n.handover.dropForPerson(ctx, p); err != nil {
			return reply{}, false, err
		}
	}
	if err := n.offers.lapse(ctx, p); err != nil {
		return reply{}, false, err
	}
	offer := notice.Offer
	if offer != nil && (gate.Gone(offer, n.tc.Now) || p.optedOut || n.byPerson()) {
		offer = nil
	}
	if p.pending != nil {
		p.markDoubt(true)
		if offer != nil || notice.Quote != nil {
			return reply{}, true, n.offers.remind(ctx, p)
		}
		return reply{}, true, nil
	}
	if offer != nil {
		made := *offer
		made.ID, made.CreatedAt = pendingID(n.thread.ID, made), n.tc.Now
		p.pending, p.made = &made, true
	}
	return reply{}, true, nil
}

// text is what a notice says: in the market's own words for such an event, if it has any.
func (n *notices) text(ctx context.Context, notice *thread.Notice) string {
	own := n.market.Templates[notice.Kind]
	if own == "" || notice.Vars == nil {
		return notice.Text
	}
	text, err := wording.Render(own, notice.Vars)
	if err != nil { // better told in other words than lost
		n.log.WarnContext(ctx, "template", "type", notice.Kind, "market", n.market.ID, "error", err.Error())
	}
	return cmp.Or(strings.TrimSpace(text), notice.Text)
}

// beginSession begins a call session. What waited in the session before no longer waits, and nothing is said about it.
func (n *notices) beginSession(ctx context.Context, p *progress, notice *thread.Notice) (reply, error) {
	if p.pending != nil {
		if _, err := n.offers.release(ctx, p); err != nil {
			return reply{}, err
		}
	}
	begun := *notice.Session
	begun.From = n.thread.Number()
	p.session, p.letGo = &begun, nil
	return reply{text: notice.Text, silent: notice.Text == ""}, nil
}
