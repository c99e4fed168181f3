package turn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"merve/internal/agent"
	"merve/internal/base/telemetry"
	"merve/internal/model/llm"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// A second model withholds what the patterns let pass. One that is slow, fails or gives no verdict is as none, and is
// not asked about small talk.
func TestGuard(t *testing.T) {
	t.Parallel()
	const claim = "Uw tafel is gereserveerd."
	for name, tt := range map[string]struct {
		says     string
		answer   func(ctx context.Context, req llm.Request) (llm.Response, error)
		withheld bool
		asked    int
	}{
		"a false claim": {claim, verdict(`{"false_claim":true}`), true, 2},
		"none":          {claim, verdict(`{"false_claim":false}`), false, 1},
		"no verdict":    {claim, verdict(`{}`), false, 1},
		"no JSON":       {claim, verdict(`true`), false, 1},
		"fails": {claim, func(context.Context, llm.Request) (llm.Response, error) {
			return llm.Response{}, llm.Fail(llm.Unavailable, "away")
		}, false, 1},
		"slow": {claim, func(ctx context.Context, _ llm.Request) (llm.Response, error) {
			<-ctx.Done()
			return llm.Response{}, ctx.Err()
		}, false, 1},
		"small talk": {"Hello! How can I help you?", verdict(`{"false_claim":true}`), false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.model = says(tt.says)
			asked := 0
			w.runner.Guard = &agent.Guard{Log: w.runner.Log, Name: "guard", Model: modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
				asked++
				var told struct{ Customer, Text string }
				if err := json.Unmarshal([]byte(req.Messages[1].Text), &told); err != nil || told.Text != tt.says || told.Customer != "Is er een tafel?" || req.Schema == nil || req.Model != "guard" {
					t.Errorf("%+v: %+v, %v", req, told, err)
				}
				return tt.answer(ctx, req)
			})}
			start := time.Now()
			in := w.from("ann", channel.App, "1", "Is er een tafel?")
			a, err := w.runner.Converse(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			said := textOf(a.Turn)
			if withheld := said == wording.Say("en", wording.ClaimWithheld, nil); withheld != tt.withheld || !withheld && said != tt.says || asked != tt.asked {
				t.Errorf("said %q, asked %d times", said, asked)
			}
			if took := time.Since(start); name == "slow" && took < 2*time.Second {
				t.Errorf("waited %v", took)
			}
			if spend := w.head(threadOf(in)).Spend.MicroUSD; tt.withheld && spend == 0 {
				t.Error("what the guard costs is not counted")
			}
		})
	}
}

func verdict(text string) func(context.Context, llm.Request) (llm.Response, error) {
	return func(context.Context, llm.Request) (llm.Response, error) {
		return llm.Response{Text: text, Finish: "stop", Model: "gpt-4o", Usage: llm.Usage{Input: 100, Output: 10}}, nil
	}
}

// A turn to which nobody could answer is a number of its own, by why; one that was held to a bound of the customer's is not.
func TestUnansweredTurnsAreCounted(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change  func(m *market.Market)
		fails   llm.Meaning
		reason  string
		counted bool
	}{
		"the model is away":  {fails: llm.Unavailable, reason: "model unavailable", counted: true},
		"its key is refused": {fails: llm.Refused, reason: "model refused", counted: true},
		"the market's day is used up": {
			change: func(m *market.Market) { m.Safety.MarketDayMicroUSD = 1000 }, reason: "market budget", counted: true,
		},
		"the thread's is": {change: func(m *market.Market) { m.Safety.ThreadDayMicroUSD = 1000 }, reason: "thread budget"},
		"none":            {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.change)
			w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
				if tt.fails != "" {
					return llm.Response{}, llm.Fail(tt.fails, "as told")
				}
				return llm.Response{Text: "There is one.", Finish: "stop", Model: "gpt-4o", Usage: llm.Usage{Input: 10_000, Output: 10}}, nil // more than a day's
			})
			var out bytes.Buffer
			w.runner.Log = telemetry.NewLogger(&out, 0)
			for _, id := range []string{"1", "2"} {
				w.say(w.from("ann", channel.App, id, "Is there a table?"))
			}
			if got := strings.Contains(out.String(), `"TurnsUnanswered":1`); got != tt.counted {
				t.Errorf("counted as unanswered: %v", got)
			}
			if got := strings.Contains(out.String(), `"TurnsStopped":1`) && strings.Contains(out.String(), `"reason":"`+tt.reason+`"`); got != (tt.reason != "") {
				t.Errorf("counted as stopped by %q: %v", tt.reason, got)
			}
		})
	}
}
