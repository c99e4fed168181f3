package request_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/discovery"
	. "merve/internal/matter/request"
	"merve/internal/provider/gemini"
	"merve/internal/provider/gemini/geminitest"
	"merve/internal/provider/googleplaces"
	"merve/internal/provider/googleplaces/googleplacestest"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
)

// outside is what there is outside of the catalogue.
type outside struct {
	web    *openaitest.Web
	gemini *geminitest.Server
	places *googleplacestest.Server
	*discovery.Finder
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{
		web: openaitest.NewWeb(t, openaitest.Page{Title: "Kyrenia Power", URL: "https://Power.example/hire?utm_source=openai", Says: "Hires out generators"},
			openaitest.Page{Title: "the same", URL: "http://power.example:80/hire#top", Says: "again"}, openaitest.Page{Title: "bad", URL: "javascript:alert(1)", Says: "bad"},
			openaitest.Page{Title: "Ali", URL: "https://www.linkedin.com/in/ali?trk=1", Says: "Generators"}),
		gemini: geminitest.New(t, geminitest.Page{Title: "gen.example", URL: "https://gen.example/", Says: "Generators", Confidence: 0.5}),
		places: googleplacestest.New(t, googleplacestest.Place{ID: "ChIJ_near", Name: "Girne Jeneratör", Address: "Girne", Phone: "+90 392 815 00 00", Lat: 35.337, Lng: 33.32},
			googleplacestest.Place{ID: "ChIJ_far", Name: "Far away", Address: "Paphos", Lat: 34.77, Lng: 32.42}),
	}
	key := func(k string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return k, nil }
	}
	o.Finder = &discovery.Finder{
		Web: true, Profiles: true, Places: true, WebCalls: 2, MapCalls: 2,
		OpenAI: &openai.Searcher{BaseURL: o.web.URL() + "/v1", Key: key(openaitest.Key), Model: "gpt-4o-mini", HTTP: o.web.Client()},
		Gemini: &gemini.Client{BaseURL: o.gemini.URL(), Key: key(geminitest.Key), HTTP: o.gemini.Client()},
		Map:    &googleplaces.Client{BaseURL: o.places.URL(), Key: key(googleplacestest.Key), HTTP: o.places.Client()},
	}
	return o
}

// calls are how often each provider was searched.
func (o *outside) calls() [3]int {
	return [3]int{len(o.web.Asked()), len(o.gemini.Asked()), len(o.places.Asked())}
}

// discovered decodes an answer.
func discovered(t *testing.T, a Answer) (d discovery.Discovered) {
	t.Helper()
	if err := json.Unmarshal(a.Output, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

const looking = `{"post_id":"{id}","need":"60 kVA generator"}`

// What is off, or has no key, is answered and audited, and asked again each time.
func TestDiscoveryOff(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	r := y.request("1", nil)
	for tool, why := range map[string]string{WebSearchItems: "EXTERNAL_DISCOVERY_ENABLED is off", SocialProfileItems: "EXTERNAL_DISCOVERY_ENABLED is off", MapsPlacesItems: "MAPS_ENRICHMENT_ENABLED is off"} {
		want := map[string]any{"engine": "none", "feed_items": []any{}, "disabled": true, "reason": why}
		if diff := cmp.Diff(want, y.do(tool, r.ID, tool, looking)); diff != "" {
			t.Errorf("%s: %s", tool, diff)
		}
	}
	y.Finder = &discovery.Finder{Web: true, Places: true, WebCalls: 2, MapCalls: 2}
	for tool, why := range map[string]string{
		WebSearchItems: "there is no key of a web search", SocialProfileItems: "SOCIAL_DISCOVERY_ENABLED is off", MapsPlacesItems: "there is no key of a map",
	} {
		if got := y.do(tool, r.ID, tool, looking); got["disabled"] != true || got["reason"] != why {
			t.Errorf("%s: %v", tool, got)
		}
	}
	want := []string{"create_request ok", "discovery.maps_places_items refused", "discovery.social_profile_items refused", "discovery.web_search_items refused"}
	if diff := cmp.Diff(want, y.audit(r.ID)); diff != "" {
		t.Error(diff)
	}
}

// Each page is kept once for its post and source, and a success is answered again without another search.
func TestDiscovery(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	r := y.request("1", y.client("ann"))
	call := y.call(WebSearchItems, r.ID, "k", looking)
	first, err := y.Do(t.Context(), call)
	if err != nil {
		t.Fatal(err)
	}
	d := discovered(t, first)
	if d.Engine != discovery.OpenAI || len(d.Items) != 2 || d.Items[0].URL != "https://power.example/hire" || d.Items[0].Source != discovery.OpenAIWeb || d.Items[0].Snippet != "Hires out generators" {
		t.Errorf("found %+v", d)
	}
	again, err := y.Do(t.Context(), call)
	if err != nil || !again.Cached || string(again.Output) != string(first.Output) {
		t.Errorf("again: %v, %+v", err, again)
	}
	if _, err := y.Do(t.Context(), y.call(WebSearchItems, r.ID, "k", `{"post_id":"{id}","need":"a pump"}`)); !fault.Is(err, fault.Conflict) {
		t.Errorf("another body: %v", err)
	}
	social := discovered(t, mustDo(t, y, y.call(SocialProfileItems, r.ID, "s", looking)))
	if len(social.Items) != 1 || social.Items[0].Source != discovery.Social || social.Items[0].Title != "Ali" {
		t.Errorf("profiles %+v", social)
	}
	if spent := y.do(WebSearchItems, r.ID, "third", looking); spent["disabled"] != true || spent["reason"] != "the searches for this post are used up: it has 2" {
		t.Errorf("third: %v", spent)
	}
	head, err := y.Threads.Head(t.Context(), r.Thread)
	if err != nil {
		t.Fatal(err)
	}
	// A message of the conversation is a post of its own, whose pages are its own.
	post := head.Inbox[0].ID
	if got := discovered(t, mustDo(t, y, y.call(WebSearchItems, r.ID, "m", `{"post_id":"`+post+`","need":"60 kVA generator"}`))); len(got.Items) != 2 || got.Items[0].ID == d.Items[0].ID {
		t.Errorf("of a message: %+v", got)
	}
	if got := o.calls(); got != [3]int{3, 0, 0} {
		t.Errorf("searched %v", got)
	}
	feed, err := y.Feed(t.Context(), r.ID)
	if err != nil || len(feed) != 5 {
		t.Errorf("feed %+v, %v", feed, err)
	}
	if want := []string{"create_request ok", "discovery.social_profile_items ok", "discovery.web_search_items ok", "discovery.web_search_items refused"}; !cmp.Equal(want, y.audit(r.ID)) {
		t.Errorf("audit %v", y.audit(r.ID))
	}
}

func mustDo(t *testing.T, y *yard, c Call) Answer {
	t.Helper()
	a, err := y.Do(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", c.Tool, err)
	}
	return a
}

// A post has to be the request or a message of its client's; another's is the same as none. Nothing is spent on what
// is refused.
func TestPostOfAnother(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	mine, other := y.request("1", y.client("ann")), y.request("2", y.client("bob"))
	head, err := y.Threads.Head(t.Context(), other.Thread)
	if err != nil {
		t.Fatal(err)
	}
	for _, post := range []string{other.ID, head.Inbox[0].ID, "none", "r_1_0", other.Thread} {
		for _, tool := range []string{WebSearchItems, SocialProfileItems, MapsPlacesItems} {
			_, err := y.Do(t.Context(), y.call(tool, mine.ID, tool+post, `{"post_id":"`+post+`","need":"a pump"}`))
			if !fault.Is(err, fault.NotFound) || field(err) != "post_id" {
				t.Errorf("%s of %s: %v", tool, post, err)
			}
		}
	}
	if _, err := y.Do(t.Context(), y.call(WebSearchItems, mine.ID, "own", `{"post_id":"{id}","need":"+90 533 800 00 01"}`)); field(err) != "need" {
		t.Errorf("a need of nothing: %v", err)
	}
	desk := y.request("3", func(r *Request) { r.Category = "pump" })
	if _, err := y.Do(t.Context(), y.call(MapsPlacesItems, desk.ID, "r", `{"post_id":"{id}","need":"pump","radius_km":5}`)); err != nil {
		t.Errorf("the need of the desk has a location: %v", err)
	}
	y.do(UpdateRequirements, desk.ID, "gone", `{"request_id":"{id}","requirements":{"location":null}}`)
	if _, err := y.Do(t.Context(), y.call(MapsPlacesItems, desk.ID, "r2", `{"post_id":"{id}","need":"pump","radius_km":5}`)); field(err) != "radius_km" {
		t.Errorf("a radius from nowhere: %v", err)
	}
	if got := o.calls(); got != [3]int{0, 0, 1} {
		t.Errorf("searched %v", got)
	}
}

// However many ask at once, whichever tool they call: no post costs more than it has.
func TestBudgetIsExact(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	r := y.request("1", nil)
	var all sync.WaitGroup
	var mu sync.Mutex
	found, spent := 0, 0
	for i := range 100 {
		all.Go(func() {
			tool := []string{WebSearchItems, SocialProfileItems}[i%2]
			for {
				a, err := y.Do(t.Context(), y.call(tool, r.ID, fmt.Sprint(i), looking))
				if fault.Is(err, fault.Unavailable) {
					continue // too many at once: nothing was done
				}
				if err != nil {
					t.Errorf("%d: %v", i, err)
					return
				}
				mu.Lock()
				if discovered(t, a).Disabled {
					spent++
				} else {
					found++
				}
				mu.Unlock()
				return
			}
		})
	}
	all.Wait()
	if got := o.calls(); got != [3]int{2, 0, 0} || found != 2 || spent != 98 {
		t.Errorf("searched %v, %d found and %d refused", got, found, spent)
	}
	for i := range 3 {
		y.do(MapsPlacesItems, r.ID, fmt.Sprint("map", i), looking)
	}
	if got := o.calls(); got != [3]int{2, 0, 2} {
		t.Errorf("searched %v: the map has its own", got)
	}
}

// Where OpenAI fails, Gemini is asked, which costs a second call. A search that has failed may be tried again while
// calls are left.
func TestOneEngineForAnother(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	r := y.request("1", nil)
	o.web.Faults.Add(500)
	d := discovered(t, mustDo(t, y, y.call(WebSearchItems, r.ID, "1", looking)))
	if d.Engine != discovery.Gemini || len(d.Items) != 1 || d.Items[0].Source != discovery.GeminiWeb || len(d.Items[0].Searches) != 1 || *d.Items[0].Confidence != 0.5 {
		t.Errorf("found %+v", d)
	}
	if got := y.do(WebSearchItems, r.ID, "2", looking); got["disabled"] != true {
		t.Errorf("both calls are spent: %v", got)
	}
	other := y.request("2", nil)
	o.web.Faults.Add(500)
	named := `{"post_id":"{id}","need":"60 kVA generator","engine":"openai"}`
	if got := y.do(WebSearchItems, other.ID, "1", named); got["engine"] != "none" || got["reason"] != "the search has failed" || got["disabled"] != nil {
		t.Errorf("failed: %v", got)
	}
	if got := y.do(WebSearchItems, other.ID, "1", named); got["engine"] != "openai" {
		t.Errorf("again: %v", got)
	}
	third := y.request("3", nil)
	y.do(WebSearchItems, third.ID, "1", named)
	o.web.Faults.Add(500)
	if got := y.do(WebSearchItems, third.ID, "2", looking); got["engine"] != "none" || got["reason"] != "the search has failed" {
		t.Errorf("no call is left for Gemini: %v", got)
	}
	if got := o.calls(); got != [3]int{5, 1, 0} {
		t.Errorf("searched %v", got)
	}
}

// A call that dies after it has begun keeps what it has reserved, and is closed as unclear.
func TestReservedStaysSpent(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	y.Finder.WebCalls = 1
	r := y.request("1", nil)
	ctx, cancel := context.WithCancel(t.Context())
	hold := make(chan struct{})
	o.web.Hold = hold
	died := make(chan error)
	go func() {
		_, err := y.Do(ctx, y.call(WebSearchItems, r.ID, "1", `{"post_id":"{id}","need":"a pump","engine":"openai"}`))
		died <- err
	}()
	for len(o.web.Asked()) == 0 {
		if t.Context().Err() != nil {
			t.Fatal("it was not asked")
		}
	}
	cancel()
	if err := <-died; err == nil {
		t.Error("it did not die")
	}
	close(hold)
	y.now = y.now.Add(2 * Clock / 5)
	call := y.call(WebSearchItems, r.ID, "1", `{"post_id":"{id}","need":"a pump","engine":"openai"}`)
	if d := discovered(t, mustDo(t, y, call)); !d.Disabled {
		t.Errorf("it was given back: %+v", d)
	}
	if want := []string{"create_request ok", "discovery.web_search_items refused"}; !cmp.Equal(want, y.audit(r.ID)) {
		t.Errorf("audit %v", y.audit(r.ID))
	}
}

// No provider learns who asks, in whatever script.
func TestNothingPersonalLeaves(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	y.Finder.WebCalls, y.Finder.MapCalls = 100, 100
	r := y.request("1", func(r *Request) {
		r.Client = Contact{Name: "Maria Papadopoulou", Phone: "+905338000001"}
	})
	private := []string{
		"maria", "papadop", "533800", "533 800", "@example", "main street", "221b", "9933", r.ID, r.Code, "мари", "иванов", "ленина", "μαρία", "ερμού", "דנה", "הרצל", "ليلى", "الحمراء", "٨٠٠", "ayşe", "atatürk", "35.336", "33.318",
	}
	o.web.Private, o.gemini.Private, o.places.Private = private, private, private
	for i, need := range []string{
		"60 kVA generator for Maria Papadopoulou, +90 533 800 00 01, maria@example.com, 221b Main Street, request " + r.ID + " " + r.Code,
		"меня зовут Мария Иванова, нужен генератор на ул. Ленина 7",
		"με λένε Μαρία Παππά, γεννήτρια στην οδός Ερμού 5",
		"שמי דנה לוי, גנרטור ברחוב הרצל 5",
		"اسمي ليلى حداد، مولد في شارع الحمراء 12 هاتف ٠٥٣٣ ٨٠٠ ٠٠ ٠١",
		"adım Ayşe, Atatürk Caddesi No: 12 için jeneratör",
	} {
		web := string(mustJSON(t, map[string]any{"post_id": r.ID, "need": need, "category": "for Maria", "location_text": "flat 5, 221b Main Street, Kyrenia, 99330", "engine": "auto"}))
		onMap := string(mustJSON(t, map[string]any{"post_id": r.ID, "need": need, "location_text": "12 Main Street, Kyrenia", "radius_km": 5}))
		o.web.Faults.Add(500)
		mustDo(t, y, y.call(WebSearchItems, r.ID, fmt.Sprint("w", i), web))
		mustDo(t, y, y.call(MapsPlacesItems, r.ID, fmt.Sprint("m", i), onMap))
	}
	if got := o.calls(); got != [3]int{6, 6, 6} {
		t.Errorf("searched %v", got)
	}
	if asked := o.web.Asked()[0]; !strings.Contains(asked, "60 kVA generator for") || !strings.Contains(asked, `"city":"Kyrenia"`) {
		t.Errorf("asked %s", asked)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Of places only the ids are kept. What the map says is looked up whenever it is shown.
func TestOnlyPlaceIDsAreKept(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	r := y.request("1", y.client("ann"))
	call := y.call(MapsPlacesItems, r.ID, "1", `{"post_id":"{id}","need":"60 kVA generator","radius_km":5}`)
	d := discovered(t, mustDo(t, y, call))
	if len(d.Items) != 1 || d.Items[0].Title != "Girne Jeneratör" || d.Items[0].Attribution != "Google Maps" || d.Items[0].Source != discovery.MapPlaces || d.Items[0].Phone == "" {
		t.Errorf("found %+v", d)
	}
	for _, pk := range []string{"request#", "requestaudit#"} {
		page, err := y.Store.Table.Query(t.Context(), dynamo.Under(pk+r.ID, ""))
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			var all map[string]any
			if err := it.Decode(&all); err != nil {
				t.Fatal(err)
			}
			if kept := fmt.Sprint(all); strings.Contains(kept, "Jeneratör") || strings.Contains(kept, "392 815") {
				t.Errorf("kept: %s", kept)
			}
		}
	}
	o.places.Rename("ChIJ_near", "Girne Power")
	again := mustDo(t, y, call)
	if got := discovered(t, again); !again.Cached || got.Items[0].Title != "Girne Power" {
		t.Errorf("again %+v", got)
	}
	feed, err := y.Feed(t.Context(), r.ID)
	if err != nil || len(feed) != 1 || feed[0].Title != "Girne Power" || feed[0].Location != "Girne" {
		t.Errorf("feed %+v, %v", feed, err)
	}
	o.places.Faults.Add(500)
	if feed, err := y.Feed(t.Context(), r.ID); err != nil || feed[0].Title != "Google Maps" || !strings.Contains(feed[0].URL, "query_place_id=ChIJ_near") {
		t.Errorf("without the map %+v, %v", feed, err)
	}
	if searches, lookups := o.places.Asked(), o.places.LookedUp(); len(searches) != 1 || len(lookups) != 3 {
		t.Errorf("searched %v, looked up %v", searches, lookups)
	}
}

// What others than the client's own turn find is shown on the client's thread, as found and not checked, once.
func TestFoundIsShown(t *testing.T) {
	t.Parallel()
	y, o := newYard(t), newOutside(t)
	y.Finder = o.Finder
	r := y.request("1", y.client("ann"))
	mustDo(t, y, y.call(WebSearchItems, r.ID, "1", `{"post_id":"{id}","need":"60 kVA generator","engine":"gemini"}`))
	mustDo(t, y, y.call(MapsPlacesItems, r.ID, "2", looking))
	y.stream(y.teller, r.ID, map[string]bool{}, func(f func() error) {
		for range 2 {
			if err := f(); err != nil {
				t.Fatal(err)
			}
		}
	})
	head, err := y.Threads.Head(t.Context(), r.Thread)
	if err != nil || len(head.Inbox) != 3 {
		t.Fatalf("%v, inbox %+v", err, head.Inbox)
	}
	web, onMap := head.Inbox[1].Notice, head.Inbox[2].Notice
	if len(web.Cards) == 1 { // whichever the stream brings first
		web, onMap = onMap, web
	}
	if len(web.Cards) != 2 || web.Cards[0]["title"] != "gen.example" || web.Cards[0]["note"] != "Found on the web, not checked by us" || web.Cards[1]["type"] != "searches" {
		t.Errorf("shown %+v", web)
	}
	if !strings.Contains(web.Text, "none of these is a vendor of ours") {
		t.Errorf("said %q", web.Text)
	}
	if shown := fmt.Sprint(onMap.Cards); !strings.Contains(shown, "Google Maps") || strings.Contains(shown, "Jeneratör") {
		t.Errorf("shown %s", shown)
	}
}
