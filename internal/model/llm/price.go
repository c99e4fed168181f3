package llm

import "strings"

// Where and when the prices below were published: US dollars per million tokens, standard
// tier, prompts up to 272,000 tokens. Promotions are left out, so that a budget errs on
// the safe side when one ends.
const (
	pricesSource = "https://developers.openai.com/api/docs/pricing"
	PricesAsOf   = "2026-11-05"
)

// price is what a token costs in billionths of a US dollar: 1,000 is one dollar a million.
type price struct{ input, cached, output int64 }

// unknown is charged for a model that the table does not have: the dearest model of
// general use, so that a budget is never overrun unseen.
var unknown = price{10_000, 10_000, 50_000}

// prices by model name without its date.
var prices = map[string]price{
	"gpt-6.1-sol":   {2_000, 100, 10_000},
	"gpt-6.1-terra": {1_000, 50, 5_000},
	"gpt-6-astra":   {10_000, 1_000, 50_000},
	"gpt-6-sol":     {2_000, 200, 10_000},
	"gpt-6-luna":    {100, 10, 500},
	"gpt-5.6":       {5_000, 500, 30_000},
	"gpt-5.6-sol":   {5_000, 500, 30_000},
	"gpt-5.6-terra": {2_000, 200, 12_000},
	"gpt-5.6-luna":  {200, 20, 1_200},
	"gpt-5.5":       {5_000, 500, 30_000},
	"gpt-5.5-pro":   {30_000, 30_000, 180_000},
	"gpt-5.4":       {2_500, 250, 15_000},
	"gpt-5.4-mini":  {750, 75, 4_500},
	"gpt-5.4-nano":  {200, 20, 1_250},
	"gpt-5.4-pro":   {30_000, 30_000, 180_000},
	"gpt-5.2":       {1_750, 175, 14_000},
	"gpt-5.1":       {1_250, 125, 10_000},
	"gpt-5":         {1_250, 125, 10_000},
	"gpt-5-mini":    {250, 25, 2_000},
	"gpt-5-nano":    {50, 5, 400},
	"gpt-4.1":       {2_000, 500, 8_000},
	"gpt-4.1-mini":  {400, 100, 1_600},
	"gpt-4.1-nano":  {100, 25, 400},
	"gpt-4o":        {2_500, 1_250, 10_000},
	"gpt-4o-mini":   {150, 75, 600},
	"o3":            {2_000, 500, 8_000},
	"o4-mini":       {1_100, 275, 4_400},
	RuleModel:       {},

	"text-embedding-3-small": {20, 20, 0},
	"text-embedding-3-large": {130, 130, 0},
	"text-embedding-ada-002": {100, 100, 0},
}

// RuleModel is the name of the rule-based model that runs on this machine and costs nothing.
const RuleModel = "merve-rules"

// Sees reports whether a model is known to take images: all in the table do that write
// for money.
func Sees(model string) bool { return prices[baseName(model)].output > 0 }

// keepsThoughtsApart reports whether a model is known never to put its thoughts into its
// text: what is in the table is, as its provider promises.
func keepsThoughtsApart(model string) bool {
	_, known := prices[baseName(model)]
	return known
}

// Cost returns what u costs on model, in millionths of a US dollar, rounded up.
// A model that is not in the table is charged at a high price, never at none.
func Cost(model string, u Usage) (microUSD int64) {
	p, ok := prices[baseName(model)]
	if !ok {
		p = unknown
	}
	input, cached, output := int64(max(u.Input, 0)), int64(max(u.Cached, 0)), int64(max(u.Output, 0))
	cached = min(cached, input)
	nano := (input-cached)*p.input + cached*p.cached + output*p.output
	return (nano + 999) / 1000
}

// baseName takes a provider's prefix and a snapshot's date off a model name:
// "openai/gpt-4o-mini-2024-07-18" is "gpt-4o-mini".
func baseName(model string) string {
	model = model[strings.LastIndexByte(model, '/')+1:]
	if cut := len(model) - len("-2006-01-02"); cut > 0 && isDate(model[cut:]) {
		return model[:cut]
	}
	return model
}

func isDate(s string) bool {
	for i, c := range []byte(s) {
		if dash := i == 0 || i == 5 || i == 8; dash != (c == '-') || !dash && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
