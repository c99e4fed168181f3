package app

import (
	"merve/internal/agent/tool"
	"merve/internal/matter/booking"
	"merve/internal/model/llm"
	"merve/internal/spine/gate"
)

// What tests look at from outside.
var (
	AsTwilioWants     = (*Base).asTwilioWants
	WhatsAppProvider  = (*Base).whatsAppProvider
	MessengerProvider = (*Base).messengerProvider
	Customers         = (*Base).desk
	Handovers         = (*Base).handovers
	Post              = (*Base).post
	RideTeller        = (*Base).rideTeller
	Bus               = (*Base).bus
	CallState         = callState
	Cast              = (*Base).cast
	RecordsTable      = (*Base).records
	Broker            = (*Base).broker
)

func Catalog(b *Base) booking.Catalog { return catalog{b.Listings()} }
func Model(b *Base) llm.Model         { return &lazyModel{b: b} }

// SweepLimit is sweepLimit.
const SweepLimit = sweepLimit

// Commitments are what a YES can do.
func Commitments(b *Base) map[string]gate.Commitment {
	return b.commitments(b.Ledger(), &tool.Registry{})
}
