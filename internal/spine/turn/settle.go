package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// optOut obeys STOP and START, but no START from before the last STOP. A STOP lets go of what is
// pending. Where another thread answers it too, nothing is said here.
func (w *work) optOut(ctx context.Context, p *progress) (say reply, done bool, err error) {
	if !w.thread.Channel.Pushes() {
		return reply{}, false, nil
	}
	last := w.in[len(w.in)-1]
	switch gate.OptOut(last.Text) {
	case gate.Stop:
		if p.pending != nil {
			if _, err := w.release(ctx, p); err != nil {
				return reply{}, false, err
			}
		}
		p.notes, p.cards = nil, nil
		p.optedOut = true
		if last.Written().After(p.stopAt) {
			p.stopAt = last.Written()
		}
		return reply{text: w.say(wording.OptedOut, nil), silent: last.Quiet}, true, nil
	case gate.Start:
		if w.thread.OptedOut && last.Written().Before(p.stopAt) { // come late, and taken back since
			return reply{silent: true}, true, nil
		}
		if w.thread.OptedOut {
			p.optedOut = false
			return reply{text: w.say(wording.OptedIn, nil), silent: last.Quiet}, true, nil
		}
	}
	return reply{silent: last.Quiet}, last.Quiet, nil
}

// refuseCalls obeys a customer who does not want to be called, and tells them so before any other reply. What asks whether they may be
// called is let go of. It comes before the model, and whatever that says or calls, and before a person who has the thread.
func (w *work) refuseCalls(ctx context.Context, p *progress) (say reply, done bool, err error) {
	if w.r.Refusals == nil || w.thread.Type.IsWork() {
		return reply{}, false, nil
	}
	asks := ""
	if p.pending != nil && p.pending.Kind == w.r.Refusals.Asks() {
		asks = p.pending.Ref
	}
	refused := false
	for _, m := range w.in {
		if m.Notice != nil || !gate.RefusesCalls(m.Text) {
			continue
		}
		did, err := w.r.Refusals.Refuse(ctx, w.tc, m, asks)
		if err != nil {
			return reply{}, false, err
		}
		refused = refused || did
		if asks != "" && gate.Read(m.Text) != gate.No { // a plain NO is the gate's
			if _, err := w.release(ctx, p); err != nil {
				return reply{}, false, err
			}
			asks, refused = "", true
		}
	}
	if off := w.say(wording.RequestCallOff, nil); refused && !slices.Contains(p.notes, off) {
		p.notes = append(p.notes, off)
	}
	return reply{}, false, nil
}

// gate lets the customer's words settle what is pending. It is done when the model has
// nothing to say to them.
func (w *work) gate(ctx context.Context, p *progress) (say reply, done bool, err error) {
	ruling, whole, err := w.ruling(ctx, p)
	if err != nil {
		return reply{}, false, err
	}
	if w.doubtful(p.pending, ruling) {
		p.doubt(false)
		p.asked, p.doubted = true, true
		return reply{text: w.say(wording.WhichOffer, wording.Vars{"details": w.question(*p.pending)})}, true, nil
	}
	switch ruling {
	case gate.Confirmed:
		asked, err := w.wasAsked(ctx, p.pending, whole)
		if err != nil {
			return reply{}, false, err
		}
		if !asked {
			return reply{}, true, w.remind(ctx, p)
		}
		if w.reads(p.pending) {
			return w.lookUp(ctx, p)
		}
		say, err = w.confirm(ctx, p)
		return say, true, err
	case gate.Declined:
		s, err := w.release(ctx, p)
		p.cards = s.Cards
		return reply{text: s.Text}, true, err
	case gate.Redirected:
		return reply{}, false, w.redirect(ctx, p)
	case gate.TooLate:
		say.text, err = w.tooLate(ctx, p)
		return say, true, err
	case gate.Lapsed:
		return reply{}, false, w.lapse(ctx, p)
	case gate.OldOffer:
		return reply{text: w.say(wording.OldButton, nil)}, true, w.remind(ctx, p)
	case gate.Waiting:
		if gate.Differs(*p.pending, w.in, w.tc.Now.In(w.tc.TimeZone)) {
			p.differ()
		}
		return reply{}, w.market.Gate != market.Converse, w.remind(ctx, p)
	}
	return reply{}, false, nil
}

// ruling is what the messages mean for what is pending; whole is false when one is a reply to a message
// that does not show all of it.
func (w *work) ruling(ctx context.Context, p *progress) (r gate.Ruling, whole bool, err error) {
	refers, whole, err := w.refers(ctx, p.pending)
	return gate.Decide(p.pending, w.deed(p.pending), w.in, refers, w.tc.Now), whole, err
}

// redirect lets go of what a customer refuses who wants something else, and says so before the model
// answers that.
func (w *work) redirect(ctx context.Context, p *progress) error {
	s, err := w.release(ctx, p)
	if s.Text != "" {
		p.noteOfLast(s.Text)
	}
	return err
}

// deed is what a YES to something pending does.
func (w *work) deed(p *thread.Pending) gate.Deed {
	if p == nil {
		return gate.Other
	}
	if c, err := w.commitment(p.Kind); err == nil {
		return c.Does()
	}
	return gate.Other
}

// doubtful reports whether a bare YES or NO may be the answer to what was told since the offer was
// shown, or to something else because it was not, and a bare YES to what the customer has named since.
// It is asked about once; a button or a reply names what it answers.
func (w *work) doubtful(p *thread.Pending, r gate.Ruling) bool {
	switch {
	case p == nil || !bare(w.in...):
		return false
	case r == gate.Confirmed:
		return p.Doubt || p.Differs
	}
	return p.Doubt && r == gate.Declined
}

// bare reports whether nothing but the time says what somebody's words answer.
func bare(in ...thread.Message) bool {
	return !slices.ContainsFunc(in, func(m thread.Message) bool { return m.Button != "" || m.ReplyTo != "" })
}

// wasAsked reports whether the customer had been asked for what they said YES to. Where the question is
// sent, it may wait for its provider, or never go out: a bare YES was then meant for something else, and
// so was one to a message that does not show the whole of it.
func (w *work) wasAsked(ctx context.Context, p *thread.Pending, whole bool) (bool, error) {
	if !w.thread.Channel.Pushes() || !bare(w.in...) && whole {
		return true, nil
	}
	for _, id := range p.Asked {
		m, err := w.r.Outbox.Get(ctx, w.thread.ID, id)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return false, err
		}
		if !slices.ContainsFunc(w.in, func(said thread.Message) bool { return !m.OutBefore(said.Written()) }) {
			return true, nil
		}
	}
	return false, nil
}

// lapse lets go of an offer whose time is over, and says so.
func (w *work) lapse(ctx context.Context, p *progress) error {
	if p.pending == nil || !gate.Gone(p.pending, w.tc.Now) {
		return nil
	}
	text, err := w.tooLate(ctx, p)
	p.notes = append(p.notes, text)
	return err
}

// tooLate lets go of what a YES can no longer carry out, and says so.
func (w *work) tooLate(ctx context.Context, p *progress) (string, error) {
	s, err := w.release(ctx, p)
	return cmp.Or(s.Late, w.say(wording.HoldGone, nil)), err
}

// dropExpired lets go of a proposal of this turn whose time was over before anybody could be asked, as
// that of a slow model or of a turn taken over late, and says so in the place of the question.
func (w *work) dropExpired(ctx context.Context, d *decision) error {
	if !d.proposed() || !gate.Gone(d.pending, w.now()) {
		return nil
	}
	text, err := w.tooLate(ctx, &d.progress)
	d.after, d.cards = append(d.after, text), nil
	return err
}

// refers finds which pending action each reply refers to. Chat pages name it; elsewhere
// the provider's message id leads to the offer it showed, the whole of it or not.
func (w *work) refers(ctx context.Context, p *thread.Pending) (refers map[string]string, whole bool, err error) {
	refers, whole = map[string]string{}, true
	for _, m := range w.in {
		switch {
		case m.ReplyTo == "" || p == nil:
		case !m.Channel.Pushes():
			refers[m.ID] = m.ReplyTo
		default:
			id, shown, err := w.r.Outbox.PendingOf(ctx, w.thread.ID, m.ReplyTo)
			if err != nil {
				return nil, false, err
			}
			refers[m.ID], whole = id, whole && shown
		}
	}
	return refers, whole, nil
}

// remind asks again for the YES or NO to what still waits, or says that its time is over.
func (w *work) remind(ctx context.Context, p *progress) error {
	if err := w.lapse(ctx, p); err != nil || p.pending == nil {
		return err
	}
	p.asked = true
	p.after = append(p.after, w.say(wording.StillWaiting, wording.Vars{"details": w.question(*p.pending)}))
	return nil
}

// question asks for the YES or NO to something, and says what each of them does. Whenever it is asked, it is asked so.
func (w *work) question(p thread.Pending) string {
	c, err := w.commitment(p.Kind)
	if err != nil { // of a former release
		return p.Question()
	}
	return c.Describe(w.tc, p)
}

// confirm looks again at what the offer rests on, and prepares what the YES does; it happens when the
// turn commits. A frozen call happens at once: whoever takes such a turn over obeys the same YES, however
// late it is.
func (w *work) confirm(ctx context.Context, p *progress) (say reply, err error) {
	c, err := w.commitment(p.pending.Kind)
	if err != nil {
		return reply{}, err
	}
	if w.yesBegun() == "" {
		var refused *gate.Refusal
		switch err := w.stillStands(ctx, p); {
		case errors.As(err, &refused):
			_, err = w.release(ctx, p)
			return reply{text: refused.Text}, err
		case err != nil:
			return reply{}, err
		}
	}
	s, err := c.Commit(ctx, w.tc, gate.Consent{Pending: *p.pending, MessageID: w.in[len(w.in)-1].ID, Actor: w.thread.Owner, At: w.tc.Now})
	if err != nil {
		return reply{}, fmt.Errorf("commit %s of thread %s: %w", p.pending.Kind, w.thread.ID, err)
	}
	p.cards, p.place = s.Cards, s.Map
	if s.Keep {
		return reply{text: s.Text}, nil
	}
	p.settle()
	p.joins = append(p.joins, joined{Settled: s})
	if s.HandOver == nil || w.r.Desk == nil {
		return reply{text: s.Text}, nil
	}
	p.handOver = s.HandOver
	return reply{text: w.personWillAnswer()}, nil
}

// release prepares to let go of what is pending.
func (w *work) release(ctx context.Context, p *progress) (gate.Settled, error) {
	s, err := w.releaseOf(ctx, p, w.tc, *p.pending)
	if err != nil {
		return gate.Settled{}, err
	}
	p.settle()
	return s, nil
}

func (w *work) releaseOf(ctx context.Context, p *progress, tc tool.Context, pending thread.Pending) (gate.Settled, error) {
	c, err := w.commitment(pending.Kind)
	if err != nil {
		return gate.Settled{}, err
	}
	s, err := c.Release(ctx, tc, pending)
	if err != nil {
		return gate.Settled{}, fmt.Errorf("release %s of thread %s: %w", pending.Kind, w.thread.ID, err)
	}
	p.joins = append(p.joins, joined{Settled: s, unshown: !w.shown(pending)})
	return s, nil
}

// shown reports whether the customer was asked about something before this turn.
func (w *work) shown(p thread.Pending) bool {
	return w.thread.Pending != nil && w.thread.Pending.ID == p.ID
}

// joined is what is committed with the turn.
type joined struct {
	gate.Settled
	unshown bool   // lets go of what this turn has proposed itself
	note    string // among the notes, says that it was let go of
}

// noteOfLast says of what was let go of last that it was.
func (p *progress) noteOfLast(text string) {
	p.notes = append(p.notes, text)
	p.joins[len(p.joins)-1].note = text
}

// withdraws reports whether something is let go of that nobody was asked about.
func (d *decision) withdraws() bool {
	return slices.ContainsFunc(d.joins, func(j joined) bool { return j.unshown })
}

// makeRoom lets go of each proposal that nobody was asked about in a transaction of its own:
// a turn that proposes a lot is more than one takes. A turn that dies after it is done again, and
// finds them gone.
func (w *work) makeRoom(ctx context.Context, d *decision) error {
	var stay []joined
	for _, j := range d.joins {
		if !j.unshown {
			stay = append(stay, j)
			continue
		}
		if err := w.r.Threads.Table.DB().Commit(ctx, j.Writes...); err != nil {
			return fmt.Errorf("let go of what thread %s was not asked about: %w", w.thread.ID, err)
		}
	}
	d.joins = stay
	return nil
}

func (w *work) commitment(kind string) (gate.Commitment, error) {
	c := w.r.Commitments[kind]
	if c == nil {
		return nil, fault.New(fault.Internal, "no commitment settles %q", kind)
	}
	return c, nil
}

// refused takes in that the store did not let the joined writes through, such as a hold
// that has gone meanwhile: the turn then commits without them and says so. It reports
// whether err was of that kind.
func (d *decision) refused(err error) bool {
	for i, s := range d.joins {
		if s.Refused == nil {
			continue
		}
		text, ok := s.Refused(err)
		if !ok {
			continue
		}
		d.joins = append(d.joins[:i:i], d.joins[i+1:]...)
		if s.Instead != nil {
			d.joins = append(d.joins, joined{Settled: *s.Instead})
		}
		switch at := slices.Index(d.notes, s.note); {
		case text == "":
		case s.note != "" && at >= 0: // which is not true
			d.notes = slices.Clone(d.notes)
			d.notes[at] = text
		default:
			d.text, d.words, d.cards = text, false, nil
		}
		return true
	}
	return false
}
