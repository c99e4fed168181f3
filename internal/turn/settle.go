package turn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"merve/internal/claim"
	"merve/internal/fault"
	"merve/internal/gate"
	"merve/internal/market"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// optOut obeys STOP and START, but no START from before the last STOP. A STOP lets go of what is pending. Where another thread answers it, too,
// nothing is said.
func (w *work) optOut(ctx context.Context) (done bool, err error) {
	if !w.thread.Channel.Pushes() {
		return false, nil
	}
	last := w.in[len(w.in)-1]
	w.silent = last.Quiet
	switch gate.OptOut(last.Text) {
	case gate.Stop:
		if w.pending != nil {
			if _, err := w.release(ctx); err != nil {
				return false, err
			}
		}
		w.notes, w.cards = nil, nil
		w.optedOut = true
		if last.Written().After(w.stopAt) {
			w.stopAt = last.Written()
		}
		w.text = w.say(wording.OptedOut, nil)
		return true, nil
	case gate.Start:
		if w.thread.OptedOut && last.Written().Before(w.stopAt) { // come late, and taken back since
			w.silent = true
			return true, nil
		}
		if w.thread.OptedOut {
			w.optedOut = false
			w.text = w.say(wording.OptedIn, nil)
			return true, nil
		}
	}
	return w.silent, nil
}

// gate lets the customer's words settle what is pending. It is done when the model has
// nothing to say to them.
func (w *work) gate(ctx context.Context) (done bool, err error) {
	refers, whole, err := w.refers(ctx)
	if err != nil {
		return false, err
	}
	ruling := gate.Decide(w.pending, w.does(), w.in, refers, w.tc.Now)
	if w.doubtful(ruling) {
		w.doubt(false)
		w.asked, w.doubted = true, true
		w.text = w.say(wording.WhichOffer, wording.Vars{"summary": w.pending.Summary})
		return true, nil
	}
	switch ruling {
	case gate.Confirmed:
		asked, err := w.wasAsked(ctx, whole)
		if err != nil {
			return false, err
		}
		if !asked {
			return true, w.remind(ctx)
		}
		return true, w.confirm(ctx)
	case gate.Declined:
		s, err := w.release(ctx)
		w.text, w.cards = s.Text, s.Cards
		return true, err
	case gate.TooLate:
		w.text, err = w.tooLate(ctx)
		return true, err
	case gate.Lapsed:
		return false, w.lapse(ctx)
	case gate.OldOffer:
		w.text = w.say(wording.OldButton, nil)
		return true, w.remind(ctx)
	case gate.Waiting:
		return w.market.Gate != market.Converse, w.remind(ctx)
	}
	return false, nil
}

// does is what a YES to what is pending does.
func (w *work) does() gate.Deed {
	if w.pending == nil {
		return gate.Other
	}
	if c, err := w.commitment(w.pending.Kind); err == nil {
		return c.Does()
	}
	return gate.Other
}

// doubtful reports whether a bare YES or NO may be the answer to what was told since the offer was
// shown, or to something else because it was not. It is asked about once; a button or a reply names what
// it answers.
func (w *work) doubtful(r gate.Ruling) bool {
	if w.pending == nil || !w.pending.Doubt || r != gate.Confirmed && r != gate.Declined {
		return false
	}
	return bare(w.in...)
}

// bare reports whether nothing but the time says what somebody's words answer.
func bare(in ...thread.Message) bool {
	return !slices.ContainsFunc(in, func(m thread.Message) bool { return m.Button != "" || m.ReplyTo != "" })
}

// wasAsked reports whether the customer had been asked for what they said YES to. Where the question is
// sent, it may wait for its provider, or never go out: a bare YES was then meant for something else, and
// so was one to a message that does not show the whole of it.
func (w *work) wasAsked(ctx context.Context, whole bool) (bool, error) {
	if !w.thread.Channel.Pushes() || !bare(w.in...) && whole {
		return true, nil
	}
	for _, id := range w.pending.Asked {
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

// doubt notes whether a bare YES or NO may be meant for somebody else.
func (w *work) doubt(is bool) {
	p := *w.pending
	p.Doubt = is
	w.pending = &p
}

// lapse lets go of an offer whose time is over, and says so.
func (w *work) lapse(ctx context.Context) error {
	if w.pending == nil || !gate.Gone(w.pending, w.tc.Now) {
		return nil
	}
	text, err := w.tooLate(ctx)
	w.notes = append(w.notes, text)
	return err
}

// tooLate lets go of what a YES can carry out no more, and says so.
func (w *work) tooLate(ctx context.Context) (string, error) {
	s, err := w.release(ctx)
	return cmp.Or(s.Late, w.say(wording.HoldGone, nil)), err
}

// inTime lets go of a proposal of this turn whose time was over before anybody could be asked, as
// that of a slow model or of a turn taken over late, and says so in the place of the question.
func (w *work) inTime(ctx context.Context) error {
	if !w.proposed() || !gate.Gone(w.pending, w.r.Now()) {
		return nil
	}
	text, err := w.tooLate(ctx)
	w.after, w.cards = append(w.after, text), nil
	return err
}

// refers finds which pending action each reply refers to. Chat pages name it; elsewhere
// the provider's message id leads to the offer it showed, the whole of it or not.
func (w *work) refers(ctx context.Context) (refers map[string]string, whole bool, err error) {
	refers, whole = map[string]string{}, true
	for _, m := range w.in {
		switch {
		case m.ReplyTo == "" || w.pending == nil:
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
func (w *work) remind(ctx context.Context) error {
	if err := w.lapse(ctx); err != nil || w.pending == nil {
		return err
	}
	w.asked = true
	w.after = append(w.after, w.say(wording.StillWaiting, wording.Vars{"summary": w.pending.Question()}))
	return nil
}

// confirm prepares what the YES does; it happens when the turn commits. A frozen call
// happens at once: whoever takes such a turn over obeys the same YES, however late it is.
func (w *work) confirm(ctx context.Context) error {
	c, err := w.commitment(w.pending.Kind)
	if err != nil {
		return err
	}
	if w.pending.Tool != "" && w.obeys() == "" {
		if w.denied(w.pending.Tool) {
			w.text, err = w.tooLate(ctx)
			return err
		}
		e := thread.Entry{Step: yesStep, Kind: yesKind, Data: w.in[len(w.in)-1].ID}
		if e, err = w.r.Threads.Record(ctx, w.thread.ID, w.thread.Number(), e, w.r.Threads.Held(w.lease)); err != nil {
			return err
		}
		w.thread.Journal = append(w.thread.Journal, e)
	}
	p := *w.pending
	s, err := c.Commit(ctx, w.tc, gate.Consent{Pending: p, MessageID: w.in[len(w.in)-1].ID, Actor: w.thread.Owner, At: w.tc.Now})
	if err != nil {
		return fmt.Errorf("commit %s of thread %s: %w", p.Kind, w.thread.ID, err)
	}
	w.text, w.cards, w.place = s.Text, s.Cards, s.Map
	if s.Keep {
		return nil
	}
	w.settled, w.pending = p.ID, nil
	w.joins = append(w.joins, joined{Settled: s})
	if s.HandOver == nil || w.r.Desk == nil {
		return nil
	}
	w.handOver, w.text = s.HandOver, w.handedOver()
	return nil
}

// denied reports whether a tool that was put to the customer may no longer run.
func (w *work) denied(name string) bool {
	t, ok := w.r.Tools.Get(name)
	s := w.situation()
	s.ReadOnly = false // this is what waited
	verdict, _ := tool.May(t, s)
	return ok && verdict == tool.Deny
}

// The YES to a frozen call has a journal step that no round has.
const (
	yesKind = "yes"
	yesStep = 9999
)

// obeys is the id of the message whose YES this turn has begun to carry out, or "".
func (w *work) obeys() string {
	for _, e := range w.thread.Journal {
		if e.Kind == yesKind && w.thread.Pending != nil {
			return e.Data
		}
	}
	return ""
}

// withdraw lets go of what this turn has proposed, when nobody will be asked.
func (w *work) withdraw(ctx context.Context) error {
	if !w.proposed() {
		return nil
	}
	_, err := w.release(ctx)
	return err
}

// release prepares to let go of what is pending.
func (w *work) release(ctx context.Context) (gate.Settled, error) {
	s, err := w.releaseOf(ctx, w.tc, *w.pending)
	if err != nil {
		return gate.Settled{}, err
	}
	w.settled, w.pending = w.pending.ID, nil
	return s, nil
}

func (w *work) releaseOf(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	c, err := w.commitment(p.Kind)
	if err != nil {
		return gate.Settled{}, err
	}
	s, err := c.Release(ctx, tc, p)
	if err != nil {
		return gate.Settled{}, fmt.Errorf("release %s of thread %s: %w", p.Kind, w.thread.ID, err)
	}
	shown := w.thread.Pending != nil && w.thread.Pending.ID == p.ID
	w.joins = append(w.joins, joined{Settled: s, unshown: !shown})
	return s, nil
}

// joined is what is committed with the turn.
type joined struct {
	gate.Settled
	unshown bool // lets go of what this turn has proposed itself
}

// unshown reports whether something is let go of that nobody was asked about.
func (w *work) unshown() bool {
	return slices.ContainsFunc(w.joins, func(j joined) bool { return j.unshown })
}

// makeRoom lets go of each proposal that nobody was asked about in a transaction of its own:
// a turn that proposes a lot is more than one takes. A turn that dies after it is done again, and
// finds them gone.
func (w *work) makeRoom(ctx context.Context) error {
	var stay []joined
	for _, j := range w.joins {
		if !j.unshown {
			stay = append(stay, j)
			continue
		}
		if err := w.r.Threads.Table.DB().Commit(ctx, j.Writes...); err != nil {
			return fmt.Errorf("let go of what thread %s was not asked about: %w", w.thread.ID, err)
		}
	}
	w.joins = stay
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
func (w *work) refused(err error) bool {
	for i, s := range w.joins {
		if s.Refused == nil {
			continue
		}
		text, ok := s.Refused(err)
		if !ok {
			continue
		}
		w.joins = append(w.joins[:i:i], w.joins[i+1:]...)
		if s.Instead != nil {
			w.joins = append(w.joins, joined{Settled: *s.Instead})
		}
		if text != "" {
			w.text, w.cards = text, nil
		}
		return true
	}
	return false
}

func (w *work) say(key wording.Key, vars wording.Vars) string {
	return wording.Say(w.tc.Language, key, vars)
}

// unsupported reports whether a model's text claims what nothing in this turn bears out.
func unsupported(text string, facts []string) bool {
	return slices.ContainsFunc(claim.Unsupported(text, facts), func(c claim.Claim) bool { return !named(c, facts) })
}

// named reports whether a claim names what it is about, and a fact bears that out: of its
// number, any fact that has it.
func named(c claim.Claim, facts []string) bool {
	return slices.ContainsFunc(facts, func(fact string) bool {
		kind, name, _ := strings.Cut(fact, ":")
		return name != "" && (kind == string(c.Kind) || c.Kind == claim.Coded) && strings.Contains(c.Sentence, name)
	})
}
