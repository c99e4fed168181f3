package gate

import (
	"testing"
	"time"

	"merve/internal/spine/thread"
	"merve/internal/words/lang"
)

func TestField20_Differs(t *testing.T) {
	t.Parallel()
	monday := time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)
	table := thread.Pending{Summary: "Sakura · Table · Tue 24 Nov 2026, 19:00–20:30 · People: 2 · Price: 20.00 EUR"}
	stay := thread.Pending{Summary: "Pension · Room · 27–30 Nov 2026, 3 nights", Note: "until 18:00"}
	tests := []struct {
		offer thread.Pending
		text  string
		want  bool
	}{
		{table, "is there parking?", false},
		{table, "yes but at 8", true},
		{table, "yes but 8pm", true},
		{table, "yes but at eight", true},
		{table, "is 20:30 possible", true},
		{table, "evet ama sekizde", true},
		{table, "ja, aber um acht", true},
		{table, "да, но в восемь", true},
		{table, "نعم ولكن الساعة الثامنة", true},
		{table, "نعم ولكن الساعة ٨", true},
		{table, "כן אבל בשמונה", true},
		{table, "ναι αλλά στις οκτώ", true},
		{table, "sí, pero a las ocho", true},
		{table, "oui mais à huit heures", true},
		{table, "ndiyo lakini saa nane", true},
		{table, "yes but half past seven", true},
		{table, "for 3 please", true},
		{table, "is it by the sea at 7?", false},
		{table, "for two, right? at 19:00", false},
		{table, "does it cost 20?", true},
		{table, "and on Tuesday", false},
		{table, "tomorrow, right?", false},
		{table, "better on Friday", true},
		{table, "cuma daha iyi", true},
		{table, "rather today", true},
		{table, "my number is 5551234567890123456789", true},
		{stay, "from Friday, yes?", false},
		{stay, "until 6pm?", false},
		{stay, "two nights", true},
		{stay, "three nights?", false},
		{thread.Pending{Summary: "Delete my data"}, "tomorrow", true},
	}
	for _, tt := range tests {
		if got := Differs(tt.offer, []thread.Message{{Text: "hello"}, {Text: tt.text}}, monday); got != tt.want {
			t.Errorf("%q to %q: %v, want %v", tt.text, tt.offer.Question(), got, tt.want)
		}
	}
}

func TestFiguresFile(t *testing.T) {
	t.Parallel()
	for tag, text := range lang.Numbers().All() {
		if err := readFigures(tag, text, map[string][]string{}); err != nil {
			t.Error(err)
		}
	}
	for _, wrong := range []string{"8 eight", "someday: soon"} {
		if readFigures("en", wrong, map[string][]string{}) == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
