package order

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// Summary describes an order in one line: from whom, what, where to, when, for how much.
func Summary(lang string, o Order) string {
	vars := Vars(lang, o)
	vars["lines"] = strings.ReplaceAll(vars["lines"], "\n", "; ")
	if at := point(o); at != "" && o.Delivery.Address != "" {
		vars["address"] += " (" + at + ")"
	}
	return wording.Say(lang, wording.OrderSummary, vars)
}

// Lines are an order's positions, one a line.
func Lines(lang string, o Order) string {
	var all []string
	for _, l := range o.Lines {
		line := fmt.Sprintf("%d × %s", l.Quantity, l.Name)
		if len(l.Options) > 0 {
			line += " (" + strings.Join(l.Options, ", ") + ")"
		}
		if l.TotalMinor > 0 {
			line += " · " + money(lang, l.TotalMinor, o.Currency)
		}
		if l.Note != "" {
			line += " – " + wording.Quote(lang, l.Note)
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

// When returns the time that an order is for, in its own zone; "" means as soon as possible.
func When(lang string, o Order) string { return local(lang, o, o.When) }

// ETA is when the business expects it.
func ETA(lang string, o Order) string { return local(lang, o, o.ETA) }

func local(lang string, o Order, t time.Time) string {
	if t.IsZero() {
		return ""
	}
	loc := schedule.Zone(o.TimeZone)
	return wording.When(lang, t.In(loc), t.In(loc))
}

// address returns where to deliver an order, in the customer's words, else its point on the map.
func address(lang string, o Order) string {
	if s := o.Delivery; s != nil && s.Address != "" {
		return wording.Quote(lang, s.Address)
	}
	return point(o)
}

// point is where an order is brought on the map; "" is not known.
func point(o Order) string {
	if at := pin(o); at != nil {
		return fmt.Sprintf("%.5f, %.5f", at.Lat, at.Lng)
	}
	return ""
}

// mapLink is a pin for people who drive there.
func mapLink(o Order) string {
	if at := pin(o); at != nil {
		return fmt.Sprintf("https://www.openstreetmap.org/?mlat=%.5f&mlon=%.5f#map=17/%.5f/%.5f", at.Lat, at.Lng, at.Lat, at.Lng)
	}
	return ""
}

func money(lang string, minor int64, currency string) string {
	if minor == 0 {
		return ""
	}
	return wording.Money(lang, minor, currency)
}

// Vars returns the variables of a template about an order.
func Vars(lang string, o Order) wording.Vars {
	return wording.Vars{
		"code": o.Code, "listing": o.ListingName, "lines": Lines(lang, o), "address": address(lang, o), "map": mapLink(o), "when": When(lang, o),
		"customer": wording.Quote(lang, o.CustomerName), "phone": o.CustomerPhone, "fee": money(lang, o.FeeMinor, o.Currency), "total": money(lang, o.TotalMinor, o.Currency),
		"note": wording.Quote(lang, o.Note), "reason": wording.Quote(lang, o.Reason), "eta": ETA(lang, o),
	}
}

// CardOf describes an order for clients to show.
func CardOf(o Order) tool.Card {
	c := tool.Card{
		"type": "order", "id": o.ID, "code": o.Code, "kind": string(o.Kind), "title": o.ListingName, "status": string(o.Status),
		"updatedAt": o.UpdatedAt.UTC().Format(time.RFC3339),
	}
	var lines []any
	for _, l := range o.Lines {
		line := map[string]any{"name": l.Name, "quantity": l.Quantity, "total": map[string]any{"amount": l.TotalMinor, "currency": o.Currency}}
		if len(l.Options) > 0 {
			line["options"] = l.Options
		}
		lines = append(lines, line)
	}
	if len(lines) > 0 {
		c["lines"] = lines
	}
	if o.TotalMinor > 0 {
		c["total"] = map[string]any{"amount": o.TotalMinor, "currency": o.Currency}
	}
	if s := o.Delivery; s != nil {
		d := map[string]any{"address": cmp.Or(s.Address, point(o))}
		if at := s.Location(); at != nil {
			d["lat"], d["lng"] = at.Lat, at.Lng
		}
		c["delivery"] = d
	}
	if w := When(o.Language, o); w != "" {
		c["when"] = w
	}
	if e := ETA(o.Language, o); e != "" {
		c["eta"] = e
	}
	return c
}

// Proposal is how an order is put to its customer: in the words and with the hash of the same order.
func (o Order) Proposal(lang string) *tool.Proposal {
	return &tool.Proposal{Kind: ConfirmKind(o.Kind), Ref: o.ID, Summary: Summary(lang, o), Hash: o.Hash(), ExpiresAt: o.ExpiresAt}
}

// Cancellation is how the end of an order is put to its customer, until a time.
func (o Order) Cancellation(lang string, until time.Time) *tool.Proposal {
	return &tool.Proposal{Kind: cancelKind(o.Kind), Ref: o.ID, Summary: Summary(lang, o), Hash: cancelHash(o), ExpiresAt: until}
}

// HowToAnswer tells a business which words answer an order. If the order is for a fixed time, it does not ask
// how long it takes.
func HowToAnswer(lang string, o Order) string {
	key := wording.MerchantOrderAnswer
	if !o.When.IsZero() {
		key = wording.MerchantOrderAnswerTimed
	}
	return wording.Say(lang, key, wording.Vars{
		"code": o.Code, "accept": wording.Say(lang, wording.OrderWordAccept, nil), "refuse": wording.Say(lang, wording.OrderWordRefuse, nil),
	})
}

func placedKey(k Kind) wording.Key {
	switch k {
	case Service:
		return wording.ServicePlaced
	case Viewing:
		return wording.ViewingPlaced
	}
	return wording.OrderPlaced
}
