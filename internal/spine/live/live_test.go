package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/agent"
	"merve/internal/base/pause/pausetest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
)

// scene is a stage with a clock that tests move, and sockets that keep what they hear.
type scene struct {
	*Stage
	thread string

	mu    sync.Mutex
	now   time.Time
	heard map[string][]string // texts, by socket
	hung  []string
	post  func(ctx context.Context, socket string) error // nil takes all
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{now: time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC), heard: map[string][]string{}, thread: dynamotest.ID("th_")}
	s.Stage = &Stage{
		Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations")), Posts: s, Now: s.time,
		Wait: func(ctx context.Context, d time.Duration) error { s.pass(d); return ctx.Err() },
		Log:  slog.New(slog.DiscardHandler),
	}
	return s
}

func (s *scene) time() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *scene) pass(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// Post implements [Poster].
func (s *scene) Post(ctx context.Context, socket string, data []byte) error {
	if s.post != nil {
		if err := s.post(ctx, socket); err != nil {
			return err
		}
	}
	var f Frame
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heard[socket] = append(s.heard[socket], f.Text)
	return nil
}

// Hangup implements [Poster].
func (s *scene) Hangup(_ context.Context, socket string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hung = append(s.hung, socket)
	return nil
}

func (s *scene) hears(socket string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.heard[socket])
}

func (s *scene) hungUp(socket string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.hung, socket)
}

// socket makes one that listens, since a time.
func (s *scene) socket(t *testing.T, id string, at time.Time) Socket {
	t.Helper()
	k := Socket{ID: id, Thread: s.thread, At: at, TTL: at.Add(socketFor).Unix()}
	if err := s.Table.DB().Commit(t.Context(), s.Table.Put(socketKey(s.thread, id), k)); err != nil {
		t.Fatal(err)
	}
	return k
}

// rows are those of the log, each as its frames.
func (s *scene) rows(t *testing.T) (rows []row) {
	t.Helper()
	rows, _, err := s.after(t.Context(), s.thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func (s *scene) listening(t *testing.T) (ids []string) {
	t.Helper()
	_, sockets, err := s.after(t.Context(), s.thread, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range sockets {
		ids = append(ids, k.ID)
	}
	return ids
}

func (s *scene) stream(t *testing.T) *Stream {
	t.Helper()
	st, err := s.Open(t.Context(), thread.Head{ID: s.thread, Epoch: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// A socket that is too slow delays nobody. It is hung up and forgotten, and gets no frame behind a gap.
func TestASlowSocketIsHungUp(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	free := make(chan struct{})
	s.post = func(_ context.Context, socket string) error {
		if socket == "slow" {
			<-free
		}
		return nil
	}
	f := s.fan(s.thread)
	f.listen(t.Context(), []Socket{s.socket(t, "slow", s.time()), s.socket(t, "fast", s.time())})
	const frames = behind + 10
	for n := range frames {
		f.frame("", Frame{Type: Token, Text: fmt.Sprint(n)}, "")
		pausetest.Until(t, "the fast socket", func() bool { return len(s.hears("fast")) == n+1 })
	}
	close(free)
	pausetest.Until(t, "the hang-up", func() bool { return s.hungUp("slow") })
	f.close(t.Context())
	if got := s.hears("slow"); len(got) > 1 {
		t.Errorf("the slow socket heard %d frames behind those that it lost", len(got))
	}
	if got := s.listening(t); !slices.Equal(got, []string{"fast"}) || s.hungUp("fast") {
		t.Errorf("%v listen", got)
	}
}

// A connection answers that it is gone until it is wholly open: a young one is tried again, an old one forgotten.
func TestASocketThatIsGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		age     time.Duration
		opens   time.Duration // after which it takes frames; 0 is never
		hears   int
		forgets bool
	}{
		"opens":        {0, time.Second, 2, false},
		"never opens":  {0, 0, 0, true},
		"is long gone": {time.Hour, 0, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			began := s.time()
			s.post = func(context.Context, string) error {
				if tt.opens == 0 || s.time().Sub(began) < tt.opens {
					return ErrGone
				}
				return nil
			}
			f := s.fan(s.thread)
			f.listen(t.Context(), []Socket{s.socket(t, "s1", began.Add(-tt.age))})
			f.frame("", Frame{Type: Token, Text: "1"}, "")
			f.frame("", Frame{Type: Token, Text: "2"}, "")
			f.close(t.Context())
			if got := s.hears("s1"); len(got) != tt.hears {
				t.Errorf("heard %q", got)
			}
			if forgotten := len(s.listening(t)) == 0; forgotten != tt.forgets {
				t.Errorf("forgotten: %v", forgotten)
			}
			if waited := s.time().Sub(began); tt.age > 0 && waited > 0 || waited > settling+tryAgain {
				t.Errorf("waited %v", waited)
			}
		})
	}
}

// A frame that is too large for the gateway loses its cards, then its text, which its tokens have told; never its
// numbers. So does one that cannot be worded.
func TestLargeFrames(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		frame Frame
		text  bool
		cards bool
	}{
		"small":          {Frame{Text: "x", Cards: []map[string]any{{"a": 1}}}, true, true},
		"large cards":    {Frame{Text: "x", Cards: []map[string]any{{"a": strings.Repeat("x", maxFrame)}}}, true, false},
		"large text":     {Frame{Text: strings.Repeat("ö", maxFrame/2), Cards: []map[string]any{{"a": 1}}}, false, false},
		"large state":    {Frame{State: strings.Repeat("x", maxFrame)}, false, false},
		"unwordable":     {Frame{Text: "x", Cards: []map[string]any{{"a": func() {}}}}, false, false},
		"just in limits": {Frame{Text: strings.Repeat("x", maxFrame-200)}, true, false},
	} {
		tt.frame.Type, tt.frame.Seq, tt.frame.EventID, tt.frame.Turn = Final, 7, 7, 3
		data := encode(tt.frame)
		var got Frame
		if err := json.Unmarshal(data, &got); err != nil || len(data) > maxFrame {
			t.Errorf("%s: %v, %d bytes", name, err, len(data))
		}
		if got.Seq != 7 || got.EventID != 7 || got.Turn != 3 || got.Type != Final || (got.Text != "") != tt.text || (got.Cards != nil) != tt.cards {
			t.Errorf("%s: %.200s", name, data)
		}
	}
}

// What a turn says is written at once in the beginning, then in sentences or many words with a pause between, and
// never waits for longer than half a second.
func TestPacing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	st := s.stream(t)
	many := strings.Repeat(" word", manyWords)
	for i, step := range []struct {
		after time.Duration
		piece string // "" looks
		rows  int
	}{
		{0, "The sea,", 1},          // the first at once
		{pause / 2, " is warm.", 1}, // a sentence, but too soon
		{pause / 2, " It", 1},       // late enough, and no sentence
		{pause, " is.", 2},
		{pause - 1, many, 2},
		{1, " more", 3}, // many words
		{oldest - 1, " and", 3},
		{1, "", 4}, // old
		{oldest * 2, "", 4},
		{0, " so on", 5}, // a long while after the last
	} {
		s.pass(step.after)
		var err error
		if step.piece == "" {
			err = st.Look(t.Context())
		} else {
			err = st.Say(t.Context(), step.piece)
		}
		if got := len(s.rows(t)); err != nil || got != step.rows {
			t.Errorf("step %d: %d rows, want %d, %v", i, got, step.rows, err)
		}
	}
	if want := "The sea, is warm. It is." + many + " more and so on"; st.Said() != want {
		t.Errorf("said %q", st.Said())
	}
}

// A reply of 120 tokens, as a model says it, is ten frames at most.
func TestFramesOfAReply(t *testing.T) {
	t.Parallel()
	for name, each := range map[string]time.Duration{"a fast model": 10 * time.Millisecond, "a usual one": 200 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			st := s.stream(t)
			text := ""
			for n := range 12 { // clauses of 10 tokens
				clause := " one two three four five six seven eight nine,"
				if n%2 == 1 {
					clause = strings.TrimSuffix(clause, ",") + "."
				}
				if err := st.Say(t.Context(), clause); err != nil {
					t.Fatal(err)
				}
				text += clause
				s.pass(each)
			}
			if err := st.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, end := st.End(text)
			if err := s.Table.DB().Commit(t.Context(), end); err != nil {
				t.Fatal(err)
			}
			frames, said := 0, ""
			for _, r := range s.rows(t) {
				for _, f := range r.Frames {
					frames++
					said += f.Text
				}
			}
			if frames > 10 || said != text {
				t.Errorf("%d frames say %q", frames, said)
			}
		})
	}
}

// A row takes as many numbers as it has frames. Who finds its number taken goes on behind what stands there, or stops
// where that ends its stream.
func TestNumbers(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	st := s.stream(t)
	write := func(seq int, frames ...noted) {
		t.Helper()
		if err := s.Table.DB().Commit(t.Context(), s.put(s.thread, seq, frames...)); err != nil {
			t.Fatal(err)
		}
	}
	write(1, noted{Type: Message, ID: "m1", Text: "hello"}, noted{Type: Message, ID: "m2", Text: "hello?"})
	if err := st.Say(t.Context(), "Hi."); err != nil {
		t.Fatal(err)
	}
	s.pass(time.Second)
	if err := st.Say(t.Context(), " There."); err != nil {
		t.Fatal(err)
	}
	write(6, noted{Type: Speaking, Turn: 1, Stream: st.id, Cause: BargeIn})
	s.pass(time.Second)
	if err := st.Say(t.Context(), " Unheard."); !errors.Is(err, agent.ErrHushed) {
		t.Errorf("after it was interrupted: %v", err)
	}
	if err := s.Table.DB().Commit(t.Context(), s.put(s.thread, 3, noted{Type: Message})); !errors.Is(err, ErrTaken) {
		t.Errorf("a number that is taken: %v", err)
	}
	var got []string
	for _, r := range s.rows(t) {
		for i, f := range r.Frames {
			got = append(got, fmt.Sprint(r.seq+i, " ", f.Type, " ", f.Text))
		}
	}
	want := []string{"1 message hello", "2 message hello?", "3 speaking ", "4 token Hi.", "5 token  There.", "6 speaking "}
	if diff := cmp.Diff(want, got); diff != "" || !st.Hushed() || st.Said() != "Hi. There." {
		t.Errorf("said %q (-want +got):\n%s", st.Said(), diff)
	}
}

// A process whose turn was finished by another, before it has said a word, is silent from then on.
func TestATurnThatAnotherHasFinished(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	slow, next := s.stream(t), s.stream(t)
	if err := next.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, end := next.End("The sea is warm.")
	if err := s.Table.DB().Commit(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	rows := len(s.rows(t))
	if err := slow.Say(t.Context(), "The wind is cold."); !errors.Is(err, agent.ErrHushed) {
		t.Errorf("said behind the end of its turn: %v", err)
	}
	if got := len(s.rows(t)); got != rows {
		t.Errorf("%d rows, want %d", got, rows)
	}
}

// A socket that comes between two looks hears what was written since the first of them, and one that comes after the
// last still hears how the turn ends.
func TestWhoComesBetweenTwoLooks(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	st := s.stream(t)
	say := func(piece string) {
		t.Helper()
		s.pass(time.Second)
		if err := st.Say(t.Context(), piece); err != nil {
			t.Fatal(err)
		}
	}
	say("One.")
	s.socket(t, "s1", s.time())
	say(" Two.")
	if err := st.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.socket(t, "s2", s.time())
	say(" Three.")
	const text = "One. Two. Three."
	if err := st.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	spoken, end := st.End(text)
	if err := s.Table.DB().Commit(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	st.Ended(t.Context(), thread.Turn{N: 1, Out: []thread.Reply{{Text: text}}, Spoken: &spoken}, thread.Head{})
	st.Close(t.Context())
	for socket, want := range map[string][]string{
		"s1": {"", "One.", " Two.", " Three.", "", text}, "s2": {" Three.", "", text}, // "" begins and ends the stream
	} {
		if diff := cmp.Diff(want, s.hears(socket)); diff != "" {
			t.Errorf("%s heard (-want +got):\n%s", socket, diff)
		}
	}
}

// A turn that ends while it says what it is doing still pushes what it has written.
func TestAWriteIsNotGivenUp(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.socket(t, "s1", s.time())
	ctx, cancel := context.WithCancel(t.Context())
	s.Table = dynamotest.Open(t, dynamotest.Before("PutItem", cancel)).Table(dynamotest.TableName("conversations"))
	st := s.stream(t)
	if told, err := st.Tell(ctx, "Looking."); err != nil || !told {
		t.Errorf("told %v, %v", told, err)
	}
	if told, err := st.Tell(ctx, "Still looking."); err != nil || told {
		t.Errorf("told a second time: %v, %v", told, err)
	}
	st.Close(t.Context())
	if got := s.hears("s1"); !slices.Equal(got, []string{"Looking."}) {
		t.Errorf("heard %q", got)
	}
}

// A turn ends as its text was settled, or not at all: who is interrupted in between settles anew, without what nobody
// has heard.
func TestInterruptedWhenTheTextIsSettled(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	st := s.stream(t)
	if err := st.Say(t.Context(), "The sea is warm."); err != nil {
		t.Fatal(err)
	}
	settle := func() {
		t.Helper()
		if err := st.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	finish := func(text string) (thread.Spoken, error) {
		spoken, end := st.End(text)
		return spoken, s.Table.DB().Commit(t.Context(), end)
	}
	settle()
	barge := s.put(s.thread, 3, noted{Type: Speaking, Turn: 1, Stream: st.id, Cause: BargeIn})
	if err := s.Table.DB().Commit(t.Context(), barge); err != nil {
		t.Fatal(err)
	}
	if err := st.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := finish("The sea is warm. Nothing is booked."); !errors.Is(err, ErrTaken) {
		t.Errorf("the turn ended as if nobody had interrupted it: %v", err)
	}
	settle()
	if spoken, err := finish(st.Said()); err != nil || !spoken.Interrupted {
		t.Errorf("ended %+v, %v", spoken, err)
	}
	rows := s.rows(t)
	if last := rows[len(rows)-1]; len(rows) != 3 || len(last.Frames) != 1 || last.Frames[0].Type != Final || !last.Frames[0].Interrupted {
		t.Errorf("written %+v", rows)
	}
}

// Frames and sockets go with their thread: nothing of what was said is left, and sockets that listened hear no more.
func TestErasedWithTheThread(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.socket(t, "s1", s.time())
	threads := &thread.Store{Table: s.Table, Now: s.time, NewID: func() string { return dynamotest.ID("") }}
	head := struct {
		Market string `dynamodbav:"market"`
		Owner  string `dynamodbav:"owner"`
	}{"demo", "session:1"}
	if err := s.Table.DB().Commit(t.Context(), s.Table.Put(dynamo.Key{PK: s.thread, SK: "~"}, head)); err != nil {
		t.Fatal(err)
	}
	st := s.stream(t)
	if err := st.Say(t.Context(), "The sea is warm."); err != nil {
		t.Fatal(err)
	}
	st.Close(t.Context())
	if err := threads.Erase(t.Context(), s.thread); err != nil {
		t.Fatal(err)
	}
	if rows, left := s.rows(t), s.listening(t); len(rows) > 0 || len(left) > 0 {
		t.Errorf("left: %+v, %v", rows, left)
	}
	heard := len(s.hears("s1"))
	next := s.stream(t)
	if err := next.Say(t.Context(), "Who is there?"); err != nil {
		t.Fatal(err)
	}
	next.Close(t.Context())
	if got := s.hears("s1"); heard == 0 || len(got) != heard {
		t.Errorf("heard %q", got)
	}
}
