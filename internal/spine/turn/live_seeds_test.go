package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/spine/live"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
)

// Two clients of one conversation lose their connections, hear frames twice and crosswise, come back at any moment and
// interrupt: what each puts together from its frames is what is stored. With TIMES=5 there are ten thousand such
// conversations.
func TestField28_ClientsPutTogetherWhatIsStored(t *testing.T) {
	t.Parallel()
	const lanes = 8
	seed := seedtest.Of(t)
	talks := seedtest.Tries(t, 80/lanes, 2000/lanes)
	w := newWorld(t, func(*market.Market) {})
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			own := w.like(t)
			for n := range talks {
				chance := rand.New(rand.NewPCG(seed, uint64(n*lanes+lane)))
				roughTalk(t, own, chance, fmt.Sprint("ann ", n))
				if t.Failed() {
					t.Fatalf("conversation %d", n)
				}
			}
			faulttest.Tried(t, talks)
		})
	}
}

// rough is a conversation over rough wires.
type rough struct {
	*call
	chance  *rand.Rand // of one goroutine: the one that runs turns, and what happens meanwhile
	clients []*client
	said    int // messages
	acted   int

	beside  sync.WaitGroup
	mu      sync.Mutex
	sockets map[string]*socket
}

// client is a page: it knows frames by their numbers, and names the highest when it comes back.
type client struct {
	frames map[int]live.Frame
	texts  map[int]string // by turn, as it was told how the conversation stands
	last   int
	socket *socket
}

// socket is one connection of a client.
type socket struct {
	id     string
	client *client
	chance *rand.Rand // nil is a good one
	lost   bool       // and nobody knows
	closed bool
	late   []byte // is overtaken by the next
	from   int    // has all behind it; 0 until it was told
	heard  map[int]bool
	sent   []string // ids of messages
}

// roughTalk holds one conversation.
func roughTalk(t *testing.T, w *world, chance *rand.Rand, who string) {
	t.Helper()
	c := &call{world: w, frames: map[string][]live.Frame{}, in: w.from(who, "live", "", "")}
	r := &rough{call: c, chance: chance, sockets: map[string]*socket{}}
	c.join()
	c.runner.Live.Posts, c.runner.Live.Wait = r, w.clock.moves
	c.runner.Model = &talker{r: r}
	c.runner.Tools = r.tools()
	for range 2 {
		k := &client{frames: map[int]live.Frame{}, texts: map[int]string{}}
		r.clients = append(r.clients, k)
		r.connect(k, "", chance.IntN(2) == 0)
	}
	for range 1 + chance.IntN(2) {
		r.says(r.any())
		c.work()
		r.happens()
		c.work()
		r.beside.Wait()
	}
	r.check()
}

// tools look something up, and take long now and then.
func (r *rough) tools() *tool.Registry {
	looks := tool.New("bookingCode", "Gives the code.", tool.Read, func(context.Context, tool.Context, struct{}) (tool.Result, error) {
		r.happens()
		r.clock.add([]time.Duration{time.Millisecond, 8 * time.Second}[r.chance.IntN(2)])
		return tool.Result{Data: "X12"}, nil
	})
	looks.Acknowledgement = "say that you are looking up the code"
	registry, err := tool.NewRegistry(looks)
	if err != nil {
		r.t.Fatal(err)
	}
	return registry
}

// talker is a model that says something, and looks something up now and then.
type talker struct {
	llm.Model
	r *rough
}

var clauses = []string{
	"The sea is warm. ", "The harbour has two places, ", "and both are open today. ", "Which one do you like? ", "Η θάλασσα είναι ζεστή. ",
	"הים חם. ", "👩‍👩‍👧 and 🇨🇾, ", "Deniz sıcak; ", "one two three four five six seven eight nine ten eleven twelve, ", "البحر دافئ. ",
}

func (m *talker) Stream(ctx context.Context, req llm.Request, say func(string) error) (llm.Response, error) {
	r, resp := m.r, llm.Response{Model: "gpt-4o", Finish: "stop", Usage: llm.Usage{Input: 10, Output: 5}}
	for range r.chance.IntN(8) {
		text := []rune(clauses[r.chance.IntN(len(clauses))])
		at := r.chance.IntN(len(text))
		for _, delta := range []string{string(text[:at]), string(text[at:])} {
			r.happens()
			if ctx.Err() != nil {
				return resp, context.Cause(ctx)
			}
			if err := say(delta); err != nil {
				return resp, err
			}
			resp.Text += delta
		}
	}
	if last := req.Messages[len(req.Messages)-1]; last.Role != llm.ToolRole && r.chance.IntN(3) == 0 {
		resp.Calls = []llm.Call{{ID: "c1", Name: "bookingCode", Args: json.RawMessage(`{}`)}}
	}
	return resp, nil
}

// Complete gives the words for what a tool does.
func (m *talker) Complete(context.Context, llm.Request) (llm.Response, error) {
	return llm.Response{Text: "I am looking up your code.", Model: "gpt-4o", Finish: "stop"}, nil
}

func (r *rough) any() *client { return r.clients[r.chance.IntN(len(r.clients))] }

// happens lets time pass, and something happen now and then.
func (r *rough) happens() {
	r.clock.add(time.Duration(r.chance.IntN(300)) * time.Millisecond)
	if r.acted == 8 || r.chance.IntN(3) > 0 {
		return
	}
	r.acted++
	k := r.any()
	switch r.chance.IntN(8) {
	case 0:
		r.sends(k, map[string]any{"type": "barge_in"})
	case 1:
		r.sends(k, map[string]any{"type": "barge_in", "streamId": fmt.Sprintf("t%de%d", 1+r.chance.IntN(4), 1+r.chance.IntN(4))})
	case 2:
		r.says(k)
	case 3:
		last := r.last(k)
		r.sends(k, map[string]any{"type": "resync", "lastEventId": []any{last, last, r.chance.IntN(last + 1), -1, "x", last + 1000}[r.chance.IntN(6)]})
	case 4:
		last, id := r.last(k), k.socket.id
		r.beside.Go(func() { // at any moment of the turn, its end included
			for range 3 {
				if err := r.host.Replay(r.t.Context(), thread.Of(r.in), id, fmt.Sprint(last)); err != nil {
					r.t.Error(err)
				}
			}
		})
	default:
		r.reconnect(k)
	}
}

func (r *rough) says(k *client) {
	if r.said == 4 {
		return
	}
	r.said++
	id := fmt.Sprint("m", r.said)
	k.socket.sent = append(k.socket.sent, id)
	r.sends(k, map[string]any{"type": "message", "id": id, "text": []string{"what is there?", "wait, stop"}[r.chance.IntN(2)]})
}

// sends has a client send something; one whose connection was given up comes back first.
func (r *rough) sends(k *client, what map[string]any) {
	data, err := json.Marshal(what)
	if err != nil {
		r.t.Fatal(err)
	}
	_, err = r.host.Receive(r.t.Context(), k.socket.id, data)
	if errors.Is(err, live.ErrGone) {
		r.reconnect(k)
		k.socket.sent = append(k.socket.sent, fmt.Sprint(what["id"]))
		_, err = r.host.Receive(r.t.Context(), k.socket.id, data)
	}
	if err != nil {
		r.t.Error(err)
	}
}

// reconnect is a client that comes back. That it went is told, or found out.
func (r *rough) reconnect(k *client) {
	r.mu.Lock()
	k.socket.closed = true
	id := k.socket.id
	r.mu.Unlock()
	if r.chance.IntN(2) == 0 {
		if err := r.host.Disconnect(r.t.Context(), id); err != nil {
			r.t.Error(err)
		}
	}
	r.connect(k, []string{fmt.Sprint(r.last(k)), fmt.Sprint(r.last(k)), "", "999999"}[r.chance.IntN(4)], r.chance.IntN(2) == 0)
}

func (r *rough) last(k *client) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return k.last
}

func (r *rough) connect(k *client, after string, good bool) {
	next := &socket{id: dynamotest.ID("socket"), client: k, heard: map[int]bool{}}
	if !good {
		next.chance = rand.New(rand.NewPCG(r.chance.Uint64(), 0))
	}
	r.mu.Lock()
	r.sockets[next.id], k.socket = next, next
	r.mu.Unlock()
	if err := r.host.Connect(r.t.Context(), next.id, live.Caller{Inbound: r.in, Session: thread.Session{ID: "call 1"}}, after); err != nil {
		r.t.Error(err)
	}
}

// Post implements [live.Poster].
func (r *rough) Post(_ context.Context, id string, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.sockets[id]
	switch {
	case k.closed:
		return errors.New("it was closed")
	case k.lost:
		return nil
	case k.chance == nil:
		return k.take(data)
	}
	switch k.chance.IntN(12) {
	case 0:
		k.lost = true
		return nil
	case 1:
		return errors.Join(k.take(data), k.take(data))
	case 2, 3:
		if k.late == nil {
			k.late = data
			return nil
		}
	}
	err := k.take(data)
	if k.late != nil {
		err = errors.Join(err, k.take(k.late))
		k.late = nil
	}
	return err
}

// Hangup implements [live.Poster].
func (r *rough) Hangup(_ context.Context, id string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sockets[id].closed = true
	return nil
}

// take is a client that hears a frame.
func (k *socket) take(data []byte) error {
	var f live.Frame
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	c := k.client
	if f.Type == live.Resync {
		k.from = *f.To
		return c.stands(f)
	}
	k.heard[f.Seq] = true
	if _, ok := c.frames[f.Seq]; !ok {
		c.frames[f.Seq], c.last = f, max(c.last, f.Seq)
	}
	return nil
}

// stands keeps what a resync tells of finished turns.
func (c *client) stands(f live.Frame) error {
	data, err := json.Marshal(f.State)
	if err != nil {
		return err
	}
	var s live.State
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	for _, l := range s.History {
		if l.Role == "assistant" {
			c.texts[l.Turn] = l.Content
		}
	}
	return nil
}

// check wants what each client knows to be what is stored.
func (r *rough) check() {
	r.t.Helper()
	all := r.log()
	for _, k := range r.clients {
		r.checkHeard(k.socket, all)
	}
	for _, k := range r.clients { // who was away comes back once more
		r.connect(k, fmt.Sprint(r.last(k)), true)
	}
	for _, t := range r.turns() {
		text := ""
		if len(t.Out) > 0 {
			text = t.Out[len(t.Out)-1].Text
		}
		if said := tokens(all, t.N); said != text {
			r.t.Errorf("turn %d: the log says %q, stored is %q", t.N, said, text)
		}
		for i, k := range r.clients {
			r.checkTurn(fmt.Sprint("client ", i), k, t, text, all)
		}
	}
	for i, k := range r.clients {
		r.checkOrder(fmt.Sprint("client ", i), k, all)
	}
}

// log are all frames of the conversation, of which finals have no text.
func (r *rough) log() []live.Frame {
	r.t.Helper()
	return logOf(r.t, r.call)
}

func tokens(frames []live.Frame, turn int) (said string) {
	for _, f := range frames {
		if f.Type == live.Token && f.Turn == turn {
			said += f.Text
		}
	}
	return said
}

// checkHeard wants a good connection to have heard all that was said since it was told what it missed, but what it has
// sent itself.
func (r *rough) checkHeard(s *socket, all []live.Frame) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.chance != nil || s.closed {
		return
	}
	for _, f := range all {
		if f.Seq > s.from && !s.heard[f.Seq] && !slices.Contains(s.sent, f.ID) {
			r.t.Errorf("%s, which knew all to frame %d, did not hear %+v", s.id, s.from, f)
		}
	}
}

// told is the number by which clients know a turn: the greeting is before the first.
func told(turn int) int { return turn - 1 }

// checkTurn wants a client to know a turn: by its final, by its tokens where it heard all of them, or by how it was
// told that the conversation stands.
func (r *rough) checkTurn(name string, k *client, t thread.Turn, text string, all []live.Frame) {
	r.t.Helper()
	stands, ok := k.texts[told(t.N)]
	if ok && stands != text {
		r.t.Errorf("%s, turn %d: stands as %q, stored is %q", name, t.N, stands, text)
	}
	final, heard := k.frames[t.Spoken.Seq]
	if heard && (final.Type != live.Final || final.Text != text || final.Turn != told(t.N) || final.Interrupted != t.Spoken.Interrupted) {
		r.t.Errorf("%s, turn %d: told %+v, stored is %q", name, t.N, final, text)
	}
	whole := true
	for _, f := range all {
		_, has := k.frames[f.Seq]
		whole = whole && (has || f.Turn != t.N || f.Type != live.Token)
	}
	said := tokens(slices.SortedFunc(maps.Values(k.frames), func(a, b live.Frame) int { return a.Seq - b.Seq }), told(t.N))
	if whole && said != text {
		r.t.Errorf("%s, turn %d: tokens %q, stored is %q", name, t.N, said, text)
	}
	if !ok && !heard && !whole {
		r.t.Errorf("%s does not know turn %d: %q", name, t.N, text)
	}
}

// checkOrder wants of a client's frames that they are those of the log, that nothing but its end comes behind a
// stream's end, and that one status is told of a turn.
func (r *rough) checkOrder(name string, k *client, all []live.Frame) {
	r.t.Helper()
	ended, statuses := map[string]bool{}, map[int]int{}
	for _, f := range all {
		got, ok := k.frames[f.Seq]
		if ok && (got.Type != f.Type || got.Stream != f.Stream || f.Type != live.Final && got.Text != f.Text) {
			r.t.Errorf("%s: heard %+v, the log has %+v", name, got, f)
		}
		switch f.Type {
		case live.Speaking:
			ended[f.Stream] = !*f.Speaking
		case live.Token:
			if ended[f.Stream] {
				r.t.Errorf("%q behind the end of %s", f.Text, f.Stream)
			}
		case live.Status:
			if statuses[f.Turn]++; statuses[f.Turn] > 1 {
				r.t.Errorf("turn %d has a second status: %q", f.Turn, f.Text)
			}
		}
	}
	for seq := range k.frames {
		if !slices.ContainsFunc(all, func(f live.Frame) bool { return f.Seq == seq }) {
			r.t.Errorf("%s heard frame %d, which the log does not have", name, seq)
		}
	}
}
