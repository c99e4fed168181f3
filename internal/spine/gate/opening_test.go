package gate

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"merve/internal/spine/thread"
	"merve/internal/words/language"
)

// openings reads testdata/openings/<name>.txt: messages, one a line, with whether they are a NO that
// goes on.
func openings(t *testing.T, name string) map[string]bool {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "openings", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[string]bool{}
	refuses := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			refuses = line == "[no]"
		default:
			all[line] = refuses
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestField20_NoAndMore(t *testing.T) {
	t.Parallel()
	refusals, others := 0, 0
	for _, name := range language.Supported() {
		for text, want := range openings(t, name) {
			for _, spelt := range []string{text, strings.ToUpper(text), text + ". " + strings.Repeat("x ", maxMessage)} {
				if got := opensWithNo(spelt, Books); got != want {
					t.Errorf("%s: opensWithNo(%.60q) = %v, want %v", name, spelt, got, want)
				}
			}
			if got := Read(text); got != Unclear {
				t.Errorf("%s: %q is a plain %v", name, text, got)
			}
			if want {
				refusals++
			} else {
				others++
			}
		}
	}
	if refusals < 100 || others < 100 {
		t.Errorf("%d refusals and %d others, want 100 of each", refusals, others)
	}
}

// A NO that goes on is for the offer that is asked about, and never for one that was made after it. What
// has to be paid for, and what would be cancelled, takes a plainer NO.
func TestRedirected(t *testing.T) {
	t.Parallel()
	made := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	p := &thread.Pending{ID: "p1", CreatedAt: made, ExpiresAt: made.Add(10 * time.Minute)}
	said := func(texts ...string) []thread.Message {
		var msgs []thread.Message
		for i, text := range texts {
			msgs = append(msgs, thread.Message{ID: "m", Text: text, At: made.Add(time.Duration(i+1) * time.Second)})
		}
		return msgs
	}
	with := func(m thread.Message) []thread.Message {
		m.ID, m.Text = "m", "no, 9pm instead"
		if m.At.IsZero() {
			m.At = made.Add(time.Second)
		}
		return []thread.Message{m}
	}
	tests := []struct {
		name   string
		does   Deed
		msgs   []thread.Message
		refers map[string]string
		want   Ruling
	}{
		{"one message", Books, said("no, 9pm instead"), nil, Redirected},
		{"on two lines", Books, said("no\n9pm instead"), nil, Redirected},
		{"two messages", Books, said("no", "9pm instead"), nil, Redirected},
		{"two messages, taken back", Books, said("no", "yes book it"), nil, Waiting},
		{"two messages, no problem", Books, said("no", "problem"), nil, Waiting},
		{"a no, later", Books, said("is it far?", "no, 9pm instead"), nil, Waiting},
		{"a tap and more", Books, append([]thread.Message{{ID: "t", Button: "no:p1", Text: "Nein", At: made}}, said("9pm instead")...), nil, Redirected},
		{"another offer's tap and more", Books, append([]thread.Message{{ID: "t", Button: "no:p0", At: made}}, said("9pm instead")...), nil, OldOffer},
		{"a foreign button", Books, with(thread.Message{Button: "MENU"}), nil, Waiting},
		{"a reply to this offer", Books, with(thread.Message{ReplyTo: "SM1"}), map[string]string{"m": "p1"}, Redirected},
		{"a reply to another", Books, with(thread.Message{ReplyTo: "SM0"}), map[string]string{"m": "p0"}, Waiting},
		{"before the offer", Books, with(thread.Message{At: made}), nil, Waiting},
		{"what has to be paid", Pays, said("no, 9pm instead"), nil, Waiting},
		{"what has to be paid, plainly", Pays, said("no thanks"), nil, Declined},
		{"another time", Keeps, said("no, 9pm instead"), nil, Redirected},
		{"another time, or the booking itself", Keeps, said("no, cancel my booking today"), nil, Waiting},
		{"a cancellation", Cancels, said("no, I will come"), nil, Redirected},
		{"a cancellation, or not", Cancels, said("no, cancel it now"), nil, Waiting},
		{"a cancellation, named", Cancels, said("Cancel, I cannot come"), nil, Waiting},
		{"an offer, named", Books, said("Cancel, I cannot come"), nil, Redirected},
	}
	for _, tt := range tests {
		if got := Decide(p, tt.does, tt.msgs, tt.refers, made.Add(time.Minute)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
