// Package twilio is WhatsApp at Twilio: what it sends to webhooks and how it signs that,
// and its REST API for messages.
//
// Nothing that came by a webhook is read before [Verify] has passed on the raw body.
// [Client.Send] says of every failure whether nothing was sent, nothing ever will be, or
// that nobody knows; in the last case [Client.Find] asks Twilio, which has no key that
// would make a second send harmless. Errors hold no text, phone number or key, so that
// they can be logged.
//
// An address is a phone number in E.164, or the business-scoped id that WhatsApp gives
// in its place for people with a user name ("US.13491208655302741918"). An id is kept
// to the letter: no rule for phone numbers is ever used on it.
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
