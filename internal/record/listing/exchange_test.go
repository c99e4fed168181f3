package listing_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/record/listing"
	"merve/internal/tenant/schedule"
)

func format(t *testing.T, name string) listing.Format {
	t.Helper()
	for _, f := range listing.Formats() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no format %s", name)
	return listing.Format{}
}

// catalogue has a bit of everything that a listing can hold, some of it awkward in a table.
func catalogue(market string) []*listing.Listing {
	hours := &schedule.Hours{TimeZone: "Europe/Nicosia", Days: map[string][]schedule.Span{"mon": {{From: "09:00", To: "18:00"}}}, Closed: []string{"2026-12-25"}}
	return []*listing.Listing{
		{
			ID: "full", Market: market, Business: "biz", Domain: "food", Category: "restaurant", SubCategory: "meze", Place: "Girne", Address: "Harbour Road 5, \"old\" town",
			Names: map[string]string{"en": "=1+1", "tr": "Kıbrıs Evi"}, Descriptions: map[string]string{"en": "two\nlines, and a comma", "ar": "مطعم", "tr": " bir\r\niki\u00a0", "de": "' "},
			Location: &geo.Location{Lat: 35.3364, Lng: 33.3199, Address: "The old quay"}, Tags: []string{"vegan", "sea view"}, Hours: hours, Image: "https://x.example/a.jpg",
			Media: []listing.Media{{URL: "https://x.example/b.jpg", Kind: "image", Alt: "The harbour"}}, Price: &listing.Price{Minor: 100, Currency: "EUR", Per: "night"},
			Delivery: &listing.Delivery{FeeMinor: 150, MinimumMinor: 1000, RadiusMeters: 4000, Minutes: 40},
			Offerings: []schedule.Offering{{
				ID: "table", Name: "Table", TimeZone: "Europe/Nicosia", Hours: hours.Days, SlotMinutes: 30, DurationMinutes: 90, Capacity: 4, HorizonDays: 30,
				Unit: schedule.BySlot, MinParty: 1, MaxParty: 8, Currency: "EUR", Per: schedule.PerBooking,
			}},
			Items: []listing.Item{{
				ID: "meze", Kind: listing.MenuItems, Section: "Cold", Names: map[string]string{"en": "Meze, \"full\""}, PriceMinor: 1850, SoldOut: true, Stock: &listing.Stock{Count: 12, Batch: "monday"},
				Options: []listing.OptionGroup{{ID: "size", Names: map[string]string{"en": "Size"}, Min: 1, Max: 1, Choices: []listing.Choice{{ID: "l", Names: map[string]string{"en": "Large"}, PriceMinor: 300}}}},
			}},
			Merve: listing.Integration{Enabled: true, WhatsApp: "+15550101", Language: "tr", Coverage: []string{"Kyrenia"}, Actions: []listing.Action{
				{Type: listing.FoodAction, Enabled: true, DataKind: listing.MenuItems, Dispatch: listing.Dispatch{ToE164: "+15550102", Template: "New: {code}\n{lines}"}},
			}},
		},
		{
			ID: "plain", Market: market, Business: "biz", Domain: "d", Category: "c", Names: map[string]string{"en": "'=quoted"},
			Tags: []string{"a|b", "[c]"}, Merve: listing.Integration{Coverage: []string{" edge "}},
		},
	}
}

func TestExchangeRoundTrip(t *testing.T) {
	t.Parallel()
	for _, f := range listing.Formats() {
		var out bytes.Buffer
		want := catalogue("m")
		if err := f.Write(&out, want); err != nil {
			t.Fatal(err)
		}
		got, errs := f.Read(bytes.NewReader(append([]byte("\ufeff"), out.Bytes()...)), "m")
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || errs != nil {
			t.Errorf("%s: %v; written (-) and read (+):\n%s\n%s", f.Name, errs, diff, out.String())
		}
		if strings.Contains(out.String(), "updatedAt") || strings.Contains(out.String(), "marketId") {
			t.Errorf("%s tells what is the store's: %s", f.Name, out.String())
		}
	}
}

// What a spreadsheet would compute is shown instead.
func TestExchangeGuardsFormulas(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := format(t, "csv").Write(&out, catalogue("m")); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), ",'=1+1,") || !strings.Contains(out.String(), ",''=quoted,") || !strings.Contains(out.String(), ",'+15550101,") {
		t.Error(out.String())
	}
}

func TestExchangeErrors(t *testing.T) {
	t.Parallel()
	const head = "id,businessId,domain,category,name.en"
	for _, tt := range []struct {
		format, text string
		want         []listing.RowError
	}{
		{"csv", "", []listing.RowError{{Row: 1, Detail: "want a table as CSV with a header"}}},
		{"csv", "id;name.en\na;b", []listing.RowError{{Row: 1, Detail: "the columns must be separated by commas, not semicolons"}}},
		{"csv", "id,colour\na,b", []listing.RowError{{Row: 1, Field: "colour", Detail: "no such column, or twice"}}},
		{"csv", "name.en\nb", []listing.RowError{{Row: 1, Field: "id", Detail: "the column is missing"}}},
		{"csv", head + "\na,b,d,c,A\na,b,d,c,B\n,,,,\nx y,b,d,c,C\nz,b,,c,D\n", []listing.RowError{
			{Row: 3, Field: "id", Detail: "row 2 has it already"},
			{Row: 5, Field: "id", Detail: ident.WantLegal},
			{Row: 6, Field: "domain", Detail: "want 1 to 80 characters without #"},
		}},
		{"csv", head + ",lat,enabled,items\na,b,d,c,A,35,,\nb,b,d,c,B,north,,\nc,b,d,c,C,,maybe,\nd,b,d,c,D,,,[{]\ne,b,d,c,E,,,\"[{\"\"id\"\":7}]\"\n", []listing.RowError{
			{Row: 2, Field: "lat", Detail: "want both lat and lng, or neither"},
			{Row: 3, Field: "lat", Detail: "want degrees, such as 35.3364"},
			{Row: 4, Field: "enabled", Detail: "want true or false"},
			{Row: 5, Field: "items", Detail: "the JSON cannot be read"},
			{Row: 6, Field: "items", Detail: "id: want string, not number"},
		}},
		{"csv", head + "\na,b,d,c,A,more\n\"b,b\n", []listing.RowError{
			{Row: 2, Detail: "has 6 cells, and the header 5"},
			{Row: 3, Detail: `the row cannot be read: extraneous or missing " in quoted-field`},
		}},
		{"csv", head + "\na,b,d,c,\xff\n", []listing.RowError{{Row: 2, Field: "name.en", Detail: "want UTF-8"}}},
		{"jsonl", "{\n \n[]\n{\"id\":\"a\"}{}\n{\"colour\":1}\n{\"id\":\"a\",\"merve\":{\"toolType\":\"castle\"}}\n", []listing.RowError{
			{Row: 1, Detail: "the JSON cannot be read"}, {Row: 3, Detail: "want one JSON object on the line"},
			{Row: 4, Detail: "want one JSON value, and nothing after it"}, {Row: 5, Field: "colour", Detail: "no such field"},
			{Row: 6, Field: "merve.toolType", Detail: "want one of [activity provider restaurant stay]"},
		}},
		{"csv", head + ",items,actions\na,b,d,c,A,\"[{\"\"price\"\":7}]\",\nb,b,d,c,A,,\"[{\"\"actionType\"\":\"\"book\"\",\"\"enabld\"\":true}]\"\nc,b,d,c,A,[] 7,\n", []listing.RowError{
			{Row: 2, Field: "items", Detail: "price: no such field"}, {Row: 3, Field: "actions", Detail: "enabld: no such field"},
			{Row: 4, Field: "items", Detail: "want one JSON value, and nothing after it"},
		}},
		{"jsonl", `{"merve":{"whatsappe164s":""}}` + "\n" + `{"merve":{"actions":[{"actionType":"book","enabld":true}]}}` + "\n" + `{"offerings":[{"hours":{"mon":[{"until":"24:00"}]}}]}` + "\n" + `{"id":7}` + "\n" + `{"merve":{"actions":[{"type":7}]}}`, []listing.RowError{
			{Row: 1, Field: "whatsappe164s", Detail: "no such field"}, {Row: 2, Field: "enabld", Detail: "no such field"}, {Row: 3, Field: "until", Detail: "no such field"},
			{Row: 4, Field: "id", Detail: "want string, not number"}, {Row: 5, Field: "merve.actions.type", Detail: "want string, not number"},
		}},
		{"jsonl", `{"id":"a","location":{"lat":35.3}}` + "\n" + `{"id":"b","location":{"lng":33.3}}`, []listing.RowError{
			{Row: 1, Field: "location.lng", Detail: "missing"}, {Row: 2, Field: "location.lat", Detail: "missing"},
		}},
		{"jsonl", `{"id":"a","marketId":"other"}`, []listing.RowError{{Row: 1, Field: "marketId", Detail: "want m, or nothing"}}},
	} {
		if _, errs := format(t, tt.format).Read(strings.NewReader(tt.text), "m"); !cmp.Equal(tt.want, errs) {
			t.Errorf("%q:\n%s", tt.text, cmp.Diff(tt.want, errs))
		}
	}
}

// The older form of a listing's actions becomes actions in a table, too.
func TestExchangeOlderForm(t *testing.T) {
	t.Parallel()
	all, errs := format(t, "csv").Read(strings.NewReader("id,businessId,domain,category,name.en,enabled,toolType,dispatchTemplate\na,b,d,c,A,TRUE,restaurant,New: {code}\nb,b,d,c,B,,castle,\n"), "m")
	if len(all) != 1 || len(all[0].Merve.Actions) != 2 || all[0].Merve.Actions[0].Dispatch.Template != "New: {code}" || !all[0].Merve.Enabled {
		t.Errorf("read %+v", all)
	}
	if len(errs) != 1 || errs[0].Row != 3 || errs[0].Field != "merve.toolType" {
		t.Errorf("errors %+v", errs)
	}
}

// Rows that contradict each other are wrong before anything is stored; what contradicts a listing
// that no row names is said of its own.
func TestImportHoldsToOneCalendar(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	elsewhere := by("c", 480)
	elsewhere.Business = "other"
	if err := format(t, "jsonl").Write(&file, []*listing.Listing{by("a", 60), elsewhere, by("b", 480), by("d", 60)}); err != nil {
		t.Fatal(err)
	}
	c := newCatalog(t, by("there", 60))
	all, wrong := format(t, "jsonl").Read(&file, c.market)
	if len(all) != 3 || len(wrong) != 1 || wrong[0].Row != 3 || wrong[0].Field != "offerings[0].slotMinutes" || !strings.Contains(wrong[0].Detail, "listing a ") {
		t.Errorf("read %d, %+v", len(all), wrong)
	}
	late := by("late", 480)
	late.Market = c.market
	_, err := c.Import(t.Context(), []*listing.Listing{late}, "staff:ann")
	if message, field := fault.Public(err); field != "offerings[0].slotMinutes" || !strings.HasPrefix(message, "of listing late: listing there ") {
		t.Errorf("%v", err)
	}
}

// The listings of a business do not get into each other's way.
func TestImportOfManyOfOneBusiness(t *testing.T) {
	t.Parallel()
	c := newCatalog(t)
	var all []*listing.Listing
	for n := range 40 {
		l := by(fmt.Sprint("l", n), 60)
		l.Market = c.market
		all = append(all, l)
	}
	if got, err := c.Import(t.Context(), all, "staff:ann"); err != nil || got.Stored != 40 {
		t.Errorf("imported %+v, %v", got, err)
	}
}

func TestImportAgainChangesNothing(t *testing.T) {
	t.Parallel()
	s := newCatalog(t)
	m := s.market
	for _, want := range []listing.Imported{{Rows: 2, Stored: 2}, {Rows: 2, Unchanged: 2}} {
		if got, err := s.Import(t.Context(), catalogue(m), "staff:ann"); err != nil || got != want {
			t.Errorf("imported %+v, %v, want %+v", got, err, want)
		}
	}
	for _, f := range listing.Formats() {
		var out bytes.Buffer
		all, err := s.Whole(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Write(&out, all); err != nil {
			t.Fatal(err)
		}
		back, wrong := f.Read(&out, m)
		if got, err := s.Import(t.Context(), back, "staff:ann"); err != nil || wrong != nil || got.Stored > 0 {
			t.Errorf("its %s: imported %+v, %v, %v", f.Name, got, err, wrong)
		}
	}
	changed := catalogue(m)
	changed[1].Names["en"] = "Other"
	if got, err := s.Import(t.Context(), changed, "staff:bob"); err != nil || got.Stored != 1 {
		t.Errorf("one of two changed: %+v, %v", got, err)
	}
	all, err := s.Whole(t.Context(), m)
	if err != nil || len(all) != 2 || len(all[0].Items) != 1 || all[0].UpdatedBy != "staff:ann" || all[1].UpdatedBy != "staff:bob" {
		t.Errorf("stored %+v, %v", all, err)
	}
	changed[1].Names = nil
	if _, err := s.Import(t.Context(), changed, "staff:bob"); err == nil {
		t.Error("a listing without a name was stored")
	}
}

// What is empty says as much as what is missing: no format tells one from the other.
func TestImportOfNothingSaidChangesNothing(t *testing.T) {
	t.Parallel()
	l := plain("a", "bar", 500)
	l.Names["tr"], l.Descriptions, l.Offerings, l.Tags = "", map[string]string{}, []schedule.Offering{}, []string{}
	s := newCatalog(t, l)
	for _, f := range listing.Formats() {
		var out bytes.Buffer
		if err := f.Write(&out, []*listing.Listing{l}); err != nil {
			t.Fatal(err)
		}
		back, wrong := f.Read(&out, s.market)
		if got, err := s.Import(t.Context(), back, "staff:ann"); err != nil || wrong != nil || got.Stored > 0 {
			t.Errorf("%s: imported %+v, %v, %v", f.Name, got, err, wrong)
		}
	}
}

// A catalogue that is read while a listing changes has it with the items of its version.
func TestWholeInTheMiddleOfAChange(t *testing.T) {
	t.Parallel()
	stew := listing.Item{ID: "stew", Kind: soup.Kind, Names: map[string]string{"en": "Stew"}}
	for name, then := range map[string][]listing.Item{"other items": {stew}, "no items": nil} {
		l := plain("a", "bar", 500)
		l.Items = []listing.Item{soup}
		c := newCatalog(t, l, plain("b", "bar", 500))
		requests := 0
		late := &listing.Store{Now: c.now, Table: dynamotest.Once(t, hook(func() {
			if requests++; requests == 2 { // between the listings and the items
				l.Items = then
				c.put(l)
			}
		})).Table(dynamotest.TableName("catalog"))}
		all, err := late.Whole(t.Context(), c.market)
		if err != nil || len(all) != 2 || all[0].Version != 2 || len(all[0].Items) != len(then) {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
}
