package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/record/stock"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
)

// Store keeps orders. Safe for concurrent use.
type Store struct {
	Table dynamo.Table // records
	Stock *stock.Store // of counted items; nil if there are none
	Now   func() time.Time

	Bounds *bound.Book  // on how much one customer may order; nil sets no bounds
	Rows   *thread.Rows // on the open matters of conversations; nil writes none

	// AlsoErase deletes the data that other packages keep about an order when the order is deleted after its end.
	// It may be called any number of times; nil deletes nothing more.
	AlsoErase func(ctx context.Context, o Order) error
}

// stored is an order as its item holds it, with the attributes of its indexes.
type stored struct {
	Order
	entry
	DueShard string    `dynamodbav:"dueShard,omitempty"`
	DueAt    time.Time `dynamodbav:"dueAt"`
}

// entry is where an item stands in the index listed.
type entry struct {
	Listed   string `dynamodbav:"listed,omitempty"`
	ListedAt string `dynamodbav:"listedAt,omitempty"`
}

// dueKind is what the due index knows orders by.
const dueKind = "order"

// listedIndex is the index on (listed, listedAt): the owner of the list, and [Order.listedAt]. Keys only.
// A proposal is in its customer's list, and only while it waits, so that proposals without a YES
// take no place in a list. Then the order is in its business's list, and the event
// that it was placed in its customer's. Finished orders are in a list of their own, by when they ended, and so do not
// hide open ones; in a former release they were not.
const listedIndex = "listed"

func listed(business string) string { return "business#" + business + "#order" }

// over returns the list for the finished orders of a list.
func over(list string) string { return list + "#over" }

// own is where an order, or its event, is listed for its customer.
func (o Order) own() entry {
	return entry{listedOwn(o.Market, o.Owner), dynamo.Stamp(o.listedAt())}
}

func listedOwn(market, owner string) string { return "owner#" + owner + "#" + market + "#order" }

func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

type pointer struct {
	Owner string `dynamodbav:"owner"`
	Order string `dynamodbav:"order"`
	TTL   int64  `dynamodbav:"ttl"`
}

// codeFor is how long a code finds its order.
const codeFor = 90 * 24 * time.Hour

var (
	errThere     = errors.New("the order is there already")
	errCodeTaken = errors.New("the code is another order's")
)

// maxCodes is how many codes are tried.
const maxCodes = 20

// Propose stores an order that waits for its customer's YES. The same key of the same owner
// gives the same order. [bound.Refusal] when the customer has ordered too much.
func (s *Store) Propose(ctx context.Context, o Order, key string) (Order, error) {
	o.ID, o.Status, o.CreatedAt, o.UpdatedAt = newID(o.Owner, key), Proposed, s.now(), s.now()
	for n := range maxCodes {
		o.Code = newCode(o.ID, n)
		tokens, err := s.Bounds.Take(ctx, bound.Claim{
			Matter: bound.Order, Market: o.Market, Owner: o.Owner, Address: o.Address, ID: o.ID, Until: o.ExpiresAt, Chat: o.Thread,
		})
		if err != nil {
			return s.proposed(ctx, o, err)
		}
		o.Bounds = tokens.Tokens
		st := stored{Order: o, entry: o.own(), DueShard: dynamo.DueShard(dueKind, o.ID), DueAt: o.due()}
		err = s.Table.DB().Commit(ctx, append([]dynamo.Write{
			s.Table.Put(orderKey(o.Owner, o.ID), st).IfAbsent().Else(errThere),
			s.Table.Put(codeKey(o.Business, o.Code), pointer{o.Owner, o.ID, o.CreatedAt.Add(codeFor).Unix()}).IfAbsent().Else(errCodeTaken),
			s.event(o, ProposedEvent, "", actor.OfKey(o.Owner), telemetry.TraceID(ctx)),
		}, tokens.Writes...)...)
		switch {
		case err == nil:
			return o, nil
		case errors.Is(err, errThere):
			return s.Get(ctx, actor.OfKey(o.Owner), o.Market, o.ID)
		case !errors.Is(err, errCodeTaken) && !errors.Is(err, bound.ErrLost):
			return Order{}, fmt.Errorf("propose order: %w", err)
		}
	}
	return Order{}, fmt.Errorf("propose order: no free code for business %s", o.Business)
}

// proposed returns the order that its key has already made, else the refusal.
func (s *Store) proposed(ctx context.Context, o Order, refusal error) (Order, error) {
	before, err := s.Get(ctx, actor.OfKey(o.Owner), o.Market, o.ID)
	if errors.Is(err, actor.ErrNotFound) {
		return Order{}, refusal
	}
	return before, err
}

// Get reads an order of an actor in a market; "" is any.
func (s *Store) Get(ctx context.Context, a actor.Actor, market, id string) (Order, error) {
	if !isID(id) {
		return Order{}, actor.ErrNotFound
	}
	var keys []dynamo.Key
	for _, owner := range a.Keys() {
		keys = append(keys, orderKey(owner, id))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return Order{}, fmt.Errorf("order %s: %w", id, err)
	}
	if len(items) == 0 {
		return Order{}, actor.ErrNotFound
	}
	var o Order
	if err := items[0].Decode(&o); err != nil {
		return Order{}, err
	}
	if market != "" && o.Market != market { // the same person's, but with another tenant
		return Order{}, actor.ErrNotFound
	}
	return o, nil
}

// MaxListed is the most orders that one list gives.
const MaxListed = 50

// MaxOwn is how many of a customer's finished orders are read for each of their identities: the
// latest ones, and the latest ones of one kind.
const MaxOwn = 20

// Of lists an actor's orders in a market: first those that wait for their YES or are still open, then the latest
// finished ones, each newest first. Reads of the index are eventually consistent: a change shows after some
// milliseconds. 3 requests for each identity, 2 if it has no listed order.
func (s *Store) Of(ctx context.Context, a actor.Actor, market string) ([]Order, error) {
	return s.theirs(ctx, a, market, true)
}

// Open lists an actor's unfinished orders in a market, newest first, as Of does. 2
// requests for each identity, 1 if none is listed.
func (s *Store) Open(ctx context.Context, a actor.Actor, market string) ([]Order, error) {
	all, err := s.theirs(ctx, a, market, false)
	return slices.DeleteFunc(all, func(o Order) bool { return o.due().IsZero() }), err
}

func (s *Store) theirs(ctx context.Context, a actor.Actor, market string, ended bool) ([]Order, error) {
	var all []Order
	for _, owner := range a.Keys() {
		some, err := s.latest(ctx, market, owner, ended)
		if err != nil {
			return nil, fmt.Errorf("orders: %w", err)
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, openFirst)
	return all, nil
}

// latest reads the orders of an owner in a market that stand, or may, and the latest that have ended.
func (s *Store) latest(ctx context.Context, market, owner string, ended bool) ([]Order, error) {
	list := listedOwn(market, owner)
	page, err := s.listed(ctx, list, time.Time{}, MaxListed, "")
	if err != nil {
		return nil, err
	}
	there := page.Keys()
	if ended {
		if page, err = s.listed(ctx, over(list), time.Time{}, MaxOwn, ""); err != nil {
			return nil, err
		}
		there = append(there, page.Keys()...)
	}
	for i, k := range there {
		there[i] = orderKey(owner, strings.Split(k.SK, "#")[1]) // also of the event that it was placed
	}
	return s.read(ctx, distinct(there))
}

// All returns every order of an owner in a market, newest first, to be handed out or deleted. A
// request for each megabyte that the owner has in all of them.
func (s *Store) All(ctx context.Context, market, owner string) ([]Order, error) {
	all, err := dynamo.Collect[Order](ctx, s.Table, dynamo.Under(orderKey(owner, "").PK, "order#"))
	if err != nil {
		return nil, fmt.Errorf("orders: %w", err)
	}
	all = slices.DeleteFunc(all, func(o Order) bool { return o.Market != market })
	slices.SortFunc(all, newest)
	return all, nil
}

func newest(a, b Order) int { return b.CreatedAt.Compare(a.CreatedAt) }

// openFirst sorts orders with something still to happen before finished ones, each newest first.
func openFirst(a, b Order) int {
	rank := map[bool]int{true: 1} // over
	return cmp.Or(rank[a.due().IsZero()]-rank[b.due().IsZero()], newest(a, b))
}

// answerFor is how long a business can answer an order without its code.
const answerFor = 14 * 24 * time.Hour

// listedAt is the position in lists of an order that has just been placed, or has ended. An order for later
// is listed at a later position, so that it stays in the list of its business until it is finally closed:
// after its time or, if the business opens later, after its answer, or after the time that the answer may name
// instead, which is a day later at most.
func (o Order) listedAt() time.Time {
	until := slices.MaxFunc([]time.Time{o.When, o.AnswerFrom.Add(answerWithin(o.Kind))}, time.Time.Compare).Add(24*time.Hour + closeRest)
	if !o.due().IsZero() && until.After(o.UpdatedAt.Add(answerFor)) {
		return until.Add(-answerFor)
	}
	return o.UpdatedAt
}

// MaxLooked is how many of the latest orders that are listed as open are looked through.
const (
	MaxLooked = openPages * openPage

	openPages, openPage = 5, 100
)

// OpenOf lists the latest orders of a business in a market with something still to happen,
// newest first; more says that it has only looked at the latest [MaxLooked] and there are others. 2
// requests for each 100.
func (s *Store) OpenOf(ctx context.Context, market, business string) (open []Order, more bool, err error) {
	since, after := s.now().Add(-answerFor), ""
	for range openPages {
		page, err := s.listed(ctx, listed(business), since, openPage, after)
		if err != nil {
			return nil, false, fmt.Errorf("orders of %s: %w", business, err)
		}
		some, err := s.read(ctx, page.Keys())
		if err != nil {
			return nil, false, fmt.Errorf("orders of %s: %w", business, err)
		}
		open = append(open, slices.DeleteFunc(some, func(o Order) bool { return o.Market != market || !o.Stands() })...)
		if after = page.Next; after == "" {
			break
		}
	}
	slices.SortFunc(open, newest)
	return open, after != "", nil
}

// OfBusiness lists the latest orders of a business for staff, in every market: first the open ones that were
// placed since a time, or long before they are due, and then those that ended since, each newest first. 3
// requests.
func (s *Store) OfBusiness(ctx context.Context, business string, since time.Time) ([]Order, error) {
	var keys []dynamo.Key
	for _, list := range []string{listed(business), over(listed(business))} {
		page, err := s.listed(ctx, list, since, MaxListed, "")
		if err != nil {
			return nil, fmt.Errorf("orders of %s: %w", business, err)
		}
		keys = append(keys, page.Keys()...)
	}
	all, err := s.read(ctx, distinct(keys))
	if err != nil {
		return nil, fmt.Errorf("orders of %s: %w", business, err)
	}
	slices.SortFunc(all, openFirst)
	return all[:min(len(all), MaxListed)], nil
}

// listed reads a list's entries since a time, the last first.
func (s *Store) listed(ctx context.Context, list string, since time.Time, limit int, after string) (dynamo.Page, error) {
	return s.Table.Query(ctx, dynamo.Query{
		Index: listedIndex, Where: "listed = :listed AND listedAt >= :since",
		Values: dynamo.V{":listed": list, ":since": dynamo.Stamp(since)}, Backward: true, Limit: limit, After: after,
	})
}

// read reads the orders with these keys that there are.
func (s *Store) read(ctx context.Context, keys []dynamo.Key) ([]Order, error) {
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, err
	}
	return dynamo.Decode[Order](items)
}

// distinct removes duplicate keys. For a moment the index may list an order both under its old and its new state.
func distinct(keys []dynamo.Key) []dynamo.Key {
	var once []dynamo.Key
	for _, k := range keys {
		if !slices.Contains(once, k) {
			once = append(once, k)
		}
	}
	return once
}

// ByCode finds the order that a business in a market knows by a code. It does not find an order in another
// market that has the same code. 2 requests, 1 if there is no such order.
func (s *Store) ByCode(ctx context.Context, market, business, code string) (Order, error) {
	o, err := s.Find(ctx, business, code)
	if err == nil && o.Market != market {
		return Order{}, actor.ErrNotFound
	}
	return o, err
}

// Meant finds the orders that the people of some businesses may mean by a code, by [MayMean]. At most
// 2 requests for each business.
func (s *Store) Meant(ctx context.Context, market string, businesses []string, code string) ([]Order, error) {
	var all []Order
	for _, business := range businesses {
		o, err := s.ByCode(ctx, market, business, code)
		if errors.Is(err, actor.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return MayMean(all, Order.Stands), nil
}

// MayMean returns the candidates for a code that several businesses know: all that are open,
// or else the first finished one.
func MayMean[T any](all []T, stands func(T) bool) []T {
	if open := slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !stands(one) }); len(open) > 0 {
		return open
	}
	return all[:min(len(all), 1)]
}

// Find is ByCode for staff: in every market.
func (s *Store) Find(ctx context.Context, business, code string) (Order, error) {
	return s.pointed(ctx, codeKey(business, strings.ToUpper(code)))
}

// ToldOf finds the order with a code that a number was told about when the order was placed. 2 requests, 1 if there is none.
func (s *Store) ToldOf(ctx context.Context, market, number, code string) (Order, error) {
	if number == "" || code == "" {
		return Order{}, actor.ErrNotFound
	}
	return s.pointed(ctx, toldKey(market, number, strings.ToUpper(code)))
}

// pointed returns the confirmed order that an item points to.
func (s *Store) pointed(ctx context.Context, at dynamo.Key) (Order, error) {
	it, err := s.Table.Get(ctx, at)
	if err != nil {
		return Order{}, err
	}
	if it == nil {
		return Order{}, actor.ErrNotFound
	}
	var p pointer
	if err := it.Decode(&p); err != nil {
		return Order{}, err
	}
	o, err := s.Get(ctx, actor.OfKey(p.Owner), "", p.Order)
	if err == nil && o.Receipt == nil {
		return Order{}, actor.ErrNotFound // the business knows nothing of an order without a YES
	}
	return o, err
}

// By says who changes an order, and the words they gave with it.
type By struct {
	Actor   actor.Actor
	Trace   string
	Receipt *gate.Receipt // of a YES
	Told    string        // the number that gets the news in the same transaction
	ETA     time.Time     // of an acceptance
	Reason  string        // of a refusal or cancellation
}

// Writes returns the writes of an event, which require that the order still is as it was read, and
// the order after them. They fail with [ErrChanged], or with [stock.Short] when too few items are left
// to place it. An event that cannot happen to the order gives [Refusal] or [errLate].
func (s *Store) Writes(o Order, typ EventType, by By) ([]dynamo.Write, Order, error) {
	after, err := take(o, typ, s.now())
	if err != nil {
		return nil, Order{}, err
	}
	set, remove := "#status = :status, updatedAt = :now, eta = :eta", []string{}
	vals := dynamo.V{":status": after.Status, ":now": after.UpdatedAt, ":was": o.Status}
	if by.Receipt != nil {
		after.Receipt = by.Receipt
		set, vals[":receipt"] = set+", receipt = :receipt", by.Receipt
	}
	if !by.ETA.IsZero() {
		after.ETA = by.ETA
	}
	vals[":eta"] = after.ETA
	if by.Reason != "" {
		after.Reason = by.Reason
		set, vals[":reason"] = set+", reason = :reason", by.Reason
	}
	var beside []dynamo.Write
	if by.Told != "" {
		after.Told = by.Told
		set, vals[":told"] = set+", told = :told", by.Told
		beside = append(beside, s.Table.Put(toldKey(o.Market, by.Told, o.Code), pointer{o.Owner, o.ID, after.UpdatedAt.Add(codeFor).Unix()}))
	}
	switch ended := o.Stands() && !after.Stands(); {
	case typ == PlacedEvent:
		set += ", listed = :listed, listedAt = :listedAt"
		vals[":listed"], vals[":listedAt"] = listed(o.Business), dynamo.Stamp(after.listedAt())
	case ended:
		set += ", listed = :listed, listedAt = :listedAt"
		vals[":listed"], vals[":listedAt"] = over(listed(o.Business)), dynamo.Stamp(after.listedAt())
		beside = append(beside, s.Table.Update(eventKey(o.Owner, o.ID, PlacedEvent), "SET listed = :listed, listedAt = :listedAt",
			dynamo.V{":listed": over(listedOwn(o.Market, o.Owner)), ":listedAt": vals[":listedAt"]}))
	case o.Status == Proposed:
		remove = append(remove, "listed", "listedAt")
	}
	if len(o.Bounds) > 0 {
		after.Bounds, remove = nil, append(remove, "bounds")
	}
	if due := after.due(); due.IsZero() {
		remove = append(remove, "dueShard", "dueAt")
	} else {
		set, vals[":due"] = set+", dueAt = :due", due
	}
	expr := "SET " + set
	if len(remove) > 0 {
		expr += " REMOVE " + strings.Join(remove, ", ")
	}
	counts, err := s.counts(o, after)
	if err != nil {
		return nil, Order{}, err
	}
	bounds, err := s.bounds(o, typ)
	if err != nil {
		return nil, Order{}, err
	}
	return slices.Concat([]dynamo.Write{
		s.Table.Update(orderKey(o.Owner, o.ID), expr, vals).If("#status = :was", nil).Else(ErrChanged),
		s.event(after, typ, o.Status, by.Actor, by.Trace),
	}, beside, counts, bounds, s.Rows.Moved(o.stand(), after.stand())), after, nil
}

// bounds returns the writes of an event to the tokens of a proposal: a placed order counts for a day, one that was let
// go does not.
func (s *Store) bounds(o Order, typ EventType) ([]dynamo.Write, error) {
	switch typ {
	case PlacedEvent:
		return s.Bounds.Keep(o.Bounds, o.ID, s.now().Add(bound.Day), errLate)
	case ReleasedEvent:
		return s.Bounds.Free(o.Bounds, o.ID, o.ExpiresAt, ErrChanged)
	}
	return nil, nil
}

// counts returns the writes of a change of status to the counts of stock.
func (s *Store) counts(before, after Order) ([]dynamo.Write, error) {
	h := stock.Holding{Market: before.Market, Listing: before.Listing, Order: before.ID, Owner: before.Owner, Items: before.Counted}
	switch held, holds := before.Stands(), after.Stands(); {
	case len(before.Counted) == 0 || held == holds:
		return nil, nil
	case s.Stock == nil:
		return nil, fault.New(fault.Internal, "order %s is of counted items, and nothing keeps counts", before.ID)
	case holds:
		return s.Stock.Take(h), nil
	case after.Status == Done:
		return s.Stock.Sell(h), nil
	}
	return s.Stock.Return(h), nil
}

// Holding says how many counted items orders hold, for [stock.Store.Check]. 1 request for each hundred.
func (s *Store) Holding(ctx context.Context, all []stock.Holding) (map[string]map[string]int, error) {
	var keys []dynamo.Key
	for _, h := range all {
		keys = append(keys, orderKey(h.Owner, h.Order))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, err
	}
	orders, err := dynamo.Decode[Order](items)
	if err != nil {
		return nil, err
	}
	hold := map[string]map[string]int{}
	for _, o := range orders {
		if o.Stands() {
			hold[o.ID] = o.Counted
		}
	}
	return hold, nil
}

// Apply makes an event happen. 1 request.
func (s *Store) Apply(ctx context.Context, o Order, typ EventType, by By) (Order, error) {
	ws, after, err := s.Writes(o, typ, by)
	if err != nil {
		return Order{}, err
	}
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return Order{}, fmt.Errorf("order %s: %s: %w", o.ID, typ, err)
	}
	return after, nil
}

// event returns the write of an event. The event is there once, like the change of status it goes with.
func (s *Store) event(o Order, typ EventType, from Status, by actor.Actor, trace string) dynamo.Write {
	e := Event{
		Type: typ, Order: o.ID, Owner: o.Owner, Market: o.Market, Thread: o.Thread, Business: o.Business, From: from,
		By: by.Key(), Customer: by.Owns(o.Owner) == nil, Trace: trace, At: o.UpdatedAt,
	}
	w := Events.Put(s.Table, eventKey(o.Owner, o.ID, typ), e)
	if typ == PlacedEvent {
		return w.Beside(o.own())
	}
	return w
}

// Events lists what happened to an order of an actor, in order. 2 requests.
func (s *Store) Events(ctx context.Context, o Order) ([]Event, error) {
	var all []Event
	err := s.Table.Each(ctx, dynamo.Under(orderKey(o.Owner, "").PK, event.Prefix+o.ID+"#"), func(it dynamo.Item) error {
		e, _, err := Events.Read(it)
		all = append(all, e)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("events of order %s: %w", o.ID, err)
	}
	slices.SortStableFunc(all, func(a, b Event) int { return a.At.Compare(b.At) })
	return all, nil
}
