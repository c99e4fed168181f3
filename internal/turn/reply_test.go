package turn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/tool"
)

// What can be chosen by a number is a card each. A list that is shown anew takes the place of the one before.
func TestShown(t *testing.T) {
	t.Parallel()
	time := func(option int, title string) tool.Card {
		return tool.Card{"type": "time", "option": option, "title": title}
	}
	listing := tool.Card{"type": "listing", "id": "l1"}
	got := shown([]tool.Card{time(1, "Mon"), time(2, "Tue"), listing, time(1, "Wed"), time(2, "Thu"), listing})
	want := []map[string]any{time(1, "Wed"), time(2, "Thu"), listing}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}
