package turn

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"merve/internal/agent"
	"merve/internal/words/claim"
	"merve/internal/words/language"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// claims reports whether a model's text claims what neither this turn nor what stands bears out. Facts are of
// the tools that were called in this turn.
func (w *work) claims(ctx context.Context, text string, facts []string) bool {
	return w.r.Guard.Claims(ctx, agent.Said{
		Customer: strings.TrimSpace(w.customerText()), Text: text, Stands: dataOf(w.matters.snapshot.items), Facts: facts, More: w.matters.facts(),
		BorneOut: func(c claim.Claim) bool { return w.borneOut(c, facts) },
		Spent:    func(microUSD int64) { w.guarded.Add(microUSD) },
	})
}

// borneOut reports whether a fact of this turn bears a claim out, or something that stands of the conversation and
// that the numbers of the sentence fit. That somebody was told is borne out for who it was only.
func (w *work) borneOut(c claim.Claim, facts []string) bool {
	if c.Kind == claim.Sent {
		return slices.ContainsFunc(append(facts, w.matters.facts()...), func(fact string) bool {
			to, ok := strings.CutPrefix(fact, string(claim.Sent)+":")
			return ok && to != "" && strings.Contains(language.Fold(c.Sentence), language.Fold(to))
		})
	}
	if slices.Contains(facts, string(c.Kind)) {
		return true
	}
	return slices.ContainsFunc(w.matters.snapshot.items, func(i standing.Item) bool {
		return slices.Contains(i.Bears, string(c.Kind)) && numbersFit(c.Sentence, i)
	})
}

// numbersFit reports whether each number of a sentence is one of an item's; of an hour, its half of the day may be left out.
func numbersFit(sentence string, i standing.Item) bool {
	known := numbersIn(strings.ReplaceAll(i.Summary, i.Code, "") + " " + i.Figures) // digits of a code are no numbers
	return !slices.ContainsFunc(numbersIn(sentence), func(n int) bool {
		return !slices.Contains(known, n) && (n > 12 || !slices.Contains(known, n+12))
	})
}

func numbersIn(s string) []int {
	var all []int
	for _, digits := range strings.FieldsFunc(language.Fold(s), func(r rune) bool { return !unicode.IsDigit(r) }) {
		if n, err := strconv.Atoi(digits); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// replacement stands in the place of a text that was withheld: what stands is listed, and that nothing was done is
// said only where nothing was.
func (w *work) replacement() string {
	lines := w.matters.list()
	switch {
	case len(lines) > 0:
	case w.thread.Forgot(): // that nothing stands is not known
	case !w.settledLately():
		return w.say(wording.ClaimWithheld, nil)
	default:
		lines = []string{standing.Say(w.tc.Language, standing.Empty)}
	}
	return w.say(wording.ClaimReplaced, wording.Vars{"lines": strings.Join(lines, "\n")})
}
