package live

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/limit"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Host handles what clients of live conversations send, by socket or by request.
type Host struct {
	*Stage
	Threads *thread.Store
	Queue   Queue

	// Greeting is the text with which an assistant begins a call session. calls says that its conversations take place in
	// a call session even if the client names none.
	Greeting func(ctx context.Context, in channel.Inbound) (text string, calls bool, err error)

	// State returns what a client may know about the domain of a conversation; nil returns nothing.
	State func(ctx context.Context, h thread.Head) (map[string]any, error)

	// Admit counts a message that a client sends by socket, and refuses it if there are too many; nil accepts all. Requests
	// are counted by the server that handles them.
	Admit func(ctx context.Context, c Caller) error

	// Rate counts the messages that all sockets of a conversation bring within a short time; nil takes all.
	Rate *limit.Counter

	Rooms Rooms // where callers are heard; nil is nowhere

	NewID func() string
}

// Queue has things done by somebody else: a socket is written to only when it is wholly open.
type Queue interface {
	// Turn has the thread's turn run.
	Turn(ctx context.Context, thread string) error
	// Replay sends a socket what it missed.
	Replay(ctx context.Context, thread, connection, after string) error
}

// Caller is who talks, and in which call session: an inbound message without its words.
type Caller struct {
	channel.Inbound
	Session thread.Session
}

const (
	maxSession = 128                          // bytes of a name that a client gives
	maxTapped  = 200                          // of a button's payload
	maxData    = 16 << 10                     // of a frame that a client sends
	maxSockets = 20                           // that listen to one conversation
	socketFor  = 2*time.Hour + 10*time.Minute // the gateway closes it before
)

// How much a socket may send, and all sockets of a conversation together, within a short time. People who type or speak,
// and a page that asks for the state after each reply, stay far below.
const (
	rateFor      = 10 * time.Second
	mostFrames   = 40 // of a socket, of whatever type; it is hung up when it sends as many again
	mostMessages = 20 // of a conversation
)

// errCounted says that a socket has sent something within this time already.
var errCounted = errors.New("it is counted already")

// errTooFast is the answer to a client that sends too much.
var errTooFast = fault.New(fault.Limited, "too much at once: wait a few seconds, and send it again")

// connection is the stored data of a socket.
type connection struct {
	Caller Caller `dynamodbav:"caller"`
	TTL    int64  `dynamodbav:"ttl"`
	Window int64  `dynamodbav:"window,omitempty"` // when it began to be counted
	Frames int    `dynamodbav:"frames,omitempty"`
}

// CheckName refuses a name of a conversation or a call session, in a field, that cannot be kept.
func CheckName(field, name string) error {
	if len(name) > maxSession || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return fault.Field(field, "at most %d bytes without control characters", maxSession)
	}
	return nil
}

// CheckMessage refuses what cannot be said, or not under such an id.
func CheckMessage(text, id string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fault.Field("text", "must not be empty")
	case utf8.RuneCountInString(text) > channel.MaxText:
		return fault.Field("text", "at most %d characters", channel.MaxText)
	case len(id) > maxSession:
		return fault.Field("id", "at most %d bytes", maxSession)
	}
	return nil
}

// Connect lets a socket listen to a conversation, begins its call session, and sends it everything after a given frame.
func (h *Host) Connect(ctx context.Context, id string, c Caller, after string) error {
	ctx = telemetry.WithCall(ctx, c.Session.Name())
	now := h.Now()
	ttl := now.Add(socketFor).Unix()
	threadID := thread.Of(c.Inbound)
	_, sockets, err := h.after(ctx, threadID, lastNumber)
	if err != nil {
		return err
	}
	if len(sockets) >= maxSockets {
		return fault.New(fault.Limited, "at most %d sockets listen to one conversation", maxSockets)
	}
	err = h.Table.DB().Commit(ctx,
		h.Table.Put(connectionKey(id), connection{Caller: c, TTL: ttl}), h.Table.Put(socketKey(threadID, id), Socket{Session: c.Session.ID, At: now, TTL: ttl}))
	if err != nil {
		return fmt.Errorf("connect to thread %s: %w", threadID, err)
	}
	if err := h.Begin(ctx, c); err != nil && !errors.Is(err, thread.ErrOver) { // it hears nothing more, as others that were in it
		return err
	}
	return h.Queue.Replay(ctx, threadID, id, after)
}

// lastNumber is behind every frame.
const lastNumber = 999_999_999_998

// Disconnect forgets a socket. Its turn goes on.
func (h *Host) Disconnect(ctx context.Context, id string) error {
	c, err := h.caller(ctx, id)
	if errors.Is(err, ErrGone) {
		return nil
	}
	if err != nil {
		return err
	}
	return h.Table.DB().Commit(ctx, h.Table.Delete(connectionKey(id)), h.Table.Delete(socketKey(thread.Of(c.Inbound), id)))
}

func (h *Host) caller(ctx context.Context, id string) (Caller, error) {
	it, err := h.Table.Get(ctx, connectionKey(id))
	if err != nil {
		return Caller{}, fmt.Errorf("socket: %w", err)
	}
	if it == nil || it.Expired(h.Now()) {
		return Caller{}, ErrGone
	}
	var c connection
	return c.Caller, it.Decode(&c)
}

// sends counts one more frame of a socket, and returns its caller. Beyond the limit frames are refused, and if they keep
// coming the socket is hung up. 1 request, 2 if it is not the first for a while.
func (h *Host) sends(ctx context.Context, id string) (Caller, error) {
	now := h.Now()
	v := dynamo.V{":one": 1, ":window": now.Truncate(rateFor).Unix()}
	first := h.Table.Update(connectionKey(id), "SET #window = :window, frames = :one", v).
		If("attribute_exists(pk) AND (attribute_not_exists(#window) OR #window < :window)", nil).
		ElseOld(func(old dynamo.Item) error {
			if old == nil {
				return ErrGone
			}
			return errCounted
		})
	it, err := h.Table.DB().Apply(ctx, first)
	if errors.Is(err, errCounted) {
		next := h.Table.Update(connectionKey(id), "ADD frames :one", dynamo.V{":one": 1}).If("attribute_exists(pk)", nil).Else(ErrGone)
		it, err = h.Table.DB().Apply(ctx, next)
	}
	if err != nil {
		return Caller{}, fmt.Errorf("socket: %w", err)
	}
	var c connection
	switch err := it.Decode(&c); {
	case err != nil:
		return Caller{}, err
	case it.Expired(now):
		return Caller{}, ErrGone
	case c.Frames > 2*mostFrames:
		h.forget(ctx, Socket{ID: id, Thread: thread.Of(c.Caller.Inbound)})
		return Caller{}, ErrGone
	case c.Frames > mostFrames:
		return Caller{}, errTooFast
	}
	return c.Caller, nil
}

// admit counts one more message that a socket brings.
func (h *Host) admit(ctx context.Context, c Caller) error {
	if h.Rate != nil {
		if err := h.Rate.Within(ctx, "socket", thread.Of(c.Inbound), mostMessages, rateFor, errTooFast); err != nil {
			return err
		}
	}
	if h.Admit == nil {
		return nil
	}
	return h.Admit(ctx, c)
}

// unnamed is the call session of a client that names none.
const unnamed = "default"

// Begin begins the call session that a client names, once. An assistant that has call sessions begins one by
// itself where the client names none. [thread.ErrOver] when another has begun since.
func (h *Host) Begin(ctx context.Context, c Caller) error {
	greeting, calls, err := h.Greeting(ctx, c.Inbound)
	if err != nil || !calls && c.Session.ID == "" {
		return err
	}
	named := c.Session.ID
	c.Session.ID = cmp.Or(named, unnamed)
	return h.begin(ctx, c, greeting, func(begun *thread.Session) bool { return named == "" || named == begun.Name() })
}

// begin begins a call session, unless the session that began last is already the same.
func (h *Host) begin(ctx context.Context, c Caller, greeting string, is func(begun *thread.Session) bool) error {
	session := c.Session
	threadID := thread.Of(c.Inbound)
	return h.write(ctx, threadID, func(v view) error {
		begun := v.head.Begun()
		if begun != nil && is(begun) {
			return nil
		}
		var join []dynamo.Write
		if name := session.Name(); name != "" && name != unnamed {
			join = append(join, h.Threads.FindCall(threadID, c.Market, name))
		}
		if v.open {
			join = append(join, h.put(threadID, v.last+1, v.cancelled(Reset)))
		}
		a, err := h.Threads.Begin(ctx, c.Inbound, thread.Notice{Kind: "session", Text: greeting, Session: &session}, join...)
		if err != nil {
			return err
		}
		if a.Duplicate { // somebody else was faster, or it was left since
			head, err := h.Threads.Head(ctx, threadID)
			if err != nil {
				return err
			}
			if begun := head.Begun(); begun != nil && !is(begun) {
				return thread.ErrOver
			}
		}
		return h.Queue.Turn(ctx, a.Thread)
	})
}

// cancelled returns the frame that ends an open stream.
func (v view) cancelled(why Cause) noted {
	return noted{Type: Speaking, Turn: v.turn, Stream: v.stream, Cause: why}
}

// write does something that writes the next row of a log: again when somebody else was before it.
func (h *Host) write(ctx context.Context, threadID string, do func(view) error) error {
	for {
		v, err := h.view(ctx, threadID)
		if err != nil {
			return err
		}
		if err = do(v); !errors.Is(err, ErrTaken) {
			return err
		}
	}
}

// view is how a conversation's log stands.
func (h *Host) view(ctx context.Context, threadID string) (view, error) {
	head, err := h.Threads.Head(ctx, threadID)
	if err != nil && !errors.Is(err, thread.ErrNoThread) {
		return view{}, err
	}
	rows, sockets, err := h.after(ctx, threadID, head.Frames)
	v := seen(head, rows, sockets)
	v.rests = len(rows) == 0 && len(head.Inbox) == 0 // a running turn has the messages it answers in the inbox
	return v, err
}

// Say accepts a message. If a stream is speaking, the same transaction cancels it. The conversation's other sockets
// get the message; by is the socket it came from, if it came from one.
func (h *Host) Say(ctx context.Context, c Caller, by string) (thread.Appended, error) {
	var a thread.Appended
	threadID := thread.Of(c.Inbound)
	message := noted{Type: Message, ID: c.MessageID, Text: c.Text}
	return a, h.write(ctx, threadID, func(v view) error {
		frames := []noted{message}
		if v.open {
			frames = append([]noted{v.cancelled(BargeIn)}, message)
		}
		var err error
		a, err = h.append(ctx, c, v, frames)
		if err != nil {
			return err
		}
		if err := h.Queue.Turn(ctx, threadID); err != nil || a.Duplicate {
			return err
		}
		h.tell(ctx, threadID, v, frames, by)
		return nil
	})
}

// append writes a message, the last of its frames, behind a view. An idle conversation needs no row for it, because there
// is no stream that the row would stop.
func (h *Host) append(ctx context.Context, c Caller, v view, frames []noted) (thread.Appended, error) {
	f := thread.Frame{Seq: v.last + len(frames), ID: c.MessageID}
	if !v.rests {
		return h.Threads.AppendFrame(ctx, c.Inbound, c.Session.ID, f, h.put(thread.Of(c.Inbound), v.last+1, frames...))
	}
	a, err := h.Threads.AppendResting(ctx, c.Inbound, c.Session.ID, f)
	if errors.Is(err, thread.ErrBusy) {
		err = ErrTaken
	}
	return a, err
}

// tell pushes frames that were written behind a view, to who listens now: a socket that has connected since the view was
// read has maybe been told what it missed before they were written. By has sent the message among them and need not hear it.
func (h *Host) tell(ctx context.Context, threadID string, v view, frames []noted, by string) {
	_, sockets, err := h.after(ctx, threadID, lastNumber)
	if err != nil {
		h.Log.InfoContext(ctx, "sockets not looked for", "thread", threadID, "error", err.Error())
		return
	}
	f := h.fan(threadID)
	f.listen(ctx, sockets)
	for i, n := range frames {
		but := ""
		if n.Type == Message {
			but = by
		}
		f.frame(spoken(v.head.Begun()), n.wire(v.last+1+i, from(v.head), h.Now()), but)
	}
	f.close(ctx)
}

// BargeIn cancels the stream that speaks: one of that name, or whichever it is. Where none does in the call session that the
// client names, nothing happens.
func (h *Host) BargeIn(ctx context.Context, threadID, session, stream string) error {
	return h.write(ctx, threadID, func(v view) error {
		if !v.open || !v.head.In(session) || stream != "" && stream != v.stream {
			return nil
		}
		frames := []noted{v.cancelled(BargeIn)}
		if err := h.Table.DB().Commit(ctx, h.put(threadID, v.last+1, frames...)); err != nil {
			return err
		}
		h.tell(ctx, threadID, v, frames, "")
		return nil
	})
}

// Reset begins the call session of a conversation again: what was said and shown in it counts no more. [thread.ErrOver] when
// the client names another one.
func (h *Host) Reset(ctx context.Context, c Caller) error {
	threadID := thread.Of(c.Inbound)
	head, err := h.Threads.Head(ctx, threadID)
	if err != nil {
		return err
	}
	greeting, _, err := h.Greeting(ctx, c.Inbound)
	if err != nil {
		return err
	}
	if begun := head.Begun(); begun != nil {
		if c.Session.ID != "" && c.Session.ID != begun.Name() {
			return thread.ErrOver
		}
		c.Session = *begun
	}
	c.Session = c.Session.Again(h.NewID())
	return h.begin(ctx, c, greeting, func(begun *thread.Session) bool { return begun.ID == c.Session.ID })
}

// sent is what a client sends by its socket.
type sent struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Button  string          `json:"button"`  // payload of a tapped button
	ReplyTo string          `json:"replyTo"` // the pending action that it answers
	Stream  string          `json:"streamId"`
	After   json.RawMessage `json:"lastEventId"`
}

// Receive handles data that a client has sent by a socket. The answer, if there is one, goes back the same way.
func (h *Host) Receive(ctx context.Context, id string, data []byte) (answer any, err error) {
	c, err := h.sends(ctx, id)
	if err != nil {
		return nil, err
	}
	ctx = telemetry.WithCall(ctx, c.Session.Name())
	var m sent
	if len(data) > maxData {
		return nil, fault.New(fault.TooLarge, "at most %d bytes", maxData)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fault.New(fault.Invalid, "want one JSON object with a type")
	}
	threadID := thread.Of(c.Inbound)
	switch m.Type {
	case "ping":
		return map[string]any{"type": "pong", "at": h.Now().UTC()}, nil
	case "message":
		if err := CheckMessage(m.Text, m.ID); err != nil {
			return nil, err
		}
		if len(m.Button) > maxTapped || len(m.ReplyTo) > maxTapped {
			return nil, fault.Field("button", "a button and what it replies to have at most %d bytes each", maxTapped)
		}
		if err := h.admit(ctx, c); err != nil {
			return nil, err
		}
		c.Text, c.MessageID, c.Button, c.ReplyTo = m.Text, m.ID, m.Button, m.ReplyTo
		if m.ID == "" {
			c.MessageID = h.NewID()
		}
		_, err := h.Say(ctx, c, id)
		return nil, err
	case "barge_in":
		return nil, h.BargeIn(ctx, threadID, c.Session.ID, m.Stream)
	case "resync":
		return nil, h.Replay(ctx, threadID, id, LastEvent(m.After))
	}
	return nil, fault.Field("type", "want message, barge_in, resync or ping")
}

// LastEvent is the frame that a client names as its last, by a number or a string; "" where it names none.
func LastEvent(raw json.RawMessage) string {
	if string(raw) == "null" {
		return ""
	}
	return strings.Trim(string(raw), `"`)
}

// number reads a frame number that a client sent; ok is false if it is not one.
func number(after string) (n int, ok bool) {
	n, err := strconv.Atoi(after)
	return n, err == nil && n >= 0
}
