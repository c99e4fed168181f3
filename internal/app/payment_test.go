package app_test

import (
	"log/slog"
	"strings"
	"testing"

	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/payment"
	"merve/internal/record/ledger"
)

// An alert of a payment is counted for the alarm, like any other.
func TestPaymentAlertsAreCounted(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.base.Log = telemetry.NewLogger(s.log, slog.LevelInfo)
	s.invoke(t, "stripe") // of a payment that nobody here was asked for
	if n := strings.Count(s.log.String(), `"Alerts":1`); n != 1 {
		t.Errorf("counted %d times: %s", n, s.log)
	}
}

// What was paid for a booking that is cancelled goes back, though its business can never be told.
func TestMoneyGoesBackUntold(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	payments, tx := s.base.Payments(), bookedIn(t)
	tx.State, tx.Market, tx.DueMinor = ledger.Cancelled, "elsewhere", 500 // a market that is not there
	err := payments.Table.DB().Commit(ctx, payments.Table.Put(dynamo.Key{PK: "pay#" + tx.ID, SK: "payment"}, payment.Payment{
		Transaction: tx.ID, Owner: tx.Owner, Market: tx.Market, AmountMinor: 500, Currency: "EUR", Status: payment.Paid, Version: 1,
	}))
	if err != nil {
		t.Fatal(err)
	}
	s.written(t, "notify", "tx#"+tx.ID, "event#cancelled", ledger.Event{ID: "cancelled", Type: ledger.Cancelled, From: ledger.Confirmed, At: s.now, Transaction: tx})
	if p, err := payments.Get(ctx, actor.Actor{Kind: actor.System}, tx.ID); err != nil || p.Status != payment.Refunding {
		t.Errorf("%s, %v", p.Status, err)
	}
	if found, _, err := s.base.Alerts().List(ctx, 10, ""); err != nil || len(found) != 1 || found[0].Check != "stream" {
		t.Errorf("%v, alerts: %+v", err, found)
	}
}
