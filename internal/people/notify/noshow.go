package notify

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/thread"
	"merve/internal/tenant/schedule"
	"merve/internal/words/wording"
)

// missed tells a customer that their booking was marked as a no-show, until when that can be taken back, what happens
// to the money they paid, and what further no-shows lead to. It also tells them if the mark was taken back.
func (n *Notifier) missed(ctx context.Context, e ledger.Event) error {
	tx, lang := e.Transaction, e.Transaction.Language
	vars := wording.Vars{"listing": tx.ListingName, "summary": booking.Summary(lang, tx)}
	if e.Type == ledger.Came {
		return n.customer(ctx, e, thread.Notice{
			Kind: came, Ref: tx.ID, Text: wording.Say(lang, wording.BookingCame, vars), Vars: vars, Cards: []map[string]any{booking.Card(lang, tx)},
		})
	}
	loc := schedule.Zone(tx.TimeZone)
	vars["until"] = wording.Until(lang, tx.NoShowAt.Add(ledger.TakeBackFor).In(loc), e.At.In(loc))
	lines := []string{wording.Say(lang, wording.BookingNoShow, vars)}
	paid, err := n.paid(ctx, tx)
	if err != nil {
		return fmt.Errorf("notify %s: %w", tx.ID, err)
	}
	if paid > 0 {
		key, back := wording.NoShowKept, tx.Back(paid, tx.NoShowAt)
		if back > 0 {
			key = wording.NoShowPart
		}
		vars["amount"], vars["kept"] = wording.Money(lang, paid, tx.Currency), wording.Money(lang, paid-back, tx.Currency)
		vars["back"] = wording.Money(lang, back, tx.Currency)
		lines = append(lines, wording.Say(lang, key, vars))
	}
	rule, err := n.rule(ctx, tx)
	if err != nil {
		return fmt.Errorf("notify %s: %w", tx.ID, err)
	}
	if rule != nil {
		key := wording.NoShowRulePerson
		if rule.Deposit != nil {
			key = wording.NoShowRuleDeposit
		}
		vars["count"], vars["days"] = strconv.Itoa(rule.Count), strconv.Itoa(rule.Days)
		lines = append(lines, wording.Say(lang, key, vars))
	}
	return n.customer(ctx, e, thread.Notice{
		Kind: noShow, Ref: tx.ID, Text: strings.Join(lines, "\n"), Vars: vars, Cards: []map[string]any{booking.Card(lang, tx)},
	})
}

// paid is how much was paid for a booking and has not been given back.
func (n *Notifier) paid(ctx context.Context, tx ledger.Transaction) (int64, error) {
	if n.Paid == nil {
		return 0, nil
	}
	return n.Paid(ctx, tx)
}

// rule is what the offering now asks of people who do not come; nil if it asks nothing.
func (n *Notifier) rule(ctx context.Context, tx ledger.Transaction) (*schedule.NoShows, error) {
	l, err := n.Listings.Get(ctx, tx.Market, tx.Listing)
	if errors.Is(err, listing.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(l.Offerings, func(o schedule.Offering) bool { return o.ID == tx.Offering })
	if i < 0 {
		return nil, nil
	}
	return l.Offerings[i].NoShows, nil
}
