package assistant_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/spine/assistant"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

func both(t *testing.T) *assistant.Set {
	t.Helper()
	s, err := assistant.NewSet(assistant.Merve(), assistant.Sara())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Who answers is named, or is the thread type's own.
func TestFor(t *testing.T) {
	t.Parallel()
	s := both(t)
	for _, tt := range []struct {
		typ        channel.ThreadType
		name, want string
		kind       fault.Kind
	}{
		{channel.General, "", "merve", ""},
		{channel.General, "merve", "merve", ""},
		{channel.General, "sara", "sara", ""},
		{channel.General, "Sara", "", fault.Invalid},
		{channel.Ops, "sara", "", fault.Invalid},
		{channel.Ops, "", "", fault.NotFound},
	} {
		got, err := s.For(tt.typ, tt.name)
		switch {
		case tt.kind != "" && !fault.Is(err, tt.kind):
			t.Errorf("%s %q: %v", tt.typ, tt.name, err)
		case tt.kind == "" && (err != nil || got.Name != tt.want):
			t.Errorf("%s %q: %+v, %v", tt.typ, tt.name, got, err)
		}
	}
	if _, err := assistant.NewSet(assistant.Assistant{Name: "nobody"}); err == nil {
		t.Error("an assistant without a prompt")
	}
}

// No assistant has another's tools, but for the way to a person and those of requests, and each prompt speaks only of
// tools that it has.
func TestToolsAreOnesOwn(t *testing.T) {
	t.Parallel()
	all := []assistant.Assistant{assistant.Merve(), assistant.Moltbot(), assistant.Sara(), assistant.PestCall(), assistant.Ops()}
	owner := map[string]string{}
	for _, a := range all {
		for _, name := range a.Tools {
			if other := owner[wireName(name)]; other != "" && name != "askForPerson" && !strings.HasPrefix(name, "marketplace.") {
				t.Errorf("%s and %s have %s", other, a.Name, name)
			}
			owner[wireName(name)] = a.Name
		}
	}
	set, err := assistant.NewSet(all...)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		s, err := set.For(a.Types[0], a.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.FieldsFunc(s.Prompt(setting()), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) {
			named := owner[word] != "" || strings.Contains(word, "_") && word != "order_food"
			own := slices.ContainsFunc(a.Tools, func(name string) bool { return wireName(name) == word })
			if named && !own {
				t.Errorf("the prompt of %s speaks of %s", a.Name, word)
			}
		}
	}
}

// wireName is what models call a tool.
func wireName(name string) string { return tool.Tool{Name: name}.WireName() }

func setting() assistant.Setting {
	m := market.Default("demo")
	m.Name = "Test Island"
	return assistant.Setting{
		Market: m, Language: "tr", Zone: time.FixedZone("UTC+2", 7200), Now: time.Date(2026, 11, 23, 23, 0, 0, 0, time.UTC), Channel: channel.Messenger,
	}
}

// The facts at the end of a prompt, one each line; what there is nothing to say of has none.
func TestPrompt(t *testing.T) {
	t.Parallel()
	a, err := both(t).For(channel.General, "sara")
	if err != nil {
		t.Fatal(err)
	}
	s := setting()
	plain := a.Prompt(s)
	if !strings.HasPrefix(plain, "You are Sara. You help people in Test Island") || strings.Contains(plain, "{market}") {
		t.Errorf("begins with %q", plain[:60])
	}
	_, facts, _ := strings.Cut(plain, "\n\nnow: ")
	want := "2026-11-24T01:00:00+02:00 (Tuesday)\ntime zone: UTC+2\nlanguage: tr\nlanguage name: Turkish\ncurrency: " + s.Market.Currency + "\nchannel: messenger\n"
	if diff := cmp.Diff(want, facts); diff != "" {
		t.Error(diff)
	}
	s.Location, s.Pending = &geo.Location{Lat: 35.1, Lng: 33.2}, "Delete it"
	if got := strings.TrimPrefix(a.Prompt(s), plain); got != "customer's location: 35.10000, 33.20000\nwaiting for the customer's YES or NO: Delete it\n" {
		t.Errorf("more facts: %q", got)
	}
}

func TestAToolThatDoesNotExist(t *testing.T) {
	t.Parallel()
	merve := assistant.Merve()
	merve.Tools = []string{"book_listing", "read_minds"}
	s, err := assistant.NewSet(merve)
	if err != nil {
		t.Fatal(err)
	}
	type none struct{}
	book := tool.New("book_listing", "Book.", tool.Read, func(context.Context, tool.Context, none) (tool.Result, error) { return tool.Result{}, nil })
	r, err := tool.NewRegistry(book)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckTools(r); err == nil || !strings.Contains(err.Error(), `no tool is called "read_minds"`) {
		t.Errorf("got error %v", err)
	}
}
