package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/appointment"
	quotes "merve/internal/matter/quote"
	"merve/internal/matter/taxi"
	"merve/internal/matter/vendor"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/record/place"
	"merve/internal/record/stock"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/schedule"
)

// TestController holds the controller's pages to what the people who run a market do with them.
func TestController(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	tests := map[string]func(*testing.T, context.Context){
		"Bound":    changeBound,
		"Conflict": saveOverAnothers,
		"Template": wordTemplate,
		"Tool":     switchToolOff,
		"Voice":    wordGreeting,
		"Request":  followRequest,
		"Switch":   switchMarketOff,
		"Listing":  changeListing,
		"Offering": changeOffering,
		"Prices":   priceInItsCurrency,
		"Counts":   countItems,
		"Import":   bringCatalogue,
		"Driver":   addDriver,
		"Vendor":   addVendor, "Customer": addCustomer, "Technician": addTechnician,
		"Place":      addPlace,
		"Ride":       cancelRide,
		"Search":     findThreads,
		"Thread":     takeThreadOver,
		"Newest":     newestFirst,
		"Alerts":     alertsLead,
		"AnswerAnew": answerAnew,
		"Unsaved":    keepUnsaved,
		"Meanwhile":  changeWhileSaving,
		"HalfWay":    answerHalfWritten,
		"Accessible": controllerAccessible,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, browser)
		})
	}
}

// labelled finds a control by its label, which may be another's beginning.
func labelled(label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('label')].find((l) => l.textContent.startsWith(%s))?.control`, quote(label))
}

// fill writes into a control as somebody who types does.
func (c *controller) fill(label, text string) {
	c.Helper()
	c.wait(labelled(label))
	c.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const n = %s; n.closest('details')?.setAttribute('open', ''); n.focus(); n.select?.(); }`, labelled(label))))
	c.write(text)
}

// pressed presses the button with these words.
func (c *controller) pressed(words string) {
	c.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll('button, .button')].find((b) => b.checkVisibility() && b.textContent === %s)`, quote(words))
	c.wait(button)
	c.do(chromedp.Evaluate[chromedp.Void](button + `.click()`))
}

// sure answers the question that is asked with yes.
func (c *controller) sure(question string) {
	c.Helper()
	c.waitText("#sure[open] h2", question)
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#sure-yes').click()`))
}

func changeBound(t *testing.T, browser context.Context) {
	c := control(t, browser, "market", desktop)
	c.waitText("h1", "Girne")
	c.waitText(".setting", "Default: 8 rounds.")
	c.fill("Rounds of thinking", "99")
	c.waitText(".bar .count", "1 change is not saved")
	c.pressed("Save")
	c.waitText(".wrong", "want 1 to 30")
	same(c.tab, "focus", eval[string](c.tab, `document.activeElement.value`), "99")
	c.fill("Rounds of thinking", "5")
	c.fill("Cost of one answer", "0.5")
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.bar details').open = true`))
	c.waitText(".bar .changes", "Rounds of thinking: 8 rounds → 5 rounds")
	c.waitText(".bar .changes", "Cost of one answer: 0.25 US dollars → 0.5 US dollars")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	if s := c.now().Safety; s.MaxRounds != 5 || s.TurnMicroUSD != 500_000 {
		t.Errorf("saved %+v", s)
	}
	c.pressed("Undo")
	c.waitText(".done", "Undone")
	if s := c.now().Safety; s.MaxRounds != 8 || s.TurnMicroUSD != 250_000 {
		t.Errorf("after undo: %+v", s)
	}
	c.open("history")
	c.waitText(".versions .row", "Rounds of thinking: 5 rounds → 8 rounds")
	c.waitText(".versions .row", "by staff:local")
	c.pressed("Go back to version 2…")
	c.sure("Go back to version 2?")
	c.waitText(".done", "saved as version 4")
	same(c.tab, "rounds as they were", c.now().Safety.MaxRounds, 5)
}

// What is changed while something is being saved is not lost: it is not saved yet.
func changeWhileSaving(t *testing.T, browser context.Context) {
	c := control(t, browser, "market", desktop)
	c.do(chromedp.Evaluate[chromedp.Void](`{
		const send = window.fetch;
		const held = new Promise((release) => { window.release = release; });
		window.fetch = async (...request) => { const answer = await send(...request); await held; return answer; };
	}`))
	c.fill("Rounds of thinking", "5")
	c.pressed("Save")
	c.fill("Rounds of thinking", "6")
	c.fill("Cost of one answer", "0.5")
	c.do(chromedp.Evaluate[chromedp.Void](`release()`))
	c.waitText(".done", "Saved.")
	c.waitText(".bar .count", "2 changes are not saved")
	same(c.tab, "saved", c.now().Safety.MaxRounds, 5)
	c.pressed("Save")
	c.wait(`document.querySelector('.bar').hidden`)
	if s := c.now().Safety; s.MaxRounds != 6 || s.TurnMicroUSD != 500_000 {
		t.Errorf("saved %+v", s)
	}
}

func saveOverAnothers(t *testing.T, browser context.Context) {
	c := control(t, browser, "market", desktop)
	other := c.now()
	other.Name, other.Safety.MaxCalls = "Girne and Lapta", 12
	if _, err := c.base.Markets().Save(t.Context(), *other, "staff:bob"); err != nil {
		t.Fatal(err)
	}
	c.fill("Rounds of thinking", "5")
	c.fill("Tools used for one answer", "11")
	c.pressed("Save")
	c.waitText(".conflict", "Saved by staff:bob")
	c.waitText(".conflict .changes", "Name: Girne → Girne and Lapta")
	c.waitText(".conflict", "You both changed Tools used for one answer.")
	c.pressed("Keep mine on top of theirs")
	c.waitText("h1", "Girne and Lapta")
	c.waitText(".bar .count", "2 changes are not saved")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	if m := c.now(); m.Name != "Girne and Lapta" || m.Safety.MaxRounds != 5 || m.Safety.MaxCalls != 11 || m.Version != 3 {
		t.Errorf("stored %+v", m)
	}
}

func wordTemplate(t *testing.T, browser context.Context) {
	c := control(t, browser, "messages", desktop)
	c.waitText(".message .bubble", "New confirmed booking: K7QF") // the product's own
	c.do(chromedp.Focus(chromedp.CSS(".message textarea")))
	c.write("{nobody} has booked ")
	c.waitText(".message .wrong", "There is no {nobody} here.")
	c.pressed("Save")
	c.waitText(".trouble", "unknown variable {nobody}")
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.message textarea').select()`))
	c.write("Booked: ")
	c.click(".message .chip")
	c.waitText(".message .bubble", "Booked: K7QF")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	same(c.tab, "template", c.now().Templates, map[string]string{"merchant_booking_confirmed": "Booked: {code}"})
}

func wordGreeting(t *testing.T, browser context.Context) {
	c := control(t, browser, "assistants", desktop)
	box, show := `[data-path="voices.pestcall.greeting.en"] textarea`, `document.querySelector('[aria-label="Show how PestCall, for calls sounds"]')`
	c.waitText("h2", "PestCall, for calls")
	c.do(chromedp.Focus(chromedp.CSS(box)))
	c.write("Ahoy, this is PestCall!")
	c.do(chromedp.Evaluate[chromedp.Void](show + `.closest('details').open = true`))
	c.do(chromedp.Evaluate[chromedp.Void](show + `.click()`))
	c.waitText(".bubble", "Ahoy, this is PestCall!")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	same(c.tab, "greeting", c.now().Voices["pestcall"].Greeting["en"], "Ahoy, this is PestCall!")
	c.pressed("Undo")
	c.waitText(".done", "Undone")
	same(c.tab, "voices after undo", len(c.now().Voices), 0)
}

func followRequest(t *testing.T, browser context.Context) {
	c := control(t, browser, "requests", desktop)
	c.waitText("h2", "No requests")
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('main details').open = true`))
	c.fill("Kind", "generator rental")
	c.fill("What is needed", "a generator of 60 kVA")
	c.fill("Where", "Kyrenia")
	c.fill("When", "Saturday")
	c.pressed("Make it")
	c.waitText(".chain", "The chain of 1 records holds.")
	c.pressed("Look for vendors")
	c.waitText(".chain", "The chain of 2 records holds.")
	id := eval[string](c.tab, `new URLSearchParams(location.search).get('request')`)
	store, job := c.base.Requests(), quotes.Job{
		ID: "oj_aaaaaaaaaaaaaaaa", Request: id, Status: quotes.JobCompleted, Tries: 1, Confidence: 0.91, NeedsCheck: []string{"lines[0].total"}, CreatedAt: time.Now(),
		Extracted: `{"lines":[{"item":"60 kVA","quantity":2,"unit_price":140,"total":290,"confidence":0.91,"check":"failed"}],"total":280,"currency":"EUR","text":"60 kVA"}`,
	}
	if err := store.Table.DB().Commit(t.Context(), store.Table.Put(dynamo.Key{PK: "request#" + id, SK: "~ocr#" + job.ID}, job)); err != nil {
		t.Fatal(err)
	}
	c.open("requests?request=" + id)
	c.waitText("td", "290 to be checked")
	c.waitText("p", "Total: 280 EUR")
	c.wait(`document.querySelector('.photos img').src.includes('/ocr/')`)
	c.pressed("Cancel it…")
	c.sure("Cancel request")
	c.waitText(".status", "Cancelled")
	c.waitText(".events", "Cancelled")
	c.open("requests")
	c.waitText("h3", "generator rental")
}

func switchToolOff(t *testing.T, browser context.Context) {
	c := control(t, browser, "tools", desktop)
	box := `[aria-label="Search listings: on"]`
	c.waitText(".tool", "As by default. Default: on, does not ask.")
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('` + box + `').click()`))
	c.waitText(".tool", "Set here.")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	if p := c.now().Tools["searchMarketplace"]; p.Enabled == nil || *p.Enabled {
		t.Errorf("stored %+v", p)
	}
	same(c.tab, "asking cannot be switched off", eval[bool](c.tab, `document.querySelector('[aria-label="Order food: ask first"]').disabled`), true)
	c.pressed("Reset to default")
	c.pressed("Save")
	c.wait(`document.querySelector('` + box + `').checked`)
	c.waitText(".done", "Saved.")
	same(c.tab, "policy", len(c.now().Tools), 0)
	c.pressed("Switch all off…")
	c.sure("Switch all tools off?")
	c.waitText(".done", "All tools are switched off.")
	c.pressed("Undo")
	c.waitText(".done", "Undone")
	same(c.tab, "policy after undo", len(c.now().Tools), 0)
	same(c.tab, "tools with words of their own", eval[int](c.tab, `[...document.querySelectorAll('label')].filter((n) => n.textContent === 'What is sent first').length`), len(market.ToolEvents()))
	c.fill("What is sent first", "Hello {nobody}")
	c.pressed("Save")
	c.waitText(`[data-path$=".template"] .wrong`, "unknown variable {nobody}")
}

func switchMarketOff(t *testing.T, browser context.Context) {
	c := control(t, browser, "market", desktop)
	second := market.Default(c.market.ID + "-b")
	if _, err := c.base.Markets().Save(t.Context(), *second, "staff:seed"); err != nil {
		t.Fatal(err)
	}
	c.open("market")
	c.fill("Rounds of thinking", "5")
	c.pressed("Switch off…")
	c.sure("Switch Girne off?")
	c.waitText(".done", "Girne is switched off.")
	same(c.tab, "enabled", c.now().Enabled, false)
	c.waitText(".bar .count", "1 change is not saved")
	same(c.tab, "rounds", c.now().Safety.MaxRounds, 8)
	c.pressed("Undo")
	c.waitText(".done", "Undone")
	same(c.tab, "enabled again", c.now().Enabled, true)
	c.waitText(".bar .count", "1 change is not saved")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	same(c.tab, "rounds that are saved", c.now().Safety.MaxRounds, 5)
}

func meze() *listing.Listing {
	return &listing.Listing{
		ID: "meze", Domain: "food", Category: "restaurant", Place: "Girne", Names: map[string]string{"en": "Meze House"},
		Items: []listing.Item{{ID: "soup", Kind: listing.MenuItems, Names: map[string]string{"en": "Soup"}, PriceMinor: 450}},
		Offerings: []schedule.Offering{{
			ID: "table", Name: "Table", TimeZone: "Asia/Nicosia", Hours: map[string][]schedule.Span{"tue": {{From: "12:00", To: "23:00"}}}, SlotMinutes: 30, DurationMinutes: 90,
			Capacity: 4, HorizonDays: 60, Unit: schedule.BySlot, MinParty: 1, MaxParty: 8, PriceMinor: 1000, Currency: "EUR", Per: schedule.PerPerson,
		}},
		Merve: listing.Integration{Enabled: true, WhatsApp: "+15550101", Actions: []listing.Action{{Type: listing.FoodAction, Enabled: true}}},
	}
}

// Prices are shown and typed with the decimals of their currency: those of a listing's items are
// in that of its first offering.
func priceInItsCurrency(t *testing.T, browser context.Context) {
	c := control(t, browser, "listings", desktop)
	l := meze()
	l.Delivery = &listing.Delivery{FeeMinor: 500}
	room := l.Offerings[0]
	l.Offerings[0].Currency, l.Offerings[0].PriceMinor, l.Offerings[0].Deposit = "KWD", 12500, &schedule.Deposit{MinMinor: 1250}
	room.ID, room.Name, room.Currency, room.PriceMinor = "room", "Room", "JPY", 9000
	l.Offerings = append(l.Offerings, room)
	c.put(l)
	c.open("listings?listing=meze")
	c.waitText("h1", "Meze House")
	same(c.tab, "prices", eval[string](c.tab, `[...document.querySelectorAll('label')].filter((l) => /\([A-Z]{3}\)$/.test(l.textContent)).map((l) => l.textContent + ' ' + l.control.value).join('; ')`),
		"Fee (KWD) 0.5; Order at least (KWD) 0; Price (KWD) 0.45; Price (KWD) 12.5; But at least (KWD) 1.25; Price (JPY) 9000")
	c.fill("Fee (KWD)", "0.75")
	c.fill("Price (JPY)", "8000")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	stored, err := c.base.Listings().Get(t.Context(), c.market.ID, "meze")
	if err != nil || stored.Delivery.FeeMinor != 750 || stored.Offerings[0].PriceMinor != 12500 || stored.Offerings[1].PriceMinor != 8000 {
		t.Errorf("stored %+v, %v", stored, err)
	}
}

func changeListing(t *testing.T, browser context.Context) {
	c := control(t, browser, "listings", desktop)
	c.waitText(".empty", "No listings yet")
	c.put(meze())
	c.open("listings")
	c.fill("Search", "mez girne")
	c.click(".rows a")
	c.waitText("h1", "Meze House")
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[aria-label="Soup: sold out"]').click()`))
	c.fill("Price (EUR)", "5.50")
	c.waitText(".bar .count", "2 changes are not saved")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	stored, err := c.base.Listings().Get(t.Context(), c.market.ID, "meze")
	if err != nil || !stored.Items[0].SoldOut || stored.Items[0].PriceMinor != 550 || stored.UpdatedBy != "staff:local" {
		t.Errorf("stored %+v, %v", stored, err)
	}

	// The older form is shown as what it becomes.
	c.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('summary')].find((s) => s.textContent === 'From an older catalogue').click()`))
	c.fill("Wording", "New: {code}")
	c.pressed("Show what it becomes")
	c.waitText(".answer .changes", "Order food, about menu items, saying “New: {code}”")
	c.pressed("Use these actions")
	c.waitText(".bar .count", "3 changes are not saved") // another wording, what it is about, and one action more
	c.pressed("Discard")

	c.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('summary')].find((s) => s.textContent === 'History').click()`))
	c.waitText(".versions", "Item “soup”: sold out: nothing → yes")
	c.pressed("Go back to version 1…")
	c.sure("Go back to version 1?")
	c.waitText(".done", "as in version 1 again")
	if stored, err = c.base.Listings().Get(t.Context(), c.market.ID, "meze"); err != nil || stored.Items[0].SoldOut || stored.Version != 3 {
		t.Errorf("after going back: %+v, %v", stored, err)
	}
	c.pressed("Take this listing away…")
	c.sure("Take Meze House away?")
	c.waitText(".done", "Meze House is taken away.")
	c.pressed("Undo")
	c.waitText("h1", "Meze House")
}

// What can be booked, what is paid ahead and who pays more is set without a word of code, and what
// is wrong is shown where it was typed.
func changeOffering(t *testing.T, browser context.Context) {
	c := control(t, browser, "listings", desktop)
	c.put(meze())
	c.open("listings?listing=meze")
	c.waitText("h1", "Meze House")
	c.wait(`document.querySelector('.bar').hidden`)
	tick := func(name string) {
		t.Helper()
		c.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector('[aria-label=%s]').click()`, quote(name))))
	}
	tick("Table: something is paid ahead")
	c.fill("Share of the price", "150")
	c.pressed("Save")
	c.waitText(`[data-path="offerings[0].deposit.percentOfPrice"] .wrong`, "want 0 to 100")
	c.fill("Share of the price", "25")
	c.fill("Cancelled for nothing until", "48")
	tick("Table: there is a rule for who did not come before")
	c.fill("Who missed this many bookings", "3")
	c.fill("Monday", "18:00-23:00")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	stored, err := c.base.Listings().Get(t.Context(), c.market.ID, "meze")
	if err != nil {
		t.Fatal(err)
	}
	want := meze().Offerings[0]
	want.Deposit, want.NoShows = &schedule.Deposit{PercentOfPrice: 25, RefundUntilHours: 48}, &schedule.NoShows{Count: 3, Days: 90}
	want.Hours["mon"] = []schedule.Span{{From: "18:00", To: "23:00"}}
	if diff := cmp.Diff([]schedule.Offering{want}, stored.Offerings); diff != "" {
		t.Error(diff)
	}
	lunch := meze()
	lunch.ID, lunch.Offerings = "lunch", stored.Offerings
	c.put(lunch)
	c.fill("A booking can begin every", "60")
	c.pressed("Save")
	c.waitText(`[data-path="offerings[0].slotMinutes"] .wrong`, "listing lunch of the business has table, too")
	c.fill("A booking can begin every", "30")
	c.fill("Tuesday", "10:00-23:00")
	c.pressed("Save")
	c.waitText(`[data-path^="offerings[0].hours."] .wrong`, "listing lunch of the business has table, too")
	c.fill("Tuesday", "12:00-23:00")
	c.pressed("Add something to book")
	c.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`))
	c.write("Room")
	c.do(chromedp.Evaluate[chromedp.Void](`{ const n = [...document.querySelectorAll('.offerings select')].filter((s) => s.value === 'slot').at(-1); n.value = 'night'; n.dispatchEvent(new Event('change')); }`))
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	if stored, err = c.base.Listings().Get(t.Context(), c.market.ID, "meze"); err != nil {
		t.Fatal(err)
	}
	if o := stored.Offerings[1]; o.ID != "meze-nights" || o.Name != "Room" || o.Unit != schedule.ByNight || o.Capacity != 1 || o.TimeZone != c.now().TimeZone {
		t.Errorf("added %+v", o)
	}
}

// Whatever is saved, undone or brought back puts nothing back that was sold meanwhile.
func countItems(t *testing.T, browser context.Context) {
	c := control(t, browser, "listings", desktop)
	c.put(meze())
	c.open("listings")
	c.fill("Search", "mez girne")
	c.click(".rows a")
	c.waitText("h1", "Meze House")
	left := func(want int) {
		t.Helper()
		l, err := c.base.Listings().Get(t.Context(), c.market.ID, "meze")
		if err == nil {
			err = c.base.Listings().Count(t.Context(), l)
		}
		if n, counted := l.Left["soup"]; err != nil || n != want || !counted {
			t.Errorf("left %v, want %d, %v", l.Left, want, err)
		}
	}
	save := func(label, value string) {
		t.Helper()
		c.fill(label, value)
		c.waitText(".bar .count", "1 change is not saved")
		c.pressed("Save")
		c.waitText(".done", "Saved.")
	}
	sell := func(order string) {
		t.Helper()
		h := stock.Holding{Market: c.market.ID, Listing: "meze", Order: order, Owner: "session:ann", Items: map[string]int{"soup": 2}}
		if err := c.base.Orders().Table.DB().Commit(t.Context(), c.base.Orders().Stock.Take(h)...); err != nil {
			t.Fatal(err)
		}
	}
	save("Left", "5")
	left(5)
	sell("or_1")
	save("Price (EUR)", "5.50")
	left(3)
	save("Left", "20")
	left(20)
	c.pressed("Undo")
	c.waitText(".done", "Undone")
	left(3)
	sell("or_2")
	c.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll('summary')].find((s) => s.textContent === 'History').click()`))
	c.pressed("Go back to version 1…")
	c.sure("Go back to version 1?")
	c.waitText(".done", "as in version 1 again")
	left(1)
}

// give puts a file into the page's chooser.
func (c *controller) give(name, text string) {
	c.Helper()
	c.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const files = new DataTransfer();
		files.items.add(new File([%s], %s));
		const input = document.querySelector('#file');
		input.closest('details').open = true;
		input.files = files.files;
		input.dispatchEvent(new Event('change'));
	}`, quote(text), quote(name))))
}

func bringCatalogue(t *testing.T, browser context.Context) {
	const head = "id,businessId,domain,category,name.en\n"
	c := control(t, browser, "listings", desktop)
	c.give("cat.csv", head+"a,b,food,restaurant,Alpha\nb,b,food,restaurant,\n")
	c.sure("Bring in cat.csv?")
	c.waitText(".trouble", "1 row is wrong; nothing was stored")
	c.waitText("table td", "want a name in at least one language")
	same(c.tab, "row", c.texts("tbody td")[:2], []string{"3", "names"})
	if all, err := c.base.Listings().Whole(t.Context(), c.market.ID); err != nil || len(all) > 0 {
		t.Errorf("stored %d of a wrong file, %v", len(all), err)
	}
	c.give("cat.csv", head+"a,b,food,restaurant,Alpha\nb,b,food,restaurant,Beta\n")
	c.sure("Bring in cat.csv?")
	c.waitText(".done", "2 rows brought in: 2 new or changed")
	c.waitText(".rows", "Beta")
}

func addDriver(t *testing.T, browser context.Context) {
	c := control(t, browser, "drivers", desktop)
	c.pressed("Add a driver")
	c.waitText("h1", "New driver")
	c.fill("Name", "Dina Demir")
	c.fill("WhatsApp number", "0533")
	c.fill("Districts", "Kyrenia, Lapta")
	c.pressed("Save")
	c.waitText(".wrong", "want E.164")
	c.fill("WhatsApp number", "+90 533 000 00 01")
	c.pressed("Save")
	c.waitText("h1", "Dina Demir")
	all, err := c.base.Drivers().List(t.Context(), c.market.ID)
	if err != nil || len(all) != 1 || all[0].ID != "dina-demir" || all[0].Phone != "+905330000001" || len(all[0].Districts) != 2 {
		t.Errorf("stored %+v, %v", all, err)
	}
	c.pressed("Take this driver away…")
	c.sure("Take Dina Demir away?")
	c.waitText(".done", "Dina Demir is taken away.")
}

func addVendor(t *testing.T, browser context.Context) {
	c := control(t, browser, "vendors", desktop)
	c.waitText(".empty", "No vendors yet")
	c.pressed("Add a vendor")
	c.waitText("h1", "New vendor")
	c.fill("Name", "Kyrenia Power")
	c.fill("Kind", "generator rental")
	c.fill("Words", "60 kVA, diesel")
	c.fill("WhatsApp number", "0533")
	c.pressed("Save")
	c.waitText(".wrong", "want E.164")
	c.fill("WhatsApp number", "+90 533 000 00 09")
	c.fill("Position", "35.34, 33.32")
	c.do(chromedp.Evaluate[chromedp.Void](labelled("They want to be asked on WhatsApp") + `.click()`))
	c.fill("How they said so", "form of 3 May")
	c.pressed("Save")
	c.waitText("h1", "Kyrenia Power")
	v, err := c.base.Vendors().Get(t.Context(), c.market.ID, "kyrenia-power")
	if err != nil || v.Phone != "+905330000009" || v.OptIn == nil || v.OptIn.How != "form of 3 May" || v.Location == nil || v.Location.Lat != 35.34 || len(v.Tags) != 2 || !v.Enabled {
		t.Errorf("stored %+v, %v", v, err)
	}
	c.open("vendors")
	c.waitText(".rows", "Is asked")
	c.give("more.jsonl", `{"id":"a","name":"Alpha"}`)
	c.sure("Bring in more.jsonl?")
	c.waitText(".trouble", "1 row is wrong; nothing was stored")
	c.give("more.jsonl", `{"id":"a","name":"Alpha","category":"tents","phone":"+905330000010","enabled":true}`)
	c.sure("Bring in more.jsonl?")
	c.waitText(".done", "1 row brought in.")
	c.waitText(".rows", "Did not opt in")
}

func addCustomer(t *testing.T, browser context.Context) {
	c := control(t, browser, "customers", desktop)
	c.pressed("Add a customer")
	c.waitText("h1", "New customer")
	name := "Ann " + c.market.ID // an id is one customer's in all markets
	c.fill("Name", name)
	c.fill("Numbers that they call from", "+1 415 555 0100, +1 415 555 0101")
	c.fill("ZIP code", "9410")
	c.fill("Address", "12 Oak Street")
	c.pressed("Save")
	c.waitText(".wrong", "want five digits")
	c.fill("ZIP code", "94107")
	c.pressed("Save")
	c.waitText("h1", name)
	all, _, err := c.base.Customers().Page(t.Context(), c.market.ID, "", 10)
	if err != nil || len(all) != 1 || all[0].ZIP != "94107" || !slices.Equal(all[0].Phones, []string{"+14155550100", "+14155550101"}) {
		t.Errorf("stored %+v, %v", all, err)
	}
	c.waitText(".done", "is added.")
	c.pressed("Take this customer away…")
	c.sure("Take " + name + " away?")
	c.waitText(".done", name+" is taken away.")
	c.pressed("Undo")
	c.waitText("h1", name)
}

func addTechnician(t *testing.T, browser context.Context) {
	c := control(t, browser, "visits", desktop)
	c.waitText("main", "Add a service first")
	c.pressed("Add a service")
	c.waitText("h1", "New service")
	c.fill("Name", "Ant treatment")
	c.fill("Price (EUR)", "120")
	c.pressed("Save")
	c.waitText("h1", "Ant treatment")
	c.waitText(".done", "is added.")
	c.open("visits")
	c.waitText(".rows", "Ant treatment")
	c.pressed("Add a technician")
	c.waitText("h1", "New technician")
	c.fill("Name", "Maria Lopez")
	c.fill("Business", "pest")
	c.fill("ZIP codes", "941, 94609")
	c.pressed("Save")
	c.waitText(".wrong", "want one or more")
	c.do(chromedp.Evaluate[chromedp.Void](labelled("Ant treatment") + `.click()`))
	c.pressed("Save")
	c.waitText("h1", "Maria Lopez")
	co, err := c.base.Visits().Company(t.Context(), c.market.ID)
	if err != nil || len(co.Services) != 1 || co.Services[0].PriceMinor != 12000 || len(co.Technicians) != 1 {
		t.Fatalf("stored %+v, %v", co, err)
	}
	if x := co.Technicians[0]; !slices.Equal(x.Areas, []string{"941", "94609"}) || !slices.Equal(x.Services, []string{"ant-treatment"}) || len(x.Hours) != 7 {
		t.Errorf("stored %+v", x)
	}
	c.open("visits")
	c.waitText(".rows", "Maria Lopez")
	c.waitText(".rows", "94609")
}

func pharmacy(market string) *place.Place {
	return &place.Place{
		ID: "sifa", Market: market, Names: map[string]string{"en": "Şifa Pharmacy"}, Category: place.Pharmacy, District: "Kyrenia", Phone: "+903920000001", Address: "Harbour Road 7",
		Location: geo.Location{Lat: 35.3417, Lng: 33.3192}, OnDuty: []string{"2020-01-01", "2099-12-24", "2099-12-25"}, DutyWeekdays: []string{"sun"},
		Hours: map[string][]schedule.Span{"mon": {{From: "08:00", To: "18:00"}}},
	}
}

func addPlace(t *testing.T, browser context.Context) {
	c := control(t, browser, "places", desktop)
	c.waitText(".empty", "No places yet")
	c.pressed("Add a place")
	c.waitText("h1", "New place")
	c.fill("Category", "Pharmacy")
	c.fill("Name", "Şifa Eczanesi")
	c.fill("Telephone", "0392")
	c.pressed("Save")
	c.waitText(".wrong", "Say where it is first.")
	c.fill("Position", "35.3417; north")
	same(c.tab, "position that cannot be read", eval[string](c.tab, `document.activeElement.getAttribute('aria-invalid')`), "true")
	c.fill("Position", "35.3417, 33.3192")
	c.pressed("Save")
	c.waitText(".wrong", "want E.164")
	c.fill("Telephone", "+90 392 000 00 01")
	c.do(chromedp.Evaluate[chromedp.Void](labelled("Sunday") + `.click()`))
	c.do(chromedp.Evaluate[chromedp.Void](`{ const d = ` + labelled("Date on duty") + `; d.value = '2099-12-25'; d.dispatchEvent(new Event('input')); }`))
	c.pressed("Add this date")
	c.waitText(".chips", "2099")
	c.pressed("Save")
	c.waitText("h1", "Şifa Eczanesi")
	c.waitText(".done", "Şifa Eczanesi is added.")
	stored := func() *place.Place {
		t.Helper()
		all, err := c.base.Places().All(t.Context(), c.market.ID)
		if err != nil || len(all) != 1 {
			t.Fatalf("stored %v, %v", all, err)
		}
		return all[0]
	}
	p := stored()
	if p.ID != "sifa-eczanesi" || p.Category != place.Pharmacy || p.Phone != "+903920000001" || p.Location.Lat != 35.3417 || p.Location.Lng != 33.3192 ||
		!slices.Equal(p.OnDuty, []string{"2099-12-25"}) || !slices.Equal(p.DutyWeekdays, []string{"sun"}) {
		t.Errorf("stored %+v", p)
	}

	// What somebody else changes meanwhile is not lost.
	p.District = "Lapta"
	if err := c.base.Places().Put(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	c.fill("Address", "Harbour Road 7")
	c.pressed("Save")
	c.waitText(".conflict", "District: nothing → Lapta")
	c.pressed("Keep mine on top of theirs")
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	if p = stored(); p.Address != "Harbour Road 7" || p.District != "Lapta" || p.Version != 3 {
		t.Errorf("stored %+v", p)
	}
	c.fill("Category", "beach") // has no turns
	c.pressed("Save")
	c.waitText(".done", "Saved.")
	if p = stored(); p.Category != "beach" || len(p.OnDuty) > 0 {
		t.Errorf("stored %+v", p)
	}
	c.open("places")
	c.fill("Search", "castle")
	c.waitText(".help", "0 of 1 places")
	c.fill("Search", "sifa lapta")
	c.click(".rows a")
	c.pressed("Take this place away…")
	c.sure("Take Şifa Eczanesi away?")
	c.waitText(".done", "Şifa Eczanesi is taken away.")
	c.pressed("Undo")
	c.waitText("h1", "Şifa Eczanesi")
}

// rides has a customer order a taxi on WhatsApp.
func (c *controller) rides(number, pickup string) taxi.Ride {
	c.Helper()
	from, rides := actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number, Name: "Ayşe"}, c.base.Rides()
	r, err := rides.Propose(context.Background(), from, c.market.ID, taxi.Order{
		Market: c.market.ID, Thread: c.writes(number, "a taxi please"), Pickup: geo.Spot{Address: pickup}, Dropoff: &geo.Spot{Address: "Ercan airport"}, District: "Kyrenia",
		Passengers: 2, TimeZone: "UTC", Note: "two suitcases", Language: "en", CustomerName: "Ayşe", CustomerPhone: number, Hold: time.Hour,
	})
	if err != nil {
		c.Fatal(err)
	}
	_, ws, err := rides.Request(context.Background(), from, c.market.ID, r.ID, gate.Receipt{PendingID: "p", OfferHash: r.Hash, Answer: "yes"})
	if err == nil {
		err = rides.Table.DB().Commit(context.Background(), ws...)
	}
	if err != nil {
		c.Fatal(err)
	}
	return r
}

func cancelRide(t *testing.T, browser context.Context) {
	c := control(t, browser, "rides", desktop)
	c.waitText(".empty", "No rides")
	r := c.rides("+15550166", "Harbour Road 5")
	c.open("rides?status=unserved")
	c.waitText(".empty", "Every ride found a driver.")
	c.open("rides?day=2020-01-01")
	c.waitText(".empty", "None on this day.")
	c.open("rides")
	c.waitText(".row", "Harbour Road 5 → Ercan airport")
	c.click(`.tabs a[href*="status=open"]`)
	c.waitText(".help", "the oldest on top")
	c.waitText(".row", "Drivers are being asked")
	c.waitText(".row", "offered once")
	c.click(".row a")
	c.waitText("h1", "Ride "+r.Code)
	c.waitText(".facts", "Once, to nobody: no driver was free")
	c.waitText(".events", "Ordered by the customer")
	same(c.tab, "thread", eval[string](c.tab, `document.querySelector('.facts a').getAttribute('href')`), "/admin/threads?marketId="+c.market.ID+"&thread="+r.Thread)
	c.pressed("Cancel this ride…")
	c.sure("Cancel ride " + r.Code + "?")
	c.waitText(".done", "The customer is told.")
	c.waitText(".events", "Cancelled by staff:local")
	same(c.tab, "button", eval[bool](c.tab, `Boolean(document.querySelector('.danger'))`), false)
	after, err := c.base.Rides().Get(t.Context(), actor.OfKey(r.Owner), c.market.ID, r.ID)
	if err != nil || after.Status != taxi.Cancelled {
		t.Errorf("stored %+v, %v", after, err)
	}
}

// writes has a customer write on WhatsApp, and returns the thread.
func (c *controller) writes(number, text string) string {
	c.Helper()
	a, err := c.base.Threads().Append(context.Background(), channel.Inbound{
		Market: c.market.ID, Channel: channel.WhatsApp, ThreadType: channel.General, MessageID: text, Text: text,
		From: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + number, Name: "Ayşe"},
	}, false)
	if err != nil {
		c.Fatal(err)
	}
	return a.Thread
}

func takeThreadOver(t *testing.T, browser context.Context) {
	c := control(t, browser, "threads", desktop)
	id := c.writes("+15550177", "Is there a table tonight?")
	handler := func() thread.Handler {
		h, err := c.base.Threads().Head(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return h.Handler
	}
	c.fill("Find a thread", "+1 555 0177")
	c.press('\r')
	c.waitText(".row", "Merve answers")
	c.click(".row a")
	c.waitText(".line", "Is there a table tonight?")
	c.waitText(".help", "Take the thread over to write to the customer.")
	c.pressed("Take over…")
	c.sure("Take this thread over?")
	c.waitText(".done", "You have the thread.")
	same(c.tab, "handler", handler(), thread.ByPerson)
	c.fill("Your answer", "Yes, for how many?")
	c.pressed("Send")
	c.waitText(".done", "Your answer is on its way.")
	lines, _, err := c.base.Threads().Lines(t.Context(), id, "", 10)
	if err != nil || len(lines) == 0 {
		t.Errorf("lines %+v, %v", lines, err)
	}
	c.open("threads")
	c.waitText(".row", "taken by staff:local")
	c.click(".row a")
	c.pressed("Hand back to Merve…")
	c.sure("Hand this thread back?")
	c.waitText(".done", "Merve answers again.")
	same(c.tab, "handler", handler(), thread.Handler(""))
}

// What is written to a customer stays when the page is read anew, and is not lost unasked.
func answerHalfWritten(t *testing.T, browser context.Context) {
	c := control(t, browser, "threads", desktop)
	id := c.writes("+15550178", "Is there a table tonight?")
	c.open("threads?thread=" + id)
	c.pressed("Take over…")
	c.sure("Take this thread over?")
	c.fill("Your answer", "One moment, please.")
	c.pressed("Send")
	c.waitText(".done", "Your answer is on its way.")
	c.fill("Your answer", "For how many")
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('h1').replaceWith(Object.assign(document.createElement('h1'), { textContent: 'Before' }))`))
	c.pressed("Look again")
	c.wait(`(document.querySelector('h1')?.textContent ?? 'Before') !== 'Before'`)
	same(c.tab, "the answer", eval[string](c.tab, `document.querySelector('.reply textarea').value`), "For how many")
	c.pressed("Hand back to Merve…")
	c.sure("Hand this thread back?")
	c.sure("Leave without saving?")
	c.waitText(".done", "Merve answers again.")
}

// A long thread is shown from its end, which is to be answered, and back from there.
func newestFirst(t *testing.T, browser context.Context) {
	c := control(t, browser, "threads", desktop)
	var id string
	for n := range 103 {
		id = c.writes("+15550166", fmt.Sprintf("word %03d", n))
	}
	c.open("threads?thread=" + id)
	shown := func() []string { return c.texts(".line .bubble") }
	if got := shown(); len(got) != 100 || got[0] != "word 003" || got[99] != "word 102" {
		t.Errorf("shown first: %q", got)
	}
	c.pressed("Show earlier messages")
	c.waitText(".line", "word 000")
	if got := shown(); len(got) != 103 || got[0] != "word 000" || got[3] != "word 003" {
		t.Errorf("shown then: %q", got)
	}
	same(c.tab, "more", eval[int](c.tab, `document.querySelectorAll('.rest button').length`), 0)
}

// An alert leads to what it is about, where there is a page for that.
func alertsLead(t *testing.T, browser context.Context) {
	c := control(t, browser, "alerts", desktop)
	leads := map[string]string{"single_hold": "/admin/bookings", "one_confirmed": "/admin/bookings", "row_stands": "/admin/bookings", "payment": "/admin/bookings", "no_orphans": "", "stream": "", "stock": "", "outbox": "/admin/threads"}
	for check := range leads {
		if err := c.base.Alerts().Raise(t.Context(), alert.Alert{Check: check, Severity: alert.Error, Subject: c.market.ID + "/" + check, Message: c.market.ID + " " + check}); err != nil {
			t.Fatal(err)
		}
	}
	c.open("alerts")
	for check, want := range leads {
		row := fmt.Sprintf(`[...document.querySelectorAll('.row')].find((r) => r.textContent.includes(%s))`, quote(c.market.ID+" "+check))
		c.wait(row)
		same(c.tab, check, eval[string](c.tab, row+`.querySelector('p a')?.pathname ?? ''`), want)
		if title := eval[string](c.tab, row+`.querySelector('h2').textContent`); title == check {
			t.Errorf("%s has no words", check)
		}
	}
}

// What staff write anew after an answer that was lost goes out as they wrote it, and once.
func answerAnew(t *testing.T, browser context.Context) {
	c := control(t, browser, "threads", desktop)
	id := c.writes("+15550199", "When can I come?")
	c.open("threads?thread=" + id)
	c.pressed("Take over…")
	c.sure("Take this thread over?")
	c.waitText(".done", "You have the thread.")
	// Of the first answer the server's is lost, and the others are held up.
	c.do(chromedp.Evaluate[chromedp.Void](`{
		const real = window.fetch;
		const held = new Promise((release) => { window.release = release; });
		window.posts = 0;
		window.fetch = async (at, init) => {
			if (init?.method !== 'POST') return real(at, init);
			if (++window.posts > 1) await held;
			const answer = await real(at, init);
			if (window.posts === 1) throw new TypeError('broken');
			return answer;
		};
	}`))
	c.fill("Your answer", "Come at eight.")
	c.pressed("Send")
	c.waitText(".trouble", "There was no answer.")
	c.fill("Your answer", "Come at nine, not at eight.")
	c.pressed("Send")
	c.pressed("Send")
	same(c.tab, "messages sent", eval[int](c.tab, `window.posts`), 2)
	c.do(chromedp.Evaluate[chromedp.Void](`window.release()`))
	c.waitText(".done", "Your answer is on its way.")

	h, err := c.base.Threads().Head(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range h.Inbox {
		if m.Notice != nil && m.Notice.Kind == "staff_reply" {
			told = append(told, m.Notice.Text)
		}
	}
	same(c.tab, "told", told, []string{"Come at eight.", "Come at nine, not at eight."})
}

// choose sets a control with a list of words.
func (c *controller) choose(label, value string) {
	c.Helper()
	c.wait(labelled(label))
	c.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{ const n = %s; n.value = %s; n.dispatchEvent(new Event('change')); }`, labelled(label), quote(value))))
}

func findThreads(t *testing.T, browser context.Context) {
	c := control(t, browser, "threads", desktop)
	id := c.writes("+15550155", "Hello")
	for i := range 26 {
		c.writes(fmt.Sprintf("+155502%02d", i), "Hello")
	}
	c.choose("Where it stands", "executing")
	c.choose("Channel", "whatsapp")
	c.pressed("Find")
	c.waitText(".row", "Answer in the making")
	same(c.tab, "a page", len(c.texts(".rows > .row")), 25)
	same(c.tab, "chosen", eval[string](c.tab, labelled("Where it stands")+`.value`), "executing")
	c.pressed("Look further back")
	c.wait(`document.querySelectorAll('.rows > .row').length === 27`)
	c.choose("Where it stands", "awaiting_confirmation")
	c.pressed("Find")
	c.waitText(".empty", "No thread is like that now.")
	c.open("threads")
	c.pressed("Find") // everybody
	c.waitText(".rest", "Show more")
	c.fill("Find a thread", "0015550155")
	c.pressed("Find")
	c.waitText(".help", "that the same person has linked")
	same(c.tab, "found", len(c.texts(".rows > .row")), 1)
	c.click(".row a")
	c.waitText(".facts", id)
}

func keepUnsaved(t *testing.T, browser context.Context) {
	c := control(t, browser, "market", size{375, 740})
	c.fill("Name", "Kyrenia")
	c.click("#menu")
	c.click(`#nav a[href*="/tools"]`)
	c.waitText("#sure[open] h2", "Leave without saving?")
	c.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#sure button[value="no"]').click()`))
	same(c.tab, "kept", eval[string](c.tab, labelled("Name")+`.value`), "Kyrenia")
	c.click(`#nav a[href*="/tools"]`)
	c.sure("Leave without saving?")
	c.waitText("h1", "Tools")
	same(c.tab, "name", c.now().Name, "Girne")
}

// hasVisits gives the market a vendor, and a technician who comes for a service.
func (c *controller) hasVisits() {
	c.Helper()
	_, err := c.base.Vendors().Put(c.Context(), vendor.Vendor{
		ID: "power", Market: c.market.ID, Name: "Kyrenia Power", Category: "generator rental", Phone: "+905330000009", Enabled: true,
		OptIn: &vendor.OptIn{At: time.Date(2026, 5, 3, 0, 0, 0, 0, time.UTC), How: "form of 3 May"},
	})
	if err != nil {
		c.Fatal(err)
	}
	if _, err := c.base.Visits().PutService(c.Context(), appointment.Service{Market: c.market.ID, ID: "ants", Name: "Ant treatment", Minutes: 60, PriceMinor: 12000, Currency: "USD"}); err != nil {
		c.Fatal(err)
	}
	_, err = c.base.Visits().PutTechnician(c.Context(), appointment.Technician{
		Market: c.market.ID, ID: "maria", Business: "pest", Name: "Maria Lopez", Areas: []string{"941"}, Services: []string{"ants"}, TimeZone: "UTC", SlotMinutes: 60,
		Hours: map[string][]schedule.Span{"mon": {{From: "08:00", To: "12:00"}}},
	})
	if err != nil {
		c.Fatal(err)
	}
}

// controllerAccessible runs axe-core over every section, on a wide and a narrow window.
func controllerAccessible(t *testing.T, browser context.Context) {
	script := axe(t)
	c := control(t, browser, "overview", desktop)
	c.put(meze())
	if _, err := c.base.Drivers().Put(t.Context(), taxi.Driver{ID: "dina", Market: c.market.ID, Name: "Dina", Phone: "+15550142", Districts: []string{"Kyrenia"}, Seats: 4, Enabled: true}); err != nil {
		t.Fatal(err)
	}
	if err := c.base.Alerts().Raise(t.Context(), alert.Alert{Check: ledger.SingleHold, Severity: alert.Critical, Subject: "tx", Message: "to be looked at"}); err != nil {
		t.Fatal(err)
	}
	id := c.writes("+15550188", "Hello")
	if err := c.base.Places().Put(t.Context(), pharmacy(c.market.ID)); err != nil {
		t.Fatal(err)
	}
	c.hasVisits()
	ride := c.rides("+15550189", "Harbour Road 5")
	for i, page := range []string{
		"overview", "market", "requests", "assistants", "tools", "messages", "listings", "listings?listing=meze", "drivers", "drivers?driver=dina", "places", "places?place=sifa", "places?place=", "vendors", "vendors?vendor=power", "customers", "customers?customer=", "visits", "visits?technician=maria", "visits?service=", "rides", "rides?status=open", "rides?ride=" + ride.ID + "&thread=" + ride.Thread, "orders?business=biz-" + c.market.ID,
		"bookings?business=biz-" + c.market.ID, "alerts", "outbox", "threads?owner=%2B15550188", "threads?find=", "threads?state=awaiting_confirmation", "threads?thread=" + id, "history", "audit?thread=" + id,
	} {
		scheme, window := "light", desktop
		if i%2 == 1 {
			scheme, window = "dark", size{375, 740}
		}
		c.do(chromedp.EmulateViewport(window.width, window.height))
		c.prefer(scheme)
		c.open(page)
		c.wait(`!document.querySelector('.loading') && document.querySelector('h1')`)
		c.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll('.offerings details').forEach((d) => { d.open = true; })`))
		c.do(chromedp.Evaluate[chromedp.Void](script))
		c.inspect(page + ", " + scheme)
		c.wait(`document.scrollingElement.scrollWidth <= innerWidth`)
		if text := strings.Join(c.texts("main"), ""); strings.Contains(text, "undefined") || strings.Contains(text, "[object") || strings.Contains(text, "NaN") {
			t.Errorf("%s shows what is nothing: %s", page, text)
		}
	}
	c.do(chromedp.EmulateViewport(desktop.width, desktop.height))
	c.open("market")
	c.fill("Name", "Kyrenia")
	other := c.now()
	other.Name = "Other"
	if _, err := c.base.Markets().Save(t.Context(), *other, "staff:bob"); err != nil {
		t.Fatal(err)
	}
	c.pressed("Save")
	c.waitText(".conflict", "staff:bob")
	c.do(chromedp.Evaluate[chromedp.Void](script))
	c.inspect("conflict")
}
