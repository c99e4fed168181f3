package payment

import (
	"context"
	"errors"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
)

// Payer has the tools a model calls to let a customer pay. None of them takes money: they
// propose, and the customer pays on our own page.
type Payer struct {
	Store *Store

	// Look rereads what the payment is for.
	Look gate.Look
}

// Commitments settle whether something is paid, and whether what waits for its payment is let go.
func (p *Payer) Commitments() map[string]gate.Commitment {
	return map[string]gate.Commitment{Kind: Pay{Store: p.Store}, LetGoKind: LetGo{Store: p.Store}}
}

// Looks returns the check that rereads what the payment is for. Letting go depends on nothing else.
func (p *Payer) Looks() map[string]gate.Look { return map[string]gate.Look{Kind: p.Look} }

// Tools returns the declarations with their resolvers.
func (p *Payer) Tools() []tool.Tool {
	return []tool.Tool{
		tool.New("createPaymentIntent",
			"Ask the customer to pay by card for a time that is held for them. YES gives them a payment link; it is booked when they have paid. "+
				"Not needed after initiateBooking says that something is due: the customer is asked then anyway. The amount is the backend's: never say another.",
			tool.Propose, p.create),
		tool.New("getPaymentStatus",
			"Whether the customer has paid for a booking: waiting, failed, paid, refunding, refunded, or none. "+
				"Say that it is paid or refunded only when this says so.",
			tool.Read, p.status),
	}
}

type whichArgs struct {
	TransactionID *string `json:"transactionId" jsonschema:"transactionId as initiateBooking or getMyBookings gave it; null for the latest one"`
}

var errNoTransaction = &fault.Error{Kind: fault.NotFound, Field: "transactionId", Message: "the customer has no such booking"}

// find is the customer's own transaction: the one named, else the latest that means fits.
func (p *Payer) find(ctx context.Context, tc tool.Context, id *string, means func(ledger.Transaction) bool) (ledger.Transaction, error) {
	if id != nil {
		tx, err := p.Store.Ledger.Get(ctx, tc.Actor, *id)
		if errors.Is(err, actor.ErrNotFound) || err == nil && tx.Market != tc.Market.ID {
			return ledger.Transaction{}, errNoTransaction
		}
		return tx, err
	}
	txs, err := p.Store.Ledger.Latest(ctx, tc.Actor, tc.Market.ID, 1, means)
	switch {
	case err != nil:
		return ledger.Transaction{}, err
	case len(txs) == 0:
		return ledger.Transaction{}, errNoTransaction
	}
	return txs[0], nil
}

func (p *Payer) create(ctx context.Context, tc tool.Context, args whichArgs) (tool.Result, error) {
	s := p.Store
	tx, err := p.find(ctx, tc, args.TransactionID, func(tx ledger.Transaction) bool { return held(tx, tc.Now) && tx.Replaces == "" })
	switch {
	case err != nil:
		return tool.Result{}, err
	case tx.State == ledger.Confirmed:
		return tool.Result{}, fault.New(fault.Conflict, "it is booked, and there is nothing to pay here")
	case !held(tx, tc.Now):
		return tool.Result{}, fault.New(fault.Conflict, "it is not held any more: offer to reserve it again")
	case tx.Replaces != "":
		return tool.Result{}, fault.New(fault.Conflict, "it waits for a YES to move a booking, which is not paid here")
	case Due(tx) == 0:
		return tool.Result{}, fault.New(fault.Conflict, "it costs nothing")
	}
	before, err := s.Get(ctx, tc.Actor, tx.ID)
	switch {
	case err == nil:
		return p.shown(tc, before, tx), nil
	case !errors.Is(err, actor.ErrNotFound):
		return tool.Result{}, err
	}
	data := map[string]any{
		"transactionId": tx.ID, "code": tx.Code, "amountMinor": Due(tx), "currency": tx.Currency, "status": "awaiting_confirmation",
		"note": "not paid and not booked: the customer is being asked for YES or NO",
	}
	summary := s.Summary(tc.Language, tx)
	return tool.Result{
		Data: data, Memory: data,
		Proposal: &tool.Proposal{Kind: Kind, Ref: tx.ID, Summary: toPay(tc.Language, summary, tx), Hash: tx.OfferHash, ExpiresAt: tx.HoldExpiresAt},
	}, nil
}

func (p *Payer) status(ctx context.Context, tc tool.Context, args whichArgs) (tool.Result, error) {
	s := p.Store
	tx, err := p.find(ctx, tc, args.TransactionID, func(tx ledger.Transaction) bool { return Due(tx) > 0 })
	if err != nil {
		return tool.Result{}, err
	}
	found, err := s.Get(ctx, tc.Actor, tx.ID)
	if errors.Is(err, actor.ErrNotFound) {
		return tool.Result{Data: map[string]any{
			"transactionId": tx.ID, "code": tx.Code, "state": tx.State, "status": "none", "note": "no payment has been asked for",
		}}, nil
	}
	if err != nil {
		return tool.Result{}, err
	}
	r := p.shown(tc, found, tx)
	if found.Open() && !held(tx, tc.Now) {
		data := map[string]any{
			"transactionId": tx.ID, "code": tx.Code, "state": tx.Seen(tc.Now), "status": "none", "note": "no payment has arrived, and none can be made any more",
		}
		r.Cards, r.Data, r.Memory = nil, data, data
	}
	return r, nil
}

// shown is a payment, to the model and to the customer.
func (p *Payer) shown(tc tool.Context, found Payment, tx ledger.Transaction) tool.Result {
	data := map[string]any{
		"transactionId": tx.ID, "code": tx.Code, "state": tx.State, "amountMinor": found.AmountMinor, "currency": found.Currency, "status": found.Status,
	}
	if found.Open() {
		data["link"], data["payUntil"] = p.Store.Link(found), tx.HoldExpiresAt.Format("2006-01-02T15:04:05Z07:00")
		data["note"] = "the customer has the link; it is not booked before they have paid there"
	}
	r := tool.Result{Data: data, Memory: data, Cards: []tool.Card{p.Store.CardOf(found)}}
	if found.Status == Refunding || found.Status == Refunded {
		data["backMinor"] = found.Back()
	}
	r.Named = p.Store.named(tc, found, tx)
	return r
}
