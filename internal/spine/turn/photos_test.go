package turn_test

import (
	"context"
	"strings"
	"testing"

	"merve/internal/base/telemetry"
	"merve/internal/model/llm"
	"merve/internal/spine/assistant"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/media"
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

// A photo of 5 MB costs the thread what a small one does: it is in the bucket, and the thread has its
// name.
func TestField33_ALargePhoto(t *testing.T) {
	t.Parallel()
	w := newSara(t, nil)
	var told string
	w.model = modelFunc(func(_ context.Context, req llm.Request) (llm.Response, error) {
		told = req.Messages[len(req.Messages)-1].Text
		return llm.Response{Text: "I see.", Finish: "stop"}, nil
	})
	var want telemetry.Cost
	for _, name := range []string{"first.jpg", "small.jpg", "large.jpg"} { // the first reads the market, too
		in := w.from(name, channel.Messenger, "1", "look")
		in.Media = []channel.Media{w.sara.photo(channel.Messenger, name)}
		cost := w.cost(in)
		if name != "large.jpg" {
			want = cost
		}
		if cost.Requests != want.Requests || cost.WriteUnits != want.WriteUnits || cost.ReadUnits != want.ReadUnits || !strings.Contains(told, "photo:") {
			t.Errorf("%s costs %+v, a small one %+v; the model was told %q", name, cost, want, told)
		}
	}
}
