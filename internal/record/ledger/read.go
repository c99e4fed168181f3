package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Get returns a transaction that a may see; what is somebody else's is not found. 1 request.
func (l *Ledger) Get(ctx context.Context, a actor.Actor, txID string) (Transaction, error) {
	tx, err := l.reader().tx(ctx, txID)
	if err == nil {
		err = a.MaySee(tx.Owner)
	}
	if err != nil {
		return Transaction{}, err
	}
	return tx, nil
}

// At is where a transaction is stored, for callers that read it together with other items.
func (l *Ledger) At(txID string) dynamo.Place { return dynamo.Place{Table: l.Table, Key: txKey(txID)} }

// Read is the transaction found there, on the terms of [Ledger.Get].
func Read(a actor.Actor, it dynamo.Item) (tx Transaction, err error) {
	if err := it.Decode(&tx); err != nil {
		return Transaction{}, err
	}
	if err := a.MaySee(tx.Owner); err != nil {
		return Transaction{}, err
	}
	return tx, nil
}

// ByOwner lists a's transactions that have been held, under any of their identities, newest first, with a cursor to go
// on. The index is eventually consistent: a change shows after some milliseconds. A request for each identity.
func (l *Ledger) ByOwner(ctx context.Context, a actor.Actor, limit int, after string) ([]Transaction, string, error) {
	owners := a.Keys()
	from, err := readCursors(after, len(owners))
	if err != nil {
		return nil, "", err
	}
	var all []listed
	rest := make([]string, len(owners)) // where each goes on after its page
	for i, owner := range owners {
		if from[i] == exhausted {
			continue
		}
		page, err := l.reader().query(ctx, "owner", owner, limit, from[i])
		if err != nil {
			return nil, "", err
		}
		txs, err := dynamo.Decode[Transaction](page.Items)
		if err != nil {
			return nil, "", err
		}
		for n, tx := range txs {
			all = append(all, listed{tx, i, page.Items[n]})
		}
		rest[i] = cmp.Or(page.Next, exhausted)
	}
	slices.SortStableFunc(all, func(a, b listed) int { return b.CreatedAt.Compare(a.CreatedAt) })
	shown := all[:min(len(all), limit)]
	txs := make([]Transaction, len(shown))
	for n, one := range shown {
		txs[n], from[one.of] = one.Transaction, one.cursor()
	}
	for i := range from {
		if !slices.ContainsFunc(all[len(shown):], func(one listed) bool { return one.of == i }) {
			from[i] = cmp.Or(rest[i], exhausted)
		}
	}
	return txs, writeCursors(from), nil
}

// How far [Ledger.Latest] looks for what is wanted.
const (
	latestPage  = 20
	latestPages = 5
)

// Latest lists a's latest wanted transactions in a market, newest first, up to most of them. It looks through a's latest
// 100 with all tenants, 20 at a time, each at the cost of [Ledger.ByOwner]. The first 20 are mostly enough.
func (l *Ledger) Latest(ctx context.Context, a actor.Actor, market string, most int, wanted func(Transaction) bool) ([]Transaction, error) {
	var found []Transaction
	pages := through(latestPages, func(after string) ([]Transaction, string, error) { return l.ByOwner(ctx, a, latestPage, after) })
	for tx, err := range pages {
		switch {
		case errors.Is(err, ErrMore):
			return found, nil
		case err != nil:
			return nil, err
		case tx.Market != market || !wanted(tx):
			continue
		}
		if found = append(found, tx); len(found) == most {
			break
		}
	}
	return found, nil
}

// listed is a transaction with its item in the index owner.
type listed struct {
	Transaction
	of   int // which of the identities
	item dynamo.Item
}

// cursor is where the list goes on after it.
func (l listed) cursor() string {
	key := dynamo.Item{}
	for _, name := range []string{"owner", "created", "pk", "sk"} {
		key[name] = l.item[name]
	}
	return dynamo.CursorAt(key)
}

// exhausted stands in for the cursor of an identity whose list has ended.
const exhausted = "-"

// The cursor of a list of several identities has a part for each of them.
func writeCursors(each []string) string {
	if !slices.ContainsFunc(each, func(c string) bool { return c != exhausted }) {
		return ""
	}
	return strings.Join(each, ".")
}

func readCursors(after string, n int) ([]string, error) {
	if after == "" {
		return make([]string, n), nil
	}
	each := strings.Split(after, ".")
	if len(each) != n {
		return nil, fault.Field("after", "want a cursor as an earlier answer gave it")
	}
	return each, nil
}

// ByBusiness lists a business's transactions in every market for staff, as [Ledger.ByOwner] does. 1 request.
func (l *Ledger) ByBusiness(ctx context.Context, a actor.Actor, business string, limit int, after string) ([]Transaction, string, error) {
	if a.Kind != actor.System && !a.IsStaff() {
		return nil, "", actor.ErrNotFound
	}
	return l.reader().list(ctx, "business", business, limit, after)
}

// MaxBooked is how many of a business's latest transactions [Ledger.Booked] reads.
const (
	MaxBooked = bookedPages * bookedPage

	bookedPages, bookedPage = 5, 200
)

// ErrMore says that there are more transactions than were read.
var ErrMore = errors.New("ledger: there are more transactions")

// Booked yields the bookings of a business in a market, newest first: those of its latest [MaxBooked] transactions that
// got a YES, whatever has become of them. [ErrMore] follows when there are more transactions. A request for each 200.
func (l *Ledger) Booked(ctx context.Context, market, business string) iter.Seq2[Transaction, error] {
	return func(yield func(Transaction, error) bool) {
		for tx, err := range l.reader().ofBusiness(ctx, business) {
			if err == nil && (tx.Market != market || tx.ConfirmedAt.IsZero()) {
				continue
			}
			if !yield(tx, err) {
				return
			}
		}
	}
}

// through yields what read lists, up to a number of pages, and then [ErrMore] when there are more. It stops after an
// error.
func through(pages int, read func(after string) ([]Transaction, string, error)) iter.Seq2[Transaction, error] {
	return func(yield func(Transaction, error) bool) {
		after := ""
		for range pages {
			txs, next, err := read(after)
			if err != nil {
				yield(Transaction{}, err)
				return
			}
			for _, tx := range txs {
				if !yield(tx, nil) {
					return
				}
			}
			if after = next; after == "" {
				return
			}
		}
		yield(Transaction{}, ErrMore)
	}
}

// reader reads transactions as they are stored. It does not ask who may see them.
type reader struct{ table dynamo.Table }

func (l *Ledger) reader() reader { return reader{l.Table} }

func (r reader) tx(ctx context.Context, txID string) (Transaction, error) {
	it, err := r.table.Get(ctx, txKey(txID))
	switch {
	case err != nil:
		return Transaction{}, fmt.Errorf("ledger: read %s: %w", txID, err)
	case it == nil:
		return Transaction{}, actor.ErrNotFound
	}
	var tx Transaction
	return tx, it.Decode(&tx)
}

func (r reader) list(ctx context.Context, index, value string, limit int, after string) ([]Transaction, string, error) {
	page, err := r.query(ctx, index, value, limit, after)
	if err != nil {
		return nil, "", err
	}
	txs, err := dynamo.Decode[Transaction](page.Items)
	if err != nil {
		return nil, "", err
	}
	return txs, page.Next, nil
}

// query reads an index that is named after its partition key.
func (r reader) query(ctx context.Context, index, value string, limit int, after string) (dynamo.Page, error) {
	page, err := r.table.Query(ctx, dynamo.Query{
		Index: index, Where: "#" + index + " = :value", Values: dynamo.V{":value": value},
		Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return dynamo.Page{}, fmt.Errorf("ledger: list by %s: %w", index, err)
	}
	return page, nil
}

// ofBusiness yields a business's latest [MaxBooked] transactions as [Ledger.Booked] does, in every market and state.
func (r reader) ofBusiness(ctx context.Context, business string) iter.Seq2[Transaction, error] {
	return through(bookedPages, func(after string) ([]Transaction, string, error) {
		return r.list(ctx, "business", business, bookedPage, after)
	})
}
