package desk

import (
	"context"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/ident"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// OfferKind is the kind of the question whether a person shall take over.
const OfferKind = "offer_person"

// Offering is the question whether a person shall take over, for a reason that the person is told.
func Offering(tc tool.Context, reason string) *tool.Proposal {
	reason = language.Clip(reason, maxReason)
	return &tool.Proposal{
		Kind: OfferKind, Ref: reason, Hash: ident.Hash(OfferKind, reason), Summary: wording.Say(tc.Language, wording.PersonOffer, nil),
		ExpiresAt: tc.Now.Add(time.Duration(tc.Market.Safety.HoldSeconds) * time.Second),
	}
}

// Commitments settle whether a person takes over.
func Commitments() map[string]gate.Commitment { return map[string]gate.Commitment{OfferKind: Offer{}} }

// Offer settles such questions: YES hands the thread over, NO goes on as before.
type Offer struct{}

// Describe asks for the YES.
func (Offer) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.ActionPrompt, wording.Vars{"action": p.Summary, "details": ""})
}

// Does implements [gate.Commitment].
func (Offer) Does() gate.Deed { return gate.HandsOver }

// Commit prepares to hand the thread over.
func (Offer) Commit(_ context.Context, _ tool.Context, c gate.Consent) (gate.Settled, error) {
	return gate.Settled{HandOver: &tool.HandOver{Reason: c.Pending.Ref}}, nil
}

// Release goes on without a person.
func (Offer) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	action := wording.Vars{"action": p.Summary}
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.ActionDeclined, action), Late: wording.Say(tc.Language, wording.ActionFailed, action),
	}, nil
}
