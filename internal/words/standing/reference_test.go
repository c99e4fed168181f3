package standing

import (
	"slices"
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	t.Parallel()
	offer := Item{Kind: OfferItem, Ref: "p1", State: "waiting", Summary: "a table at eight"}
	ride := Item{Kind: "ride", Ref: "r1", Code: "R2D2", Summary: "Taxi · Requested: R2D2"}
	known := []Item{booked, ordered, offer, ride}
	for _, tt := range []struct{ text, want, own string }{
		{"Nothing to see.", "Nothing to see.", "Nothing to see."},
		{"Bonjour : ça va ?  Oui.", "Bonjour : ça va ?  Oui.", "Bonjour : ça va ?  Oui."}, // not tidied where nothing was changed
		{"You have {{booking:V3GM2D}}.", "You have " + booked.Summary + ".", "You have V3GM2D."},
		{"You have {{ booking : v3gm2d }}.", "You have " + booked.Summary + ".", "You have V3GM2D."},
		{"There is {{booking:XXXXX1}} and {{order:K7P2}}.", "There is and " + ordered.Summary + ".", "There is and K7P2."},
		{"Foreign: {{order:V3GM2D}}. Odd: {{what}}{{}}.", "Foreign:. Odd:.", "Foreign:. Odd:."},
		{"Shall I go on with {{offer}}?", "Shall I go on with a table at eight?", "Shall I go on with?"},
		{"Here: {{ride}}", "Here: " + ride.Summary, "Here: R2D2"},
		{
			"{{order:K7P2}}, {{order:K7P2}}, {{order:K7P2}}, {{booking:V3GM2D}}", ordered.Summary + ", " + ordered.Summary + ", " + ordered.Summary + ",",
			"K7P2, K7P2, K7P2,",
		},
		{"Good news! Your booking V3GM2D is moved to 21:00. Anything else?", "Good news!\n" + booked.Summary + "\nAnything else?", "Good news!\n\nAnything else?"},
		{"It is **V3GM2D** and k7p2", booked.Summary + "\n" + ordered.Summary, ""},
		{"V3GM2D is yours. V3GM2D is at nine.", booked.Summary, ""},
		{"It is V3\u200bGM2D.", booked.Summary, ""},
		{"Shall I cancel V3GM2D?", "Shall I cancel V3GM2D?", "Shall I cancel V3GM2D?"},
		{"Your code is ABC123.", "Your code is ABC123.", "Your code is ABC123."},
		{"Sure.\n● Booked: ABC123\n**○ nothing**\n  > ◐ waiting\nBye.", "Sure.\nBye.", "Sure.\nBye."},
		{"○ Nothing", "", ""},
	} {
		d := Read(tt.text, known)
		if d.Text() != tt.want {
			t.Errorf("%q:\n%q, want\n%q", tt.text, d.Text(), tt.want)
		}
		if d.Own() != tt.own {
			t.Errorf("%q: the model's own are\n%q, want\n%q", tt.text, d.Own(), tt.own)
		}
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	if got := Codes("V3GM2D and {{order:K7P2}}, **K7P2**, v3gm2d, 2026, HELLO, A1, ABCDEFGH12"); !slices.Equal(got, []string{"V3GM2D", "K7P2"}) {
		t.Errorf("found %q", got)
	}
}

// What stands on both sides of a reference that vanishes is changed as one, and what the backend words is not.
func TestOtherWords(t *testing.T) {
	t.Parallel()
	booking := Item{Kind: "booking", Ref: "1", Code: "V3GM2D", Summary: "Meze House, evil.com"}
	d := Read("See ev{{order:NONE}}il.com, or {{booking}} at evil.com", []Item{booking})
	got := d.With(func(words string) string { return strings.ReplaceAll(words, "evil.com", "…") }).Text()
	if want := "See …, or Meze House, evil.com at …"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
