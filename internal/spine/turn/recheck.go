package turn

import (
	"context"
	"errors"
	"fmt"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// recheck looks at what an offer rests on once more, when the customer has said YES to it.
type recheck struct {
	*scene
	access  *access
	tools   *tool.Registry
	looks   map[string]gate.Look // by kind of pending action
	threads *thread.Store
	lease   *thread.Lease
	markets *market.Store
}

// maxLooks bounds how often a YES looks again at what is being changed at the same time.
const maxLooks = 4

// stillStands looks at what an offer rests on, and makes the YES hold only as long as that stays the same. It returns the
// conditions for the turn's commit. For a frozen call there are none: the note that the call is carried out from now on has
// checked them.
func (r *recheck) stillStands(ctx context.Context, p thread.Pending) ([]dynamo.Write, error) {
	for n := 1; ; n++ {
		stands, err := r.look(ctx, p)
		if err != nil || p.Tool == "" {
			return stands, err
		}
		if err := r.beginYes(ctx, stands); !errors.Is(err, gate.ErrMeanwhile) || n == maxLooks {
			return nil, err
		}
	}
}

// onlyReads reports whether a YES is to a call that only reads.
func (r *recheck) onlyReads(p *thread.Pending) bool {
	t, ok := r.tools.Get(p.Tool)
	return p.Tool != "" && ok && t.Effect == tool.Read
}

// look reads the market, the tool and whatever else an offer rests on, past every cache. It returns the conditions that the
// YES needs, or a [gate.Refusal].
func (r *recheck) look(ctx context.Context, p thread.Pending) (stands []dynamo.Write, err error) {
	m, err := r.markets.Read(ctx, r.thread.Market)
	if err != nil {
		return nil, fmt.Errorf("market of thread %s: %w", r.thread.ID, err)
	}
	r.market, r.tc.Market = m, m
	if err := r.access.unlock(ctx); err != nil {
		return nil, err
	}
	if !r.allowed(p) {
		return nil, &gate.Refusal{Text: r.say(wording.OfferOff, nil)}
	}
	stands = []dynamo.Write{r.markets.Unchanged(m).Else(gate.ErrMeanwhile)}
	if look := r.looks[p.Kind]; look != nil {
		more, err := look(ctx, r.tc, p)
		if err != nil {
			return nil, fmt.Errorf("look again at %s of thread %s: %w", p.Kind, r.thread.ID, err)
		}
		stands = append(stands, more...)
	}
	return stands, nil
}

// allowed reports whether the market still allows what an offer would do, by the rules of the tool that made it.
func (r *recheck) allowed(p thread.Pending) bool {
	name := p.By
	if p.Tool != "" {
		name = p.Tool
	}
	if name == "" { // a notice offered it, or a former release asked
		return r.market.Enabled
	}
	t, ok := r.tools.Get(name)
	verdict, _ := tool.May(t, r.access.situation(false, false)) // this is what waited
	return ok && verdict != tool.Deny
}

// The YES to a frozen call has a journal step that no round has.
const (
	yesKind = "yes"
	yesStep = 9999
)

// beginYes journals that the YES to a call is carried out from now on, if what it rests on is unchanged.
func (r *recheck) beginYes(ctx context.Context, stands []dynamo.Write) error {
	e := thread.Entry{Step: yesStep, Kind: yesKind, Data: r.in[len(r.in)-1].ID}
	e, err := r.threads.Record(ctx, r.thread.ID, r.thread.Number(), e, append(stands, r.threads.Held(r.lease))...)
	if err != nil {
		return err
	}
	r.thread.Journal = append(r.thread.Journal, e)
	return nil
}
