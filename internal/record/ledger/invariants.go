package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
)

// The checks.
const (
	SingleHold   = "single_hold"   // CRITICAL: a live transaction has a lock of its own for every slot, and no two have one time
	OneConfirmed = "one_confirmed" // ERROR: a confirmed transaction has exactly one confirmed event
	NoOrphans    = "no_orphans"    // WARNING, mended: no lock without a live transaction that lists it
	RowStands    = "row_stands"    // WARNING, mended: a booking that stands has its row in its conversation
)

// Audit is what a run of the checkers found.
type Audit struct {
	Looked   int
	Critical int // findings, by severity
	Error    int
	Warning  int
	Healed   int  // orphan locks deleted, rows written
	Left     bool // a bound was reached before the end
}

// CheckInvariants checks every transaction that has left its hold since it was last checked, a minute after its last
// change, and all locks on the days of its slots. A booking that stands is checked again each day, as damage may come
// later. Findings become alerts. Orphan locks are deleted and missing rows written; nothing else is mended. It never
// scans. It also forgets the transactions that were marked for it and are over (see [HeldBookings.Forget]).
//
// Cost: 16 queries a run. For each transaction, once after each change and once a day while it stands, 1 query of its
// items, 1 batch read of its locks, 1 read of its row and 1 write that postpones it or takes it off the index, and 4 more
// to forget it. 1 query for each day of an offering in a run, and 1 batch read for each hundred transactions there.
// Before an orphan is deleted, 1 query for each 200 transactions of its business, once a run.
//
// It walks all shards at a time, unless b says how many.
func (l *Ledger) CheckInvariants(ctx context.Context, b dynamo.Budget) (Audit, error) {
	a := newAudit(l)
	walked, err := l.Table.EachDueItem(ctx, dueAudit, l.now(), inParallel(b), func(it dynamo.Item) (bool, error) { return true, a.look(ctx, it) })
	if err != nil {
		err = fmt.Errorf("ledger: invariants: %w", err)
	}
	a.found.Left = walked.Left
	return a.found, err
}

type audit struct {
	*Ledger

	mu    sync.Mutex
	found Audit
	days  map[string]*day // already checked in this run

	claims map[string]*claims // by business, where a lock is to be deleted
}

func newAudit(l *Ledger) *audit {
	return &audit{Ledger: l, days: map[string]*day{}, claims: map[string]*claims{}}
}

// look checks one transaction and takes it off the index. It postpones it instead when something is wrong with it, or
// when it is to be forgotten once it is over.
func (a *audit) look(ctx context.Context, it dynamo.Item) error {
	h, err := a.reader().history(ctx, it.String("id"))
	if tx := h.Transaction; err == nil && tx.Forget && !tx.Stands(a.now()) {
		if err := (HeldBookings{a.Ledger}).forgetMarked(ctx, tx); err != nil {
			return fmt.Errorf("forget %s: %w", tx.ID, err)
		}
		h, err = a.reader().history(ctx, tx.ID)
	}
	if errors.Is(err, actor.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	findings, err := a.findings(ctx, h)
	if err != nil {
		return fmt.Errorf("check %s: %w", h.Transaction.ID, err)
	}
	a.mu.Lock()
	a.found.Looked++
	a.mu.Unlock()
	var again time.Time
	if len(findings) > 0 {
		again = a.now().Add(lookAgain)
	}
	for _, f := range findings {
		if err := a.raise(ctx, f); err != nil {
			return err
		}
	}
	if again.IsZero() {
		again = a.next(h.Transaction)
	}
	return a.seen(ctx, h.Transaction, again)
}

// next is when a sound transaction is checked again; zero means not before it changes.
func (a *audit) next(tx Transaction) time.Time {
	switch daily := a.now().Add(lookDaily); {
	case tx.State == Confirmed && daily.Before(tx.End):
		return daily
	case tx.State == Confirmed && tx.Stands(a.now()), tx.Forget:
		return tx.End
	}
	return time.Time{}
}

func (a *audit) findings(ctx context.Context, h History) ([]alert.Alert, error) {
	var findings []alert.Alert
	if f := confirmedOnce(h); f != nil {
		findings = append(findings, *f)
	}
	keys, err := locksOf(h.Transaction)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		if err := a.checkDay(ctx, k); err != nil {
			return nil, err
		}
	}
	f, err := a.holdsItsLocks(ctx, h.Transaction, keys)
	if f != nil {
		findings = append(findings, *f)
	}
	if err == nil {
		err = a.healRow(ctx, h.Transaction)
	}
	return findings, err
}

// healRow is the check [RowStands]. Bookings of an earlier release have no row yet. Erased ones are not brought back.
func (a *audit) healRow(ctx context.Context, tx Transaction) error {
	row := tx.stand()
	if a.Rows == nil || tx.State != Confirmed || tx.Thread == "" || tx.Forget || !tx.Stands(a.now()) {
		return nil
	}
	if there, err := a.Rows.Has(ctx, *row); err != nil || there {
		return err
	}
	err := a.Alerts.Raise(ctx, alert.Alert{Check: RowStands, Severity: alert.Warning, Subject: tx.ID, Healed: true,
		Message: "written: its conversation had no row of it"}, append(a.Rows.Moved(nil, row), a.Unchanged(tx))...)
	if errors.Is(err, ErrChanged) {
		return nil
	}
	if err != nil {
		return err
	}
	a.mu.Lock()
	a.found.Healed++
	a.found.Warning++
	a.mu.Unlock()
	return nil
}

// confirmedOnce is the check [OneConfirmed], which includes the receipt.
func confirmedOnce(h History) *alert.Alert {
	n := 0
	for _, e := range h.Events {
		if e.Type == Confirmed {
			n++
		}
	}
	tx := h.Transaction
	was := !tx.ConfirmedAt.IsZero()
	switch {
	case was && n != 1, !was && n != 0:
		return &alert.Alert{Check: OneConfirmed, Severity: alert.Error, Subject: tx.ID, Message: fmt.Sprintf("%s with %d confirmed events", tx.State, n)}
	case was && (h.Receipt == nil || h.Receipt.OfferHash != tx.OfferHash):
		return &alert.Alert{Check: OneConfirmed, Severity: alert.Error, Subject: tx.ID, Message: "confirmed without a receipt for its offer"}
	}
	return nil
}

// needs is the state that the locks of a transaction have to be in; "" when it counts on none.
func (s State) needs() lockState {
	return map[State]lockState{Hold: lockHeld, Confirmed: lockConfirmed, NoShow: lockConfirmed}[s]
}

// lists is how many locks a transaction that counts on them has to list.
func (tx Transaction) lists() int { return len(tx.Slots) - len(tx.Inherits) }

// holdsItsLocks is one half of the check [SingleHold]: a transaction that counts on locks has one for each slot, in the
// state that keeps others out. It says nothing once the first of them may have lapsed.
func (a *audit) holdsItsLocks(ctx context.Context, tx Transaction, keys []lockKey) (*alert.Alert, error) {
	want, total := tx.State.needs(), max(len(keys), tx.lists())
	if want == "" || tx.Slots[0].Add(lockKept-24*time.Hour).Before(a.now()) {
		return nil, nil
	}
	items := make([]dynamo.Key, len(keys))
	for i, k := range keys {
		items[i] = k.item()
	}
	got, err := a.Table.BatchGet(ctx, items...)
	if err != nil {
		return nil, err
	}
	locks, err := decodeLocks(got)
	if err != nil {
		return nil, err
	}
	wrong := slices.ContainsFunc(locks, func(k lock) bool { return k.Tx != tx.ID || k.State != want })
	if !wrong && len(locks) == total {
		return nil, nil
	}
	now, err := a.reader().tx(ctx, tx.ID) // the locks were read later than the transaction
	if err != nil || now.Version != tx.Version {
		return nil, err
	}
	return &alert.Alert{Check: SingleHold, Severity: alert.Critical, Subject: tx.ID,
		Message: fmt.Sprintf("%s, but %d of its %d locks are not its own or not %s", tx.State, notOwn(locks, tx, want, total), total, want)}, nil
}

func notOwn(locks []lock, tx Transaction, want lockState, total int) int {
	for _, k := range locks {
		if k.Tx == tx.ID && k.State == want {
			total--
		}
	}
	return total
}

// day is a day of an offering, checked once in a run.
type day struct {
	once sync.Once
	err  error
}

// checkDay is the check [NoOrphans] for all locks on the day of k, and the other half of [SingleHold].
func (a *audit) checkDay(ctx context.Context, k lockKey) error {
	name := k.item().PK
	a.mu.Lock()
	d := a.days[name]
	if d == nil {
		d = &day{}
		a.days[name] = d
	}
	a.mu.Unlock()
	d.once.Do(func() {
		from := k.slot.Truncate(24 * time.Hour)
		locks, err := a.slots().lockRange(ctx, k.business, k.offering, from, from.Add(24*time.Hour-time.Minute))
		var txs map[string]Transaction
		if err == nil {
			txs, err = a.holders(ctx, locks)
		}
		if err == nil {
			err = errors.Join(a.healOrphans(ctx, locks, txs), a.keepApart(ctx, locks, txs))
		}
		d.err = err
	})
	return d.err
}

// keepApart finds two transactions that have one time under two names, where each name was the only place. A name
// without a token says that it was. A lock that came with a move kept its old name, and says nothing.
func (a *audit) keepApart(ctx context.Context, locks []lock, txs map[string]Transaction) error {
	single := slices.DeleteFunc(slices.Clone(locks), func(k lock) bool {
		tx := txs[k.Tx]
		return tx.State.needs() == "" || tx.Replaces != "" || k.numbered() || k.expired(a.now())
	})
	for i, k := range single {
		for _, later := range single[i+1:] {
			if k.Tx == later.Tx || !k.key.slot.Before(later.key.slot) || !later.key.slot.Before(k.Ends) {
				continue
			}
			if err := a.raise(ctx, alert.Alert{Check: SingleHold, Severity: alert.Critical, Subject: k.Name,
				Message: fmt.Sprintf("%s has it until %s, and %s from %s on", k.Tx, k.Ends.Format(slotFmt), later.Tx, later.key.slot.Format(slotFmt))}); err != nil {
				return err
			}
		}
	}
	return nil
}

// healOrphans deletes locks that neither their own transaction counts on nor any other live one. Where a lock names the
// wrong transaction, the right one keeps its place, and its own check finds the damage. The locks were read before the
// transactions, and a transaction never starts to count on a lock that it already had, so an orphan stays one. A
// transaction that lists too few locks may count on any.
func (a *audit) healOrphans(ctx context.Context, locks []lock, txs map[string]Transaction) error {
	for _, k := range locks {
		tx, there := txs[k.Tx]
		if tx.State.needs() != "" && (slices.Contains(tx.Locks, k.Name) || len(tx.Locks) < tx.lists()) {
			continue
		}
		counted, err := a.countedOn(ctx, k)
		if err != nil {
			return err
		}
		if counted {
			continue
		}
		why := "does not exist"
		if there {
			why = "is " + string(tx.State)
		}
		err = a.Alerts.Raise(ctx, alert.Alert{Check: NoOrphans, Severity: alert.Warning, Subject: k.Name, Healed: true,
			Message: fmt.Sprintf("deleted: its transaction %s %s", k.Tx, why)}, a.slots().deleteOrphan(k))
		if errors.Is(err, errNoOrphan) {
			continue
		}
		if err != nil {
			return err
		}
		a.mu.Lock()
		a.found.Healed++
		a.found.Warning++
		a.mu.Unlock()
	}
	return nil
}

// claims are the locks that a business's live transactions list, read once in a run.
type claims struct {
	once  sync.Once
	err   error
	taken map[dynamo.Key]bool
	more  bool // not all of its transactions were read
}

// countedOn reports whether a live transaction of the business lists the lock, or may.
func (a *audit) countedOn(ctx context.Context, k lock) (bool, error) {
	a.mu.Lock()
	of := a.claims[k.key.business]
	if of == nil {
		of = &claims{taken: map[dynamo.Key]bool{}}
		a.claims[k.key.business] = of
	}
	a.mu.Unlock()
	of.once.Do(func() { of.err = of.read(ctx, a.reader(), k.key.business) })
	return of.more || of.taken[k.key.item()], of.err
}

func (of *claims) read(ctx context.Context, r reader, business string) error {
	for tx, err := range r.ofBusiness(ctx, business) {
		switch {
		case errors.Is(err, ErrMore):
			of.more = true
			return nil
		case err != nil:
			return err
		case tx.State.needs() == "":
			continue
		}
		keys, err := locksOf(tx)
		if err != nil {
			return err
		}
		for _, k := range keys {
			of.taken[k.item()] = true
		}
	}
	return nil
}

// holders reads the transactions of locks.
func (a *audit) holders(ctx context.Context, locks []lock) (map[string]Transaction, error) {
	var ids []string
	for _, k := range locks {
		ids = append(ids, k.Tx)
	}
	slices.Sort(ids)
	var keys []dynamo.Key
	for _, id := range slices.Compact(ids) {
		keys = append(keys, txKey(id))
	}
	items, err := a.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, err
	}
	all, err := dynamo.Decode[Transaction](items)
	if err != nil {
		return nil, err
	}
	txs := map[string]Transaction{}
	for _, tx := range all {
		txs[tx.ID] = tx
	}
	return txs, nil
}

func (a *audit) raise(ctx context.Context, f alert.Alert) error {
	a.mu.Lock()
	switch f.Severity {
	case alert.Critical:
		a.found.Critical++
	case alert.Error:
		a.found.Error++
	}
	a.mu.Unlock()
	return a.Alerts.Raise(ctx, f)
}

// lookAgain is how soon a transaction with a finding is checked again.
const lookAgain = time.Hour

// lookDaily is how often a healthy standing booking is checked again.
const lookDaily = 24 * time.Hour

// seen takes a transaction off the index, or postpones it until a time. It leaves alone a transaction that has changed
// since, as the change put it on the index again.
func (a *audit) seen(ctx context.Context, tx Transaction, again time.Time) error {
	expr, vals := "REMOVE dueShard, dueAt", dynamo.V(nil)
	if !again.IsZero() {
		expr, vals = "SET dueAt = :later", dynamo.V{":later": again}
	}
	err := a.Table.DB().Commit(ctx, a.Table.Update(txKey(tx.ID), expr, vals).
		AtVersion(tx.Version).Else(ErrChanged))
	if errors.Is(err, ErrChanged) {
		return nil
	}
	return err
}
