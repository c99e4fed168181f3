package booking_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func at(day, hour, minute int) time.Time {
	return time.Date(2026, 11, day, hour, minute, 0, 0, time.UTC)
}

// terms are those of a table, in a zone two hours ahead of UTC.
func terms() ledger.Terms {
	return ledger.Terms{
		Business: "biz", Listing: "grill", ListingName: "Harbour Grill", Offering: "table", OfferingName: "Table", Market: "demo",
		Start: at(22, 17, 0), End: at(22, 18, 30), Slots: []time.Time{at(22, 17, 0)}, TimeZone: "Asia/Nicosia", Party: 2, Currency: "EUR",
	}
}

func overnight() ledger.Terms {
	t := terms()
	t.OfferingName, t.Start, t.End, t.PriceMinor = "Night dive", at(22, 21, 30), at(22, 23, 0), 6500
	return t
}

func nights() ledger.Terms {
	t := terms()
	t.ListingName, t.OfferingName, t.Nights, t.PriceMinor = "Harbour Hotel", "Double room", 3, 27050
	t.Start, t.End = at(22, 13, 0), at(25, 9, 0)
	return t
}

// plain is text without the marks that keep its order beside right-to-left text.
func plain(text string) string {
	return strings.NewReplacer("\u2066", "", "\u2067", "", "\u2068", "", "\u2069", "", "\u200f", "", "\u00a0", " ", "\u202f", " ").Replace(text)
}

func TestSummary(t *testing.T) {
	t.Parallel()
	tests := []struct {
		terms ledger.Terms
		want  map[string]string
	}{
		{terms(), map[string]string{
			"en": "Harbour Grill · Table · Sun 22 Nov 2026, 19:00–20:30 · People: 2",
			"tr": "Harbour Grill · Table · 22 Kas 2026 Paz, 19:00–20:30 · Kişi: 2",
			"ar": "Harbour Grill · Table · الأحد، 22 نوفمبر 2026، 19:00–20:30 · الأشخاص: 2",
		}},
		{overnight(), map[string]string{
			"en": "Harbour Grill · Night dive · Sun 22 Nov 2026, 23:30 – Mon 23 Nov 2026, 01:00 · People: 2 · Price: €65.00",
			"tr": "Harbour Grill · Night dive · 22 Kas 2026 Paz, 23:30 – 23 Kas 2026 Pzt, 01:00 · Kişi: 2 · Fiyat: €65,00",
			"ar": "Harbour Grill · Night dive · الأحد، 22 نوفمبر 2026، 23:30 – الاثنين، 23 نوفمبر 2026، 01:00 · الأشخاص: 2 · السعر: 65.00 €",
		}},
		{nights(), map[string]string{
			"en": "Harbour Hotel · Double room · 22–25 Nov 2026, 3 nights · People: 2 · Price: €270.50",
			"tr": "Harbour Hotel · Double room · 22–25 Kas 2026, 3 gece · Kişi: 2 · Fiyat: €270,50",
			"ar": "Harbour Hotel · Double room · 22–25 نوفمبر 2026، 3 ليالٍ · الأشخاص: 2 · السعر: 270.50 €",
		}},
	}
	for _, tt := range tests {
		for lang, want := range tt.want {
			if got := plain(booking.Summary(lang, ledger.Transaction{Terms: tt.terms})); got != want {
				t.Errorf("%s: %q, want %q", lang, got, want)
			}
		}
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	tx := ledger.Transaction{Terms: nights(), ID: "tx1", Code: "KX72B4", State: ledger.Hold}
	want := tool.Card{
		"type": "booking", "transactionId": "tx1", "code": "KX72B4", "title": "Harbour Hotel", "subtitle": "Double room",
		"when": booking.When("tr", tx), "party": 2, "status": "hold", "price": map[string]any{"amount": int64(27050), "currency": "EUR"},
	}
	if diff := cmp.Diff(want, booking.Card("tr", tx)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	tx.Terms = terms()
	if price, is := booking.Card("en", tx)["price"]; is {
		t.Errorf("what costs nothing has the price %v", price)
	}
}

// A zone that cannot be loaded shows UTC rather than nothing.
func TestUnknownZone(t *testing.T) {
	t.Parallel()
	tx := ledger.Transaction{Terms: terms()}
	tx.TimeZone = "Sea/Atlantis"
	if when := booking.When("en", tx); !strings.Contains(when, "17:00") {
		t.Errorf("when = %q", when)
	}
}

// desk is a ledger with one customer.
type desk struct {
	t testing.TB
	*ledger.Ledger
	tc  tool.Context
	now time.Time
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, now: noon}
	d.Ledger = &ledger.Ledger{
		Table: dynamotest.Open(t).Table(dynamotest.TableName("ledger")),
		Now:   func() time.Time { return d.now }, NewID: func() string { return dynamotest.ID("t") },
	}
	d.tc = tool.Context{
		Actor: actor.Actor{Kind: actor.User, ID: dynamotest.ID("user"), Name: "Deniz"}, Language: "en",
		TimeZone: time.FixedZone("", 2*3600), Now: noon, TraceID: "trace-1",
	}
	return d
}

// held is an offer, and the pending action about it.
func (d *desk) held() (ledger.Transaction, thread.Pending) {
	d.t.Helper()
	ctx, terms := context.Background(), terms()
	terms.Business, terms.Owner = dynamotest.ID("biz"), d.tc.Actor.Key()
	tx, err := d.Draft(ctx, terms, dynamotest.ID("key"))
	if err == nil {
		tx, err = d.Hold(ctx, tx.ID, 1, d.now.Add(10*time.Minute), "hold")
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return tx, thread.Pending{
		ID: dynamotest.ID("p"), Kind: booking.ConfirmKind, Ref: tx.ID, Hash: tx.OfferHash, Summary: booking.Summary("en", tx),
		Policy: 7, CreatedAt: d.now, ExpiresAt: tx.HoldExpiresAt,
	}
}

func (d *desk) consent(p thread.Pending) gate.Consent {
	return gate.Consent{Pending: p, MessageID: "m1", Actor: d.tc.Actor.Key(), At: d.now}
}

// commit makes what was settled happen.
func (d *desk) commit(s gate.Settled) error {
	return d.Table.DB().Commit(context.Background(), s.Writes...)
}

func (d *desk) state(id string) ledger.State {
	d.t.Helper()
	tx, err := d.Get(context.Background(), d.tc.Actor, id)
	if err != nil {
		d.t.Fatal(err)
	}
	return tx.State
}

// booked is a confirmed booking, and the pending action to cancel it.
func (d *desk) booked() (ledger.Transaction, thread.Pending) {
	d.t.Helper()
	tx, p := d.held()
	s, err := booking.Confirm{Ledger: d.Ledger}.Commit(context.Background(), d.tc, d.consent(p))
	if err == nil {
		err = d.commit(s)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	if tx, err = d.Get(context.Background(), d.tc.Actor, tx.ID); err != nil {
		d.t.Fatal(err)
	}
	return tx, thread.Pending{ID: dynamotest.ID("p"), Kind: booking.CancelKind, Ref: tx.ID, Hash: ledger.CancelHash(tx, d.now), Summary: "S", ExpiresAt: d.now.Add(time.Hour)}
}

// unpaid is where nobody pays anything here.
type unpaid struct{}

func (unpaid) Ask(_, summary string, _ ledger.Transaction) (kind, text string) {
	return booking.ConfirmKind, summary
}

func (unpaid) LetGoOf(context.Context, ledger.Transaction) (string, error) { return "", nil }

func (unpaid) PaidFor(context.Context, ledger.Transaction) (int64, error) { return 0, nil }

func say(key wording.Key, vars wording.Vars) string { return wording.Say("en", key, vars) }

func TestConfirm(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), context.Background()
	c := booking.Confirm{Ledger: d.Ledger}
	tx, p := d.held()
	if ask := c.Describe(d.tc, p); !strings.Contains(ask, p.Summary) || !strings.Contains(ask, "14:09") {
		t.Errorf("it asks %q; want the summary, and until half a minute before the end of the hold", ask)
	}
	s, err := c.Commit(ctx, d.tc, d.consent(p))
	if err != nil {
		t.Fatal(err)
	}
	if d.state(tx.ID) != ledger.Hold {
		t.Error("preparing it booked it")
	}
	want := say(wording.BookingConfirmed, wording.Vars{"summary": p.Summary, "code": tx.Code})
	if s.Text != want || len(s.Cards) != 1 || s.Cards[0]["status"] != "confirmed" {
		t.Errorf("settled %+v", s)
	}
	if err := d.commit(s); err != nil {
		t.Fatal(err)
	}
	if d.state(tx.ID) != ledger.Confirmed {
		t.Error("it is not booked")
	}
	h, err := d.History(ctx, d.tc.Actor, tx.ID)
	if err != nil || h.Receipt == nil {
		t.Fatalf("receipt %v, %v", h.Receipt, err)
	}
	wantReceipt := gate.Receipt{
		PendingID: p.ID, OfferHash: p.Hash, MessageID: "m1", Answer: "yes", Actor: d.tc.Actor.Key(), At: noon, PolicyVersion: 7, Trace: "trace-1",
	}
	if diff := cmp.Diff(wantReceipt, *h.Receipt); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}

	again, err := c.Commit(ctx, d.tc, d.consent(p))
	want = say(wording.BookingAlreadyConfirmed, wording.Vars{"summary": p.Summary, "code": tx.Code})
	if err != nil || again.Text != want || len(again.Writes) != 0 {
		t.Errorf("a second YES: %+v, %v", again, err)
	}
	// A YES prepared before the other was carried out is refused in words.
	text, ok := s.Refused(d.commit(s))
	if !ok || text != want {
		t.Errorf("writes made again: %q, %v", text, ok)
	}
}

func TestConfirmRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(d *desk, tx ledger.Transaction, p *thread.Pending)
		want  wording.Key
	}{
		{"the hold has gone", func(d *desk, _ ledger.Transaction, _ *thread.Pending) { d.now = d.now.Add(10 * time.Minute) }, wording.HoldGone},
		{"it was let go", func(d *desk, tx ledger.Transaction, _ *thread.Pending) {
			if _, err := d.Release(context.Background(), d.tc.Actor, tx.ID, "test", "no"); err != nil {
				d.t.Fatal(err)
			}
		}, wording.HoldGone},
		{"another offer was shown", func(_ *desk, _ ledger.Transaction, p *thread.Pending) { p.Hash = "other" }, wording.OfferChanged},
		{"no such transaction", func(_ *desk, _ ledger.Transaction, p *thread.Pending) { p.Ref = "none" }, wording.HoldGone},
		{"somebody else's", func(d *desk, _ ledger.Transaction, _ *thread.Pending) { d.tc.Actor.ID = dynamotest.ID("other") }, wording.HoldGone},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			tx, p := d.held()
			tt.spoil(d, tx, &p)
			s, err := booking.Confirm{Ledger: d.Ledger}.Commit(context.Background(), d.tc, d.consent(p))
			if err != nil || s.Text != say(tt.want, nil) || len(s.Writes) != 0 || len(s.Cards) != 0 {
				t.Errorf("%+v, %v; want only %q", s, err, say(tt.want, nil))
			}
		})
	}
}

// What stands against a YES when its writes are made has words, and nothing else has.
func TestRefusalWords(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, p := d.held()
	s, err := booking.Confirm{Ledger: d.Ledger}.Commit(context.Background(), d.tc, d.consent(p))
	if err != nil {
		t.Fatal(err)
	}
	_, cancel := d.booked()
	k, err := booking.Cancel{Ledger: d.Ledger, Payments: unpaid{}}.Commit(context.Background(), d.tc, d.consent(cancel))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		err             error
		confirm, cancel wording.Key // "" is none
	}{
		{ledger.ErrHoldGone, wording.HoldGone, wording.CancelRefused},
		{ledger.ErrNotHeld, wording.HoldGone, wording.CancelRefused},
		{ledger.ErrSlotTaken, wording.HoldGone, wording.CancelRefused},
		{ledger.ErrChanged, wording.HoldGone, wording.CancelRefused},
		{ledger.ErrCancelled, wording.HoldGone, wording.BookingAlreadyCancelled},
		{ledger.ErrOfferChanged, wording.OfferChanged, wording.CancelRefused},
		{ledger.ErrKeyReused, wording.OfferChanged, wording.CancelRefused},
		{actor.ErrNotFound, wording.HoldGone, wording.CancelRefused},
		{fault.New(fault.Unavailable, "away"), "", ""},
		{errors.New("anything"), "", ""},
		{thread.ErrNewer, "", ""},
	}
	for _, tt := range tests {
		err := fmt.Errorf("commit: %w", tt.err)
		for _, side := range []struct {
			name    string
			refused func(error) (string, bool)
			want    wording.Key
		}{{"confirm", s.Refused, tt.confirm}, {"cancel", k.Refused, tt.cancel}} {
			text, ok := side.refused(err)
			if want := say(side.want, wording.Vars{"summary": "S"}); ok != (side.want != "") || text != want {
				t.Errorf("%s, %v: %q, %v; want %q", side.name, tt.err, text, ok, want)
			}
		}
	}
}

func TestReleaseOfAnOffer(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), context.Background()
	c := booking.Confirm{Ledger: d.Ledger}
	tx, p := d.held()
	s, err := c.Release(ctx, d.tc, p)
	if err != nil || s.Text != say(wording.BookingReleased, nil) {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := d.commit(s); err != nil {
		t.Fatal(err)
	}
	if d.state(tx.ID) != ledger.Cancelled {
		t.Error("it is still held")
	}
	if again, err := c.Release(ctx, d.tc, p); err != nil || len(again.Writes) != 0 {
		t.Errorf("a second NO: %+v, %v", again, err)
	}
	p.Ref = "none"
	if gone, err := c.Release(ctx, d.tc, p); err != nil || len(gone.Writes) != 0 {
		t.Errorf("of nothing: %+v, %v", gone, err)
	}
	if _, ok := s.Refused(fault.New(fault.Unavailable, "away")); ok {
		t.Error("a fault of the surroundings counts as an answer")
	}
	if _, ok := s.Refused(ledger.ErrNotHeld); !ok {
		t.Error("a hold that has gone by itself stops the turn")
	}
}

// A booking is never let go as an offer, nor said to be: it may be confirmed in another chat by the
// time of a NO, or of the words that its time is over.
func TestReleaseKeepsABooking(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for name, release := range map[string]func(context.Context, tool.Context, thread.Pending) (gate.Settled, error){
		"offer": booking.Confirm{Ledger: d.Ledger}.Release, "move": booking.Move{Ledger: d.Ledger, Payments: unpaid{}}.Release,
	} {
		tx, p := d.booked()
		want := say(wording.BookingAlreadyConfirmed, wording.Vars{"summary": booking.Summary("en", tx), "code": tx.Code})
		s, err := release(t.Context(), d.tc, p)
		if err != nil || len(s.Writes) != 0 || d.state(tx.ID) != ledger.Confirmed || s.Text != want || s.Late != want {
			t.Errorf("%s: %+v, %v, %s", name, s, err, d.state(tx.ID))
		}
		tx, p = d.held()
		if s, err = release(t.Context(), d.tc, p); err != nil {
			t.Fatal(err)
		}
		yes, err := booking.Confirm{Ledger: d.Ledger}.Commit(t.Context(), d.tc, d.consent(p))
		if err != nil || d.commit(yes) != nil {
			t.Fatal(err)
		}
		err = d.commit(s)
		if text, ok := s.Refused(err); !ok || !strings.Contains(text, tx.Code) || d.state(tx.ID) != ledger.Confirmed {
			t.Errorf("%s, confirmed meanwhile: %q, %v, %s", name, text, err, d.state(tx.ID))
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	d, ctx := newDesk(t), context.Background()
	c := booking.Cancel{Ledger: d.Ledger, Payments: unpaid{}}
	tx, p := d.booked()
	if ask := c.Describe(d.tc, p); ask != say(wording.CancelPrompt, wording.Vars{"summary": "S"}) {
		t.Errorf("it asks %q", ask)
	}
	kept, err := c.Release(ctx, d.tc, p)
	if err != nil || kept.Text != say(wording.CancelKept, wording.Vars{"summary": "S"}) || len(kept.Writes) != 0 ||
		kept.Late != say(wording.CancelRefused, wording.Vars{"summary": "S"}) {
		t.Errorf("NO: %+v, %v", kept, err)
	}
	s, err := c.Commit(ctx, d.tc, d.consent(p))
	if err != nil {
		t.Fatal(err)
	}
	if d.state(tx.ID) != ledger.Confirmed {
		t.Error("preparing it cancelled it")
	}
	want := say(wording.BookingCancelled, wording.Vars{"summary": booking.Summary("en", tx)})
	if s.Text != want || s.Cards[0]["status"] != "cancelled" {
		t.Errorf("settled %+v", s)
	}
	if err := d.commit(s); err != nil {
		t.Fatal(err)
	}
	if d.state(tx.ID) != ledger.Cancelled {
		t.Error("it is not cancelled")
	}
	already := say(wording.BookingAlreadyCancelled, wording.Vars{"summary": "S"})
	if again, err := c.Commit(ctx, d.tc, d.consent(p)); err != nil || again.Text != already || len(again.Writes) != 0 {
		t.Errorf("a second YES: %+v, %v", again, err)
	}
	if text, ok := s.Refused(d.commit(s)); !ok || text != already {
		t.Errorf("writes made again: %q, %v", text, ok)
	}
}

func TestCancelRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(d *desk, p *thread.Pending)
	}{
		{"it is not as it was", func(_ *desk, p *thread.Pending) { p.Hash = "other" }},
		{"no such booking", func(_ *desk, p *thread.Pending) { p.Ref = "none" }},
		{"somebody else's", func(d *desk, _ *thread.Pending) { d.tc.Actor.ID = dynamotest.ID("other") }},
	}
	for _, tt := range tests {
		d := newDesk(t)
		owner := d.tc.Actor
		tx, p := d.booked()
		tt.spoil(d, &p)
		s, err := booking.Cancel{Ledger: d.Ledger, Payments: unpaid{}}.Commit(context.Background(), d.tc, d.consent(p))
		if err != nil || s.Text == "" || len(s.Writes) != 0 || len(s.Cards) != 0 {
			t.Errorf("%s: %+v, %v", tt.name, s, err)
		}
		d.tc.Actor = owner
		if d.state(tx.ID) != ledger.Confirmed {
			t.Errorf("%s: it is %s", tt.name, d.state(tx.ID))
		}
	}
}

// A YES whose ledger is away for now is no answer: nothing is said, and it comes again.
func TestAYesWhileTheLedgerIsAway(t *testing.T) {
	t.Parallel()
	for name, settles := range map[string]func(l *ledger.Ledger) gate.Commitment{
		"confirm": func(l *ledger.Ledger) gate.Commitment { return booking.Confirm{Ledger: l} },
		"cancel":  func(l *ledger.Ledger) gate.Commitment { return booking.Cancel{Ledger: l} },
		"move":    func(l *ledger.Ledger) gate.Commitment { return booking.Move{Ledger: l} },
	} {
		d := newDesk(t)
		_, p := d.held()
		away := *d.Ledger
		away.Table = dynamotest.Once(t, faulttest.With(faulttest.At{N: 1, Fault: faulttest.ServerError})).Table(dynamotest.TableName("ledger"))
		if s, err := settles(&away).Commit(t.Context(), d.tc, d.consent(p)); err == nil || s.Text != "" || len(s.Writes) != 0 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// A booking that cannot be moved is not, in words, and the customer's own new time is let go.
func TestMoveRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		spoil func(d *desk, p *thread.Pending)
		want  ledger.State // of the new time
	}{
		{"another offer was shown", func(_ *desk, p *thread.Pending) { p.Hash = "other" }, ledger.Cancelled},
		{"no such transaction", func(_ *desk, p *thread.Pending) { p.Ref = "none" }, ledger.Hold},
		{"somebody else's", func(d *desk, _ *thread.Pending) { d.tc.Actor.ID = dynamotest.ID("other") }, ledger.Hold},
	}
	for _, tt := range tests {
		d := newDesk(t)
		owner := d.tc.Actor
		tx, p := d.held()
		tt.spoil(d, &p)
		s, err := booking.Move{Ledger: d.Ledger, Payments: unpaid{}}.Commit(t.Context(), d.tc, d.consent(p))
		if err != nil || s.Text != say(wording.MoveRefused, nil) || len(s.Cards) != 0 {
			t.Errorf("%s: %+v, %v", tt.name, s, err)
		}
		if err := d.commit(s); err != nil {
			t.Fatal(err)
		}
		if d.tc.Actor = owner; d.state(tx.ID) != tt.want {
			t.Errorf("%s: the new time is %s, want %s", tt.name, d.state(tx.ID), tt.want)
		}
	}
}
