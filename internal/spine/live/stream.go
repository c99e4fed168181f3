package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/agent"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/words/language"
)

// When a row of tokens is written: the first piece at once; after that once the pieces make a sentence or
// many words and the last row is a while ago, and in any case before they get old.
const (
	pause     = 60 * time.Millisecond
	oldest    = 500 * time.Millisecond
	manyWords = 18 // about 24 tokens
)

// Stream is the speech of a running turn in a live conversation. It is safe for use by several goroutines.
type Stream struct {
	s    *Stage
	h    thread.Head
	turn int
	id   string
	upTo string // the last message that the turn answers

	mu      sync.Mutex
	last    int    // number of the latest frame known
	opened  bool   // this stream has its first frame
	before  string // said by streams of this turn that were left
	said    string // of this stream, written
	held    string // not written yet
	wrote   time.Time
	next    int  // number of the turn's end, when its text is settled
	cut     bool // it was hushed then
	ending  end
	began   time.Time
	first   *int64 // milliseconds until the first token
	status  *int64 // and the first status
	told    bool   // what the turn is doing
	hushed  bool
	hush    context.CancelCauseFunc // ends what the model says; nil while it says nothing
	pushing *fan
}

// Open reads the state of a turn's conversation. It closes what an earlier runner of the turn has said in it, so that
// anything that runner still writes fails.
func (s *Stage) Open(ctx context.Context, h thread.Head, turn int) (*Stream, error) {
	rows, sockets, err := s.after(ctx, h.ID, h.Frames)
	if err != nil {
		return nil, err
	}
	v := seen(h, rows, sockets)
	st := &Stream{s: s, h: h, turn: turn, id: fmt.Sprintf("t%de%d", turn, h.Epoch), last: v.last, pushing: s.fan(h.ID), began: s.Now()}
	st.pushing.listen(ctx, sockets)
	st.told = v.told == turn
	if v.turn != turn {
		return st, nil
	}
	st.before, st.hushed, st.upTo = v.said, v.hushed, v.upTo
	if !v.open {
		return st, nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	err = st.put(ctx, noted{Type: Speaking, Turn: turn, Stream: v.stream, Cause: TakenOver})
	if err != nil && !errors.Is(err, agent.ErrHushed) {
		st.pushing.close(ctx) // nobody else will
		return nil, err
	}
	return st, nil
}

// UpTo is the last message that the turn answers, when it has begun to speak before; "" else.
func (st *Stream) UpTo() string {
	if st == nil {
		return ""
	}
	return st.upTo
}

// Said is all that the turn has said.
func (st *Stream) Said() string {
	if st == nil {
		return ""
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.before + st.said + st.held
}

// Hushed reports whether the customer has spoken while the turn did, or reset the conversation.
func (st *Stream) Hushed() bool {
	if st == nil {
		return false
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.hushed
}

// Answers notes the last message that the turn answers, before it speaks.
func (st *Stream) Answers(message string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.opened && st.before == "" {
		st.upTo = message
	}
}

// Say says a piece. It fails with [agent.ErrHushed] when nobody listens any more.
func (st *Stream) Say(ctx context.Context, piece string) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.hushed {
		return agent.ErrHushed
	}
	st.held += piece
	if !st.due() {
		return nil
	}
	return st.flush(ctx)
}

// due reports whether the held text is worth a row.
func (st *Stream) due() bool {
	since := st.s.Now().Sub(st.wrote)
	switch {
	case st.held == "":
		return false
	case !st.opened || since >= oldest:
		return true
	case since < pause:
		return false
	}
	return len(strings.Fields(st.held)) >= manyWords || language.EndsSentence(st.held)
}

// flush writes the held text. A stream that begins says so in the same row.
func (st *Stream) flush(ctx context.Context) error {
	if st.held == "" {
		return nil
	}
	frames := []noted{{Type: Token, Turn: st.turn, Stream: st.id, Text: st.held}}
	if !st.opened {
		frames = append([]noted{{Type: Speaking, Turn: st.turn, Stream: st.id, Speaking: true, ID: st.upTo}}, frames...)
	}
	if err := st.put(ctx, frames...); err != nil {
		if errors.Is(err, agent.ErrHushed) {
			st.held = ""
		}
		return err
	}
	st.opened, st.said, st.held, st.wrote = true, st.said+st.held, "", st.s.Now()
	st.note(&st.first)
	return nil
}

// Tell says what the turn is doing. Only the first who does so is heard, in whatever process, and nobody once the
// turn has said something or was hushed. It reports whether it was.
func (st *Stream) Tell(ctx context.Context, text string) (bool, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.told || st.hushed || st.before+st.said+st.held != "" {
		return false, nil
	}
	err := st.put(ctx, noted{Type: Status, Turn: st.turn, Text: text})
	if errors.Is(err, errTold) || errors.Is(err, agent.ErrHushed) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	st.told = true
	st.note(&st.status)
	return true, nil
}

// errTold says that somebody else has said what the turn is doing.
var errTold = errors.New("told already")

// note keeps how long it took until something happened first.
func (st *Stream) note(at **int64) {
	if *at == nil {
		ms := st.s.Now().Sub(st.began).Milliseconds()
		*at = &ms
	}
}

// Times returns the milliseconds until the first words, and until the first word on what the turn does; nil without these.
func (st *Stream) Times() (first, status *int64) {
	if st == nil {
		return nil, nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.first, st.status
}

// put writes frames at the next number and pushes them. Where somebody else has written it reads on; it stops where
// that hushes the turn. A write that has begun is not given up: nobody else would push it.
func (st *Stream) put(ctx context.Context, frames ...noted) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	for {
		seq := st.last + 1
		err := st.s.Table.DB().Commit(ctx, st.s.put(st.h.ID, seq, frames...))
		if err == nil {
			st.last = seq + len(frames) - 1
			st.push(seq, frames...)
			return nil
		}
		if !errors.Is(err, ErrTaken) {
			return fmt.Errorf("say: thread %s: %w", st.h.ID, err)
		}
		rows, err := st.read(ctx)
		if err != nil {
			return err
		}
		if len(rows) > 0 && slices.Equal(rows[0].Frames, frames) { // written by this very call, whose answer was lost
			st.push(seq, frames...)
			return nil
		}
		if len(rows) == 0 || rows[0].seq != seq {
			return fmt.Errorf("say: thread %s: number %d is taken, and nothing stands there", st.h.ID, seq)
		}
		if st.hushed {
			return agent.ErrHushed
		}
		if st.told && frames[0].Type == Status {
			return errTold
		}
	}
}

func (st *Stream) push(seq int, frames ...noted) {
	now := st.s.Now()
	for i, f := range frames {
		st.pushing.frame(spoken(st.h.Session), f.wire(seq+i, from(st.h), now), "")
	}
}

// read reads what others have written, and who listens now.
func (st *Stream) read(ctx context.Context) ([]row, error) {
	rows, sockets, err := st.s.after(ctx, st.h.ID, st.last)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		for i, f := range r.Frames {
			if f.Type != Final && f.Type != Message { // those are pushed by the code that committed them, a final with its text
				st.pushing.written(spoken(st.h.Session), f.wire(r.seq+i, from(st.h), r.At))
			}
			closed := f.Type == Speaking && !f.Speaking && f.Cause != Ended
			if f.Turn == st.turn && (closed || f.Type == Final) { // whoever finished the turn has taken it over
				st.silence()
			}
			st.told = st.told || f.Type == Status && f.Turn == st.turn
		}
		st.last = r.next() - 1
	}
	st.pushing.listen(ctx, sockets)
	return rows, nil
}

func (st *Stream) silence() {
	st.hushed = true
	if st.hush != nil {
		st.hush(agent.ErrHushed)
	}
}

// Look reads what others have written, and writes text that has been held for long.
func (st *Stream) Look(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if _, err := st.read(ctx); err != nil || st.hushed || !st.due() {
		return err
	}
	return st.flush(ctx)
}

// Watch looks again and again until the returned function is called.
func (st *Stream) Watch(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for st.s.Wait(ctx, oldest) == nil {
			if err := st.Look(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, agent.ErrHushed) {
				st.s.Log.WarnContext(ctx, "live conversation not looked at", "thread", st.h.ID, "error", err.Error())
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// Listening returns the context of a model that speaks: it ends when nobody listens any more.
func (st *Stream) Listening(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.hush = cancel; st.hushed {
		cancel(agent.ErrHushed)
	}
	return ctx, func() { cancel(nil) }
}

// Settle writes the held text, so that all of it has been said or was hushed. It also fixes the state that the turn's
// text is based on: [Stream.End] ends the stream at this point.
func (st *Stream) Settle(ctx context.Context) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.hushed {
		st.held = ""
	}
	if err := st.flush(ctx); err != nil && !errors.Is(err, agent.ErrHushed) {
		return err
	}
	st.next, st.cut = st.last+1, st.hushed
	return nil
}

// end describes how a stream ends.
type end struct {
	seq    int
	frames []noted
}

// end returns the frames that finish a turn, given its whole text: the part not said yet, and its final.
func (st *Stream) end(text string) end {
	rest := strings.TrimPrefix(text, st.before+st.said)
	var frames []noted
	if rest != "" && !st.cut {
		frames = append(frames, noted{Type: Token, Turn: st.turn, Stream: st.id, Text: rest})
	}
	if st.opened && !st.cut {
		frames = append(frames, noted{Type: Speaking, Turn: st.turn, Stream: st.id, Cause: Ended})
	}
	return end{st.next, append(frames, noted{Type: Final, Turn: st.turn, Stream: st.id, Interrupted: st.cut})}
}

// End gives what the turn's item keeps of its stream, and the write of its last row, which joins the commit: it
// fails with [ErrTaken] where something was written since the text was settled. Text is all that the turn says.
func (st *Stream) End(text string) (thread.Spoken, dynamo.Write) {
	st.mu.Lock()
	defer st.mu.Unlock()
	e := st.end(text)
	st.ending = e
	spoken := thread.Spoken{Seq: e.seq + len(e.frames) - 1, Stream: st.id, Interrupted: st.cut, First: st.first, Status: st.status}
	return spoken, st.s.put(st.h.ID, e.seq, e.frames...)
}

// Ended pushes the end that [Stream.End] has prepared, for a turn that was committed. The head is as the commit
// left it. Then it looks for sockets a last time, since nobody else tells those that have just come.
func (st *Stream) Ended(ctx context.Context, t thread.Turn, h thread.Head) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.h.Session = h.Session
	e := st.ending
	last := len(e.frames) - 1
	st.push(e.seq, e.frames[:last]...)
	if f, ok := finalOf(t, from(st.h)); ok {
		st.pushing.frame(spoken(st.h.Session), f, "")
	}
	st.last = e.seq + last
	if _, err := st.read(context.WithoutCancel(ctx)); err != nil {
		st.s.Log.InfoContext(ctx, "sockets not looked for", "thread", st.h.ID, "error", err.Error())
	}
}

// Close waits for frames on their way to the sockets, as long as that is worth it.
func (st *Stream) Close(ctx context.Context) { st.pushing.close(ctx) }
