package app_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/app"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// TestPromise2_EveryQuestionSaysWhatItsYesDoes puts every kind of question in every language: one sentence names the YES
// and the NO with what each does, no two kinds that do something else share it, and whoever is asked again reads it again.
func TestPromise2_EveryQuestionSaysWhatItsYesDoes(t *testing.T) {
	t.Parallel()
	noon := time.Date(2031, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, lang := range language.Supported() {
		yes, no := wording.Say(lang, wording.YesWord, nil), wording.Say(lang, wording.NoWord, nil)
		does := map[string]gate.Deed{}
		for kind, c := range app.Commitments(app.NewBase(app.Process{})) {
			question := c.Describe(
				tool.Context{Language: lang, TimeZone: time.UTC, Now: noon},
				thread.Pending{Kind: kind, Summary: "Rotana", ExpiresAt: noon.Add(10 * time.Minute)},
			)
			answers := slices.DeleteFunc(language.Sentences(question), func(s string) bool {
				return !strings.Contains(s, yes) || !strings.Contains(s, no)
			})
			if len(answers) != 1 {
				t.Errorf("%s: %s names %s and %s in %d sentences, want one: %s", lang, kind, yes, no, len(answers), question)
				continue
			}
			answer, deed := strings.TrimSpace(answers[0]), c.Does()
			if deed == gate.HandsOver { // asked for as any other thing that is to be done
				deed = gate.Other
			}
			if other, asked := does[answer]; asked && other != deed {
				t.Errorf("%s: %q is asked for YES to %v and to %v", lang, answer, other, deed)
			}
			does[answer] = deed
			for _, key := range []wording.Key{wording.StillWaiting, wording.WhichOffer} {
				if again := wording.Say(lang, key, wording.Vars{"details": question}); !strings.Contains(again, answer) {
					t.Errorf("%s: %s leaves out of %s what its YES does: %s", lang, key, kind, again)
				}
			}
		}
	}
}
