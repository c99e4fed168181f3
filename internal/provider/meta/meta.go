// Package meta speaks Facebook Messenger at Meta: its webhooks and their
// signatures, and its Send and Conversations APIs for a page's messages.
//
// Nothing in a webhook is read before [Verify] has passed on the raw body. [Parse] tells
// the events in the body apart: a message that must be answered is never taken
// for an echo, a receipt, an edit or a deletion, nor the other way round.
// For every failure [Client.Send] says whether nothing was sent, nothing ever will be, or
// nobody knows. In the last case [Client.Find] asks Meta, because Meta has no key that would
// make a second send harmless. The access token goes in the address, as Meta requires, and
// errors hold no address, text, id of a person or key, so that they can be logged.
//
// A person is known by an id that is theirs on one page only (PSID). It is kept to the
// letter.
//
// https://developers.facebook.com/documentation/business-messaging/messenger-platform
package meta

import "merve/internal/base/pattern"

// idPattern takes the ids of people and pages. Meta's are digits, and said to be strings.
var idPattern = pattern.New(`^[A-Za-z0-9._:-]{1,128}$`)

// IsID reports whether id can be a person's or a page's.
func IsID(id string) bool { return idPattern.MatchString(id) }
