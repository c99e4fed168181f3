package main

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"sync"
	"time"
)

// turnLog reads Merve's log for its turns.
type turnLog struct {
	to io.WriteCloser // gets all of it

	mu    sync.Mutex
	part  []byte
	seen  turns
	final string
}

// turns are the times of turns.
type turns struct {
	n, failed  int
	givenUp    []string // the threads of these turns
	own, store []time.Duration
}

func (l *turnLog) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.to.Write(b); err != nil {
		return 0, err
	}
	l.part = append(l.part, b...)
	for {
		line, rest, ok := bytes.Cut(l.part, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		l.line(line)
		l.part = append([]byte(nil), rest...)
	}
}

func (l *turnLog) line(line []byte) {
	l.final = string(line)
	var e struct {
		Msg      string  `json:"msg"`
		Outcome  string  `json:"outcome"`
		Ms       float64 `json:"ms"`
		ModelMs  float64 `json:"modelMs"`
		DynamoMs float64 `json:"dynamoMs"`
		Group    string  `json:"group"`
	}
	switch err := json.Unmarshal(line, &e); {
	case err == nil && e.Msg == "message given up":
		l.seen.givenUp = append(l.seen.givenUp, e.Group)
		return
	case err != nil || e.Msg != "turn":
		return
	}
	l.seen.n++
	if e.Outcome == "failed" {
		l.seen.failed++
		return
	}
	ms := func(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
	l.seen.own = append(l.seen.own, ms(e.Ms-e.ModelMs-e.DynamoMs))
	l.seen.store = append(l.seen.store, ms(e.DynamoMs))
}

func (l *turnLog) turns() turns {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.seen
	t.givenUp = slices.Clone(t.givenUp)
	t.own, t.store = slices.Sorted(slices.Values(t.own)), slices.Sorted(slices.Values(t.store))
	return t
}

func (l *turnLog) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.final
}
