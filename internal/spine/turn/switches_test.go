package turn_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/booking"
	"merve/internal/matter/payment"
	"merve/internal/record/ledger"
	"merve/internal/record/listing"
	"merve/internal/spine/gate"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// looks are how what an offer rests on is looked at again.
func (w *world) looks(b *booking.Booker) map[string]gate.Look {
	all := w.concierge.desk.Looks()
	all[booking.ConfirmKind], all[booking.RescheduleKind], all[payment.Kind] = b.Look, b.Look, b.Look
	maps.Copy(all, w.vendors.broker.Looks())
	return all
}

// atTheSwitch does what an operator does to market, tools and listings meanwhile.
func (p *play) atTheSwitch(l line) bool {
	p.t.Helper()
	switch l.verb {
	case "market becomes":
		p.changeMarket(func(m *market.Market) { fromYAML(p.t, []byte(l.text), m) })
	case "tool is off", "tool is on":
		on := l.verb == "tool is on"
		p.changeMarket(func(m *market.Market) {
			policy := m.Tools[l.text]
			policy.Enabled = &on
			m.Tools[l.text] = policy
		})
	case "listing becomes":
		if err := p.changeListing(l.opts, l.text); err != nil {
			p.t.Fatalf("%v: %v", l, err)
		}
	case "listing is deleted":
		_, err := p.listings.Change(p.t.Context(), p.market, l.text, "staff:test", func(*listing.Listing) (*listing.Listing, error) { return nil, nil })
		if err != nil {
			p.t.Fatalf("%v: %v", l, err)
		}
	default:
		return false
	}
	return true
}

// changeMarket saves the market by another process, so that this one may have an older one in its cache.
func (w *world) changeMarket(change func(m *market.Market)) {
	w.t.Helper()
	elsewhere := &market.Store{Table: w.markets.Table, Now: w.markets.Now}
	m, err := elsewhere.Read(w.t.Context(), w.market)
	if err != nil {
		w.t.Fatal(err)
	}
	change(m)
	if _, err := elsewhere.Save(w.t.Context(), *m, "staff:test"); err != nil {
		w.t.Fatal(err)
	}
}

// changeListing changes what a patch has in a listing.
func (w *world) changeListing(id, patch string) error {
	_, err := w.listings.Change(w.t.Context(), w.market, id, "staff:test", func(before *listing.Listing) (*listing.Listing, error) {
		return merged(before, patch)
	})
	return err
}

// merged is a listing in which what the patch has is changed: of lists the elements in their order.
func merged(l *listing.Listing, patch string) (*listing.Listing, error) {
	var old, change any
	raw, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &old); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(patch), &change); err != nil {
		return nil, err
	}
	if raw, err = json.Marshal(merge(old, change)); err != nil {
		return nil, err
	}
	after := &listing.Listing{}
	return after, json.Unmarshal(raw, after)
}

func merge(old, change any) any {
	switch c := change.(type) {
	case map[string]any:
		o, ok := old.(map[string]any)
		if !ok {
			return change
		}
		for name, value := range c {
			o[name] = merge(o[name], value)
		}
		return o
	case []any:
		o, ok := old.([]any)
		if !ok || len(o) < len(c) {
			return change
		}
		all := slices.Clone(o)
		for i, value := range c {
			all[i] = merge(o[i], value)
		}
		return all
	}
	return change
}

// TestField37_ChangedAtTheLastMoment changes what an offer rests on when its YES has looked at it and not
// yet been carried out: it looks again, and a change that is none of the offer's does not stop it.
func TestField37_ChangedAtTheLastMoment(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(w *world) error
		want   string
		state  ledger.State
	}{
		{"market off", func(w *world) error {
			w.changeMarket(func(m *market.Market) { m.Enabled = false })
			return nil
		}, "not offered any more", ledger.Cancelled},
		{"tool off", func(w *world) error {
			off := false
			w.changeMarket(func(m *market.Market) { m.Tools["initiateBooking"] = market.ToolPolicy{Enabled: &off} })
			return nil
		}, "not offered any more", ledger.Cancelled},
		{"market renamed", func(w *world) error {
			w.changeMarket(func(m *market.Market) { m.Name = "The Island" })
			return nil
		}, "is confirmed", ledger.Confirmed},
		{"dearer", func(w *world) error { return w.changeListing("meze", `{"offerings":[{"priceMinor":900}]}`) }, "have changed", ledger.Cancelled},
		{"another text", func(w *world) error { return w.changeListing("meze", `{"tags":["sea"]}`) }, "is confirmed", ledger.Confirmed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.stock(nil, "meze")
			w.model = clerkModel()
			var once sync.Once
			w.runner.Commitments[booking.ConfirmKind] = slipping{booking.Confirm{Ledger: w.ledger}, func(string) {
				once.Do(func() {
					if err := tt.change(w); err != nil {
						t.Error(err)
					}
				})
			}}
			w.say(w.from("ann", channel.App, "1", "book"))
			a := w.say(w.from("ann", channel.App, "2", "yes"))
			if got := textOf(a.Turn); !strings.Contains(got, tt.want) || a.Pending != nil {
				t.Errorf("answered %q, pending %v", got, a.Pending)
			}
			if txs := w.transactions(); len(txs) != 1 || txs[0].State != tt.state {
				t.Errorf("%+v", txs)
			}
		})
	}
}

// TestField48_SwitchedOffBeforeAFrozenCall switches a tool off right before the YES to its call begins to be
// carried out.
func TestField48_SwitchedOffBeforeAFrozenCall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(m *market.Market)
		want   string
		notes  int
	}{
		"the tool":     {func(m *market.Market) { off := false; m.Tools["leaveNote"] = market.ToolPolicy{Enabled: &off} }, "not offered any more", 0},
		"another tool": {func(m *market.Market) { off := false; m.Tools["requestTaxi"] = market.ToolPolicy{Enabled: &off} }, "Done: ", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.model = clerkModel()
			w.say(w.from("ann", channel.App, "1", "note"))
			var once sync.Once
			w.start(dynamotest.Open(t, dynamotest.BeforeText(`"kind":{"S":"yes"}`, func() { once.Do(func() { w.changeMarket(tt.change) }) })))
			a := w.say(w.from("ann", channel.App, "2", "yes"))
			if got := textOf(a.Turn); !strings.Contains(got, tt.want) || len(w.left) != tt.notes || a.Pending != nil {
				t.Errorf("answered %q, notes left %q, pending %v", got, w.left, a.Pending)
			}
		})
	}
}
