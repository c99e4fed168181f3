package api_test

import (
	"testing"

	"merve/internal/matter/report"
	"merve/internal/words/wording"
)

// Every section of a report has a heading in words, on the pages that show it.
func TestSectionsHaveHeadings(t *testing.T) {
	t.Parallel()
	for _, lang := range []string{"en", "tr", "ar"} {
		for _, s := range report.Sections() {
			if title := wording.Section(lang, string(s)); title == "" || title == string(s) {
				t.Errorf("%s in %s: %q", s, lang, title)
			}
		}
	}
	if got := wording.Section("en", "else"); got != "else" {
		t.Errorf("a section without heading is %q", got)
	}
}
