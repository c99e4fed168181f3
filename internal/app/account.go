package app

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"merve/internal/account"
	"merve/internal/actor"
	"merve/internal/booking"
	"merve/internal/channel"
	"merve/internal/desk"
	"merve/internal/fault"
	"merve/internal/ledger"
	"merve/internal/media"
	"merve/internal/order"
	"merve/internal/outbox"
	"merve/internal/payment"
	"merve/internal/relay"
	"merve/internal/report"
	"merve/internal/taxi"
	"merve/internal/thread"
	"merve/internal/turn"
)

// desk has what customers may do with their own data. A turn that runs writes what was said, and what
// its calls did and were, until the former is erased, and begins again without it: the rest goes after.
func (b *Base) desk() *account.Desk {
	return &account.Desk{Threads: b.Threads(), Holders: []account.Holder{
		heldMessages{b.Threads(), b.Photos()}, heldAudit{&turn.Runner{Records: b.records()}},
		heldReports{b.Reports(), b.Photos()}, heldBookings{b.Ledger()}, heldWaits{booking.Wishes{Ledger: b.Ledger()}}, heldPayments{b.Ledger(), b.Payments()},
		heldOrders{b.Orders()}, heldRides{b.Rides()}, heldTalks{b.post()}, heldCases{b.handovers()}, heldTold{b.Outbox()},
	}}
}

// heldReports are damage reports with their links, and photos.
type heldReports struct {
	reports *report.Store
	photos  *media.Store
}

func (heldReports) Holds() string { return "reports" }

func (h heldReports) Export(ctx context.Context, c account.Customer) (any, error) {
	all, err := h.reports.All(ctx, c.Market, c.Owner)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	views := make([]report.View, len(all))
	for i, r := range all {
		if views[i], err = report.ViewOf(ctx, h.photos, r); err != nil {
			return nil, err
		}
	}
	return views, nil
}

func (h heldReports) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	all, err := h.reports.All(ctx, c.Market, c.Owner)
	if err != nil {
		return nil, err
	}
	errs := []error{each(ctx, c.Threads, h.photos.DeleteThread)}
	for _, r := range all {
		by := report.By{Actor: actor.Actor{Kind: actor.System}, Owners: []string{c.Owner}, Market: c.Market, Key: "erase." + r.ID}
		if err := h.reports.Delete(ctx, by, r.ID); err != nil && !fault.Is(err, fault.NotFound) { // gone meanwhile
			errs = append(errs, fmt.Errorf("report %s: %w", r.ID, err))
		}
	}
	return nil, errors.Join(errs...)
}

// heldBookings are kept when all else is deleted: they are the business's records too. What the
// customer has said of themselves goes, once nobody holds a place for them or expects them any more.
type heldBookings struct{ ledger *ledger.Ledger }

func (heldBookings) Holds() string { return "bookings" }

func (h heldBookings) Export(ctx context.Context, c account.Customer) (any, error) {
	return shown(h.of(ctx, c))
}

func (h heldBookings) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	txs, err := h.of(ctx, c)
	if err != nil {
		return nil, err
	}
	return h.ledger.Forget(ctx, txs)
}

func (h heldBookings) of(ctx context.Context, c account.Customer) ([]ledger.Transaction, error) {
	txs, err := pages(func(after string) ([]ledger.Transaction, string, error) {
		return h.ledger.ByOwner(ctx, actor.OfKey(c.Owner), 100, after)
	})
	return slices.DeleteFunc(txs, func(tx ledger.Transaction) bool { return tx.Market != c.Market }), err
}

// heldWaits are the times on whose waiting list somebody is.
type heldWaits struct{ wishes booking.Wishes }

func (heldWaits) Holds() string { return "waiting" }

func (h heldWaits) Export(ctx context.Context, c account.Customer) (any, error) {
	return shown(h.wishes.Of(ctx, c.Market, c.Owner))
}

func (h heldWaits) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	all, err := h.wishes.Of(ctx, c.Market, c.Owner)
	errs := []error{err}
	for _, w := range all {
		errs = append(errs, h.wishes.Remove(ctx, w))
	}
	return nil, errors.Join(errs...)
}

// heldPayments are kept for the books when all else is deleted, without whose they are; that goes
// with the booking if that is still held.
type heldPayments struct {
	ledger   *ledger.Ledger
	payments *payment.Store
}

func (heldPayments) Holds() string { return "payments" }

func (h heldPayments) Export(ctx context.Context, c account.Customer) (any, error) {
	txs, err := heldBookings{h.ledger}.of(ctx, c)
	if err != nil {
		return nil, err
	}
	return shown(h.payments.Of(ctx, txs))
}

func (h heldPayments) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	txs, err := heldBookings{h.ledger}.of(ctx, c)
	if err != nil {
		return nil, err
	}
	return nil, h.payments.Forget(ctx, txs)
}

// heldOrders go when all else does, those that a business is working on once they are over.
type heldOrders struct{ orders *order.Store }

func (heldOrders) Holds() string { return "orders" }

func (h heldOrders) Export(ctx context.Context, c account.Customer) (any, error) {
	return shown(h.orders.All(ctx, c.Market, c.Owner))
}

func (h heldOrders) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	return h.orders.Erase(ctx, c.Market, c.Owner)
}

// heldRides go when all else does, one that a driver is on once it is over.
type heldRides struct{ rides *taxi.Store }

func (heldRides) Holds() string { return "rides" }

func (h heldRides) Export(ctx context.Context, c account.Customer) (any, error) {
	return shown(h.rides.All(ctx, c.Market, c.Owner))
}

func (h heldRides) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	return h.rides.Erase(ctx, c.Market, c.Owner)
}

// heldTalks are what customers have written to businesses, and their answers.
type heldTalks struct{ post *relay.Post }

func (heldTalks) Holds() string { return "talks" }

func (h heldTalks) Export(ctx context.Context, c account.Customer) (any, error) {
	return shown(ofEach(ctx, c.Threads, h.post.Talks))
}

func (h heldTalks) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	return nil, each(ctx, c.Threads, h.post.Erase)
}

// heldCases are those that a person has been asked for.
type heldCases struct{ desk *desk.Desk }

func (heldCases) Holds() string { return "handover" }

func (h heldCases) Export(ctx context.Context, c account.Customer) (any, error) {
	return shown(ofEach(ctx, c.Threads, func(ctx context.Context, id string) ([]desk.Held, error) {
		held, err := h.desk.Of(ctx, id)
		if err != nil || held == nil {
			return nil, err
		}
		return []desk.Held{*held}, nil
	}))
}

func (h heldCases) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	return nil, each(ctx, c.Threads, h.desk.Erase)
}

// heldTold is what businesses, drivers and the desk were told of customers. It says what an export has
// by itself.
type heldTold struct{ outbox *outbox.Box }

func (heldTold) Holds() string { return "told" }

func (heldTold) Export(context.Context, account.Customer) (any, error) { return nil, nil }

func (h heldTold) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	return nil, each(ctx, c.Threads, h.outbox.Forget)
}

// heldAudit says which tools ran with what.
type heldAudit struct{ runner *turn.Runner }

func (heldAudit) Holds() string { return "toolCalls" }

func (h heldAudit) Export(ctx context.Context, c account.Customer) (any, error) {
	return shown(ofEach(ctx, c.Threads, func(ctx context.Context, id string) ([]turn.Round, error) {
		return pages(func(after string) ([]turn.Round, string, error) { return h.runner.Audit(ctx, id, 100, after) })
	}))
}

func (h heldAudit) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	return nil, each(ctx, c.Threads, h.runner.EraseAudit)
}

// heldMessages are what was said, and shown.
type heldMessages struct {
	threads *thread.Store
	photos  *media.Store
}

func (heldMessages) Holds() string { return "messages" }

func (h heldMessages) Export(ctx context.Context, c account.Customer) (any, error) {
	return ofEach(ctx, c.Threads, func(ctx context.Context, id string) ([]thread.Line, error) {
		lines, err := pages(func(after string) ([]thread.Line, string, error) {
			return h.threads.Lines(ctx, id, after, thread.MaxLines)
		})
		for _, l := range lines {
			h.showPhotos(ctx, id, l.Media)
		}
		return lines, err
	})
}

// showPhotos has photos that are kept seen by whoever gets the export. What was never kept stays as the
// channel named it.
func (h heldMessages) showPhotos(ctx context.Context, threadID string, all []channel.Media) {
	for i, m := range all {
		stored, err := h.photos.Kept(ctx, threadID, m.URL)
		if err != nil {
			continue
		}
		if address, err := h.photos.Address(ctx, stored); err == nil {
			all[i].URL = address
		}
	}
}

func (h heldMessages) Erase(ctx context.Context, c account.Customer) ([]string, error) {
	return nil, each(ctx, c.Threads, h.threads.Erase)
}

// each does the same with all threads, whether or not it fails with some.
func each(ctx context.Context, threads []string, do func(ctx context.Context, id string) error) error {
	var errs []error
	for _, id := range threads {
		errs = append(errs, do(ctx, id))
	}
	return errors.Join(errs...)
}

// ofEach reads what there is of all threads.
func ofEach[T any](ctx context.Context, threads []string, read func(ctx context.Context, id string) ([]T, error)) ([]T, error) {
	all := []T{}
	for _, id := range threads {
		some, err := read(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// shown leaves out of an export what there is none of.
func shown[T any](all []T, err error) (any, error) {
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all, nil
}

// pages reads a list to its end.
func pages[T any](read func(after string) ([]T, string, error)) ([]T, error) {
	all := []T{}
	for after := ""; ; {
		some, next, err := read(after)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if after = next; after == "" {
			return all, nil
		}
	}
}
