package rulemodel

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A sentence that one language of a section has, each has, with the same things put in.
func TestVoices(t *testing.T) {
	t.Parallel()
	verbs := regexp.MustCompile(`%(?:\[\d\])?[sd]`)
	for section, all := range lexica().said {
		for tag, v := range all {
			for name, phrase := range all["en"] {
				ownForm := strings.HasPrefix(name, "date") || strings.HasPrefix(name, "booking ") || name == "onlyThese" // said in English alone
				if v[name] == "" && !ownForm || len(verbs.FindAllString(v[name], -1)) != len(verbs.FindAllString(phrase, -1)) {
					t.Errorf("%s in %s: %s is %q, want what %q says", section, tag, name, v[name], phrase)
				}
			}
		}
	}
}

// What the code says and listens for stands in words/, and nothing stands there that it does not use.
func TestWordsAreUsed(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		code += string(data)
	}
	spoken := map[string]bool{}
	for section, all := range lexica().said {
		for name := range all["en"] {
			spoken[name] = true
			if first, _, _ := strings.Cut(name, " "); !regexp.MustCompile(`"[^"\n]*\b`+name+`\b`).MatchString(code) && !strings.Contains(code, `"`+first+` "`) && name != "tag" {
				t.Errorf("nobody says %q of %s", name, section)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\bv\["([a-zA-Z ]+)"\](?:[^.]|$)`).FindAllStringSubmatch(code, -1) {
		if !spoken[m[1]] {
			t.Errorf("there is no sentence %q", m[1])
		}
	}
	for _, m := range regexp.MustCompile(`\b(?:heard|onlyHeard|cueOf)\("([a-z ]+)"`).FindAllStringSubmatch(code, -1) {
		if cueOf(m[1]) == nil {
			t.Errorf("there are no words for the cue %q", m[1])
		}
	}
	for cue := range lexica().cues {
		if !strings.Contains(code, `"`+cue+`"`) {
			t.Errorf("nobody listens for %q", cue)
		}
	}
	for cue := range lexica().desk["en"] {
		if !strings.Contains(code, `"`+cue+`"`) {
			t.Errorf("nobody at the desk listens for %q", cue)
		}
	}
}
