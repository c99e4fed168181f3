package contact

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// lines reads testdata/<name>.
func lines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, strings.NewReplacer(`\n`, "\n", `\u{200b}`, "\u200b").Replace(line))
		}
	}
	return all
}

func known() *Known {
	k := Of("https://merve.test")
	k.Learn(`{"site":"https://meze.example/menu?a=1\u0026b=2","phone":"+903928151234","mail":"info@meze.example"}`, "")
	return k
}

func TestTaken(t *testing.T) {
	t.Parallel()
	all := lines(t, "taken.txt")
	for _, line := range all {
		text, want, ok := strings.Cut(line, " => ")
		if got := known().Clean(text); !ok || got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		} else if again := known().Clean(got); again != got {
			t.Errorf("Clean(%q) = %q", got, again)
		}
	}
	t.Logf("%d ways out, all taken out", len(all))
}

func TestKept(t *testing.T) {
	t.Parallel()
	all := lines(t, "kept.txt")
	for _, line := range all {
		if got := known().Clean(line); got != line {
			t.Errorf("Clean(%q) = %q", line, got)
		}
	}
	t.Logf("%d honest texts, none changed", len(all))
}

// What somebody has asked with is not given by the answer that repeats it.
func TestEchoIsNotKnown(t *testing.T) {
	t.Parallel()
	k := Of("")
	k.Learn(`{"note":"see evil.com, 0533 111 22 33","site":"meze.example"}`, `{"note":"see evil.com, 0533 111 22 33"}`)
	if got, want := k.Clean("evil.com 05331112233 meze.example"), "[…] […] meze.example"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCleanAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("ab .:/[]()<>=\"1234567890+-\u200b۵５。é\n@?&comhref"))).Draw(t, "text")
		got := known().Clean(text)
		if !utf8.ValidString(got) {
			t.Fatalf("Clean(%q) = %q", text, got)
		}
		for _, way := range []string{"evil.com", "+905331112233", "https://evil.com/x"} {
			if got := known().Clean(text + " " + way + " "); strings.Contains(got, way) {
				t.Fatalf("Clean(%q) = %q", text+" "+way, got)
			}
		}
	})
}
