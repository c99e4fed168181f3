package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"merve/internal/base/fault"
	"merve/internal/model/llm"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// consent reads the customer's YES or NO to what is pending, and carries it out.
type consent struct {
	*scene
	offers  *offers
	recheck *recheck
	outbox  *outbox.Box
	desk    bool // a person can take the thread
}

// settle lets the customer's words settle what is pending. It is done when the model has nothing to add.
func (c *consent) settle(ctx context.Context, p *progress) (say reply, done bool, err error) {
	ruling, whole, err := c.ruling(ctx, p)
	if err != nil {
		return reply{}, false, err
	}
	if c.ambiguous(p.pending, ruling) {
		p.markDoubt(false)
		p.asked, p.doubted = true, true
		return reply{text: c.say(wording.WhichOffer, wording.Vars{"details": c.offers.question(*p.pending)})}, true, nil
	}
	switch ruling {
	case gate.Confirmed:
		return c.yes(ctx, p, whole)
	case gate.Declined:
		s, err := c.offers.release(ctx, p)
		p.cards = s.Cards
		return reply{text: s.Text}, true, err
	case gate.Redirected:
		return reply{}, false, c.offers.redirect(ctx, p)
	case gate.TooLate:
		say.text, err = c.offers.tooLate(ctx, p)
		return say, true, err
	case gate.Lapsed:
		return reply{}, false, c.offers.lapse(ctx, p)
	case gate.OldOffer:
		return reply{text: c.say(wording.OldButton, nil)}, true, c.offers.remind(ctx, p)
	case gate.Waiting:
		if gate.Differs(*p.pending, c.in, c.tc.Now.In(c.tc.TimeZone)) {
			p.markDiffers()
		}
		return reply{}, c.market.Gate != market.Converse, c.offers.remind(ctx, p)
	}
	return reply{}, false, nil
}

// settleAgain settles what was settled before the model decided what a turn that takes over does again.
func (c *consent) settleAgain(ctx context.Context, p *progress) error {
	if p.pending == nil {
		return nil
	}
	ruling, _, err := c.ruling(ctx, p)
	switch {
	case err != nil:
		return err
	case ruling == gate.Redirected:
		return c.offers.redirect(ctx, p)
	case ruling == gate.Confirmed && c.recheck.onlyReads(p.pending) && !c.ambiguous(p.pending, ruling):
		_, _, err = c.lookUp(ctx, p)
	}
	return err
}

// ruling is what the messages mean for what is pending; whole is false when one of them replies to a message that does not
// show all of it.
func (c *consent) ruling(ctx context.Context, p *progress) (r gate.Ruling, whole bool, err error) {
	refers, whole, err := c.refers(ctx, p.pending)
	return gate.Decide(p.pending, c.offers.deed(p.pending), c.in, refers, c.tc.Now), whole, err
}

// refers finds the pending action that each reply refers to. Chat pages name it. Elsewhere the provider's message id leads
// to the offer that the message showed, in whole or in part.
func (c *consent) refers(ctx context.Context, p *thread.Pending) (refers map[string]string, whole bool, err error) {
	refers, whole = map[string]string{}, true
	for _, m := range c.in {
		switch {
		case m.ReplyTo == "" || p == nil:
		case !m.Channel.Pushes():
			refers[m.ID] = m.ReplyTo
		default:
			id, shown, err := c.outbox.PendingOf(ctx, c.thread.ID, m.ReplyTo)
			if err != nil {
				return nil, false, err
			}
			refers[m.ID], whole = id, whole && shown
		}
	}
	return refers, whole, nil
}

// ambiguous reports whether a bare YES or NO may answer something else: what the customer was told since they saw the
// offer, or what they have named since. The turn then asks, once. A button or a reply names what it answers.
func (c *consent) ambiguous(p *thread.Pending, r gate.Ruling) bool {
	switch {
	case p == nil || !bare(c.in...):
		return false
	case r == gate.Confirmed:
		return p.Doubt || p.Differs
	}
	return p.Doubt && r == gate.Declined
}

// bare reports whether only the time of messages tells what they answer.
func bare(in ...thread.Message) bool {
	return !slices.ContainsFunc(in, func(m thread.Message) bool { return m.Button != "" || m.ReplyTo != "" })
}

// yes obeys a YES to what is pending. Whole says whether all replies are to messages that show the whole question.
func (c *consent) yes(ctx context.Context, p *progress, whole bool) (say reply, done bool, err error) {
	asked, err := c.wasAsked(ctx, p.pending, whole)
	if err != nil {
		return reply{}, false, err
	}
	if !asked {
		return reply{}, true, c.offers.remind(ctx, p)
	}
	if c.recheck.onlyReads(p.pending) {
		return c.lookUp(ctx, p)
	}
	say, err = c.confirm(ctx, p)
	return say, true, err
}

// wasAsked reports whether the customer had seen the question that they said YES to. A question that is sent may wait for
// its provider, or never go out. A bare YES was then meant for something else, and so was one that replies to a message
// that shows only a part of the question.
func (c *consent) wasAsked(ctx context.Context, p *thread.Pending, whole bool) (bool, error) {
	if !c.thread.Channel.Pushes() || !bare(c.in...) && whole {
		return true, nil
	}
	for _, id := range p.Asked {
		m, err := c.outbox.Get(ctx, c.thread.ID, id)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return false, err
		}
		if !slices.ContainsFunc(c.in, func(said thread.Message) bool { return !m.OutBefore(said.Written()) }) {
			return true, nil
		}
	}
	return false, nil
}

// finishYes carries out the YES that this turn, or the one that it takes over, has begun to obey.
func (c *consent) finishYes(ctx context.Context, p *progress) (reply, bool, error) {
	if c.yesBegun() == "" {
		return reply{}, false, nil
	}
	say, err := c.confirm(ctx, p)
	return say, true, err
}

// confirm checks once more what the offer rests on, and prepares what the YES does, which happens when the turn commits. A
// frozen call runs at once, and a turn that takes over obeys the same YES again, however late it is.
func (c *consent) confirm(ctx context.Context, p *progress) (say reply, err error) {
	does, err := c.offers.commitment(p.pending.Kind)
	if err != nil {
		return reply{}, err
	}
	if c.yesBegun() == "" {
		var refused *gate.Refusal
		stands, err := c.recheck.stillStands(ctx, *p.pending)
		switch {
		case errors.As(err, &refused):
			_, err = c.offers.release(ctx, p)
			return reply{text: refused.Text}, err
		case err != nil:
			return reply{}, err
		case len(stands) > 0:
			p.joins = append(p.joins, joined{Settled: gate.Settled{Writes: stands}})
		}
	}
	s, err := does.Commit(ctx, c.tc, gate.Consent{Pending: *p.pending, MessageID: c.in[len(c.in)-1].ID, Actor: c.thread.Owner, At: c.tc.Now})
	if err != nil {
		return reply{}, fmt.Errorf("commit %s of thread %s: %w", p.pending.Kind, c.thread.ID, err)
	}
	p.cards, p.place = s.Cards, s.Map
	if s.Keep {
		return reply{text: s.Text}, nil
	}
	p.settlePending()
	p.joins = append(p.joins, joined{Settled: s})
	if s.HandOver == nil || !c.desk {
		return reply{text: s.Text}, nil
	}
	p.handOver = s.HandOver
	return reply{text: c.personWillAnswer()}, nil
}

// lookUp obeys a YES to a call that only reads: the model answers with what the call returns. It is done when the call is
// no longer allowed.
func (c *consent) lookUp(ctx context.Context, p *progress) (say reply, done bool, err error) {
	call := llm.Call{ID: p.pending.ID, Name: p.pending.Tool, Args: json.RawMessage(p.pending.Args)}
	var refused *gate.Refusal
	switch _, err := c.recheck.look(ctx, *p.pending); {
	case errors.As(err, &refused):
		_, err = c.offers.release(ctx, p)
		return reply{text: refused.Text}, true, err
	case err != nil:
		return reply{}, false, err
	}
	p.settlePending()
	p.confirmed = &call
	return reply{}, false, nil
}
