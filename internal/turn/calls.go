package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"merve/internal/channel"
	"merve/internal/fault"
	"merve/internal/language"
	"merve/internal/llm"
	"merve/internal/telemetry"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// toolDeadline is how long one tool call may take.
const toolDeadline = 20 * time.Second

// result is what a call gave.
type result struct {
	name     string
	status   string // ok, proposed, denied, failed
	content  json.RawMessage
	memory   json.RawMessage
	cards    []tool.Card
	place    *channel.Location
	facts    []string
	handOver *tool.HandOver
	proposal *tool.Proposal
	tool     string // frozen for confirmation
	args     json.RawMessage
	took     time.Duration
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

// runCalls runs the calls of one decision and tells the model what they gave. Reading
// calls run at the same time; then those that propose, one after the other.
func (w *work) runCalls(ctx context.Context, d decision) error {
	w.model.msgs = append(w.model.msgs, llm.Message{Role: llm.Assistant, Text: d.Text, Calls: d.Calls})
	calls := w.look(d.Calls)
	w.showActivity(ctx, d.Calls)
	start := time.Now()
	results := w.resolve(ctx, calls)
	telemetry.CountTime(ctx, "tools", time.Since(start))
	w.audit(calls, results)
	for i, res := range results {
		w.model.msgs = append(w.model.msgs, llm.Message{Role: llm.ToolRole, CallID: d.Calls[i].ID, Text: string(res.content)})
		if err := w.take(ctx, res); err != nil {
			return err
		}
	}
	return nil
}

// slowAfter is how long a turn may take before whoever waits is shown what it does.
const slowAfter = time.Second

// showActivity notes what the turn is about to do, where somebody looks on and waits. That it
// fails is nobody's loss.
func (w *work) showActivity(ctx context.Context, calls []llm.Call) {
	if w.thread.Channel.Pushes() || w.r.Now().Sub(w.tc.Now) < slowAfter {
		return
	}
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = language.Brief(c.Name, maxName)
	}
	if err := w.r.Threads.Doing(ctx, w.thread.ID, names); err != nil {
		w.r.Log.InfoContext(ctx, "activity not shown", "error", err.Error())
	}
}

// maxName bounds the name of a tool, which a model may make up.
const maxName = 64

// look checks each call: is there such a tool, do the arguments fit, may it run now?
func (w *work) look(asked []llm.Call) []call {
	m := &w.model
	calls := make([]call, len(asked))
	for i, c := range asked {
		m.calls++
		calls[i] = call{Call: c, verdict: tool.Deny}
		t, ok := w.r.Tools.Get(c.Name)
		if !ok {
			calls[i].err = fault.New(fault.NotFound, "there is no such tool")
			continue
		}
		calls[i].tool = t
		verdict, reason := tool.May(t, w.situation())
		if verdict == tool.Deny {
			calls[i].err = fault.New(fault.Forbidden, "%s", reason)
			continue
		}
		args, err := t.Canonical(c.Args)
		same := t.Name + string(args)
		m.same[same]++
		switch {
		case err != nil:
			calls[i].err = err
		case m.same[same] > w.market.Safety.MaxSameCall:
			calls[i].err = fault.New(fault.Limited, "asked too often with the same arguments: answer with what you have")
		default:
			calls[i].args, calls[i].verdict = args, verdict
			calls[i].key = tool.Key(fmt.Sprintf("%s/%d", w.thread.ID, w.thread.Number()), t.Name, args, m.same[same])
		}
	}
	return calls
}

func (w *work) resolve(ctx context.Context, calls []call) []result {
	results := make([]result, len(calls))
	var reading sync.WaitGroup
	for i, c := range calls {
		if c.verdict == tool.Allow && c.tool.Effect == tool.Read {
			reading.Go(func() { results[i] = w.resolveOne(ctx, c) })
		}
	}
	reading.Wait()
	for i, c := range calls {
		if c.verdict != tool.Allow || c.tool.Effect != tool.Read {
			results[i] = w.resolveOne(ctx, c)
		}
	}
	return results
}

func (w *work) resolveOne(ctx context.Context, c call) (res result) {
	start := time.Now()
	defer func() { res.took = time.Since(start) }()
	if c.err != nil {
		return failed(c, c.err, "denied")
	}
	if c.verdict == tool.Confirm {
		return w.freeze(ctx, c)
	}
	ctx, cancel := context.WithTimeout(ctx, toolDeadline)
	defer cancel()
	tc := w.tc
	tc.Key = c.key
	out, err := run(ctx, c.tool, tc, c.args)
	if err != nil {
		w.r.Log.WarnContext(ctx, "tool failed", "tool", c.Name, "thread", w.thread.ID, "kind", fault.KindOf(err), "error", err.Error())
		return failed(c, err, "failed")
	}
	content, err := json.Marshal(out.Data)
	if err != nil {
		return failed(c, fmt.Errorf("result: %w", err), "failed")
	}
	if len(content) > maxResult {
		content, _ = json.Marshal(map[string]any{"note": "the result was too long and is cut", "start": language.Brief(string(content), maxResult)})
	}
	res = result{name: c.Name, status: "ok", content: content, cards: out.Cards, place: out.Map, facts: out.Facts, handOver: out.HandOver, proposal: out.Proposal}
	if out.Proposal != nil {
		res.status = "proposed"
	}
	if out.Memory != nil {
		if res.memory, err = json.Marshal(out.Memory); err != nil {
			return failed(c, fmt.Errorf("memory: %w", err), "failed")
		}
	}
	return res
}

// maxResult is how much of one tool result a model is shown, in characters.
const maxResult = 24_000

// tries is how often a tool is run that fails for reasons of its surroundings. Its key
// makes what has happened all the same, such as a hold whose answer was lost, happen once.
const tries = 3

func run(ctx context.Context, t tool.Tool, tc tool.Context, args json.RawMessage) (out tool.Result, err error) {
	for range tries {
		if out, err = runSafely(ctx, t, tc, args); !fault.Retryable(err) || ctx.Err() != nil {
			break
		}
	}
	return out, err
}

// runSafely keeps a resolver's panic from taking the turn with it.
func runSafely(ctx context.Context, t tool.Tool, tc tool.Context, args json.RawMessage) (out tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fault.New(fault.Internal, "tool %s: %v", t.Name, p)
		}
	}()
	return t.Run(ctx, tc, args)
}

func failed(c call, err error, status string) result {
	return result{name: c.Name, status: status, content: fault.ForModel(err)}
}

// freeze makes a call wait for the customer's YES with exactly these arguments.
func (w *work) freeze(ctx context.Context, c call) result {
	summary, err := c.tool.Describe(ctx, w.tc, c.args)
	if err != nil {
		return failed(c, err, "failed")
	}
	return result{
		name: c.Name, status: "proposed", tool: c.Name, args: c.args,
		content: json.RawMessage(`{"status":"awaiting_confirmation","note":"the customer is being asked for YES or NO"}`),
		proposal: &tool.Proposal{
			Kind: FrozenCall, Ref: c.key, Summary: summary, Hash: frozenHash(c.Name, c.args),
			ExpiresAt: w.tc.Now.Add(time.Duration(w.market.Safety.HoldSeconds) * time.Second),
		},
	}
}

// take adds a result to the turn's outcome.
func (w *work) take(ctx context.Context, res result) error {
	m := &w.model
	m.shown = append(m.shown, thread.Call{Name: res.name, Status: res.status})
	m.facts = append(m.facts, res.facts...)
	m.cards = append(m.cards, res.cards...)
	if res.place != nil {
		m.place = res.place
	}
	if len(res.memory) > 0 {
		m.memory += fmt.Sprintf("<data tool=%q>%s</data>\n", res.name, res.memory)
	}
	if res.handOver != nil {
		return w.giveAway(ctx, *res.handOver)
	}
	if res.proposal != nil {
		return w.propose(ctx, res)
	}
	return nil
}

// giveAway hands the thread over to a person: what waits for YES or NO is let go of, and the
// backend's own words are the last.
func (w *work) giveAway(ctx context.Context, h tool.HandOver) error {
	if w.r.Desk == nil || w.handOver != nil {
		return nil
	}
	if w.pending != nil {
		if _, err := w.release(ctx); err != nil {
			return err
		}
	}
	w.handOver = &h
	return nil
}

// propose makes the proposal the one pending action, and lets go of an earlier one; or of this one,
// when nobody will hear the answer.
func (w *work) propose(ctx context.Context, res result) error {
	p := &thread.Pending{
		Kind: res.proposal.Kind, Ref: res.proposal.Ref,
		Tool: res.tool, Args: string(res.args), Hash: res.proposal.Hash, Summary: res.proposal.Summary, Note: res.proposal.Note,
		Policy: w.market.Version, CreatedAt: w.tc.Now, ExpiresAt: res.proposal.ExpiresAt,
	}
	p.ID = pendingID(w.thread.ID, *p)
	if w.handOver != nil {
		_, err := w.releaseOf(ctx, *p)
		return err
	}
	if old := w.pending; old != nil && old.Ref != p.Ref { // of the same, the newer question takes the place of the older
		if _, err := w.releaseOf(ctx, *old); err != nil {
			return err
		}
		w.notes = append(w.notes, w.say(wording.Replaced, wording.Vars{"summary": old.Summary}))
	}
	w.pending, w.made = p, true
	if w.settled == p.ID { // asked again, after its time was over
		w.settled = ""
	}
	return nil
}

// pendingID names a pending action: the same for the same on the same terms, so that an answer to
// an older question never is one to other terms.
func pendingID(thread string, p thread.Pending) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{thread, p.Kind, p.Ref, p.Hash}, "\x00")))
	return "p_" + hex.EncodeToString(sum[:8])
}
