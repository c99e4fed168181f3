package turn

import (
	"context"
	"slices"

	"merve/internal/spine/gate"
	"merve/internal/words/wording"
)

// optOuts obeys customers who do not want to be written to or called.
type optOuts struct {
	*scene
	offers   *offers
	refusals Refusals // nil does nothing
}

// stopOrStart obeys STOP and START, but no START from before the last STOP. A STOP lets go of what is pending. If another
// thread answers the message too, nothing is said here.
func (o *optOuts) stopOrStart(ctx context.Context, p *progress) (say reply, done bool, err error) {
	if !o.thread.Channel.Pushes() {
		return reply{}, false, nil
	}
	last := o.in[len(o.in)-1]
	switch gate.OptOut(last.Text) {
	case gate.Stop:
		if p.pending != nil {
			if _, err := o.offers.release(ctx, p); err != nil {
				return reply{}, false, err
			}
		}
		p.notes, p.cards = nil, nil
		p.optedOut = true
		if last.Written().After(p.stopAt) {
			p.stopAt = last.Written()
		}
		return reply{text: o.say(wording.OptedOut, nil), silent: last.Quiet}, true, nil
	case gate.Start:
		if o.thread.OptedOut && last.Written().Before(p.stopAt) { // arrived late, and a STOP was written since
			return reply{silent: true}, true, nil
		}
		if o.thread.OptedOut {
			p.optedOut = false
			return reply{text: o.say(wording.OptedIn, nil), silent: last.Quiet}, true, nil
		}
	}
	return reply{silent: last.Quiet}, last.Quiet, nil
}

// refuseCalls obeys a customer who does not want to be called, and tells them so before any other reply. An offer that asks
// whether they may be called is let go of. This comes before the model, so that nothing it says or calls can undo it, and
// it happens on a person's thread, too.
func (o *optOuts) refuseCalls(ctx context.Context, p *progress) (say reply, done bool, err error) {
	if o.refusals == nil || o.thread.Type.IsWork() {
		return reply{}, false, nil
	}
	asked := ""
	if p.pending != nil && p.pending.Kind == o.refusals.Asks() {
		asked = p.pending.Ref
	}
	refused := false
	for _, m := range o.in {
		if m.Notice != nil || !gate.RefusesCalls(m.Text) {
			continue
		}
		did, err := o.refusals.Refuse(ctx, o.tc, m, asked)
		if err != nil {
			return reply{}, false, err
		}
		refused = refused || did
		if asked != "" && gate.Read(m.Text) != gate.No { // consent settles a plain NO
			if _, err := o.offers.release(ctx, p); err != nil {
				return reply{}, false, err
			}
			asked, refused = "", true
		}
	}
	if off := o.say(wording.RequestCallOff, nil); refused && !slices.Contains(p.notes, off) {
		p.notes = append(p.notes, off)
	}
	return reply{}, false, nil
}
