package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/infra/local/demo"
	"merve/internal/base/actor"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Peer is a program that kept the conversation, Merve among them, and what it cost.
type Peer struct {
	Name  string     `json:"name"`
	Kind  string     `json:"kind"` // plain or tool
	Turns []PeerTurn `json:"turns"`
	Total PeerTurn   `json:"total"`
	MS    float64    `json:"ms"` // in the middle of the last ten turns
	Crowd *Crowd     `json:"crowd"`
}

// PeerTurn is what one turn cost.
type PeerTurn struct {
	Requests int     `json:"requests"`
	Bytes    int64   `json:"bytes"`
	WCU      float64 `json:"wcu"`
	RCU      float64 `json:"rcu"`
	MS       float64 `json:"ms"`
}

// Crowd is what became of many messages at once on one thread, and of the same again.
type Crowd struct {
	Of     int `json:"of"`
	Kept   int `json:"kept"`
	Rows   int `json:"rows"` // after they came again
	Errors int `json:"errors"`
}

// plan is the conversation, as the peers' script reads it.
type plan struct {
	Endpoint string   `json:"endpoint"`
	Said     []string `json:"said"`
	Answers  []string `json:"answers"`
	Tool     planTool `json:"tool"`
	Crowd    []string `json:"crowd"`
}

type planTool struct {
	Name   string          `json:"name"`
	Args   json.RawMessage `json:"args"`
	Result string          `json:"result"` // what Merve's own tool gave its model
}

const crowdOf = 20

// merve is Merve's name in the table.
const merve = "Merve"

// peers has the same conversation with Merve and with the peers, on the same server.
func (b *bench) peers(ctx context.Context, r *Report) error {
	p := planOf(b.PeerTurns)
	p.Endpoint = b.url
	for _, kind := range []string{"plain", "tool"} {
		ours, err := b.drive(ctx, p, kind)
		if err != nil {
			return fmt.Errorf("%s turns of ours: %w", kind, err)
		}
		r.Peers = append(r.Peers, ours)
	}
	p.Tool.Result = b.model.heard
	crowd, err := b.crowd(ctx, p.Crowd)
	if err != nil {
		return fmt.Errorf("crowd of ours: %w", err)
	}
	r.Peers[0].Crowd = &crowd
	theirs, leftOut := b.python(ctx, p)
	r.Peers, r.LeftOut = append(r.Peers, theirs...), append(r.LeftOut, leftOut...)
	for _, what := range leftOut {
		fmt.Fprintln(b.Log, "bench: LEFT OUT:", what)
	}
	return nil
}

// planOf makes a conversation about nothing, always the same, whose texts differ from
// turn to turn, as those of people do.
func planOf(turns int) plan {
	words := strings.Fields(`harbour table terrace garden evening quiet music family children window sunset walk old town castle
		beach lemon olive grilled fish mezze bread soup dessert coffee wine list vegetarian spicy fresh market street lantern
		parking taxi minutes near behind beside under open late early lunch dinner breakfast weekend sunny breeze view candle`)
	chance := rand.New(rand.NewPCG(20, 26))
	sentence := func(begin string, n int) string {
		for range n {
			begin += " " + words[chance.IntN(len(words))]
		}
		return begin
	}
	call := search("c1", "sushi")
	p := plan{Tool: planTool{Name: call.Name, Args: call.Args}}
	for range turns {
		p.Said = append(p.Said, sentence("what about a place with", 8)+"?")
		p.Answers = append(p.Answers, sentence("You may like the one with", 28)+".")
	}
	for range crowdOf {
		p.Crowd = append(p.Crowd, sentence("and what about", 6)+"?")
	}
	return p
}

// play has the model answer each question of the plan with its answer.
func (p plan) play(s *script, rounds ...[]llm.Call) {
	answers := map[string]string{}
	for i, said := range p.Said {
		answers[said] = p.Answers[i]
	}
	s.play(rounds...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = func(said string) string {
		if a, ok := answers[strings.TrimSpace(said)]; ok {
			return a
		}
		return p.Answers[0]
	}
}

// drive has Merve hold the conversation twice: for what it takes, and for its time.
func (b *bench) drive(ctx context.Context, p plan, kind string) (Peer, error) {
	var rounds [][]llm.Call
	if kind == "tool" {
		rounds = [][]llm.Call{{search("c1", "sushi")}}
	}
	p.play(b.model, rounds...)
	if _, err := b.say(ctx, newSession(), p.Said[0]); err != nil { // a process that has been running
		return Peer{}, err
	}
	out := Peer{Name: merve, Kind: kind}
	for _, auditing := range []bool{true, false} {
		session, turns := newSession(), make([]PeerTurn, len(p.Said))
		b.traffic.auditing.Store(auditing)
		for i, said := range p.Said {
			before := b.traffic.sum()
			start := time.Now()
			got, err := b.say(ctx, session, said)
			took := time.Since(start)
			if err == nil && !strings.Contains(got.Reply, p.Answers[i]) {
				err = fmt.Errorf("turn %d: not the model's answer: %q", i+1, got.Reply)
			}
			if err != nil {
				b.traffic.auditing.Store(false)
				return out, err
			}
			after := b.traffic.sum()
			c := after.minus(before)
			turns[i] = PeerTurn{Requests: c.Requests, Bytes: c.Bytes, WCU: c.BilledWrites, RCU: c.BilledReads, MS: milliseconds(took)}
		}
		b.traffic.auditing.Store(false)
		if auditing {
			out.Turns = turns
			continue
		}
		for i := range turns {
			out.Turns[i].MS = turns[i].MS
		}
	}
	var late []float64
	for i, t := range out.Turns {
		out.Total.Requests += t.Requests
		out.Total.Bytes += t.Bytes
		out.Total.WCU += t.WCU
		out.Total.RCU += t.RCU
		if i >= len(out.Turns)-10 {
			late = append(late, t.MS)
		}
	}
	slices.Sort(late)
	out.MS = late[len(late)/2]
	return out, nil
}

// crowd says many things at once on one thread, and then the same again.
func (b *bench) crowd(ctx context.Context, texts []string) (Crowd, error) {
	who := actor.Actor{Kind: actor.Session, ID: newSession()}
	out := Crowd{Of: len(texts)}
	b.model.play()
	for range 2 {
		errs := make([]error, len(texts))
		var wg sync.WaitGroup
		for i, text := range texts {
			wg.Go(func() {
				_, errs[i] = b.runner.Converse(ctx, channel.Inbound{
					Market: demo.Market, Channel: channel.App, ThreadType: channel.General, From: who, MessageID: fmt.Sprint("crowd-", i), Text: text,
				})
			})
		}
		wg.Wait()
		for _, err := range errs {
			if err != nil {
				out.Errors++
				fmt.Fprintln(b.Log, "bench: crowd:", err)
			}
		}
		kept, err := b.said(ctx, thread.ID(demo.Market, channel.General, "", who.Key()))
		if err != nil {
			return out, err
		}
		if out.Rows = len(kept); out.Kept == 0 {
			slices.Sort(kept)
			out.Kept = len(slices.Compact(kept))
		}
	}
	return out, nil
}

// said lists what came in on a thread.
func (b *bench) said(ctx context.Context, id string) ([]string, error) {
	lines, _, err := b.plain.Threads().Lines(ctx, id, "", thread.MaxLines)
	var texts []string
	for _, l := range lines {
		if l.Direction == "inbound" {
			texts = append(texts, l.Text)
		}
	}
	return texts, err
}

// python runs the peers' script. What cannot be had is left out, and said.
func (b *bench) python(ctx context.Context, p plan) ([]Peer, []string) {
	if b.Python == "" {
		return nil, []string{"the peers: no Python with them was named"}
	}
	if _, err := exec.LookPath(b.Python); err != nil {
		return nil, []string{"the peers: " + b.Python + " is not there (.ci/install-peers.sh installs it)"}
	}
	in, err := json.Marshal(p)
	if err != nil {
		return nil, []string{"the peers: " + err.Error()}
	}
	cmd := exec.CommandContext(ctx, b.Python, filepath.Join(b.Root, "testdata", "peers", "run.py"))
	cmd.Stdin = bytes.NewReader(in)
	var said bytes.Buffer
	cmd.Stderr = io.MultiWriter(&said, b.Log)
	printed, err := cmd.Output()
	var got struct {
		Peers   []Peer   `json:"peers"`
		LeftOut []string `json:"leftOut"`
	}
	if err == nil {
		err = json.Unmarshal(printed, &got)
	}
	if err != nil {
		return nil, []string{fmt.Sprintf("the peers: %v: %s", err, lastLine(said.String()))}
	}
	return got.Peers, got.LeftOut
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}
