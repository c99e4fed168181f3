package claim

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"merve/internal/language"
)

// row is one text of testdata/replies; a text that claims nothing has no kind.
type row struct {
	text string
	kind Kind
}

// rows reads testdata/replies/<name>.txt: texts, one a line, under what they claim, or [none].
func rows(t testing.TB, name string) []row {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "replies", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []row
	var kind Kind
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" || strings.HasPrefix(line, "# "):
		case line == "[none]":
			kind = ""
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			kind = Kind(strings.Trim(line, "[]"))
			if !slices.Contains(kinds(), kind) {
				t.Fatalf("%s: no such kind: %s", name, line)
			}
		default:
			out = append(out, row{strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(line), kind})
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func has(claims []Claim, kind Kind) bool {
	return slices.ContainsFunc(claims, func(c Claim) bool { return c.Kind == kind })
}

// The assistant says "done" and has done nothing: each such sentence is found, and what
// only sounds like one is left alone.
func TestField23_DoneWithoutDoing(t *testing.T) {
	t.Parallel()
	if _, err := readDialects(patternFiles); err != nil {
		t.Fatal(err)
	}
	for _, name := range append(language.Supported(), "disguise") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claimed, none := 0, 0
			for _, r := range rows(t, name) {
				got := Find(r.text)
				switch {
				case r.kind == "":
					none++
					if len(got) > 0 {
						t.Errorf("%q: found %v, want no claim", r.text, got)
					}
				default:
					claimed++
					if !has(got, r.kind) {
						t.Errorf("%q: found %v, want %s", r.text, got, r.kind)
					}
				}
			}
			if name != "disguise" && (claimed < 15 || none < 12) {
				t.Errorf("%d claims and %d others, want at least 15 and 12", claimed, none)
			}
		})
	}
}
