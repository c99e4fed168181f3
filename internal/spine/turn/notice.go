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

// tellNotice says what the backend has to say. A pending action that it is about is over. What it
// offers is put to the customer, unless something else waits: what is said next may then be meant for
// either, whatever it is that was told. "Write to me if you still want it" is answered by a YES, too.
func (w *work) tellNotice(ctx context.Context, p *progress) (reply, bool, error) {
	n := w.in[0].Notice
	if n == nil {
		return reply{}, false, nil
	}
	if n.Session != nil {
		say, err := w.beginSession(ctx, p, n)
		return say, true, err
	}
	p.notes = append(p.notes, w.noticed(ctx, n))
	for _, c := range n.Cards {
		p.cards = append(p.cards, tool.Card(c))
	}
	if p.pending != nil && p.pending.Ref == n.Ref {
		p.settle()
	}
	if w.byPerson() {
		if n.Kind == thread.StaffReply || n.Quote != nil { // what is said next may be meant for that
			p.letGo = nil
		}
		if err := w.letGoForPerson(ctx, p); err != nil {
			return reply{}, false, err
		}
	}
	if err := w.lapse(ctx, p); err != nil {
		return reply{}, false, err
	}
	offer := n.Offer
	if offer != nil && (gate.Gone(offer, w.tc.Now) || p.optedOut || w.byPerson()) {
		offer = nil
	}
	if p.pending != nil {
		p.doubt(true)
		if offer != nil || n.Quote != nil {
			return reply{}, true, w.remind(ctx, p)
		}
		return reply{}, true, nil
	}
	if offer != nil {
		made := *offer
		made.ID, made.CreatedAt = pendingID(w.thread.ID, made), w.tc.Now
		p.pending, p.made = &made, true
	}
	return reply{}, true, nil
}

// noticed is what a notice says: in the market's own words for such an event, where it has any.
func (w *work) noticed(ctx context.Context, n *thread.Notice) string {
	own := w.market.Templates[n.Kind]
	if own == "" || n.Vars == nil {
		return n.Text
	}
	text, err := wording.Render(own, n.Vars)
	if err != nil { // better said as it is than lost
		w.log.WarnContext(ctx, "template", "type", n.Kind, "market", w.market.ID, "error", err.Error())
	}
	return cmp.Or(strings.TrimSpace(text), n.Text)
}

// beginSession begins a call session: what waited in the one before waits no more, and nothing is said of it.
func (w *work) beginSession(ctx context.Context, p *progress, n *thread.Notice) (reply, error) {
	if p.pending != nil {
		if _, err := w.release(ctx, p); err != nil {
			return reply{}, err
		}
	}
	begun := *n.Session
	begun.From = w.thread.Number()
	p.session, p.letGo = &begun, nil
	return reply{text: n.Text, silent: n.Text == ""}, nil
}
