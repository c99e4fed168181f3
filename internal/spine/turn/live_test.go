package turn_test

import (
	"bytes"
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

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/record/ledger"
	"merve/internal/spine/live"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// call is a live conversation in a world, with the sockets that listen to it.
type call struct {
	*world
	host *live.Host
	in   channel.Inbound

	calls  bool // who answers has call sessions even where the client names none
	rooms  rooms
	mu     sync.Mutex
	frames map[string][]live.Frame // by socket
}

// rooms are meetings that anybody may join. Their wire is tested with their provider.
type rooms struct {
	mu       sync.Mutex
	made     int
	meetings map[string][]string // participants
	joins    func()              // is called before one joins; nil is nothing
}

func (r *rooms) next(kind string) string { r.made++; return fmt.Sprint(kind, r.made) }

func (r *rooms) Create(context.Context, string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.meetings == nil {
		r.meetings = map[string][]string{}
	}
	id := r.next("meeting")
	r.meetings[id] = []string{}
	return id, nil
}

func (r *rooms) Join(_ context.Context, meeting, _ string) (participant, token string, err error) {
	if joins := r.joins; joins != nil {
		r.joins = nil
		joins()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.meetings[meeting] == nil {
		return "", "", fault.New(fault.NotFound, "no such meeting")
	}
	participant = r.next("participant")
	r.meetings[meeting] = append(r.meetings[meeting], participant)
	return participant, r.next("token"), nil
}

func (r *rooms) Renew(_ context.Context, meeting, participant string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.meetings[meeting], participant) {
		return "", fault.New(fault.NotFound, "no such participant")
	}
	return r.next("token"), nil
}

// forget is a provider that ends a meeting.
func (r *rooms) forget(meeting string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.meetings, meeting)
}

// phone makes a world one in which customers call.
func phone(t *testing.T, w *world) *call {
	t.Helper()
	c := &call{world: w, frames: map[string][]live.Frame{}}
	c.in = w.from("ann", channel.Live, "", "")
	c.join()
	return c
}

// join gives the world's process its stage.
func (c *call) join() {
	stage := &live.Stage{
		Patience: 8 * time.Second,
		Table:    c.threads.Table, Posts: c, Now: c.clock.now, Wait: c.clock.wait, Log: slog.New(slog.NewTextHandler(c.t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
	}
	c.runner.Live = stage
	c.host = &live.Host{
		Rooms: &c.rooms,
		Stage: stage, Threads: c.threads, Queue: liveQueue{c}, NewID: func() string { return dynamotest.ID("") },
		Greeting: func(context.Context, channel.Inbound) (string, bool, error) { return "Welcome!", c.calls, nil },
	}
}

type liveQueue struct{ c *call }

func (q liveQueue) Turn(ctx context.Context, thread string) error { return q.c.Queue(ctx, thread, "") }
func (q liveQueue) Replay(ctx context.Context, thread, socket, after string) error {
	return q.c.host.Replay(ctx, thread, socket, after)
}

// Post implements [live.Poster].
func (c *call) Post(_ context.Context, socket string, data []byte) error {
	var f live.Frame
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	socket, _, _ = strings.Cut(socket, "-")
	c.frames[socket] = append(c.frames[socket], f)
	return nil
}

// Hangup implements [live.Poster].
func (c *call) Hangup(context.Context, string) error { return nil }

func (c *call) connect(socket, session string) {
	c.t.Helper()
	err := c.host.Connect(c.t.Context(), socket+"-"+c.suffix, live.Caller{Inbound: c.in, Session: thread.Session{ID: session}}, "")
	if err != nil {
		c.t.Fatal(err)
	}
}

// hears gives what a socket was told, each frame once, in the order of their numbers.
func (c *call) hears(socket string) []live.Frame {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []live.Frame
	for _, f := range c.frames[socket] {
		known := func(g live.Frame) bool { return g.Seq == f.Seq }
		if f.Type != live.Resync && !slices.ContainsFunc(all, known) {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b live.Frame) int { return a.Seq - b.Seq })
	return all
}

// say brings a message.
func (c *call) say(id, text string) {
	c.t.Helper()
	if err := c.tryToSay(c.t.Context(), id, text); err != nil {
		c.t.Fatal(err)
	}
}

func (c *call) tryToSay(ctx context.Context, id, text string) error {
	in := c.in
	in.MessageID, in.Text = id, text
	_, err := c.host.Say(ctx, live.Caller{Inbound: in}, "")
	return err
}

// turns are those of the conversation, as they are stored.
func (c *call) turns() []thread.Turn {
	c.t.Helper()
	t, err := c.threads.Latest(c.t.Context(), thread.Of(c.in), 20)
	if err != nil {
		c.t.Fatal(err)
	}
	return t.Recent
}

// wantWhole wants of each finished turn that its tokens, its final and what is stored are the same text, and that
// nothing but its end came after it was cancelled.
func (c *call) wantWhole(socket string) {
	c.t.Helper()
	said, cancelled := map[int]string{}, map[string]bool{}
	last := 0
	for _, f := range c.hears(socket) {
		if f.Seq != last+1 && last > 0 {
			c.t.Errorf("frame %d after %d", f.Seq, last)
		}
		last = f.Seq
		switch f.Type {
		case live.Token:
			said[f.Turn] += f.Text
			if cancelled[f.Stream] {
				c.t.Errorf("%q after %s was cancelled", f.Text, f.Stream)
			}
		case live.Speaking:
			cancelled[f.Stream] = !*f.Speaking
		case live.Final:
			if f.Text != said[f.Turn] {
				c.t.Errorf("turn %d: tokens %q, final %q", f.Turn, said[f.Turn], f.Text)
			}
		}
	}
	from := 0
	for _, t := range c.turns() {
		if t.In[0].Notice != nil && t.In[0].Notice.Session != nil {
			from = t.N
		}
		text := ""
		if len(t.Out) > 0 {
			text = t.Out[0].Text
		}
		if t.Spoken == nil || said[t.N-from] != text {
			c.t.Errorf("turn %d: tokens %q, stored %q", t.N, said[t.N-from], text)
		}
	}
}

// streams is a model that says its pieces one after the other; at is called before each.
type streams struct {
	llm.Model
	pieces []string
	at     func(n int)
	calls  []llm.Call // made beside the text
}

func (s streams) Stream(ctx context.Context, req llm.Request, say func(string) error) (llm.Response, error) {
	resp := llm.Response{Model: "gpt-4o", Finish: "stop", Usage: llm.Usage{Input: 10, Output: 5}}
	if last := req.Messages[len(req.Messages)-1]; last.Role == llm.ToolRole {
		return resp, say("Done looking.")
	}
	for n, p := range s.pieces {
		if s.at != nil {
			s.at(n)
		}
		if ctx.Err() != nil {
			return resp, context.Cause(ctx)
		}
		if err := say(p); err != nil {
			return resp, err
		}
		resp.Text += p
	}
	resp.Calls = s.calls
	return resp, nil
}

func (s streams) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	return s.Stream(ctx, req, func(string) error { return nil })
}

var ofTheSea = []string{"The sea is warm. ", "The harbour has two places, ", "and both are open today. ", "Which one do you like?"}

func newCall(t *testing.T, m llm.Model) *call {
	t.Helper()
	w := newWorld(t, func(*market.Market) {})
	c := phone(t, w)
	w.runner.Model = m
	return c
}

// A call begins with a greeting, once for its session. Then words arrive while the model speaks.
func TestLive_WordsArriveWhileTheModelSpeaks(t *testing.T) {
	t.Parallel()
	var c *call
	heard := make([]int, len(ofTheSea))
	c = newCall(t, streams{pieces: ofTheSea, at: func(n int) {
		c.clock.add(100 * time.Millisecond)
		heard[n] = len(c.hears("s2"))
	}})
	c.connect("s1", "call 1")
	c.connect("s2", "call 1")
	c.work()
	c.say("m1", "what is there?")
	c.work()
	c.wantWhole("s1")
	c.wantWhole("s2")
	var types []live.Type
	greetings := 0
	for _, f := range c.hears("s1") {
		types = append(types, f.Type)
		if f.Type == live.Final && f.Text == "Welcome!" {
			greetings++
		}
	}
	if greetings != 1 || types[len(types)-1] != live.Final || heard[3] <= heard[0] {
		t.Errorf("%d greetings; frames %v; heard before each piece: %v", greetings, types, heard)
	}
	if turns := c.turns(); turns[len(turns)-1].Out[0].Text != strings.Join(ofTheSea, "") {
		t.Errorf("stored %+v", turns)
	}
}

// Whenever the customer interrupts, what they were told is what is stored; the reply ends there, and what they said is
// answered next. Before the first word there is nothing to interrupt.
func TestLive_BargeInAtEveryPiece(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"barge_in", "message"} {
		for k := range len(ofTheSea) + 1 {
			t.Run(fmt.Sprint(how, k), func(t *testing.T) {
				t.Parallel()
				var c *call
				done := false
				c = newCall(t, streams{pieces: ofTheSea, at: func(n int) {
					c.clock.add(100 * time.Millisecond)
					if n != k || done {
						return
					}
					done = true
					if how == "message" {
						c.say("m2", "wait, stop")
					} else if err := c.host.BargeIn(t.Context(), thread.Of(c.in), "", ""); err != nil {
						t.Error(err)
					}
				}})
				c.connect("s1", "call 1")
				c.work()
				c.say("m1", "what is there?")
				c.work()
				c.wantWhole("s1")
				first := c.turns()[1]
				if interrupted := k > 0 && k < len(ofTheSea); first.Spoken.Interrupted != interrupted {
					t.Errorf("interrupted %v: %q", first.Spoken.Interrupted, first.Out[0].Text)
				}
				wantTurns := 2
				if how == "message" && k < len(ofTheSea) {
					wantTurns = 3
				}
				if got := len(c.turns()); got != wantTurns {
					t.Errorf("%d turns, want %d", got, wantTurns)
				}
			})
		}
	}
}

// listening is a model that keeps what it is asked.
type listening struct {
	streams
	requests *[]llm.Request
}

func (a listening) Stream(ctx context.Context, req llm.Request, say func(string) error) (llm.Response, error) {
	*a.requests = append(*a.requests, req)
	return a.streams.Stream(ctx, req, say)
}

// What the customer has interrupted stands in the model's history as far as they heard it, and no further.
func TestField29_TheModelKnowsWhatWasHeard(t *testing.T) {
	t.Parallel()
	var c *call
	var requests []llm.Request
	c = newCall(t, listening{streams{pieces: ofTheSea, at: func(n int) {
		c.clock.add(100 * time.Millisecond)
		if n == 2 && len(requests) == 1 {
			c.say("m2", "wait, stop")
		}
	}}, &requests})
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "what is there?")
	c.work()
	c.wantWhole("s1")
	heard := c.turns()[1].Out[0].Text
	var told []string
	for _, m := range requests[1].Messages {
		if m.Role == llm.Assistant {
			told = append(told, m.Text)
		}
	}
	if !slices.Contains(told, heard) || strings.Contains(strings.Join(told, ""), ofTheSea[3]) || !strings.HasPrefix(strings.Join(ofTheSea, ""), heard) {
		t.Errorf("the customer has heard %q, and the model is told that it said %q", heard, told)
	}
}

// A claim in the middle of what the model says ends it, and the backend says how it is; what was said before stands.
func TestLive_AClaimEndsWhatTheModelSays(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: []string{"The sea is warm. ", "I have booked your table for tonight. ", "Enjoy!"}})
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "how is the sea?")
	c.work()
	c.wantWhole("s1")
	turns := c.turns()
	text := turns[1].Out[0].Text
	if !strings.HasPrefix(text, "The sea is warm.") || strings.Contains(text, "booked your table") || strings.Contains(text, "Enjoy") || len(text) < 40 {
		t.Errorf("said %q", text)
	}
}

// A new call session ends what waited in the one before, cancels what is said, and begins with its own greeting.
func TestLive_ANewCallSession(t *testing.T) {
	t.Parallel()
	var c *call
	begun := false
	c = newCall(t, streams{pieces: ofTheSea, at: func(n int) {
		if c.clock.add(100 * time.Millisecond); n == 2 && !begun {
			begun = true
			c.connect("s2", "call 2")
		}
	}})
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "what is there?")
	c.work()
	turns := c.turns()
	m, err := c.host.Missed(t.Context(), thread.Of(c.in), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if len(turns) != 1 || turns[0].Out[0].Text != "Welcome!" || m.State.CallSession != "call 2" || m.State.Turn != 0 || len(m.State.History) != 1 {
		t.Errorf("turns of the session %+v, state %+v", turns, m.State)
	}
	for _, f := range c.hears("s1") {
		if f.Type == live.Final && f.Text != "Welcome!" && !f.Interrupted {
			t.Errorf("not interrupted: %+v", f)
		}
	}
	c.calls = true
	c.connect("s4", "") // goes on with whatever session there is
	c.work()
	c.calls = false
	if m, err = c.host.Missed(t.Context(), thread.Of(c.in), "", ""); err != nil || m.State.CallSession != "call 2" {
		t.Errorf("who names no session is in %q: %v", m.State.CallSession, err)
	}
	c.connect("s3", "call 1") // which is over
	c.work()
	if turns := c.turns(); len(turns) != 1 {
		t.Errorf("a session that was left began again: %+v", turns)
	}
}

// Whoever comes back is told what they missed: finished turns whole, and that there is a gap where that is not known.
func TestLive_Resync(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	c.connect("s1", "call 1")
	c.work()
	for n := range 3 {
		c.say(fmt.Sprint("m", n), "what is there?")
		c.work()
	}
	var finals []int
	for _, f := range c.hears("s1") {
		if f.Type == live.Final {
			finals = append(finals, f.Seq)
		}
	}
	for after, want := range map[string]struct {
		events int
		gap    bool
	}{
		"":                          {4, false},
		fmt.Sprint(finals[1]):       {2, false},
		fmt.Sprint(finals[3]):       {0, false},
		fmt.Sprint(finals[1] + 1):   {2, false},
		"0":                         {4, true},
		"-1":                        {4, true},
		"NaN":                       {4, true},
		fmt.Sprint(finals[3] + 100): {4, true},
	} {
		m, err := c.host.Missed(t.Context(), thread.Of(c.in), "", after)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Events) != want.events || m.Gap != want.gap || *m.Resync.To != finals[3] || len(m.State.History) != 7 {
			t.Errorf("after %q: %d events, gap %v, state %+v", after, len(m.Events), m.Gap, m.State)
		}
	}
}

// Who comes back while a turn ends is told its whole text, whichever was read first.
func TestLive_ATurnEndsDuringAResync(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "what is there?")
	reads, stage := 0, *c.runner.Live
	stage.Table = dynamotest.Open(t, dynamotest.Look{See: func(_ string, body []byte) ([]byte, error) {
		if reads++; reads == 1 { // the thread was read before
			c.work()
		}
		return body, nil
	}}).Table(dynamotest.TableName("conversations"))
	host := *c.host
	host.Stage = &stage
	m, err := host.Missed(t.Context(), thread.Of(c.in), "", "")
	if err != nil {
		t.Fatal(err)
	}
	whole := strings.Join(ofTheSea, "")
	if last := m.Events[len(m.Events)-1]; last.Type != live.Final || last.Text != whole || len(m.State.History) != 3 || reads != 2 {
		t.Errorf("last %+v, state %+v, %d reads", last, m.State, reads)
	}
}

// A socket that connects when a message is about to be written hears it, though it was told what it missed before.
func TestLive_ASocketConnectsBesideAMessage(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	c.connect("s1", "call 1")
	c.work()
	host, threads := *c.host, *c.threads
	threads.Table = dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { c.connect("s2", "call 1") })).
		Table(dynamotest.TableName("conversations"))
	host.Threads = &threads
	in := c.in
	in.MessageID, in.Text = "m1", "what is there?"
	if _, err := host.Say(t.Context(), live.Caller{Inbound: in}, ""); err != nil {
		t.Fatal(err)
	}
	for _, socket := range []string{"s1", "s2"} {
		if !slices.ContainsFunc(c.hears(socket), func(f live.Frame) bool { return f.Type == live.Message && f.ID == "m1" }) {
			t.Errorf("%s did not hear the message: %+v", socket, c.hears(socket))
		}
	}
}

// A message on a conversation that rests has a number and no row. Who comes while it waits is told it all the same,
// however long it is, and who knows its number is not.
func TestLive_AMessageWhileTheConversationRests(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"short": "what is there?", "long": strings.Repeat("what is there? ", 60)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCall(t, streams{pieces: ofTheSea})
			c.connect("s1", "call 1")
			c.work()
			rows := c.rows()
			c.say("m1", text)
			if got := c.rows(); got != rows {
				t.Errorf("%d rows, want the %d from before", got, rows)
			}
			heard := c.hears("s1")
			told := heard[len(heard)-1]
			c.wantMissed(fmt.Sprint(told.Seq-1), told)
			c.wantMissed(fmt.Sprint(told.Seq))
			if told.Type != live.Message || told.ID != "m1" || told.Text != text {
				t.Errorf("told %+v", told)
			}
			c.say("m2", "and there?") // which does not find it at rest
			heard = c.hears("s1")
			c.wantMissed(fmt.Sprint(told.Seq-1), told, heard[len(heard)-1])
			if got := c.rows(); got != rows+1 {
				t.Errorf("%d rows, want one more than %d", got, rows)
			}
			c.work()
			c.wantWhole("s1")
		})
	}
}

// rows is how many there are in the log.
func (c *call) rows() int {
	c.t.Helper()
	page, err := c.threads.Table.Query(c.t.Context(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :live)", Values: dynamo.V{":pk": thread.Of(c.in), ":live": "live#0"},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return len(page.Items)
}

// wantMissed wants a client whose last frame is given to be told some frames, and no gap.
func (c *call) wantMissed(after string, want ...live.Frame) {
	c.t.Helper()
	m, err := c.host.Missed(c.t.Context(), thread.Of(c.in), "", after)
	if err != nil {
		c.t.Fatal(err)
	}
	if diff := cmp.Diff(want, m.Events); diff != "" || m.Gap {
		c.t.Errorf("after %s: gap %v, events (-want +got):\n%s", after, m.Gap, diff)
	}
}

// What happens between a message's view of a conversation at rest and its write has it look again: two messages have
// two numbers, and one that comes while a turn speaks interrupts it.
func TestLive_AConversationStirs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stir func(*call)
		row  bool // of the message
	}{
		"a message comes": {func(c *call) { c.say("m1", "what is there?") }, true},
		"a turn runs": {func(c *call) {
			c.say("m1", "what is there?")
			if _, _, err := c.threads.Take(c.t.Context(), thread.Of(c.in)); err != nil {
				c.t.Error(err)
			}
		}, true},
		"a notice comes": {func(c *call) {
			if _, err := c.threads.Notify(c.t.Context(), thread.Of(c.in), "n1", thread.Notice{Kind: "news", Text: "The sea is warm."}); err != nil {
				c.t.Error(err)
			}
		}, true},
		"a turn is over": {func(c *call) { c.say("m1", "what is there?"); c.work() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCall(t, streams{pieces: ofTheSea})
			c.connect("s1", "call 1")
			c.work()
			host, threads, rows := *c.host, *c.threads, 0
			threads.Table = dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() { tt.stir(c); rows = c.rows() })).
				Table(dynamotest.TableName("conversations"))
			host.Threads = &threads
			in := c.in
			in.MessageID, in.Text = "m2", "and there?"
			if _, err := host.Say(t.Context(), live.Caller{Inbound: in}, ""); err != nil {
				t.Fatal(err)
			}
			if got := c.rows() > rows; got != tt.row {
				t.Errorf("the message has a row: %v", got)
			}
			c.clock.add(thread.LeaseFor)
			c.work()
			c.wantWhole("s1")
			numbers := map[string]int{}
			for _, f := range c.hears("s1") {
				if f.Type == live.Message {
					numbers[f.ID] = f.Seq
				}
			}
			if numbers["m1"] >= numbers["m2"] {
				t.Errorf("heard %v", numbers)
			}
		})
	}
}

// A page whose socket broke while it sent a message sends it again by request: it is the same message.
func TestLive_TheSameMessageByRequest(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	c.in.Twin = channel.App
	c.say("m1", "what is there?")
	again := c.in
	again.Channel, again.Twin, again.MessageID, again.Text = channel.App, "", "m1", "what is there?"
	a, err := c.threads.Append(t.Context(), again, false)
	if err != nil || !a.Duplicate {
		t.Errorf("by request: %+v, %v, want the message that came by the socket", a, err)
	}
	c.work()
	if turns := c.turns(); len(turns) != 1 || len(turns[0].In) != 1 {
		t.Errorf("stored %+v, want one turn with one message", turns)
	}
	m, err := c.host.Missed(t.Context(), thread.Of(c.in), "", "")
	if err != nil || m.State.Thread != a.Thread {
		t.Errorf("the state names thread %q, %v, want %q", m.State.Thread, err, a.Thread)
	}
}

// A tapped button goes with its payload and the offer that it answers, and neither is long.
func TestLive_AButtonIsTapped(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	c.connect("s1", "call 1")
	c.work()
	tap := func(button string) error {
		data, err := json.Marshal(map[string]string{"type": "message", "id": "m1", "text": "Yes", "button": button, "replyTo": "pa1"})
		if err != nil {
			return err
		}
		_, err = c.host.Receive(t.Context(), "s1-"+c.suffix, data)
		return err
	}
	if err := tap(strings.Repeat("x", 201)); !fault.Is(err, fault.Invalid) {
		t.Errorf("a long button: %v, want invalid", err)
	}
	if err := tap("yes:pa1"); err != nil {
		t.Fatal(err)
	}
	c.work()
	turns := c.turns()
	if in := turns[len(turns)-1].In[0]; in.Button != "yes:pa1" || in.ReplyTo != "pa1" {
		t.Errorf("stored %+v, want the button and what it answers", in)
	}
}

// A live turn of 120 tokens costs eight write units more than a plain one at most, as DynamoDB Local counts them, and ten
// as AWS bills them (see the bench).
func TestLive_CostOfATurn(t *testing.T) {
	t.Parallel()
	var pieces []string
	for n := range 12 {
		pieces = append(pieces, "one two three four five six seven eight nine"+[]string{", ", ". "}[n%2])
	}
	var c *call
	c = newCall(t, streams{pieces: pieces, at: func(int) { c.clock.add(200 * time.Millisecond) }})
	c.connect("s1", "call 1")
	c.work()
	ctx, meter := telemetry.WithMeter(t.Context())
	if err := c.tryToSay(ctx, "m1", "what is there?"); err != nil {
		t.Fatal(err)
	}
	if err := c.runner.Work(ctx, thread.Of(c.in)); err != nil {
		t.Fatal(err)
	}
	c.wantWhole("s1")
	cost, frames := meter.Cost(), 0
	for _, f := range c.hears("s1") {
		if f.Turn == 1 && f.Type != live.Message {
			frames++
		}
	}
	t.Logf("%d requests, %g write units, %g read units, %d frames", cost.Requests, cost.WriteUnits, cost.ReadUnits, frames)
	if cost.WriteUnits > 8+8 || frames > 10 {
		t.Errorf("%g write units, %d frames", cost.WriteUnits, frames)
	}
}

// A call session is greeted once, however often its client comes back.
func TestLive_OneGreeting(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	c.calls = true
	for n := range 11 {
		c.connect("s1", []string{"call 1", ""}[n%2]) // who names none goes on with the one that there is
		c.work()
	}
	greeted := 0
	for _, f := range c.hears("s1") {
		if f.Type == live.Final {
			greeted++
		}
	}
	if turns := c.turns(); greeted != 1 || len(turns) != 1 || turns[0].Out[0].Text != "Welcome!" {
		t.Errorf("greeted %d times: %+v", greeted, turns)
	}
}

// lengthen makes a conversation as long as asked for, by copies of its last turn, of which the very last did not
// stream.
func (c *call) lengthen(turns int) {
	c.t.Helper()
	done := c.turns()
	last := done[len(done)-1]
	frames := last.Spoken.Seq - done[len(done)-2].Spoken.Seq // of a turn
	var ws []dynamo.Write
	for last.N < turns-1 {
		spoken := *last.Spoken
		spoken.Seq += frames
		last.N, last.Spoken = last.N+1, &spoken
		ws = append(ws, c.threads.Table.Put(dynamo.Key{PK: thread.Of(c.in), SK: fmt.Sprintf("turn#%08d", last.N)}, last))
	}
	frame := last.Spoken.Seq
	last.N, last.Spoken = last.N+1, nil
	ws = append(ws, c.threads.Table.Put(dynamo.Key{PK: thread.Of(c.in), SK: fmt.Sprintf("turn#%08d", last.N)}, last))
	ws = append(ws, c.threads.Table.Update(dynamo.Key{PK: thread.Of(c.in), SK: "~"}, "SET turns = :n, frames = :f", dynamo.V{":n": last.N, ":f": frame}))
	if err := c.threads.Table.DB().CommitAll(c.t.Context(), ws...); err != nil {
		c.t.Fatal(err)
	}
}

// Who comes back to a session of a thousand turns while one speaks is told of that one, of those among the latest
// twenty that were streamed, and of a gap, by two requests.
func TestLive_CostOfAResync(t *testing.T) {
	t.Parallel()
	var c *call
	var told live.Missed
	var cost telemetry.Cost
	long := false
	c = newCall(t, streams{pieces: ofTheSea, at: func(n int) {
		c.clock.add(100 * time.Millisecond)
		if n != 2 || !long {
			return
		}
		ctx, meter := telemetry.WithMeter(t.Context())
		var err error
		if told, err = c.host.Missed(ctx, thread.Of(c.in), "", "5"); err != nil {
			t.Error(err)
		}
		cost = meter.Cost()
	}})
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "what is there?")
	c.work()
	c.lengthen(1000)
	long = true
	c.say("m2", "what is there?")
	c.work()
	finals := 0
	for _, f := range told.Events {
		if f.Type == live.Final {
			finals++
		}
	}
	if last := told.Events[len(told.Events)-1]; finals != 19 || !told.Gap || last.Type != live.Token || !told.State.Speaking || told.State.Turn != 999 {
		t.Errorf("%d finished turns, gap %v, last %+v", finals, told.Gap, last)
	}
	if cost.Requests != 2 || cost.WriteUnits != 0 {
		t.Errorf("it took %+v", cost)
	}
}

// The line of a live turn tells its call session and how long the caller waited for words.
func TestLive_LogLine(t *testing.T) {
	t.Parallel()
	var c *call
	c = newCall(t, streams{pieces: ofTheSea, at: func(int) { c.clock.add(100 * time.Millisecond) }})
	var log bytes.Buffer
	c.connect("s1", "call 1")
	c.work()
	c.runner.Log = telemetry.NewLogger(&log, slog.LevelInfo)
	c.say("m1", "what is there?")
	c.work()
	found := false
	for line := range strings.Lines(log.String()) {
		var l struct {
			Msg           string `json:"msg"`
			CallSessionID string `json:"callSessionId"`
			ToolCallCount *int   `json:"toolCallCount"`
			FirstToken    *int64 `json:"first_token_ms"`
			Status        *int64 `json:"time_to_status_ms"`
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Msg == "turn" {
			found = l.CallSessionID == "call 1" && l.FirstToken != nil && *l.FirstToken >= 100 && l.Status == nil && l.ToolCallCount != nil && *l.ToolCallCount == 0
		}
	}
	if !found {
		t.Errorf("log: %s", log.String())
	}
}

// Wherever a process dies while a turn speaks, the next one goes on from what was said, and all that the customer was
// told is what is stored.
func TestLive_KilledAtEveryCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
		c := phone(t, w.like(t))
		died := 0
		m := streams{pieces: ofTheSea, at: func(int) { c.clock.add(100 * time.Millisecond) }}
		c.runner.Model = m
		c.connect("s1", "call 1")
		c.work()
		c.over(calls)
		c.join()
		c.runner.Model = m
		for ; ; died++ {
			err := c.tryToSay(t.Context(), "m1", "what is there?")
			if err == nil {
				err = c.runner.Work(impatiently(t.Context()), thread.Of(c.in))
			}
			if err == nil || died == 10 {
				break
			}
			c.restart()
			c.join()
			c.runner.Model = m
			c.clock.add(thread.LeaseFor)
		}
		c.restart()
		c.join()
		c.connect("s2", "call 1") // who comes back
		turns := c.turns()
		last := turns[len(turns)-1]
		if len(turns) != 2 || len(last.Out) != 1 {
			t.Fatalf("turns %+v", turns)
		}
		said := ""
		for _, r := range rowsOf(t, c) {
			said += r
		}
		if said != "Welcome!"+last.Out[0].Text {
			t.Errorf("tokens %q, stored %q", said, last.Out[0].Text)
		}
		frames := c.hears("s2")
		if f := frames[len(frames)-1]; f.Type != live.Final || f.Text != last.Out[0].Text {
			t.Errorf("who came back was told %+v", frames)
		}
		return fmt.Sprint(last.Spoken.Interrupted, strings.HasPrefix(last.Out[0].Text, "The sea is warm."))
	})
}

// rowsOf are the texts of all token frames in the log.
func rowsOf(t *testing.T, c *call) (texts []string) {
	t.Helper()
	for _, f := range logOf(t, c) {
		if f.Type == live.Token {
			texts = append(texts, f.Text)
		}
	}
	return texts
}

// logOf are all frames of the log, as they are kept: finals without their text, and messages
// from their thread, since those of a conversation that rests have no row.
func logOf(t *testing.T, c *call) (all []live.Frame) {
	t.Helper()
	page, err := c.threads.Table.Query(t.Context(), dynamo.Query{
		Where: "pk = :pk AND begins_with(sk, :live)", Values: dynamo.V{":pk": thread.Of(c.in), ":live": "live#0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range page.Items {
		var r struct {
			Frames []struct {
				Type     live.Type `dynamodbav:"t"`
				Turn     int       `dynamodbav:"n"`
				Stream   string    `dynamodbav:"s"`
				ID       string    `dynamodbav:"id"`
				Text     string    `dynamodbav:"x"`
				Speaking bool      `dynamodbav:"sp"`
			} `dynamodbav:"frames"`
		}
		if err := it.Decode(&r); err != nil {
			t.Fatal(err)
		}
		seq := 0
		if _, err := fmt.Sscanf(it.Key().SK, "live#%d", &seq); err != nil {
			t.Fatal(err)
		}
		for i, f := range r.Frames {
			all = append(all, live.Frame{Type: f.Type, Seq: seq + i, Turn: f.Turn, Stream: f.Stream, ID: f.ID, Text: f.Text, Speaking: &f.Speaking})
		}
	}
	latest, err := c.threads.Latest(t.Context(), thread.Of(c.in), 100)
	if err != nil {
		t.Fatal(err)
	}
	messages := latest.Inbox
	for _, done := range latest.Recent {
		messages = append(messages, done.In...)
	}
	for _, m := range messages {
		known := func(f live.Frame) bool { return f.Seq == m.Frame.Seq }
		if m.Frame != nil && !slices.ContainsFunc(all, known) {
			all = append(all, live.Frame{Type: live.Message, Seq: m.Frame.Seq, ID: m.Frame.ID, Text: m.Text, Speaking: new(bool)})
		}
	}
	slices.SortFunc(all, func(a, b live.Frame) int { return a.Seq - b.Seq })
	return all
}

// Whatever of a client's is done again after a fault has happened once: one socket, one session, one message.
func TestLive_ClientsMeetFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
		c, socket := phone(t, w.like(t)), dynamotest.ID("socket")
		c.runner.Model = streams{pieces: ofTheSea}
		c.over(calls)
		c.join()
		again := func(do func(ctx context.Context) error) {
			t.Helper()
			var err error
			for range 10 {
				if err = do(t.Context()); err == nil {
					return
				}
				c.restart()
				c.join()
				c.runner.Model = streams{pieces: ofTheSea}
			}
			t.Errorf("never done: %v", err)
		}
		in := c.in
		in.Talk, in.MessageID, in.Text = "trip", "m1", "what is there?"
		caller := live.Caller{Inbound: in, Session: thread.Session{ID: "call 1"}}
		again(func(ctx context.Context) error { return c.host.Connect(ctx, socket, caller, "") })
		again(func(ctx context.Context) error { return c.host.Reset(ctx, caller) })
		again(func(ctx context.Context) error {
			_, err := c.host.Receive(ctx, socket, []byte(`{"type":"message","text":"hello","id":"m1"}`))
			return err
		})
		again(func(ctx context.Context) error { return c.host.BargeIn(ctx, thread.Of(in), "", "") })
		again(func(ctx context.Context) error { return c.host.Disconnect(ctx, socket) })
		var room live.Room
		again(func(ctx context.Context) (err error) { room, err = c.host.Room(ctx, caller); return err })
		var kept live.Room
		again(func(ctx context.Context) (err error) { kept, err = c.host.Room(ctx, caller); return err })
		if kept.Participant != room.Participant || kept.Token == room.Token {
			t.Errorf("heard in %+v, and again in %+v", room, kept)
		}
		c.restart()
		c.join()
		c.runner.Model = streams{pieces: ofTheSea}
		if err := c.Queue(t.Context(), thread.Of(in), ""); err != nil {
			t.Fatal(err)
		}
		c.work()
		m, err := c.host.Missed(t.Context(), thread.Of(in), "", "")
		if err != nil {
			t.Fatal(err)
		}
		var history []string
		for _, l := range m.State.History {
			history = append(history, l.Role+" "+l.Content)
		}
		return fmt.Sprint(m.State.Connections, m.State.CallSession, history)
	})
}

// A conversation has one meeting, and each call session a participant of its own, who comes back with a fresh token. What
// the provider has let go of is made anew, and of two at once the first to be kept stands.
func TestLive_Room(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	enter := func(session string) live.Room {
		t.Helper()
		room, err := c.host.Room(t.Context(), live.Caller{Inbound: c.in, Session: thread.Session{ID: session}})
		if err != nil || room.Token == "" || room.Meeting == "" || room.Participant == "" {
			t.Fatalf("%s is heard in %+v, %v", session, room, err)
		}
		return room
	}
	same := func(what string, got, want live.Room) {
		t.Helper()
		if got.Meeting != want.Meeting || got.Participant != want.Participant || got.Token == want.Token {
			t.Errorf("%s: %+v, want %+v with another token", what, got, want)
		}
	}
	var other live.Room
	c.rooms.joins = func() { other = enter("call 1") }
	first := enter("call 1")
	same("two at once", first, other)
	same("the same session", enter("call 1"), first)
	c.clock.add(time.Second)
	c.rooms.joins = func() { other = enter("call 2") }
	second := enter("call 2")
	same("two at once, later", second, other)
	if second.Meeting != first.Meeting || second.Participant == first.Participant {
		t.Errorf("another session is heard in %+v, the one before was in %+v", second, first)
	}
	c.rooms.forget(second.Meeting)
	anew := enter("call 2")
	if anew.Meeting == second.Meeting || anew.Participant == second.Participant {
		t.Errorf("when the provider has let go: %+v, before %+v", anew, second)
	}
	same("the one made anew", enter("call 2"), anew)
	c.rooms.forget(anew.Meeting)
	if third := enter("call 3"); third.Meeting == anew.Meeting {
		t.Errorf("another session is heard in %+v, which the provider has let go of", third)
	}
	if _, err := c.host.Room(t.Context(), live.Caller{Inbound: c.in}); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a session: %v, want invalid", err)
	}
}

// A barge-in that names a stream interrupts that one only, so that one which comes late cuts nothing of the next reply.
func TestLive_BargeInOfAnotherStream(t *testing.T) {
	t.Parallel()
	var c *call
	c = newCall(t, streams{pieces: ofTheSea, at: func(n int) {
		c.clock.add(100 * time.Millisecond)
		if n == 2 {
			if err := c.host.BargeIn(t.Context(), thread.Of(c.in), "", "t1e1"); err != nil { // of the greeting
				t.Error(err)
			}
		}
	}})
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "what is there?")
	c.work()
	c.wantWhole("s1")
	if turn := c.turns()[1]; turn.Spoken.Interrupted || turn.Out[0].Text != strings.Join(ofTheSea, "") {
		t.Errorf("interrupted: %q", turn.Out[0].Text)
	}
}

// A socket that the gateway has closed long ago is known no more, whether or not the store has deleted it yet.
func TestLive_ASocketIsTooOld(t *testing.T) {
	t.Parallel()
	c := newCall(t, streams{pieces: ofTheSea})
	c.connect("s1", "call 1")
	ping := func() error {
		_, err := c.host.Receive(t.Context(), "s1-"+c.suffix, []byte(`{"type": "ping"}`))
		return err
	}
	if err := ping(); err != nil {
		t.Errorf("a new one: %v", err)
	}
	c.clock.add(3 * time.Hour)
	if err := ping(); !errors.Is(err, live.ErrGone) {
		t.Errorf("an old one: %v, want gone", err)
	}
}

// statuses are what a socket was told that the turn is doing.
func (c *call) statuses(socket string) (texts []string) {
	for _, f := range c.hears(socket) {
		if f.Type == live.Status {
			texts = append(texts, f.Text)
		}
	}
	return texts
}

// until waits until something is so.
func (c *call) until(is func() bool) {
	for !is() && c.t.Context().Err() == nil {
		if err := pause.For(c.t.Context(), time.Millisecond); err != nil {
			return
		}
	}
}

// acknowledging is a model that is asked for words beside the turn, too.
type acknowledging struct {
	streams
	words string
}

func (a acknowledging) Complete(_ context.Context, req llm.Request) (llm.Response, error) {
	if len(req.Tools) > 0 || !strings.Contains(req.Messages[1].Text, "looking up the code") {
		return llm.Response{}, llm.Fail(llm.Malformed, "not expected")
	}
	return llm.Response{Text: a.words, Model: "gpt-4o", Finish: "stop"}, nil
}

// A tool that asks for it is acknowledged while it runs, by one status in the model's words. Where those claim
// something, or none come, the backend's own are said after a while, and only then.
func TestLive_Acknowledgement(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		words, want string
		patience    time.Duration
	}{
		"in the model's words":       {"I am looking up your code.", "I am looking up your code.", 8 * time.Second},
		"a claim":                    {"I have booked it for you.", "Working on that…", 8 * time.Second},
		"a claim, with patience set": {"I have booked it for you.", "Working on that…", 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c *call
			m := acknowledging{streams{calls: []llm.Call{{ID: "c1", Name: "bookingCode", Args: json.RawMessage(`{}`)}}}, tt.words}
			c = newCall(t, m)
			c.runner.Live.Patience = tt.patience
			slow := tool.New("bookingCode", "Gives the code.", tool.Read, func(context.Context, tool.Context, struct{}) (tool.Result, error) {
				if tt.words != tt.want {
					c.until(func() bool { return c.clock.waits.Load() > 1 }) // the lease's keeper, and the patience
					c.clock.add(tt.patience)
				}
				c.until(func() bool { return len(c.statuses("s1")) > 0 })
				c.clock.add(8 * time.Second)
				return tool.Result{Data: "X12"}, nil
			})
			slow.Acknowledgement = "say that you are looking up the code"
			registry, err := tool.NewRegistry(slow)
			if err != nil {
				t.Fatal(err)
			}
			c.runner.Tools = registry
			c.connect("s1", "call 1")
			c.work()
			c.say("m1", "which code do I have?")
			c.work()
			c.wantWhole("s1")
			if got := c.statuses("s1"); len(got) != 1 || got[0] != tt.want {
				t.Errorf("statuses %q, want %q", got, tt.want)
			}
			if s := c.turns()[1].Spoken; s.Status == nil || s.First == nil {
				t.Errorf("times %+v", s)
			}
		})
	}
}

// deaf is a model that has no words beside the turn until nobody wants them any more.
type deaf struct {
	streams
	why chan error
}

func (d deaf) Complete(ctx context.Context, _ llm.Request) (llm.Response, error) {
	<-ctx.Done()
	d.why <- ctx.Err()
	return llm.Response{}, ctx.Err()
}

// A turn that is over waits for no words about what it was doing.
func TestLive_NobodyWaitsForAnAcknowledgement(t *testing.T) {
	t.Parallel()
	m := deaf{streams{calls: []llm.Call{{ID: "c1", Name: "bookingCode", Args: json.RawMessage(`{}`)}}}, make(chan error, 1)}
	c := newCall(t, m)
	quick := codeTool()
	quick.Acknowledgement = "say that you are looking up the code"
	registry, err := tool.NewRegistry(quick)
	if err != nil {
		t.Fatal(err)
	}
	c.runner.Tools = registry
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "which code do I have?")
	c.work()
	c.wantWhole("s1")
	if why := <-m.why; !errors.Is(why, context.Canceled) {
		t.Errorf("the words ended by %v, want by the end of the turn", why)
	}
}

// offered is a call in which an offer waits for YES or NO.
func offered(t *testing.T) *call {
	t.Helper()
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	c := phone(t, w)
	c.connect("s1", "call 1")
	c.work()
	c.say("m1", "book")
	c.work()
	if c.head(thread.Of(c.in)).Pending == nil {
		t.Fatalf("nothing waits: %+v", c.turns())
	}
	return c
}

// While an offer waits, words arrive sentence by sentence, but for those that ask: what was asked is still what waits, and
// a YES is to it.
func TestLive_WordsArriveWhileAnOfferWaits(t *testing.T) {
	t.Parallel()
	c := offered(t)
	pieces := []string{"The terrace is open. ", "Shall I book a taxi, ", "or a boat? ", "It is right at the ", "harbour. ", "Bring a coat. ", "Dogs may come."}
	before := len(rowsOf(t, c))
	said := make([]string, len(pieces))
	c.runner.Model = streams{pieces: pieces, at: func(n int) {
		c.clock.add(100 * time.Millisecond)
		said[n] = strings.Join(rowsOf(t, c)[before:], "")
	}}
	c.say("m2", "what is it like there?")
	c.work()
	c.wantWhole("s1")
	turns := c.turns()
	text := turns[len(turns)-1].Out[0].Text
	if !strings.HasPrefix(text, "The terrace is open. It is right at the harbour. Bring a coat. Dogs may come.\n\n") || strings.Contains(text, "taxi") || !strings.Contains(text, "still waiting") {
		t.Errorf("said %q", text)
	}
	if diff := cmp.Diff([]string{"", "", "The terrace is open.", "The terrace is open.", "The terrace is open.", "The terrace is open.", "The terrace is open. It is right at the harbour."}, said); diff != "" {
		t.Errorf("said before each piece of the model's (-want +got):\n%s", diff)
	}
	c.say("m3", "yes")
	c.work()
	if txs := c.transactions(); len(txs) != 1 || txs[0].State != ledger.Confirmed {
		t.Errorf("after YES: %+v", txs)
	}
}

// What is false, or could be meant by a YES, harms nobody whose offer waits: no word of a false claim is ever told, in
// whatever pieces it comes, and words that name an answer put the offer in doubt.
func TestLive_FalseClaimsWhileAnOfferWaits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, never string
		doubted     bool
	}{
		"a claim":                   {"The sea is warm. I have booked your table for tonight. Enjoy!", "booked your", false},
		"a claim at once":           {"Your table is confirmed for tonight. Enjoy!", "confirmed for", false},
		"a claim in a question":     {"The sea is warm. I have booked your table, shall I add a taxi? Enjoy!", "booked your", false},
		"a claim of two sentences":  {"The sea is warm. Your booking: done. It is confirmed now.", "confirmed now", false},
		"a claim in another tongue": {"Deniz ılık. Masanızı bu akşam için ayırttım. İyi eğlenceler!", "ayırttım", false},
		"an answer is named":        {"The sea is warm. Say yes for the wine list. Enjoy!", "?", true},
		"an answer is asked for":    {"The sea is warm. Would you like the wine list, yes or no? Enjoy!", "wine", false},
	} {
		for _, size := range []int{1, 7, 1000} {
			t.Run(fmt.Sprint(name, " in pieces of ", size), func(t *testing.T) {
				t.Parallel()
				c := offered(t)
				var pieces []string
				for rest := []rune(tt.text); len(rest) > 0; {
					n := min(size, len(rest))
					pieces, rest = append(pieces, string(rest[:n])), rest[n:]
				}
				c.runner.Model = streams{pieces: pieces, at: func(int) { c.clock.add(20 * time.Millisecond) }}
				c.say("m2", "how is the sea?")
				c.work()
				c.wantWhole("s1")
				if said := strings.Join(rowsOf(t, c), ""); strings.Contains(said, tt.never) {
					t.Errorf("told %q", said)
				}
				c.clock.add(time.Second)
				c.say("m3", "yes")
				c.work()
				doubted := len(c.transactions()) == 1 && c.transactions()[0].State != ledger.Confirmed
				if doubted != tt.doubted {
					turns := c.turns()
					t.Errorf("after YES in doubt: %v; %q", doubted, turns[len(turns)-1].Out[0].Text)
				}
			})
		}
	}
}
