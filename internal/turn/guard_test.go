package turn_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"merve/internal/channel"
	"merve/internal/llm"
	"merve/internal/turn"
	"merve/internal/wording"
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
			w.runner.Guard = &turn.Guard{Log: w.runner.Log, Name: "guard", Model: modelFunc(func(ctx context.Context, req llm.Request) (llm.Response, error) {
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
