package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Store keeps events, heads and claims.
type Store struct {
	Table dynamo.Table // conversations
	Now   func() time.Time

	// Results keeps what is too large for an event. Without it such results are cut.
	Results Shelf
}

// What a plan may meet. What is not there, or not the caller's, is [actor.ErrNotFound].
var (
	ErrReset   = fault.New(fault.Conflict, "the conversation was reset")
	ErrTooMany = fault.New(fault.Limited, "%d questions of this conversation wait for their answers: wait for one of them", MaxOpen)

	errClaimed = errors.New("somebody else is at work on it")
	errSent    = errors.New("its command was sent to a worker again")
	errLost    = errors.New("the claim has gone to somebody else")
	errStored  = errors.New("the event is stored already")
	errBehind  = errors.New("questions before it are open")
	errMoved   = errors.New("the conversation has moved on")
	errBegun   = errors.New("the conversation's one question has been asked")
)

// Head is what a conversation keeps besides its events.
type Head struct {
	Owner      string     `dynamodbav:"owner,omitempty"`  // actor key; "" is nobody
	Market     string     `dynamodbav:"market,omitempty"` // whose assistant asks; "" is the engine's own
	Generation int64      `dynamodbav:"generation"`
	Former     []int64    `dynamodbav:"former,omitempty"` // generations that have ended and are not deleted yet
	Vacant     bool       `dynamodbav:"vacant,omitempty"` // it was erased: it is whose asks next
	Open       []string   `dynamodbav:"open,omitempty"`   // correlations without an answer, in order of arrival
	Recent     []Exchange `dynamodbav:"recent,omitempty"` // the latest answers, so that a question may refer to them
	DueAt      time.Time  `dynamodbav:"dueAt,omitempty"`
}

// Exchange is a question and its answer, shortened.
type Exchange struct {
	Question string `dynamodbav:"q" json:"question"`
	Answer   string `dynamodbav:"a" json:"answer"`
}

// What a conversation remembers.
const (
	maxRecent         = 4
	maxRecentQuestion = 400 // bytes
	maxRecentAnswer   = 1000
)

// dueKind marks heads with open plans in the due index.
const dueKind = "plan"

func headKey(conversation string) dynamo.Key {
	return dynamo.Key{PK: "plan#" + conversation, SK: "~"}
}

func logPK(r Ref) string {
	return "plan#" + r.Conversation + "#" + strconv.FormatInt(r.Generation, 10)
}

func eventKey(r Ref, id string) dynamo.Key { return dynamo.Key{PK: logPK(r), SK: id} }

func claimKey(r Ref, work string) dynamo.Key {
	return dynamo.Key{PK: logPK(r), SK: "claim#" + r.Correlation + "#" + work}
}

func placeKey(correlation string) dynamo.Key {
	return dynamo.Key{PK: "plan-of#" + correlation, SK: "~"}
}

func ownerKey(owner, conversation string) dynamo.Key {
	return dynamo.Key{PK: "plans#" + owner, SK: "conversation#" + conversation}
}

func refOf(pk, correlation string) (Ref, error) {
	rest, ok := strings.CutPrefix(pk, "plan#")
	i := strings.LastIndexByte(rest, '#')
	if !ok || i < 0 {
		return Ref{}, fault.New(fault.Invalid, "no partition of a plan")
	}
	generation, err := strconv.ParseInt(rest[i+1:], 10, 64)
	if err != nil {
		return Ref{}, fault.New(fault.Invalid, "no partition of a plan")
	}
	return Ref{rest[:i], generation, correlation}, nil
}

// head reads a conversation's head; nil if there is no such conversation. One request.
func (s *Store) head(ctx context.Context, conversation string) (*Head, error) {
	it, err := s.Table.Get(ctx, headKey(conversation))
	if err != nil || it == nil {
		return nil, err
	}
	var h Head
	return &h, it.Decode(&h)
}

// mine returns the head of a conversation that owner may read and ask in; [actor.ErrNotFound] for any other.
func (s *Store) mine(ctx context.Context, conversation, owner string) (*Head, error) {
	h, err := s.head(ctx, conversation)
	switch {
	case err != nil:
		return nil, err
	case h == nil || !h.belongsTo(owner):
		return nil, actor.ErrNotFound
	}
	return h, nil
}

// belongsTo reports whether owner may read the conversation and ask in it. Everybody who knows the name of a
// conversation without an owner may.
func (h *Head) belongsTo(owner string) bool { return !h.Vacant && (h.Owner == "" || h.Owner == owner) }

// open appends a question to a conversation, and begins the conversation if necessary. first says that nothing else
// is open, so that the asker holds the claim on planning. Two requests, and as many again each time that another
// question came in at the same moment.
func (s *Store) open(ctx context.Context, q question) (o opened, err error) {
	for {
		if o, err = s.tryOpen(ctx, q); !errors.Is(err, errMoved) {
			return o, err
		}
	}
}

// question is what somebody asks.
type question struct {
	owner        string // actor key; "" is nobody
	market       string // "" is the engine's own
	conversation string
	correlation  string
	prompt       string
	holder       string // process that takes it
	only         bool   // the conversation is for this question alone: errBegun when it has been asked
}

// opened is a question that has been taken.
type opened struct {
	ref   Ref
	head  Head
	event Event
	first bool
}

func (s *Store) tryOpen(ctx context.Context, q question) (opened, error) {
	had, err := s.head(ctx, q.conversation)
	switch {
	case err != nil:
		return opened{}, err
	case had != nil && !had.Vacant && !had.belongsTo(q.owner):
		return opened{}, actor.ErrNotFound
	case had != nil && !had.Vacant && q.only:
		return opened{ref: Ref{Conversation: q.conversation, Generation: had.Generation}}, errBegun
	case had != nil && len(had.Open) >= MaxOpen:
		return opened{}, ErrTooMany
	}
	h, now := Head{Owner: q.owner, Market: q.market}, s.Now()
	if had != nil {
		h = *had
	}
	if h.Vacant {
		h.Owner, h.Market = q.owner, q.market
	}
	o := opened{ref: Ref{q.conversation, h.Generation, q.correlation}, first: len(h.Open) == 0}
	o.event, err = newEvent(q.correlation, UserQueryReceived, noStep, now, Query{UserID: publicID(h.Owner), Query: q.prompt, ConversationID: q.conversation})
	if err != nil {
		return opened{}, err
	}
	b := batch{events: []Event{o.event}, holder: q.holder, head: s.added(o.ref, h, had == nil, now)}
	if o.first {
		b.take = []string{planWork}
	}
	b.more = []dynamo.Write{s.Table.Put(placeKey(q.correlation), place{o.ref, now.Add(Kept).Unix()})}
	if h.Owner != "" {
		b.more = append(b.more, s.Table.Put(ownerKey(h.Owner, q.conversation), owned{h.Market, now.Add(Kept).Unix()}))
	}
	o.head = h
	o.head.Open = append(slices.Clone(h.Open), q.correlation)
	return o, s.commit(ctx, o.ref, b)
}

// owned says that an owner has a conversation, and in which market.
type owned struct {
	Market string `dynamodbav:"market,omitempty"`
	TTL    int64  `dynamodbav:"ttl"`
}

// added adds a correlation to a head, which must be as it was read: h, or not there when it is new.
func (s *Store) added(r Ref, h Head, isNew bool, now time.Time) *dynamo.Write {
	set, vals := "SET generation = :g, #open = list_append(if_not_exists(#open, :none), :c), #ttl = :ttl", dynamo.V{
		":g": r.Generation, ":none": []string{}, ":c": []string{r.Correlation}, ":ttl": now.Add(Kept).Unix(),
	}
	if len(h.Open) == 0 {
		set += ", dueShard = :shard, dueAt = :due"
		vals[":shard"], vals[":due"] = dynamo.DueShard(dueKind, r.Conversation), now.Add(ClaimTime)
	}
	if h.Owner != "" {
		set += ", #owner = :owner"
		vals[":owner"] = h.Owner
	}
	if h.Market != "" {
		set += ", market = :market"
		vals[":market"] = h.Market
	}
	if h.Vacant {
		set += " REMOVE vacant"
	}
	w := s.Table.Update(headKey(r.Conversation), set, vals)
	switch {
	case isNew:
		w = w.IfAbsent()
	case len(h.Open) == 0:
		w = w.If("generation = :g", nil).If("attribute_not_exists(#open) OR size(#open) = :n", dynamo.V{":n": 0})
	default:
		w = w.If("generation = :g AND size(#open) = :n", dynamo.V{":n": len(h.Open)})
	}
	w = w.Else(errMoved)
	return &w
}

// place says where the events of a correlation are.
type place struct {
	Ref
	TTL int64 `dynamodbav:"ttl"`
}

// tombstone replaces a place when its events are deleted. It says only that anything that still comes is late.
type tombstone struct {
	TTL int64 `dynamodbav:"ttl"`
}

// locate finds the events of a correlation without knowing its conversation. [ErrReset] says that they are deleted.
// One request.
func (s *Store) locate(ctx context.Context, correlation string) (Ref, error) {
	it, err := s.Table.Get(ctx, placeKey(correlation))
	if err != nil {
		return Ref{}, err
	}
	if it == nil {
		return Ref{}, actor.ErrNotFound
	}
	var p place
	if err = it.Decode(&p); err == nil && p.Conversation == "" {
		return Ref{}, ErrReset
	}
	return p.Ref, err
}

// load reads the events of a plan. One request for each megabyte.
func (s *Store) load(ctx context.Context, r Ref) ([]Event, error) {
	return s.events(ctx, logPK(r), eventPrefix+r.Correlation+"#")
}

// asked finds the one question of a conversation that has only that.
func (s *Store) asked(ctx context.Context, r Ref) (Ref, error) {
	all, err := s.events(ctx, logPK(r), eventPrefix)
	if err != nil {
		return Ref{}, err
	}
	if len(all) == 0 {
		return Ref{}, ErrReset
	}
	r.Correlation = all[0].Correlation
	return r, nil
}

func (s *Store) events(ctx context.Context, pk, prefix string) ([]Event, error) {
	var all []Event
	err := s.Table.Each(ctx, dynamo.Under(pk, prefix), func(it dynamo.Item) error {
		e, err := eventOf(it)
		all = append(all, e)
		return err
	})
	return all, err
}

// Works that are claimed.
const (
	planWork   = "plan"
	answerWork = "answer"
)

func stepWork(i int) string { return fmt.Sprintf("step#%02d", i) }

// batch is what one transaction writes about a plan.
type batch struct {
	events []Event
	holder string
	take   []string // work that the holder claims
	drop   []string // work that the holder had claimed, and has done with this
	unless string   // identity of an event: nothing is written when that is stored

	head *dynamo.Write // change of the head; nil checks the generation, unless a claim does that
	more []dynamo.Write
}

type claim struct {
	Holder string    `dynamodbav:"holder"`
	Until  time.Time `dynamodbav:"until"`
	TTL    int64     `dynamodbav:"ttl"`
}

// commit writes a batch in one transaction: all of it or nothing. [ErrReset] when the conversation has
// another generation by now, errClaimed and errLost about claims, errStored when an event is there.
func (s *Store) commit(ctx context.Context, r Ref, b batch) error {
	now := s.Now()
	var ws []dynamo.Write
	switch {
	case b.head != nil:
		ws = append(ws, *b.head)
	case len(b.take) > 0 || len(b.drop) == 0: // a claim that is held goes with its generation
		ws = append(ws, s.Table.Check(headKey(r.Conversation), "generation = :g", dynamo.V{":g": r.Generation}).Else(ErrReset))
	}
	if b.unless != "" {
		ws = append(ws, s.Table.Check(eventKey(r, b.unless), "attribute_not_exists(pk)", nil).Else(errStored))
	}
	for _, work := range b.drop {
		ws = append(ws, s.Table.Delete(claimKey(r, work)).If("holder = :me", dynamo.V{":me": b.holder}).Else(errLost))
	}
	for _, work := range b.take {
		until := now.Add(ClaimTime)
		ws = append(ws, s.Table.Put(claimKey(r, work), claim{b.holder, until, until.Add(time.Hour).Unix()}).
			If("attribute_not_exists(pk) OR #until <= :now OR holder = :me", dynamo.V{":now": now, ":me": b.holder}).Else(errClaimed))
	}
	for _, e := range b.events {
		ws = append(ws, s.Table.Put(eventKey(r, e.ID), e.item()).IfAbsent().Else(errStored))
	}
	return s.Table.DB().Commit(ctx, append(ws, b.more...)...)
}

// renew makes the holder's claim last. One request.
func (s *Store) renew(ctx context.Context, r Ref, work, holder string) error {
	until := s.Now().Add(ClaimTime)
	w := s.Table.Update(claimKey(r, work), "SET #until = :until, #ttl = :ttl", dynamo.V{":until": until, ":ttl": until.Add(time.Hour).Unix(), ":me": holder}).
		If("holder = :me", nil).Else(errLost)
	return s.Table.DB().Commit(ctx, w)
}

// answered writes the final answer and removes the plan from the head, which was last read as h. If the head has
// moved, it is read again. answered returns the head without the plan.
func (s *Store) answered(ctx context.Context, r Ref, h Head, e Event, x Exchange, b batch) (Head, error) {
	for {
		if h.Generation != r.Generation {
			return Head{}, ErrReset
		}
		w, err := s.closed(r, h, x)
		if err != nil {
			return Head{}, err
		}
		b.events, b.head = []Event{e}, w
		if err := s.commit(ctx, r, b); !errors.Is(err, errMoved) {
			h.Open = slices.DeleteFunc(slices.Clone(h.Open), func(c string) bool { return c == r.Correlation })
			return h, err
		}
		now, err := s.head(ctx, r.Conversation)
		if err != nil {
			return Head{}, err
		}
		if now == nil {
			return Head{}, ErrReset
		}
		h = *now
	}
}

// closed takes a correlation off a head. The next one that is open is due at once.
func (s *Store) closed(r Ref, h Head, x Exchange) (*dynamo.Write, error) {
	i := slices.Index(h.Open, r.Correlation)
	if i < 0 {
		return nil, errStored
	}
	x = Exchange{clip(x.Question, maxRecentQuestion), clip(x.Answer, maxRecentAnswer)}
	recent := append(slices.Clone(h.Recent), x)
	recent = recent[max(0, len(recent)-maxRecent):]
	set, vals := "SET recent = :recent", dynamo.V{":recent": recent, ":g": r.Generation, ":c": r.Correlation, ":n": len(h.Open)}
	remove := fmt.Sprintf(" REMOVE #open[%d]", i)
	if len(h.Open) == 1 {
		remove += ", dueShard, dueAt"
	} else {
		set += ", dueAt = :due"
		vals[":due"] = s.Now()
	}
	w := s.Table.Update(headKey(r.Conversation), set+remove, vals).
		If(fmt.Sprintf("generation = :g AND size(#open) = :n AND #open[%d] = :c", i), nil).Else(errMoved)
	return &w, nil
}

// Reset ends all that is open in a conversation and forgets what was said. Three requests, and what it
// takes to delete the old events.
func (s *Store) Reset(ctx context.Context, owner, conversation string) error {
	h, err := s.mine(ctx, conversation, owner)
	if err != nil {
		return err
	}
	return s.end(ctx, conversation, *h, s.Table.Update(headKey(conversation), ended, dynamo.V{}), false)
}

// erase ends a conversation of an owner, deletes it, and forgets whose it was. Its generation stays, so that a late
// writer still writes where nobody reads.
func (s *Store) erase(ctx context.Context, owner, conversation string) error {
	h, err := s.head(ctx, conversation)
	switch {
	case err != nil:
		return err
	case h == nil:
	case h.Owner == owner:
		vacate := s.Table.Update(headKey(conversation), strings.Replace(ended, " REMOVE", ", vacant = :vacant REMOVE #owner, market,", 1), dynamo.V{":vacant": true, ":owner": owner}).
			If("#owner = :owner", nil)
		err = s.end(ctx, conversation, *h, vacate, true)
	default: // an erasure that died got so far, and somebody else may have begun it again
		err = s.forgetFormer(ctx, conversation, h.Former, true)
	}
	if err != nil {
		return err
	}
	return s.Table.DB().Commit(ctx, s.Table.Delete(ownerKey(owner, conversation)))
}

// ended is the update that ends a head's generation.
const ended = "SET generation = :next, former = :former REMOVE #open, recent, dueShard, dueAt"

// end writes the end of a head's generation, and deletes what was in it. An end that dies is finished by the next one.
func (s *Store) end(ctx context.Context, conversation string, h Head, w dynamo.Write, whole bool) error {
	former := append(slices.Clone(h.Former), h.Generation)
	w = w.If("generation = :g", dynamo.V{":g": h.Generation, ":next": h.Generation + 1, ":former": former}).Else(ErrReset)
	if err := s.Table.DB().Commit(ctx, w); err != nil && !errors.Is(err, ErrReset) { // by somebody else, at the same time
		return err
	}
	return s.forgetFormer(ctx, conversation, former, whole)
}

// forgetFormer deletes generations that have ended.
func (s *Store) forgetFormer(ctx context.Context, conversation string, former []int64, whole bool) error {
	if len(former) == 0 {
		return nil
	}
	for _, g := range former {
		if err := s.forget(ctx, Ref{Conversation: conversation, Generation: g}, whole); err != nil {
			return err
		}
	}
	w := s.Table.Update(headKey(conversation), "REMOVE former", dynamo.V{":former": former}).If("former = :former", nil).Else(errMoved)
	if err := s.Table.DB().Commit(ctx, w); err != nil && !errors.Is(err, errMoved) { // another end: it deletes them again
		return err
	}
	return nil
}

// forget deletes the events of a generation, and the results that they have in the bucket; of each question it leaves a
// tombstone. whole deletes also what is in the bucket without an event, as a worker leaves it that has died: a reset leaves
// that to the bucket's expiry, and needs no bucket.
func (s *Store) forget(ctx context.Context, r Ref, whole bool) error {
	var ws []dynamo.Write
	err := s.Table.Each(ctx, dynamo.Under(logPK(r), ""), func(it dynamo.Item) error {
		if c := it.String("correlation"); strings.HasPrefix(it.Key().SK, eventPrefix) && Type(it.String("type")) == UserQueryReceived {
			ws = append(ws, s.Table.Put(placeKey(c), tombstone{s.Now().Add(Kept).Unix()})) // first: the event tells of it
		}
		ws = append(ws, s.Table.Delete(it.Key()))
		whole = whole || strings.Contains(it.String("payload"), shelfOf(r))
		return nil
	})
	if err != nil {
		return err
	}
	if s.Results != nil && whole { // first: events tell that there is something
		if err := s.Results.Forget(ctx, shelfOf(r)); err != nil {
			return err
		}
	}
	return s.Table.DB().CommitAll(ctx, ws...)
}

// Trace returns all events of a conversation in order: by time, and those of one time by cause.
func (s *Store) Trace(ctx context.Context, owner, conversation string) ([]Event, error) {
	h, err := s.mine(ctx, conversation, owner)
	if err != nil {
		return nil, err
	}
	return s.trace(ctx, Ref{Conversation: conversation, Generation: h.Generation})
}

func (s *Store) trace(ctx context.Context, r Ref) ([]Event, error) {
	all, err := s.events(ctx, logPK(r), eventPrefix)
	return inOrder(all), err
}
