package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"merve/internal/agent"
	"merve/internal/agent/tool"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// took takes in what a call gave that is for the customer to answer, or for a person.
func (w *work) took(ctx context.Context, p *progress, tc tool.Context, res agent.Result) (stop bool, err error) {
	if err := w.resultChanged(ctx, res); err != nil {
		return false, err
	}
	switch made := w.pendingOf(tc, res); {
	case res.Out.HandOver != nil:
		err = w.giveAway(ctx, p, *res.Out.HandOver)
	case made != nil:
		err = w.propose(ctx, p, tc, made)
	}
	return p.handOver != nil, err // the assistant has said its last
}

// pendingOf is what a result puts to the customer; nil is nothing.
func (w *work) pendingOf(tc tool.Context, res agent.Result) *thread.Pending {
	p := &thread.Pending{Policy: w.market.Version, CreatedAt: tc.Now}
	switch o := res.Out.Proposal; {
	case res.Frozen:
		p.Kind, p.Ref, p.Tool, p.Args, p.Hash = FrozenCall, res.Key, res.Name, string(res.Args), frozenHash(res.Name, res.Args)
		p.Summary, p.ExpiresAt = res.Summary, tc.Now.Add(time.Duration(w.market.Safety.HoldSeconds)*time.Second)
	case o != nil:
		p.By = res.Name
		p.Kind, p.Ref, p.Hash, p.Summary, p.Note, p.ExpiresAt = o.Kind, o.Ref, o.Hash, o.Summary, o.Note, o.ExpiresAt
	default:
		return nil
	}
	p.ID = pendingID(w.thread.ID, *p)
	return p
}

// propose makes something the one pending action, and lets go of an earlier one; or of the new one,
// when the thread has been handed over and nobody will hear the answer.
func (w *work) propose(ctx context.Context, p *progress, tc tool.Context, made *thread.Pending) error {
	if p.handOver != nil {
		_, err := w.releaseOf(ctx, p, tc, *made)
		return err
	}
	if old := p.pending; old != nil && old.Ref != made.Ref { // of the same, the newer question takes the place of the older
		if _, err := w.releaseOf(ctx, p, tc, *old); err != nil {
			return err
		}
		p.noteOfLast(wording.Say(tc.Language, wording.Replaced, wording.Vars{"summary": old.Summary}))
		p.asked, p.after = false, nil // nobody is reminded of it
	}
	p.pending, p.made = made, true
	if p.settled == made.ID { // asked again, after its time was over
		p.settled = ""
	}
	return nil
}

// pendingID names a pending action: the same for the same on the same terms, so that an answer to
// an older question is never one to other terms.
func pendingID(thread string, p thread.Pending) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{thread, p.Kind, p.Ref, p.Hash}, "\x00")))
	return "p_" + hex.EncodeToString(sum[:8])
}
