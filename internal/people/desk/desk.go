// Package desk hands threads over to people and back. It knows which threads wait for a person, which person has
// which thread, and what staff write there. While a person has a thread, no assistant answers on it. Customers still
// hear what happens, and a business or a driver who answers by the code of their work is still obeyed (package turn).
//
// When a person gets the thread, a question that waits for the customer's YES or NO is dropped: nobody would hear the
// answer. The turn that tells the customer about the person drops it, and the desk sees what it was. If the customer
// still writes a YES or NO, the first one gets a reply, unless a person has written before that.
//
//	desk#{market}   thread#{thread}             a thread that waits for a person, or that one has
//	desk#{market}   event#{thread}#{turn}#…     that it began to wait, for the stream
//
// (table records). A thread's head says who answers it (package thread); both change in one transaction.
//
// Requests: to wait none of its own (it joins the turn), Take and Write 2 and the turn that tells the customer,
// Return 4 and that turn, List 1.
package desk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Case is a thread that waits for a person, or that one has.
type Case struct {
	Thread   string             `dynamodbav:"thread" json:"threadId"`
	Market   string             `dynamodbav:"market" json:"marketId"`
	Type     channel.ThreadType `dynamodbav:"type" json:"type"`
	Channel  channel.Channel    `dynamodbav:"channel" json:"channel"`
	Name     string             `dynamodbav:"name,omitempty" json:"name,omitempty"` // of the customer
	Language string             `dynamodbav:"lang,omitempty" json:"language,omitempty"`
	Reason   string             `dynamodbav:"reason,omitempty" json:"reason,omitempty"` // why a person is asked for
	LetGo    string             `dynamodbav:"letGo,omitempty" json:"letGo,omitempty"`   // what waited for the customer's YES or NO until then
	Since    time.Time          `dynamodbav:"since" json:"since"`
	TakenBy  string             `dynamodbav:"takenBy,omitempty" json:"takenBy,omitempty"` // actor key; "" waits
	TakenAt  time.Time          `dynamodbav:"takenAt" json:"takenAt,omitzero"`
	Returned bool               `dynamodbav:"returned,omitempty" json:"-"` // and the customer is about to be told
}

// Desk hands threads over. Safe for concurrent use.
type Desk struct {
	Table   dynamo.Table // records
	Threads thread.Teller
	Now     func() time.Time
}

// MaxText is the longest text that staff write at once, and maxReason of a reason, in characters.
const (
	MaxText   = 4000
	maxReason = 300
)

// errNotTaken is the answer to staff who write on a thread that the assistant has.
var errNotTaken = fault.New(fault.Conflict, "the assistant has this thread: take it over first")

// ErrChanged is the answer to staff who give back a thread that has changed hands meanwhile.
var ErrChanged = fault.New(fault.Conflict, "somebody else has given this thread back, or taken it: look again")

func caseKey(market, threadID string) dynamo.Key {
	return dynamo.Key{PK: "desk#" + market, SK: "thread#" + threadID}
}

func eventKey(market, threadID string, turn int) dynamo.Key {
	return dynamo.Key{PK: "desk#" + market, SK: fmt.Sprintf("%s%s#%08d", event.Prefix, threadID, turn)}
}

// Wait returns the writes that make a thread wait for a person. letGo is the question that was dropped for that, or
// "". The writes join the turn that hands the thread over.
func (d *Desk) Wait(h thread.Head, turn int, lang, reason, letGo, trace string) []dynamo.Write {
	now := d.now()
	c := Case{
		Thread: h.ID, Market: h.Market, Type: h.Type, Channel: h.Channel, Name: h.Name, Language: lang,
		Reason: language.Clip(reason, maxReason), LetGo: letGo, Since: now,
	}
	e := Event{Thread: h.ID, Market: h.Market, Name: h.Name, Reason: c.Reason, LetGo: letGo, Turn: turn, Trace: trace, At: now}
	return []dynamo.Write{
		d.Table.Put(caseKey(h.Market, h.ID), c),
		Events.Put(d.Table, eventKey(h.Market, h.ID, turn), e),
	}
}

// LetGo notes what was let go of on a thread that somebody has already. It fails where nobody has it.
func (d *Desk) LetGo(h thread.Head, what string) dynamo.Write {
	return d.Table.Update(caseKey(h.Market, h.ID), "SET letGo = :what", dynamo.V{":what": what}).
		If("attribute_exists(pk) AND attribute_not_exists(#returned)", nil)
}

// Event says that a thread began to wait for a person.
type Event struct {
	Thread string    `dynamodbav:"thread"`
	Market string    `dynamodbav:"market"`
	Name   string    `dynamodbav:"name,omitempty"`
	Reason string    `dynamodbav:"reason,omitempty"`
	LetGo  string    `dynamodbav:"letGo,omitempty"` // what waited for the customer's YES or NO until then
	Turn   int       `dynamodbav:"turn"`
	Trace  string    `dynamodbav:"trace,omitempty"`
	At     time.Time `dynamodbav:"at"`
}

// Events are the events of the desk.
var Events = event.Kind[Event]{Name: "desk", Earlier: dynamo.Key{PK: "desk#", SK: event.Prefix}}

// List returns the threads of a market that wait for a person or that one has. The longest waiting come first.
func (d *Desk) List(ctx context.Context, market string) ([]Case, error) {
	all, err := dynamo.Collect[Case](ctx, d.Table, dynamo.Under("desk#"+market, "thread#"))
	if err != nil {
		return nil, fmt.Errorf("desk of %s: %w", market, err)
	}
	all = slices.DeleteFunc(all, func(c Case) bool { return c.Returned })
	slices.SortStableFunc(all, func(a, b Case) int {
		if (a.TakenBy == "") != (b.TakenBy == "") {
			if a.TakenBy == "" {
				return -1
			}
			return 1
		}
		return a.Since.Compare(b.Since)
	})
	return all, nil
}

// Take gives a thread to a member of staff, and tells the customer. The turn that tells them also drops the question
// that waits for their YES or NO (package turn). The case keeps the reason for asking for a person, and the time. If
// the same member of staff takes the thread again, nothing changes.
func (d *Desk) Take(ctx context.Context, threadID string, by actor.Actor) error {
	h, err := d.head(ctx, threadID)
	if err != nil {
		return err
	}
	at := d.now()
	taken := &fault.Error{Kind: fault.Conflict, Message: "somebody else has this thread"}
	again := errors.New("the same one has it")
	take := d.Table.Update(caseKey(h.Market, h.ID), `SET thread = :thread, market = :market, #type = :type, channel = :channel, #name = :name, lang = if_not_exists(lang, :lang),
		since = if_not_exists(since, :now), takenBy = :by, takenAt = :now REMOVE #returned`,
		dynamo.V{
			":thread": h.ID, ":market": h.Market, ":type": h.Type, ":channel": h.Channel, ":name": h.Name, ":lang": h.Language, ":now": at, ":by": by.Key(),
		}).If("attribute_not_exists(takenBy)", nil).ElseOld(func(old dynamo.Item) error {
		if old.String("takenBy") != by.Key() {
			return taken
		}
		at = old.Time("takenAt")
		return again
	})
	err = d.Table.DB().Commit(ctx, d.Threads.Assigned(h.ID, thread.ByPerson), take)
	if err != nil && !errors.Is(err, again) {
		return fmt.Errorf("take thread %s: %w", threadID, err)
	}
	return d.tell(ctx, h, fmt.Sprintf("taken.%d", at.UnixMilli()), "handed_over", wording.Say(h.Language, wording.HandedOver, nil))
}

// Return gives a thread back to the assistant, and tells the customer. It does nothing if the assistant has the
// thread already. The case is kept until the customer has been told, so that a repeat tells them.
func (d *Desk) Return(ctx context.Context, threadID string) error {
	h, err := d.head(ctx, threadID)
	if err != nil {
		return err
	}
	it, err := d.Table.Get(ctx, caseKey(h.Market, h.ID))
	if err != nil || it == nil && h.Handler != thread.ByPerson {
		return err
	}
	ws := []dynamo.Write{d.Threads.Assigned(h.ID, thread.ByAssistant)}
	var c Case
	if it != nil {
		err = it.Decode(&c)
		ws = append(ws, d.Table.Update(it.Key(), "SET #returned = :yes REMOVE takenBy", dynamo.V{":yes": true}).
			If("since = :since AND (attribute_not_exists(takenAt) OR takenAt = :taken)", dynamo.V{":since": c.Since, ":taken": c.TakenAt}).Else(ErrChanged))
	}
	if err == nil {
		err = d.Table.DB().Commit(ctx, ws...)
	}
	if err == nil {
		err = d.tell(ctx, h, "returned."+c.name(), "handed_back", wording.Say(h.Language, wording.HandedBack, nil))
	}
	if err == nil {
		err = d.forget(ctx, h)
	}
	if err != nil {
		return fmt.Errorf("return thread %s: %w", threadID, err)
	}
	return nil
}

// forget deletes a case that was given back, unless somebody has taken the thread again.
func (d *Desk) forget(ctx context.Context, h thread.Head) error {
	errTaken := errors.New("taken again")
	err := d.Table.DB().Commit(ctx, d.Table.Delete(caseKey(h.Market, h.ID)).If("attribute_not_exists(pk) OR #returned = :yes", dynamo.V{":yes": true}).Else(errTaken))
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
}

// View is a case as its customer is shown it.
type View struct {
	Name    string    `json:"name,omitempty"`
	Reason  string    `json:"reason,omitempty"`
	LetGo   string    `json:"letGo,omitempty"`
	Since   time.Time `json:"since"`
	TakenAt time.Time `json:"takenAt,omitzero"`
}

// Of returns the case of a thread, or nil if it has none. 2 requests.
func (d *Desk) Of(ctx context.Context, threadID string) (*View, error) {
	h, err := d.head(ctx, threadID)
	if err != nil {
		return nil, err
	}
	it, err := d.Table.Get(ctx, caseKey(h.Market, h.ID))
	if err != nil || it == nil {
		return nil, err
	}
	return &View{it.String("name"), it.String("reason"), it.String("letGo"), it.Time("since"), it.Time("takenAt")}, nil
}

// Erase takes who the customer of a thread is, and why they asked for a person, out of its case,
// which stays while it is open, and deletes that it began to wait. It may be called again. 3
// requests, and 1 for each hundred times that the thread waited.
func (d *Desk) Erase(ctx context.Context, threadID string) error {
	h, err := d.head(ctx, threadID)
	if err != nil {
		return err
	}
	ws := []dynamo.Write{}
	err = d.Table.Each(ctx, dynamo.Under("desk#"+h.Market, event.Prefix+h.ID+"#"), func(it dynamo.Item) error {
		ws = append(ws, d.Table.Delete(it.Key()))
		return nil
	})
	if err != nil {
		return fmt.Errorf("erase case of thread %s: %w", threadID, err)
	}
	none := errors.New("it has none")
	open := d.Table.Update(caseKey(h.Market, h.ID), "REMOVE #name, reason, letGo", nil).If("attribute_exists(pk)", nil).Else(none)
	if err := d.Table.DB().Commit(ctx, open); err != nil && !errors.Is(err, none) {
		return fmt.Errorf("erase case of thread %s: %w", threadID, err)
	}
	if err := d.Table.DB().CommitAll(ctx, ws...); err != nil {
		return fmt.Errorf("erase case of thread %s: %w", threadID, err)
	}
	return nil
}

// name tells a case from others of the same thread.
func (c Case) name() string { return fmt.Sprintf("%d.%d", c.Since.UnixMilli(), c.TakenAt.UnixMilli()) }

// Write says something to the customer in the name of a person. The same key is said once.
func (d *Desk) Write(ctx context.Context, threadID, text, key string) error {
	text = strings.TrimSpace(text)
	switch {
	case text == "" || !utf8.ValidString(text) || utf8.RuneCountInString(text) > MaxText:
		return fault.Field("text", "want 1 to %d characters", MaxText)
	case key == "" || len(key) > 128:
		return fault.Field("key", "want 1 to 128 bytes: the same for the same message")
	}
	h, err := d.head(ctx, threadID)
	if err != nil {
		return err
	}
	if h.Handler != thread.ByPerson {
		return errNotTaken
	}
	return d.tell(ctx, h, "reply."+key, thread.StaffReply, text)
}

func (d *Desk) tell(ctx context.Context, h thread.Head, key, kind, text string) error {
	return d.Threads.Tell(ctx, h.ID, "desk."+key, thread.Notice{Kind: kind, Text: text, ByPerson: true})
}

func (d *Desk) head(ctx context.Context, id string) (thread.Head, error) {
	h, err := d.Threads.Head(ctx, id)
	if errors.Is(err, thread.ErrNoThread) {
		return h, actor.ErrNotFound
	}
	return h, err
}

func (d *Desk) now() time.Time { return d.Now().UTC().Truncate(time.Millisecond) }
