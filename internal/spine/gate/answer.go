package gate

import "strings"

// Answer is how a message answers a pending action. The zero value is [Unclear].
type Answer int

const (
	Unclear Answer = iota // neither, or both, or more than that
	Yes
	No
)

func (a Answer) String() string {
	switch a {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "unclear"
}

// Read reports whether the whole of text is an explicit YES or an explicit NO, in
// any of the ten languages or several of them.
//
// It is built so that a gap in its knowledge cannot produce a wrong Yes: a message is
// Yes only if every word and sign in it is listed as a yes, or as something that may accompany
// one. Anything else is Unclear: an unknown word, a number, a question or
// quotation mark, a yes together with a no. No follows the same rule with its own words.
//
// A yes that names a booking ("confirm my booking") is Unclear too: it is a Yes only to an
// offer of a booking, which [Decide] knows.
func Read(text string) Answer { return readAs(text, Other) }

// readAs is [Read] as an answer to a question whose YES does the given deed. "Cancel it" does not answer
// whether to cancel something; CANCEL and END alone are a NO to that as well. "Cancel my booking"
// does not answer whether to move an existing booking.
func readAs(text string, does Deed) Answer {
	v, err := words()
	if err != nil {
		return Unclear // unreadable word files know no yes; a test keeps them readable
	}
	switch said := v.read(text, answers); {
	case said.has(yes) && said.only(accepts(does)):
		return Yes
	case said.has(no|cancels) && said.only(refuses(does)):
		return No
	case said.has(cancelAlone) && said.only(cancelAlone|pause):
		return No
	}
	return Unclear
}

// accepts are the kinds of words that a YES to a deed may consist of.
func accepts(does Deed) kind {
	switch does {
	case Books, Keeps, Pays:
		return yes | besideYes | neutral | booking
	}
	return yes | besideYes | neutral
}

// refuses are the kinds of words that a NO to a deed may consist of.
func refuses(does Deed) kind {
	all := no | cancels | besideNo | neutral | booking
	switch does {
	case Keeps, Pays:
		return all &^ booking
	case Cancels:
		return all &^ cancels
	}
	return all
}

// maxPendingID bounds the id in a button payload, in bytes; with its prefix it
// fits what every channel carries.
const maxPendingID = 128

// ButtonPayload returns what a button carries that answers the pending action:
// "yes:<id>" or "no:<id>". It is "" for an answer or id that no button can carry.
func ButtonPayload(answer Answer, pendingID string) string {
	if answer == Unclear || !isPendingID(pendingID) {
		return ""
	}
	return answer.String() + ":" + pendingID
}

// ParseButton reads a payload made by [ButtonPayload]. Any other payload is not ok.
func ParseButton(payload string) (answer Answer, pendingID string, ok bool) {
	word, id, _ := strings.Cut(payload, ":")
	switch {
	case !isPendingID(id):
		return Unclear, "", false
	case word == Yes.String():
		return Yes, id, true
	case word == No.String():
		return No, id, true
	}
	return Unclear, "", false
}

// isPendingID reports whether id is short, visible ASCII.
func isPendingID(id string) bool {
	invisible := func(r rune) bool { return r <= ' ' || r > '~' }
	return id != "" && len(id) <= maxPendingID && !strings.ContainsFunc(id, invisible)
}

// Courtesy reports whether text says nothing but a yes, praise and politeness, or nothing at all.
func Courtesy(text string) bool {
	v, err := words()
	return err == nil && v.read(text, answers).only(yes|besideYes|neutral)
}
