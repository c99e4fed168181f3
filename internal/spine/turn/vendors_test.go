package turn_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/discovery"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/quote/price"
	"merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// vendors are those of a world, with what is looked for among them.
type vendors struct {
	broker *request.Broker
	teller *request.Teller
	phones map[string]string
	*gallery
}

// startVendors puts their part of a process together. A new process knows whom the one before it knew.
func (w *world) startVendors(records, catalog dynamo.Table, log *slog.Logger) {
	phones, pictures := map[string]string{}, &gallery{files: map[string][]byte{}}
	if w.vendors != nil {
		phones, pictures = w.vendors.phones, w.vendors.gallery
	}
	broker := &request.Broker{
		Store: &request.Store{Table: records, Now: w.clock.now, Rows: w.ledger.Rows}, Vendors: &vendor.Store{Table: catalog, Now: w.clock.now}, Markets: w.markets,
		Threads: w.threads, Outbox: w.outbox, Roster: w.roster, Bounds: w.bounds,
		Parser: &quote.Parser{Model: llm.Whole(w.complete), Now: w.clock.now, Log: log},
		NewID:  func() string { return dynamotest.ID("") }, Log: log,
		Finder: &discovery.Finder{Web: true, Profiles: true, Places: true, Gemini: newspaper{}, Map: atlas{}, WebCalls: 2, MapCalls: 2},
	}
	alerts := &alert.Store{Table: w.db.Table(dynamotest.TableName("alerts")), Now: w.clock.now}
	broker.Alerts = alerts
	reading := &quote.Pictures{Jobs: broker.Store.Jobs(), Requests: broker, Files: bucket{pictures}, Fetch: pictures.fetch, Reader: pictures, Alerts: alerts}
	w.vendors = &vendors{broker, &request.Teller{Broker: broker, Threads: w.teller(), Read: reading.Run}, phones, pictures}
}

// settleVendors stores the vendors of a conversation, given as YAML. Each has opted in.
func (w *world) settleVendors(text []byte) {
	w.t.Helper()
	var all []vendor.Vendor
	fromYAML(w.t, text, &all)
	for i, v := range all {
		v.Market, v.Enabled, v.OptIn = w.market, true, &vendor.OptIn{At: w.clock.now(), How: "form"}
		v.Phone = cmp.Or(v.Phone, fmt.Sprintf("+155503000%02d", i))
		w.vendors.phones[v.ID] = v.Phone
		if _, err := w.vendors.broker.Vendors.Put(w.t.Context(), v); err != nil {
			w.t.Fatal(err)
		}
	}
}

// allRequests are those of everybody who was met, as they were made.
func (w *world) allRequests() []request.View {
	w.t.Helper()
	var all []request.View
	for _, owner := range w.owners() {
		mine, err := w.vendors.broker.Store.Mine(w.t.Context(), actor.OfKey(owner), w.market)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, r := range mine {
			v, err := w.vendors.broker.Store.View(w.t.Context(), r.ID)
			if err != nil {
				w.t.Fatal(err)
			}
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b request.View) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return all
}

// tellRequests has the stream of records bring every event of a request, each twice, until nothing follows from it.
func (w *world) tellRequests() {
	w.t.Helper()
	for again := true; again; {
		again = false
		for _, v := range w.allRequests() {
			page, err := w.vendors.broker.Store.Table.Query(w.t.Context(), dynamo.Under("request#"+v.ID, "event#"))
			if err != nil {
				w.t.Fatal(err)
			}
			for _, it := range page.Items {
				e, _, err := request.Events.Read(it)
				if err != nil {
					w.t.Fatal(err)
				}
				name := "request " + v.ID + e.ID
				if w.told[name] {
					continue
				}
				w.told[name], again = true, true
				for range 2 {
					if err := w.vendors.teller.Tell(w.t.Context(), e); err != nil {
						w.t.Fatalf("request: %v", err)
					}
				}
			}
		}
	}
}

// threadsOfVendors are those of all vendors.
func (w *world) threadsOfVendors() []string {
	var threads []string
	for _, id := range slices.Sorted(maps.Keys(w.vendors.phones)) {
		threads = append(threads, thread.ID(w.market, channel.Vendor, "", channel.OfNumber(w.vendors.phones[id]).Key()))
	}
	return threads
}

// vendorThreads are those of vendors who have not written.
func (w *world) vendorThreads() []string {
	return slices.DeleteFunc(w.threadsOfVendors(), func(id string) bool { return slices.Contains(w.threadsMet(), id) })
}

// vendor has a vendor write to us.
func (p *play) vendor(l line) {
	p.t.Helper()
	name, _, _ := strings.Cut(l.opts, ",")
	number := p.vendors.phones[name]
	if number == "" {
		p.t.Fatalf("%v: no such vendor", l)
	}
	p.other(l, number)
}

// remindVendors is the schedule that reminds vendors, for this market's only.
func (p *play) remindVendors() {
	p.t.Helper()
	p.reply = ""
	for _, v := range p.allRequests() {
		if _, err := p.vendors.teller.Attend(p.t.Context(), v.ID); err != nil {
			p.t.Fatal(err)
		}
	}
	p.settle()
	p.look()
}

// valueOfRequests is what is in a conversation about requests.
func (p *play) valueOfRequests(of, opts string, n int) (string, bool) {
	p.t.Helper()
	switch of {
	case "requests":
		var all []string
		for _, v := range p.allRequests() {
			all = append(all, string(v.State))
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	case "outreach":
		var all []string
		for _, o := range nth(p.t, p.allRequests(), fmt.Sprint(n)).Outreach {
			all = append(all, describeOutreach(o))
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	case "calls":
		var all []string
		for _, k := range nth(p.t, p.allRequests(), fmt.Sprint(n)).Consents {
			all = append(all, string(k.State))
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	case "accepted":
		v := nth(p.t, p.allRequests(), fmt.Sprint(n))
		for _, o := range v.Outreach {
			if o.ID == v.Accepted {
				return o.Vendor + " by " + v.Receipt.Answer, true
			}
		}
		return "none", true
	case "audit":
		v := nth(p.t, p.allRequests(), fmt.Sprint(n))
		t, err := p.vendors.broker.Store.Log().Trail(p.t.Context(), v.ID)
		if err == nil {
			err = t.Verify()
		}
		if err != nil {
			p.t.Fatal(err)
		}
		var all []string
		for _, r := range t.Records {
			all = append(all, strings.TrimPrefix(r.Tool, "marketplace.")+map[bool]string{false: " refused"}[r.Success])
		}
		return strings.Join(all, ", "), true
	case "sent to vendor":
		return p.sentTo(p.vendors.phones[opts]), true
	}
	return "", false
}

// describeOutreach is a vendor who was asked, in the words of a conversation file.
func describeOutreach(o vendor.Outreach) string {
	text := o.Vendor + " " + string(o.State)
	if q := o.Quote; q != nil && q.PriceMinor != nil {
		text += fmt.Sprintf(" %d", *q.PriceMinor)
		if q.Currency != "EUR" {
			text += " " + q.Currency
		}
	} else if q != nil && q.Status == price.Unclear {
		text += " unclear"
	}
	if o.Late && o.Quote != nil {
		text += " late"
	}
	return text
}

// askedOf is the n-th outreach of all.
func (p *play) askedOf(n string) vendor.Outreach {
	p.t.Helper()
	var all []vendor.Outreach
	for _, v := range p.allRequests() {
		all = append(all, v.Outreach...)
	}
	return nth(p.t, all, n)
}

// gallery are the pictures of a conversation: their lines, by name. What is fetched is as wide as the picture's place
// among their names says, by which the reader knows it.
type gallery struct {
	pictures map[string][]string
	files    map[string][]byte
}

func (g *gallery) names() []string { return slices.Sorted(maps.Keys(g.pictures)) }

func (g *gallery) fetch(_ context.Context, address string) ([]byte, error) {
	at := slices.Index(g.names(), path.Base(address))
	if at < 0 {
		return nil, fault.New(fault.NotFound, "no such picture")
	}
	var b bytes.Buffer
	err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 100+at, 8)))
	return b.Bytes(), err
}

func (g *gallery) Read(_ context.Context, page *image.Gray) ([]ocr.Word, error) {
	var words []ocr.Word
	for y, line := range g.pictures[g.names()[page.Bounds().Dx()-100]] {
		x := 0
		for w := range strings.FieldsSeq(line) {
			words = append(words, ocr.Word{Text: w, Box: image.Rect(x, 40*y, x+10*len(w), 40*y+20), Confidence: 0.95})
			x += 10*len(w) + 60
		}
	}
	return words, nil
}

// bucket is where pictures are kept.
type bucket struct{ *gallery }

func (b bucket) Keep(_ context.Context, key, _ string, data []byte) error {
	b.files[key] = data
	return nil
}

func (b bucket) Read(_ context.Context, key string) ([]byte, error) {
	if data, ok := b.files[key]; ok {
		return data, nil
	}
	return nil, fault.New(fault.NotFound, "no such file")
}

// newspaper is the web of the conversations: one page that says what it was asked, and no profile.
type newspaper struct{}

func (newspaper) Ready(context.Context) (bool, error) { return true, nil }

func (newspaper) Search(_ context.Context, q discovery.Query) (discovery.Found, error) {
	return discovery.Found{
		Items:    []discovery.Item{{Title: "Searched: " + q.Text(), URL: "http://hire.example?utm_source=news"}},
		Searches: []discovery.Link{{Title: "generator hire", URL: "https://www.google.com/search?q=generator"}},
	}, nil
}

// atlas is the map of the conversations.
type atlas struct{}

func (atlas) Ready(context.Context) (bool, error) { return true, nil }

func (atlas) Find(context.Context, discovery.MapQuery) ([]discovery.Place, error) {
	return []discovery.Place{{ID: "ChIJ_1", Name: "Girne Power"}, {ID: "ChIJ_2", Name: "Kyrenia Hire"}}, nil
}

func (atlas) Place(_ context.Context, id, _ string) (discovery.Place, error) {
	return discovery.Place{ID: id, Name: "Girne Power"}, nil
}
