// Package meta is Facebook Messenger at Meta: what it sends to webhooks and how it signs
// that, and its Send and Conversations APIs for a page's messages.
//
// Nothing that came by a webhook is read before [Verify] has passed on the raw body. What
// the body holds is told apart by [Parse]: a message that must be answered is never taken
// for an echo, a receipt, an edit or a deletion, nor the other way round.
// [Client.Send] says of every failure whether nothing was sent, nothing ever will be, or
// that nobody knows; in the last case [Client.Find] asks Meta, which has no key that would
// make a second send harmless. The access token goes in the address, as Meta wants it, and
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
