package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/model/llm"
	"merve/internal/tenant/channel"
	"merve/internal/words/language"
)

const (
	toolDeadline = 20 * time.Second // of one call
	maxResult    = 24_000           // characters of one result that the model is shown

	// tries is how often a tool is run that fails for reasons of its surroundings. Its key makes
	// what has happened all the same, such as a hold whose answer was lost, happen once.
	tries = 3
)

// Status says what became of a call.
type Status string

const (
	OK       Status = "ok"
	Proposed Status = "proposed" // and waits for a YES
	Denied   Status = "denied"   // and was not run
	Failed   Status = "failed"
)

// Result is what a call gave.
type Result struct {
	Name   string          // of the tool; of one that does not exist, as the model called it
	Args   json.RawMessage // canonical
	Key    string
	Status Status
	Out    tool.Result // of a call that was run

	Frozen  bool   // the call waits for a confirmation and was not run
	Summary string // of a frozen call: what it would do

	content json.RawMessage // for the model
	memory  json.RawMessage
	took    time.Duration
}

// call is a call that the model asked for, looked at.
type call struct {
	llm.Call
	tool    tool.Tool
	args    json.RawMessage
	key     string
	verdict tool.Verdict
	err     error
}

// runCalls runs the calls of one decision and tells the model what they gave. Reading calls run at
// the same time; then the others, one after the other.
func (r *run) runCalls(ctx context.Context, tc tool.Context, d decision) (stop bool, err error) {
	r.history = append(r.history, llm.Message{Role: llm.Assistant, Text: d.Text, Calls: d.Calls})
	calls := r.look(d.Calls)
	if r.Sink.Doing != nil {
		r.Sink.Doing(ctx, namesOf(d.Calls))
	}
	start := time.Now()
	results := r.resolve(ctx, tc, calls)
	telemetry.CountTime(ctx, "tools", time.Since(start))
	r.audit(calls, results)
	r.Choices = choices(results, r.Choices)
	for i, res := range results {
		r.history = append(r.history, llm.Message{Role: llm.ToolRole, CallID: d.Calls[i].ID, Text: string(res.content)})
		stopped, err := r.take(ctx, tc, res)
		if err != nil {
			return false, err
		}
		stop = stop || stopped
	}
	if stop {
		r.End = Stopped
	}
	return stop, nil
}

// choices are what can be chosen from after a round: of the list that it has shown last. A round that shows none has
// gone on from the one before, unless nothing of it could be done.
func choices(results []Result, before []channel.Choice) []channel.Choice {
	for _, res := range slices.Backward(results) {
		if len(res.Out.Choices) > 0 {
			return res.Out.Choices
		}
	}
	if slices.ContainsFunc(results, func(res Result) bool { return res.Status == OK || res.Status == Proposed }) {
		return nil
	}
	return before
}

func namesOf(calls []llm.Call) []string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Name
	}
	return names
}

// look checks each call: is there such a tool, do the arguments fit, may it run now?
func (r *run) look(asked []llm.Call) []call {
	calls := make([]call, len(asked))
	for i, c := range asked {
		calls[i] = call{Call: c, verdict: tool.Deny}
		t, ok := r.tool(c.Name)
		if !ok {
			calls[i].err = fault.New(fault.NotFound, "there is no such tool")
			continue
		}
		calls[i].tool, calls[i].Name = t, t.Name // the model has called it by its wire name
		verdict, reason := r.may(t)
		if verdict == tool.Confirm && r.confirming {
			verdict = tool.Allow
		}
		if verdict == tool.Deny {
			calls[i].err = fault.New(fault.Forbidden, "%s", reason)
			continue
		}
		args, err := t.Canonical(c.Args)
		if err == nil {
			err = t.Within(r.Context.Market, args)
		}
		same := t.Name + string(args)
		r.same[same]++
		switch {
		case err != nil:
			calls[i].err = err
		case r.same[same] > r.Limits.SameCall:
			calls[i].err = fault.New(fault.Limited, "asked too often with the same arguments: answer with what you have")
		default:
			calls[i].args, calls[i].verdict = args, verdict
			calls[i].key = tool.Key(r.Key, t.Name, args, r.same[same])
		}
	}
	return calls
}

func (r *run) resolve(ctx context.Context, tc tool.Context, calls []call) []Result {
	results := make([]Result, len(calls))
	var reading sync.WaitGroup
	for i, c := range calls {
		if c.reads() {
			reading.Go(func() { results[i] = r.resolveOne(ctx, tc, c) })
		}
	}
	reading.Wait()
	for i, c := range calls {
		if !c.reads() {
			results[i] = r.resolveOne(ctx, tc, c)
		}
	}
	return results
}

func (c call) reads() bool { return c.verdict == tool.Allow && c.tool.Effect == tool.Read }

func (r *run) resolveOne(ctx context.Context, tc tool.Context, c call) (res Result) {
	start := time.Now()
	defer func() { res.took = time.Since(start) }()
	if c.err != nil {
		return c.failed(c.err, Denied)
	}
	if c.verdict == tool.Confirm {
		return c.freeze(ctx, tc)
	}
	ctx, cancel := context.WithTimeout(ctx, toolDeadline)
	defer cancel()
	tc.Key = c.key
	out, err := RunTool(ctx, c.tool, tc, c.args)
	if err != nil {
		r.Log.WarnContext(ctx, "tool failed", "tool", c.Name, "kind", fault.KindOf(err), "error", err.Error())
		res = c.failed(err, Failed)
		res.Out.Choices = out.Choices
		return res
	}
	content, err := json.Marshal(out.Data)
	if err != nil {
		return c.failed(fmt.Errorf("result: %w", err), Failed)
	}
	if len(content) > maxResult {
		start := language.Brief(string(content), maxResult)
		content, _ = json.Marshal(map[string]any{"note": "the result was too long and is cut", "start": start})
	}
	res = Result{Name: c.Name, Args: c.args, Key: c.key, Status: OK, Out: out, content: content}
	if out.Proposal != nil {
		res.Status = Proposed
	}
	if out.Memory != nil {
		if res.memory, err = json.Marshal(out.Memory); err != nil {
			return c.failed(fmt.Errorf("memory: %w", err), Failed)
		}
	}
	return res
}

// RunTool runs a tool with canonical arguments: again when it fails for reasons of its surroundings,
// and without its panics.
func RunTool(ctx context.Context, t tool.Tool, tc tool.Context, args json.RawMessage) (out tool.Result, err error) {
	for range tries {
		if out, err = runSafely(ctx, t, tc, args); !fault.Retryable(err) || ctx.Err() != nil {
			break
		}
	}
	return out, err
}

// runSafely keeps a resolver's panic from taking everything with it.
func runSafely(ctx context.Context, t tool.Tool, tc tool.Context, args json.RawMessage) (out tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "tool %s: %v", t.Name, p)
		}
	}()
	return t.Run(ctx, tc, args)
}

func (c call) failed(err error, status Status) Result {
	return Result{Name: c.Name, Args: c.args, Key: c.key, Status: status, content: fault.ForModel(err)}
}

// freeze makes a call wait for a YES to exactly these arguments.
func (c call) freeze(ctx context.Context, tc tool.Context) Result {
	summary, err := c.tool.Describe(ctx, tc, c.args)
	if err != nil {
		return c.failed(err, Failed)
	}
	return Result{
		Name: c.Name, Args: c.args, Key: c.key, Status: Proposed, Frozen: true, Summary: summary,
		content: json.RawMessage(`{"status":"awaiting_confirmation","note":"the customer is being asked for YES or NO"}`),
	}
}

// take adds a result to the outcome.
func (r *run) take(ctx context.Context, tc tool.Context, res Result) (stop bool, err error) {
	r.Facts = append(r.Facts, res.Out.Facts...)
	r.Named = append(r.Named, res.Out.Named...)
	r.Cards = append(r.Cards, res.Out.Cards...)
	r.Given = append(r.Given, Given{string(res.Args), string(res.content) + shownOn(res.Out.Cards)})
	if res.Out.Map != nil {
		r.Place = res.Out.Map
	}
	if len(res.memory) > 0 {
		r.Memory = append(r.Memory, Remembered{res.Name, res.memory})
	}
	if r.Took == nil {
		return false, nil
	}
	return r.Took(ctx, tc, res)
}

// shownOn is what stands on cards.
func shownOn(cards []tool.Card) string {
	data, err := json.Marshal(cards)
	if err != nil {
		return "" // they cannot be shown either
	}
	return string(data)
}
