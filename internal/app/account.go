package app

import (
	"context"
	"errors"
	"fmt"

	"merve/internal/account"
	"merve/internal/actor"
	"merve/internal/desk"
	"merve/internal/ledger"
	"merve/internal/media"
	"merve/internal/order"
	"merve/internal/payment"
	"merve/internal/relay"
	"merve/internal/report"
	"merve/internal/taxi"
	"merve/internal/thread"
	"merve/internal/turn"
)

// desk has what customers may do with their own data. A turn that runs writes what was said and the
// records of its calls until the former are erased: the latter go after them.
func (b *Base) desk() *account.Desk {
	return &account.Desk{Threads: b.Threads(), Holders: []account.Holder{
		heldReports{b.Reports(), b.Photos()}, heldBookings{b.Ledger()}, heldWaits{b.Ledger()}, heldPayments{b.Ledger(), b.Payments()},
		heldOrders{b.Orders()}, heldRides{b.Rides()}, heldTalks{b.post()}, heldCases{b.handovers()}, heldMessages{b.Threads()}, heldAudit{&turn.Runner{Records: b.records()}},
	}}
}

// heldReports are damage reports with their links, and photos.
type heldReports struct {
	reports *report.Store
	photos  *media.Store
}

func (heldReports) Holds() string { return "reports" }

func (h heldReports) Export(ctx context.Context, owner, _ string) (any, error) {
	all, err := h.reports.All(ctx, owner)
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

func (h heldReports) Erase(ctx context.Context, owner, threadID string) ([]string, error) {
	all, err := h.reports.All(ctx, owner)
	if err != nil {
		return nil, err
	}
	errs := []error{h.photos.DeleteThread(ctx, threadID)}
	for _, r := range all {
		by := report.By{Actor: actor.Actor{Kind: actor.System}, Owners: []string{owner}, Key: "erase." + r.ID}
		if err := h.reports.Delete(ctx, by, r.ID); err != nil {
			errs = append(errs, fmt.Errorf("report %s: %w", r.ID, err))
		}
	}
	return nil, errors.Join(errs...)
}

// heldBookings are kept when all else is deleted: they are the business's records too. What the
// customer has said of themselves goes, once nobody holds a place for them or expects them any more.
type heldBookings struct{ ledger *ledger.Ledger }

func (heldBookings) Holds() string { return "bookings" }

func (h heldBookings) Export(ctx context.Context, owner, _ string) (any, error) {
	return shown(h.of(ctx, owner))
}

func (h heldBookings) Erase(ctx context.Context, owner, _ string) ([]string, error) {
	txs, err := h.of(ctx, owner)
	if err != nil {
		return nil, err
	}
	return h.ledger.Forget(ctx, txs)
}

func (h heldBookings) of(ctx context.Context, owner string) ([]ledger.Transaction, error) {
	return pages(func(after string) ([]ledger.Transaction, string, error) {
		return h.ledger.ByOwner(ctx, actor.OfKey(owner), 100, after)
	})
}

// heldWaits are the times on whose waiting list somebody is.
type heldWaits struct{ ledger *ledger.Ledger }

func (heldWaits) Holds() string { return "waiting" }

func (h heldWaits) Export(ctx context.Context, owner, _ string) (any, error) {
	return shown(h.ledger.Waits(ctx, owner))
}

func (h heldWaits) Erase(ctx context.Context, owner, _ string) ([]string, error) {
	all, err := h.ledger.Waits(ctx, owner)
	errs := []error{err}
	for _, w := range all {
		errs = append(errs, h.ledger.Served(ctx, w))
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

func (h heldPayments) Export(ctx context.Context, owner, _ string) (any, error) {
	txs, err := heldBookings{h.ledger}.of(ctx, owner)
	if err != nil {
		return nil, err
	}
	return shown(h.payments.Of(ctx, txs))
}

func (h heldPayments) Erase(ctx context.Context, owner, _ string) ([]string, error) {
	txs, err := heldBookings{h.ledger}.of(ctx, owner)
	if err != nil {
		return nil, err
	}
	return nil, h.payments.Forget(ctx, txs)
}

// heldOrders go when all else does, those that a business is working on once they are over.
type heldOrders struct{ orders *order.Store }

func (heldOrders) Holds() string { return "orders" }

func (h heldOrders) Export(ctx context.Context, owner, _ string) (any, error) {
	return shown(h.orders.All(ctx, owner))
}

func (h heldOrders) Erase(ctx context.Context, owner, _ string) ([]string, error) {
	return h.orders.Erase(ctx, owner)
}

// heldRides go when all else does, one that a driver is on once it is over.
type heldRides struct{ rides *taxi.Store }

func (heldRides) Holds() string { return "rides" }

func (h heldRides) Export(ctx context.Context, owner, _ string) (any, error) {
	return shown(h.rides.All(ctx, owner))
}

func (h heldRides) Erase(ctx context.Context, owner, _ string) ([]string, error) {
	return h.rides.Erase(ctx, owner)
}

// heldTalks are what customers have written to businesses, and their answers.
type heldTalks struct{ post *relay.Post }

func (heldTalks) Holds() string { return "talks" }

func (h heldTalks) Export(ctx context.Context, _, threadID string) (any, error) {
	return shown(h.post.Talks(ctx, threadID))
}

func (h heldTalks) Erase(ctx context.Context, _, threadID string) ([]string, error) {
	return nil, h.post.Erase(ctx, threadID)
}

// heldCases are those that a person has been asked for.
type heldCases struct{ desk *desk.Desk }

func (heldCases) Holds() string { return "handover" }

func (h heldCases) Export(ctx context.Context, _, threadID string) (any, error) {
	c, err := h.desk.Of(ctx, threadID)
	if err != nil || c == nil {
		return nil, err
	}
	return c, nil
}

func (h heldCases) Erase(ctx context.Context, _, threadID string) ([]string, error) {
	return nil, h.desk.Erase(ctx, threadID)
}

// heldAudit says which tools ran with what.
type heldAudit struct{ runner *turn.Runner }

func (heldAudit) Holds() string { return "toolCalls" }

func (h heldAudit) Export(ctx context.Context, _, threadID string) (any, error) {
	return shown(pages(func(after string) ([]turn.Round, string, error) { return h.runner.Audit(ctx, threadID, 100, after) }))
}

func (h heldAudit) Erase(ctx context.Context, _, threadID string) ([]string, error) {
	return nil, h.runner.EraseAudit(ctx, threadID)
}

// heldMessages are what was said.
type heldMessages struct{ threads *thread.Store }

func (heldMessages) Holds() string { return "messages" }

func (h heldMessages) Export(ctx context.Context, _, threadID string) (any, error) {
	return pages(func(after string) ([]thread.Line, string, error) {
		return h.threads.Lines(ctx, threadID, after, thread.MaxLines)
	})
}

func (h heldMessages) Erase(ctx context.Context, _, threadID string) ([]string, error) {
	return nil, h.threads.Erase(ctx, threadID)
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
