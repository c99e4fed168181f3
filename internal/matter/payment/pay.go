package payment

import (
	"context"
	"errors"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// Kind is the kind of pending action that waits for the YES to a payment.
const Kind = "pay_transaction"

// Pay settles proposals to pay: YES gives the link and books nothing, NO lets the offer go.
type Pay struct{ Store *Store }

// Describe asks for the YES.
func (c Pay) Describe(tc tool.Context, p thread.Pending) string {
	return wording.Say(tc.Language, wording.PaymentPrompt, wording.Vars{
		"summary": p.Summary, "until": wording.Until(tc.Language, gate.AnswerBy(p).In(tc.TimeZone), tc.Now.In(tc.TimeZone)),
	})
}

// Does implements [gate.Commitment].
func (Pay) Does() gate.Deed { return gate.Pays }

// Commit makes the payment intent, and prepares to store the payment with the receipt of the
// YES. An intent charges nobody: if its turn dies, it is made again under the same key, or is
// never paid. Without the provider the offer keeps waiting for its YES.
func (c Pay) Commit(ctx context.Context, tc tool.Context, consent gate.Consent) (gate.Settled, error) {
	s, p := c.Store, consent.Pending
	tx, err := s.Ledger.Get(ctx, tc.Actor, p.Ref)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return said(tc, wording.HoldGone), nil
	case err != nil:
		return gate.Settled{}, err
	case tx.State == ledger.Confirmed:
		return gate.Settled{Text: s.stands(tc, tx)}, nil
	case !held(tx, s.now()):
		return said(tc, wording.HoldGone), nil
	case tx.OfferHash != p.Hash || ledger.OfferHash(tx) != p.Hash || Due(tx) == 0:
		return said(tc, wording.OfferChanged), nil
	}
	before, err := s.Get(ctx, tc.Actor, tx.ID)
	switch {
	case err == nil: // said YES before, to the same
		return c.link(tc, before, tx, nil), nil
	case !errors.Is(err, actor.ErrNotFound):
		return gate.Settled{}, err
	}
	made, err := c.ask(ctx, tc, tx, consent)
	if err != nil {
		s.Log.WarnContext(ctx, "no payment intent", "transaction", tx.ID, "kind", fault.KindOf(err), "error", err.Error())
		return gate.Settled{
			Text: wording.Say(tc.Language, wording.PaymentAway, wording.Vars{"until": until(tc, tx)}), Keep: true,
		}, nil
	}
	return c.link(tc, made, tx, append([]dynamo.Write{
		s.Ledger.StillHeld(tx, s.now()),
		s.put(made, made.CloseAt).IfAbsent().Else(errMoved),
	}, s.Ledger.Owed(tx)...)), nil
}

// ask requests an intent from the provider with the ledger's figures, and makes the payment from it.
func (c Pay) ask(ctx context.Context, tc tool.Context, tx ledger.Transaction, consent gate.Consent) (Payment, error) {
	s, pending := c.Store, consent.Pending
	token, err := s.newToken()
	if err != nil {
		return Payment{}, err
	}
	intent, err := c.create(ctx, Wanted{
		AmountMinor: Due(tx), Currency: tx.Currency, Description: tx.ListingName + " " + tx.Code,
		Transaction: tx.ID, Market: tx.Market, Key: pending.ID + "." + consent.MessageID,
	})
	if err != nil {
		return Payment{}, err
	}
	now := s.now()
	return Payment{
		Transaction: tx.ID, Owner: tx.Owner, Market: tx.Market, Thread: tx.Thread, Language: tc.Language, Title: tx.ListingName,
		AmountMinor: Due(tx), Currency: tx.Currency, Intent: intent, Token: token, Status: Waiting, Version: 1, CreatedAt: now, UpdatedAt: now,
		CloseAt: tx.HoldExpiresAt.Add(closeAfter),
		Receipt: consent.Receipt(tc.TraceID),
	}, nil
}

// tries is how often an intent is asked for that fails for reasons of its surroundings.
const tries = 3

// create asks again by the same key, which gives what a lost answer had given.
func (c Pay) create(ctx context.Context, w Wanted) (intent string, err error) {
	for range tries {
		if intent, err = c.Store.Provider.Create(ctx, w); !fault.Retryable(err) || ctx.Err() != nil {
			break
		}
	}
	return intent, err
}

// link tells where to pay.
func (c Pay) link(tc tool.Context, p Payment, tx ledger.Transaction, ws []dynamo.Write) gate.Settled {
	s := c.Store
	return gate.Settled{
		Text: wording.Say(tc.Language, wording.PaymentLink, wording.Vars{
			"summary": s.Summary(tc.Language, tx), "amount": wording.Money(tc.Language, p.AmountMinor, p.Currency), "link": s.Link(p), "until": until(tc, tx),
		}),
		Cards:  []tool.Card{s.CardOf(p)},
		Writes: ws,
		Stands: s.items(tc, tx),
		Refused: func(err error) (string, bool) {
			return wording.Say(tc.Language, wording.HoldGone, nil), ledger.Refused(err) || errors.Is(err, errMoved)
		},
	}
}

// items returns the items that a transaction adds to the state of a conversation.
func (s *Store) items(tc tool.Context, tx ledger.Transaction) []standing.Item {
	if i, ok := tx.Item(tc.Language, s.Summary(tc.Language, tx), tc.Now); ok {
		return []standing.Item{i}
	}
	return nil
}

// named describes a transaction together with the state of its payment.
func (s *Store) named(tc tool.Context, p Payment, tx ledger.Transaction) []standing.Item {
	items := s.items(tc, tx)
	key, back := map[Status]wording.Key{Refunding: wording.PaymentReturning, Refunded: wording.PaymentReturned}[p.Status]
	switch {
	case !back:
		return items
	case len(items) == 0: // such as one that nobody came to
		items = []standing.Item{{Kind: ledger.StandingKind, Ref: tx.ID, Code: tx.Code, State: string(tx.State), Summary: s.Summary(tc.Language, tx), Over: true}}
	}
	for n := range items {
		text := wording.Say(tc.Language, key, wording.Vars{"amount": wording.Money(tc.Language, p.Back(), p.Currency), "summary": items[n].Summary})
		items[n].Summary = strings.ReplaceAll(text, "\n", " ")
	}
	return items
}

func said(tc tool.Context, key wording.Key) gate.Settled {
	return gate.Settled{Text: wording.Say(tc.Language, key, nil)}
}

// until words when the hold ends, in the market's zone.
func until(tc tool.Context, tx ledger.Transaction) string {
	return wording.Until(tc.Language, tx.HoldExpiresAt.In(tc.TimeZone), tc.Now.In(tc.TimeZone))
}

// Release lets the offer go.
func (c Pay) Release(ctx context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return c.Store.Release(ctx, tc, p)
}
