package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"

	"merve/internal/base/pause"
	"merve/internal/spine/live"
)

// Live is what live conversations take. Their clients are on real WebSockets, and the model stands in: it says 120
// tokens, at 50 a second where its pace matters.
type Live struct {
	FirstOwnP50    float64 `json:"firstClauseToClientP50ms"` // beyond the time of the store
	FirstOwnP99    float64 `json:"firstClauseToClientP99ms"`
	FirstP50       float64 `json:"firstClauseToClientWithStoreP50ms"`
	FirstP99       float64 `json:"firstClauseToClientWithStoreP99ms"`
	Frames         int     `json:"framesOfAReply"`
	Count          Count   `json:"turn"`
	Resyncs        int     `json:"resyncs"`
	ResyncTurns    int     `json:"turnsOfTheSession"`
	ResyncMS       float64 `json:"resyncP99ms"` // from the first byte of a new connection
	ResyncRequests int     `json:"resyncRequests"`
	ResyncTold     int     `json:"turnsTold"`
	BargeIns       int     `json:"bargeIns"`
	BargedFrames   int     `json:"framesAfterABargeIn"` // the most
	BargeMS        float64 `json:"bargeInToSilenceP99ms"`
	ClosedMS       float64 `json:"bargeInToModelClosedP99ms"`
	Reconnects     int     `json:"reconnects"`
	Greetings      int     `json:"greetings"`
	Crowd          Talks   `json:"crowd"`
	Used           Used    `json:"used"`
	Dollars        Dollars `json:"dollarsPerMillionTurns"`
}

// Talks are many conversations at once.
type Talks struct {
	Open     int     `json:"open"`
	Talking  int     `json:"talking"`
	Turns    int     `json:"turns"`
	Seconds  float64 `json:"seconds"`
	FirstP50 float64 `json:"firstFrameP50ms"` // from the model's first clause
	FirstP99 float64 `json:"firstFrameP99ms"`
	HeapFrom float64 `json:"heapAtTheStartMB"`
	HeapTo   float64 `json:"heapAtTheEndMB"`
}

// plainUnits is how many write units a turn takes that is not live.
const plainUnits = 8

func (b *bench) live(ctx context.Context, r *Report) error {
	s, err := b.studio()
	if err != nil {
		return err
	}
	defer s.close()
	r.Live = &Live{}
	for _, part := range []struct {
		name string
		run  func(context.Context, *Live) error
	}{
		{"first words", s.firstWords}, {"a reply", s.reply}, {"resync", s.resync}, {"barge-in", s.bargeIn}, {"greetings", s.greetings},
		{"a crowd", s.crowd},
	} {
		if err := part.run(ctx, r.Live); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		if err := s.rest(); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	r.Live.Dollars = dollarsOf(r.Live.Used)
	return nil
}

// firstWords has one caller ask again and again.
func (s *studio) firstWords(ctx context.Context, x *Live) error {
	c := s.caller("merve")
	if _, err := c.connect(ctx, ""); err != nil {
		return err
	}
	defer c.hangUp()
	var took, own []time.Duration
	for i := range 10 + 3*s.b.Runs {
		asked, turn, err := c.ask(ctx)
		if err != nil {
			return err
		}
		whole, mine, err := c.first(asked, turn)
		if err != nil {
			return err
		}
		if i >= 10 { // what has warmed up
			took, own = append(took, whole), append(own, mine)
		}
	}
	at, ofOwn := percentile(took), percentile(own)
	x.FirstP50, x.FirstP99 = milliseconds(at(0.5)), milliseconds(at(0.99))
	x.FirstOwnP50, x.FirstOwnP99 = milliseconds(ofOwn(0.5)), milliseconds(ofOwn(0.99))
	return nil
}

// reply counts what a turn takes at the pace of a model.
func (s *studio) reply(ctx context.Context, x *Live) error {
	c := s.caller("merve")
	if _, err := c.connect(ctx, ""); err != nil {
		return err
	}
	defer c.hangUp()
	s.model.pause = quick
	if _, _, err := c.ask(ctx); err != nil {
		return err
	}
	if err := s.rest(); err != nil {
		return err
	}
	s.model.pause = paced
	defer func() { s.model.pause = quick }()
	s.b.traffic.auditing.Store(true)
	defer func() { s.b.traffic.auditing.Store(false) }()
	before := s.b.traffic.sum()
	_, turn, err := c.ask(ctx)
	if err == nil {
		err = s.rest()
	}
	if err != nil {
		return err
	}
	x.Frames, x.Count = len(turn), s.b.traffic.sum().minus(before)
	x.Used = Used{
		Writes: x.Count.BilledWrites, Reads: x.Count.BilledReads, Requests: x.Count.Requests,
		Invocations: 2, Standard: 1, Frames: 1 + x.Frames, Connected: minutesOfATurn, Quiet: clausePause * time.Duration(len(clauses)-1),
	}
	return nil
}

// minutesOfATurn is how long a caller is connected for each thing that they say.
const minutesOfATurn = 30 * time.Second

// resync has a caller come back to a long session while a turn speaks.
func (s *studio) resync(ctx context.Context, x *Live) error {
	c := s.caller("merve")
	told, err := c.connect(ctx, "")
	if err != nil {
		return err
	}
	defer c.hangUp()
	state, _ := told[0].State.(map[string]any)
	id, _ := state["threadId"].(string)
	x.ResyncTurns = 1000
	if s.b.Runs == 1 { // quick
		x.ResyncTurns = 60
	}
	if err := s.b.grow(ctx, 2*x.ResyncTurns, func() (string, error) {
		s.ahead.Add(int64(time.Second)) // more at once is refused
		_, _, err := c.ask(ctx)
		return id, errors.Join(err, s.rest())
	}); err != nil {
		return err
	}
	open, over := make(chan struct{}), make(chan struct{})
	s.model.pause = func(ctx context.Context, clause int) error {
		if clause == 3 {
			close(open)
			<-over
		}
		return ctx.Err()
	}
	if err := c.send(ctx, map[string]string{"type": "message", "id": "open", "text": plainQuestion}); err != nil {
		return err
	}
	<-open
	again := &caller{s: s, talk: c.talk}
	var took []time.Duration
	for range min(10, 5*s.b.Runs) {
		start := time.Now()
		all, err := again.connect(ctx, "5")
		if err != nil {
			return err
		}
		took = append(took, time.Since(start))
		again.hangUp()
		finals := 0
		for _, f := range all {
			if f.Type == live.Final {
				finals++
			}
		}
		if resync, last := all[0], all[len(all)-1]; !resync.Gap || last.Type != live.Token {
			return fmt.Errorf("a client that comes back to an open stream behind a gap is told %+v, and last %+v", resync.Frame, last.Frame)
		}
		x.ResyncTold, x.ResyncRequests = finals, int(s.requests.Load())
	}
	close(over)
	x.Resyncs, x.ResyncMS = len(took), milliseconds(percentile(took)(0.99))
	if _, err := c.until(ctx, isOver); err != nil {
		return err
	}
	s.model.pause = quick
	return s.rest()
}

// bargeIn interrupts at the third piece.
func (s *studio) bargeIn(ctx context.Context, x *Live) error {
	c := s.caller("merve")
	if _, err := c.connect(ctx, ""); err != nil {
		return err
	}
	defer c.hangUp()
	s.model.pause = paced
	defer func() { s.model.pause = quick }()
	var silent, closed []time.Duration
	for range 2 + s.b.Runs/4 {
		asked := plainQuestion + " " + ulid.Make().String()
		if err := c.send(ctx, map[string]string{"type": "message", "id": asked[len(asked)-26:], "text": asked}); err != nil {
			return err
		}
		pieces := 0
		if _, err := c.until(ctx, func(f heard) bool {
			if f.Type == live.Token {
				pieces++
			}
			return pieces == 3
		}); err != nil {
			return err
		}
		start := time.Now()
		if err := c.send(ctx, map[string]string{"type": "barge_in"}); err != nil {
			return err
		}
		all, err := c.until(ctx, isOver)
		if err == nil {
			err = s.rest()
		}
		if err != nil {
			return err
		}
		words := 0
		for _, f := range all {
			switch {
			case f.Type == live.Token || f.Type == live.Status:
				words++
			case f.Type == live.Speaking:
				silent = append(silent, f.at.Sub(start))
			}
		}
		_, ended := s.model.of(asked)
		closed = append(closed, ended.Sub(start))
		x.BargedFrames = max(x.BargedFrames, words)
	}
	x.BargeIns, x.BargeMS, x.ClosedMS = len(silent), milliseconds(percentile(silent)(0.99)), milliseconds(percentile(closed)(0.99))
	return nil
}

// greetings has a caller lose the connection ten times.
func (s *studio) greetings(ctx context.Context, x *Live) error {
	c := s.caller("pestcall")
	told := map[int]bool{}
	for range 11 {
		all, err := c.connect(ctx, "")
		if err != nil {
			return err
		}
		c.hangUp()
		if err := s.rest(); err != nil {
			return err
		}
		for _, f := range all {
			if f.Type == live.Final {
				told[f.Seq] = true
			}
		}
	}
	x.Reconnects, x.Greetings = 10, len(told)
	return nil
}

// crowd has many callers connected, of whom some talk.
func (s *studio) crowd(ctx context.Context, x *Live) error {
	t, lasts := &x.Crowd, 40*time.Second
	t.Open, t.Talking = 500, 50
	if s.b.Runs == 1 { // quick
		t.Open, t.Talking, lasts = 20, 4, time.Second
	}
	callers := make([]*caller, t.Open)
	if err := atOnce(t.Open, func(i int) error {
		callers[i] = s.caller("merve")
		_, err := callers[i].connect(ctx, "")
		return err
	}); err != nil {
		return err
	}
	s.b.tell("%d callers are connected", t.Open)
	s.model.pause = paced
	defer func() { s.model.pause = quick }()
	if _, _, err := s.talk(ctx, callers[:t.Talking], lasts/6); err != nil { // what has warmed up
		return err
	}
	t.HeapFrom = heapMB()
	cpu, start := cpuTime(), time.Now()
	turns, took, err := s.talk(ctx, callers[:t.Talking], lasts)
	if err != nil {
		return err
	}
	t.Seconds, t.Turns = time.Since(start).Seconds(), turns
	x.Used.Work = (cpuTime() - cpu) / time.Duration(max(turns, 1))
	t.HeapTo = heapMB()
	at := percentile(took)
	t.FirstP50, t.FirstP99 = milliseconds(at(0.5)), milliseconds(at(0.99))
	for _, c := range callers {
		c.hangUp()
	}
	return nil
}

// talk has callers ask for a while, each with a second of thought between.
func (s *studio) talk(ctx context.Context, callers []*caller, lasts time.Duration) (turns int, took []time.Duration, err error) {
	end := time.Now().Add(lasts)
	errs := make([]error, len(callers))
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, c := range callers {
		wg.Go(func() {
			errs[i] = pause.For(ctx, time.Duration(i)*time.Second/time.Duration(len(callers)))
			for errs[i] == nil && time.Now().Before(end) {
				asked, turn, err := c.ask(ctx)
				if err == nil {
					var first time.Duration
					first, _, err = c.first(asked, turn)
					mu.Lock()
					turns, took = turns+1, append(took, first)
					mu.Unlock()
				}
				if err == nil {
					err = pause.For(ctx, time.Second)
				}
				errs[i] = err
			}
		})
	}
	wg.Wait()
	s.model.forget()
	return turns, took, errors.Join(errs...)
}

// heapMB is what is in use, after all that can be given back was.
func heapMB() float64 {
	runtime.GC()
	runtime.GC() // what has finalizers goes with the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

func (r *Report) liveTable(p *page) {
	if r.Live == nil {
		return
	}
	x := r.Live
	p.line("\n## Live sessions")
	p.table("what|measured", func(row func(...any)) {
		row("the model's first clause to its frame at the client, beyond the store's time, p50 and p99",
			fmt.Sprintf("%.1f, %.1f ms", x.FirstOwnP50, x.FirstOwnP99))
		row("the same with the store's time", fmt.Sprintf("%.1f, %.1f ms", x.FirstP50, x.FirstP99))
		row("frames of a reply of 120 tokens", x.Frames)
		row(fmt.Sprintf("requests, write units and read units of its turn, write units beyond %d", plainUnits),
			fmt.Sprintf("%d, %.4g, %.4g, %.4g", x.Count.Requests, x.Count.BilledWrites, x.Count.BilledReads, x.Count.BilledWrites-plainUnits))
		row(fmt.Sprintf("resync of %d turns and an open stream, from the connection on, p99 of %d", x.ResyncTurns, x.Resyncs),
			fmt.Sprintf("%.0f ms", x.ResyncMS))
		row("requests of it, and finished turns told", fmt.Sprintf("%d, %d and a gap", x.ResyncRequests, x.ResyncTold))
		row(fmt.Sprintf("barge-in to silence, p99 of %d", x.BargeIns), fmt.Sprintf("%.0f ms, frames after it: %d", x.BargeMS, x.BargedFrames))
		row("barge-in to the end of the model's stream, p99", fmt.Sprintf("%.0f ms", x.ClosedMS))
		row(fmt.Sprintf("greetings of a call session with %d reconnects", x.Reconnects), x.Greetings)
		t := x.Crowd
		row(fmt.Sprintf("%d sessions open, %d talking for %.0f s: turns", t.Open, t.Talking, t.Seconds), t.Turns)
		row("heap at the start and at the end, clients included", fmt.Sprintf("%.1f, %.1f MB", t.HeapFrom, t.HeapTo))
		row("the model's first clause to its frame at the client, p50 and p99", fmt.Sprintf("%.1f, %.1f ms", t.FirstP50, t.FirstP99))
		row(fmt.Sprintf("a million turns, each with %.2g minutes of connection: DynamoDB", x.Used.Connected.Minutes()),
			fmt.Sprintf("$%.2f", x.Dollars.Store))
		row("of it with sockets, queue and functions", fmt.Sprintf("$%.2f", x.Dollars.Whole))
		row("a function that waits while the model speaks, beside", fmt.Sprintf("$%.2f", x.Dollars.Waiting))
	})
}

// live are the figures of live sessions.
func (t *tally) live(r *Report) {
	if r.Live == nil {
		return
	}
	x := r.Live
	t.atMost(false, "first clause to its frame at the client, beyond the store's time, p99", " ms", x.FirstOwnP99, 20)
	t.atMost(true, "a reply of 120 tokens", " frames", float64(x.Frames), 10)
	t.atMost(true, "live turn beyond a plain one", " WU", x.Count.BilledWrites-plainUnits, 10)
	t.atMost(false, "resync of a long session, p99", " ms", x.ResyncMS, 250)
	t.atMost(true, "resync of a long session", " requests", float64(x.ResyncRequests), 2)
	t.atLeast(true, "finished turns that it tells", "", float64(x.ResyncTold), 20)
	t.atMost(false, "barge-in to silence", " frames", float64(x.BargedFrames), 1)
	t.atMost(false, "barge-in to the end of the model's stream, p99", " ms", x.ClosedMS, 600)
	t.atMost(true, "greetings of a call session", "", float64(x.Greetings), 1)
	t.atMost(false, fmt.Sprintf("heap of %d sessions at the end against the start", x.Crowd.Open), " times",
		x.Crowd.HeapTo/x.Crowd.HeapFrom, 1.1)
}
