package stripe

import (
	"context"

	"merve/internal/base/fault"
	"merve/internal/matter/payment"
)

// Payments takes payments by card. It implements [payment.Provider].
type Payments struct{ Client *Client }

// Create implements [payment.Provider].
func (p Payments) Create(ctx context.Context, w payment.Wanted) (string, error) {
	i, err := p.Client.Create(ctx, Wanted{
		AmountMinor: w.AmountMinor, Currency: w.Currency, Description: w.Description, Transaction: w.Transaction, Market: w.Market, Key: w.Key,
	})
	return i.ID, err
}

// Secret implements [payment.Provider].
func (p Payments) Secret(ctx context.Context, id string) (string, bool, error) {
	i, err := p.Client.Get(ctx, id)
	return i.ClientSecret, i.Status == Succeeded, err
}

// Close implements [payment.Provider].
func (p Payments) Close(ctx context.Context, id, key string) (payment.Closed, error) {
	i, err := p.Client.Close(ctx, id, key)
	return payment.Closed{Paid: i.Status == Succeeded, AmountMinor: i.PaidMinor, Currency: i.Currency}, err
}

// Refund implements [payment.Provider].
func (p Payments) Refund(ctx context.Context, b payment.Back) error {
	r, err := p.Client.Refund(ctx, Back(b))
	if err == nil && !r.Done {
		err = fault.New(fault.Unavailable, "the refund failed")
	}
	return err
}
