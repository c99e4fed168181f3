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
	tx, err := l.read(ctx, txID)
	if err == nil {
		err = a.MaySee(tx.Owner)
	}
	if err != nil {
		return Transaction{}, err
	}
	return tx, nil
}

func (l *Ledger) read(ctx context.Context, txID string) (Transaction, error) {
	it, err := l.Table.Get(ctx, txKey(txID))
	switch {
	case err != nil:
		return Transaction{}, fmt.Errorf("ledger: read %s: %w", txID, err)
	case it == nil:
		return Transaction{}, actor.ErrNotFound
	}
	var tx Transaction
	return tx, it.Decode(&tx)
}

// At is where a transaction is kept, for who reads it together with other things.
func (l *Ledger) At(txID string) dynamo.Place { return dynamo.Place{Table: l.Table, Key: txKey(txID)} }

// Read is the transaction that was found there, as [Ledger.Get] returns it.
func Read(a actor.Actor, it dynamo.Item) (tx Transaction, err error) {
	if err := it.Decode(&tx); err != nil {
		return Transaction{}, err
	}
	if err := a.MaySee(tx.Owner); err != nil {
		return Transaction{}, err
	}
	return tx, nil
}

// ByOwner lists a's transactions that have been held, by whichever of their identities, newest
// first, and where to go on. The index is read eventually: a change shows after some
// milliseconds. A request for each identity.
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
		page, err := l.query(ctx, "owner", owner, limit, from[i])
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

// Latest lists the latest transactions of a's in a market that are wanted, newest first, at most so
// many. It looks through 100 of a's, with whichever tenant. Requests as [Ledger.ByOwner] for each 20
// looked at, mostly the first.
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

// listed is a transaction as the index owner has it.
type listed struct {
	Transaction
	of   int // which of the identities
	item dynamo.Item
}

// cursor is where a list goes on after it.
func (l listed) cursor() string {
	key := dynamo.Item{}
	for _, name := range []string{"owner", "created", "pk", "sk"} {
		key[name] = l.item[name]
	}
	return dynamo.CursorAt(key)
}

// exhausted stands for the cursor of an identity of which nothing is left.
const exhausted = "-"

// A list of several identities goes on where each of them does.
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

// ByBusiness lists a business's transactions for staff, in every market, as [Ledger.ByOwner]
// does. 1 request.
func (l *Ledger) ByBusiness(ctx context.Context, a actor.Actor, business string, limit int, after string) ([]Transaction, string, error) {
	if a.Kind != actor.System && !a.IsStaff() {
		return nil, "", actor.ErrNotFound
	}
	return l.list(ctx, "business", business, limit, after)
}

// MaxBooked is how many of a business's latest transactions are looked through for its bookings.
const (
	MaxBooked = bookedPages * bookedPage

	bookedPages, bookedPage = 5, 200
)

// ErrMore says that there are more than were looked through.
var ErrMore = errors.New("ledger: there are more transactions")

// Booked gives the bookings of a business in a market, newest first: what was said YES to, whatever
// has become of it, among its latest [MaxBooked] transactions, and then [ErrMore] when there are
// others. A request for each 200 that are looked through.
func (l *Ledger) Booked(ctx context.Context, market, business string) iter.Seq2[Transaction, error] {
	return func(yield func(Transaction, error) bool) {
		for tx, err := range l.ofBusiness(ctx, business) {
			if err == nil && (tx.Market != market || tx.ConfirmedAt.IsZero()) {
				continue
			}
			if !yield(tx, err) {
				return
			}
		}
	}
}

// ofBusiness gives a business's latest [MaxBooked] transactions, as [Ledger.Booked] does, whatever their market
// and state.
func (l *Ledger) ofBusiness(ctx context.Context, business string) iter.Seq2[Transaction, error] {
	return through(bookedPages, func(after string) ([]Transaction, string, error) {
		return l.list(ctx, "business", business, bookedPage, after)
	})
}

// through gives what read lists, of so many pages at most, and then [ErrMore] when there are others.
// An error is the last that it gives.
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

func (l *Ledger) list(ctx context.Context, index, value string, limit int, after string) ([]Transaction, string, error) {
	page, err := l.query(ctx, index, value, limit, after)
	if err != nil {
		return nil, "", err
	}
	txs, err := dynamo.Decode[Transaction](page.Items)
	if err != nil {
		return nil, "", err
	}
	return txs, page.Next, nil
}

// query asks an index whose name is its partition key's.
func (l *Ledger) query(ctx context.Context, index, value string, limit int, after string) (dynamo.Page, error) {
	page, err := l.Table.Query(ctx, dynamo.Query{
		Index: index, Where: "#" + index + " = :value", Values: dynamo.V{":value": value},
		Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return dynamo.Page{}, fmt.Errorf("ledger: list by %s: %w", index, err)
	}
	return page, nil
}
