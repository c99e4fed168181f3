// Package claim finds what a text says has been done: booked, cancelled, deleted, sent,
// ordered, paid, refunded, a confirmation number given. A model's reply that claims one of
// these goes out only when it happened, so the package keeps the promise that a reply never
// claims what did not.
//
// It knows the ten languages by the sentences of patterns/<language>.txt, which a
// speaker of the language can edit, and reads them in every text, whatever language
// the text is in. Questions, offers, conditions, denials and house rules are no
// claims. In doubt about the customer's own booking, it is one: a claim too many
// costs the model another try, a claim missed tells a customer an untruth.
package claim

import "slices"

// Kind is what a claim says has happened.
type Kind string

// The kinds, which tools also give as the facts of their results.
const (
	Booked    Kind = "booked"    // booked, reserved, confirmed
	Changed   Kind = "changed"   // a booking is moved or changed, which nothing that is known of it bears out
	Cancelled Kind = "cancelled" // a booking or order is cancelled
	Deleted   Kind = "deleted"   // what was kept of the customer is deleted
	Sent      Kind = "sent"      // someone was told, or a message or request sent
	Ordered   Kind = "ordered"   // an order is placed, or a taxi on its way
	Paid      Kind = "paid"      // paid, or a receipt given
	Coded     Kind = "coded"     // a confirmation number is given; any fact about what it is of bears it out
	Refunded  Kind = "refunded"  // money was given back, or is on its way back
	Done      Kind = "done"      // "Done!", without saying what; any fact bears it out
)

// kinds is every kind, the more particular later.
func kinds() []Kind {
	return []Kind{Done, Booked, Changed, Cancelled, Deleted, Sent, Ordered, Paid, Coded, Refunded}
}

// A Claim is one thing a text says has happened.
type Claim struct {
	Kind     Kind
	Sentence string // where it says so, as written; "" in a text too long to read
}

// maxText bounds the bytes of a text that is read. No channel carries as long a reply.
const maxText = 32 << 10

// Find returns the claims of text in their order, one of a kind for a sentence.
// A text over 32 KiB is not read and counts as claiming everything.
func Find(text string) []Claim {
	if len(text) > maxText {
		return unread()
	}
	dialects, err := dialects()
	if err != nil {
		return unread() // without patterns nothing is read; a test keeps the files readable
	}
	t := read(text)
	var found []match
	for _, d := range dialects {
		found = append(found, d.claims(t)...)
	}
	return t.claims(found)
}

// unread is what a text may say that was not read: anything.
func unread() []Claim {
	var all []Claim
	for _, k := range kinds() {
		all = append(all, Claim{Kind: k})
	}
	return all
}

// Unsupported returns the claims of text that no fact bears out. Facts are kinds;
// others are of no account.
func Unsupported(text string, facts []string) []Claim {
	known := func(k Kind) bool { return slices.Contains(facts, string(k)) }
	return slices.DeleteFunc(Find(text), func(c Claim) bool {
		return known(c.Kind) || c.Kind == Done && slices.ContainsFunc(kinds(), known)
	})
}
