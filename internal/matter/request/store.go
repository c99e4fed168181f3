package request

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/ident"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/matter/callconsent"
	"merve/internal/matter/discovery"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
)

// Store keeps requests. Safe for concurrent use.
type Store struct {
	Table dynamo.Table // records
	Now   func() time.Time
	Rows  *thread.Rows // of what stands of conversations; nil writes none
}

// stored is what an item holds besides the request.
type stored struct {
	Request
	Listed   string    `dynamodbav:"listed,omitempty"`
	ListedAt string    `dynamodbav:"listedAt,omitempty"`
	DueShard string    `dynamodbav:"dueShard,omitempty"`
	DueAt    time.Time `dynamodbav:"dueAt"`
}

// dueKind is what the due index knows requests by, and calls that have begun.
const (
	dueKind  = "request"
	callKind = "requestcall"
)

const listedIndex = "listed"

func listed(market string) string { return "market#" + market + "#request" }

func (s *Store) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Records are the audit records of calls about requests, as the stream brings them.
var Records = event.Kind[audit.Sealed]{Name: "requestcall", Earlier: dynamo.Key{PK: "requestaudit#", SK: event.Prefix}, ReadersCatchUp: true}

// Log is the audit of requests.
func (s *Store) Log() audit.Log {
	return audit.Log{Table: s.Table, Kind: Records, Now: s.Now, Keep: keepFor}
}

// View reads a request with its outreach and its consents. [actor.ErrNotFound] when there is none. 1 request.
func (s *Store) View(ctx context.Context, id string) (View, error) {
	if !IsID(id) {
		return View{}, actor.ErrNotFound
	}
	var v View
	err := s.Table.Each(ctx, dynamo.Under(partition(id), headSK), func(it dynamo.Item) error {
		switch sk := it.Key().SK; {
		case sk == headSK:
			return it.Decode(&v.Request)
		case strings.HasPrefix(sk, quote.JobPrefix):
			return decodedOnto(&v.Jobs, it)
		case strings.HasPrefix(sk, callconsent.ConsentSK):
			return decodedOnto(&v.Consents, it)
		}
		return decodedOnto(&v.Outreach, it)
	})
	if err != nil {
		return View{}, fmt.Errorf("request %s: %w", id, err)
	}
	if v.ID == "" {
		return View{}, actor.ErrNotFound
	}
	v.was = v.State
	slices.SortFunc(v.Outreach, func(a, b vendor.Outreach) int { return a.N - b.N })
	slices.SortFunc(v.Consents, func(a, b callconsent.Consent) int { return a.N - b.N })
	slices.SortFunc(v.Jobs, func(a, b quote.Job) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return v, nil
}

// decodedOnto puts an item behind others of its kind.
func decodedOnto[T any](all *[]T, it dynamo.Item) error {
	var one T
	if err := it.Decode(&one); err != nil {
		return err
	}
	*all = append(*all, one)
	return nil
}

// Of reads a request that is an actor's own, in a market. 1 request.
func (s *Store) Of(ctx context.Context, a actor.Actor, market, id string) (View, error) {
	v, err := s.View(ctx, id)
	if err != nil {
		return View{}, err
	}
	if v.Market != market || !slices.Contains(a.Keys(), v.Owner) {
		return View{}, actor.ErrNotFound
	}
	return v, nil
}

// Mine are an actor's requests in a market, newest first. 2 requests for each identity.
func (s *Store) Mine(ctx context.Context, a actor.Actor, market string) ([]Request, error) {
	var all []Request
	for _, owner := range a.Keys() {
		some, err := s.owned(ctx, owner)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	all = slices.DeleteFunc(all, func(r Request) bool { return r.Market != market })
	slices.SortFunc(all, func(a, b Request) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return all, nil
}

func (s *Store) owned(ctx context.Context, owner string) ([]Request, error) {
	var keys []dynamo.Key
	err := s.Table.Each(ctx, dynamo.Under(ownedKey(owner, "").PK, ""), func(it dynamo.Item) error {
		keys = append(keys, headKey(it.Key().SK))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("requests of a client: %w", err)
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("requests of a client: %w", err)
	}
	return dynamo.Decode[Request](items)
}

// Board lists the requests of a market, the latest change first. 2 requests.
func (s *Store) Board(ctx context.Context, market, after string, limit int) ([]Request, string, error) {
	page, err := s.Table.Query(ctx, dynamo.Query{
		Index: listedIndex, Where: "listed = :listed", Values: dynamo.V{":listed": listed(market)}, Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return nil, "", fmt.Errorf("requests of %s: %w", market, err)
	}
	items, err := s.Table.BatchGet(ctx, page.Keys()...)
	if err != nil {
		return nil, "", fmt.Errorf("requests of %s: %w", market, err)
	}
	all, err := dynamo.Decode[Request](items)
	return all, page.Next, err
}

// errThere says that a key has made its request before.
var errThere = errors.New("the request is there already")

// creates are the writes that make a request. They fail with errThere when it is there.
func (s *Store) creates(r Request, by, trace string) []dynamo.Write {
	ws := []dynamo.Write{
		s.head(View{Request: r}).IfAbsent().Else(errThere),
		s.happened(r, Event{ID: version(r), Type: CreatedEvent, To: r.State, By: by, Trace: trace}),
	}
	if r.Owner != "" {
		ws = append(ws, s.Table.Put(ownedKey(r.Owner, r.ID), struct{}{}))
	}
	return ws
}

// latest makes attempts on a request until nobody else has changed it meanwhile. v is read again before each further one.
func latest[T any](ctx context.Context, s *Store, v *View, attempt func() (T, error)) (T, error) {
	return dynamo.Retry(ctx, s.Table.DB(), ErrChanged, func() (T, error) {
		result, err := attempt()
		if !errors.Is(err, ErrChanged) {
			return result, err
		}
		view, gone := s.View(ctx, v.ID)
		if gone != nil {
			return result, gone
		}
		*v = view
		return result, err
	})
}

// changes are the writes that make a request what v says, on condition that it still is of the version that v
// was read as. They fail with [ErrChanged]. Nothing leaves [Accepted] without the receipt of who said so.
func (s *Store) changes(v *View, e Event) []dynamo.Write {
	read := v.Version
	v.Version++
	v.UpdatedAt = s.now()
	e.ID = version(v.Request)
	head := s.head(*v).AtVersion(read)
	if v.State != Accepted && e.Receipt == nil {
		head = head.If("#state <> :accepted", dynamo.V{":accepted": Accepted})
	}
	rows := s.Rows.Moved(v.stand(v.was), v.stand(v.State))
	v.was = v.State
	return append([]dynamo.Write{head.Else(ErrChanged), s.happened(v.Request, e)}, rows...)
}

// version names the event of the latest change.
func version(r Request) string { return fmt.Sprintf("%08d", r.Version) }

func (s *Store) head(v View) dynamo.Write {
	st := stored{Request: v.Request, Listed: listed(v.Market), ListedAt: dynamo.Stamp(v.UpdatedAt)}
	if due := v.due(); !due.IsZero() {
		st.DueShard, st.DueAt = dynamo.DueShard(dueKind, v.ID), due
	}
	return s.Table.Put(headKey(v.ID), st)
}

func (s *Store) happened(r Request, e Event) dynamo.Write {
	e.Request, e.At = r.ID, s.now()
	return Events.Put(s.Table, eventKey(r.ID, e.ID), e).IfAbsent().Else(ErrChanged)
}

// due is when a sweep has to look at a request; zero is never.
func (v View) due() time.Time {
	var due time.Time
	soonest := func(at time.Time) {
		if !at.IsZero() && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	if !v.State.Open() {
		return due
	}
	if v.Offer != nil {
		soonest(v.Offer.AskedAt.Add(askAgain))
	}
	if v.State == Accepted {
		return due
	}
	for _, o := range v.Outreach {
		if o.State.Open() {
			soonest(o.Next())
		}
	}
	return due
}

// Consents are the consents of clients to be called about their requests.
func (s *Store) Consents() *callconsent.Store {
	return &callconsent.Store{Table: s.Table, Now: s.Now, Happened: func(c callconsent.Consent, by, trace string) dynamo.Write {
		e := Event{ID: fmt.Sprintf("%s-%06d", c.ID, c.Version), Type: ConsentEvent, Consent: c.ID, Text: string(c.State), By: by, Trace: trace}
		if n := len(c.Attempts); n > 0 {
			e.Attempt = string(c.Attempts[n-1].State())
		}
		return s.happened(Request{ID: c.Request}, e)
	}}
}

// keeps are the writes that make a consent what c says. They fail with [ErrChanged].
func (s *Store) keeps(c *callconsent.Consent, by, trace string) []dynamo.Write {
	return orChanged(s.Consents().Keeps(c, by, trace))
}

// orChanged are writes that fail with [ErrChanged].
func orChanged(ws []dynamo.Write) []dynamo.Write {
	for i, w := range ws {
		ws[i] = w.Else(ErrChanged)
	}
	return ws
}

// Found keeps what was found for requests outside of the catalogue.
func (s *Store) Found() discovery.Store { return discovery.Store{Table: s.Table} }

// Book keeps whom requests were put to.
func (s *Store) Book() vendor.Book { return vendor.Book{Table: s.Table} }

// replies are the writes that record a vendor's answer, see [vendor.Book.Replies]. They touch the outreach alone, so that no
// vendor's answer fails because of another's.
func (s *Store) replies(v View, o vendor.Outreach, q quote.Quote, by, trace string, again bool) []dynamo.Write {
	record, change := s.Book().Replies(o, q, again)
	return []dynamo.Write{
		record, change.Else(ErrChanged),
		s.happened(v.Request, Event{ID: "reply-" + ident.Digest(q.Message), Type: RepliedEvent, Outreach: o.ID, Quote: &q, By: by, Trace: trace}),
	}
}

// saves is the write that changes how far an outreach is, see [vendor.Book.Saves].
func (s *Store) saves(before, after vendor.Outreach) dynamo.Write {
	return s.Book().Saves(before, after).Else(ErrChanged)
}

// Erase deletes all that is kept of a request but the hashes of its audit. A request for each 25 items.
func (s *Store) Erase(ctx context.Context, v View) error {
	var ws []dynamo.Write
	for _, o := range v.Outreach {
		ws = append(ws, s.Book().Forget(o))
	}
	err := s.Table.Each(ctx, dynamo.Under(partition(v.ID), ""), func(it dynamo.Item) error {
		ws = append(ws, s.Table.Delete(it.Key()))
		return nil
	})
	if err != nil {
		return fmt.Errorf("erase request %s: %w", v.ID, err)
	}
	bodies, err := s.Log().Bodies(ctx, v.ID)
	if err != nil {
		return fmt.Errorf("erase request %s: %w", v.ID, err)
	}
	ws = append(ws, bodies...)
	ws = append(ws, s.Rows.Moved(v.stand(v.State), nil)...)
	if v.Owner != "" {
		ws = append(ws, s.Table.Delete(ownedKey(v.Owner, v.ID))) // last: who begins again finds the request by it
	}
	for some := range slices.Chunk(ws, dynamo.MaxWrites) {
		if err := s.Table.DB().Commit(ctx, some...); err != nil {
			return fmt.Errorf("erase request %s: %w", v.ID, err)
		}
	}
	return nil
}
