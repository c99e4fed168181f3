package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/oklog/ulid/v2"

	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/infra/local/gateway"
	"merve/internal/app"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	messages "merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/model/llm"
	"merve/internal/spine/live"
	"merve/internal/spine/turn"
)

// clauses are what the model says: 120 tokens in 12 clauses.
var clauses = []string{
	"There are three places by the harbour that suit you, ", "and each of them is open until late this evening. ",
	"The first is quiet and has tables by the water, ", "which is nice when the wind is not too strong. ",
	"The second has music from nine and good fish, ", "but one has to sit inside when it is full. ",
	"The third is a little further up the old road, ", "and from there you see the castle and the bay. ",
	"All of them are in walking distance of your hotel, ", "at most ten minutes if you take the lower street. ",
	"I would take the first one on a calm evening, ", "and the third one when there is a clear sky.",
}

// clausePause is of 10 tokens, at 50 a second.
const clausePause = 200 * time.Millisecond

// voice is a model that says the reply. It marks when each turn's first clause came.
type voice struct {
	pause func(ctx context.Context, clause int) error // before each clause

	mu    sync.Mutex
	began map[string]mark // by the customer's words
	ended map[string]time.Time
	store func() time.Duration
}

// mark is a moment, and how long the store had been at work until then.
type mark struct {
	at    time.Time
	store time.Duration
}

func (v *voice) now() mark { return mark{time.Now(), v.store()} }

// Complete implements [llm.Model].
func (v *voice) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	return v.Stream(ctx, req, func(string) error { return nil })
}

// Stream implements [llm.Model].
func (v *voice) Stream(ctx context.Context, req llm.Request, say func(string) error) (llm.Response, error) {
	asked := ""
	for _, m := range req.Messages {
		if m.Role == llm.User {
			asked = m.Text
		}
	}
	resp := llm.Response{Usage: llm.Usage{Input: 1500, Cached: 1000, Output: 120}, Model: "gpt-5-mini", Finish: "stop"}
	defer func() { v.mu.Lock(); v.ended[asked] = time.Now(); v.mu.Unlock() }()
	for i, clause := range clauses {
		if i > 0 {
			if err := v.pause(ctx, i); err != nil {
				return resp, context.Cause(ctx)
			}
		} else {
			v.mu.Lock()
			v.began[asked] = v.now()
			v.mu.Unlock()
		}
		if err := say(clause); err != nil {
			return resp, err
		}
		resp.Text += clause
	}
	return resp, nil
}

func (v *voice) of(asked string) (began mark, ended time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.began[asked], v.ended[asked]
}

// paced speaks as a model does; quick says everything at once.
func paced(ctx context.Context, _ int) error { return pause.For(ctx, clausePause) }
func quick(ctx context.Context, _ int) error { return ctx.Err() }

// studio is where live conversations take place: the functions, behind a gateway's sockets.
type studio struct {
	ahead   atomic.Int64 // of the machine's clock, in nanoseconds: what is bounded by the time it takes need not take it
	b       *bench
	model   *voice
	runner  *turn.Runner
	replays trigger.Handler
	address string
	close   func()

	busy     sync.WaitGroup
	failed   atomic.Value // error of what was queued
	requests atomic.Int64 // of the latest replay
}

// now is the studio's time.
func (s *studio) now() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }

func (b *bench) studio() (*studio, error) {
	s := &studio{b: b}
	s.model = &voice{pause: quick, began: map[string]mark{}, ended: map[string]time.Time{}, store: b.traffic.call.sum}
	sockets := &gateway.Sockets{Now: time.Now, NewID: telemetry.NewTraceID, Log: b.base.Log}
	base, err := b.newBase(b.traffic.through(dynamodb.Config(b.url)), s.now, func(base *app.Process) {
		base.Wait, base.Sockets = pause.For, sockets
		base.Queues = func(name string) messages.Queue {
			if name == "live" {
				return s
			}
			return b.queue
		}
	})
	if err != nil {
		return nil, err
	}
	if s.runner, err = base.Runner(s.model); err != nil {
		return nil, err
	}
	if s.replays, err = app.LiveTurn(base); err != nil {
		return nil, err
	}
	if sockets.Function, err = app.Live(base); err != nil {
		return nil, err
	}
	server := httptest.NewServer(sockets)
	s.address, s.close = "ws"+strings.TrimPrefix(server.URL, "http"), server.Close
	return s, nil
}

// Send implements [messages.Queue]: it starts the queued work at once, in the background.
func (s *studio) Send(ctx context.Context, m messages.Message) error {
	var work struct{ ThreadID, Socket string }
	if err := json.Unmarshal([]byte(m.Body), &work); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	s.busy.Go(func() {
		err := s.do(ctx, work.ThreadID, work.Socket != "", m.Body)
		if err != nil {
			s.failed.CompareAndSwap(nil, err)
		}
	})
	return nil
}

func (s *studio) do(ctx context.Context, thread string, replay bool, body string) error {
	if !replay {
		return s.runner.Work(ctx, thread)
	}
	payload, err := json.Marshal(map[string]any{"Records": []any{map[string]any{
		"messageId": ulid.Make().String(), "receiptHandle": "r", "body": body, "eventSource": "aws:sqs",
		"eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:live", "attributes": map[string]string{"ApproximateReceiveCount": "1"},
	}}})
	if err != nil {
		return err
	}
	ctx, meter := telemetry.WithMeter(ctx)
	_, err = invoke(ctx, s.replays, payload)
	s.requests.Store(int64(meter.Cost().Requests))
	return err
}

// Hide implements [messages.Queue].
func (s *studio) Hide(context.Context, string, time.Duration) error { return nil }

// rest waits until nothing is at work.
func (s *studio) rest() error {
	s.busy.Wait()
	err, _ := s.failed.Load().(error)
	return err
}

// caller is a client.
type caller struct {
	s    *studio
	talk url.Values
	conn *websocket.Conn
}

// heard is a frame, and when it came.
type heard struct {
	live.Frame
	mark
}

func (s *studio) caller(agent string) *caller {
	return &caller{s: s, talk: url.Values{
		"conversationId": {uuid.NewString()}, "callSessionId": {"call"}, "agentId": {agent}, "marketId": {demo.Market},
	}}
}

// connect opens a socket, and reads until it was told what it missed: the resync, and what follows.
func (c *caller) connect(ctx context.Context, after string) (told []heard, err error) {
	q := c.talk
	if after != "" {
		q.Set("lastEventId", after)
	}
	if c.conn, _, err = websocket.Dial(ctx, c.s.address+"/live?"+q.Encode(), nil); err != nil {
		return nil, err
	}
	c.conn.SetReadLimit(-1)
	before, err := c.until(ctx, func(f heard) bool { return f.Type == live.Resync })
	if err != nil {
		return nil, err
	}
	told = before[len(before)-1:] // a turn that runs may have been faster
	if *told[0].From > *told[0].To {
		return told, nil
	}
	rest, err := c.until(ctx, func(f heard) bool { return f.Seq == *told[0].To })
	return append(told, rest...), err
}

// until reads frames to the one that is waited for.
func (c *caller) until(ctx context.Context, is func(heard) bool) (all []heard, err error) {
	for {
		_, data, err := c.conn.Read(ctx)
		if err != nil {
			return all, fmt.Errorf("%d frames heard: %w", len(all), err)
		}
		f := heard{mark: c.s.model.now()}
		if err := json.Unmarshal(data, &f.Frame); err != nil {
			return all, err
		}
		if f.Type == live.Error {
			return all, fmt.Errorf("told: %s", f.Text)
		}
		if all = append(all, f); is(f) {
			return all, nil
		}
	}
}

func (c *caller) send(ctx context.Context, what map[string]string) error {
	data, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return c.conn.Write(ctx, websocket.MessageText, data)
}

// ask says something, and reads until the turn is over.
func (c *caller) ask(ctx context.Context) (asked string, turn []heard, err error) {
	asked = plainQuestion + " " + ulid.Make().String()
	if err := c.send(ctx, map[string]string{"type": "message", "id": asked[len(asked)-26:], "text": asked}); err != nil {
		return asked, nil, err
	}
	turn, err = c.until(ctx, isOver)
	return asked, turn, err
}

// isOver reports whether a frame ends a turn, but for the one that begins the call session.
func isOver(f heard) bool { return f.Type == live.Final && f.Turn > 0 }

// first is when the first words of a turn came after the model had said them: with and without the store's time.
func (c *caller) first(asked string, turn []heard) (took, own time.Duration, err error) {
	i := slices.IndexFunc(turn, func(f heard) bool { return f.Type == live.Token })
	began, _ := c.s.model.of(asked)
	if i < 0 || began.at.IsZero() {
		return 0, 0, errors.New("a turn said nothing")
	}
	took = turn[i].at.Sub(began.at)
	return took, took - (turn[i].mark.store - began.store), nil
}

func (c *caller) hangUp() { _ = c.conn.CloseNow() } // it may be closed already

// forget drops what was marked, which is no part of what a conversation takes.
func (v *voice) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	clear(v.began)
	clear(v.ended)
}
