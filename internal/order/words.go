package order

import (
	"fmt"
	"strings"
	"time"

	"merve/internal/schedule"
	"merve/internal/tool"
	"merve/internal/wording"
)

// Summary is what an order is, in one line: from whom, what, where to, when, for how much.
func Summary(lang string, o Order) string {
	return wording.Say(lang, wording.OrderSummary, wording.Vars{
		"listing": o.ListingName, "lines": strings.ReplaceAll(Lines(lang, o), "\n", "; "), "address": address(o), "when": When(lang, o), "phone": o.CustomerPhone,
		"fee": money(lang, o.FeeMinor, o.Currency), "total": money(lang, o.TotalMinor, o.Currency), "note": o.Note,
	})
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
			line += " – " + l.Note
		}
		all = append(all, line)
	}
	return strings.Join(all, "\n")
}

// When is the time that an order is for, in its own zone; "" is as soon as can be.
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

func address(o Order) string {
	if o.Delivery == nil {
		return ""
	}
	return o.Delivery.String()
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

// Vars are what a template about an order can say.
func Vars(lang string, o Order) wording.Vars {
	return wording.Vars{
		"code": o.Code, "listing": o.ListingName, "lines": Lines(lang, o), "address": address(o), "map": mapLink(o), "when": When(lang, o),
		"customer": o.CustomerName, "phone": o.CustomerPhone, "fee": money(lang, o.FeeMinor, o.Currency), "total": money(lang, o.TotalMinor, o.Currency),
		"note": o.Note, "reason": o.Reason, "eta": ETA(lang, o),
	}
}

// CardOf is what a client shows of an order.
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
		d := map[string]any{"address": address(o)}
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

func placedKey(k Kind) wording.Key {
	switch k {
	case Service:
		return wording.ServicePlaced
	case Viewing:
		return wording.ViewingPlaced
	}
	return wording.OrderPlaced
}
