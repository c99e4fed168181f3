package turn

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"merve/internal/base/telemetry"
	"merve/internal/spine/thread"
)

// logTurn writes the one log line of a turn, and its metrics.
func (r *Runner) logTurn(ctx context.Context, t *thread.Thread, w *work, d decision, c telemetry.Cost, took time.Duration, err error) {
	if w == nil {
		w = &work{scene: &scene{}, voice: &voice{}, dialogue: &dialogue{}}
	}
	outcome := "replied"
	switch {
	case err != nil:
		outcome = "failed"
	case d.silent:
		outcome = "silent"
	case d.stopped != "":
		outcome = "stopped"
	case d.settled != "":
		outcome = "settled"
	}
	m := w.dialogue.outcome
	attrs := []any{
		"thread", t.ID, "turn", t.Number(), "market", t.Market, "channel", t.Channel, "messages", len(w.in), "outcome", outcome,
		"stopped", d.stopped, "rounds", m.Rounds, "calls", len(m.Audit),
		"tokensIn", m.Usage.Input, "tokensOut", m.Usage.Output, "microUsd", m.MicroUSD,
		"dynamoRequests", c.Requests, "writeUnits", c.WriteUnits, "readUnits", c.ReadUnits,
		"ms", took.Milliseconds(), "modelMs", c.Time["model"].Milliseconds(),
		"toolsMs", c.Time["tools"].Milliseconds(), "dynamoMs", c.Time["dynamo"].Milliseconds(),
	}
	if first, status := w.voice.stream.Times(); w.voice.stream != nil {
		attrs = append(attrs, "toolCallCount", len(m.Audit), "first_token_ms", first, "time_to_status_ms", status)
	}
	if err != nil {
		r.Log.ErrorContext(ctx, "turn", append(attrs, "error", err.Error())...)
	} else {
		r.Log.InfoContext(ctx, "turn", attrs...)
	}
	if d.stopped != "" {
		telemetry.Emit(ctx, r.Log, slog.LevelInfo, r.Now(), map[string]string{"reason": d.stopped},
			telemetry.Metric{Name: "TurnsStopped", Unit: "Count", Value: 1})
	}
	if unanswered(d.stopped) {
		telemetry.Emit(ctx, r.Log, slog.LevelError, r.Now(), nil, telemetry.Metric{Name: "TurnsUnanswered", Unit: "Count", Value: 1})
	}
	telemetry.Emit(ctx, r.Log, slog.LevelInfo, r.Now(), map[string]string{"market": t.Market, "outcome": outcome},
		telemetry.Metric{Name: "Turns", Unit: "Count", Value: 1},
		telemetry.Metric{Name: "TurnTime", Unit: "Milliseconds", Value: float64(took.Milliseconds())},
		telemetry.Metric{Name: "ModelCost", Unit: "None", Value: float64(m.MicroUSD) / 1e6},
		telemetry.Metric{Name: "DynamoRequests", Unit: "Count", Value: float64(c.Requests)})
}

// unanswered reports whether a turn was stopped by something that we have to mend: a model that gives no answer, or a budget
// that is used up. An address that asks too much does not count.
func unanswered(stopped string) bool {
	return strings.HasPrefix(stopped, "model ") || stopped == "market budget" || stopped == "budget of sessions"
}
