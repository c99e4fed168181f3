package market

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

var (
	legalID = pattern.New(`^[a-z0-9][a-z0-9-]{0,39}$`)
	e164    = pattern.New(`^\+[1-9][0-9]{6,14}$`)
)

// Events are the occasions on which a market's template may be said, and the variables
// that each of them has.
func Events() map[string][]string {
	booking := []string{"code", "listing", "offering", "when", "party", "customer", "price", "note"}
	answered := []string{"listing", "code", "eta", "reason", "summary"}
	ride := []string{"code", "pickup", "pickupMap", "district", "dropoff", "dropoffMap", "when", "passengers"}
	driven := []string{"code", "driver", "vehicle", "plate"}
	order := []string{"code", "listing", "lines", "address", "map", "when", "customer", "phone", "fee", "total", "note", "reason", "eta"}
	return map[string][]string{
		"merchant_booking_confirmed":  booking,
		"merchant_booking_moved":      append(slices.Clone(booking), "before"),
		"merchant_booking_cancelled":  booking,
		"merchant_order_placed":       order,
		"merchant_service_placed":     order,
		"merchant_viewing_placed":     order,
		"merchant_order_cancelled":    order,
		"merchant_order_unanswered":   order,
		"order_accepted":              answered,
		"order_refused":               answered,
		"order_done":                  answered,
		"order_unanswered":            answered,
		"business_untold":             {"code"},
		"order_cancelled_by_business": answered,
		"desk_wanted":                 {"customer", "reason", "summary", "link"},
		"merchant_message":            {"listing", "customer", "phone", "text", "code"},
		"business_message":            {"listing", "code", "text"},
		"waitlist_offer":              booking,
		"booking_reminder":            {"code", "listing", "offering", "when", "party"},
		"booking_no_show":             {"listing", "summary", "until", "amount", "kept", "back", "count", "days"},
		"booking_came":                {"listing", "summary"},
		"payment_paid":                {"code", "summary", "amount"},
		"payment_failed":              {"summary", "amount", "link", "until"},
		"payment_too_late":            {"summary", "amount"},
		"payment_returning":           {"code", "summary", "amount"},
		"payment_returning_part":      {"code", "summary", "amount", "back", "kept"},
		"payment_returned":            {"code", "summary", "amount"},
		"taxi_offer":                  append(slices.Clone(ride), "attempt"),
		"taxi_pickup":                 append(slices.Clone(ride), "customer", "phone", "note"),
		"taxi_taken":                  {"code"},
		"taxi_cancelled":              {"code"},
		"taxi_assigned":               append(slices.Clone(driven), "phone"),
		"taxi_arrived":                driven,
		"taxi_searching":              {"code"},
		"taxi_called_off":             {"code", "summary"},
		"taxi_done":                   {"code"},
		"taxi_unserved":               {"code", "summary"},
		"taxi_expired":                {"summary"},
		"vendor_asked":                {"market", "need", "currency", "code"},
		"vendor_reminder":             {"market", "need", "code"},
		"vendor_question":             {"code", "text"},
		"vendor_accepted":             {"code", "price", "availability", "notes", "words", "need", "customer", "phone"},
		"request_news":                {"code", "summary"},
		"request_quotes":              {"code", "need", "lines"},
		"request_message":             {"code", "lines"},
		"request_answered":            {"vendor", "code", "words"},
		"request_silent":              {"code", "need"},
		"request_off":                 {"code"},
		"request_failed":              {"code"},
	}
}

// ToolEvents maps each tool that may have a template in a market to the event that the template words. That template
// is used if neither the listing nor the market has one for the event.
func ToolEvents() map[string]string {
	return map[string]string{
		"requestTaxi": "taxi_offer", "orderFood": "merchant_order_placed",
		"bookService": "merchant_service_placed", "scheduleViewing": "merchant_viewing_placed",
	}
}

// IsE164 reports whether number is a telephone number in the form of ITU-T E.164.
func IsE164(number string) bool { return e164.MatchString(number) }

// Check returns an error that names the first field that is wrong and what would be right.
func (m *Market) Check() error {
	if !legalID.MatchString(m.ID) {
		return fault.Field("id", "want lower-case letters, digits and dashes, at most 40")
	}
	if m.Name == "" {
		return fault.Field("name", "missing")
	}
	if err := m.checkPlace(); err != nil {
		return err
	}
	if err := m.checkDistricts(); err != nil {
		return err
	}
	if err := m.Desk.check(); err != nil {
		return err
	}
	if err := m.Safety.check(); err != nil {
		return err
	}
	for event, text := range m.Templates {
		vars, known := Events()[event]
		if !known {
			return fault.Field("templates."+event, "no such event")
		}
		if err := wording.Validate(text, vars); err != nil {
			return fault.Field("templates."+event, "%v", err)
		}
	}
	if err := m.checkTools(); err != nil {
		return err
	}
	if err := m.checkVoices(); err != nil {
		return err
	}
	for event, a := range m.WhatsApp.Templates {
		vars, known := Events()[event]
		switch {
		case !known:
			return fault.Field("whatsapp.templates."+event, "no such event")
		case a.ContentSID == "":
			return fault.Field("whatsapp.templates."+event+".contentSid", "missing")
		}
		for _, p := range a.Params {
			if !slices.Contains(vars, p) {
				return fault.Field("whatsapp.templates."+event+".params", "no variable %q: want some of %v", p, vars)
			}
		}
	}
	if m.WhatsApp.From != "" && !IsE164(m.WhatsApp.From) {
		return fault.Field("whatsapp.from", "want E.164, such as +15550100")
	}
	return nil
}

// checkTools holds the templates of tools to their variables, and their bounds to what can be.
func (m *Market) checkTools() error {
	for name, p := range m.Tools {
		if err := p.Bounds.check("tools." + name + ".bounds"); err != nil {
			return err
		}
		event, said := ToolEvents()[name]
		if p.Template != "" && !said {
			return fault.Field("tools."+name+".template", "is said nowhere: want it of one of %v", slices.Sorted(maps.Keys(ToolEvents())))
		}
		if err := wording.Validate(p.Template, Events()[event]); err != nil {
			return fault.Field("tools."+name+".template", "%v", err)
		}
	}
	return nil
}

func (m *Market) checkPlace() error {
	for i, l := range append([]string{m.Language}, m.Languages...) {
		if tag, ok := language.Normalize(l); !ok || tag != l {
			field := "language"
			if i > 0 {
				field = fmt.Sprintf("languages[%d]", i-1)
			}
			return fault.Field(field, "want one of %v", language.Supported())
		}
	}
	if !slices.Contains(m.Languages, m.Language) {
		return fault.Field("languages", "must hold the default language %q", m.Language)
	}
	if !schedule.IsCurrency(m.Currency) {
		return fault.Field("currency", "want ISO 4217 in capitals, such as EUR")
	}
	if _, err := time.LoadLocation(m.TimeZone); err != nil || m.TimeZone == "" || m.TimeZone == "Local" {
		return fault.Field("timeZone", "want an IANA name, such as Europe/Nicosia")
	}
	if m.Gate != Remind && m.Gate != Converse {
		return fault.Field("gate", "want %s or %s", Remind, Converse)
	}
	if m.QuietMS < 0 || m.QuietMS > MaxQuietMS {
		return fault.Field("quietMs", "want 0 to %d", MaxQuietMS)
	}
	if b := m.Bounds; b != nil && !b.Valid() {
		return fault.Field("bounds", "want west < east within ±180 and south < north within ±90 degrees")
	}
	return nil
}

// MaxQuietMS is the longest wait for the end of a burst.
const MaxQuietMS = 10_000

// MaxTurnSeconds is the longest that a turn may take, so that with the wait for the end of a burst
// and what it has to store it is over before the function that runs it is stopped.
const MaxTurnSeconds = 100

func (s Safety) check() error {
	bounds := []struct {
		field     string
		value     int64
		low, high int64
	}{
		{"maxOutboundPerInbound", int64(s.MaxOutboundPerInbound), 1, 20},
		{"maxRounds", int64(s.MaxRounds), 1, 30},
		{"maxCalls", int64(s.MaxCalls), 1, 100},
		{"maxSameCall", int64(s.MaxSameCall), 1, 10},
		{"turnSeconds", int64(s.TurnSeconds), 5, MaxTurnSeconds},
		{"turnTokens", int64(s.TurnTokens), 1000, 2_000_000},
		{"turnMicroUsd", s.TurnMicroUSD, 1000, 100_000_000},
		{"threadDayMicroUsd", s.ThreadDayMicroUSD, 1000, 1_000_000_000},
		{"marketDayMicroUsd", s.MarketDayMicroUSD, 1000, 1_000_000_000_000},
		{"identifiedPercent", int64(s.IdentifiedPercent), 0, 90},
		{"holdSeconds", int64(s.HoldSeconds), 60, 24 * 3600},
		{"maxBookings", int64(s.MaxBookings), 1, 1000},
		{"maxOrdersDay", int64(s.MaxOrdersDay), 1, 1000},
		{"maxRidesDay", int64(s.MaxRidesDay), 1, 1000},
		{"maxMessagesDay", int64(s.MaxMessagesDay), 1, 1000},
		{"addressTimes", int64(s.AddressTimes), minAddressTimes, 10_000},
	}
	for _, b := range bounds {
		if b.value < b.low || b.value > b.high {
			return fault.Field("safety."+b.field, "want %d to %d", b.low, b.high)
		}
	}
	return nil
}

func (d DeskPolicy) check() error {
	if len(d.Numbers) > MaxDeskNumbers {
		return fault.Field("desk.numbers", "at most %d", MaxDeskNumbers)
	}
	if d.Phone != "" && !IsE164(d.Phone) {
		return fault.Field("desk.phone", "want E.164, such as +15550100")
	}
	for _, n := range d.Numbers {
		if !IsE164(n) {
			return fault.Field("desk.numbers", "want numbers in the form of E.164, such as +905331234567")
		}
	}
	if d.Hours == nil {
		return nil
	}
	return d.Hours.Check()
}
