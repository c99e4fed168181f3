package live

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"merve/internal/spine/thread"
)

// maxHistory is how many turns a returning client gets; earlier ones are a gap.
const maxHistory = 20

// State is the state of a conversation, for a client that has to redraw it.
type State struct {
	Thread      string         `json:"threadId"`
	CallSession string         `json:"callSessionId"`
	Turn        int            `json:"turnId"`
	Speaking    bool           `json:"speaking"`
	History     []Line         `json:"history"` // the latest, oldest first
	Pending     *Pending       `json:"pendingAction,omitempty"`
	Connections int            `json:"connections"`
	Domain      map[string]any `json:"domainState"`
}

// Pending is the action that waits for the customer's YES or NO.
type Pending struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Summary   string    `json:"summary"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Line is one line of a conversation's history.
type Line struct {
	Role    string    `json:"role"` // user or assistant
	Content string    `json:"content"`
	Turn    int       `json:"turnId"`
	At      time.Time `json:"at"`
}

// Missed is the part of a conversation that a client has not got yet.
type Missed struct {
	Resync Frame
	Events []Frame
	State  State
	Gap    bool // something before the events is not told again
}

// Missed returns what came after a frame: finished turns as their finals, the running one as its frames. If after is
// not a number of the conversation, nothing is known of it, so everything comes, and a gap is announced. "" is
// a client that has nothing yet. Everything belongs to the call session that the client names, "" being the current
// one. A session whose mark is not written yet, or that was left, has nothing. 2 requests, 1 more if a long message
// waits, and those of the state.
func (h *Host) Missed(ctx context.Context, threadID, session, after string) (Missed, error) {
	t, rows, sockets, err := h.now(ctx, threadID)
	if err != nil {
		return Missed{}, err
	}
	return h.missed(ctx, t, rows, sockets, session, after)
}

func (h *Host) missed(ctx context.Context, t *thread.Thread, rows []row, sockets []Socket, session, after string) (Missed, error) {
	named := cmp.Or(session, spoken(t.Begun()))
	v := seen(t.Head, rows, slices.DeleteFunc(sockets, func(k Socket) bool { return !k.hears(named) }))
	if len(t.Inbox) > 0 && !h.Now().Before(t.LeaseUntil) { // nobody is at work on it
		if err := h.Queue.Turn(ctx, t.ID); err != nil {
			return Missed{}, err
		}
	}
	if !t.In(session) {
		return h.nothing(ctx, t, v, session)
	}
	known, ok := number(after)
	m := Missed{Gap: after != "" && (!ok || known == 0 || known > v.last)}
	if m.Gap || !ok {
		known = 0
	}
	all := known >= t.Frames // or one of the latest is known: nothing before is missed
	for _, done := range t.Recent {
		f, ok := finalOf(done, from(v.head))
		switch {
		case ok && f.Seq > known:
			m.Events = append(m.Events, f)
		case ok:
			all = true
		}
	}
	if len(t.Recent) == maxHistory && known > 0 && !all {
		m.Gap = true // more may have been finished
	}
	for _, r := range rows {
		for i, n := range r.Frames {
			if seq := r.seq + i; seq > known {
				m.Events = append(m.Events, n.wire(seq, from(v.head), r.At))
			}
		}
	}
	waiting, err := h.waiting(ctx, t, known)
	if err != nil {
		return Missed{}, err
	}
	m.Events = inOrder(append(m.Events, waiting...))
	if m.State, err = h.state(ctx, t, v); err != nil {
		return Missed{}, err
	}
	m.Resync = h.resync(m, v.last)
	return m, nil
}

// resync returns the frame that comes before the missed ones.
func (h *Host) resync(m Missed, last int) Frame {
	first := last + 1
	if len(m.Events) > 0 {
		first = m.Events[0].Seq
	}
	return Frame{Type: Resync, Turn: m.State.Turn, From: &first, To: &last, Gap: m.Gap, State: m.State, At: h.Now().UTC()}
}

// nothing returns the answer about a call session that the conversation is not in: the state of a conversation in
// which nobody has proven, seen or asked for anything.
func (h *Host) nothing(ctx context.Context, t *thread.Thread, v view, session string) (m Missed, err error) {
	empty := thread.Head{ID: t.ID, Market: t.Market, Type: t.Type, Assistant: t.Assistant, Owner: t.Owner}
	m.State, err = h.state(ctx, &thread.Thread{Head: empty}, view{sockets: v.sockets})
	m.State.CallSession = session
	m.Resync = h.resync(m, v.last)
	return m, err
}

// waiting are the frames of messages that are not answered yet, behind a number. Some of them have rows, too.
func (h *Host) waiting(ctx context.Context, t *thread.Thread, known int) (frames []Frame, err error) {
	if err := h.Threads.Fill(ctx, t); err != nil {
		return nil, err
	}
	for _, in := range t.Inbox {
		if in.Frame != nil && in.Frame.Seq > known {
			n := noted{Type: Message, ID: in.Frame.ID, Text: in.Text}
			frames = append(frames, n.wire(in.Frame.Seq, from(t.Head), in.At))
		}
	}
	return frames, nil
}

// inOrder sorts frames by their numbers, and has each message once: one that waits may have a row, too.
func inOrder(frames []Frame) []Frame {
	slices.SortStableFunc(frames, func(a, b Frame) int { return a.Seq - b.Seq })
	return slices.CompactFunc(frames, func(a, b Frame) bool { return a.Type == Message && b.Type == Message && a.Seq == b.Seq })
}

// now reads the latest turns of a conversation, and the rows behind them. Where a turn was finished between the two
// reads its final is among the rows, without its text: then it reads again.
func (h *Host) now(ctx context.Context, threadID string) (*thread.Thread, []row, []Socket, error) {
	for {
		t, err := h.Threads.Latest(ctx, threadID, maxHistory)
		if err != nil {
			return nil, nil, nil, err
		}
		rows, sockets, err := h.after(ctx, threadID, t.Frames)
		if err != nil || !slices.ContainsFunc(rows, row.finishes) {
			return t, rows, sockets, err
		}
	}
}

// Stands is how a conversation stands in the call session that a client names.
func (h *Host) Stands(ctx context.Context, threadID, session string) (State, error) {
	m, err := h.Missed(ctx, threadID, session, "")
	return m.State, err
}

func (h *Host) state(ctx context.Context, t *thread.Thread, v view) (State, error) {
	s := State{Thread: t.ID, Turn: max(0, t.Turns-from(v.head)), Speaking: v.open, History: []Line{}, Connections: len(v.sockets), Domain: map[string]any{}}
	if p := t.Waits(h.Now()); p != nil {
		s.Pending = &Pending{p.ID, p.Kind, p.Question(), p.ExpiresAt.UTC()}
	}
	if t.Session != nil {
		s.CallSession = t.Session.Name()
	}
	for _, done := range t.Recent {
		for _, in := range done.In {
			if in.Notice == nil {
				s.History = append(s.History, Line{"user", in.Text, max(0, done.N-from(v.head)), in.At.UTC()})
			}
		}
		for _, out := range done.Out {
			s.History = append(s.History, Line{"assistant", out.Text, max(0, done.N-from(v.head)), done.At.UTC()})
		}
	}
	s.History = s.History[max(0, len(s.History)-maxHistory):]
	if h.State == nil || t.Owner == "" { // nobody has said anything yet
		return s, nil
	}
	domain, err := h.State(ctx, t.Head)
	if err == nil && domain != nil {
		s.Domain = domain
	}
	return s, err
}

// Replay tells a socket what came after a frame, of the call session that it names. A conversation in which nobody has said anything has no thread yet: its
// client is told so.
func (h *Host) Replay(ctx context.Context, threadID, id, after string) error {
	t, rows, sockets, err := h.now(ctx, threadID)
	if errors.Is(err, thread.ErrNoThread) {
		t = &thread.Thread{Head: thread.Head{ID: threadID}}
		rows, sockets, err = h.after(ctx, threadID, 0)
	}
	if err != nil {
		return err
	}
	i := slices.IndexFunc(sockets, func(k Socket) bool { return k.ID == id })
	if i < 0 {
		return nil // it has gone
	}
	k := sockets[i]
	missed, err := h.missed(ctx, t, rows, sockets, k.Session, after)
	if err != nil {
		return err
	}
	f := h.fan(threadID)
	k.At = h.Now() // and is only just opening, maybe
	for _, m := range append([]Frame{missed.Resync}, missed.Events...) {
		if !f.post(ctx, k, encode(m)) {
			h.forget(ctx, k)
			return nil
		}
	}
	return nil
}
