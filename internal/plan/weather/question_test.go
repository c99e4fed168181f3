package weather

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"merve/internal/base/fault"
)

// Each line of testdata/questions.txt is a question and what is understood of it.
func TestRead(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for i, line := range strings.Split(string(file), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, " | ")
		if len(fields) != 3 {
			t.Fatalf("line %d: want 3 fields", i+1)
		}
		lines++
		q, err := read(fields[0])
		place, on := q.whole(), q.day.String()
		if err != nil {
			place, on = "-", "0"
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("line %d: %v", i+1, err)
			}
		}
		if place != fields[1] || on != fields[2] {
			t.Errorf("line %d: %s: got %s | %s, want %s | %s", i+1, fields[0], place, on, fields[1], fields[2])
		}
	}
	if lines < 40 {
		t.Errorf("read %d lines", lines)
	}
}

func (d day) String() string {
	switch {
	case d.date != "":
		return d.date
	case d.weekday != "":
		return d.weekday
	}
	return strconv.Itoa(d.ahead)
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\xff", strings.Repeat("a", MaxQuestion+1)} {
		if _, err := read(text); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.10q: %v", text, err)
		}
	}
	if _, err := read(strings.Repeat("é", MaxQuestion)); err != nil {
		t.Error(err)
	}
}

func TestReadWords(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"[ask]\nwhat\n":            "",
		"[asks]\nwhat\n":           "en/weather.txt: no such heading: [asks]",
		"what\n":                   "en/weather.txt: no such heading",
		"[ask]\na,,b\n":            `en/weather.txt: "" has 0 words`,
		"[ask]\na b c d\n":         "has 4 words",
		"# a comment\n\n[today]\n": "",
	} {
		_, err := readWords(func(yield func(tag, text string) bool) { yield("en", file) })
		if got := errText(err); !strings.Contains(got, want) || want == "" && err != nil {
			t.Errorf("%q: got %q, want %q", file, got, want)
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		q, err := read(text)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
			return
		}
		for _, c := range q.candidates() {
			if strings.TrimSpace(c.name) == "" || len(c.name) > len(text) {
				t.Errorf("%q: candidate %q", text, c.name)
			}
		}
	})
}
