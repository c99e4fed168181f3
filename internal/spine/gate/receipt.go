package gate

import "time"

// Receipt is the proof of one YES: who said it, in which message, to which offer. It is stored
// with what the YES committed, under these names in every table.
type Receipt struct {
	PendingID     string    `dynamodbav:"pendingId" json:"pendingId"`
	OfferHash     string    `dynamodbav:"offerHash" json:"offerHash"` // of all that the customer was shown
	MessageID     string    `dynamodbav:"messageId" json:"messageId"` // the message that said it
	Answer        string    `dynamodbav:"answer" json:"answer"`       // how it was understood: "yes"
	Actor         string    `dynamodbav:"actor" json:"-"`             // actor key
	At            time.Time `dynamodbav:"at" json:"at"`
	PolicyVersion int       `dynamodbav:"policy" json:"policyVersion"` // market version of the offer
	Trace         string    `dynamodbav:"trace,omitempty" json:"traceId,omitempty"`
	Payment       string    `dynamodbav:"payment,omitempty" json:"payment,omitempty"` // the payment that the offer depended on
}

// Receipt is the proof of this YES, obeyed by the turn with this trace.
func (c Consent) Receipt(trace string) Receipt {
	return Receipt{
		PendingID: c.Pending.ID, OfferHash: c.Pending.Hash, MessageID: c.MessageID, Answer: Yes.String(), Actor: c.Actor, At: c.At,
		PolicyVersion: c.Pending.Policy, Trace: trace,
	}
}
