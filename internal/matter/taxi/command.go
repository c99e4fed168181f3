package taxi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Commands obeys what drivers write, without a model.
type Commands struct {
	Store *Store
	// Outbox knows what the messages that are quoted were about.
	Outbox interface {
		AboutOf(ctx context.Context, thread, providerID string) (code string, err error)
	}
}

// Command reads a driver's message and prepares what it does; the writes belong in the transaction of the reply. ok is false
// for a message that is not a command, or not a driver's. A word without a code is about the ride of the message that it
// quotes. A driver who may no longer drive can only speak about the ride that they have. At most 4 requests, 2 more when
// others are asked instead of the driver, and for a quotation what a look at the outbox takes.
func (c *Commands) Command(ctx context.Context, tc tool.Context, m thread.Message) (settled gate.Settled, ok bool, err error) {
	said, ok := readMessage(m)
	if !ok || tc.Market == nil {
		return gate.Settled{}, false, nil
	}
	d, err := c.driver(ctx, tc)
	if errors.Is(err, actor.ErrNotFound) {
		return gate.Settled{}, false, nil
	}
	if err != nil {
		return gate.Settled{}, false, err
	}
	if m.ReplyTo != "" && said.plain() {
		about, err := c.Outbox.AboutOf(ctx, tc.Thread, m.ReplyTo)
		if err != nil || about != "" && !isCode(about) { // of something that is no ride
			return gate.Settled{}, false, err
		}
		said.code, said.vague = about, about == ""
	}
	h := &hearing{Store: c.Store, driver: d, lang: d.Language, said: said, at: m.At}
	if h.lang == "" {
		h.lang = tc.Language
	}
	settled, err = h.obey(ctx)
	if errors.Is(err, errOff) {
		return gate.Settled{}, false, nil
	}
	return settled, err == nil, err
}

// errOff means that a driver may no longer drive, and that the message is not about a ride that they have.
var errOff = errors.New("the driver may not drive")

// readMessage prefers a tapped button's payload to its title.
func readMessage(m thread.Message) (command, bool) {
	if c, ok := read(m.Button); ok && m.Button != "" {
		return c, true
	}
	return read(m.Text)
}

// driver is the author, known by their WhatsApp number, which the provider vouches for.
func (c *Commands) driver(ctx context.Context, tc tool.Context) (Driver, error) {
	number, is := strings.CutPrefix(tc.Actor.ID, string(channel.WhatsApp)+":")
	if tc.Actor.Kind != actor.Person || !is {
		return Driver{}, actor.ErrNotFound
	}
	if tc.Actor.Phone != "" {
		number = tc.Actor.Phone
	}
	if !market.IsE164(number) {
		return Driver{}, actor.ErrNotFound
	}
	return c.Store.Drivers.ByPhone(ctx, tc.Market.ID, number)
}

// hearing is one command of a driver.
type hearing struct {
	*Store
	driver Driver
	lang   string
	said   command
	at     time.Time // when it was said

	offers map[string]offered // by code
	active *pointer
}

func (h *hearing) obey(ctx context.Context) (gate.Settled, error) {
	onOff := h.said.verb == sayOn || h.said.verb == sayOff
	if onOff && h.driver.Enabled {
		return h.available(), nil
	}
	if err := h.desk(ctx); err != nil {
		return gate.Settled{}, err
	}
	theirs := h.active != nil && (h.said.code == "" || h.said.code == h.active.Code)
	of := theirs && slices.Contains([]verb{sayArrived, sayDone, sayCancel}, h.said.verb)
	switch {
	case !h.driver.Enabled && !of:
		return gate.Settled{}, errOff
	case h.said.verb == sayCode:
		return h.which(ctx)
	case h.said.verb == sayYes:
		return h.answer(ctx)
	case h.said.verb == sayNo, h.said.verb == sayCancel && !theirs:
		return h.answer(ctx)
	case !theirs:
		return nothing(h.text(wording.TaxiNoRide)), nil
	}
	return h.drive(ctx)
}

// desk reads the driver's offers and ride. 1 request.
func (h *hearing) desk(ctx context.Context) error {
	h.offers = map[string]offered{}
	return h.Table.Each(ctx, dynamo.Under(deskPK(h.driver.Market, h.driver.ID), ""), func(it dynamo.Item) error {
		if it.Key().SK == "active" {
			h.active = &pointer{}
			return it.Decode(h.active)
		}
		var o offered
		err := it.Decode(&o)
		h.offers[o.Code] = o
		return err
	})
}

// available puts the driver on or off.
func (h *hearing) available() gate.Settled {
	after, key := h.driver, wording.TaxiOn
	after.Available = h.said.verb == sayOn
	if !after.Available {
		key = wording.TaxiOff
	}
	s := h.text(key)
	if after.Available != h.driver.Available {
		_, s.Writes = h.Drivers.writes(&h.driver, after)
		s.Refused = func(err error) (string, bool) {
			return h.words(wording.TaxiTryAgain, ""), errors.Is(err, errMoved) || errors.Is(err, ErrPhoneTaken)
		}
	}
	return s
}

// found is an offer with its ride as it is now.
type found struct {
	offered
	ride *Ride
}

// open reports whether the offer still stands.
func (f found) open(d Driver) bool {
	r := f.ride
	return r != nil && r.Status == Requested && r.Attempt == f.Attempt && slices.Contains(r.Offered, d.ID) && !slices.Contains(r.Excluded, d.ID)
}

// answer settles a YES or a NO to an offer.
func (h *hearing) answer(ctx context.Context) (gate.Settled, error) {
	switch {
	case h.active != nil && h.said.code == h.active.Code && h.said.verb == sayYes:
		return h.text(wording.TaxiYoursAlready), nil
	case h.active != nil && h.said.code == h.active.Code:
		return h.told(wording.TaxiBusy, h.active.Code), nil
	case h.said.code != "":
		return h.coded(ctx)
	}
	waiting, over, err := h.waiting(ctx)
	switch {
	case err != nil:
		return gate.Settled{}, err
	case len(waiting) == 1 && !h.said.vague:
		return h.take(ctx, waiting[0]), nil
	case len(waiting) > 0:
		return h.ask(waiting), nil
	case len(over) == 1:
		return gate.Settled{Text: h.lost(over[0].ride, over[0].Code)}, nil
	}
	return nothing(h.text(wording.TaxiNoneOpen)), nil
}

// nothing marks an answer that nothing was found for.
func nothing(s gate.Settled) gate.Settled {
	s.Nothing = true
	return s
}

// coded settles an answer to the offer with the code that was said.
func (h *hearing) coded(ctx context.Context) (gate.Settled, error) {
	o, ok := h.offers[h.said.code]
	if !ok {
		return nothing(gate.Settled{Text: h.lost(nil, h.said.code)}), nil
	}
	r, err := h.Store.read(ctx, o.Owner, o.Ride)
	if err != nil {
		return gate.Settled{}, err
	}
	f := found{o, r}
	switch {
	case f.open(h.driver):
		return h.take(ctx, f), nil
	case h.said.verb != sayYes:
		return h.text(wording.TaxiDeclined), nil
	}
	return gate.Settled{Text: h.lost(r, o.Code)}, nil
}

// waiting finds the offers that a plain answer may mean, and the closed ones that it may have meant. An answer from before
// an offer does not count for it. 1 request.
func (h *hearing) waiting(ctx context.Context) (open, over []found, err error) {
	now := h.now()
	var keys []dynamo.Key
	var offers []offered
	for _, o := range h.offers {
		if o.Until.After(now) && (h.at.IsZero() || !h.at.Before(o.At)) {
			offers, keys = append(offers, o), append(keys, rideKey(o.Owner, o.Ride))
		}
	}
	items, err := h.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, nil, fmt.Errorf("taxi: offers of %s: %w", h.driver.ID, err)
	}
	all, err := dynamo.Decode[*Ride](items)
	if err != nil {
		return nil, nil, err
	}
	rides := map[string]*Ride{}
	for _, r := range all {
		rides[r.ID] = r
	}
	for _, o := range offers {
		f := found{o, rides[o.Ride]}
		if f.open(h.driver) {
			open = append(open, f)
		} else {
			over = append(over, f)
		}
	}
	return open, over, nil
}

// take carries out an answer to an offer that stands.
func (h *hearing) take(ctx context.Context, f found) gate.Settled {
	if h.said.verb != sayYes {
		s := h.told(wording.TaxiDeclined, f.Code)
		s.Writes = h.decline(ctx, *f.ride, h.driver)
		s.Refused = func(err error) (string, bool) {
			return h.words(wording.TaxiDeclined, f.Code), errors.Is(err, ErrChanged)
		}
		return s
	}
	if h.active != nil {
		return h.told(wording.TaxiBusy, h.active.Code)
	}
	s := h.told(wording.TaxiYours, f.Code)
	_, s.Writes = h.accept(ctx, *f.ride, h.driver)
	s.Refused = h.refused(f.Code)
	return s
}

// which asks for a word to go with a code, or for one code out of several.
func (h *hearing) which(ctx context.Context) (gate.Settled, error) {
	if h.said.code != "" {
		s := h.text(wording.TaxiWhichWord)
		s.Nothing = h.offers[h.said.code].Code == ""
		return s, nil
	}
	waiting, _, err := h.waiting(ctx)
	if err != nil || len(waiting) == 0 {
		return nothing(h.text(wording.TaxiNoneOpen)), err
	}
	return h.ask(waiting), nil
}

func (h *hearing) ask(waiting []found) gate.Settled {
	if len(waiting) == 1 {
		return h.told(wording.TaxiWhichWord, waiting[0].Code)
	}
	var codes []string
	for _, f := range waiting {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return gate.Settled{Text: wording.Say(h.lang, wording.TaxiWhich, wording.Vars{"alternatives": wording.List(h.lang, codes)})}
}

// drive carries out what a driver says about the ride that they have.
func (h *hearing) drive(ctx context.Context) (gate.Settled, error) {
	r, err := h.Store.read(ctx, h.active.Owner, h.active.Ride)
	if err != nil {
		return gate.Settled{}, err
	}
	code := h.active.Code
	if r == nil || r.Driver == nil || r.Driver.ID != h.driver.ID || r.Status != Assigned && r.Status != Arrived {
		return gate.Settled{Text: h.lost(r, code)}, nil
	}
	s := gate.Settled{Refused: h.refused(code)}
	switch h.said.verb {
	case sayArrived:
		s.Text = h.words(wording.TaxiArrivedNoted, code)
		if r.Status == Assigned {
			_, s.Writes = h.arrive(ctx, *r)
		}
	case sayDone:
		s.Text = h.words(wording.TaxiDoneNoted, code)
		_, s.Writes = h.end(ctx, *r, Done, DoneEvent)
	default:
		s.Text = h.words(wording.TaxiWithdrawn, code)
		_, s.Writes, err = h.withdraw(ctx, *r)
	}
	return s, err
}

// refused words the loss of a race.
func (h *hearing) refused(code string) func(error) (string, bool) {
	return func(err error) (string, bool) {
		var moved *Moved
		switch {
		case errors.As(err, &moved):
			return h.lost(moved.Ride, code), true
		case errors.Is(err, ErrDriving), errors.Is(err, ErrChanged):
			return h.words(wording.TaxiTryAgain, code), true
		}
		return "", false
	}
}

// lost says why the ride cannot be had: somebody was faster, or it is over.
func (h *hearing) lost(r *Ride, code string) string {
	switch {
	case r == nil:
		return h.words(wording.TaxiOfferGone, code)
	case r.Status == Cancelled && r.CancelledBy == "":
		return h.words(wording.TaxiCustomerCancelled, code)
	case r.Driver != nil && r.Driver.ID == h.driver.ID && r.Status != Done:
		return h.words(wording.TaxiYoursAlready, code)
	case r.Driver != nil && r.Driver.ID != h.driver.ID:
		return h.words(wording.TaxiTooLate, code)
	}
	return h.words(wording.TaxiOfferGone, code)
}

// text says something about the code that was said.
func (h *hearing) text(key wording.Key) gate.Settled { return h.told(key, h.said.code) }

func (h *hearing) told(key wording.Key, code string) gate.Settled {
	return gate.Settled{Text: h.words(key, code)}
}

func (h *hearing) words(key wording.Key, code string) string {
	return wording.Say(h.lang, key, driverVars(h.lang, code))
}

// driverVars are a ride's code and the words that drivers use for it.
func driverVars(lang, code string) wording.Vars {
	return wording.Vars{
		"code": code, "arrived": wording.Say(lang, wording.TaxiWordArrived, nil), "done": wording.Say(lang, wording.TaxiWordDone, nil),
		"cancel": wording.Say(lang, wording.TaxiWordCancel, nil), "on": wording.Say(lang, wording.TaxiWordOn, nil),
	}
}
