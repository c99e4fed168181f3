package listing

import (
	"fmt"
	"testing"
	"time"
	"unicode/utf8"
)

func TestAlike(t *testing.T) {
	t.Parallel()
	tests := []struct {
		asked, word string
		want        float64
	}{
		{"sushi", "sushi", 1},
		{"sus", "sushi", 0.7},
		{"su", "sushi", 0},
		{"massages", "massage", 0.7},
		{"spas", "spa", 0.5},
		{"shusi", "sushi", 0},
		{"suhsi", "sushi", 0.5},
		{"susi", "sushi", 0.5},
		{"sushy", "sushi", 0.5},
		{"bar", "car", 0},
		{"restaurnat", "restaurant", 0.5},
		{"resturent", "restaurant", 0.5},
		{"rstrant", "restaurant", 0},
		{"да", "дайвинг", 0},
		{"дай", "дайвинг", 0.7},
		{"", "sushi", 0},
	}
	for _, tt := range tests {
		if got := alike(tt.asked, tt.word); got != tt.want {
			t.Errorf("alike(%q, %q) = %v, want %v", tt.asked, tt.word, got, tt.want)
		}
	}
}

func FuzzDistance(f *testing.F) {
	for _, s := range []string{"", "a", "sushi", "shusi", "şuşi", "\xff", "kitten"} {
		f.Add(s, "sushi", uint8(2))
		f.Add(s, "sitting", uint8(9))
	}
	f.Fuzz(func(t *testing.T, a, b string, limit uint8) {
		if len(a) > 60 || len(b) > 60 || !utf8.ValidString(a) || !utf8.ValidString(b) {
			return
		}
		most := int(limit % 70)
		d := distance(a, b, most)
		if d < 0 || d > most+1 || d > max(letters(a), letters(b)) && d != most+1 {
			t.Fatalf("distance(%q, %q, %d) = %d", a, b, most, d)
		}
		if back := distance(b, a, most); back != d {
			t.Fatalf("%q to %q is %d, back %d", a, b, d, back)
		}
		if (d == 0) != (a == b) {
			t.Fatalf("%q and %q are %d apart", a, b, d)
		}
		if longer := distance(a+"x", b, 100); longer > distance(a, b, 100)+1 {
			t.Fatalf("one letter more makes %q and %q %d apart", a, b, longer)
		}
		if s := alike(a, b); s < 0 || s > 1 || (s == 1) != (a == b) {
			t.Fatalf("alike(%q, %q) = %v", a, b, s)
		}
	})
}

// BenchmarkFind searches a market of 1,000 listings, with a typing mistake.
func BenchmarkFind(b *testing.B) {
	kinds := []string{"restaurant", "massage", "boat", "villa", "tour", "museum", "bakery", "hotel"}
	all := make([]*stored, 1000)
	for i := range all {
		kind := kinds[i%len(kinds)]
		all[i] = &stored{Listing: Listing{
			ID: fmt.Sprint("l", i), Names: map[string]string{"en": fmt.Sprint(kind, " number ", i)}, Category: kind, Merve: Integration{Enabled: true},
			Descriptions: map[string]string{"en": "A quiet place by the harbour with a terrace, shade and a view of the castle"},
		}}
	}
	ix := newIndex(all, time.Time{})
	for b.Loop() {
		if len(ix.find(Query{Text: "resturant with a terace near the harbour", Limit: 5})) != 5 {
			b.Fatal("not found")
		}
	}
}
