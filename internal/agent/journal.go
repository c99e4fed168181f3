package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/model/llm"
)

// Entry is a stored step of a task: decisions, the last of which proposes something.
type Entry struct {
	Step int
	Data string // JSON
}

// maxEntry bounds an entry in bytes; DynamoDB takes items of 400 KB.
const maxEntry = 200 << 10

// keep stores a decision to propose before any of it runs, together with those to read that led to
// it, so that a model which answers differently after a crash does not propose twice. What only
// reads can be asked for again. The decision that stands is returned.
func (r *run) keep(ctx context.Context, d decision) (decision, error) {
	r.unkept = append(r.unkept, d)
	if r.Keep == nil || !r.proposes(d.Calls) {
		return d, nil
	}
	data, err := json.Marshal(r.unkept)
	if err == nil && len(data) > maxEntry {
		data, err = json.Marshal([]decision{d})
	}
	if err != nil {
		return decision{}, fmt.Errorf("journal: %w", err)
	}
	e := Entry{Step: r.steps, Data: string(data)}
	r.steps++
	stands, err := r.Keep(ctx, e)
	if err != nil {
		return decision{}, err
	}
	r.unkept = nil
	ds, err := stands.decisions()
	if err != nil {
		return decision{}, err
	}
	return ds[len(ds)-1], nil
}

// proposes reports whether one of the calls may change something before the task ends.
func (r *run) proposes(calls []llm.Call) bool {
	return slices.ContainsFunc(calls, func(c llm.Call) bool {
		t, _ := r.tool(c.Name)
		return t.Effect == tool.Propose
	})
}

// runConfirmed runs the call that was confirmed, once for all runs that continue each other.
func (r *run) runConfirmed(ctx context.Context) (stop bool, err error) {
	if r.Confirmed == nil || r.ran {
		return false, nil
	}
	r.ran, r.confirming = true, true
	defer func() { r.confirming = false }()
	return r.runCalls(ctx, r.Context, decision{Calls: []llm.Call{*r.Confirmed}})
}

// resume runs the confirmed call, and does again what the process before this one had decided to
// propose then, so that it is asked about, or let go of. The keys of the calls keep it from being done twice.
func (r *run) resume(ctx context.Context) (stop bool, err error) {
	if stop, err = r.runConfirmed(ctx); stop || err != nil || r.resumed {
		return stop, err
	}
	r.resumed = true
	for _, e := range r.Kept {
		ds, err := e.decisions()
		if err != nil {
			return false, err
		}
		r.steps = e.Step + 1
		for _, d := range ds {
			r.count(d)
			tc := r.Context
			tc.Language = d.Language
			if stop, err = r.runCalls(ctx, tc, d); err != nil {
				return false, err
			}
		}
	}
	return stop, nil
}

func (e Entry) decisions() ([]decision, error) {
	var ds []decision
	if err := json.Unmarshal([]byte(e.Data), &ds); err != nil || len(ds) == 0 {
		return nil, fault.Wrap(errors.Join(err, errEmpty), fault.Internal, "journal step %d", e.Step)
	}
	return ds, nil
}

var errEmpty = errors.New("not a list of decisions")
