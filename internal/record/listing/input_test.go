package listing

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/schedule"
	"merve/internal/words/rank"
)

func harbour() []*stored {
	table := schedule.Offering{ID: "table", Name: "Table for two", PriceMinor: 1500, Currency: "EUR"}
	var all []*stored
	for i, name := range []string{"Meze House", "Harbour Sushi", "Şirin Balık", "מסעדת הנמל", "Boat trip to Kyrenia", "Closed for good"} {
		all = append(all, &stored{Listing: Listing{
			ID: fmt.Sprint("l", i), Market: "demo", Names: map[string]string{"en": name}, Descriptions: map[string]string{"en": "by the harbour, quiet in the evening"},
			Domain: "food", Category: "restaurant", Tags: []string{"fish", "terrace"}, Offerings: []schedule.Offering{table}, Merve: Integration{Enabled: name != "Closed for good"},
		}})
	}
	return all
}

// Whatever is searched for, the answer is a few listings that may be shown, each once and
// within what was asked, the same for the same words in another order.
func FuzzSearch(f *testing.F) {
	for _, q := range []string{"", "sushi", "MEZE house", "balik", "הנמל", "harbor trip", strings.Repeat("a ", 5000), "\xff\x00", "🍣", "l0 l1 l2 l3"} {
		f.Add(q, "food", "restaurants", int64(2000), 5)
		f.Add(q, "", "", int64(0), -1)
	}
	f.Fuzz(func(t *testing.T, text, domain, category string, price int64, limit int) {
		s := &Store{Now: time.Now, indexes: map[string]*index{"demo": newIndex(harbour(), time.Now().Add(time.Hour))}}
		q := Query{Text: text, Domain: domain, Category: category, MaxPrice: price, Limit: limit}
		found, err := s.Search(context.Background(), "demo", q)
		if err != nil || len(found.Listings) > 10 || limit > 0 && len(found.Listings) > limit {
			t.Fatalf("%d found, %v", len(found.Listings), err)
		}
		var ids []string
		for _, l := range found.Listings {
			if !l.Merve.Enabled || slices.Contains(ids, l.ID) || price > 0 && l.Offerings[0].PriceMinor > price {
				t.Errorf("found %s of %v", l.ID, ids)
			}
			ids = append(ids, l.ID)
		}
		ws := rank.Words(text)
		slices.Reverse(ws)
		if len(ws) > rank.MaxWords {
			return // which of them count is not said
		}
		q.Text = strings.Join(ws, " ")
		turned, err := s.Search(context.Background(), "demo", q)
		if err != nil || len(turned.Listings) != len(ids) || turned.Relaxed != found.Relaxed {
			t.Errorf("%q finds %v, %q finds %d listings", text, ids, q.Text, len(turned.Listings))
		}
	})
}

// A listing that comes as JSON is refused with the field that is wrong, or can be stored
// and used.
func FuzzListing(f *testing.F) {
	f.Add(`{"id":"a","marketId":"demo","businessId":"b","domain":"food","category":"c","names":{"en":"Meze"},"offerings":[]}`)
	f.Add(`{"id":"a","marketId":"demo","businessId":"b","domain":"food","category":"c","names":{"en":"Meze"},"offerings":[{"id":"t","timeZone":"Europe/Nicosia","hours":{"mon":[{"from":"09:00","to":"12:00"}]},"slotMinutes":30,"durationMinutes":60,"capacity":1,"horizonDays":10,"unit":"slot","minParty":1,"maxParty":2,"currency":"EUR","per":"booking"}]}`)
	f.Add(`{"id":"a#b","names":{"xx":"Meze"},"merve":{"actions":[{"type":"book","templates":{"merchant_booking_confirmed":"{nobody}"}}]}}`)
	f.Add(`{"names":{"":""},"descriptions":null}`)
	f.Fuzz(func(t *testing.T, body string) {
		l := &Listing{}
		if json.Unmarshal([]byte(body), l) != nil {
			return
		}
		if err := l.Check(); err != nil {
			if message, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field == "" || message == "" {
				t.Errorf("refused without a field: %v", err)
			}
			return
		}
		if l.Name("tr") == "" || strings.Contains(key(l.Market, l.ID).SK, "##") || len(newIndex([]*stored{{Listing: *l}}, time.Time{}).entries) > 1 {
			t.Errorf("accepted: %+v", l)
		}
		card(l, "en")
		for _, o := range l.Offerings {
			if got, err := l.Offering(o.ID); err != nil || got.ID != o.ID {
				t.Errorf("offering %q: %v", o.ID, err)
			}
		}
	})
}

// A change of listings whose calls fail is whole when it comes again: each is listed once, with
// its items, what it was, the number of its business on the roster, its calendar, and whose market
// that is.
func TestField25_CrashOfAPut(t *testing.T) {
	t.Parallel()
	named := func(market, id string) *Listing {
		l := harbour()[0].Listing
		l.ID, l.Market, l.Business, l.Merve.WhatsApp = id, market, market, "+15550100"
		l.Offerings = []schedule.Offering{{
			ID: "room", TimeZone: "Europe/Nicosia", Unit: schedule.ByNight, Capacity: 1, HorizonDays: 30, MinParty: 1, MaxParty: 2, Currency: "EUR", Per: schedule.PerNight,
		}}
		l.Items = []Item{{ID: "soup", Kind: MenuItems, Names: map[string]string{"en": "Soup"}}}
		return &l
	}
	of := func(ids []string) string {
		if len(ids) == 0 {
			return ""
		}
		return " of " + strings.Join(ids, " and ")
	}
	for name, tt := range map[string]struct {
		there []string // before
		do    func(ctx context.Context, s *Store, market string) error
		want  string
	}{
		"put": {nil, func(ctx context.Context, s *Store, market string) error {
			return s.Put(ctx, named(market, "a"), "test")
		}, "items#a, listing#a, a version 1, contact listing#a, business's calendars of a, business's market"},
		"change": {[]string{"a"}, func(ctx context.Context, s *Store, market string) error {
			_, err := s.Change(ctx, market, "a", "test", func(l *Listing) (*Listing, error) {
				l.Merve.WhatsApp, l.Items = "", nil
				return l, nil
			})
			return err
		}, "listing#a, a version 1, a version 2, business's calendars of a, business's market"},
		"delete": {[]string{"a"}, func(ctx context.Context, s *Store, market string) error {
			_, err := s.Change(ctx, market, "a", "test", func(*Listing) (*Listing, error) { return nil, nil })
			return err
		}, "a version 1, a version 2, business's calendars, business's market"},
		"import": {[]string{"a"}, func(ctx context.Context, s *Store, market string) error {
			a, b := named(market, "a"), named(market, "b")
			a.Items = nil
			_, err := s.Import(ctx, []*Listing{a, b}, "test")
			return err
		}, "items#b, listing#a, listing#b, a version 1, a version 2, b version 1, contact listing#a, contact listing#b, business's calendars of a and b, business's market"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
				now := func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
				over := func(db *dynamo.DB) *Store {
					return &Store{Table: db.Table(dynamotest.TableName("catalog")), Now: now, atOnce: 1}
				}
				faulty, sound, market := over(dynamotest.Once(t, calls)), over(dynamotest.Open(t)), dynamotest.ID("m")
				for _, id := range tt.there {
					if err := sound.Put(t.Context(), named(market, id), "test"); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 {
					calls.Deliver(t, nil, func() error { return tt.do(t.Context(), faulty, market) })
				}
				var left []string
				for _, in := range [][2]string{{"market#" + market, ""}, {"listing#" + market + "#a", "a "}, {"listing#" + market + "#b", "b "}, {"contact#" + market + "#+15550100", "contact "}, {"business#" + market, "business's "}} {
					err := sound.Table.Each(t.Context(), dynamo.Under(in[0], ""), func(it dynamo.Item) error {
						var k kept
						err := it.Decode(&k)
						left = append(left, in[1]+strings.Replace(it.Key().SK, "#0000000", " ", 1)+of(k.Calendars["room"].At))
						return err
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				got := strings.Join(left, ", ")
				if got != tt.want {
					t.Errorf("left %s, want %s", got, tt.want)
				}
				return got
			})
		})
	}
}
