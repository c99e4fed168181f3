package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"merve/internal/fault"
	"merve/internal/llm"
	"merve/internal/telemetry"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
)

// toolDeadline is how long one tool call may take.
const toolDeadline = 20 * time.Second

// result is what a call gave, as journalled.
type result struct {
	Name     string          `json:"name"`
	Status   string          `json:"status"` // ok, proposed, denied, failed
	Content  json.RawMessage `json:"content"`
	Memory   json.RawMessage `json:"memory,omitempty"`
	Cards    []tool.Card     `json:"cards,omitempty"`
	Facts    []string        `json:"facts,omitempty"`
	Proposal *tool.Proposal  `json:"proposal,omitempty"`
	Tool     string          `json:"tool,omitempty"` // frozen for confirmation
	Args     json.RawMessage `json:"args,omitempty"`
	effect   tool.Effect
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
	results, replayed, err := w.replayResults(len(d.Calls))
	if err != nil {
		return err
	}
	calls := w.look(d.Calls)
	if !replayed {
		start := time.Now()
		results = w.resolve(ctx, calls)
		telemetry.CountTime(ctx, "tools", time.Since(start))
		if ctx.Err() != nil && !w.r.Now().After(w.deadline) {
			return fmt.Errorf("tools: %w", context.Cause(ctx))
		}
		if results, err = w.journalResults(ctx, calls, results); err != nil {
			return err
		}
	}
	for i, res := range results {
		w.model.msgs = append(w.model.msgs, llm.Message{Role: llm.ToolRole, CallID: d.Calls[i].ID, Text: string(res.Content)})
		if err := w.take(ctx, res); err != nil {
			return err
		}
	}
	return nil
}

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
		return w.freeze(c)
	}
	ctx, cancel := context.WithTimeout(ctx, toolDeadline)
	defer cancel()
	tc := w.tc
	tc.Key = c.key
	out, err := runSafely(ctx, c.tool, tc, c.args)
	if err != nil {
		w.r.Log.WarnContext(ctx, "tool failed", "tool", c.Name, "thread", w.thread.ID, "kind", fault.KindOf(err), "error", err.Error())
		return failed(c, err, "failed")
	}
	content, err := json.Marshal(out.Data)
	if err != nil {
		return failed(c, fmt.Errorf("result: %w", err), "failed")
	}
	if len(content) > maxResult {
		content, _ = json.Marshal(map[string]any{"note": "the result was too long and is cut", "start": clip(string(content), maxResult)})
	}
	res = result{Name: c.Name, Status: "ok", Content: content, Cards: out.Cards, Facts: out.Facts, Proposal: out.Proposal, effect: c.tool.Effect}
	if out.Proposal != nil {
		res.Status = "proposed"
	}
	if out.Memory != nil {
		if res.Memory, err = json.Marshal(out.Memory); err != nil {
			return failed(c, fmt.Errorf("memory: %w", err), "failed")
		}
	}
	return res
}

// maxResult is how much of one tool result a model is shown, in characters.
const maxResult = 24_000

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
	return result{Name: c.Name, Status: status, Content: fault.ForModel(err), effect: c.tool.Effect}
}

// freeze makes a call wait for the customer's YES with exactly these arguments.
func (w *work) freeze(c call) result {
	summary := c.tool.Describe(w.tc, c.args)
	sum := sha256.Sum256(append([]byte(c.Name+"\x00"), c.args...))
	return result{
		Name: c.Name, Status: "proposed", effect: c.tool.Effect, Tool: c.Name, Args: c.args,
		Content: json.RawMessage(`{"status":"awaiting_confirmation","note":"the customer is being asked for YES or NO"}`),
		Proposal: &tool.Proposal{
			Kind: FrozenCall, Ref: c.key, Summary: summary, Hash: hex.EncodeToString(sum[:]),
			ExpiresAt: w.tc.Now.Add(time.Duration(w.market.Safety.HoldSeconds) * time.Second),
		},
	}
}

// take adds a result to the turn's outcome.
func (w *work) take(ctx context.Context, res result) error {
	m := &w.model
	m.shown = append(m.shown, thread.Call{Name: res.Name, Status: res.Status})
	m.facts = append(m.facts, res.Facts...)
	w.cards = append(w.cards, res.Cards...)
	if len(res.Memory) > 0 {
		m.memory += fmt.Sprintf("<data tool=%q>%s</data>\n", res.Name, res.Memory)
	}
	if res.Proposal != nil {
		return w.propose(ctx, res)
	}
	return nil
}

// propose makes the proposal the one pending action, and lets go of an earlier one.
func (w *work) propose(ctx context.Context, res result) error {
	p := &thread.Pending{
		ID: pendingID(w.thread.ID, res.Proposal.Kind, res.Proposal.Ref), Kind: res.Proposal.Kind, Ref: res.Proposal.Ref,
		Tool: res.Tool, Args: string(res.Args), Hash: res.Proposal.Hash, Summary: res.Proposal.Summary,
		Policy: w.market.Version, CreatedAt: w.tc.Now, ExpiresAt: res.Proposal.ExpiresAt,
	}
	if old := w.pending; old != nil && old.ID != p.ID {
		if _, err := w.releaseOf(ctx, *old); err != nil {
			return err
		}
		w.notes = append(w.notes, w.say(wording.Replaced, wording.Vars{"summary": old.Summary}))
	}
	w.pending = p
	return nil
}

func pendingID(thread, kind, ref string) string {
	sum := sha256.Sum256([]byte(thread + "\x00" + kind + "\x00" + ref))
	return "p_" + hex.EncodeToString(sum[:8])
}

// replayResults takes the results of a decision from the journal of a turn taken over.
func (w *work) replayResults(n int) ([]result, bool, error) {
	m := &w.model
	if len(m.replays) == 0 || m.replays[0].Kind != "results" {
		return nil, false, nil
	}
	e := m.replays[0]
	m.replays = m.replays[1:]
	m.steps = e.Step + 1
	rs, err := readResults(e, n)
	return rs, err == nil, err
}

func readResults(e thread.Entry, n int) ([]result, error) {
	var rs []result
	if err := json.Unmarshal([]byte(e.Data), &rs); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "journal step %d", e.Step)
	}
	if len(rs) != n {
		return nil, fault.New(fault.Internal, "journal step %d holds %d results of %d calls", e.Step, len(rs), n)
	}
	return rs, nil
}

// journalResults writes the audit record of a round and, unless all its calls only read
// (and can be read again), its results. The results that stand are returned.
func (w *work) journalResults(ctx context.Context, calls []call, results []result) ([]result, error) {
	audit := w.auditWrite(calls, results)
	if onlyReads(results) {
		if err := w.r.Records.DB().Commit(ctx, audit); err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
		return results, nil
	}
	data, err := json.Marshal(results)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	e := thread.Entry{Step: w.model.steps, Kind: "results", Data: string(data)}
	w.model.steps++
	stands, err := w.r.Threads.Record(ctx, w.thread.ID, w.thread.Number(), e, audit)
	if err != nil {
		return nil, err
	}
	return readResults(stands, len(results))
}

func onlyReads(results []result) bool {
	for _, r := range results {
		if r.effect != tool.Read && r.Status != "denied" || r.Proposal != nil {
			return false
		}
	}
	return true
}
