package turn_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/claim"
	"merve/internal/words/language"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// heldOut are the sentences of testdata/heldout/<name>.txt, by language.
func heldOut(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/heldout/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	all, tag := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			tag = strings.Trim(line, "[]")
		default:
			all[tag] = append(all[tag], strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return all
}

// answered has a model say a text to somebody who asks in a language, and gives what came of it.
func (w *world) answered(who, text string) thread.Reply {
	w.t.Helper()
	said := 0
	w.model = modelFunc(func(context.Context, llm.Request) (llm.Response, error) {
		said++
		return llm.Response{Text: text, Finish: "stop"}, nil
	})
	a := w.say(w.from(who, channel.App, text, "And the table?"))
	if len(a.Turn.Out) != 1 {
		w.t.Fatalf("%q: %d replies", text, len(a.Turn.Out))
	}
	return a.Turn.Out[0]
}

// No false claim goes out unless the true line stands below it, in the language of the claim.
func TestHeldOut_FalseClaims(t *testing.T) {
	t.Parallel()
	all, withheld, contradicted, elsewhere := heldOut(t, "false"), 0, 0, 0
	if len(all) < 20 {
		t.Errorf("%d languages, want 20", len(all))
	}
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	for tag, texts := range all {
		for _, text := range texts {
			switch r := w.answered("someone "+tag, text); {
			case r.Text != text:
				withheld++
			case r.Standing == nil || r.Standing.Kind != standing.Nothing || r.Standing.Line() == "":
				t.Errorf("%s: %q goes out without the line: %+v", tag, text, r.Standing)
			case spoken(tag) || r.Standing.Text == "○ "+standing.Say(tag, standing.Empty):
				contradicted++
			default:
				elsewhere++
				t.Logf("%s: %q is contradicted by %q", tag, text, r.Standing.Text)
			}
		}
	}
	t.Logf("%d false claims in %d languages: %d withheld, %d under the true line in their language, %d under it in the customer's",
		withheld+contradicted+elsewhere, len(all), withheld, contradicted, elsewhere)
}

// spoken reports whether the product speaks a language: the line is in the customer's.
func spoken(tag string) bool {
	_, ok := language.Normalize(tag)
	return ok
}

// What is no claim is said as it is.
func TestHeldOut_HonestSentences(t *testing.T) {
	t.Parallel()
	texts, replaced := 0, 0
	for tag, all := range heldOut(t, "honest") {
		for _, text := range all {
			texts++
			if found := claim.Unsupported(text, nil); len(found) > 0 {
				replaced++
				t.Logf("%s: %q is taken for %v", tag, text, found)
			}
		}
	}
	t.Logf("%d honest sentences, %d replaced", texts, replaced)
	if replaced*100 > texts*3 {
		t.Errorf("%d of %d honest sentences are replaced, want at most 3 %%", replaced, texts)
	}
}

// What is true of a booking that stands is never denied: it is said, or what stands is said in its place.
func TestHeldOut_TrueSentences(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	w.say(w.from("ann", channel.App, "1", "book"))
	w.say(w.from("ann", channel.App, "2", "yes"))
	said, listed := 0, 0
	for tag, all := range heldOut(t, "true") {
		for _, text := range all {
			r := w.answered("ann", text)
			denied := false
			for _, lang := range language.Supported() {
				denied = denied || strings.Contains(r.Text, wording.Say(lang, wording.ClaimWithheld, nil)) || strings.Contains(r.Text, standing.Say(lang, standing.Empty))
			}
			switch {
			case denied || r.Standing == nil || r.Standing.Kind != standing.Done:
				t.Errorf("%s: %q is denied: %q, %+v", tag, text, r.Text, r.Standing)
			case r.Text == text:
				said++
			default:
				listed++
			}
		}
	}
	t.Logf("%d true sentences: %d said, %d answered with what stands", said+listed, said, listed)
}
