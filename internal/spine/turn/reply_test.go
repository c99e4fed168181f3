package turn

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// What is shown anew takes the place of the card that it had before.
func TestShown(t *testing.T) {
	t.Parallel()
	booking := func(id, status string) tool.Card {
		return tool.Card{"type": "booking", "transactionId": id, "status": status}
	}
	listing := tool.Card{"type": "listing", "id": "l1"}
	got := latestCards([]tool.Card{booking("1", "hold"), booking("2", "hold"), listing, booking("1", "confirmed"), listing})
	want := []map[string]any{booking("2", "hold"), booking("1", "confirmed"), listing}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// Choices stand below the model's words, each once and whole, and none of them could be read as the answer to what waits.
func TestOffered(t *testing.T) {
	t.Parallel()
	labels := func(texts ...string) (all []channel.Choice) {
		for _, text := range texts {
			all = append(all, channel.Choice{Label: text})
		}
		return all
	}
	many := strings.Split(strings.Repeat("x", 20), "")
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	list := labels("Mild", "Hot", "Mild", "No", "Yes, hot", " ", strings.Repeat("é", maxLabel+1), strings.Repeat("é", maxLabel))
	waiting, long := &thread.Pending{ID: "p1"}, strings.Repeat("é", maxLabel)
	for name, tt := range map[string]struct {
		channel channel.Channel
		words   bool
		made    bool
		pending *thread.Pending
		choices []channel.Choice
		said    string
		want    []channel.Choice
	}{
		"nothing waits":             {channel.App, true, false, nil, list, "hot?", labels("Mild", "Hot", "No", "Yes, hot", long)},
		"something waits":           {channel.App, true, false, waiting, list, "hot?", labels("Mild", "Hot", long)},
		"something is asked":        {channel.App, true, true, waiting, list, "hot?", nil},
		"the backend's own words":   {channel.App, false, false, nil, list, "hot?", nil},
		"a channel without buttons": {channel.WhatsApp, true, false, nil, list, "hot?", nil},
		"one of it was just chosen": {channel.App, true, false, nil, list, " Hot\n", nil},
		"many":                      {channel.Live, true, false, nil, labels(many...), "hot?", labels(many[:maxChoices]...)},
	} {
		c := &composer{scene: &scene{thread: &thread.Thread{Head: thread.Head{Channel: tt.channel}}, in: []thread.Message{{Text: tt.said}}}}
		d := decision{progress{pending: tt.pending, made: tt.made, choices: tt.choices}, reply{words: tt.words}}
		if diff := cmp.Diff(tt.want, c.choices(d)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
