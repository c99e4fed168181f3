// Package twilio speaks WhatsApp through Twilio: its webhooks and their signatures,
// and its REST API for messages.
//
// Nothing in a webhook is read before [Verify] has passed on the raw body.
// For every failure [Client.Send] says whether nothing was sent, nothing ever will be, or
// nobody knows. In the last case [Client.Find] asks Twilio, because Twilio has no key that
// would make a second send harmless. Errors hold no text, phone number or key, so that
// they can be logged.
//
// An address is a phone number in E.164, or the business-scoped id that WhatsApp uses
// instead for people with a user name ("US.13491208655302741918"). An id is kept
// exactly: no rule for phone numbers is ever applied to it.
//
// https://www.twilio.com/docs/whatsapp/api
package twilio

import (
	"strings"

	"merve/internal/base/pattern"
)

// channelPrefix stands before every WhatsApp address.
const channelPrefix = "whatsapp:"

var (
	phonePattern = pattern.New(`^\+[1-9][0-9]{6,14}$`)
	// userPattern takes business-scoped ids and whatever may follow them: two letters of a
	// country, a full stop, and letters, digits and full stops ("US.ENT.118157992…").
	userPattern = pattern.New(`^[A-Za-z]{2}\.[A-Za-z0-9._-]{1,160}$`)
)

// IsPhone reports whether address is a phone number in E.164.
func IsPhone(address string) bool { return phonePattern.MatchString(address) }

// isAddress reports whether a message may come from or go to address.
func isAddress(address string) bool { return IsPhone(address) || userPattern.MatchString(address) }

// bare is an address without its channel.
func bare(address string) string { return strings.TrimPrefix(address, channelPrefix) }
