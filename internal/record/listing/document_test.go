package listing_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/record/listing"
	"merve/internal/tenant/schedule"
)

func TestDocumentOf(t *testing.T) {
	t.Parallel()
	l := plain("a", "Fine_Dining", 500)
	l.SubCategory, l.Domain, l.Place = "Sea  Food", "FOOD", "Girne"
	l.Names = map[string]string{"tr": "Çapa Salonu", "en": "The Anchor, the Room!"}
	l.Descriptions = map[string]string{"en": "Wine; wine."}
	l.Tags = []string{"Fish-Dishes"}
	l.Price = &listing.Price{Minor: 9, Currency: "EUR"}
	l.Location = &geo.Location{Lat: 35, Lng: 33}
	l.Version, l.UpdatedAt = 3, noon
	l.Merve.Actions = []listing.Action{{Type: listing.BookAction, Enabled: true}, {Type: listing.FoodAction}, {Type: listing.BookAction, Enabled: true}}
	l.Offerings = append(l.Offerings, schedule.Offering{Name: "Tasting Menu", PriceMinor: 700})
	want := listing.Document{
		ID: "a", Version: 3, UpdatedAt: noon, Enabled: true,
		Domain: "food", Category: "fine dining", SubCategory: "sea food", Actions: []string{"book"}, Tags: []string{"fish dishe"},
		Prices: []int64{9, 500, 700}, Location: l.Location,
		Names: []string{"the", "anchor", "room", "capa", "salonu"}, Kinds: []string{"fine", "dining", "sea", "food"},
		About: []string{"fish", "dishes", "girne", "food"}, Offerings: []string{"table", "tasting", "menu"}, Items: []string{"soup"},
		Descriptions: []string{"wine"},
	}
	got := listing.DocumentOf(l, []string{"soup"})
	synonyms := got.Synonyms
	got.Synonyms = nil
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, w := range []string{"balik", "дагим", "рыба", "κερυνεια", "kyrenia"} {
		if slices.Contains(synonyms, w) != (w != "дагим") {
			t.Errorf("synonyms %v, %s", synonyms, w)
		}
	}
	for _, w := range []string{"fish", "vino", "de"} { // has it; of a description only; too short
		if slices.Contains(synonyms, w) {
			t.Errorf("synonyms %v have %s", synonyms, w)
		}
	}
	l.Merve.Enabled = false
	if listing.DocumentOf(l, nil).Enabled {
		t.Error("a listing that is off")
	}
}

// A phrase has synonyms when all of its words are there.
func TestPhrases(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"Rent my car": false, "A car to rent": true, "Oto Kiralama": true, "Air": false} {
		l := plain("a", "service", 5)
		l.Names = map[string]string{"en": name}
		if got := slices.Contains(listing.DocumentOf(l, nil).Synonyms, "прокат"); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "  !? ": "", "Suşi, SUŞİ susi": "susi", "`a` && b:=c -d \"e f\" *": "a b c d e f", "ΨΆΡΙΑ ψάρια": "ψαρια", "דָּגִים": "דגים", "٣ رجال": "3 رجال",
	} {
		if got := strings.Join(listing.Words(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	q := listing.Query{Text: strings.Repeat("a b c ", 100) + "d " + strings.Join(strings.Split("efghijklmnopqrstuvwxyz0123456789ABCDEF", ""), " ")}
	if n := len(q.Words()); n != 32 {
		t.Errorf("%d words", n)
	}
}

// Documents tell states of a listing apart, and are read as it is stored now.
func TestDocuments(t *testing.T) {
	t.Parallel()
	a := plain("a", "bar", 500)
	a.Items = []listing.Item{soup}
	c := newCatalog(t, a, plain("b", "bar", 500))
	read := func(id string) *listing.Document {
		t.Helper()
		ctx, meter := telemetry.WithMeter(t.Context())
		d, err := c.Document(ctx, c.market, id)
		if err != nil || meter.Cost().Requests != 1 {
			t.Fatalf("%v, %d requests", err, meter.Cost().Requests)
		}
		return d
	}
	first, none := read("a"), read("nowhere")
	if none != nil || !slices.Contains(first.Items, "mercimek") {
		t.Errorf("%v, %+v", none, first)
	}
	again := read("a")
	a.Place = "Kyrenia"
	c.put(a)
	changed := read("a")
	for _, tt := range []struct {
		one, other *listing.Document
		same       bool
	}{{first, again, true}, {first, changed, false}, {first, none, false}, {none, first, false}, {none, none, true}, {first, read("b"), false}} {
		if tt.one.Same(tt.other) != tt.same {
			t.Errorf("%+v and %+v: same is %v", tt.one, tt.other, !tt.same)
		}
	}
	later := *first
	later.UpdatedAt = first.UpdatedAt.Add(time.Millisecond)
	if later.Same(first) {
		t.Error("one that was deleted and made anew counts as the same")
	}
	all, err := c.Documents(context.Background(), c.market)
	if err != nil || len(all) != 2 || cmp.Diff(*changed, all[0]) != "" {
		t.Errorf("%+v, %v", all, err)
	}
}

// The index in memory knows synonyms, too.
func TestSearchSynonyms(t *testing.T) {
	t.Parallel()
	hotel := plain("a", "hotel", 500)
	hotel.Place = "Girne"
	c := newCatalog(t, hotel, plain("b", "bar", 500))
	for _, text := range []string{"otel", "отель Кирения", "מלון", "فندق"} {
		if ids, _ := c.find(listing.Query{Text: text}); cmp.Diff([]string{"a"}, ids) != "" {
			t.Errorf("%s: %v", text, ids)
		}
	}
}
