// Package outbox stores messages before they are sent, and has the one sender.
//
// The transaction that decides on a message puts it on the outbox, under a key that
// lets it exist once. The sender claims it, sends it, and records the provider's id.
// If the provider's answer was lost, the sender asks the provider before it sends again. Status
// only moves forward, in whatever order callbacks come. If the provider cannot be asked,
// the sender asks ever more rarely and finally gives the message up. A message that follows
// another one waits until that one has gone or was given up. When a question no longer waits for an
// answer, it is given up, and the text before it goes out alone. If a question that still waits
// was given up, or another message goes out while one waits, we ask what a bare YES means
// before it settles anything.
//
//	outbox#{id}   in the partition of the recipient's thread (table conversations)
//	forget#{id}   there too: that its words are to be deleted once it is at rest, in index due
//
// A message that tells somebody else about a customer is found by the customer's thread, in index listed, on
// the day when all the customer's data is deleted ([Box.Forget]).
//
// Cost: Put joins another transaction (2 write units and 1 for the due index, and 1 for index listed
// if it is about a customer), PutPieces costs that for each piece. A delivery is 2 requests. The first is the claim, which in
// the same transaction checks that the recipient may still be written to, that the number still belongs to the person
// the message is for (2 write units more), and that it is the message's turn. The second records the
// provider's id. Taking a question off a message is 2 more, and so is sending something else while
// a question waits. Giving a message up is 2, and 1 more for each one whose question no longer waits. Settling
// an unclear send is 3, and 1 for each megabyte of the thread's outbox. A status callback is 1,
// and 1 more for a failure that comes late. Looking up a quoted message is 1 for each megabyte.
package outbox

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
)

// Status is how far a message has come.
type Status string

const (
	Queued    Status = "queued"
	Sending   Status = "sending" // claimed; the outcome may be unclear
	Sent      Status = "sent"
	Failed    Status = "failed"
	Delivered Status = "delivered"
	Read      Status = "read"
)

// rank orders statuses: a message moves to a higher one only. Failed ranks above sent,
// so that a late "sent" never hides it, and below delivered, because a delivered message
// did not fail; the error stays visible either way.
var rank = map[Status]int{Queued: 0, Sending: 1, Sent: 2, Failed: 3, Delivered: 4, Read: 5}

// Message is an outbound message.
type Message struct {
	Thread    string          `dynamodbav:"pk" json:"threadId"`
	ID        string          `dynamodbav:"id" json:"id"`
	Market    string          `dynamodbav:"market" json:"marketId"`
	Channel   channel.Channel `dynamodbav:"channel" json:"channel"`
	From      string          `dynamodbav:"from,omitempty" json:"from,omitempty"` // the market's own number; "" is the account's
	To        string          `dynamodbav:"to" json:"to"`                         // E.164 or the provider's user id
	Person    string          `dynamodbav:"person,omitempty" json:"-"`            // who must still have that number; "" sends to any holder of it
	Text      string          `dynamodbav:"text" json:"text"`
	Template  *Template       `dynamodbav:"template,omitempty" json:"template,omitempty"`
	Buttons   []Button        `dynamodbav:"buttons,omitempty" json:"buttons,omitempty"`
	Kind      string          `dynamodbav:"kind" json:"kind"`                               // [Reply], [Notice], [ToBusiness], [ToDriver], or the event of a notice
	Pending   string          `dynamodbav:"pending,omitempty" json:"pending,omitempty"`     // the pending action it shows
	LeadsTo   string          `dynamodbav:"leadsTo,omitempty" json:"-"`                     // the pending action for which a later piece of the same asks
	Rest      int             `dynamodbav:"rest,omitempty" json:"-"`                        // bytes of the text that go out even without the question
	Essential bool            `dynamodbav:"essential,omitempty" json:"essential,omitempty"` // goes out although the recipient opted out: the answer to STOP itself
	ByPerson  bool            `dynamodbav:"byPerson,omitempty" json:"byPerson,omitempty"`
	News      bool            `dynamodbav:"news,omitempty" json:"-"`                // reports an event, and goes out no matter who has the thread
	About     string          `dynamodbav:"about,omitempty" json:"about,omitempty"` // code of the matter that a business or a driver is told about
	Customer  string          `dynamodbav:"listed,omitempty" json:"-"`              // thread of the customer it tells others about
	Origin    *Origin         `dynamodbav:"origin,omitempty" json:"-"`              // whose words it passes on
	After     string          `dynamodbav:"after,omitempty" json:"-"`               // the message of the thread that goes before it, or never goes
	Trace     string          `dynamodbav:"trace,omitempty" json:"traceId,omitempty"`
	Created   time.Time       `dynamodbav:"at" json:"createdAt"`

	Status     Status    `dynamodbav:"status" json:"status"`
	Attempts   int       `dynamodbav:"attempts" json:"attempts"`
	FirstTry   time.Time `dynamodbav:"firstTry" json:"firstTry,omitzero"`
	Asked      int       `dynamodbav:"asked,omitempty" json:"-"` // how often in vain whether the last attempt went out
	ClaimUntil time.Time `dynamodbav:"claimUntil" json:"-"`
	ProviderID string    `dynamodbav:"providerId,omitempty" json:"providerId,omitempty"`
	Error      string    `dynamodbav:"error,omitempty" json:"error,omitempty"` // code and reason, for people
	SentAt     time.Time `dynamodbav:"sentAt" json:"sentAt,omitzero"`
	Former     []string  `dynamodbav:"former,omitempty" json:"-"` // the provider's ids from before it was sent again, or that may be
	DueShard   string    `dynamodbav:"dueShard,omitempty" json:"-"`
	DueAt      time.Time `dynamodbav:"dueAt" json:"-"`
}

// Template is an approved template with its parameters.
type Template struct {
	ContentSID string            `dynamodbav:"sid" json:"contentSid"`
	Vars       map[string]string `dynamodbav:"vars,omitempty" json:"vars,omitempty"` // "1", "2", …
}

// Button is a quick reply.
type Button struct {
	Title   string `dynamodbav:"title" json:"title"`
	Payload string `dynamodbav:"payload" json:"payload"`
}

// ErrDuplicate means that the outbox has the message already.
var ErrDuplicate = fault.New(fault.Conflict, "the message is on the outbox already")

const (
	prefix   = "outbox#"
	dueKind  = "outbox" // due: retries, unclear sends, failures nobody was told of, messages no stream brought
	deadKind = "dead"   // given up, for people to look at
	keepFor  = 90 * 24 * time.Hour
	patience = claimFor // how long the stream has to bring a message, and it has to be sent, before the sweep looks
)

// Box reads and writes the outbox.
type Box struct {
	Table dynamo.Table // conversations
	Now   func() time.Time
	Log   *slog.Logger // of letters whose template is wrong
}

func key(thread, id string) dynamo.Key { return dynamo.Key{PK: thread, SK: prefix + id} }

// Put returns the write that puts m on the outbox. A message of the same thread and id
// exists once: the second Put fails with [ErrDuplicate].
func (b *Box) Put(m Message) dynamo.Write {
	now := b.Now()
	m.Status, m.Created = Queued, now
	m.DueShard, m.DueAt = dynamo.DueShard(dueKind, m.Thread), now.Add(patience)
	type stored struct {
		Message
		TTL      int64 `dynamodbav:"ttl"`
		ListedAt int64 `dynamodbav:"listedAt"`
	}
	return b.Table.Put(key(m.Thread, m.ID), stored{m, now.Add(keepFor).Unix(), now.UnixMilli()}).IfAbsent().Else(ErrDuplicate)
}

// PutPieces returns the writes that put m on the outbox in its pieces.
func (b *Box) PutPieces(m Message) []dynamo.Write {
	var ws []dynamo.Write
	for _, piece := range m.Pieces() {
		ws = append(ws, b.Put(piece))
	}
	return ws
}

// Pieces splits m into one or more messages that its channel accepts, each after the one before it. The first is m
// itself; the others are "{id}-1", "{id}-2", …, for "{id}-0" too. Buttons and the pending action are
// on the last piece, which the others lead to if all of m asks; the origin of the words is on the
// first. A template stays one message, because the provider words it.
func (m Message) Pieces() []Message {
	texts := Split(m.Text, m.Channel.MaxPiece())
	if len(texts) == 0 || m.Template != nil {
		texts = []string{m.Text}
	}
	var all []Message
	piece := m
	for i, text := range texts {
		piece.Text, piece.Pending, piece.Buttons, piece.Rest = text, "", nil, 0
		if i > 0 {
			piece.After, piece.ID, piece.Origin = piece.ID, fmt.Sprintf("%s-%d", strings.TrimSuffix(m.ID, "-0"), i), nil
		}
		if m.Rest == 0 {
			piece.LeadsTo = m.Pending
		}
		if i == len(texts)-1 {
			piece.LeadsTo, piece.Pending, piece.Buttons = "", m.Pending, m.Buttons
			if before, whole := strings.CutSuffix(text, strings.TrimSpace(m.Text[m.Rest:])); m.Rest > 0 && whole {
				piece.Rest = len(strings.TrimSpace(before))
			}
		}
		all = append(all, piece)
	}
	return all
}

// Whole returns the id of the message that m is a piece of, or m's own id.
func (m Message) Whole() string {
	if m.After == "" {
		return m.ID
	}
	return m.ID[:strings.LastIndex(m.ID, "-")]
}

// OutBefore reports whether m is known to have gone out before a time.
func (m Message) OutBefore(at time.Time) bool {
	switch m.Status {
	case Sent, Delivered, Read:
		return m.SentAt.Before(at)
	}
	return false
}

// Get reads one message. One request.
func (b *Box) Get(ctx context.Context, thread, id string) (Message, error) {
	it, err := b.Table.Get(ctx, key(thread, id))
	if err != nil {
		return Message{}, fmt.Errorf("outbox message %s of %s: %w", id, thread, err)
	}
	if it == nil {
		return Message{}, fault.New(fault.NotFound, "not found")
	}
	return decode(it)
}

func decode(it dynamo.Item) (Message, error) {
	var m Message
	if err := it.Decode(&m); err != nil {
		return Message{}, fmt.Errorf("outbox: %w", err)
	}
	return m, nil
}

// FromStream returns the message of a stream record's new image.
func FromStream(it dynamo.Item) (Message, error) {
	if !strings.HasPrefix(it.Key().SK, prefix) {
		return Message{}, fault.New(fault.Invalid, "not an outbox item: %s", it.Key().SK)
	}
	m, err := decode(it)
	return m, fault.Wrap(err, fault.Invalid, "not an outbox message: %s", it.Key().SK)
}

// List returns up to limit messages of a thread, ordered by id, the last first: for one kind, the
// newest. One request.
func (b *Box) List(ctx context.Context, thread string, limit int) ([]Message, error) {
	ms, _, err := b.page(ctx, thread, limit, "")
	return ms, err
}

// all gives every message of a thread. One request for each megabyte.
func (b *Box) all(ctx context.Context, thread string) ([]Message, error) {
	var all []Message
	for after := ""; ; {
		ms, next, err := b.page(ctx, thread, 0, after)
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
		if after = next; after == "" {
			return all, nil
		}
	}
}

func (b *Box) page(ctx context.Context, thread string, limit int, after string) (ms []Message, next string, err error) {
	page, err := b.Table.Query(ctx, dynamo.Query{
		Where:    "pk = :pk AND begins_with(sk, :prefix)",
		Values:   dynamo.V{":pk": thread, ":prefix": prefix},
		Backward: true, Limit: limit, After: after,
	})
	if err != nil {
		return nil, "", fmt.Errorf("outbox of %s: %w", thread, err)
	}
	ms = make([]Message, 0, len(page.Items))
	for _, it := range page.Items {
		m, err := decode(it)
		if err != nil {
			return nil, "", err
		}
		ms = append(ms, m)
	}
	return ms, page.Next, nil
}

// PendingOf returns the pending action that the message with a provider's id is about, or "" when that
// is not known, and whether it showed the whole of it: an approved template does not, nor does the beginning
// of a longer text. One request for each megabyte of the thread's outbox.
func (b *Box) PendingOf(ctx context.Context, thread, providerID string) (id string, whole bool, err error) {
	m, err := b.Quoted(ctx, thread, providerID)
	return cmp.Or(m.Pending, m.LeadsTo), m.Template == nil && m.LeadsTo == "", err
}

// AboutOf returns the code of the matter that the message with a provider's id was about, or "" if
// that is unknown. One request for each megabyte of the thread's outbox.
func (b *Box) AboutOf(ctx context.Context, thread, providerID string) (string, error) {
	m, err := b.Quoted(ctx, thread, providerID)
	return m.About, err
}

// Sent reports whether the message with a provider's id is one of the thread's. One request for
// each megabyte of the thread's outbox.
func (b *Box) Sent(ctx context.Context, thread, providerID string) (bool, error) {
	m, err := b.Quoted(ctx, thread, providerID)
	return m.ID != "", err
}

// maxPages bounds the search for a quoted message, in pages of a megabyte.
const maxPages = 16

// Quoted returns the message with a provider's id. For an id of another thread, or of no message, it returns the zero
// Message; "" is not looked up. Ids say nothing about the time, so it cannot ask for the latest: it reads all messages,
// with one request for each megabyte of the thread's outbox. That is expensive for a long thread, and rare; finding
// messages by the provider's id would cost a write unit for each message sent.
func (b *Box) Quoted(ctx context.Context, thread, providerID string) (Message, error) {
	if providerID == "" {
		return Message{}, nil
	}
	after := ""
	for range maxPages {
		ms, next, err := b.page(ctx, thread, 0, after)
		if err != nil {
			return Message{}, err
		}
		for _, m := range ms {
			if m.ProviderID == providerID {
				return m, nil
			}
		}
		if after = next; after == "" {
			break
		}
	}
	return Message{}, nil
}

// Split cuts text into pieces of at most size characters, at a paragraph, line or word where
// it can. A size of 0 is any length.
func Split(text string, size int) []string {
	var pieces []string
	r := []rune(strings.TrimSpace(text))
	for size > 0 && len(r) > size {
		cut := breakAt(r, size)
		pieces = append(pieces, strings.TrimSpace(string(r[:cut])))
		r = []rune(strings.TrimSpace(string(r[cut:])))
	}
	if len(r) > 0 {
		pieces = append(pieces, string(r))
	}
	return pieces
}

func breakAt(r []rune, size int) int {
	window := string(r[:size])
	for _, sep := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(window, sep); i > len(window)/2 {
			return len([]rune(window[:i]))
		}
	}
	return size
}

// Place returns where a message of a thread is kept, for callers that read several at once.
func (b *Box) Place(thread, id string) dynamo.Place {
	return dynamo.Place{Table: b.Table, Key: key(thread, id)}
}
