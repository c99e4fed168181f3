package app

import (
	"merve/internal/agent/tool"
	"merve/internal/model/llm"
	"merve/internal/spine/gate"
)

// What tests look at from outside.
var (
	AsTwilioWants     = (*Base).asTwilioWants
	WhatsAppProvider  = (*Base).whatsAppProvider
	MessengerProvider = (*Base).messengerProvider
	Customers         = (*Base).account
	Handovers         = (*Base).handovers
	Post              = (*Base).post
	RideTeller        = (*Base).rideTeller
	Bus               = (*Base).bus
	Cast              = (*Base).cast
	RecordsTable      = (*Base).records
	Broker            = (*Base).broker
)

func Model(b *Base) llm.Model { return b.model() }

// Commitments are what a YES can do.
func Commitments(b *Base) map[string]gate.Commitment { return b.commitments(&tool.Registry{}) }

// MostSwept is how much one sweep does something about.
var MostSwept = most.Count
