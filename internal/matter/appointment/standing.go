package appointment

import (
	"context"
	"errors"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/customer"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/words/standing"
)

// stands returns the items that an appointment adds to the state of a conversation.
func stands(tc tool.Context, tx ledger.Transaction) []standing.Item {
	return standing.Only(item(tc, tx))
}

// item is a transaction among what stands, in the customer's language.
func item(tc tool.Context, tx ledger.Transaction) (standing.Item, bool) {
	return tx.Item(tc.Language, Summary(tc.Language, tx), tc.Now)
}

// Standing finds the appointments of a conversation. Only a call whose caller has proven who they are sees
// any.
type Standing struct {
	Ledger  *ledger.Ledger
	Callers Callers
}

// At is where the one with an id is kept.
func (s Standing) At(_ thread.Head, id string) dynamo.Place { return s.Ledger.At(id) }

// Read turns a stored item into a standing one.
func (s Standing) Read(tc tool.Context, it dynamo.Item) (standing.Item, bool, error) {
	return ledger.Found(tc.Actor, it, func(tx ledger.Transaction) (standing.Item, bool) { return item(tc, tx) })
}

// Coded finds the appointment with a code that the caller names, among their latest. 3 requests in a call, else none.
func (s Standing) Coded(ctx context.Context, tc tool.Context, code string) (i standing.Item, ok bool, err error) {
	if tc.Session.ID == "" {
		return standing.Item{}, false, nil
	}
	caller, err := s.Callers.Caller(ctx, tc)
	if errors.Is(err, customer.ErrUnverified) {
		return standing.Item{}, false, nil
	}
	if err != nil {
		return standing.Item{}, false, err
	}
	_, err = s.Ledger.Latest(ctx, caller.Actor(), tc.Market.ID, 1, func(tx ledger.Transaction) bool {
		if tx.Code == code {
			i, ok = item(tc, tx)
		}
		return ok
	})
	return i, ok, err
}
