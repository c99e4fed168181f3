package admin

import (
	"net/http"
	"slices"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/edge/httpapi"
	"merve/internal/record/listing"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// previews render notifications by templates that are not stored yet.
type previews struct {
	tenants
}

func (h previews) Routes() staffRoutes {
	return staffRoutes{
		"POST /admin/api/markets/{market}/listings/preview": h.listing,
		"POST /admin/api/markets/{market}/preview":          h.market,
	}
}

// preview is the text of a message that would be sent.
type preview struct {
	Text      string   `json:"text"`      // with sample values
	From      string   `json:"from"`      // where the template comes from: listing, market or default
	Variables []string `json:"variables"` // of the event
	Unknown   []string `json:"unknown"`   // in the template, but not of the event
	Problem   string   `json:"problem,omitempty"`

	// Actions are the listing's in their stored form, even if it was sent in an older one.
	Actions []listing.Action `json:"actions,omitempty"`
}

// fallbacks are the keys of the product's own texts that differ from their event's name.
var fallbacks = map[string]wording.Key{"taxi_cancelled": wording.TaxiCancelledDriver}

// maxTemplate is the longest template previewed, in bytes.
const maxTemplate = 8 << 10

// market renders a market's template for an event, or the product's own text without one.
func (h previews) market(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var req struct {
		Event    string `json:"event"`
		Template string `json:"template"`
		Language string `json:"language"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	m, err := h.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	if req.Language == "" {
		req.Language = m.Language
	}
	p, err := previewOf(req.Event, req.Language, sampleValues(""), wordings{"market", req.Template})
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, p)
}

// listing renders what a business would be told about an event: by the template of the action, the one of the market, or
// the product's own text.
func (h previews) listing(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var req struct {
		Event   string          `json:"event"`
		Action  string          `json:"action"`
		Listing listing.Listing `json:"listing"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	if _, known := listing.ActionTypes()[req.Action]; !known {
		return fault.Field("action", "no such action")
	}
	m, err := h.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	own := ""
	for _, act := range req.Listing.Merve.Actions {
		if act.Type == req.Action {
			own = act.Template(req.Event)
			break
		}
	}
	lang := req.Listing.Merve.Language
	if lang == "" {
		lang = m.Language
	}
	vars := sampleValues(req.Listing.Name(lang))
	p, err := previewOf(req.Event, lang, vars, wordings{"listing", own}, wordings{"market", m.Templates[req.Event]})
	if err != nil {
		return err
	}
	p.Actions = req.Listing.Merve.Actions
	return httpapi.WriteJSON(w, http.StatusOK, p)
}

// wordings is a template and where it comes from.
type wordings struct{ from, template string }

// previewOf renders the first template that is not empty.
func previewOf(event, lang string, vars wording.Vars, templates ...wordings) (preview, error) {
	known, ok := market.Events()[event]
	if !ok {
		return preview{}, fault.Field("event", "no such event")
	}
	p := preview{From: "default", Variables: known, Unknown: []string{}}
	for _, t := range templates {
		if t.template == "" {
			continue
		}
		if len(t.template) > maxTemplate {
			return preview{}, fault.Field("template", "at most %d bytes", maxTemplate)
		}
		p.From, p.Unknown = t.from, unknownIn(t.template, known)
		if err := wording.Validate(t.template, known); err != nil {
			p.Problem, _ = fault.Public(err)
		}
		p.Text, _ = wording.Render(t.template, vars) // Problem says what is wrong with it
		return p, nil
	}
	key, ok := fallbacks[event]
	if !ok {
		key = wording.Key(event)
	}
	p.Text = wording.Say(lang, key, vars)
	return p, nil
}

var inBraces = pattern.New(`\{([^{}]*)\}`)

// unknownIn lists the variables of a template that are not among known.
func unknownIn(template string, known []string) []string {
	unknown := []string{}
	for _, m := range inBraces.Regexp().FindAllStringSubmatch(strings.NewReplacer("{{", "", "}}", "").Replace(template), -1) {
		if wording.Validate(m[0], known) != nil && !slices.Contains(unknown, m[1]) {
			unknown = append(unknown, m[1])
		}
	}
	return unknown
}

// sampleValues has a value for every variable of every event.
func sampleValues(listingName string) wording.Vars {
	if listingName == "" {
		listingName = "Harbour Meze"
	}
	return wording.Vars{
		"code": "K7QF", "listing": listingName, "offering": "Dinner table", "when": "Sat 21 November, 19:00", "party": "4",
		"customer": "Ayşe Yılmaz", "price": "€48.00", "note": "By the window, please", "lines": "2 × Meze\n1 × Lemonade",
		"address": "Harbour Road 5, Kyrenia", "map": "https://maps.example/35.3,33.3", "phone": "+90 533 000 00 00",
		"fee": "€2.00", "total": "€50.00", "reason": "The kitchen has closed", "eta": "19:40", "pickup": "Harbour Road 5, Kyrenia",
		"pickupMap": "https://maps.example/35.3,33.3", "dropoff": "Ercan Airport", "passengers": "2", "attempt": "1",
		"summary": "2 × Meze, 1 × Lemonade", "link": "https://merve.example/admin/threads", "text": "Do you have a high chair?",
		"district": "Kyrenia", "dropoffMap": "https://maps.example/35.1,33.5", "before": "Fri 20 November, 19:00", "driver": "Deniz Kaya", "vehicle": "white Skoda", "plate": "AB 123", "amount": "€48.00", "back": "€38.00",
		"kept": "€10.00", "until": "20:00", "count": "2", "days": "90", "vendor": "Kyrenia Power Hire", "market": "Island Concierge", "currency": "EUR", "need": "“generator rental” · “60 kVA” · “Kyrenia” · “Saturday”",
		"availability": "“Saturday from 8”", "notes": "“fuel is extra”", "words": "“Yes, 280 with delivery”",
	}
}
