// Package market holds what a tenant decides: language, currency, time zone, which
// tools may run, safety bounds, templates. A market's configuration is validated and
// versioned when it is saved, and read through a short-lived cache.
package market

import (
	"time"

	"merve/internal/base/geo"
	"merve/internal/cloud/bound"
	"merve/internal/tenant/schedule"
)

// Market is a tenant and its policy. The zero values of Default are what an
// operator who sets nothing gets.
type Market struct {
	ID        string                `dynamodbav:"id" json:"id"`
	Name      string                `dynamodbav:"name" json:"name"`
	Version   int                   `dynamodbav:"version" json:"version"` // counts saves; a save names the one it changes
	Enabled   bool                  `dynamodbav:"enabled" json:"enabled"`
	Language  string                `dynamodbav:"language" json:"language"`                 // the default one
	Languages []string              `dynamodbav:"languages" json:"languages"`               // the ones served
	Currency  string                `dynamodbav:"currency" json:"currency"`                 // ISO 4217
	TimeZone  string                `dynamodbav:"timeZone" json:"timeZone"`                 // IANA name
	Bounds    *geo.Box              `dynamodbav:"bounds,omitempty" json:"bounds,omitempty"` // where it is; nil is anywhere
	Districts []District            `dynamodbav:"districts,omitempty" json:"districts,omitempty"`
	Gate      GateMode              `dynamodbav:"gate" json:"gate"`
	Contact   bool                  `dynamodbav:"requireContact,omitempty" json:"requireContact"` // businesses hear only of customers whose name and number are known
	QuietMS   int                   `dynamodbav:"quietMs" json:"quietMs"`                         // webhook channels wait this long for a burst to end
	Safety    Safety                `dynamodbav:"safety" json:"safety"`
	Tools     map[string]ToolPolicy `dynamodbav:"tools" json:"tools"`         // by tool name
	Templates map[string]string     `dynamodbav:"templates" json:"templates"` // default message templates by event, {var}
	Desk      DeskPolicy            `dynamodbav:"desk" json:"desk"`
	WhatsApp  WhatsApp              `dynamodbav:"whatsapp" json:"whatsapp"`
	Voices    map[string]Voice      `dynamodbav:"voices,omitempty" json:"voices,omitempty"` // by the name of the assistant
	UpdatedAt time.Time             `dynamodbav:"updatedAt" json:"updatedAt"`
	UpdatedBy string                `dynamodbav:"updatedBy" json:"updatedBy"`
}

// GateMode says what the gate does with a message that is neither YES nor NO.
type GateMode string

const (
	Remind   GateMode = "remind"   // remind of the pending action, no model
	Converse GateMode = "converse" // let the model answer and propose again, then remind of what still waits
)

// Safety bounds what one message, one thread and one market may cost or cause. What goes out for
// a message is bounded in what the model says; what the backend or staff word is sent whole.
type Safety struct {
	RequireConfirmFor     []string `dynamodbav:"requireConfirmFor" json:"requireConfirmFor"` // tools that always become proposals
	MaxOutboundPerInbound int      `dynamodbav:"maxOutboundPerInbound" json:"maxOutboundPerInbound"`
	MaxRounds             int      `dynamodbav:"maxRounds" json:"maxRounds"`       // model rounds a turn
	MaxCalls              int      `dynamodbav:"maxCalls" json:"maxCalls"`         // tool calls a turn
	MaxSameCall           int      `dynamodbav:"maxSameCall" json:"maxSameCall"`   // the same call with the same arguments a turn
	TurnSeconds           int      `dynamodbav:"turnSeconds" json:"turnSeconds"`   // wall clock a turn
	TurnTokens            int      `dynamodbav:"turnTokens" json:"turnTokens"`     // model tokens a turn
	TurnMicroUSD          int64    `dynamodbav:"turnMicroUsd" json:"turnMicroUsd"` // model cost, in millionths of a US dollar
	ThreadDayMicroUSD     int64    `dynamodbav:"threadDayMicroUsd" json:"threadDayMicroUsd"`
	MarketDayMicroUSD     int64    `dynamodbav:"marketDayMicroUsd" json:"marketDayMicroUsd"`
	IdentifiedPercent     int      `dynamodbav:"identifiedPercent" json:"identifiedPercent"` // of the market's day, kept for customers who can be told apart
	HoldSeconds           int      `dynamodbav:"holdSeconds" json:"holdSeconds"`             // how long an offer is held
	MaxBookings           int      `dynamodbav:"maxBookings" json:"maxBookings"`             // of one customer that are held or stand at one time
	MaxOrdersDay          int      `dynamodbav:"maxOrdersDay" json:"maxOrdersDay"`
	MaxRidesDay           int      `dynamodbav:"maxRidesDay" json:"maxRidesDay"`
	MaxMessagesDay        int      `dynamodbav:"maxMessagesDay" json:"maxMessagesDay"` // to businesses
	AddressTimes          int      `dynamodbav:"addressTimes" json:"addressTimes"`     // so many times as much is taken from one network address
}

// minAddressTimes is the least for an address: an office, a hotel or a mobile network shares one.
const minAddressTimes = 20

// AnonymousDay is what all sessions together may cost in a day, in millionths of a US dollar: they cost
// nothing to make, and what they use up must not be everybody's.
func (s Safety) AnonymousDay() int64 {
	return s.MarketDayMicroUSD / 100 * int64(100-s.IdentifiedPercent)
}

// AddressDay is what the sessions of one network address may cost in a day.
func (s Safety) AddressDay() int64 { return s.ThreadDayMicroUSD * int64(s.AddressTimes) }

// Limits are the bounds on what customers hold and set going.
func (s Safety) Limits() bound.Limits {
	return bound.Limits{
		Most:  map[bound.Matter]int{bound.Booking: s.MaxBookings, bound.Order: s.MaxOrdersDay, bound.Ride: s.MaxRidesDay, bound.Message: s.MaxMessagesDay},
		Times: s.AddressTimes,
	}
}

// ToolPolicy is what a market says of one tool. Nil means the default of the tool's effect.
type ToolPolicy struct {
	Enabled             *bool       `dynamodbav:"enabled" json:"enabled,omitempty"`
	RequireConfirmation *bool       `dynamodbav:"requireConfirmation" json:"requireConfirmation,omitempty"`
	AllowedTags         []string    `dynamodbav:"allowedTags,omitempty" json:"allowedTags,omitempty"` // of listings that it may touch; empty allows all
	Bounds              *ToolBounds `dynamodbav:"bounds,omitempty" json:"bounds,omitempty"`
	Template            string      `dynamodbav:"template,omitempty" json:"template,omitempty"` // of the first message it sends, see [ToolEvents]
}

// DeskPolicy says who takes threads over, and when.
type DeskPolicy struct {
	Numbers []string        `dynamodbav:"numbers,omitempty" json:"numbers,omitempty"` // E.164: told on WhatsApp when a customer asks for a person
	Phone   string          `dynamodbav:"phone,omitempty" json:"phone,omitempty"`     // E.164: rings first when a customer is called; "" calls nobody
	Hours   *schedule.Hours `dynamodbav:"hours,omitempty" json:"hours,omitempty"`     // when somebody is there; nil is always
}

// MaxDeskNumbers is the most that are told.
const MaxDeskNumbers = 10

// WhatsApp names the approved templates to use outside the 24-hour window.
type WhatsApp struct {
	From      string              `dynamodbav:"from,omitempty" json:"from,omitempty"`           // E.164; "" uses the account's own
	Templates map[string]Approved `dynamodbav:"templates,omitempty" json:"templates,omitempty"` // by event
}

// Approved is a message template that the provider has approved.
type Approved struct {
	ContentSID string   `dynamodbav:"contentSid" json:"contentSid"`
	Params     []string `dynamodbav:"params,omitempty" json:"params,omitempty"` // variables by position: {{1}}, {{2}}, …
}

// Location returns the market's time zone; UTC if it cannot be loaded.
func (m *Market) Location() *time.Location { return schedule.Zone(m.TimeZone) }

// Default returns the policy of a market that has set nothing.
func Default(id string) *Market {
	return &Market{
		ID: id, Name: id, Enabled: true,
		Language: "en", Languages: []string{"en"}, Currency: "EUR", TimeZone: "UTC",
		Gate: Converse, QuietMS: 1200,
		Safety: Safety{
			MaxOutboundPerInbound: 3, MaxRounds: 8, MaxCalls: 16, MaxSameCall: 3,
			TurnSeconds: 90, TurnTokens: 120_000, TurnMicroUSD: 250_000,
			ThreadDayMicroUSD: 2_000_000, MarketDayMicroUSD: 200_000_000, IdentifiedPercent: 25, HoldSeconds: 600,
			MaxBookings: 8, MaxOrdersDay: 20, MaxRidesDay: 12, MaxMessagesDay: 20, AddressTimes: minAddressTimes,
		},
		Tools: map[string]ToolPolicy{}, Templates: map[string]string{},
	}
}
