package gate

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"merve/internal/words/language"
)

// beside reads testdata/beside/<name>.txt: texts, one a line, by the heading that they stand under.
func beside(t *testing.T, name string) map[string][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "beside", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string][]string{}
	heading := ""
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			heading = strings.Trim(line, "[]")
		default:
			all[heading] = append(all[heading], strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// Nothing of the corpus of hostile texts stands beside a new question, and whatever of it stands beside one that
// waits puts the offer in doubt, also behind an honest answer and in capitals.
func TestHostileBesideQuestion(t *testing.T) {
	t.Parallel()
	const answer = "They serve small plates by the sea."
	texts, dropped, doubted := 0, 0, 0
	for heading, lines := range beside(t, "hostile") {
		for _, line := range lines {
			texts++
			for _, text := range []string{line, answer + "\n" + line, answer + " " + line, strings.ToUpper(line), "**" + line + "**", line + " 🙂"} {
				if said, _ := Beside(text, true); said != "" {
					t.Errorf("%s: beside a new question: %q", heading, said)
				}
				said, doubt := Beside(text, false)
				if names(said) != doubt || strings.ContainsAny(said, language.QuestionMarks) {
					t.Errorf("%s: beside one that waits: %q, in doubt: %v", heading, said, doubt)
				}
			}
			switch said, doubt := Beside(line, false); {
			case said == "":
				dropped++
			case doubt:
				doubted++
			}
		}
	}
	t.Logf("%d hostile texts, none beside a new question; beside one that waits %d are left out, %d put it in doubt, %d lose what asks",
		texts, dropped, doubted, texts-dropped-doubted)
	if texts-dropped-doubted > 2 {
		t.Errorf("%d texts are left that put it in no doubt", texts-dropped-doubted)
	}
}

// An honest answer stands, and most put nothing in doubt.
func TestHonestBesideQuestion(t *testing.T) {
	t.Parallel()
	honest := beside(t, "honest")
	for _, text := range honest["kept"] {
		if said, _ := Beside(text, true); said != text {
			t.Errorf("beside a new question %q is left out", text)
		}
		if said, doubt := Beside(text, false); said != text || doubt {
			t.Errorf("%q: %q, in doubt: %v", text, said, doubt)
		}
	}
	for _, text := range honest["doubted"] {
		if said, doubt := Beside(text, false); said != "" && !doubt {
			t.Errorf("%q is in no doubt: move it to [kept]", text)
		}
	}
	t.Logf("%d honest texts stand, %d cost a message more", len(honest["kept"]), len(honest["doubted"]))
}

// Whatever is read as an answer is one that a text names, in whatever it stands.
func TestAnswersAreNamed(t *testing.T) {
	t.Parallel()
	check := func(fatal func(string, ...any), text string) {
		for _, wrapped := range []string{text, "Write '" + text + "' for it", "«" + text + "»", "x. " + text + ", y"} {
			if !names(wrapped) {
				fatal("%q names no answer", wrapped)
			}
			if said, _ := Beside(wrapped, true); said != "" {
				fatal("%q stands beside a new question", wrapped)
			}
		}
	}
	for _, name := range append(language.Supported(), "mixed") {
		for _, m := range messages(t, name) {
			if readOffer(m.text) != Unclear || Read(m.text) != Unclear {
				check(t.Errorf, m.text)
			}
		}
	}
	phrases := listedPhrases(t, yes|no|cancels|stop)
	rapid.Check(t, func(rt *rapid.T) {
		check(rt.Fatalf, rapid.SampledFrom(phrases).Draw(rt, "phrase"))
	})
}

func TestWaitingKeepsWhatAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"It is by the sea. Shall I book a taxi? They open at six.": "It is by the sea. They open at six.",
		"It is by the sea.\nWould you like a taxi?":                "It is by the sea.",
		"Is that all?":     "",
		"✨ Is that all? ✨": "",
		"Το μενού έχει ψάρι. Θέλετε ταξί; Είναι κοντά.":   "Το μενού έχει ψάρι. Είναι κοντά.",
		"The menu: https://meze.example/menu?day=1 today": "The menu: https://meze.example/menu?day=1 today",
	} {
		if got, _ := Beside(text, false); got != want {
			t.Errorf("Beside(%q) = %q, want %q", text, got, want)
		}
	}
}
