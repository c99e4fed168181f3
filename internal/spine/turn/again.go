package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/model/llm"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// maxLooks bounds how often a YES looks again at what is being changed just then.
const maxLooks = 4

// stillStands looks again at what an offer rests on, and has the YES to it hold only while that is as it
// was seen: the commit does, or the note that a frozen call is carried out from now on.
func (w *work) stillStands(ctx context.Context, p *progress) error {
	for n := 1; ; n++ {
		stands, err := w.look(ctx, *p.pending)
		switch {
		case err != nil:
			return err
		case p.pending.Tool == "":
			p.joins = append(p.joins, joined{Settled: gate.Settled{Writes: stands}})
			return nil
		}
		if err := w.beginYes(ctx, stands); !errors.Is(err, gate.ErrMeanwhile) || n == maxLooks {
			return err
		}
	}
}

// reads reports whether a YES is to a call that only reads.
func (w *work) reads(p *thread.Pending) bool {
	t, ok := w.r.Tools.Get(p.Tool)
	return p.Tool != "" && ok && t.Effect == tool.Read
}

// lookUp settles a YES to a call that only reads: the model is told what it gives, and answers. It is done
// when the call may not be made any more.
func (w *work) lookUp(ctx context.Context, p *progress) (say reply, done bool, err error) {
	call := llm.Call{ID: p.pending.ID, Name: p.pending.Tool, Args: json.RawMessage(p.pending.Args)}
	var refused *gate.Refusal
	switch _, err := w.look(ctx, *p.pending); {
	case errors.As(err, &refused):
		_, err = w.release(ctx, p)
		return reply{text: refused.Text}, true, err
	case err != nil:
		return reply{}, false, err
	}
	p.settle()
	p.confirmed = &call
	return reply{}, false, nil
}

// look reads market, tool and what else an offer rests on anew, past every cache.
func (w *work) look(ctx context.Context, p thread.Pending) (stands []dynamo.Write, err error) {
	m, err := w.r.Markets.Read(ctx, w.thread.Market)
	if err != nil {
		return nil, fmt.Errorf("market of thread %s: %w", w.thread.ID, err)
	}
	w.market, w.tc.Market = m, m
	if err := w.access.unlock(ctx); err != nil {
		return nil, err
	}
	if !w.mayStill(p) {
		return nil, &gate.Refusal{Text: w.say(wording.OfferOff, nil)}
	}
	stands = []dynamo.Write{w.r.Markets.Unchanged(m).Else(gate.ErrMeanwhile)}
	if look := w.r.Looks[p.Kind]; look != nil {
		more, err := look(ctx, w.tc, p)
		if err != nil {
			return nil, fmt.Errorf("look again at %s of thread %s: %w", p.Kind, w.thread.ID, err)
		}
		stands = append(stands, more...)
	}
	return stands, nil
}

// mayStill reports whether the market still allows what an offer would do, by the tool that made it.
func (w *work) mayStill(p thread.Pending) bool {
	name := p.By
	if p.Tool != "" {
		name = p.Tool
	}
	if name == "" { // a notice offered it, or a former release asked
		return w.market.Enabled
	}
	t, ok := w.r.Tools.Get(name)
	verdict, _ := tool.May(t, w.access.situation(false, false)) // this is what waited
	return ok && verdict != tool.Deny
}

// The YES to a frozen call has a journal step that no round has.
const (
	yesKind = "yes"
	yesStep = 9999
)

// beginYes journals that the YES to a call is carried out from now on, if what it rests on stands.
func (w *work) beginYes(ctx context.Context, stands []dynamo.Write) error {
	e := thread.Entry{Step: yesStep, Kind: yesKind, Data: w.in[len(w.in)-1].ID}
	e, err := w.r.Threads.Record(ctx, w.thread.ID, w.thread.Number(), e, append(stands, w.r.Threads.Held(w.lease))...)
	if err != nil {
		return err
	}
	w.thread.Journal = append(w.thread.Journal, e)
	return nil
}
