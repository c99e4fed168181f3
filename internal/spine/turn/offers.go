package turn

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// offers puts something to the customer for YES or NO, asks about it again, and lets go of it. A thread has at most one
// such pending action. What an offer does to the turn's [progress] is committed with the turn.
type offers struct {
	*scene
	commitments map[string]gate.Commitment // by kind
}

func (o *offers) commitment(kind string) (gate.Commitment, error) {
	c := o.commitments[kind]
	if c == nil {
		return nil, fault.New(fault.Internal, "no commitment settles %q", kind)
	}
	return c, nil
}

// deed is what a YES to something pending does.
func (o *offers) deed(p *thread.Pending) gate.Deed {
	if p == nil {
		return gate.Other
	}
	if c, err := o.commitment(p.Kind); err == nil {
		return c.Does()
	}
	return gate.Other
}

// question asks for the YES or NO to something, and says what each of them does. Every question about it has these words.
func (o *offers) question(p thread.Pending) string {
	c, err := o.commitment(p.Kind)
	if err != nil { // of a former release
		return p.Question()
	}
	return c.Describe(o.tc, p)
}

// wasShown reports whether the customer was asked about something before this turn.
func (o *offers) wasShown(p thread.Pending) bool {
	return o.thread.Pending != nil && o.thread.Pending.ID == p.ID
}

// proposal is what a tool's result puts to the customer, or nil.
func (o *offers) proposal(tc tool.Context, res agent.Result) *thread.Pending {
	p := &thread.Pending{Policy: o.market.Version, CreatedAt: tc.Now}
	switch made := res.Out.Proposal; {
	case res.Frozen:
		p.Kind, p.Ref, p.Tool, p.Args, p.Hash = FrozenCall, res.Key, res.Name, string(res.Args), frozenHash(res.Name, res.Args)
		p.Summary, p.ExpiresAt = res.Summary, tc.Now.Add(time.Duration(o.market.Safety.HoldSeconds)*time.Second)
	case made != nil:
		p.By = res.Name
		p.Kind, p.Ref, p.Hash, p.Summary, p.Note, p.ExpiresAt = made.Kind, made.Ref, made.Hash, made.Summary, made.Note, made.ExpiresAt
	default:
		return nil
	}
	p.ID = pendingID(o.thread.ID, *p)
	return p
}

// propose makes something the pending action, and lets go of an earlier one. If the thread has been handed over it lets go
// of the new one, because nobody would hear the answer.
func (o *offers) propose(ctx context.Context, p *progress, tc tool.Context, made *thread.Pending) error {
	if p.handOver != nil {
		_, err := o.releaseOf(ctx, p, tc, *made)
		return err
	}
	if old := p.pending; old != nil && old.Ref != made.Ref { // for the same ref, the newer question replaces the older
		if _, err := o.releaseOf(ctx, p, tc, *old); err != nil {
			return err
		}
		p.noteRelease(wording.Say(tc.Language, wording.Replaced, wording.Vars{"summary": old.Summary}))
		p.dropReminder()
	}
	p.pending, p.made = made, true
	if p.settled == made.ID { // asked again, after its time was over
		p.settled = ""
	}
	return nil
}

// release lets go of what is pending.
func (o *offers) release(ctx context.Context, p *progress) (gate.Settled, error) {
	s, err := o.releaseOf(ctx, p, o.tc, *p.pending)
	if err != nil {
		return gate.Settled{}, err
	}
	p.settlePending()
	return s, nil
}

func (o *offers) releaseOf(ctx context.Context, p *progress, tc tool.Context, pending thread.Pending) (gate.Settled, error) {
	c, err := o.commitment(pending.Kind)
	if err != nil {
		return gate.Settled{}, err
	}
	s, err := c.Release(ctx, tc, pending)
	if err != nil {
		return gate.Settled{}, fmt.Errorf("release %s of thread %s: %w", pending.Kind, o.thread.ID, err)
	}
	p.joins = append(p.joins, joined{Settled: s, unshown: !o.wasShown(pending)})
	return s, nil
}

// redirect lets go of what a customer refuses who wants something else, and says so before the model answers the rest.
func (o *offers) redirect(ctx context.Context, p *progress) error {
	s, err := o.release(ctx, p)
	if s.Text != "" {
		p.noteRelease(s.Text)
	}
	return err
}

// lapse lets go of an offer whose time is over, and says so.
func (o *offers) lapse(ctx context.Context, p *progress) error {
	if p.pending == nil || !gate.Gone(p.pending, o.tc.Now) {
		return nil
	}
	text, err := o.tooLate(ctx, p)
	p.notes = append(p.notes, text)
	return err
}

// tooLate lets go of what a YES can no longer carry out, and returns the words for it.
func (o *offers) tooLate(ctx context.Context, p *progress) (string, error) {
	s, err := o.release(ctx, p)
	return cmp.Or(s.Late, o.say(wording.HoldGone, nil)), err
}

// dropExpired lets go of a proposal of this turn whose time ran out before the customer could be asked, as happens with a
// slow model or a turn that is taken over late. The reply says so instead of asking.
func (o *offers) dropExpired(ctx context.Context, d *decision) error {
	if !d.proposed() || !gate.Gone(d.pending, o.now()) {
		return nil
	}
	text, err := o.tooLate(ctx, &d.progress)
	d.after, d.cards = append(d.after, text), nil
	return err
}

// remind asks again for the YES or NO to what still waits, or says that its time is over.
func (o *offers) remind(ctx context.Context, p *progress) error {
	if err := o.lapse(ctx, p); err != nil || p.pending == nil {
		return err
	}
	p.asked = true
	p.after = append(p.after, o.say(wording.StillWaiting, wording.Vars{"details": o.question(*p.pending)}))
	return nil
}

// joined is what is committed with the turn.
type joined struct {
	gate.Settled
	unshown bool   // lets go of something that this turn has proposed itself
	note    string // which of the notes tells of it
}

// noteRelease tells of what was let go of last.
func (p *progress) noteRelease(text string) {
	p.notes = append(p.notes, text)
	p.joins[len(p.joins)-1].note = text
}

// withdraws reports whether the turn lets go of something that nobody was asked about.
func (d *decision) withdraws() bool {
	return slices.ContainsFunc(d.joins, func(j joined) bool { return j.unshown })
}

// refused handles a store that did not let the joined writes through, because a hold has gone meanwhile for example: the
// turn then commits without them and says so. It reports whether err was of that kind.
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
		case s.note != "" && at >= 0: // the note is no longer true
			d.notes = slices.Clone(d.notes)
			d.notes[at] = text
		default:
			d.text, d.words, d.cards = text, false, nil
		}
		return true
	}
	return false
}

// pendingID names a pending action: the same id for the same action on the same terms. So an answer to an older question
// never accepts other terms.
func pendingID(thread string, p thread.Pending) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{thread, p.Kind, p.Ref, p.Hash}, "\x00")))
	return "p_" + hex.EncodeToString(sum[:8])
}
