package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

const example = "# Doc\n\n```sh\nsay() { echo \"said $1\"; }\nsay 'it'\\''s'\n```\n\n```text\nsaid it's\n```\n\nText.\n\n```sh\ntrue\n```\n\n```\n a ─► b\n```\n"

// A document whose commands print what it shows passes; -update makes it so, and changes nothing else.
func TestTourOfADocument(t *testing.T) {
	t.Parallel()
	if err := run(t.Context(), options{deploy: true, files: []string{written(t, example)}}); err != nil {
		t.Error(err)
	}
	old := written(t, strings.Replace(example, "said it's", "what it said\nlong ago", 1))
	if err := run(t.Context(), options{deploy: true, files: []string{old}}); err == nil || !strings.Contains(err.Error(), "long ago") {
		t.Errorf("another output: %v", err)
	}
	if err := run(t.Context(), options{deploy: true, update: true, files: []string{old}}); err != nil {
		t.Error(err)
	}
	now, err := os.ReadFile(old)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(example, string(now)); diff != "" {
		t.Errorf("updated (-want +got):\n%s", diff)
	}
	for _, wrong := range []string{"```sh\nfalse\n```\n", "```sh\nfalse | true\n```\n"} {
		if err := run(t.Context(), options{deploy: true, files: []string{written(t, wrong)}}); err == nil || !strings.Contains(err.Error(), "status 1") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}

// No command hides in a block that nobody runs.
func TestBlocksOfADocument(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"```\ncurl localhost:8080\n```\n", "```bash\nmake chat\n```\n", "```text\nan output\n```\n", "```sh\nls\n```\nText.\n```text\nan output\n```\n", "```sh\nls\n"} {
		if _, err := readDocument(written(t, wrong)); err == nil {
			t.Errorf("%q passes", wrong)
		}
	}
}

func TestAlike(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{
		{"Booked: HWV6DB · 2026-11-29 19:00", "Booked: ABCDEF · 2027-01-02 19:00"},
		{"Harbour Sushi · Table · Sun 29 Nov 2026, 19:00–20:30", "Harbour Sushi ·\nTable · Mon 4 Jan 2027, 19:00–20:30"},
		{"29 Kas 2026 Paz, 13:00", "1 Ara 2026 Sal, 13:00"},
		{"I am holding this until 02:01; This stands until Sun 29 Nov 2026, 01:54", "I am holding this until 23:59; This stands until Mon 4 Jan 2027, 12:00"},
		{`{"id":"msg_1795823690331_x5vwtg"}`, `{"id":"msg_1895823690331_aaaaaa"}`},
		{"   0.068s 0 ms", "  12.1s 7 ms"},
		{"KABUL TPPK", "KABUL K7P2"},
	} {
		if alike(same[0]) != alike(same[1]) {
			t.Errorf("%q and %q", alike(same[0]), alike(same[1]))
		}
	}
	for _, other := range [][2]string{
		{"19:00–20:30", "19:00–20:00"}, {"Total: €7.90", "Total: €8.90"}, {"People: 2", "People: 3"}, {"$1,799", "$1,798"}, {"Reply YES", "Reply NO"},
		{"Harbour Sushi", "Kyrenia Castle Walk"}, {"4 records", "5 records"}, {"● Booked", "○ Nothing is booked"},
	} {
		if alike(other[0]) == alike(other[1]) {
			t.Errorf("%q and %q are alike", other[0], other[1])
		}
	}
}

func TestWrapped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 60)
	got := wrapped("a\n\n" + long + "\n")
	if len(got) != 5 || got[0] != "a" || got[1] != "" || len(got[2]) > widest || strings.Join(got[2:], " ") != strings.TrimSpace(long) {
		t.Errorf("%q", got)
	}
}

// Every target of make that the documents name is run by the tour, or by another part of what has to pass.
func TestEveryTargetIsRun(t *testing.T) {
	t.Parallel()
	var ran strings.Builder
	named := map[string]string{}
	for _, file := range []string{"../../../README.md", "../../../internal/edge/web/docs/tour.md"} {
		d, err := readDocument(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range d.blocks {
			ran.WriteString(strings.Join(b.commands, "\n") + "\n")
		}
		for _, m := range regexp.MustCompile("[`(]make ([a-z-]+)").FindAllStringSubmatch(strings.Join(d.lines, "\n"), -1) {
			named[m[1]] = file
		}
	}
	for target, file := range named {
		if !begins("make "+target, long) && !regexp.MustCompile(`(?m)\bmake `+target+`( |$)`).MatchString(ran.String()) {
			t.Errorf("%s names make %s, which no block of commands runs", file, target)
		}
	}
	if _, err := readDocument("../../../infra/README.md"); err != nil {
		t.Error(err)
	}
}
