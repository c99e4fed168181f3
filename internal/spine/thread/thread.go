// Package thread keeps the one conversation spine: what was said, what waits for a
// YES, and whose turn it is.
//
// A thread's id is made of market, thread type, assistant and participant, so that the
// same people always meet on the same thread. Everything of a thread shares the
// partition key (table conversations):
//
//	seen#{id}                 an inbound message was appended; holds its text when it is long,
//	                          for good when its turn had no place for it
//	journal#{turn}#{step}     what a running turn has done so far
//	outbox#{…}                messages to send (package outbox)
//	st#{until}#{kind}:{id}    a thing that stands of the conversation, until its end by the clock, or 9999
//	                          where only a state ends it
//	turn#{n}                  a finished turn: what came in and what went out
//	~                         the head: state, pending action, lease, unanswered messages
//
// and apart from them, for as long as a code to link two threads is good:
//
//	code#{hash}  code         the thread that it was made on
//
// and for good, for conversations that their clients have named, so that more than one is possible:
//
//	talks#{market}#{owner}  {thread}   all of an owner's
//	talk#{hash}             {thread}   those with a name
//	call#{hash}             {thread}   those that a call session was in, for 30 days
//
// The head sorts last, so one backward query gives it together with the latest turns.
// Unanswered messages wait in the head's inbox, in order of arrival; a turn answers
// them and moves them into its turn item.
//
// Promises: a message id is appended once, however often it arrives. One turn at a time
// holds the lease; each lease has its own epoch, and a commit under a lost lease fails
// as a whole. So does that of a turn which has read what was erased since. The cost does not
// grow with the thread.
//
//	Append    1 request  (4 write units; 2 more for a new thread, 3 when it was quiet; a repeat: 1 request;
//	                      2 requests when a lease was asked for and is held by another, and to make
//	                      a thread with a name, with 4 write units more); so do AppendFrame,
//	                      with 2 write units more for the row, and AppendResting
//	All       1 request for each owner; Called and InCall 2
//	Take      1 request  (1 write unit)
//	Open      1 request  (2–3 read units), 2 when it takes over an unfinished turn or all
//	                     was erased, 1 more when long messages wait
//	Commit    1 request  (4 write units, and those of the writes that join), 1 more for each
//	                     text above 64 KB of them in one turn
//	Standing  1 request, on threads where something was written that stands since it was last asked
//	Journal   1 request
//	Pair      1 request
//	Link      3 requests; to make the code for it 1, to look at the code 2, to undo it 2
//	Erase     2 requests, and 2 for each hundred items; 1 more when it is linked, and when something waits;
//	          again for turns that end meanwhile
//	Head      1 request, of several one for each hundred; List 2 for each hundred looked at
//	Sweep     16 requests, 2 for each hundred threads, 1 for each that leaves the index
package thread

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
	"merve/internal/words/standing"
)

// State is where a conversation stands.
type State string

const (
	Idle                 State = "idle"
	AwaitingConfirmation State = "awaiting_confirmation"
	Executing            State = "executing"
)

// Handler is who answers a thread.
type Handler string

const (
	ByAssistant Handler = "assistant"
	ByPerson    Handler = "person"
)

// Head is a thread's state.
type Head struct {
	ID         string             `dynamodbav:"pk"`
	Market     string             `dynamodbav:"market"`
	Type       channel.ThreadType `dynamodbav:"type"`
	Assistant  string             `dynamodbav:"assistant,omitempty"`
	Owner      string             `dynamodbav:"owner"` // actor key
	Name       string             `dynamodbav:"name,omitempty"`
	Channel    channel.Channel    `dynamodbav:"channel"`           // of the latest message: where replies go
	ReplyAddr  string             `dynamodbav:"reply,omitempty"`   // on that channel
	Contact    string             `dynamodbav:"contact,omitempty"` // number at which the customer says that they are reached
	Address    string             `dynamodbav:"addr,omitempty"`    // what bounds know the network address by that was written from last
	Phone      string             `dynamodbav:"phone,omitempty"`   // as the channel last told it
	Language   string             `dynamodbav:"lang,omitempty"`    // the customer's, as last told or seen
	State      State              `dynamodbav:"state,omitempty"`   // absent is idle
	Handler    Handler            `dynamodbav:"handler,omitempty"` // absent is the assistant
	OptedOut   bool               `dynamodbav:"optOut,omitempty"`
	StoppedAt  time.Time          `dynamodbav:"stopAt"` // when they wrote so last
	Pending    *Pending           `dynamodbav:"pending,omitempty"`
	LetGo      *Pending           `dynamodbav:"letGo,omitempty"` // for the person who has the thread; a YES or NO to it is still to be answered
	Location   *geo.Location      `dynamodbav:"loc,omitempty"`   // last shared
	LocatedAt  time.Time          `dynamodbav:"locAt"`           // when
	Inbox      []Message          `dynamodbav:"inbox,omitempty"`
	Turns      int                `dynamodbav:"turns"` // finished ones
	Epoch      int                `dynamodbav:"epoch"` // counts leases, and how often all was erased
	Committed  int                `dynamodbav:"done"`  // epoch of the last lease that ended with a commit
	LeaseBy    string             `dynamodbav:"leaseBy,omitempty"`
	LeaseUntil time.Time          `dynamodbav:"leaseUntil"`
	LastIn     time.Time          `dynamodbav:"lastIn"` // latest inbound message: opens a provider's window
	Spend      Spend              `dynamodbav:"spend"`
	AsCustomer time.Time          `dynamodbav:"asCustomer"`       // since when who has a role writes as a customer, on another thread; zero is not
	Linked     []string           `dynamodbav:"linked,omitempty"` // owners of the same person's other threads
	Stands     int                `dynamodbav:"stands,omitempty"` // rows of what stands that others than its turns wrote: a hint to ask
	Asked      int                `dynamodbav:"asked,omitempty"`  // as of which Known is all there is
	Known      []string           `dynamodbav:"standing"`         // kind and id of what stood when it was last asked; nil is never asked
	Refs       []string           `dynamodbav:"refs"`             // left by a former release, see [Head.Forgot]
	Session    *Session           `dynamodbav:"session,omitempty"`
	Frames     int                `dynamodbav:"frames,omitempty"` // number of the latest frame that needs no row: of a finished turn, or of a message on a thread that rests (package live)
}

// Session is the call session that a live conversation is in. History and turn numbers that clients see
// count from it; the thread's own never go back.
type Session struct {
	ID    string `dynamodbav:"id"`              // as the client names it, unique on its thread
	Phone string `dynamodbav:"phone,omitempty"` // the caller's, as they claim it: proof of nothing
	From  int    `dynamodbav:"from"`            // turns that were finished before it began
}

// resetMark is between the name of a call session and what a reset has added to it: no name that a client gives has it.
const resetMark = "\x1f"

// Name is the session as the client names it: a reset has added to it.
func (s Session) Name() string {
	name, _, _ := strings.Cut(s.ID, resetMark)
	return name
}

// Again is the session begun again under its name; id tells it apart.
func (s Session) Again(id string) Session {
	return Session{ID: s.Name() + resetMark + id, Phone: s.Phone}
}

// Begun is the call session that has begun last. Its mark, the turn that begins it, may not stand yet. Nil is none.
func (h Head) Begun() *Session {
	for _, m := range slices.Backward(h.Inbox) {
		if m.Notice != nil && m.Notice.Session != nil {
			return m.Notice.Session
		}
	}
	return h.Session
}

// In reports whether the thread is, as it stands, in the call session that a client names; "" is the one that there is. A
// session that has begun is not there until its mark stands, and one that was left never again.
func (h Head) In(named string) bool {
	begun := h.Begun()
	switch {
	case begun == nil:
		return named == ""
	case h.Session == nil || h.Session.ID != begun.ID:
		return false
	}
	return named == "" || named == begun.Name()
}

// Customer is the actor for whom a thread's turns run.
func (h Head) Customer() actor.Actor {
	a := actor.OfKey(h.Owner)
	a.Name, a.Also = h.Name, h.Linked
	if h.Channel == channel.WhatsApp && strings.HasPrefix(h.ReplyAddr, "+") {
		a.Phone = h.ReplyAddr
	}
	return a
}

// hereFor is how long somebody is taken to be where they said: what they said it for is over by then, and a
// taxi would be sent to where they were.
const hereFor = time.Hour

// Where is where the customer is at a time, as far as they have said so lately; nil when they have not.
func (h Head) Where(at time.Time) *geo.Location {
	if at.Sub(h.LocatedAt) >= hereFor {
		return nil
	}
	return h.Location
}

// Spend is what the thread's models have cost on one day (UTC).
type Spend struct {
	Day      string `dynamodbav:"day,omitempty"`
	MicroUSD int64  `dynamodbav:"microUsd,omitempty"`
}

// On returns the spend on a day, in millionths of a US dollar.
func (s Spend) On(day string) int64 {
	if s.Day != day {
		return 0
	}
	return s.MicroUSD
}

// Message is an inbound message on a thread.
type Message struct {
	ID       string          `dynamodbav:"id" json:"id"`
	Channel  channel.Channel `dynamodbav:"ch" json:"channel"`
	Text     string          `dynamodbav:"text,omitempty" json:"text"`
	Media    []channel.Media `dynamodbav:"media,omitempty" json:"media,omitempty"`
	Location *geo.Location   `dynamodbav:"loc,omitempty" json:"location,omitempty"`
	Button   string          `dynamodbav:"button,omitempty" json:"button,omitempty"`
	ReplyTo  string          `dynamodbav:"replyTo,omitempty" json:"replyTo,omitempty"`
	Language string          `dynamodbav:"lang,omitempty" json:"language,omitempty"`
	At       time.Time       `dynamodbav:"at" json:"at"`
	Wrote    time.Time       `dynamodbav:"wrote" json:"-"`                           // by the channel's clock, where that is before At
	Long     bool            `dynamodbav:"long,omitempty" json:"-"`                  // text and media are in the seen item
	Switch   channel.Switch  `dynamodbav:"switch,omitempty" json:"switch,omitempty"` // of role, from this message on
	Quiet    bool            `dynamodbav:"quiet,omitempty" json:"-"`                 // answered by another thread of who wrote it
	Notice   *Notice         `dynamodbav:"notice,omitempty" json:"notice,omitempty"` // not from the customer
	Frame    *Frame          `dynamodbav:"frame,omitempty" json:"-"`                 // of a live conversation
}

// Frame is how clients of a live conversation know a message (package live).
type Frame struct {
	Seq int    `dynamodbav:"n"`
	ID  string `dynamodbav:"id"` // as its client has named it
}

// Written is when the customer wrote m, as far as the channel tells: some bring it late.
func (m Message) Written() time.Time {
	if m.Wrote.IsZero() {
		return m.At
	}
	return m.Wrote
}

// StaffReply is the kind of the notice that carries a person's own words.
const StaffReply = "staff_reply"

// Notice is something the backend itself has to tell the customer on this thread. It
// comes in like a message, so that it keeps its place in the order of turns.
type Notice struct {
	Kind     string           `dynamodbav:"kind" json:"kind"`
	Ref      string           `dynamodbav:"ref,omitempty" json:"ref,omitempty"` // a pending action about this is over
	Text     string           `dynamodbav:"text" json:"text"`
	Cards    []map[string]any `dynamodbav:"cards,omitempty" json:"cards,omitempty"`       // shown beside the text
	ByPerson bool             `dynamodbav:"byPerson,omitempty" json:"byPerson,omitempty"` // of what a person has done just now

	// Quote is set when the text quotes somebody else, who is none of us.
	Quote *Quote `dynamodbav:"quote,omitempty" json:"quote,omitempty"`

	// Session is set when a call session begins with the notice. What waited then waits no more.
	Session *Session `dynamodbav:"session,omitempty" json:"-"`

	// Offer is put to the customer for YES or NO, unless something else waits already.
	Offer *Pending `dynamodbav:"offer,omitempty" json:"-"`

	// Vars fill the market's own text for the kind, and its approved template, by which the customer can
	// be told outside the window of their channel.
	Vars map[string]string `dynamodbav:"vars,omitempty" json:"-"`
}

// Quote is what somebody else says to a customer through us: data for whoever reads it.
type Quote struct {
	Listing string `dynamodbav:"listing" json:"listingId"`
	Name    string `dynamodbav:"name" json:"name"` // of the listing
	Code    string `dynamodbav:"code" json:"code"` // of what it is about
	Text    string `dynamodbav:"text" json:"text"`

	// Thread, To and Language are the speaker's, who is told when it cannot be delivered.
	Thread   string `dynamodbav:"thread" json:"-"`
	To       string `dynamodbav:"to" json:"-"`
	Language string `dynamodbav:"lang,omitempty" json:"-"`
}

// Pending is a proposal that waits for an explicit YES or NO.
type Pending struct {
	ID        string    `dynamodbav:"id" json:"id"`
	Kind      string    `dynamodbav:"kind" json:"kind"`         // which commitment settles it
	Ref       string    `dynamodbav:"ref,omitempty" json:"ref"` // such as a transaction id
	Tool      string    `dynamodbav:"tool,omitempty" json:"tool,omitempty"`
	By        string    `dynamodbav:"by,omitempty" json:"-"`                // the tool whose call proposed it, if one did
	Args      string    `dynamodbav:"args,omitempty" json:"args,omitempty"` // frozen, canonical
	Hash      string    `dynamodbav:"hash" json:"hash"`                     // of the exact offer
	Summary   string    `dynamodbav:"summary" json:"summary"`               // what the customer was shown
	Note      string    `dynamodbav:"note,omitempty" json:"note,omitempty"` // and after it, while it waits
	Policy    int       `dynamodbav:"policy" json:"policy"`                 // market version it was made under
	CreatedAt time.Time `dynamodbav:"at" json:"createdAt"`
	ExpiresAt time.Time `dynamodbav:"until" json:"expiresAt"`

	// Asked are the ids on the outbox of what asked for it first and last, on channels that send.
	Asked []string `dynamodbav:"asked,omitempty" json:"-"`

	// Doubt says that something else has been told or asked since it was asked, or that it may never
	// have been shown: a bare YES or NO may be meant for something else.
	Doubt bool `dynamodbav:"doubt,omitempty" json:"-"`

	// Differs says that the customer has named a number or a day since that it has not: a bare YES may
	// be meant for that.
	Differs bool `dynamodbav:"differs,omitempty" json:"-"`
}

// Question is the summary with the note after it, while it waits for an answer.
func (p Pending) Question() string {
	if p.Note == "" {
		return p.Summary
	}
	return p.Summary + " · " + p.Note
}

// Turn is a finished turn.
type Turn struct {
	N       int       `dynamodbav:"n" json:"n"`
	TraceID string    `dynamodbav:"trace,omitempty" json:"traceId"`
	In      []Message `dynamodbav:"in,omitempty" json:"in"`
	Out     []Reply   `dynamodbav:"out,omitempty" json:"out"` // one, or none
	Calls   []Call    `dynamodbav:"calls,omitempty" json:"toolCalls"`
	Shown   string    `dynamodbav:"shown,omitempty" json:"-"`                   // tool data behind the reply, for the model's memory
	Digest  string    `dynamodbav:"digest,omitempty" json:"-"`                  // of all turns before, for the model's memory; in some turns
	Pending string    `dynamodbav:"pending,omitempty" json:"pending,omitempty"` // id of the pending action made
	Settled string    `dynamodbav:"settled,omitempty" json:"settled,omitempty"` // id of the pending action settled
	At      time.Time `dynamodbav:"at" json:"at"`
	Spoken  *Spoken   `dynamodbav:"spoken,omitempty" json:"-"` // of a turn of a live conversation
}

// Spoken is where the frames of a turn end (package live).
type Spoken struct {
	Seq         int    `dynamodbav:"seq"` // number of its final
	Stream      string `dynamodbav:"stream"`
	Interrupted bool   `dynamodbav:"cut,omitempty"`    // the customer spoke before it was over
	First       *int64 `dynamodbav:"first,omitempty"`  // milliseconds until its first token; nil is none before its end
	Status      *int64 `dynamodbav:"status,omitempty"` // and its first status; nil is none
}

// Reply is an outbound message of a turn.
type Reply struct {
	Text  string           `dynamodbav:"text" json:"text"`
	Cards []map[string]any `dynamodbav:"cards,omitempty" json:"cards,omitempty"`
	Map   *geo.Location    `dynamodbav:"map,omitempty" json:"mapLocation,omitempty"`

	// Choices are what the customer may choose from, as long as it is the latest reply.
	Choices []channel.Choice `dynamodbav:"choices,omitempty" json:"choices,omitempty"`

	By Handler `dynamodbav:"by,omitempty" json:"by,omitempty"` // absent is the assistant

	// Standing is shown beside the text, and never part of it. It is left out of small talk, and on threads
	// of staff, businesses and drivers.
	Standing *standing.Standing `dynamodbav:"standing,omitempty" json:"standing,omitempty"`
}

// Whole is the reply as channels of text show it: the standing line is the last.
func (r Reply) Whole() string {
	if line := r.Standing.Line(); line != "" {
		return r.Text + "\n\n" + line
	}
	return r.Text
}

// Call is a tool call as clients see it.
type Call struct {
	Name   string `dynamodbav:"name" json:"name"`
	Status string `dynamodbav:"status" json:"status"` // ok, proposed, denied, failed
}

// What a lease or an append may meet.
var (
	ErrBusy      = fault.New(fault.Conflict, "another turn of this thread is running")
	ErrNothing   = fault.New(fault.Conflict, "nothing waits for an answer")
	ErrLeaseLost = fault.New(fault.Conflict, "the turn's lease was lost")
	ErrNewer     = fault.New(fault.Conflict, "something newer has come in")
	ErrNoThread  = fault.New(fault.NotFound, "not found")
	ErrOver      = fault.New(fault.Conflict, "this call session is over: another one has begun in its conversation")
	ErrFull      = fault.New(fault.Limited, "too many messages wait for an answer")
)

// ID returns the id of the thread on which participant (an actor key) meets assistant.
func ID(market string, typ channel.ThreadType, assistant, participant string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{market, string(typ), assistant, participant}, "\x00")))
	return "th_" + hex.EncodeToString(sum[:16])
}

// Of returns the id of the thread that a message is for.
func Of(in channel.Inbound) string {
	participant := in.From.Key()
	if in.Talk != "" {
		participant += "\x00" + in.Talk
	}
	return ID(in.Market, in.ThreadType, in.Assistant, participant)
}

// Kind is a way to meet: a thread's id is made of it, of a market and an owner.
type Kind struct {
	Type      channel.ThreadType
	Assistant string // "" is the thread type's own
}

// Kinds are all ways in which owners meet assistants.
type Kinds []Kind

// IDs returns the ids of all threads that an owner may have in a market.
func (ks Kinds) IDs(market, owner string) []string {
	ids := make([]string, len(ks))
	for i, k := range ks {
		ids[i] = ID(market, k.Type, k.Assistant, owner)
	}
	return ids
}

// MessageID returns the id of a message, made of its channel and the channel's own id.
func MessageID(threadID string, ch channel.Channel, channelMessageID string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{threadID, string(ch), channelMessageID}, "\x00")))
	return "m_" + hex.EncodeToString(sum[:12])
}

// IsMessageID reports whether an id has the form of [MessageID].
func IsMessageID(id string) bool {
	const size = len("m_") + 24
	return len(id) == size && strings.HasPrefix(id, "m_")
}

const headSK = "~"

func headKey(id string) dynamo.Key        { return dynamo.Key{PK: id, SK: headSK} }
func seenKey(id, msg string) dynamo.Key   { return dynamo.Key{PK: id, SK: "seen#" + msg} }
func turnKey(id string, n int) dynamo.Key { return dynamo.Key{PK: id, SK: turnSK(n)} }
