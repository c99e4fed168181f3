package thread

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
	"merve/internal/words/language"
)

// Store reads and writes threads.
type Store struct {
	Table dynamo.Table // conversations
	Now   func() time.Time
	NewID func() string // for leases; unique
}

const (
	// LeaseFor is how long a lease lasts unless it is renewed. It is the longest that a customer waits after a process
	// died in the middle of a turn.
	LeaseFor = 15 * time.Second

	maxInbox  = 200
	longText  = 512 // bytes; longer texts live in the seen item, so that heads stay small
	seenFor   = 30 * 24 * time.Hour
	sweepWait = 60 * time.Second
)

// Appended says what became of an inbound message.
type Appended struct {
	Thread    string
	Message   string
	Duplicate bool   // it was here before; nothing was changed
	Lease     *Lease // the turn is the caller's, if it asked and nobody else has it
}

// Append puts an inbound message on its thread, once, and takes the thread's lease in the same write when asked to. When
// the thread that in.Beside names has the message already, it returns that one instead.
func (s *Store) Append(ctx context.Context, in channel.Inbound, lease bool) (Appended, error) {
	return s.appendInbound(ctx, in, nil, manner{lease: lease})
}

// AppendFrame is [Store.Append] for a message that is a frame of a live conversation; row, in the conversation's log,
// joins. If the client names its call session, that has to be the one that began last: else [ErrOver].
func (s *Store) AppendFrame(ctx context.Context, in channel.Inbound, session string, f Frame, row dynamo.Write) (Appended, error) {
	return s.appendInbound(ctx, in, &f, manner{session: session, join: []dynamo.Write{row}})
}

// AppendResting is [Store.AppendFrame] on a thread that rests: nothing waits, so that no turn runs, and the frame before
// this was the last. Nobody else numbers frames there, so the head counts this one and it needs no row. [ErrBusy] on a
// thread that does not rest.
func (s *Store) AppendResting(ctx context.Context, in channel.Inbound, session string, f Frame) (Appended, error) {
	return s.appendInbound(ctx, in, &f, manner{session: session, rests: true})
}

func (s *Store) appendInbound(ctx context.Context, in channel.Inbound, f *Frame, how manner) (Appended, error) {
	if err := in.Check(); err != nil {
		return Appended{}, err
	}
	id := Of(in)
	msg := Message{
		ID: MessageID(id, cmp.Or(in.Twin, in.Channel), in.MessageID), Channel: in.Channel, Text: in.Text, Media: in.Media,
		Location: in.Location, Button: in.Button, ReplyTo: in.ReplyTo, Language: in.Language, Switch: in.Switch, Quiet: in.Quiet, At: s.Now(),
		Frame: f,
	}
	if in.SentAt.Before(msg.At) {
		msg.Wrote = in.SentAt
	}
	return appending{s, id, msg, in, how}.do(ctx)
}

// Begin puts the notice that begins a call session on a thread, and makes the thread if there is none. A session begins
// once.
func (s *Store) Begin(ctx context.Context, in channel.Inbound, n Notice, join ...dynamo.Write) (Appended, error) {
	id := Of(in)
	msg := Message{ID: MessageID(id, "notice", "greeting:"+n.Session.ID), Channel: in.Channel, At: s.Now(), Language: in.Language, Notice: &n}
	return appending{s, id, msg, in, manner{join: join}}.do(ctx)
}

// Notify puts a notice on an existing thread, once for each key.
func (s *Store) Notify(ctx context.Context, id, key string, n Notice) (Appended, error) {
	msg := Message{ID: MessageID(id, "notice", key), At: s.Now(), Notice: &n}
	return appending{s, id, msg, channel.Inbound{}, manner{}}.do(ctx)
}

// Teller tells people what happened, in turns of their threads. It is also the store of the threads.
type Teller struct {
	*Store
	Queue interface {
		Queue(ctx context.Context, threadID, dedupe string) error
	}
}

// Tell puts a notice on a thread, once for each key, and queues the turn that says it. A thread that is gone has nobody
// to tell. 1 request and a queued message.
func (t Teller) Tell(ctx context.Context, id, key string, n Notice) error {
	a, err := t.Notify(ctx, id, key, n)
	if errors.Is(err, ErrNoThread) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("tell %s: %w", key, err)
	}
	return fault.Wrap(t.Queue.Queue(ctx, a.Thread, a.Message), fault.Unavailable, "queue turn of thread %s", a.Thread)
}

// manner is how a message is appended.
type manner struct {
	lease   bool           // with the thread's lease, if it is free
	rests   bool           // only if the thread rests
	session string         // only in this call session; "" is any
	join    []dynamo.Write // written with it
}

// appending is a message that is put on its thread.
type appending struct {
	*Store
	thread string
	msg    Message
	in     channel.Inbound
	how    manner
}

func (a appending) do(ctx context.Context) (Appended, error) {
	seen := seenItem{At: a.msg.At, TTL: a.msg.At.Add(seenFor).Unix(), Trace: telemetry.TraceID(ctx)}
	if size(a.msg) > longText {
		seen.Text, seen.Media = a.msg.Text, a.msg.Media
		a.msg.Text, a.msg.Media, a.msg.Long = "", nil, true
	}
	ws := append([]dynamo.Write{a.Table.Put(seenKey(a.thread, a.msg.ID), seen).IfAbsent().Else(errSeen)}, a.how.join...)
	if a.in.Beside != "" {
		other := a.onOther()
		ws = append(ws, a.Table.Check(seenKey(other.Thread, other.Message), "attribute_not_exists(pk)", nil).Else(errBeside))
	}
	head := headUpdate(a.thread, a.msg, a.in)
	if a.how.rests {
		head = head.resting(a.msg)
	}
	if a.how.session != "" {
		head = head.within(a.how.session)
	}
	if a.in.Talk == "" {
		return a.write(ctx, ws, head)
	}
	existing := head
	existing.conds = append(slices.Clone(head.conds), "attribute_exists(pk)")
	out, err := a.write(ctx, ws, existing)
	if errors.Is(err, ErrNoThread) {
		out, err = a.write(ctx, append(ws, names{a.Table}.writes(a.thread, a.in)...), head)
	}
	return out, err
}

// onOther is the message as the thread has it that was asked about besides this one.
func (a appending) onOther() Appended {
	return Appended{Thread: a.in.Beside, Message: MessageID(a.in.Beside, a.in.Channel, a.in.MessageID), Duplicate: true}
}

// write commits the message, with the thread's lease if that is wanted and free.
func (a appending) write(ctx context.Context, ws []dynamo.Write, head headChange) (Appended, error) {
	out := Appended{Thread: a.thread, Message: a.msg.ID}
	if a.how.lease {
		l := &Lease{Thread: out.Thread, By: a.NewID()}
		err := a.Table.DB().Commit(ctx, append(ws, head.leased(a.Table, l.By, a.Now()))...)
		if errors.Is(err, errBeside) {
			return a.onOther(), nil
		}
		if !errors.Is(err, ErrBusy) {
			out.Lease = l
			return out.after(err)
		}
	}
	err := a.Table.DB().Commit(ctx, append(ws, head.write(a.Table))...)
	if errors.Is(err, errBeside) {
		return a.onOther(), nil
	}
	return out.after(err)
}

// size is the size of a message's text and media, in bytes.
func size(m Message) int {
	n := len(m.Text)
	for _, a := range m.Media {
		n += len(a.URL) + len(a.Type)
	}
	return n
}

var (
	errSeen   = errors.New("message was appended before")
	errBeside = errors.New("message was appended to the other thread before")
)

// after is what was appended, after the commit.
func (out Appended) after(err error) (Appended, error) {
	if errors.Is(err, errSeen) {
		out.Duplicate, out.Lease = true, nil
		return out, nil
	}
	if err != nil {
		return Appended{}, fmt.Errorf("append to thread %s: %w", out.Thread, err)
	}
	return out, nil
}

// seenItem remembers that a message was appended.
type seenItem struct {
	At    time.Time       `dynamodbav:"at"`
	TTL   int64           `dynamodbav:"ttl"`
	Trace string          `dynamodbav:"trace,omitempty"`
	Text  string          `dynamodbav:"text,omitempty"`
	Media []channel.Media `dynamodbav:"media,omitempty"`
}

// headChange is an update of the head in the making.
type headChange struct {
	key   dynamo.Key
	set   string
	clear string // attributes to remove
	vals  dynamo.V
	conds []string

	session string // must be the one that began last; "" is any
}

func (c headChange) write(t dynamo.Table) dynamo.Write {
	return c.update(t, c.set).ElseOld(func(old dynamo.Item) error {
		begun := Session{ID: old.String("begun")}
		switch {
		case old == nil:
			return ErrNoThread
		case c.session != "" && begun.ID != "" && begun.Name() != c.session:
			return ErrOver
		case len(old.List("inbox")) >= maxInbox:
			return ErrFull
		}
		return ErrBusy
	})
}

func (c headChange) update(t dynamo.Table, set string) dynamo.Write {
	if c.clear != "" {
		set += " REMOVE " + c.clear
	}
	w := t.Update(c.key, set, c.vals)
	for _, cond := range c.conds {
		w = w.If(cond, nil)
	}
	return w
}

// resting limits the change to a thread that rests, or that does not exist yet, and to the next frame there.
func (c headChange) resting(msg Message) headChange {
	c.set += ", frames = :frame"
	c.vals[":frame"], c.vals[":before"], c.vals[":zero"] = msg.Frame.Seq, msg.Frame.Seq-1, 0
	last := "frames = :before"
	if msg.Frame.Seq == 1 {
		last = "attribute_not_exists(frames) OR " + last
	}
	c.conds = append(c.conds, "attribute_not_exists(inbox) OR size(inbox) = :zero", last)
	return c
}

// within limits the change to a call session: what is said in one that was left is not heard in the next. A thread that
// has not noted its last session yet takes everything.
func (c headChange) within(session string) headChange {
	c.session, c.vals[":begun"], c.vals[":reset"] = session, session, session+resetMark
	c.conds = append(c.conds, "attribute_not_exists(begun) OR begun = :begun OR begins_with(begun, :reset)")
	return c
}

// headUpdate adds msg to the inbox. A first message makes the head, and so does a notice that begins a call session;
// other notices do not.
func headUpdate(id string, msg Message, in channel.Inbound) headChange {
	c := headChange{
		key: headKey(id),
		set: `SET inbox = list_append(if_not_exists(inbox, :none), :msg),
			dueShard = if_not_exists(dueShard, :shard), dueAt = if_not_exists(dueAt, :due),
			listedAt = if_not_exists(since, :since), since = if_not_exists(since, :since)`,
		vals: dynamo.V{
			":none": []Message{}, ":msg": []Message{msg}, ":max": maxInbox,
			":shard": dynamo.DueShard(dueKind, id), ":due": msg.At.Add(sweepWait), ":since": msg.At,
		},
		conds: []string{"attribute_not_exists(inbox) OR size(inbox) < :max"},
	}
	if msg.Notice != nil && msg.Notice.Session == nil {
		c.conds = append(c.conds, "attribute_exists(pk)")
		return c
	}
	c.set += `, market = if_not_exists(market, :market), #type = if_not_exists(#type, :type),
		#owner = if_not_exists(#owner, :owner), created = if_not_exists(created, :now),
		channel = :channel, lastIn = :now, listed = :listed`
	c.vals[":market"], c.vals[":type"], c.vals[":owner"] = in.Market, in.ThreadType, in.From.Key()
	c.vals[":now"], c.vals[":channel"], c.vals[":listed"] = msg.At, in.Channel, listed(in.Market)
	if msg.Notice != nil {
		c.set += ", begun = :begun"
		c.vals[":begun"] = msg.Notice.Session.ID
	}
	optional := func(attr, name, value string) {
		if value != "" {
			c.set += ", " + attr + " = " + name
			c.vals[name] = value
		}
	}
	optional("assistant", ":assistant", in.Assistant)
	optional("reply", ":reply", in.ReplyAddr)
	optional("contact", ":contact", in.Contact)
	optional("addr", ":addr", in.Address)
	optional("#name", ":name", language.Clip(in.From.Name, 60))
	optional("phone", ":phone", in.From.Phone)
	switch in.Switch {
	case channel.ToCustomer:
		c.set += ", asCustomer = :now"
	case channel.ToWork, channel.Lapsed:
		c.clear = "asCustomer"
	}
	if in.Location != nil {
		c.set += ", loc = :loc, locAt = :wrote"
		c.vals[":loc"], c.vals[":wrote"] = in.Location, msg.Written()
	}
	return c
}

// leased is the change together with the lease, if that is free.
func (c headChange) leased(t dynamo.Table, by string, now time.Time) dynamo.Write {
	return c.update(t, c.set+", "+takeLease).If(leaseFree, leaseValues(now, by)).
		ElseOld(func(old dynamo.Item) error {
			if old == nil {
				return ErrNoThread
			}
			if old.Time("leaseUntil").After(now) {
				return ErrBusy
			}
			return ErrFull
		})
}
