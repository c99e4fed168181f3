package plan

import (
	"context"
	"errors"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
)

// answerPatience is how long an assistant's turn waits for a plan: less than a call of a tool may take.
const answerPatience = 15 * time.Second

// handedOver is what an assistant hands to the engine.
type handedOver struct {
	Question string `json:"question" jsonschema:"the customer's whole question with all its parts, in their words and language"`
}

// Planner is the tool that hands the engine a question in several parts from an assistant. Repeats of the same call
// of the same turn are one plan, because its conversation is named after the call's key. The conversation belongs to
// the customer, and is exported and erased with their other data.
func (e *Engine) Planner() tool.Tool {
	return tool.New("answerQuestion", "Answers a question in several parts that no other tool answers: sums, the weather, products of the electronics shop, explanations. "+
		"Hand over the whole question once. It only looks things up: it cannot book, order, send or change anything.", tool.Read, e.answerHandedOver)
}

func (e *Engine) answerHandedOver(ctx context.Context, tc tool.Context, in handedOver) (tool.Result, error) {
	if isStep(ctx) {
		return tool.Result{}, fault.New(fault.Forbidden, "a plan cannot begin another")
	}
	ctx, cancel := context.WithTimeout(ctx, answerPatience)
	defer cancel()
	a, err := e.ask(ctx, question{
		owner: tc.Actor.Key(), market: tc.Market.ID, conversation: ident.New("answer_", "plan", tc.Thread, tc.Key), prompt: in.Question, only: true,
	})
	switch {
	case errors.Is(err, ErrLater):
		return tool.Result{Data: map[string]any{
			"status": "not_ready", "note": "the answer takes too long: say that you could not find it out now, and make nothing up",
		}}, nil
	case err != nil:
		return tool.Result{}, err
	}
	return tool.Result{Data: map[string]any{"status": "answered", "answer": a.Text}}, nil
}

// ofStep marks the contexts in which steps of plans run.
type ofStep struct{}

func asStep(ctx context.Context) context.Context { return context.WithValue(ctx, ofStep{}, true) }

func isStep(ctx context.Context) bool { return ctx.Value(ofStep{}) != nil }
