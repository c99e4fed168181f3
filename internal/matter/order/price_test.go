package order

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"merve/internal/base/fault"
	"merve/internal/base/seedtest"
	"merve/internal/record/listing"
)

func grill() *listing.Listing {
	en := func(s string) map[string]string { return map[string]string{"en": s, "tr": "T" + s} }
	return &listing.Listing{ID: "grill", Names: en("Grill"), Items: []listing.Item{
		{ID: "wrap", Kind: listing.MenuItems, Names: en("Wrap"), PriceMinor: 650, Options: []listing.OptionGroup{
			{ID: "size", Names: en("Size"), Min: 1, Max: 1, Choices: []listing.Choice{{ID: "s", Names: en("Small")}, {ID: "l", Names: en("Large"), PriceMinor: 150}}},
			{ID: "extra", Names: en("Extra"), Max: 2, Choices: []listing.Choice{{ID: "c", Names: en("Cheese"), PriceMinor: 100}, {ID: "x", Names: en("Chili")}, {ID: "t", Names: en("Truffle"), SoldOut: true}}},
		}},
		{ID: "soup", Kind: listing.MenuItems, Names: en("Soup"), PriceMinor: 400},
		{ID: "fish", Kind: listing.MenuItems, Names: en("Fish"), PriceMinor: 1900, SoldOut: true},
		{ID: "m1", Kind: listing.MenuItems, Names: en("Water"), PriceMinor: 100},
	}}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		wanted []Wanted
		lines  []Line
		total  int64
		field  string
	}{
		"by id":            {[]Wanted{{Item: "soup", Quantity: 3}}, []Line{{Item: "soup", Name: "Soup", Quantity: 3, TotalMinor: 1200}}, 1200, ""},
		"by an id alone":   {[]Wanted{{Item: "m1"}}, []Line{{Item: "m1", Name: "Water", Quantity: 1, TotalMinor: 100}}, 100, ""},
		"by name":          {[]Wanted{{Item: "tsoup"}}, []Line{{Item: "soup", Name: "Soup", Quantity: 1, TotalMinor: 400}}, 400, ""},
		"options":          {[]Wanted{{Item: "wrap", Quantity: 2, Options: []string{"c", "l"}}}, []Line{{Item: "wrap", Name: "Wrap", Options: []string{"Large", "Cheese"}, Quantity: 2, TotalMinor: 1800}}, 1800, ""},
		"options by name":  {[]Wanted{{Item: "wrap", Options: []string{"SMALL"}}}, []Line{{Item: "wrap", Name: "Wrap", Options: []string{"Small"}, Quantity: 1, TotalMinor: 650}}, 650, ""},
		"several":          {[]Wanted{{Item: "soup"}, {Item: "soup", Note: " hot "}}, []Line{{Item: "soup", Name: "Soup", Quantity: 1, TotalMinor: 400}, {Item: "soup", Name: "Soup", Quantity: 1, TotalMinor: 400, Note: "hot"}}, 800, ""},
		"nothing":          {nil, nil, 0, "items"},
		"too much":         {make([]Wanted, MaxLines+1), nil, 0, "items"},
		"no such item":     {[]Wanted{{Item: "soup"}, {Item: "pizza"}}, nil, 0, "items[1].itemId"},
		"sold out":         {[]Wanted{{Item: "fish"}}, nil, 0, "items[0].itemId"},
		"too many":         {[]Wanted{{Item: "soup", Quantity: 51}}, nil, 0, "items[0].quantity"},
		"fewer than none":  {[]Wanted{{Item: "soup", Quantity: -1}}, nil, 0, "items[0].quantity"},
		"a long note":      {[]Wanted{{Item: "soup", Note: strings.Repeat("x", MaxNote+1)}}, nil, 0, "items[0].note"},
		"no size":          {[]Wanted{{Item: "wrap"}}, nil, 0, "items[0].options"},
		"two sizes":        {[]Wanted{{Item: "wrap", Options: []string{"s", "l"}}}, nil, 0, "items[0].options"},
		"option sold out":  {[]Wanted{{Item: "wrap", Options: []string{"s", "t"}}}, nil, 0, "items[0].options"},
		"no such option":   {[]Wanted{{Item: "soup", Options: []string{"l"}}}, nil, 0, "items[0].options"},
		"an option twice":  {[]Wanted{{Item: "wrap", Options: []string{"s", "c", "c"}}}, []Line{{Item: "wrap", Name: "Wrap", Options: []string{"Small", "Cheese"}, Quantity: 1, TotalMinor: 750}}, 750, ""},
		"a name of no one": {[]Wanted{{Item: ""}}, nil, 0, "items[0].itemId"},
	} {
		lines, total, err := Price(grill(), listing.Action{}, "en", tt.wanted)
		if _, field := fault.Public(err); field != tt.field || total != tt.total {
			t.Errorf("%s: total %d, %v", name, total, err)
		}
		if d := cmp.Diff(tt.lines, lines); d != "" && tt.field == "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Who asks for what there is not, is told what there is.
func TestWhatThereIsInstead(t *testing.T) {
	t.Parallel()
	empty := grill()
	for i := range empty.Items {
		empty.Items[i].SoldOut = true
	}
	inn := grill()
	inn.Items = append(inn.Items,
		listing.Item{ID: "double", Kind: listing.MenuItems, Names: map[string]string{"en": "Double room"}, OfferingID: "double"},
		listing.Item{ID: "wash", Kind: listing.Services, Names: map[string]string{"en": "Wash"}})
	food, any := listing.Action{Type: listing.FoodAction, DataKind: listing.MenuItems}, listing.Action{Type: listing.FoodAction}
	for _, tt := range []struct {
		l      *listing.Listing
		action listing.Action
		wanted Wanted
		says   string
	}{
		{inn, food, Wanted{Item: "double"}, "Double room is not ordered like this, and booked where it has an offeringId; there is: Wrap (wrap), Soup (soup), Water (m1)"},
		{inn, food, Wanted{Item: "wash"}, "Wash is not ordered like this, and booked where it has an offeringId; there is: Wrap (wrap), Soup (soup), Water (m1)"},
		{inn, any, Wanted{Item: "double"}, "Double room is not ordered like this, and booked where it has an offeringId; there is: Wrap (wrap), Soup (soup), Water (m1), Wash (wash)"},
		{grill(), food, Wanted{Item: "pizza"}, "no such item on the menu; there is: Wrap (wrap), Soup (soup), Water (m1)"},
		{empty, food, Wanted{Item: "pizza"}, "no such item on the menu; there is: nothing at the moment"},
		{grill(), food, Wanted{Item: "wrap"}, "Size: want 1 of: Small (s), Large (l)"},
		{grill(), food, Wanted{Item: "wrap", Options: []string{"s", "c", "x", "t"}}, "Truffle is sold out; Extra: Cheese (c), Chili (x)"},
	} {
		_, _, err := Price(tt.l, tt.action, "en", []Wanted{tt.wanted})
		if says, _ := fault.Public(err); says != tt.says {
			t.Errorf("%+v: %q, want %q", tt.wanted, says, tt.says)
		}
	}
	if _, _, err := Price(inn, any, "en", []Wanted{{Item: "wash"}}); err != nil {
		t.Errorf("an action about items of any kind: %v", err)
	}
}

// Whatever is ordered, the total is what the lines come to, and each line what the menu says.
func TestTotalsAddUp(t *testing.T) {
	t.Parallel()
	l := grill()
	seedtest.Check(t, func(t *rapid.T) {
		wanted := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Wanted {
			return Wanted{
				Item: rapid.SampledFrom([]string{"wrap", "soup", "fish", "x"}).Draw(t, "item"), Quantity: rapid.IntRange(-1, 60).Draw(t, "quantity"),
				Options: rapid.SliceOfN(rapid.SampledFrom([]string{"s", "l", "c", "x", "t", "?"}), 0, 4).Draw(t, "options"),
			}
		}), 0, 5).Draw(t, "wanted")
		lines, total, err := Price(l, listing.Action{}, "en", wanted)
		if err != nil {
			return
		}
		var sum int64
		for i, line := range lines {
			item, _ := l.Item(line.Item)
			each := item.PriceMinor
			for _, o := range line.Options {
				each += map[string]int64{"Large": 150, "Cheese": 100}[o]
			}
			if line.TotalMinor != each*int64(line.Quantity) || line.Quantity != max(wanted[i].Quantity, 1) || item.SoldOut {
				t.Errorf("%+v of %+v", line, wanted[i])
			}
			sum += line.TotalMinor
		}
		if sum != total {
			t.Errorf("total %d of lines for %d", total, sum)
		}
	})
}

// Positions of the same item count together against what one order may have of it.
func TestField15_PositionsOfOneItemAddUp(t *testing.T) {
	t.Parallel()
	wanted := []Wanted{{Item: "soup", Quantity: 30}, {Item: "wrap", Options: []string{"s"}}, {Item: "Soup", Quantity: 20}}
	if _, total, err := Price(grill(), listing.Action{}, "en", wanted); err != nil || total != 50*400+650 {
		t.Errorf("50 soups: %d, %v", total, err)
	}
	wanted[2].Quantity = 21
	if _, _, err := Price(grill(), listing.Action{}, "en", wanted); err == nil {
		t.Error("51 soups in two positions")
	} else if _, field := fault.Public(err); field != "items[2].quantity" {
		t.Errorf("names %q", field)
	}
}

// What a business says of the time is never before the time that was ordered for.
func TestExpected(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 12, 0, 30, 0, time.UTC)
	later := Order{When: at.Add(5 * time.Hour), TimeZone: "UTC"}
	for text, want := range map[string]struct {
		o  Order
		at string
	}{
		"ok 20":          {Order{TimeZone: "UTC"}, "23 12:20"},
		"accept 20":      {later, "23 17:00"},
		"yes 400 min":    {later, "23 18:40"},
		"accept 19:30":   {later, "23 19:30"},
		"accept 16:30":   {later, "23 17:00"},
		"accept 00:15":   {Order{When: at.Add(35*time.Hour + 30*time.Minute), TimeZone: "UTC"}, "25 00:15"},
		"accept 23:50":   {Order{When: at.Add(36*time.Hour + 30*time.Minute), TimeZone: "UTC"}, "25 00:30"},
		"accepted 09:00": {Order{TimeZone: "UTC"}, "24 09:00"},
		"ok":             {later, "1 00:00"},
		"accept 12:00":   {Order{TimeZone: "UTC"}, "23 12:00"},
		"ok 12:00":       {Order{When: at.Truncate(time.Minute), TimeZone: "UTC"}, "23 12:00"},
		"accept 11:59":   {Order{TimeZone: "UTC"}, "24 11:59"},
		"yes 11:50":      {Order{When: at.Add(-15 * time.Minute), TimeZone: "UTC"}, "23 11:50"},
		"accepted 10:00": {Order{When: at.Add(-time.Hour), TimeZone: "UTC"}, "24 10:00"},
	} {
		s, ok := read(text)
		if got := s.eta(want.o, at).Format("2 15:04"); !ok || got != want.at {
			t.Errorf("%q: %s, want %s", text, got, want.at)
		}
	}
}

// A time that the clocks skip is none: it is not moved without a word.
func TestATimeThatTheClocksSkip(t *testing.T) {
	t.Parallel()
	now := time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{"2027-03-28T02:30": "28 00:30", "2027-03-28T03:30": "", "2027-03-28T9:30": "28 06:30", "2027-03-28T04:30": "28 01:30"} {
		at, err := timeOf(text, "Europe/Nicosia", now)
		if _, field := fault.Public(err); want == "" && field != "when" || want != "" && (err != nil || at.Format("2 15:04") != want) {
			t.Errorf("%s: %s, %v; want %q", text, at, err, want)
		}
	}
}
