package language_test

import (
	"math"
	"slices"
	"testing"

	"merve/internal/words/language"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		"": nil, "none": nil, "at 19:30 for 4": {19, 30, 4}, "1.250,00": {1, 250, 0}, "٣ أشخاص الساعة ١٩": {3, 19}, "४ लोग": {4}, "007": {7},
		"99999999999999999999": {math.MaxInt}, "²": {2}, "MRV7": {7},
	} {
		if got := language.Numbers(text); !slices.Equal(got, want) {
			t.Errorf("%q has %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"": false, "12": true, "١٢": true, "1.": false, "12a": false} {
		if language.IsNumber(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
