package typesense_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/typesense"
	"merve/internal/record/listing"
	"merve/internal/record/stock"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// island is the demo's listings in a market of their own, and some more.
func island(t testing.TB) (*listing.Store, string) {
	t.Helper()
	all, err := demo.Listings()
	if err != nil {
		t.Fatal(err)
	}
	off := simple("off", "Closed for good")
	off.Merve.Enabled = false
	all = append(all, bar(), off)
	for i, field := range []func(*listing.Listing){
		func(l *listing.Listing) { l.Names["tr"] = "Quxberry evi" },
		func(l *listing.Listing) { l.SubCategory = "quxberry" },
		func(l *listing.Listing) { l.Tags = []string{"quxberry"} },
		func(l *listing.Listing) {
			l.Items = []listing.Item{{ID: "i", Kind: listing.MenuItems, Names: map[string]string{"en": "Quxberry"}, PriceMinor: 1}}
		},
	} {
		l := simple(fmt.Sprintf("quxberry-%d", i), "House")
		field(l)
		all = append(all, l)
	}
	return stored(t, all...)
}

// bar is a listing in Greek and Hebrew, with a menu.
func bar() *listing.Listing {
	bar := simple("halloumi-bar", "Χαλούμι μπαρ")
	bar.Names["he"] = "בר חלומי"
	bar.Domain, bar.Category, bar.Place = "food & drink", "bar / pub", "Larnaca"
	bar.Items = []listing.Item{{ID: "i", Kind: listing.MenuItems, Names: map[string]string{"en": "Zivania", "tr": "Gülçiçeği şerbeti", "ar": "عصير ليمون"}, PriceMinor: 500}}
	bar.Merve.Actions = []listing.Action{{Type: listing.FoodAction, Enabled: true}, {Type: listing.BookAction}}
	bar.Price = &listing.Price{Minor: 99_000_000, Currency: "EUR", Per: "month"}
	return bar
}

func simple(id, name string) *listing.Listing {
	return &listing.Listing{
		ID: id, Business: "biz", Names: map[string]string{"en": name}, Domain: "food", Category: "kiosk", Merve: listing.Integration{Enabled: true},
	}
}

func stored(t testing.TB, all ...*listing.Listing) (*listing.Store, string) {
	t.Helper()
	market := dynamotest.ID("m")
	db, now := dynamotest.Open(t, dynamotest.Aside(market, `business#[^"]+`)), func() time.Time { return noon }
	store := &listing.Store{Table: db.Table(dynamotest.TableName("catalog")), Now: now, Stock: &stock.Store{Table: db.Table(dynamotest.TableName("records")), Now: now}}
	for _, l := range all {
		l.Market = market
		if err := store.Put(t.Context(), l, "test"); err != nil {
			t.Fatal(err)
		}
	}
	return store, market
}

// strict is an engine whose failures are the test's: without it the index in memory would
// stand in.
type strict struct {
	t testing.TB
	*typesense.Client
}

func (s strict) Find(ctx context.Context, market string, q listing.Query) ([]string, error) {
	ids, err := s.Client.Find(ctx, market, q)
	if err != nil {
		s.t.Errorf("%+v: %v", q, err)
	}
	return ids, err
}

var harbour = &geo.Location{Lat: 35.3364, Lng: 33.3182} // Kyrenia

// searches are what every engine finds in the same listings.
var searches = []struct {
	name    string
	query   listing.Query
	first   []string // the best hits, in order
	among   []string // also found
	without []string
	relaxed string
}{
	{name: "words", query: listing.Query{Text: "sushi in Kyrenia"}, first: []string{"sushi-harbour"}},
	{name: "in Turkish", query: listing.Query{Text: "girne suşi"}, first: []string{"sushi-harbour"}},
	{name: "in capitals, without marks", query: listing.Query{Text: "GIRNE SUSI"}, first: []string{"sushi-harbour"}},
	{name: "with Turkish capitals", query: listing.Query{Text: "LİMAN SUŞİ"}, first: []string{"sushi-harbour"}},
	{name: "with letters swapped", query: listing.Query{Text: "suhsi"}, first: []string{"sushi-harbour"}},
	{name: "with two mistakes", query: listing.Query{Text: "paraglyding"}, first: []string{"paraglide-five"}},
	{name: "a mistake in Turkish", query: listing.Query{Text: "kaplunbağa"}, first: []string{"turtle-night"}},
	{name: "a beginning", query: listing.Query{Text: "paraglid"}, first: []string{"paraglide-five"}},
	{name: "a name", query: listing.Query{Text: "Harbour Sushi"}, first: []string{"sushi-harbour"}},
	{name: "a name in another language", query: listing.Query{Text: "eski değirmen"}, first: []string{"breakfast-mill"}},
	{name: "two names", query: listing.Query{Text: "castle"}, among: []string{"niazis-grill", "castle-walk"}},
	{name: "a name before a kind before a tag before a dish", query: listing.Query{Text: "quxberry"}, first: []string{"quxberry-0", "quxberry-1", "quxberry-2", "quxberry-3"}},
	{name: "all words before some", query: listing.Query{Text: "quxberry zivania"}, among: []string{"quxberry-0", "halloumi-bar"}},
	{name: "a sentence", query: listing.Query{Text: "where can I eat fish tonight with my wife"}, among: []string{"fish-quay"}},
	{name: "a sentence in Turkish", query: listing.Query{Text: "bir masa istiyorum suşi"}, first: []string{"sushi-harbour"}},
	{name: "a tag", query: listing.Query{Text: "octopus"}, first: []string{"fish-quay"}},
	{name: "only in a description", query: listing.Query{Text: "omakase"}, first: []string{"sushi-harbour"}},
	{name: "an offering", query: listing.Query{Text: "couples massage"}, first: []string{"spa-citrus"}},
	{name: "a dish", query: listing.Query{Text: "zivania"}, first: []string{"halloumi-bar"}},
	{name: "a dish in Turkish", query: listing.Query{Text: "GÜLÇİÇEĞİ"}, first: []string{"halloumi-bar"}},
	{name: "a dish in Arabic", query: listing.Query{Text: "عَصِير ليمون"}, first: []string{"halloumi-bar"}},
	{name: "in Greek, without marks", query: listing.Query{Text: "ΧΑΛΟΥΜΙ"}, first: []string{"halloumi-bar"}},
	{name: "in Greek with a mistake", query: listing.Query{Text: "χαλλούμι"}, first: []string{"halloumi-bar"}},
	{name: "in Hebrew", query: listing.Query{Text: "חלומי"}, first: []string{"halloumi-bar"}},
	{name: "a synonym in Greek", query: listing.Query{Text: "σούσι"}, first: []string{"sushi-harbour"}},
	{name: "a synonym in Hebrew", query: listing.Query{Text: "סושי"}, first: []string{"sushi-harbour"}},
	{name: "a synonym in Russian, declined", query: listing.Query{Text: "рыбу"}, among: []string{"fish-quay"}},
	{name: "a synonym in Arabic", query: listing.Query{Text: "سمك"}, among: []string{"fish-quay"}},
	{name: "a town in another language", query: listing.Query{Text: "ξενοδοχείο Κερύνεια"}, first: []string{"harbour-hotel"}},
	{name: "a phrase for the same", query: listing.Query{Text: "car hire"}, first: []string{"car-rental"}},

	{name: "everything", query: listing.Query{Limit: 10}, among: []string{"abbey-guesthouse", "airco-fix"}, without: []string{"off"}},
	{name: "one that is off", query: listing.Query{Text: "Closed for good"}, without: []string{"off"}},
	{name: "domain", query: listing.Query{Domain: "STAYS", Limit: 10}, among: []string{"harbour-hotel", "villa-lemon"}, without: []string{"sushi-harbour"}},
	{name: "domain with signs", query: listing.Query{Domain: "Food & Drink"}, first: []string{"halloumi-bar"}},
	{name: "category in plural", query: listing.Query{Text: "sushi", Category: "Restaurants"}, first: []string{"sushi-harbour"}},
	{name: "category with signs", query: listing.Query{Category: "bar/pub"}, first: []string{"halloumi-bar"}},
	{name: "sub-category", query: listing.Query{SubCategory: "golf"}, first: []string{"golf-coast"}, without: []string{"sushi-harbour"}},
	{name: "sub-category with a dash", query: listing.Query{SubCategory: "fine-dining"}, first: []string{"fine-anchor"}},
	{name: "sub-category with an underscore", query: listing.Query{SubCategory: "Fine_Dining", Domain: "food"}, first: []string{"fine-anchor"}},
	{name: "sub-category that fits nothing", query: listing.Query{Text: "sushi", SubCategory: "ramen"}, first: []string{"sushi-harbour"}, relaxed: "subCategory"},
	{name: "the wrong domain", query: listing.Query{Text: "sushi", Domain: "stays"}, first: []string{"sushi-harbour"}, relaxed: "domain"},
	{name: "words for nothing here", query: listing.Query{Text: "xqzzyv", Category: "hotel"}, first: []string{"harbour-hotel"}, without: []string{"sushi-harbour"}, relaxed: "text"},
	{name: "nothing at all", query: listing.Query{Text: "xqzzyv"}},
	{name: "an action", query: listing.Query{Action: listing.FoodAction, Text: "χαλούμι"}, first: []string{"halloumi-bar"}},
	{name: "an action that is off", query: listing.Query{Action: listing.BookAction, Text: "zivania"}, without: []string{"halloumi-bar"}, relaxed: "text"},
	{name: "from a price", query: listing.Query{MinPrice: 90_000_000}, first: []string{"halloumi-bar"}},
	{name: "up to a price", query: listing.Query{Domain: "wellness", MaxPrice: 1500, Limit: 10}, first: []string{"barber-old", "yoga-deck"}, without: []string{"spa-citrus"}},
	{name: "between prices of which there are none", query: listing.Query{Text: "barber", MinPrice: 1300, MaxPrice: 1900}, without: []string{"barber-old"}},
	{name: "between prices", query: listing.Query{Text: "barber", MinPrice: 1900, MaxPrice: 2100}, first: []string{"barber-old"}},

	{name: "near", query: listing.Query{Near: harbour, Limit: 3}, first: []string{"sushi-harbour"}},
	{name: "the nearest of a kind", query: listing.Query{Near: harbour, Domain: "stays", Limit: 4}, first: []string{"harbour-hotel", "abbey-guesthouse"}},
	{name: "within", query: listing.Query{Near: harbour, Radius: 500, Domain: "food", Limit: 10}, first: []string{"sushi-harbour", "fish-quay", "niazis-grill"}, without: []string{"winehouse", "halloumi-bar"}},
	{name: "within, by words", query: listing.Query{Near: harbour, Radius: 8000, Text: "yoga"}, without: []string{"yoga-deck"}},
	{name: "what is nowhere comes last", query: listing.Query{Near: harbour, Category: "bar / pub"}, first: []string{"halloumi-bar"}},

	{name: "only signs", query: listing.Query{Text: "!!! *** `` && || :="}, among: []string{"abbey-guesthouse"}},
	{name: "operators around a word", query: listing.Query{Text: "\"sushi\" -harbour"}, first: []string{"sushi-harbour"}},
	{name: "a filter as text", query: listing.Query{Text: "sushi` && enabled:=false || (domain:=`food"}, first: []string{"sushi-harbour"}, without: []string{"off"}},
	{name: "a filter in a filter", query: listing.Query{Text: "sushi", Domain: "food` || enabled:=false || domain:=`food"}, first: []string{"sushi-harbour"}, without: []string{"off"}, relaxed: "domain"},
	{name: "quotes in a filter", query: listing.Query{Text: "sushi", Category: `x"],[\' && id:*`}, first: []string{"sushi-harbour"}, relaxed: "category"},
	{name: "a filter of signs", query: listing.Query{Text: "sushi", Category: "*"}, first: []string{"sushi-harbour"}, relaxed: "category"},
	{name: "a list in a filter", query: listing.Query{Text: "sushi", SubCategory: "[sushi,golf]"}, first: []string{"sushi-harbour"}, relaxed: "subCategory"},
	{name: "text without end", query: listing.Query{Text: long(5000)}},
	{name: "control characters", query: listing.Query{Text: "\x00su\u202eshi\n"}, first: []string{"sushi-harbour"}},
}

func long(n int) string {
	s := ""
	for i := range n {
		s += fmt.Sprintf("zq%dx ", i)
	}
	return s
}

func conform(t *testing.T, store *listing.Store, market string) {
	t.Helper()
	for _, tt := range searches {
		found, err := store.Search(t.Context(), market, tt.query)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var ids []string
		for _, l := range found.Listings {
			ids = append(ids, l.ID)
		}
		missed := func(id string) bool { return !slices.Contains(ids, id) }
		switch {
		case len(ids) < len(tt.first) || !slices.Equal(ids[:len(tt.first)], tt.first), slices.ContainsFunc(tt.among, missed):
			t.Errorf("%s: found %v, want %v first, and %v", tt.name, ids, tt.first, tt.among)
		case slices.ContainsFunc(tt.without, func(id string) bool { return !missed(id) }), len(tt.first)+len(tt.among)+len(tt.without) == 0 && len(ids) > 0:
			t.Errorf("%s: found %v, and not %v is wanted", tt.name, ids, tt.without)
		case found.Relaxed != tt.relaxed:
			t.Errorf("%s: relaxed %q, want %q (%v)", tt.name, found.Relaxed, tt.relaxed, ids)
		case tt.query.Limit > 0 && len(ids) > tt.query.Limit:
			t.Errorf("%s: %d listings", tt.name, len(ids))
		}
	}
}

// The index in memory and a Typesense server find the same.
func TestConformance(t *testing.T) {
	t.Parallel()
	store, market := island(t)
	t.Run("in memory", func(t *testing.T) { conform(t, store, market) })
	t.Run("Typesense", func(t *testing.T) {
		client := real(t)
		x := indexer(client, store)
		if _, err := client.Find(t.Context(), market, listing.Query{}); !errors.Is(err, typesense.ErrNoIndex) {
			t.Errorf("a market without an index: %v", err)
		}
		if r, err := x.Reindex(t.Context(), market); err != nil || r.Listings < 50 || len(r.Failed) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		store.Engine = strict{t, client}
		conform(t, store, market)
		reindexUnderSearches(t, x, market)
		changeForReal(t, x, market)
	})
}

// reindexUnderSearches: no search fails or comes back empty while indexes are made anew, also by
// two at once.
func reindexUnderSearches(t *testing.T, x *typesense.Indexer, market string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	var searched atomic.Int64
	for range 2 {
		wg.Go(func() {
			for ctx.Err() == nil {
				ids, err := x.Client.Find(t.Context(), market, listing.Query{Text: "sushi"})
				if err != nil || len(ids) == 0 || ids[0] != "sushi-harbour" {
					t.Errorf("found %v, %v", ids, err)
					return
				}
				searched.Add(1)
			}
		})
	}
	for range 3 {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := x.Reindex(t.Context(), market); err != nil && !errors.Is(err, typesense.ErrOvertaken) {
					t.Error(err)
				}
			})
		}
		both.Wait()
	}
	stop()
	if wg.Wait(); searched.Load() < 6 {
		t.Errorf("only %d searches", searched.Load())
	}
}

// changeForReal: what a listing becomes can be found, and what is deleted cannot, whatever its id.
func changeForReal(t *testing.T, x *typesense.Indexer, market string) {
	t.Helper()
	finds := func(id string, want bool) {
		t.Helper()
		ids, err := x.Client.Find(t.Context(), market, listing.Query{Text: "wobblegong"})
		if err != nil || slices.Contains(ids, id) != want {
			t.Errorf("found %v, %v; %s: want %v", ids, err, id, want)
		}
	}
	for _, id := range []string{"plain", "a..", "9.", "A_b-c.D"} {
		edit(t, x, market, id, func(l *listing.Listing) { l.Names["en"], l.Location = "Wobblegong", harbour })
		finds(id, true)
		edit(t, x, market, id, func(l *listing.Listing) { l.Location = nil })
		finds(id, true)
		if ids, err := x.Client.Find(t.Context(), market, listing.Query{Text: "wobblegong", Near: harbour, Radius: 1000}); err != nil || len(ids) > 0 {
			t.Errorf("%s is still where it was: %v, %v", id, ids, err)
		}
		edit(t, x, market, id, func(l *listing.Listing) { l.Names["en"] = "Quux" })
		finds(id, false)
		edit(t, x, market, id, func(l *listing.Listing) { l.Names["en"] = "Wobblegong" })
		finds(id, true)
		edit(t, x, market, id, nil)
		finds(id, false)
	}
	if ids, err := x.Client.Find(t.Context(), market, listing.Query{Limit: 250}); err != nil || len(ids) < 50 {
		t.Errorf("%d are left, %v", len(ids), err)
	}
}

func indexer(client *typesense.Client, store *listing.Store) *typesense.Indexer {
	return &typesense.Indexer{Client: client, Store: store, Now: time.Now, NewID: func() string { return dynamotest.ID("r") }}
}
