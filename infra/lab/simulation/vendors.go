package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/app"
	"merve/internal/base/fault"
	"merve/internal/cloud/trigger"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/provider/gemini/geminitest"
	"merve/internal/provider/googleplaces/googleplacestest"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// vendors are what a town has where vendors are asked: them, the bucket for their pictures, and what lies outside of the
// catalogue.
type vendors struct {
	web   *geminitest.Server
	atlas *googleplacestest.Server

	mu    sync.Mutex
	files map[string][]byte

	questions []string // words that a question to a vendor had, which goes out once
	news      []string // words that a message to a client had
}

var approvedToVendors = []template{
	{"vendor_asked", "HX00000000000000000000000000000050", "Wanted ({{1}}): {{2}}", []string{"code", "need"}},
	{"vendor_question", "HX00000000000000000000000000000051", "About {{1}}: {{2}}", []string{"code", "text"}},
	{"vendor_reminder", "HX00000000000000000000000000000052", "Still wanted ({{1}}): {{2}}", []string{"code", "need"}},
}

// Trading is a world in which vendors can be asked, and clients called.
func Trading(t testing.TB, o Options) *World {
	t.Helper()
	v := &vendors{
		web:   geminitest.New(t, geminitest.Page{Title: "Hire", URL: "https://hire.example/", Says: "generators", Confidence: 0.9}),
		atlas: googleplacestest.New(t, googleplacestest.Place{ID: "ChIJ_1", Name: "Far Away Hire", Address: "Girne", Lat: 35.3, Lng: 33.3}),
		files: map[string][]byte{},
	}
	o.Number = "+447700900123" // of a country from which businesses may call
	o.Market = func(m *market.Market) {
		m.Desk.Phone = "+447700900199"
		for _, a := range approvedToVendors {
			m.WhatsApp.Templates[a.event] = market.Approved{ContentSID: a.sid, Params: a.params}
		}
	}
	o.Configure = func(c *app.Config) {
		c.GeminiBaseURL, c.GeminiModel, c.GooglePlacesBaseURL, c.DiscoveryCalls, c.MapsCalls = v.web.URL(), "gemini", v.atlas.URL(), 2, 2
	}
	o.Environment = map[string]string{"GEMINI_API_KEY": geminitest.Key, "GOOGLE_PLACES_API_KEY": googleplacestest.Key}
	w := New(t, o)
	w.vendors, w.Model, w.talk = v, Clerk, seek
	for i, s := range []struct{ id, name, lang string }{
		{"v1", "Aphrodite Power", "en"}, {"v2", "Beşparmak Makine", "tr"}, {"v3", "Zephyros Rental", "el"}, {"v4", "Carmel Machines", "he"},
	} {
		seller := vendor.Vendor{
			ID: s.id, Market: Market, Name: s.name, Category: "generator rental", Phone: fmt.Sprintf("+1555010003%d", i+1),
			Languages: []string{s.lang}, Enabled: true,
			OptIn: &vendor.OptIn{At: start, How: "form"},
		}
		if _, err := w.healthy.Vendors().Put(t.Context(), seller); err != nil {
			t.Fatal(err)
		}
		w.hire(Seller, s.name, seller.Phone)
	}
	for _, ch := range []channel.Channel{channel.App, channel.WhatsApp, channel.App} {
		w.Join(ch)
	}
	return w
}

// reads is the function that reads pictures. Its engine knows a picture's price from its width.
func (v *vendors) reads(b *app.Base) (trigger.Handler, error) {
	p := &quote.Pictures{
		Jobs: b.Requests().Jobs(), Requests: &request.Broker{Store: b.Requests()}, Files: v, Fetch: fetchPicture, Reader: ruler{}, Alerts: b.Alerts(),
		Queue: func(context.Context, string, string) error { return nil },
	}
	return trigger.Queue(func(ctx context.Context, m trigger.Message) error {
		return p.Work(ctx, m.Body)
	}, trigger.Log(b.Log)), nil
}

// Keep puts a file into the bucket.
func (v *vendors) Keep(_ context.Context, key, _ string, data []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.files[key] = data
	return nil
}

// Read is a file in the bucket.
func (v *vendors) Read(_ context.Context, key string) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if data, ok := v.files[key]; ok {
		return data, nil
	}
	return nil, fault.New(fault.NotFound, "no such file")
}

// fetchPicture draws the picture of an address, whose last part is its price.
func fetchPicture(_ context.Context, address string) ([]byte, error) {
	price, err := strconv.Atoi(path.Base(address))
	if err != nil {
		return nil, fault.New(fault.Invalid, "no picture")
	}
	var b bytes.Buffer
	err = png.Encode(&b, image.NewGray(image.Rect(0, 0, price, 8)))
	return b.Bytes(), err
}

// blurred reports whether the figures of a picture are read with too little confidence.
func blurred(price int) bool { return price%5 == 0 }

// ruler reads a picture by its width.
type ruler struct{}

func (ruler) Read(_ context.Context, page *image.Gray) ([]ocr.Word, error) {
	price := max(page.Bounds().Dx(), page.Bounds().Dy())
	sure := 0.95
	if blurred(price) {
		sure = 0.4
	}
	var words []ocr.Word
	for y, line := range []string{"Generator,hired,at,weekends 1 %d.00 %d.00", "Total %d.00 EUR"} {
		x := 0
		for word := range strings.FieldsSeq(strings.ReplaceAll(line, "%d", strconv.Itoa(price))) {
			word = strings.ReplaceAll(word, ",", "-")
			words = append(words, ocr.Word{Text: word, Box: image.Rect(x, 40*y, x+10*len(word), 40*y+20), Confidence: sure})
			x += 10*len(word) + 60
		}
	}
	return words, nil
}

var vendorCode = regexp.MustCompile(`\b[A-Z2-9]{6}[2-9]\b`)

// codesIn are the codes of outreach that a text names, and codeIn the first of them.
func codesIn(text string) []string {
	all := slices.DeleteFunc(vendorCode.FindAllString(text, -1), func(code string) bool { return strings.Trim(code, "23456789") == "" })
	slices.Sort(all)
	return slices.Compact(all)
}

func codeIn(text string) string {
	if all := codesIn(text); len(all) > 0 {
		return all[0]
	}
	return ""
}

// priced are how vendors name a price, in four languages.
var priced = []string{"Yes, we have one: %d EUR", "Evet, %d", "Ναι, έχουμε: %d ευρώ", "כן, יש: %d אירו", "%d EUR, with delivery",
	"Yes. €%d, Saturday only."}

// refused are how they have none.
var refused = []string{"Sorry, no generators left", "Maalesef yok", "Δυστυχώς όχι", "אין לנו"}

// quotes is what a vendor says: to something that they were asked, mostly.
func (w *World) quotes(c *Customer) *Said {
	var asks []twiliotest.Message
	for _, m := range w.twilio.Messages() {
		if m.To == c.Phone && codeIn(m.Body) != "" {
			asks = append(asks, m)
		}
	}
	said := &Said{Text: fmt.Sprintf(oneOf(w, priced), 150+w.pick(400))}
	if w.chance(0.15) {
		said.Text = oneOf(w, refused)
	}
	if len(asks) > 0 {
		m := oneOf(w, asks[max(0, len(asks)-3):])
		switch n := w.pick(10); {
		case n < 4:
			said.Of = codeIn(m.Body)
			said.Text = said.Of + oneOf(w, []string{" ", ": ", "\n"}) + said.Text
		case n < 8:
			said.ReplyTo = m.SID
			if len(codesIn(m.Body)) == 1 {
				said.Of = codeIn(m.Body)
			}
		}
	}
	switch n := w.pick(100); {
	case n < 3:
		return &Said{Text: "STOP"}
	case n < 8:
		return &Said{Text: "START"}
	case n < 12:
		return &Said{Text: "WR9XQ72 we have one: 200"} // a code nobody has
	case n < 20:
		said.Text += "\n" + oneOf(w, Injections())
	case n < 30:
		said.Text, said.Photo = said.Of, 150+w.pick(400)
		if said.ReplyTo != "" {
			said.Text = ""
		}
	case n < 34:
		said.Text = w.words(oneOf(w, []string{"who is it for?", "🙂"}))
		if said.ReplyTo == "" {
			said.Text = strings.TrimSpace(said.Of + " " + said.Text)
		}
	case n < 42 && len(c.Said) > 0: // the same words once more, as a message of their own
		last := c.Said[len(c.Said)-1]
		return &Said{Text: last.Text, Of: last.Of, ReplyTo: last.ReplyTo, Photo: last.Photo}
	}
	return said
}

// seek is what a client says next.
func seek(w *World, c *Customer) *Said {
	if w.chance(0.6) {
		w.Look(c) // at what came meanwhile
	}
	if w.waits(c) && w.chance(0.75) {
		if w.chance(0.12) {
			return &Said{Text: "no", Means: No}
		}
		return &Said{Text: oneOf(w, []string{"yes", "YES", "evet", "ναι", "👍"}), Means: Yes}
	}
	say := func(text string) *Said { return &Said{Text: text + " " + c.Canary} }
	switch n := w.pick(100); {
	case n < 30:
		return say(fmt.Sprintf("find me a generator need%04dq %s", w.newNumber()%10000, phoneFor(c)))
	case n < 38:
		return say("ask them about cables")
	case n < 50:
		return say("any news?")
	case n < 70:
		return say("take an offer")
	case n < 74:
		return say("cancel my search")
	case n < 76:
		return say("look for others")
	case n < 88:
		return say("call me about it")
	case n < 91:
		return say("do not call me")
	case n < 95:
		return say(oneOf(w, []string{"look on the map", "look on the web"}))
	case n < 97 && c.Channel == channel.WhatsApp:
		return &Said{Text: oneOf(w, []string{"STOP", "START"})}
	}
	return w.utter(c)
}

var (
	wanted = regexp.MustCompile(`find me a generator (need\d{4}q)|(ask them about cables)|(any news)|(take an offer)|(cancel my search)|` +
		`(look for others)|(call me about it)|(do not call me)|(look on the map)|(look on the web)`)
	toCall    = regexp.MustCompile(`\+\d+`)
	requestID = regexp.MustCompile(`rq_[0-9a-z]+`)
	askedID   = regexp.MustCompile(`"outreach_id":"(\w+)"`)
	sellerID  = regexp.MustCompile(`"vendor_id":"(\w+)"`)
)

// Clerk is a model that looks for vendors, reads what they answer, and serves as [Waiter] what is nothing of the kind. It
// reads wrong now and then, and does what an answer tells it.
func Clerk(w *World, r openaitest.Request) openaitest.Answer {
	if bytes.Contains(r.Body, []byte(`"vendor_reply"`)) {
		return w.reading(r)
	}
	a := w.asked(r)
	text, behind := a.last("user")
	result, _ := a.last("tool")
	m := wanted.FindStringSubmatch(text)
	if m == nil || behind > 5 {
		return Waiter(w, r)
	}
	request := ""
	if all := requestID.FindAllString(string(r.Body), -1); all != nil {
		request = all[len(all)-1]
		if w.chance(0.1) {
			request = oneOf(w, all)
		}
	}
	if behind == 0 {
		return w.begins(m, text, request)
	}
	return w.goesOn(m, result, request)
}

// begins is the first call for what was said.
func (w *World) begins(m []string, text, request string) openaitest.Answer {
	about := canaryW.FindString(text)
	switch {
	case m[1] != "":
		return callf("marketplace_create_request",
			`{"category":"generator rental","need":%q,"place":"Kyrenia","when":"Saturday","budget":300,"phone":%q}`,
			"generator "+m[1]+" "+about, toCall.FindString(text))
	case request == "":
		return openaitest.Answer{Text: w.closing()}
	case m[5] != "", m[6] != "":
		return callf("marketplace_update_request_state", `{"request_id":%q,"new_state":%q,"reason":null}`, request,
			map[bool]string{true: "cancelled", false: "searching"}[m[5] != ""])
	case m[7] != "":
		return callf("marketplace_request_call_consent", `{"request_id":%q,"scope":"concierge","reason":"the road is hard to find"}`, request)
	case m[8] != "":
		return callf("marketplace_revoke_call_consent", `{"request_id":%q}`, request)
	case m[9] != "":
		return callf("discovery_maps_places_items", `{"request_id":%q,"need":%q,"location_text":"Kyrenia","radius_km":null,"max_results":2}`,
			request, "generator "+trail(request))
	case m[10] != "":
		return callf(oneOf(w, []string{"discovery_web_search_items", "discovery_social_profile_items"}),
			`{"request_id":%q,"need":%q,"category":null,"location_text":"Kyrenia","max_results":2}`, request, "generator "+trail(request))
	}
	return callf("marketplace_get_request_snapshot", `{"request_id":%q}`, request)
}

// trail is a word that tells which request a search is for. It has letters only, so that it is no name or number.
func trail(request string) string {
	return "for" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return 'g' + r - '0'
		}
		return r
	}, strings.TrimPrefix(request, "rq_"))
}

// goesOn is what follows from what a call was answered.
func (w *World) goesOn(m []string, result, request string) openaitest.Answer {
	switch sellers, quotes := sellerID.FindAllStringSubmatch(result, -1), askedID.FindAllStringSubmatch(result, -1); {
	case m[1] != "" && strings.Contains(result, `"missing":[]`):
		return callf("marketplace_search_vendors",
			`{"request_id":%q,"category":"generator rental","location_radius_km":null,"min_rating":null,"tags":null,"limit":4}`, request)
	case m[1] != "" && len(sellers) > 0:
		var ids []string
		for _, s := range sellers[:1+w.pick(len(sellers))] {
			ids = append(ids, strconv.Quote(s[1]))
		}
		return callf("marketplace_propose_outreach", `{"request_id":%q,"vendor_ids":[%s]}`, request, strings.Join(ids, ","))
	case m[4] != "" && len(quotes) > 0:
		return callf("marketplace_propose_acceptance", `{"request_id":%q,"outreach_id":%q}`, request, oneOf(w, quotes)[1])
	case m[2] != "" && len(sellers) > 0:
		return callf("marketplace_send_vendor_message", `{"request_id":%q,"vendor_id":%q,"message":%q}`, request, oneOf(w, sellers)[1],
			"With cables?")
	}
	return openaitest.Answer{Text: w.closing()}
}

var figure = regexp.MustCompile(`\d{2,}`)

// reading is what the model makes of a vendor's answer.
func (w *World) reading(r openaitest.Request) openaitest.Answer {
	text, _ := w.asked(r).last("user")
	var said struct{ Answer string }
	if err := json.Unmarshal([]byte(text), &said); err != nil {
		w.t.Errorf("an answer was not read as JSON: %v", err)
	}
	if slices.ContainsFunc(refused, func(no string) bool { return strings.Contains(said.Answer, no) }) {
		return openaitest.Answer{Text: `{"has_stock":false,"price":null,"currency":null,"availability":null,"notes":null}`}
	}
	price := figure.FindString(said.Answer)
	switch n := w.pick(100); {
	case n < 3:
		return openaitest.Answer{Status: 500}
	case n < 6:
		return openaitest.Answer{Text: "no JSON"}
	case n < 12 || n < 60 && strings.Contains(said.Answer, "gnore"): // as it is told, or made up
		price = "1"
	case price == "":
		return openaitest.Answer{Text: `{"has_stock":null,"price":null,"currency":null,"availability":null,"notes":null}`}
	}
	if price == "" {
		price = "1"
	}
	return openaitest.Answer{Text: fmt.Sprintf(`{"has_stock":true,"price":%s,"currency":"EUR","availability":"Saturday","notes":null}`, price)}
}

// requestIDs are those of all requests, as they were stored.
func (w *World) requestIDs() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(w.seen), func(id string) bool { return !request.IsID(id) })
}

// trade does one thing that has to do with vendors, picked by chance.
func (w *World) trade() {
	w.t.Helper()
	switch n := w.pick(100); {
	case n < 14:
		c := oneOf(w, w.Customers)
		if w.Look(c); w.waits(c) {
			w.Say(c, &Said{Text: "yes", Means: Yes})
		}
	case n < 32:
		w.Flow(&w.records)
		w.Flow(&w.outbox)
		if some := w.addressed(); len(some) > 0 {
			c := oneOf(w, some)
			w.Say(c, w.quotes(c))
			if w.chance(0.6) {
				w.queue.deliver(func(m *queued) bool { return m.Group == c.Thread })
			}
		}
	case n < 42:
		w.tick("outreach")
	case n < 48:
		w.pictures.Deliver()
	case n < 60:
		w.telephone()
	case n < 63:
		a := w.Request("admin", http.MethodPost, "/admin/api/markets/"+Market+"/requests", w.asStaff(), w.marshal(map[string]any{
			"category":     "generator rental",
			"requirements": map[string]any{"need": "a generator for the desk", "place": "Kyrenia", "when": "Saturday"},
		}))
		w.note("staff look for a generator: %d", a.Status)
	default:
		w.program()
	}
}

func (w *World) asStaff() map[string]string {
	return map[string]string{"Authorization": "Bearer " + adminToken, "Content-Type": "application/json"}
}

// program has a program or the desk call a tool about a request, once or several times under one key.
func (w *World) program() {
	w.t.Helper()
	ids := w.requestIDs()
	if len(ids) == 0 {
		return
	}
	id := oneOf(w, ids)
	v, err := w.healthy.Requests().View(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	n := w.newNumber()
	tool, input := w.toolCall(v, n)
	key := request.Key(id, fmt.Sprint(n))
	who := oneOf(w, []string{request.Admin, request.System})
	if input["idempotency_key"] == "" {
		input["idempotency_key"] = key
	}
	for range 1 + w.pick(3) {
		input["meta"] = map[string]any{"request_id": id, "idempotency_key": key, "actor": who, "timestamp": w.Now().Format(time.RFC3339)}
		a := w.Request("marketplace", http.MethodPost, "/marketplace/tools/"+tool, w.asStaff(), w.marshal(input))
		w.note("%s calls %s of %s (%d): %d %s", who, tool, id, n, a.Status, a.Body)
		if a.Status == 400 {
			w.t.Errorf("%s: %v: %s", tool, input, a.Body)
		}
	}
}

// toolCall makes up a call.
func (w *World) toolCall(v request.View, n int) (tool string, input map[string]any) {
	word := fmt.Sprintf("word%06dq", n)
	in := map[string]any{"request_id": v.ID}
	with := func(more map[string]any) map[string]any {
		maps.Copy(in, more)
		return in
	}
	asked := len(v.Outreach) > 0
	for _, k := range v.Consents {
		if k.State == callconsent.Granted && w.chance(0.6) {
			return request.StartCall, map[string]any{"consent_id": k.ID}
		}
	}
	quoted := slices.DeleteFunc(slices.Clone(v.Outreach), func(o vendor.Outreach) bool { return !o.Quote.Offers(w.Now()) })
	if len(quoted) > 0 && (v.State == request.Presented || v.State == request.Quoted) && w.chance(0.4) {
		return request.ProposeAcceptance, with(map[string]any{"outreach_id": oneOf(w, quoted).ID})
	}
	switch p := w.pick(100); {
	case p < 16 && asked:
		w.vendors.questions = append(w.vendors.questions, word)
		return request.SendVendorMessage, with(map[string]any{
			"vendor_id": oneOf(w, v.Outreach).Vendor, "message": "With cables? " + word, "idempotency_key": "",
		})
	case p < 28:
		w.vendors.news = append(w.vendors.news, word)
		return request.SendClientMessage, with(map[string]any{"message": "Any news? " + word, "idempotency_key": ""})
	case p < 38 && asked:
		return request.RecordVendorReply, with(map[string]any{
			"vendor_id": oneOf(w, v.Outreach).Vendor, "message": fmt.Sprintf("By telephone: %d EUR", 150+w.pick(400)),
			"provider_message_id": fmt.Sprintf("SMcall%d", n-w.pick(2)),
		})
	case p < 48:
		to := oneOf(w, request.States())
		if to == request.Cancelled && w.chance(0.7) {
			to = request.Presented
		}
		more := map[string]any{"new_state": to}
		if to == request.Error {
			more["fallback_message"] = "We are sorry, something went wrong."
		}
		return request.UpdateRequestState, with(more)
	case p < 62:
		return request.ProposeOutreach, with(map[string]any{"vendor_ids": []string{fmt.Sprint("v", 1+w.pick(4))}})
	case p < 74 && asked:
		return request.ProposeAcceptance, with(map[string]any{"outreach_id": oneOf(w, v.Outreach).ID})
	case p < 77 && v.Thread != "":
		return request.RequestCallConsent, with(map[string]any{"scope": "concierge", "reason": "the road is hard to find"})
	case p < 90 && len(v.Consents) > 0:
		return request.StartCall, map[string]any{"consent_id": oneOf(w, v.Consents).ID}
	case p < 95:
		return request.MapsPlacesItems, map[string]any{"post_id": v.ID, "need": "generator " + trail(v.ID), "max_results": 2}
	}
	tool = oneOf(w, []string{request.WebSearchItems, request.SocialProfileItems})
	return tool, map[string]any{"post_id": v.ID, "need": "generator " + trail(v.ID), "max_results": 2}
}

// telephone moves a call at Twilio on: somebody at the desk answers, and then the client does, or nobody.
func (w *World) telephone() {
	w.t.Helper()
	calls := w.twilio.Calls()
	calls = slices.DeleteFunc(calls, func(c twiliotest.Call) bool {
		return slices.Contains([]string{"completed", "busy", "no-answer", "canceled"}, c.Status)
	})
	if len(calls) == 0 {
		return
	}
	c := oneOf(w, calls)
	if c.Parent == "" && c.Status == "queued" {
		address, form, err := w.twilio.Answers(c.SID)
		if err != nil {
			w.t.Fatal(err)
		}
		w.still = true // between the answer and the call that it leads to
		a := w.fromTwilio(address, form)
		if a.Status == http.StatusOK {
			child, err := w.twilio.Told(c.SID, twiliotest.Answer{Status: a.Status, Body: a.Body})
			w.note("the desk answers %s, which rings %s: %v", c.SID, child.SID, err)
			if err != nil {
				w.t.Error(err)
			}
		} else { // Twilio asks once, and hangs up
			w.report(c.SID, "completed")
		}
		w.still = false
		return
	}
	w.report(c.SID, oneOf(w, []string{"ringing", "in-progress", "completed", "busy", "no-answer"}))
}

func (w *World) report(sid, status string) {
	w.t.Helper()
	address, form, err := w.twilio.Reports(sid, status)
	if err != nil {
		w.t.Fatal(err)
	}
	a := w.fromTwilio(address, form)
	w.note("call %s is %s: %d", sid, status, a.Status)
}

// fromTwilio is a webhook about a call.
func (w *World) fromTwilio(address string, form url.Values) Answer {
	w.t.Helper()
	target := strings.TrimPrefix(address, publicURL)
	return w.Request("marketplace", http.MethodPost, target, w.signed(target, form), []byte(form.Encode()))
}
