package worker_test

import (
	"context"
	"encoding/json"
	"testing"

	"merve/internal/agent/tool"
	"merve/internal/model/llm"
	"merve/internal/plan/product"
	"merve/internal/plan/worker"
	"merve/internal/tenant/market"
)

// shelf finds nothing, at a million tokens a question.
type shelf struct{ model string }

func (s shelf) Space() llm.Space { return llm.Space{Model: s.model, Dimensions: 3} }

func (shelf) Find(context.Context, string) ([]product.Hit, llm.Usage, error) {
	return nil, llm.Usage{Input: 1_000_000}, nil
}

// What the embedding of a question costs is paid by the market that asks, at the price of the model that made it.
func TestEmbeddingsArePriced(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int64{"text-embedding-3-small": 20_000, "text-embedding-3-large": 130_000} {
		var spent int64
		payer := ""
		tools := &worker.Tools{
			Products: func(context.Context) (worker.Products, error) { return shelf{model}, nil },
			Spent:    func(_ context.Context, m *market.Market, microUSD int64) { spent, payer = spent+microUSD, m.ID },
		}
		for _, one := range tools.All() {
			if one.Name != "rag" {
				continue
			}
			if _, err := one.Run(t.Context(), tool.Context{Market: market.Default("island")}, json.RawMessage(`{"input":"a laptop","earlier":[]}`)); err != nil {
				t.Fatal(err)
			}
		}
		if spent != want || payer != "island" {
			t.Errorf("%s: %d of %q, want %d", model, spent, payer, want)
		}
	}
}
