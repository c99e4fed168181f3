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
	// LeaseFor is how long a lease lasts unless it is renewed: how long a customer
	// waits at most after a process died in the middle of a turn.
	LeaseFor = 15 * time.Second

	maxInbox  = 200
	longText  = 512 // bytes; what is longer lives in the seen item, so that heads stay small
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

// Append puts an inbound message on its thread, once (and not at all when the thread beside it
// has it: that one is returned), and takes the thread's lease in
// the same write when asked to.
func (s *Store) Append(ctx context.Context, in channel.Inbound, lease bool) (Appended, error) {
	return s.appendInbound(ctx, in, nil, manner{lease: lease})
}

// AppendFrame is [Store.Append] of a message that is a frame of its live conversation, whose row in the log joins. Where
// the client names the call session that it speaks in, that one has to be the last that has begun: else [ErrOver].
func (s *Store) AppendFrame(ctx context.Context, in channel.Inbound, session string, f Frame, row dynamo.Write) (Appended, error) {
	return s.appendInbound(ctx, in, &f, manner{session: session, join: []dynamo.Write{row}})
}

// AppendResting is [Store.AppendFrame] on a thread where nothing waits, so that no turn runs, and the frame before was
// the last. Nobody else numbers frames there: the head counts this one, and it needs no row. [ErrBusy] on a thread
// that does not rest.
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
	return s.append(ctx, id, msg, in, how)
}

// Begin puts the notice with which a call session begins on a thread, which it makes where there is none. The
// same session begins once.
func (s *Store) Begin(ctx context.Context, in channel.Inbound, n Notice, join ...dynamo.Write) (Appended, error) {
	id := Of(in)
	msg := Message{ID: MessageID(id, "notice", "greeting:"+n.Session.ID), Channel: in.Channel, At: s.Now(), Language: in.Language, Notice: &n}
	return s.append(ctx, id, msg, in, manner{join: join})
}

// Notify puts a notice on an existing thread, once for each key.
func (s *Store) Notify(ctx context.Context, id, key string, n Notice) (Appended, error) {
	msg := Message{ID: MessageID(id, "notice", key), At: s.Now(), Notice: &n}
	return s.append(ctx, id, msg, channel.Inbound{}, manner{})
}

// Teller tells people what happened, by turns of their threads. The threads themselves are
// reached through it as well.
type Teller struct {
	*Store
	Queue interface {
		Queue(ctx context.Context, threadID, dedupe string) error
	}
}

// Tell puts a notice on a thread, once for each key, and queues the turn that says it. On a
// thread that is gone there is nobody to tell. 1 request and a queued message.
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
	join    []dynamo.Write // what is written with it
}

func (s *Store) append(ctx context.Context, id string, msg Message, in channel.Inbound, how manner) (Appended, error) {
	out := Appended{Thread: id, Message: msg.ID}
	seen := seenItem{At: msg.At, TTL: msg.At.Add(seenFor).Unix(), Trace: telemetry.TraceID(ctx)}
	if size(msg) > longText {
		seen.Text, seen.Media = msg.Text, msg.Media
		msg.Text, msg.Media, msg.Long = "", nil, true
	}
	ws := append([]dynamo.Write{s.Table.Put(seenKey(id, msg.ID), seen).IfAbsent().Else(errSeen)}, how.join...)
	beside := Appended{Duplicate: true}
	if in.Beside != "" {
		beside.Thread, beside.Message = in.Beside, MessageID(in.Beside, in.Channel, in.MessageID)
		ws = append(ws, s.Table.Check(seenKey(beside.Thread, beside.Message), "attribute_not_exists(pk)", nil).Else(errBeside))
	}
	head := s.headUpdate(id, msg, in)
	if how.rests {
		head = head.resting(msg)
	}
	if how.session != "" {
		head = head.within(how.session)
	}
	if in.Talk == "" {
		return s.write(ctx, out, beside, ws, head, how.lease)
	}
	existing := head
	existing.conds = append(slices.Clone(head.conds), "attribute_exists(pk)")
	a, err := s.write(ctx, out, beside, ws, existing, how.lease)
	if errors.Is(err, ErrNoThread) {
		a, err = s.write(ctx, out, beside, append(ws, s.find(id, in)...), head, how.lease)
	}
	return a, err
}

// write commits what puts a message on a thread, with its lease if that is wanted and free.
func (s *Store) write(ctx context.Context, out, beside Appended, ws []dynamo.Write, head headChange, lease bool) (Appended, error) {
	if lease {
		l := &Lease{Thread: out.Thread, By: s.NewID()}
		err := s.Table.DB().Commit(ctx, append(ws, s.leased(head, l.By))...)
		if errors.Is(err, errBeside) {
			return beside, nil
		}
		if !errors.Is(err, ErrBusy) {
			out.Lease = l
			return s.appended(out, err)
		}
	}
	err := s.Table.DB().Commit(ctx, append(ws, head.write(s.Table))...)
	if errors.Is(err, errBeside) {
		return beside, nil
	}
	return s.appended(out, err)
}

// size is what a message's text and media take, in bytes.
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

func (s *Store) appended(out Appended, err error) (Appended, error) {
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

	session string // that has to be the last which has begun; "" is any
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

// resting makes the change of a message that is the next frame, on a thread that rests or is not there yet.
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

// within makes the change of a message that is said in a call session: who speaks in one that was left is not heard in
// the one that has begun since. A thread from before the last was noted takes all.
func (c headChange) within(session string) headChange {
	c.session, c.vals[":begun"], c.vals[":reset"] = session, session, session+resetMark
	c.conds = append(c.conds, "attribute_not_exists(begun) OR begun = :begun OR begins_with(begun, :reset)")
	return c
}

// headUpdate adds msg to the inbox. A first message makes the head, and so does a call session; another notice does not.
func (s *Store) headUpdate(id string, msg Message, in channel.Inbound) headChange {
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

// leased makes the change of somebody's message, which begins a thread where there is none, take
// the lease too, if it is free.
func (s *Store) leased(c headChange, by string) dynamo.Write {
	now := s.Now()
	return c.update(s.Table, c.set+", "+takeLease).If(leaseFree, leaseValues(now, by)).
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
