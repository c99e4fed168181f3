package listing_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/record/listing"
	"merve/internal/tenant/roster"
	"merve/internal/tenant/schedule"
)

// What a listing was stays readable, a save of what it is no longer is refused, and the same
// save twice is one.
func TestVersions(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	l := plain("a", "bar", 500)
	l.Items = []listing.Item{soup}
	c.put(l)
	if l.Version != 1 || l.UpdatedBy != "test" || l.UpdatedAt.IsZero() {
		t.Fatalf("%+v", l)
	}
	again := *l
	if c.put(&again); again.Version != 1 {
		t.Errorf("the same again has version %d", again.Version)
	}
	changed := *l
	changed.Place = "Kyrenia"
	changed.Items = nil
	c.put(&changed)
	stale := *l
	stale.Place = "Nicosia"
	if err := c.Put(t.Context(), &stale, "test"); !errors.Is(err, listing.ErrStale) {
		t.Errorf("a save of version 1: %v", err)
	}
	now, err := c.Get(t.Context(), c.market, "a")
	if err != nil || now.Version != 2 || now.Place != "Kyrenia" || len(now.Items) != 0 {
		t.Errorf("%+v, %v", now, err)
	}
	vs, err := c.Versions(t.Context(), c.market, "a", 10)
	if err != nil || len(vs) != 2 || vs[0].Version != 2 || len(vs[1].Items) != 1 || vs[1].Place != "" {
		t.Errorf("%+v, %v", vs, err)
	}
	if _, err := c.Change(t.Context(), c.market, "a", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(t.Context(), c.market, "a"); !errors.Is(err, listing.ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
	if vs, err := c.Versions(t.Context(), c.market, "a", 10); err != nil || len(vs) != 3 {
		t.Errorf("after the deletion %d versions, %v", len(vs), err)
	}
	if err := c.Put(t.Context(), &changed, "test"); !errors.Is(err, listing.ErrStale) {
		t.Errorf("a save of what was deleted meanwhile: %v", err)
	}
	anew := plain("a", "bar", 500)
	anew.Place = "Girne"
	c.put(anew)
	vs, err = c.Versions(t.Context(), c.market, "a", 10)
	if err != nil || len(vs) != 4 || anew.Version != 4 || vs[0].Place != "Girne" || vs[2].Place != "Kyrenia" || len(vs[3].Items) != 1 {
		t.Errorf("another with its id: %+v, %v", vs, err)
	}
}

// The largest listing that is right can be stored, and one in its stead that has other numbers
// and counts; a larger one is found in a file.
func TestTheLargestListing(t *testing.T) {
	t.Parallel()
	large := func(number int) *listing.Listing {
		l := plain("a", "bar", 500)
		for i := range listing.MaxItems {
			name := strings.Repeat("x", 800) + fmt.Sprint(i)
			item := listing.Item{ID: fmt.Sprint(i), Kind: listing.MenuItems, Names: map[string]string{"en": name}}
			if i < listing.MaxCounted {
				item.Stock = &listing.Stock{Count: number}
			}
			l.Items = append(l.Items, item)
		}
		l.Merve.WhatsApp = fmt.Sprintf("+1555010%02d", number)
		for i := range 20 {
			to := listing.Dispatch{ToE164: fmt.Sprintf("+1555%02d%02d", number, i)}
			l.Merve.Actions = append(l.Merve.Actions, listing.Action{Type: listing.FoodAction, Dispatch: to})
		}
		raw, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		l.Descriptions = map[string]string{"en": strings.Repeat("x", 380_000-len(raw)-100)}
		return l
	}
	c := newCatalog(t)
	c.put(large(1))
	c.put(large(2))
	small, larger := plain("b", "bar", 500), large(3)
	larger.Descriptions["tr"] = "more than a hundred bytes: " + strings.Repeat("x", 100)
	var file bytes.Buffer
	if err := format(t, "jsonl").Write(&file, []*listing.Listing{small, larger}); err != nil {
		t.Fatal(err)
	}
	_, wrong := format(t, "jsonl").Read(&file, c.market)
	if len(wrong) != 1 || wrong[0].Row != 2 || wrong[0].Field != "listing" {
		t.Errorf("%+v", wrong)
	}
}

// A read in the middle of a change has the listing and the items of one version.
func TestReadInTheMiddleOfAChange(t *testing.T) {
	t.Parallel()
	for name, items := range map[string][2][]listing.Item{ // of two versions
		"items are taken away": {{soup}, nil}, "items are added": {nil, {soup}}, "other items": {{soup}, {soup, {ID: "fish", Kind: soup.Kind, Names: soup.Names}}},
	} {
		c, l := newCatalog(t), plain("a", "bar", 500)
		itemsOf := func() dynamo.Write { // as they are: put back, or deleted
			k := dynamo.Key{PK: "market#" + c.market, SK: "items#a"}
			it, err := c.Table.Get(t.Context(), k)
			if it == nil {
				return c.Table.Delete(k)
			}
			var plain map[string]any
			if err = errors.Join(err, it.Decode(&plain)); err != nil {
				t.Fatal(err)
			}
			return c.Table.Put(k, plain)
		}
		l.Items = items[0]
		c.put(l)
		before := itemsOf()
		l.Items = items[1]
		c.put(l)
		after := itemsOf()
		set := func(w dynamo.Write) {
			if err := c.db.Commit(t.Context(), w); err != nil {
				t.Error(err)
			}
		}
		reads := 0
		late := &listing.Store{Now: c.now, Table: dynamotest.Once(t, hook(func() {
			if reads++; reads == 1 {
				set(before)
			} else {
				set(after)
			}
		})).Table(dynamotest.TableName("catalog"))}
		got, err := late.Get(t.Context(), c.market, "a")
		if err != nil || got.Version != 2 || len(got.Items) != len(items[1]) || reads != 2 {
			t.Errorf("%s: %+v after %d reads, %v", name, got, reads, err)
		}
	}
}

// hook does something before each request.
type hook func()

func (h hook) RoundTrip(r *http.Request) (*http.Response, error) {
	h()
	return faulttest.Transport.RoundTrip(r)
}

// Changes at the same time are all made.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, plain("a", "bar", 500))
	const n = 6
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			_, err := c.Change(t.Context(), c.market, "a", "test", func(l *listing.Listing) (*listing.Listing, error) {
				l.Tags = append(l.Tags, fmt.Sprint(i))
				return l, nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	l, err := c.Get(t.Context(), c.market, "a")
	if err != nil || len(l.Tags) != n || l.Version != n+1 {
		t.Errorf("tags %v, version %d, %v", l.Tags, l.Version, err)
	}
}

// Who makes a listing that another makes just then changes it, and who deletes one that changes
// just then deletes what it has become: no number stays on the roster for what is gone.
func TestAListingChangesMeanwhile(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	tags := func(tag string) func(*listing.Listing) (*listing.Listing, error) {
		return func(l *listing.Listing) (*listing.Listing, error) {
			if l == nil {
				l = plain("a", "bar", 500)
				l.Market = c.market
			}
			l.Tags = append(l.Tags, tag)
			return l, nil
		}
	}
	other := func(tag string) func() {
		return func() {
			if _, err := c.Change(t.Context(), c.market, "a", "other", tags(tag)); err != nil {
				t.Error(err)
			}
		}
	}
	late := func(meanwhile func()) *listing.Store {
		return &listing.Store{Table: dynamotest.Open(t, dynamotest.Before("TransactWriteItems", meanwhile)).Table(dynamotest.TableName("catalog")), Now: c.Now}
	}
	made, err := late(other("theirs")).Change(t.Context(), c.market, "a", "test", tags("mine"))
	if err != nil || !slices.Equal(made.Tags, []string{"theirs", "mine"}) || made.Version != 2 {
		t.Errorf("%+v, %v", made, err)
	}
	var seen []int
	_, err = late(other("again")).Change(t.Context(), c.market, "a", "test", func(l *listing.Listing) (*listing.Listing, error) {
		seen = append(seen, l.Version)
		return nil, nil
	})
	if err != nil || !slices.Equal(seen, []int{2, 3}) {
		t.Errorf("deleted as of %v, %v", seen, err)
	}
	tries, hasty := 0, &listing.Store{Table: dynamotest.Once(t, faulttest.Transport).Table(dynamotest.TableName("catalog")), Now: c.Now}
	_, err = hasty.Change(t.Context(), c.market, "a", "test", func(l *listing.Listing) (*listing.Listing, error) {
		if tries++; tries > dynamo.MaxTries {
			return nil, errors.New("it never ends")
		}
		other(fmt.Sprint(tries))()
		return tags("mine")(l)
	})
	if tries != dynamo.MaxTries || !errors.Is(err, listing.ErrStale) {
		t.Errorf("overtaken each time: %v after %d tries", err, tries)
	}
}

// Whoever a listing's messages go to is on the roster for its business, for as long as they do.
func TestContacts(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	book := &roster.Book{Table: c.Table, Now: c.now}
	speaks := func(number string) []string {
		t.Helper()
		r, err := book.Read(t.Context(), c.market, number)
		if err != nil {
			t.Fatal(err)
		}
		return r.Businesses()
	}
	l := plain("a", "bar", 500)
	l.Merve.WhatsApp = "+15550100"
	l.Merve.Actions = []listing.Action{{Type: listing.FoodAction, Enabled: true, Dispatch: listing.Dispatch{ToE164: "+15550101"}}}
	c.put(l)
	for _, n := range []string{"+15550100", "+15550101"} {
		if d := cmp.Diff([]string{"biz"}, speaks(n)); d != "" {
			t.Errorf("%s: %s", n, d)
		}
	}
	l.Merve.Actions, l.Offerings = nil, nil
	c.put(l)
	if b := speaks("+15550101"); len(b) != 0 {
		t.Errorf("still speaks for %v", b)
	}
	l.Business = "other"
	c.put(l)
	if d := cmp.Diff([]string{"other"}, speaks("+15550100")); d != "" {
		t.Error(d)
	}
	if _, err := c.Change(t.Context(), c.market, "a", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if b := speaks("+15550100"); len(b) != 0 {
		t.Errorf("after the deletion still speaks for %v", b)
	}
}

// A business that one market has is no other's, even when its last listing has gone: what was
// booked and ordered there is known by its name alone.
func TestABusinessHasOneMarket(t *testing.T) {
	t.Parallel()
	c, elsewhere := newCatalog(t, plain("a", "bar", 500), plain("b", "bar", 500)), dynamotest.ID("m")
	refused := func(l *listing.Listing) {
		t.Helper()
		l.Market = elsewhere
		err := c.Put(t.Context(), l, "test")
		if _, field := fault.Public(err); !fault.Is(err, fault.Invalid) || field != "businessId" {
			t.Errorf("of another market: %v", err)
		}
	}
	refused(plain("a", "bar", 500))
	own := plain("own", "bar", 500)
	own.Market, own.Business, own.Offerings = elsewhere, "biz-"+elsewhere, nil
	if err := c.Put(t.Context(), own, "test"); err != nil {
		t.Fatal(err)
	}
	own.Business = "biz"
	refused(own)
	for _, id := range []string{"a", "b"} {
		if _, err := c.Change(t.Context(), c.market, id, "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
	refused(plain("a", "bar", 500))
	c.put(plain("a", "bar", 500))
}

// Bookings keep their places and orders their business: a listing that can have any stays with it.
func TestAListingStaysWithItsBusiness(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(l *listing.Listing)
		stays  bool
	}{
		"it is booked":           {func(l *listing.Listing) { l.Merve.Actions = nil }, true},
		"it was ordered from":    {func(l *listing.Listing) { l.Offerings, l.Merve.Actions[0].Enabled = nil, false }, true},
		"nothing is to be there": {func(l *listing.Listing) { l.Offerings, l.Merve.Actions = nil, nil }, false},
	} {
		l := plain("a", "bar", 500)
		l.Merve.Actions = []listing.Action{{Type: listing.FoodAction, Enabled: true}}
		tt.change(l)
		c := newCatalog(t, l)
		moved := *l
		moved.Business, moved.Offerings, moved.Merve.Actions = "other", nil, nil
		err := c.Put(t.Context(), &moved, "test")
		if _, field := fault.Public(err); (err != nil) != tt.stays || err != nil && (field != "businessId" || !fault.Is(err, fault.Invalid)) {
			t.Errorf("%s: %v, want that it stays: %v", name, err, tt.stays)
		}
	}
}

// What was booked by a calendar that an offering has had no more is looked for as far back as its
// slots were long, whatever has become of the offering or its listing meanwhile and whoever says so.
func TestTheLongestSlotIsKept(t *testing.T) {
	t.Parallel()
	l := plain("a", "bar", 500)
	short := l.Offerings
	whole := short[0]
	whole.SlotMinutes, whole.DurationMinutes = 240, 240
	l.Offerings = []schedule.Offering{whole}
	c := newCatalog(t, l)
	a := dynamo.Key{PK: "market#" + c.market, SK: "listing#a"}
	if err := c.db.Commit(t.Context(), c.Table.Update(a, "REMOVE longest", nil)); err != nil { // a former release's
		t.Fatal(err)
	}
	for _, step := range []struct {
		name      string
		offerings []schedule.Offering
	}{{"cut finer", short}, {"taken away", nil}, {"there again", short}, {"deleted and made again", short}} {
		if step.name == "deleted and made again" {
			if _, err := c.Change(t.Context(), c.market, "a", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
				t.Fatal(err)
			}
		}
		said := *l
		said.Offerings, said.Version, said.Longest = step.offerings, 0, map[string]time.Duration{"table": time.Minute}
		c.put(&said)
		if now, err := c.Get(t.Context(), c.market, "a"); err != nil || now.Longest["table"] != 4*time.Hour {
			t.Errorf("%s: %v, %v", step.name, now.Longest, err)
		}
	}
}

// by is a listing whose table is booked by slots of so many minutes.
func by(id string, minutes int) *listing.Listing {
	l := plain(id, "bar", 500)
	l.Offerings[0].SlotMinutes, l.Offerings[0].DurationMinutes = minutes, minutes
	l.Offerings[0].Hours = map[string][]schedule.Span{"sat": {{From: "08:00", To: "24:00"}}}
	return l
}

// What is booked of an offering at one listing of a business is taken at all of them, so their
// slots are the same: otherwise one time has two names, and is sold by each.
func TestField12_OneCalendarForOneOffering(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, by("a", 60))
	refused := func(l *listing.Listing, want string) {
		t.Helper()
		l.Market = c.market
		err := c.Put(t.Context(), l, "test")
		if message, field := fault.Public(err); field != want || !fault.Is(err, fault.Invalid) || !strings.Contains(message, "listing a ") {
			t.Errorf("%v, want it about %s", err, want)
		}
	}
	refused(by("b", 480), "offerings[0].slotMinutes")
	closed, elsewhere := by("b", 60), by("b", 60)
	closed.Offerings[0].Hours = map[string][]schedule.Span{"sat": {{From: "08:30", To: "24:00"}}}
	refused(closed, "offerings[0].hours")
	elsewhere.Offerings[0].TimeZone = "Europe/Berlin"
	refused(elsewhere, "offerings[0].timeZone")

	b := by("b", 60)
	o := &b.Offerings[0]
	o.PriceMinor, o.Capacity, o.DurationMinutes, o.Closed = 900, 4, 120, []string{"2026-12-25"}
	c.put(b) // the same time, with the same name
	other := by("c", 480)
	other.Offerings[0].ID = "room"
	other.Offerings = append(other.Offerings, b.Offerings[0])
	c.put(other)
	o.SlotMinutes = 480
	refused(b, "offerings[0].slotMinutes")

	theirs := by("theirs", 480)
	theirs.Business = "other"
	c.put(theirs)
}

// An offering that no other listing has is booked by any calendar, as far back as what was booked of
// it by those that there have been, at whichever listing.
func TestField12_ACalendarThatIsFree(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, by("a", 480))
	bare := by("a", 480)
	bare.Offerings = nil
	c.put(bare)
	finds := func(id string, minutes int) {
		t.Helper()
		c.put(by(id, minutes))
		if now, err := c.Get(t.Context(), c.market, id); err != nil || now.Longest["table"] != 8*time.Hour {
			t.Errorf("%s: %v, %v", id, now.Longest, err)
		}
	}
	finds("b", 60)
	finds("b", 30)
	if _, err := c.Change(t.Context(), c.market, "b", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	finds("c", 60)
	finds("a", 60)
}

// Two listings that come to an offering at once do not both have it by calendars of their own,
// whichever of them was there before.
func TestField12_TwoCalendarsAtOnce(t *testing.T) {
	t.Parallel()
	for name, there := range map[string][]*listing.Listing{
		"none of them is there":   nil,
		"one is there":            {by("b", 60)},
		"both are there, without": {without(by("a", 480)), without(by("b", 60))},
		"it was there":            {by("b", 30), without(by("b", 30))},
	} {
		c := newCatalog(t, there...)
		aside := dynamotest.Aside(c.market, `business#[^"]+`)
		meanwhile := dynamotest.Before("TransactWriteItems", func() { c.put(by("b", 120)) })
		meanwhile.Next = aside
		late := &listing.Store{Table: dynamotest.Open(t, meanwhile).Table(dynamotest.TableName("catalog")), Now: c.Now}
		a := by("a", 480)
		if name == "one is there" {
			a = by("a", 60) // as it was
		}
		a.Market = c.market
		err := late.Put(t.Context(), a, "test")
		if _, field := fault.Public(err); field != "offerings[0].slotMinutes" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Nights are dates and slots are times, neither of which reaches into the other: an offering is booked
// by what it was first, as its bookings stand, whatever becomes of it and wherever it is.
func TestAnOfferingKeepsItsUnit(t *testing.T) {
	t.Parallel()
	slots, nights := func(id string) *listing.Listing { return by(id, 540) }, func(id string) *listing.Listing {
		l := by(id, 540)
		l.Offerings[0].Unit, l.Offerings[0].Hours = schedule.ByNight, nil
		return l
	}
	for _, way := range []struct{ first, then func(string) *listing.Listing }{{slots, nights}, {nights, slots}} {
		c := newCatalog(t, way.first("a"))
		refused := func(name, id string) {
			t.Helper()
			l := way.then(id)
			l.Market = c.market
			err := c.Put(t.Context(), l, "test")
			if _, field := fault.Public(err); field != "offerings[0].unit" || !fault.Is(err, fault.Invalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		refused("as it is", "a")
		c.put(without(way.first("a")))
		refused("taken out", "a")
		refused("at another listing", "b")
		if _, err := c.Change(t.Context(), c.market, "a", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil }); err != nil {
			t.Fatal(err)
		}
		refused("deleted", "a")
		c.put(way.first("a"))
		other := way.then("a")
		other.Offerings[0].ID = "other"
		c.put(other)
	}
}

func without(l *listing.Listing) *listing.Listing {
	l.Offerings = nil
	return l
}

// A listing that a former release has stored keeps its calendar to itself once it is stored anew.
func TestField12_ACalendarOfAFormerRelease(t *testing.T) {
	t.Parallel()
	c := newCatalog(t, by("a", 480))
	if err := c.db.Commit(t.Context(), c.Table.Delete(dynamo.Key{PK: "business#biz", SK: "calendars"})); err != nil {
		t.Fatal(err)
	}
	c.put(without(by("a", 480)))
	c.put(by("b", 60))
	if now, err := c.Get(t.Context(), c.market, "b"); err != nil || now.Longest["table"] != 8*time.Hour {
		t.Errorf("%v, %v", now.Longest, err)
	}
}

func TestStoreCost(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	ctx, meter := telemetry.WithMeter(t.Context())
	l := plain("a", "bar", 500)
	l.Market, l.Items, l.Merve.WhatsApp = c.market, []listing.Item{soup}, "+15550100"
	bare := without(plain("b", "bar", 500))
	for _, step := range []struct {
		name string
		do   func() error
		want int
	}{
		{"put", func() error { return c.Put(ctx, l, "test") }, 3},
		{"put again", func() error { return c.Put(ctx, l, "test") }, 1},
		{"get", func() error { _, err := c.Get(ctx, c.market, "a"); return err }, 1},
		{"delete", func() error {
			_, err := c.Change(ctx, c.market, "a", "test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil })
			return err
		}, 3},
		{"put anew", func() error { l.Version = 0; return c.Put(ctx, l, "test") }, 6},
		{"put without offerings", func() error { bare.Market = c.market; return c.Put(ctx, bare, "test") }, 2},
	} {
		before := meter.Cost().Requests
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		if n := meter.Cost().Requests - before; n != step.want {
			t.Errorf("%s: %d requests, want %d", step.name, n, step.want)
		}
	}
}

// A dish is found by its name, and a menu can be narrowed to what it is like.
func TestMenu(t *testing.T) {
	t.Parallel()
	l := plain("a", "restaurant", 500)
	pizza := listing.Item{ID: "margherita", Kind: listing.MenuItems, Section: "Pizza", Names: map[string]string{"en": "Margherita"}, PriceMinor: 900, Options: []listing.OptionGroup{{
		ID: "size", Names: map[string]string{"en": "Size"}, Min: 1, Max: 1,
		Choices: []listing.Choice{{ID: "small", Names: map[string]string{"en": "Small"}}, {ID: "big", Names: map[string]string{"en": "Big"}, PriceMinor: 300}},
	}}}
	l.Items, l.Hours = []listing.Item{soup, pizza}, &schedule.Hours{TimeZone: "Asia/Nicosia", Days: map[string][]schedule.Span{"sat": {{From: "12:00", To: "23:00"}}}}
	off := plain("off", "restaurant", 500)
	off.Merve.Enabled = false
	c := newCatalog(t, l, off, plain("b", "restaurant", 500))
	if ids, _ := c.find(listing.Query{Text: "mercimek"}); len(ids) != 1 || ids[0] != "a" {
		t.Errorf("found %v by a dish", ids)
	}
	_, data, err := c.call(c.bookings(), "getMenu", `{"listingId":"a","query":null}`)
	if err != nil {
		t.Fatal(err)
	}
	items, _ := data["items"].([]any)
	if len(items) != 2 || data["openNow"] != true || data["currency"] != "EUR" {
		t.Fatalf("%v", data)
	}
	for query, want := range map[string]string{ // best first; as the business has them where nothing is like it
		"null": "soup margherita", `"?"`: "soup margherita", `"xqzzyv"`: "soup margherita", `"pizza soup"`: "soup margherita", `"pizza margherita soup"`: "margherita soup",
	} {
		_, data, err := c.call(c.bookings(), "getMenu", `{"listingId":"a","query":`+query+`}`)
		var ids []string
		for _, i := range data["items"].([]any) {
			ids = append(ids, fmt.Sprint(i.(map[string]any)["id"]))
		}
		if got := strings.Join(ids, " "); got != want || err != nil {
			t.Errorf("%s: %s, want %s, %v", query, got, want, err)
		}
	}
	_, data, err = c.call(c.bookings(), "getMenu", `{"listingId":"a","query":"margerita"}`)
	items, _ = data["items"].([]any)
	if err != nil || len(items) != 1 {
		t.Fatalf("%v, %v", data, err)
	}
	want := map[string]any{
		"id": "margherita", "name": "Margherita", "kind": "menuItems", "section": "Pizza", "price": map[string]any{"amount": 900., "currency": "EUR"},
		"options": []any{map[string]any{"id": "size", "name": "Size", "min": 1., "max": 1., "choices": []any{
			map[string]any{"id": "small", "name": "Small"}, map[string]any{"id": "big", "name": "Big", "priceMinor": 300.},
		}}},
	}
	if d := cmp.Diff(want, items[0]); d != "" {
		t.Error(d)
	}
	for _, id := range []string{"nowhere", "off"} {
		if _, _, err := c.call(c.bookings(), "getMenu", fmt.Sprintf(`{"listingId":%q,"query":null}`, id)); !errors.Is(err, listing.ErrNotFound) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// What can be done, what is open and what is near narrow and order a search.
func TestSearchHere(t *testing.T) {
	t.Parallel()
	place := func(id string, lat float64, day string, action string) *listing.Listing {
		l := plain(id, "restaurant", 500)
		l.Location = &geo.Location{Lat: lat, Lng: 33}
		l.Hours = &schedule.Hours{TimeZone: "UTC", Days: map[string][]schedule.Span{day: {{From: "11:00", To: "13:00"}}}}
		l.Merve.Actions = []listing.Action{{Type: action, Enabled: true}}
		return l
	}
	c := newCatalog(t, place("a", 35.3, "sat", listing.BookAction), place("b", 35.1, "sat", listing.FoodAction), place("c", 35.2, "sun", listing.FoodAction), plain("nowhere", "bar", 500))
	here := &geo.Location{Lat: 35.05, Lng: 33}
	for name, tt := range map[string]struct {
		q       listing.Query
		want    []string
		relaxed string
	}{
		"near":         {listing.Query{Near: here}, []string{"b", "c", "a", "nowhere"}, ""},
		"within":       {listing.Query{Near: here, Radius: 20_000}, []string{"b", "c"}, ""},
		"open":         {listing.Query{OpenAt: noon}, []string{"a", "b"}, ""},
		"opens later":  {listing.Query{OpenAt: noon.Add(24 * time.Hour)}, []string{"c"}, ""},
		"action":       {listing.Query{Action: listing.FoodAction}, []string{"b", "c"}, ""},
		"action, open": {listing.Query{Action: listing.FoodAction, OpenAt: noon}, []string{"b"}, ""},
		"sub-category": {listing.Query{Action: listing.BookAction, SubCategory: "sushi"}, []string{"a"}, "subCategory"},
		"open, words":  {listing.Query{Text: "xqzzyv", Action: listing.FoodAction, OpenAt: noon}, []string{"b"}, "text"},
		"from a price": {listing.Query{MinPrice: 600}, nil, ""},
	} {
		ids, relaxed := c.find(tt.q)
		if d := cmp.Diff(tt.want, ids); d != "" || relaxed != tt.relaxed {
			t.Errorf("%s: %s relaxed %q", name, d, relaxed)
		}
	}
	if _, _, err := c.call(c.bookings(), "searchMarketplace", `{"query":"","nearMe":true}`); !fault.Is(err, fault.Invalid) {
		t.Errorf("near a customer who is nobody knows where: %v", err)
	}
	if _, _, err := c.call(c.bookings(), "searchMarketplace", `{"query":"","action":"fly"}`); !fault.Is(err, fault.Invalid) {
		t.Errorf("an action that there is not: %v", err)
	}
}

// engine knows the order of listings, and nothing else.
type engine []string

func (e engine) Find(_ context.Context, _ string, q listing.Query) ([]string, error) {
	return e[:min(len(e), q.Limit)], nil
}

// The one that is open is found behind many that are closed, and those that may not be shown.
func TestOpenBehindMany(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	var ids engine
	for n := range 62 {
		l := plain(fmt.Sprintf("p%02d", n), "restaurant", 500)
		l.Merve.Enabled = n >= 12 // as many as are found at most
		l.Hours = &schedule.Hours{TimeZone: "UTC", Days: map[string][]schedule.Span{"sun": {{From: "11:00", To: "13:00"}}}}
		if n == 61 {
			l.Hours.Days["sat"] = []schedule.Span{{From: "11:00", To: "13:00"}}
		}
		c.put(l)
		ids = append(ids, l.ID)
	}
	for _, by := range []listing.Engine{nil, ids} {
		c.Engine = by
		ctx, meter := telemetry.WithMeter(t.Context())
		found, err := c.Search(ctx, c.market, listing.Query{Category: "restaurant", OpenAt: noon})
		if err != nil || found.Relaxed != "" || len(found.Listings) != 1 || found.Listings[0].ID != "p61" {
			t.Errorf("by %T: %+v, %v", by, found, err)
		}
		if units := meter.Cost().ReadUnits; by != nil && units != float64(len(ids)) {
			t.Errorf("%d listings were read with %g read units", len(ids), units)
		}
	}
	c.Engine = nil
	if found, err := c.Search(t.Context(), c.market, listing.Query{Category: "restaurant"}); err != nil || len(found.Listings) == 0 || found.Listings[0].ID != "p12" {
		t.Errorf("open or not: %+v, %v", found, err)
	}
}

// Of a menu of more words than are kept, each dish is found by the first words of its name, in whatever
// language and with whatever letter they begin.
func TestEachDishOfALongMenuIsFound(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	l := plain("grill", "restaurant", 500)
	word := func(first string, n int) string { return fmt.Sprintf("%s%c%c", first, 'a'+n/26, 'a'+n%26) }
	for n := range 100 {
		long := ""
		for _, first := range []string{"acorn", "bread", "curry", "dates"} {
			long += " " + word(first, n)
		}
		l.Items = append(l.Items, listing.Item{ID: fmt.Sprint("dish", n), Kind: listing.MenuItems, Names: map[string]string{
			"en": word("zander", n) + long, "tr": word("yumurta", n) + long,
		}})
	}
	c.put(l)
	d, err := c.Document(t.Context(), c.market, l.ID)
	if err != nil {
		t.Fatal(err)
	}
	for n := range l.Items {
		for _, first := range []string{word("zander", n), word("yumurta", n)} {
			if !slices.Contains(d.Items, first) {
				t.Fatalf("no %s among %d words", first, len(d.Items))
			}
		}
	}
	if found, err := c.Search(t.Context(), c.market, listing.Query{Text: "zander"}); err != nil || len(found.Listings) != 1 {
		t.Errorf("zander: %+v, %v", found, err)
	}
}
