package agent

import (
	"context"
	"encoding/json"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/telemetry"
	"merve/internal/model/llm"
	"merve/internal/words/language"
)

const (
	maxAnswerTokens = 1200
	maxAnswer       = 16_000 // characters, of a model that does not keep to its tokens
	maxCallsARound  = 8
	maxName         = 64 // characters of a tool's name, which a model may make up
)

// decision is what the model decided in one round, as it is kept.
type decision struct {
	Text     string     `json:"text,omitempty"`
	Calls    []llm.Call `json:"calls"`
	Language string     `json:"language"` // that the calls are made in
	Usage    llm.Usage  `json:"usage"`    // what it took, so that limits hold across a crash
	MicroUSD int64      `json:"microUsd,omitempty"`
}

// reached names the limit that the task has reached, or "".
func (r *run) reached() string {
	l := r.Limits
	switch {
	case r.Rounds >= l.Rounds:
		return "rounds"
	case len(r.Audit) >= l.Calls:
		return "calls"
	case r.Usage.Input+r.Usage.Output >= l.Tokens:
		return "tokens"
	case r.MicroUSD >= l.MicroUSD:
		return "money"
	case !l.Until.IsZero() && !r.Now().Before(l.Until):
		return "time"
	}
	for _, n := range r.same {
		if n > l.SameCall {
			return "the same call again and again"
		}
	}
	return ""
}

// ask gets the model's next decision.
func (r *run) ask(ctx context.Context) (decision, error) {
	start, specs := time.Now(), r.specs()
	resp, err := r.complete(ctx, llm.Request{
		Model: r.Name, Messages: r.history, Tools: specs, ToolChoice: r.choice(specs), ParallelCalls: true, Schema: r.Schema, MaxTokens: maxAnswerTokens, Seed: r.Seed,
	})
	telemetry.CountTime(ctx, "model", time.Since(start))
	d := decision{
		Text: language.Brief(resp.Text, maxAnswer), Calls: bounded(resp.Calls, r.Limits.Calls-len(r.Audit)), Language: r.Context.Language,
		Usage: resp.Usage, MicroUSD: llm.Cost(resp.Model, resp.Usage),
	}
	r.count(d)
	return d, err
}

// choice is whether the model has to call one of the tools that it is shown.
func (r *run) choice(specs []llm.Spec) llm.ToolChoice {
	if r.Choice == nil || len(specs) == 0 {
		return llm.ToolAuto
	}
	return r.Choice()
}

// count adds a round and what it has cost.
func (r *run) count(d decision) {
	r.Rounds++
	r.Usage = r.Usage.Add(d.Usage)
	r.MicroUSD += d.MicroUSD
}

// bounded makes what a model asks for safe to keep: at most left calls, each of a name that a tool may
// have, with arguments that are JSON. What is not JSON becomes a JSON string, which no schema accepts.
func bounded(calls []llm.Call, left int) []llm.Call {
	calls = calls[:min(len(calls), left, maxCallsARound)]
	for i, c := range calls {
		calls[i].Name = language.Brief(c.Name, maxName)
		if len(c.Args) > tool.MaxArgs {
			calls[i].Args = json.RawMessage(`"too long"`)
		} else if !json.Valid(c.Args) {
			text, _ := json.Marshal(string(c.Args)) // a string always marshals
			calls[i].Args = text
		}
	}
	return calls
}

// specs are the tools that the model is shown now.
func (r *run) specs() []llm.Spec {
	var specs []llm.Spec
	for _, name := range r.Offer {
		t, ok := r.tool(name)
		if !ok {
			continue
		}
		if verdict, _ := r.may(t); verdict != tool.Deny {
			specs = append(specs, t.Spec())
		}
	}
	return specs
}

func (r *run) tool(name string) (tool.Tool, bool) {
	if r.Tools == nil {
		return tool.Tool{}, false
	}
	return r.Tools.Get(name)
}

// may is the caller's policy, but that nothing waits for a confirmation where nobody can be asked.
func (r *run) may(t tool.Tool) (verdict tool.Verdict, reason string) {
	verdict, reason = r.May(t)
	if r.Took == nil && (verdict == tool.Confirm || t.Effect != tool.Read) {
		return tool.Deny, "nobody can be asked to confirm it"
	}
	return verdict, reason
}
