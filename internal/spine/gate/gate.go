// Package gate is the deterministic step before the model that settles a pending action.
//
// Merve commits nothing without this package. [Decide] reads the customer's words
// (it is pure, and knows no model), and the [Commitment] registered for the pending
// action's kind turns a YES into writes. The turn commits these together with the
// answer and the consumption of the pending action, all or nothing.
//
// A YES counts if the customer wrote it after the offer was made, more than
// [Buffer] before it expires, alone or with other yeses only, and, if it came by a
// button or as a reply, to this very offer. The label of a button that is not ours is
// no answer. If the question is sent as a message and the YES names nothing, it must also have come after
// that message went out, which the turn looks up. Words that name the deed are read by the
// [Deed]: "confirm my booking" cancels nothing, and "cancel it" keeps nothing.
package gate

import (
	"context"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/words/standing"
)

// Buffer is how long before its expiry an offer counts as gone, so that no YES races
// the expiry of its hold.
const Buffer = 30 * time.Second

// Deed is what a YES does, in as much detail as words may name it.
type Deed int

const (
	Other     Deed = iota
	Books          // makes a booking
	Keeps          // changes a booking that stands
	Pays           // leads to a payment
	Cancels        // ends what stands
	HandsOver      // gives the thread to a person
)

// Ruling is what messages mean for what is pending.
type Ruling string

const (
	Free       Ruling = "free"       // nothing is pending
	Confirmed  Ruling = "confirmed"  // an explicit YES to this offer, in time
	Declined   Ruling = "declined"   // an explicit NO
	Redirected Ruling = "redirected" // a NO, and then something else, which is still to be answered
	TooLate    Ruling = "too_late"   // a YES, but the offer has gone or is about to
	OldOffer   Ruling = "old_offer"  // an answer to another offer than the one pending
	Lapsed     Ruling = "lapsed"     // the offer has gone, and the message is about something else
	Waiting    Ruling = "waiting"    // neither YES nor NO
)

// Decide reads the unanswered messages of a thread as an answer to its pending action.
// refers gives, for a message that is a reply, the pending action it replies to ("" if
// unknown); does is the deed of a YES. The messages count as one: "yes" and "but at
// eight" are no YES.
func Decide(p *thread.Pending, does Deed, msgs []thread.Message, refers map[string]string, now time.Time) Ruling {
	if p == nil {
		if len(msgs) > 0 && isButton(msgs[len(msgs)-1]) {
			return OldOffer
		}
		return Free
	}
	said, old := answer(p, does, msgs, refers)
	gone := Gone(p, now)
	switch {
	case old:
		return OldOffer
	case said == No:
		return Declined
	case said == Yes && gone:
		return TooLate
	case said == Yes:
		return Confirmed
	case declines(p, does, msgs, refers):
		return Redirected
	case gone:
		return Lapsed
	}
	return Waiting
}

// AnswerBy is when a YES to a pending action comes too late: [Buffer] before it expires. Everything that
// accepts a YES, or says until when one is accepted, asks here.
func AnswerBy(p thread.Pending) time.Time { return p.ExpiresAt.Add(-Buffer) }

// Gone reports whether it is too late for a YES.
func Gone(p *thread.Pending, now time.Time) bool { return !now.Before(AnswerBy(*p)) }

// answer joins what the messages say; old is set when one of them answers another offer.
func answer(p *thread.Pending, does Deed, msgs []thread.Message, refers map[string]string) (said Answer, old bool) {
	for i, m := range msgs {
		one, other := answerOf(p, does, m, refers)
		old = old || other
		if i == 0 {
			said = one
		} else if one != said {
			said = Unclear
		}
	}
	return said, old
}

func answerOf(p *thread.Pending, does Deed, m thread.Message, refers map[string]string) (said Answer, old bool) {
	if a, id, ok := ParseButton(m.Button); ok {
		if id != p.ID {
			return Unclear, true
		}
		return a, false
	}
	said = readAs(m.Text, does)
	switch {
	case said == Unclear, m.Button != "": // the text of a button that is not ours is a label
		return Unclear, false
	case m.ReplyTo != "" && refers[m.ID] != p.ID:
		return Unclear, true
	case !m.Written().After(p.CreatedAt), len(m.Media) > 0, m.Location != nil:
		return Unclear, false
	}
	return said, false
}

func isButton(m thread.Message) bool {
	_, _, ok := ParseButton(m.Button)
	return ok
}

// Consent is the evidence of a YES: who said it, in which message, to which offer.
type Consent struct {
	Pending   thread.Pending
	MessageID string
	Actor     string // actor key
	At        time.Time
}

// Commitment carries out, or lets go of, the pending actions of one kind.
type Commitment interface {
	// Describe returns the question for the customer, in their language.
	Describe(tc tool.Context, p thread.Pending) string

	// Does returns the deed of a YES.
	Does() Deed

	// Commit prepares the deed of a YES. It reads, but changes nothing that could look like
	// the deed itself: that happens with Settled.Writes.
	Commit(ctx context.Context, tc tool.Context, c Consent) (Settled, error)

	// Release prepares what a NO, an expiry or a newer proposal does.
	Release(ctx context.Context, tc tool.Context, p thread.Pending) (Settled, error)
}

// Settled is a pending action about to be settled.
type Settled struct {
	Text   string // what the customer is told, from stored state
	Late   string // of a release: told in its place when the YES came too late; "" tells of a hold that has gone
	Cards  []tool.Card
	Map    *geo.Location
	Writes []dynamo.Write

	// Stands lists the items of the conversation that are open, or over, once the writes have gone through.
	Stands []standing.Item

	// HandOver gives the thread to a person; the announcement of that person then replaces Text.
	HandOver *tool.HandOver

	// Keep says that nothing was done, and that the customer may say YES to it again.
	Keep bool

	// Nothing says that this command did not find what was meant: another command may know it.
	Nothing bool

	// Refused says why the writes did not go through; ok is false
	// for an error that is not about this pending action.
	Refused func(err error) (text string, ok bool)

	// Instead replaces the writes if they did not go through; nil does nothing.
	Instead *Settled
}
