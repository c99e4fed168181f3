// Package live lets turns speak while they think. What a turn says is written to the log of its
// conversation and then pushed to the sockets that listen; clients that were away read it there later.
//
// The log consists of numbered positions. Writing a row means putting it at the next number if that is free, so writers need
// no lock: a writer that finds the number taken reads that row, and continues after it or stops. A row holds
// one frame, or a few that belong together, each with a number of its own. In the partition of
// the thread (table conversations):
//
//	live#{seq}              a row, by the number of its first frame
//	live#~{connection}      a socket that listens
//
// and outside of it, to find the conversation of a socket:
//
//	socket#{connection}     socket
//
// A message in an idle conversation has a number and no row: the head of the thread counts it, and it is read
// in the thread's inbox. Rows last a day: finished turns are read from their thread. Both go with the thread when it
// is erased.
//
// Promises: the joined texts of a turn's token frames equal the text of its final, and of the thread's turn.
// After a stream was cancelled, its end is its only frame. A frame is pushed only after it was written.
// Numbers of a thread never go back. A socket, and a client, get only what belongs to the call session they name, and
// nothing of another one. Before the mark of that session is written, and after another one has begun, they get nothing.
//
//	Open     1 request, 1 more to take over a stream that was left
//	Say      1 request (1 write unit) a row, see [Stream.Say]
//	Look     1 request, twice a second while a turn runs
//	End      none of its own: its row (2 write units) joins the commit of the turn
//	Ended    1 request
//	Replay   2 requests, 1 more where a long message waits
package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/standing"
)

// Type says what a frame is.
type Type string

// The types of frames. Resync frames are made for one socket and are not in the log.
const (
	Token    Type = "token"    // a piece of a reply
	Status   Type = "status"   // what a turn is doing
	Final    Type = "final"    // a finished turn: its whole reply
	Error    Type = "error"    // a turn was given up
	Resync   Type = "resync"   // frames follow that were missed
	Speaking Type = "speaking" // a stream begins or ends
	Message  Type = "message"  // what the customer has said, maybe by another socket
)

// Frame is what a client is told. Its numbers order frames; one that came twice is the same.
type Frame struct {
	Type        Type               `json:"type"`
	Seq         int                `json:"seq"`
	EventID     int                `json:"eventId"` // the seq: what a client names to have what came after it
	Turn        int                `json:"turnId"`  // counted from the beginning of the call session
	Stream      string             `json:"streamId,omitempty"`
	ID          string             `json:"id,omitempty"` // of a message
	Text        string             `json:"text,omitempty"`
	Speaking    *bool              `json:"speaking,omitempty"`
	Interrupted bool               `json:"interrupted,omitempty"`
	Standing    *standing.Standing `json:"standing,omitempty"`
	Cards       []map[string]any   `json:"cards,omitempty"`
	Choices     []channel.Choice   `json:"choices,omitempty"` // of a final: what the customer may choose from
	State       any                `json:"state,omitempty"`
	From        *int               `json:"from,omitempty"` // of a resync: the first number that follows, and the last there is
	To          *int               `json:"to,omitempty"`
	Gap         bool               `json:"gap,omitempty"` // of a resync: something before from is not told again
	At          time.Time          `json:"at"`
}

// Cause says why a stream has ended.
type Cause string

// The causes.
const (
	Ended     Cause = "end"      // its turn was committed
	BargeIn   Cause = "barge_in" // the customer spoke
	TakenOver Cause = "taken over"
	Reset     Cause = "reset"
)

// noted is a frame as it is kept.
type noted struct {
	Type        Type   `dynamodbav:"t"`
	Turn        int    `dynamodbav:"n,omitempty"` // of the thread
	Stream      string `dynamodbav:"s,omitempty"`
	ID          string `dynamodbav:"id,omitempty"`
	Text        string `dynamodbav:"x,omitempty"`
	Speaking    bool   `dynamodbav:"sp,omitempty"`
	Interrupted bool   `dynamodbav:"i,omitempty"`
	Cause       Cause  `dynamodbav:"c,omitempty"` // of the end of a stream
}

// row is some frames at a number.
type row struct {
	Frames []noted   `dynamodbav:"frames"`
	At     time.Time `dynamodbav:"at"`
	TTL    int64     `dynamodbav:"ttl"`

	seq int
}

func (r row) next() int { return r.seq + len(r.Frames) }

// finishes reports whether the row ends a turn.
func (r row) finishes() bool { return r.Frames[len(r.Frames)-1].Type == Final }

// rowsFor is how long rows are kept: a client that was away for longer only gets finished turns.
const rowsFor = 24 * time.Hour

const (
	rowPrefix    = "live#"
	socketPrefix = "live#~" // sorts behind every number
)

func rowKey(thread string, seq int) dynamo.Key {
	return dynamo.Key{PK: thread, SK: fmt.Sprintf("%s%012d", rowPrefix, seq)}
}

// ErrTaken says that somebody else has written at a number.
var ErrTaken = errors.New("the number is taken")

// Stage is where the turns of live conversations speak.
type Stage struct {
	Table dynamo.Table // conversations
	Posts Poster
	Now   func() time.Time
	Wait  func(ctx context.Context, d time.Duration) error
	Log   *slog.Logger

	// Patience is how long a caller waits for a word of any kind, until they are told that a turn is at work.
	Patience time.Duration
}

// put is the write of a row.
func (s *Stage) put(thread string, seq int, frames ...noted) dynamo.Write {
	now := s.Now()
	return s.Table.Put(rowKey(thread, seq), row{Frames: frames, At: now, TTL: now.Add(rowsFor).Unix()}).IfAbsent().Else(ErrTaken)
}

// after reads the rows behind a number, and the sockets that listen.
func (s *Stage) after(ctx context.Context, thread string, seq int) ([]row, []Socket, error) {
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where: "pk = :pk AND sk BETWEEN :from AND :to", Values: dynamo.V{":pk": thread, ":from": rowKey(thread, seq+1).SK, ":to": socketPrefix + "~"},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("frames of thread %s: %w", thread, err)
	}
	var rows []row
	var sockets []Socket
	now := s.Now()
	for _, it := range page.Items {
		if it.Expired(now) {
			continue
		}
		if id, ok := strings.CutPrefix(it.Key().SK, socketPrefix); ok {
			k := Socket{ID: id, Thread: thread}
			if err := it.Decode(&k); err != nil {
				return nil, nil, err
			}
			sockets = append(sockets, k)
			continue
		}
		var r row
		if err := it.Decode(&r); err != nil {
			return nil, nil, err
		}
		if _, err := fmt.Sscanf(it.Key().SK, rowPrefix+"%d", &r.seq); err != nil {
			return nil, nil, fmt.Errorf("frame %v: %w", it.Key(), err)
		}
		rows = append(rows, r)
	}
	return rows, sockets, nil
}

// view is the state that the rows after a finished turn add up to: a fold of them, in their order.
type view struct {
	head    thread.Head
	sockets []Socket
	rests   bool // nothing waits, so no turn runs, and there are no rows

	last   int    // number of the latest frame
	turn   int    // the turn that has a stream, or had one and is not finished; 0 if there is none
	stream string // the latest of it
	open   bool   // it speaks
	upTo   string // the last message that the turn answers
	said   string // by all streams of the turn
	hushed bool   // its stream was cancelled
	told   int    // the turn that has already announced what it is doing; 0 if none has
}

func seen(h thread.Head, rows []row, sockets []Socket) view {
	v := view{head: h, sockets: sockets, last: h.Frames}
	for _, r := range rows {
		v.take(r)
	}
	return v
}

func (v *view) take(r row) {
	for _, f := range r.Frames {
		v.frame(f)
	}
	v.last = max(v.last, r.next()-1)
}

func (v *view) frame(f noted) {
	switch f.Type {
	case Speaking:
		if f.Speaking {
			if v.turn != f.Turn {
				v.said, v.hushed, v.upTo = "", false, f.ID
			}
			v.turn, v.stream, v.open = f.Turn, f.Stream, true
			return
		}
		if f.Stream == v.stream {
			v.open = false
			v.hushed = v.hushed || f.Cause == BargeIn || f.Cause == Reset
		}
	case Token:
		if f.Turn == v.turn {
			v.said += f.Text
		}
	case Status:
		v.told = f.Turn
	case Final:
		*v = view{head: v.head, sockets: v.sockets, last: v.last}
	}
}

// wire is a frame as clients see it.
func (f noted) wire(seq, from int, at time.Time) Frame {
	w := Frame{
		Type: f.Type, Seq: seq, EventID: seq, Turn: max(0, f.Turn-from), Stream: f.Stream, Text: f.Text, Interrupted: f.Interrupted, At: at.UTC(),
	}
	switch f.Type {
	case Speaking:
		w.Speaking = &f.Speaking
	case Message:
		w.ID = f.ID
	}
	return w
}

// finalOf is the frame of a finished turn; ok is false for one that was never live.
func finalOf(t thread.Turn, from int) (f Frame, ok bool) {
	if t.Spoken == nil {
		return Frame{}, false
	}
	f = Frame{
		Type: Final, Seq: t.Spoken.Seq, EventID: t.Spoken.Seq, Turn: max(0, t.N-from), Stream: t.Spoken.Stream,
		Interrupted: t.Spoken.Interrupted, At: t.At.UTC(),
	}
	if len(t.Out) > 0 {
		out := t.Out[len(t.Out)-1]
		f.Text, f.Cards, f.Choices, f.Standing = out.Text, out.Cards, out.Choices, out.Standing.In(out.Text)
	}
	return f, true
}

// spoken returns the name of the call session that something is said in; "" without a session.
func spoken(s *thread.Session) string {
	if s == nil {
		return ""
	}
	return s.Name()
}

// from is how many turns of a thread were finished before its call session began.
func from(h thread.Head) int {
	if h.Session == nil {
		return 0
	}
	return h.Session.From
}
