package app_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/app"
	"merve/internal/base/fieldtest"
	"merve/internal/matter/appointment"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/matter/payment"
	"merve/internal/matter/request"
	"merve/internal/matter/taxi"
	"merve/internal/people/desk"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/words/wording"
)

// cashier asks for payments as the product does, and has been paid nothing.
type cashier struct{ *payment.Store }

func (cashier) PaidFor(_ context.Context, tx ledger.Transaction) (int64, error) {
	return tx.DueMinor, nil
}

// asks returns what a YES to a proposal is bound to, and the whole question that it answers.
func asks[T any](c gate.Commitment, of func(T) tool.Proposal) (hash, words func(T) string) {
	noon := time.Date(2031, 1, 1, 12, 0, 0, 0, time.UTC)
	hash = func(v T) string { return of(v).Hash }
	words = func(v T) string {
		q := of(v)
		return c.Describe(tool.Context{Language: "en", TimeZone: time.UTC, Now: noon}, thread.Pending{
			Kind: q.Kind, Ref: q.Ref, Hash: q.Hash, Summary: q.Summary, Note: q.Note, ExpiresAt: q.ExpiresAt,
		})
	}
	return hash, words
}

// Whatever a YES is bound to stands in the question that it answers, and in what the business is told of it: for
// every kind of question that there is. Of what is held and paid the business is told nothing.
func TestAYesIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	commitments := app.Commitments(app.NewBase(app.Process{}))
	till := cashier{&payment.Store{Summary: booking.Summary}}
	free := func(tx ledger.Transaction) ledger.Transaction {
		tx.DueMinor, tx.LateRefundMinor, tx.RefundUntil, tx.Place = 0, 0, time.Time{}, ""
		return tx
	}
	owed := func(tx ledger.Transaction) ledger.Transaction { // part of it, and free to cancel for a while
		tx.PriceMinor, tx.DueMinor, tx.CreatedAt, tx.Place = tx.PriceMinor+2e6, tx.DueMinor+1e6, time.Time{}, ""
		return tx
	}
	visit := func(tx ledger.Transaction) ledger.Transaction { // of one technician, and nothing is paid ahead
		tx.Party, tx.DueMinor, tx.LateRefundMinor = 1, 0, 0
		return tx
	}
	kindOf := func(o order.Order) order.Kind { // one of two, by whatever it is set to
		return []order.Kind{order.Food, order.Service}[int(o.Kind[len(o.Kind)-1]-'0')%2]
	}
	food := func(o order.Order) order.Order {
		o.Kind = kindOf(o)
		return o
	}
	notFood := func(k order.Kind) func(order.Order) order.Order {
		return func(o order.Order) order.Order {
			if o.Kind, o.FeeMinor = k, 0; k == order.Viewing { // at the property itself
				o.Lines, o.Delivery, o.TotalMinor, o.Currency = nil, nil, 0, ""
			}
			return o
		}
	}
	said := func(t *testing.T, c gate.Commitment) {
		_, words := asks(c, func(said string) tool.Proposal { return tool.Proposal{Summary: said} })
		fieldtest.All(t, words)
	}
	tested := map[string]func(*testing.T, gate.Commitment){
		booking.ConfirmKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal { return booking.Question(till, "en", free(tx)) })
			fieldtest.Worded(t, hash, words)
			fieldtest.Worded(t, hash, func(tx ledger.Transaction) string {
				return wording.Say("en", wording.MerchantBookingConfirmed, booking.Vars("en", free(tx)))
			}, "HoldExpiresAt")
		},
		payment.Kind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal { return booking.Question(till, "en", owed(tx)) })
			fieldtest.Worded(t, hash, words)
			fieldtest.Worded(t, hash, func(tx ledger.Transaction) string {
				return wording.Say("en", wording.MerchantBookingConfirmed, booking.Vars("en", owed(tx)))
			}, "Terms.DueMinor", "Terms.RefundUntil", "Terms.LateRefundMinor", "HoldExpiresAt")
		},
		payment.LetGoKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal { return booking.Question(till, "en", owed(tx)) })
			fieldtest.Worded(t, hash, words)
		},
		booking.RescheduleKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal {
				q, err := booking.MoveQuestion(t.Context(), till, "en", ledger.Transaction{}, free(tx))
				if err != nil {
					t.Fatal(err)
				}
				return q
			})
			fieldtest.Worded(t, hash, words)
			fieldtest.Worded(t, hash, func(tx ledger.Transaction) string {
				return wording.Say("en", wording.MerchantBookingMoved, booking.MoveVars("en", ledger.Transaction{}, free(tx)))
			}, "HoldExpiresAt")
		},
		booking.CancelKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal {
				q, err := booking.CancelQuestion(t.Context(), till, "en", owed(tx), tx.CreatedAt, tx.HoldExpiresAt)
				if err != nil {
					t.Fatal(err)
				}
				return q
			})
			fieldtest.Worded(t, hash, words)
		},
		order.ConfirmFood: func(t *testing.T, _ gate.Commitment) {
			hash, words := asks(order.Confirm{}, func(o order.Order) tool.Proposal { return *food(o).Proposal("en") })
			fieldtest.Worded(t, hash, words)
			fieldtest.Worded(t, hash, func(o order.Order) string {
				o = food(o)
				said := map[order.Kind]wording.Key{order.Food: wording.MerchantOrderPlaced, order.Service: wording.MerchantServicePlaced}
				return wording.Say("en", said[o.Kind], order.Vars("en", o)) + wording.Say("en", wording.MerchantOrderPlaced, order.Vars("en", o))
			}, "ExpiresAt")
		},
		order.ConfirmService: func(t *testing.T, c gate.Commitment) {
			service := notFood(order.Service)
			hash, words := asks(c, func(o order.Order) tool.Proposal { return *service(o).Proposal("en") })
			fieldtest.Worded(t, hash, words)
			fieldtest.Worded(t, hash, func(o order.Order) string {
				return wording.Say("en", wording.MerchantServicePlaced, order.Vars("en", service(o)))
			}, "ExpiresAt")
		},
		order.ConfirmViewing: func(t *testing.T, c gate.Commitment) {
			viewing := notFood(order.Viewing)
			hash, words := asks(c, func(o order.Order) tool.Proposal { return *viewing(o).Proposal("en") })
			fieldtest.Worded(t, hash, words)
			fieldtest.Worded(t, hash, func(o order.Order) string {
				return wording.Say("en", wording.MerchantViewingPlaced, order.Vars("en", viewing(o)))
			}, "ExpiresAt")
		},
		order.CancelKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(o order.Order) tool.Proposal { return *o.Cancellation("en", o.ExpiresAt) })
			fieldtest.Worded(t, hash, words)
		},
		order.CancelRequestKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(o order.Order) tool.Proposal { return *o.Cancellation("en", o.ExpiresAt) })
			fieldtest.Worded(t, hash, words)
		},
		taxi.ConfirmKind: func(t *testing.T, c gate.Commitment) {
			hash := func(r taxi.Ride) string { return must(taxi.OfferHash(r)) }
			_, words := asks(c, func(r taxi.Ride) tool.Proposal { return *r.Proposal("en") })
			fieldtest.Worded(t, hash, words)
			fieldtest.Worded(t, hash, func(r taxi.Ride) string {
				return wording.Say("en", wording.TaxiPickup, taxi.RideVars("en", r))
			}, "ExpiresAt")
		},
		taxi.CancelKind: func(t *testing.T, c gate.Commitment) {
			hash := func(r taxi.Ride) string { return must(taxi.OfferHash(r)) }
			_, words := asks(c, func(r taxi.Ride) tool.Proposal { return *r.Cancellation("en", r.ExpiresAt) })
			fieldtest.Worded(t, hash, words, "ExpiresAt")
		},
		appointment.ConfirmKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal { return appointment.Question("en", visit(tx)) })
			fieldtest.Worded(t, hash, words)
		},
		appointment.MoveKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal {
				return appointment.MoveQuestion("en", ledger.Transaction{}, visit(tx))
			})
			fieldtest.Worded(t, hash, words)
		},
		appointment.CancelKind: func(t *testing.T, c gate.Commitment) {
			hash, words := asks(c, func(tx ledger.Transaction) tool.Proposal {
				return appointment.CancelQuestion("en", visit(tx), tx.CreatedAt, tx.HoldExpiresAt)
			})
			fieldtest.Worded(t, hash, words)
		},
		desk.OfferKind: func(t *testing.T, c gate.Commitment) { // why a person is offered is for the person
			words := func(said string) string {
				return c.Describe(tool.Context{Language: "en"}, thread.Pending{Summary: said})
			}
			fieldtest.All(t, words)
		},
		request.OutreachKind:   said, // package request holds what is said to what is hashed
		request.AcceptanceKind: said,
		request.ConsentKind:    said,
		request.LetterKind:     said,
		request.DropKind:       said,
		request.DoneKind:       said,
		turn.FrozenCall:        said, // what the tool says of its arguments
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(commitments)), slices.Sorted(maps.Keys(tested))); diff != "" {
		t.Errorf("kinds of questions (-there are +tested):\n%s", diff)
	}
	for kind, test := range tested {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, commitments[kind])
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
