package rank_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"merve/internal/words/rank"
)

func TestWords(t *testing.T) {
	t.Parallel()
	if got := rank.Words("Fresh FISH,", "fish & çay 24/7"); !slices.Equal(got, []string{"24", "7", "cay", "fish", "fresh"}) {
		t.Errorf("%q", got)
	}
	if got := rank.Words(" ", "—"); len(got) != 0 {
		t.Errorf("%q", got)
	}
	var long strings.Builder
	for i := range 3 * rank.MaxWords {
		fmt.Fprintf(&long, "w%d ", i)
	}
	if n := len(rank.Asked(long.String())); n != rank.MaxWords {
		t.Errorf("%d words count", n)
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	fields := []rank.Field{{Weight: 5, Words: rank.Words("Harbour Grill")}, {Weight: 1, Words: rank.Words("fish by the harbour")}}
	same := func(a, b string) float64 {
		if a == b {
			return 1
		}
		return 0
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 } // NaN is near nothing
	for asked, want := range map[string][2]float64{
		"":                  {1, 1},
		"harbour":           {5, 1}, // where it counts most, once
		"harbour fish":      {6, 1},
		"harbour pizza":     {2.5, 0.5}, // half of it counts half
		"pizza":             {0, 0},
		"grill harbour sea": {10 * 2.0 / 3, 2.0 / 3},
	} {
		score, share := rank.Score(fields, rank.Asked(asked), same)
		if !near(score, want[0]) || !near(share, want[1]) {
			t.Errorf("%q: %v, %v; want %v", asked, score, share, want)
		}
	}
}
