// Package thread is the spine of every conversation: what was said, what waits for a YES, and whose turn it is.
//
// A thread's id is made of market, thread type, assistant and participant, so the same people always meet on the same
// thread. All items of a thread share its partition key (table conversations):
//
//	seen#{id}                 an inbound message was appended; has its text when that is long, and keeps it when the
//	                          turn's item had no room
//	journal#{turn}#{step}     what a running turn has done so far
//	outbox#{…}                messages to send (package outbox)
//	st#{until}#{kind}:{id}    a booking, order or the like that stands in the conversation, with its end by the clock, or
//	                          9999 where only a state ends it
//	turn#{n}                  a finished turn: what came in and what went out
//	~                         the head: state, pending action, lease, unanswered messages
//
// Other items exist for as long as a code to link two threads is good:
//
//	code#{hash}  code         the thread that the code was made on
//
// and for good, for conversations that clients have named, so that they can have more than one:
//
//	talks#{market}#{owner}  {thread}   all conversations of an owner
//	talk#{hash}             {thread}   those with a name
//	call#{hash}             {thread}   those that a call session was in, for 30 days
//
// The head sorts last, so one backward query returns it with the latest turns. Unanswered messages wait in the head's
// inbox, in order of arrival. A turn answers them and moves them into its turn item.
//
// Promises: a message id is appended once, however often it arrives. One turn at a time holds the lease. Each lease has
// its own epoch, and a commit under a lost lease fails as a whole, as does that of a turn that has read what has been
// erased since. The cost does not grow with the thread.
//
//	Append    1 request  (4 write units; 2 more for a new thread, 3 when it was quiet; a repeat: 1 request;
//	                      2 requests when a lease was asked for and is held by another, and to make
//	                      a thread with a name, with 4 write units more); the same for AppendFrame,
//	                      with 2 write units more for the row, and for AppendResting
//	All       1 request for each owner; Called and InCall 2
//	Take      1 request  (1 write unit)
//	Open      1 request  (2–3 read units), 2 when it takes over an unfinished turn or everything
//	                     was erased, 1 more when long messages wait
//	Commit    1 request  (4 write units, and those of the writes that join), 1 more for each
//	                     text above 64 KB of them in one turn
//	Standing  1 request, on threads where a row was written since it was last asked
//	Journal   1 request
//	Link      3 requests; making its code 1, looking at the code 2, undoing it 2
//	Erase     2 requests, and 2 for each hundred items; 1 more when it is linked, and when something waits;
//	          again for turns that end meanwhile
//	Head      1 request, of several one for each hundred; List 2 for each hundred looked at
//	Sweep     16 requests, 2 for each hundred threads, 1 for each that leaves the index
//
// [Store] is what others call. It works with smaller objects on the same table: [Links], [Rows], history (what was said),
// names (of conversations and call sessions), and one for each append, erasure and sweep.
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

// State is the state of a conversation.
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
	Contact    string             `dynamodbav:"contact,omitempty"` // telephone number that the customer says is theirs
	Address    string             `dynamodbav:"addr,omitempty"`    // stands in bounds for the network address of the last message
	Phone      string             `dynamodbav:"phone,omitempty"`   // as the channel last told it
	Language   string             `dynamodbav:"lang,omitempty"`    // the customer's, as last told or seen
	State      State              `dynamodbav:"state,omitempty"`   // absent is idle
	Handler    Handler            `dynamodbav:"handler,omitempty"` // absent is the assistant
	OptedOut   bool               `dynamodbav:"optOut,omitempty"`
	StoppedAt  time.Time          `dynamodbav:"stopAt"` // when they last wrote STOP
	Pending    *Pending           `dynamodbav:"pending,omitempty"`
	LetGo      *Pending           `dynamodbav:"letGo,omitempty"` // dropped for the person who has the thread; a YES or NO to it still needs an answer
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
	AsCustomer time.Time          `dynamodbav:"asCustomer"`       // since when somebody with a role writes as a customer, on another thread; zero if not
	Linked     []string           `dynamodbav:"linked,omitempty"` // owners of the same person's other threads
	Stands     int                `dynamodbav:"stands,omitempty"` // counts the rows that were written outside its turns: a hint to ask
	Asked      int                `dynamodbav:"asked,omitempty"`  // the count as of which Known is complete
	Known      []string           `dynamodbav:"standing"`         // kind and id of what stood when it was last asked; nil if never
	Refs       []string           `dynamodbav:"refs"`             // left by an earlier release, see [Head.Forgot]
	Session    *Session           `dynamodbav:"session,omitempty"`
	Frames     int                `dynamodbav:"frames,omitempty"` // number of the latest frame that needs no row: of a finished turn, or of a message on a thread that rests (package live)
}

// Session is the call session of a live conversation. The history and turn numbers that clients see start with it; the
// thread's own never go back.
type Session struct {
	ID    string `dynamodbav:"id"`              // as the client names it, unique on its thread
	Phone string `dynamodbav:"phone,omitempty"` // the caller's, as they claim it: proof of nothing
	From  int    `dynamodbav:"from"`            // turns that were finished before it began
}

// resetMark parts the name of a call session from what a reset has added. No client's name contains it.
const resetMark = "\x1f"

// Name is the client's name of the session, without what a reset has added.
func (s Session) Name() string {
	name, _, _ := strings.Cut(s.ID, resetMark)
	return name
}

// Again is the session begun again under the same name; id tells the two apart.
func (s Session) Again(id string) Session {
	return Session{ID: s.Name() + resetMark + id, Phone: s.Phone}
}

// Begun is the call session that began last, or nil. The turn that begins it may not be finished yet.
func (h Head) Begun() *Session {
	for _, m := range slices.Backward(h.Inbox) {
		if m.Notice != nil && m.Notice.Session != nil {
			return m.Notice.Session
		}
	}
	return h.Session
}

// In reports whether the thread is now in the call session that a client names; "" is the current one. It is not in a new
// session before the turn that begins it is finished, and never again in one that was left.
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

// Customer is the actor that a thread's turns run for.
func (h Head) Customer() actor.Actor {
	a := actor.OfKey(h.Owner)
	a.Name, a.Also = h.Name, h.Linked
	if h.Channel == channel.WhatsApp && strings.HasPrefix(h.ReplyAddr, "+") {
		a.Phone = h.ReplyAddr
	}
	return a
}

// hereFor is how long a shared location counts as where the customer is. Later its occasion is over, and a taxi would be
// sent to where they were.
const hereFor = time.Hour

// Where is the customer's location at a time if they have shared one lately, or nil.
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
	Quiet    bool            `dynamodbav:"quiet,omitempty" json:"-"`                 // answered on another thread of its author
	Notice   *Notice         `dynamodbav:"notice,omitempty" json:"notice,omitempty"` // not from the customer
	Frame    *Frame          `dynamodbav:"frame,omitempty" json:"-"`                 // of a live conversation
}

// Frame identifies a message to the clients of a live conversation (package live).
type Frame struct {
	Seq int    `dynamodbav:"n"`
	ID  string `dynamodbav:"id"` // the client's
}

// Written is when the customer wrote m, if the channel says; some deliver late.
func (m Message) Written() time.Time {
	if m.Wrote.IsZero() {
		return m.At
	}
	return m.Wrote
}

// StaffReply is the kind of the notice that carries a person's own words.
const StaffReply = "staff_reply"

// Notice is something that the backend itself has to tell the customer on this thread. It comes in like a message, which
// gives it a place in the order of turns.
type Notice struct {
	Kind     string           `dynamodbav:"kind" json:"kind"`
	Ref      string           `dynamodbav:"ref,omitempty" json:"ref,omitempty"` // a pending action about this has ended
	Text     string           `dynamodbav:"text" json:"text"`
	Cards    []map[string]any `dynamodbav:"cards,omitempty" json:"cards,omitempty"`       // shown next to the text
	ByPerson bool             `dynamodbav:"byPerson,omitempty" json:"byPerson,omitempty"` // about what a person has just done

	// Quote is set when the text quotes an outsider.
	Quote *Quote `dynamodbav:"quote,omitempty" json:"quote,omitempty"`

	// Session is set when a call session begins with the notice. What waited for an answer is dropped.
	Session *Session `dynamodbav:"session,omitempty" json:"-"`

	// Offer asks the customer for YES or NO, unless something else waits already.
	Offer *Pending `dynamodbav:"offer,omitempty" json:"-"`

	// Vars fill the market's own text for the kind, and its approved template, which can be sent outside the window of
	// the customer's channel.
	Vars map[string]string `dynamodbav:"vars,omitempty" json:"-"`
}

// Quote is what an outsider says to a customer through us. Everybody who reads it treats it as data.
type Quote struct {
	Listing string `dynamodbav:"listing" json:"listingId"`
	Name    string `dynamodbav:"name" json:"name"` // of the listing
	Code    string `dynamodbav:"code" json:"code"` // of what it is about
	Text    string `dynamodbav:"text" json:"text"`

	// Thread, To and Language are the speaker's. They hear when it cannot be delivered.
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
	Note      string    `dynamodbav:"note,omitempty" json:"note,omitempty"` // shown after the summary, while it waits
	Policy    int       `dynamodbav:"policy" json:"policy"`                 // market version it was made under
	CreatedAt time.Time `dynamodbav:"at" json:"createdAt"`
	ExpiresAt time.Time `dynamodbav:"until" json:"expiresAt"`

	// Asked are the outbox ids of the first and the last message that asked for it, on channels that send.
	Asked []string `dynamodbav:"asked,omitempty" json:"-"`

	// Doubt says that something else has been said or asked since, or that it may never have been shown: a bare YES or NO
	// may be meant for something else.
	Doubt bool `dynamodbav:"doubt,omitempty" json:"-"`

	// Differs says that the customer has since named a number or a day that it does not have: a bare YES may be meant for
	// that.
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

// Spoken is how the frames of a turn ended (package live).
type Spoken struct {
	Seq         int    `dynamodbav:"seq"` // number of its final
	Stream      string `dynamodbav:"stream"`
	Interrupted bool   `dynamodbav:"cut,omitempty"`    // the customer spoke before it was over
	First       *int64 `dynamodbav:"first,omitempty"`  // milliseconds until its first token; nil if none came before its end
	Status      *int64 `dynamodbav:"status,omitempty"` // and until its first status; nil if none came
}

// Reply is an outbound message of a turn.
type Reply struct {
	Text  string           `dynamodbav:"text" json:"text"`
	Cards []map[string]any `dynamodbav:"cards,omitempty" json:"cards,omitempty"`
	Map   *geo.Location    `dynamodbav:"map,omitempty" json:"mapLocation,omitempty"`

	// Choices are what the customer may choose from while it is the latest reply.
	Choices []channel.Choice `dynamodbav:"choices,omitempty" json:"choices,omitempty"`

	By Handler `dynamodbav:"by,omitempty" json:"by,omitempty"` // absent is the assistant

	// Standing is shown with the text but is never part of it. It is left out of small talk, and on threads of staff,
	// businesses and drivers.
	Standing *standing.Standing `dynamodbav:"standing,omitempty" json:"standing,omitempty"`
}

// Whole is the reply as text channels show it: the standing line comes last.
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

// ID returns the id of the thread where participant (an actor key) meets assistant.
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

// Kind is a way to meet an assistant. A thread's id is made of it, a market and an owner.
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
