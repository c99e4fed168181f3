package taxi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
	"merve/internal/words/wording"
)

// Teller tells people what becomes of rides: drivers on WhatsApp, through the outbox, on the thread of their own messages;
// customers in a turn of their own thread.
//
// Each message exists once for each ride, event, type and recipient, however often the event comes. Cost: 2 requests for the
// ride and the market; 1 for the drivers, and for each of them 1 for the message and 1 for their roles, at most once a
// minute; 1 for a customer.
type Teller struct {
	Rides   *Store
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Threads interface {
		Tell(ctx context.Context, threadID, key string, n thread.Notice) error
	}
	Roster interface {
		Of(ctx context.Context, market, number string) (roster.Roles, error)
	}
	Outbox *outbox.Box
}

// The events that markets' templates may word, by name.
const (
	OfferTemplate     = "taxi_offer"
	TakenTemplate     = "taxi_taken"
	PickupTemplate    = "taxi_pickup"
	CancelledTemplate = "taxi_cancelled"
)

// Vars are the variables that the templates may use.
func Vars() map[string][]string {
	ride := []string{"code", "pickup", "pickupMap", "district", "dropoff", "dropoffMap", "when", "passengers"}
	return map[string][]string{
		OfferTemplate:     append(slices.Clone(ride), "attempt"),
		PickupTemplate:    append(slices.Clone(ride), "customer", "phone", "note"),
		TakenTemplate:     {"code"},
		CancelledTemplate: {"code"},
	}
}

// Tell sends the messages about an event. It may be called any number of times. Anything but an event is
// [fault.Invalid].
func (t *Teller) Tell(ctx context.Context, e Event) error {
	if e.ID == "" || e.Type == "" || e.Ride == "" || e.Owner == "" {
		return fault.Field("event", "want id, type, ride and owner")
	}
	if !slices.Contains([]EventType{OfferedEvent, AssignedEvent, ArrivedEvent, DoneEvent, WithdrawnEvent, CancelledEvent, UnservedEvent, ExpiredEvent}, e.Type) {
		return nil
	}
	r, err := t.Rides.read(ctx, e.Owner, e.Ride)
	if err != nil {
		return fmt.Errorf("tell of ride %s: %w", e.Ride, err)
	}
	if r == nil {
		return nil // erased
	}
	m, err := t.Markets.Get(ctx, e.Market)
	if err != nil {
		return fmt.Errorf("tell of ride %s: %w", e.Ride, err)
	}
	n := news{Teller: t, event: e, ride: *r, market: m}
	if err := errors.Join(n.drivers(ctx), n.customer(ctx)); err != nil { // one who cannot be told does not keep the others
		return fmt.Errorf("tell of ride %s: %w", e.Ride, err)
	}
	return nil
}

// news is an event with what is needed to tell it.
type news struct {
	*Teller
	event  Event
	ride   Ride // as it is now: what it tells to whom was so at the event
	market *market.Market
}

// drivers tells the drivers that the event is for.
func (n news) drivers(ctx context.Context) error {
	e, r := n.event, n.ride
	has := r.Driver != nil && r.Driver.ID == e.Driver && r.Attempt == e.Attempt
	switch e.Type {
	case OfferedEvent:
		if r.Attempt != e.Attempt || !r.Status.Open() {
			return nil // over before it was told
		}
		return n.each(ctx, e.Drivers, OfferTemplate, wording.TaxiOffer)
	case AssignedEvent:
		if r.Attempt != e.Attempt {
			return nil // offered again since
		}
		var won error
		if has && (r.Status == Assigned || r.Status == Arrived) { // only the customer's driver gets their number
			won = n.each(ctx, []string{e.Driver}, PickupTemplate, wording.TaxiPickup)
		}
		return errors.Join(won, n.each(ctx, e.Drivers, TakenTemplate, wording.TaxiTaken))
	case CancelledEvent:
		words := wording.TaxiCancelledDriver
		if r.CancelledBy != "" {
			words = wording.TaxiCalledOffDriver
		}
		if e.Driver != "" {
			return n.each(ctx, []string{e.Driver}, CancelledTemplate, words)
		}
	}
	return nil
}

// each tells drivers, each in their language. Drivers who are gone are skipped.
func (n news) each(ctx context.Context, ids []string, typ string, fallback wording.Key) error {
	found, err := n.Rides.Drivers.some(ctx, n.ride.Market, ids)
	if err != nil {
		return err
	}
	var errs []error
	for _, id := range ids {
		if d, ok := found[id]; ok {
			errs = append(errs, n.driver(ctx, d, typ, fallback))
		}
	}
	return errors.Join(errs...)
}

func (n news) driver(ctx context.Context, d Driver, typ string, fallback wording.Key) error {
	roles, err := n.Roster.Of(ctx, n.ride.Market, d.Phone)
	if err != nil {
		return err
	}
	lang := cmp.Or(d.Language, n.market.Language)
	l := outbox.Letter{
		Kind: outbox.ToDriver, Thread: DriverThread(n.ride.Market, d.Phone, roles), To: d.Phone, ID: n.key(typ, d.Phone),
		Language: lang, Key: fallback, Vars: n.vars(lang), Event: typ,
		Brief: typ != PickupTemplate, // a child's seat must not be left out
		About: n.ride.Code, Customer: n.ride.Thread, Trace: n.event.Trace,
	}
	if typ == OfferTemplate {
		l.Tool = requestTool
		if text, _ := l.Words(n.market); !strings.Contains(text, n.ride.Code) { // nobody could answer it
			l.Below = wording.Say(lang, wording.TaxiWhichWord, wording.Vars{"code": n.ride.Code})
		}
	}
	return n.Outbox.PutOnce(ctx, n.Outbox.Letter(ctx, n.market, l))
}

// DriverThread is the thread that a driver's own messages arrive on, with every role that their number has on the
// roster.
func DriverThread(market, phone string, roles roster.Roles) string {
	return thread.ID(market, roles.ThreadType(), "", channel.OfNumber(phone).Key())
}

// vars are what a message to a driver can say.
func (n news) vars(lang string) wording.Vars {
	v := driverVars(lang, n.ride.Code)
	maps.Copy(v, RideVars(lang, n.ride))
	v["attempt"] = strconv.Itoa(n.event.Attempt)
	if n.event.Type != AssignedEvent { // only the customer's driver gets these
		for _, private := range []string{"customer", "phone", "note"} {
			delete(v, private)
		}
	}
	return v
}

// key lets a message exist once.
func (n news) key(typ, recipient string) string {
	return outbox.LetterID(recipient, n.ride.ID, strings.ReplaceAll(n.event.ID, "#", "-"), typ)
}

// customer tells the customer what has become of their ride.
func (n news) customer(ctx context.Context) error {
	say, over := n.word()
	if say == "" || n.ride.Thread == "" {
		return nil
	}
	r, kind := n.ride, string(say)
	vars := wording.Vars{"summary": Summary(r.Language, r), "code": r.Code}
	if d := r.Driver; d != nil {
		vars["driver"], vars["vehicle"], vars["plate"], vars["phone"] = d.Name, d.Vehicle, d.Plate, d.Phone
	}
	notice := thread.Notice{
		Kind: kind, Text: wording.Say(r.Language, say, vars), Vars: vars,
		ByPerson: slices.Contains([]EventType{AssignedEvent, ArrivedEvent, WithdrawnEvent, CancelledEvent}, n.event.Type),
	}
	if over {
		notice.Ref = r.ID
	}
	if r.Receipt != nil {
		notice.Cards = []map[string]any{Card(r.Language, r)}
	}
	return n.Threads.Tell(ctx, r.Thread, n.key(kind, r.Owner), notice)
}

// word is what to tell the customer, or "", and whether a pending action about the ride ends with it. An event that a later
// one has overtaken is not told.
func (n news) word() (say wording.Key, over bool) {
	e, r := n.event, n.ride
	has := r.Driver != nil && r.Driver.ID == e.Driver && r.Attempt == e.Attempt
	switch e.Type {
	case AssignedEvent:
		if has && r.Status != Cancelled { // being there, the driver is still to be known
			return wording.TaxiAssigned, false
		}
	case ArrivedEvent:
		if has && r.Status != Cancelled {
			return wording.TaxiArrived, false
		}
	case WithdrawnEvent:
		if e.Status == Requested && r.Status.Open() {
			return wording.TaxiSearching, false
		}
	case CancelledEvent:
		if r.CancelledBy != "" { // otherwise the customer cancelled, and got an answer
			return wording.TaxiCalledOff, true
		}
	case DoneEvent:
		return wording.TaxiDone, true
	case UnservedEvent:
		return wording.TaxiUnserved, true
	case ExpiredEvent:
		return wording.TaxiExpired, true
	}
	return "", false
}
