package api

import (
	"net/http"
	"slices"
	"strings"

	"merve/internal/actor"
	"merve/internal/fault"
	"merve/internal/httpapi"
	"merve/internal/listing"
	"merve/internal/market"
	"merve/internal/pattern"
	"merve/internal/wording"
)

// preview is what a message would say.
type preview struct {
	Text      string   `json:"text"`      // with sample values
	From      string   `json:"from"`      // listing, market or default: whose wording it is
	Variables []string `json:"variables"` // that the event has
	Unknown   []string `json:"unknown"`   // that the wording names and the event has not
	Problem   string   `json:"problem,omitempty"`

	// Actions are those of a listing as they are stored: what was sent in the older form, too.
	Actions []listing.Action `json:"actions,omitempty"`
}

// fallbacks are the product's own texts, where they are not called as their events.
var fallbacks = map[string]wording.Key{"taxi_cancelled": wording.TaxiCancelledDriver}

// maxTemplate is the longest template that is shown, in bytes.
const maxTemplate = 8 << 10

// previewMarket shows what a market's template for an event would say; without one, the
// product's own text.
func (a *Admin) previewMarket(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var req struct {
		Event    string `json:"event"`
		Template string `json:"template"`
		Language string `json:"language"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	m, err := a.Markets.Read(r.Context(), r.PathValue("market"))
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

// previewListing shows what a business would be told of an event: the action's template, else
// the market's, else the product's own text.
func (a *Admin) previewListing(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
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
	m, err := a.Markets.Read(r.Context(), r.PathValue("market"))
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
	p, err := previewOf(req.Event, lang, sampleValues(req.Listing.Name(lang)), wordings{"listing", own}, wordings{"market", m.Templates[req.Event]})
	if err != nil {
		return err
	}
	p.Actions = req.Listing.Merve.Actions
	return httpapi.WriteJSON(w, http.StatusOK, p)
}

// wordings is a template, and whose it is.
type wordings struct{ from, template string }

// previewOf renders the first template there is.
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
		p.Text, _ = wording.Render(t.template, vars) // what is wrong with it is said already
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

// unknownIn lists the variables of a template that are none of known.
func unknownIn(template string, known []string) []string {
	unknown := []string{}
	for _, m := range inBraces.Regexp().FindAllStringSubmatch(strings.NewReplacer("{{", "", "}}", "").Replace(template), -1) {
		if wording.Validate(m[0], known) != nil && !slices.Contains(unknown, m[1]) {
			unknown = append(unknown, m[1])
		}
	}
	return unknown
}

// sampleValues are values for every variable of any event.
func sampleValues(listingName string) wording.Vars {
	if listingName == "" {
		listingName = "Harbour Meze"
	}
	return wording.Vars{
		"code": "K7QF", "listing": listingName, "offering": "Dinner table", "when": "Sat 21 November, 19:00", "party": "4", "customer": "Ayşe Yılmaz",
		"price": "€48.00", "note": "By the window, please", "lines": "2 × Meze\n1 × Lemonade", "address": "Harbour Road 5, Kyrenia", "map": "https://maps.example/35.3,33.3",
		"phone": "+90 533 000 00 00", "fee": "€2.00", "total": "€50.00", "reason": "The kitchen has closed", "eta": "19:40", "pickup": "Harbour Road 5, Kyrenia",
		"pickupMap": "https://maps.example/35.3,33.3", "dropoff": "Ercan Airport", "passengers": "2", "attempt": "1",
		"summary": "2 × Meze, 1 × Lemonade", "link": "https://merve.example/admin/threads", "text": "Do you have a high chair?",
		"driver": "Deniz Kaya", "vehicle": "white Skoda", "plate": "AB 123", "amount": "€48.00", "back": "€38.00", "kept": "€10.00", "until": "20:00", "count": "2", "days": "90",
	}
}
