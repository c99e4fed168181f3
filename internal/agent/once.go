package agent

import (
	"context"
	"strings"

	"merve/internal/base/fault"
)

// Once asks a model for one answer in one round, without tools: a task with a schema, or for words, that nobody
// continues. Once sets the task's limits itself. The spending counts even if Once fails. An empty answer is
// [fault.Unavailable].
func Once(ctx context.Context, t Task) (text string, microUSD int64, err error) {
	t.Limits = Limits{Rounds: 1, Calls: 1, SameCall: 1, Tokens: 1, MicroUSD: 1} // looked at before the round
	out, err := Run(ctx, t)
	switch {
	case err != nil:
		return "", out.MicroUSD, err
	case out.End != Answered || strings.TrimSpace(out.Text) == "":
		return "", out.MicroUSD, fault.New(fault.Unavailable, "the model has no answer: %s %s", out.End, out.Why)
	}
	return out.Text, out.MicroUSD, nil
}
