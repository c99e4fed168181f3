package turn_test

import (
	"context"
	"strings"
	"testing"

	"merve/internal/assistant"
	"merve/internal/channel"
	"merve/internal/llm"
	"merve/internal/media"
)

// unasked are photos that nobody should keep.
type unasked struct{ t *testing.T }

func (u unasked) Keep(_ context.Context, _ string, m channel.Media) (media.Kept, error) {
	u.t.Errorf("kept %s", m.URL)
	return media.Kept{Ref: "photo:1"}, nil
}

func (u unasked) Image(context.Context, string) (string, error) { return "", nil }

// An assistant that has no use for photos is told that something was attached, and nothing of it
// is fetched or kept.
func TestPhotosNobodyAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	blind := assistant.Merve()
	blind.Photos = false
	all, err := assistant.NewSet(blind)
	if err != nil {
		t.Fatal(err)
	}
	w.runner.Assistants, w.runner.Photos = all, unasked{t}
	var told string
	w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		told = req.Messages[len(req.Messages)-1].Text
		return llm.Response{Text: "I see.", Finish: "stop"}, nil
	})
	in := w.from("ann", channel.App, "1", "look")
	in.Media = []channel.Media{{URL: "https://media.example/1", Type: "image/jpeg"}}
	w.say(in)
	if !strings.Contains(told, "look") || !strings.Contains(told, "[attachment: image/jpeg]") || strings.Contains(told, "photo:") {
		t.Errorf("told %q", told)
	}
}
