package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/google/uuid"

	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/internal/agent/tool"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	messages "merve/internal/cloud/queue"
	"merve/internal/model/llm"
	"merve/internal/model/minilm"
	engine "merve/internal/plan"
	"merve/internal/tenant/market"
)

// Plans is the cost of the plan engine without the time of models and tools: stand-ins for these answer at once, or
// after exactly a second.
type Plans struct {
	OneStepMS     float64 `json:"oneStepP50ms"`
	Requests      int     `json:"oneStepRequests"`
	PerStep       float64 `json:"requestsPerFurtherStep"`
	ThreeAtOnceMS float64 `json:"threeStepsOfASecondMs"`
	StepsPerSec   float64 `json:"stepsPerSecond"`
	Killed        int     `json:"openWhenKilled"`
	Answered      int     `json:"answeredAfterwards"`
	AnsweredInS   float64 `json:"answeredSecondsAfterTheLastClaim"`
	Folded        int     `json:"eventsFolded"`
	FoldCPU       float64 `json:"foldCpuSeconds"`
	RestartShort  int     `json:"restartRequestsAfter1Plan"`
	RestartLong   int     `json:"restartRequestsAfterMany"`
	SentenceMS    float64 `json:"sentenceCpuMs,omitempty"`
}

// planner is an engine whose model plans so many steps as the question says, and whose tool does what it is told.
func planner(store *dynamo.DB, do func(ctx context.Context) error) *engine.Engine {
	m := market.Default(demo.Market)
	runs := func(ctx context.Context, _ tool.Context, _ engine.Input) (tool.Result, error) {
		return tool.Result{Data: "done"}, do(ctx)
	}
	tools, err := tool.NewRegistry(tool.New("general_chat", "Stands in for every tool.", tool.Read, runs))
	if err != nil {
		panic(err) // of a tool that is written here
	}
	return &engine.Engine{
		Store: &engine.Store{Table: store.Table(tableName("conversations")), Now: time.Now}, Tools: tools,
		Model: llm.Whole(func(_ context.Context, r llm.Request) (llm.Response, error) {
			if r.Schema == nil {
				return llm.Response{Text: "The answer.", Finish: "stop"}, nil
			}
			n, _ := strconv.Atoi(strings.TrimPrefix(r.Messages[len(r.Messages)-1].Text, "Question: ")) // asked below
			step := `{"tool":"general_chat","input":"x","dependsOn":[]}`
			steps := strings.TrimSuffix(strings.Repeat(step+",", n), ",")
			return llm.Response{Text: fmt.Sprintf(`{"steps":[%s],"totalSteps":%d}`, steps, n), Finish: "stop"}, nil
		}),
		Market: func(context.Context, string) (*market.Market, error) { return m, nil },
		Holder: uuid.NewString(), NewID: newCorrelation, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
}

func newCorrelation() string { return uuid.Must(uuid.NewV7()).String() }

func noTime(context.Context) error { return nil }

const planOwner = "session:bench"

func (b *bench) plans(ctx context.Context, r *Report) error {
	r.Plans = &Plans{}
	parts := []func(context.Context, *Plans) error{b.oneStep, b.threeSteps, b.stepsPerSecond, b.restart, b.fold, b.killed, b.sentence}
	for _, part := range parts {
		if err := part(ctx, r.Plans); err != nil {
			return err
		}
	}
	return nil
}

// oneStep is the engine's own time and requests.
func (b *bench) oneStep(ctx context.Context, p *Plans) error {
	e := planner(b.store, noTime)
	var times []float64
	for i := range 10 + 5*b.Runs {
		start := time.Now()
		if _, err := e.Ask(ctx, planOwner, newCorrelation(), "1"); err != nil {
			return err
		}
		if i >= 10 { // what has warmed up
			times = append(times, ms(time.Since(start)))
		}
	}
	slices.Sort(times)
	p.OneStepMS = times[len(times)/2]
	of := func(steps string) (int, error) {
		ctx, meter := telemetry.WithMeter(ctx)
		_, err := e.Ask(ctx, planOwner, newCorrelation(), steps)
		return meter.Cost().Requests, err
	}
	one, err := of("1")
	if err != nil {
		return err
	}
	nine, err := of("9")
	p.Requests, p.PerStep = one, float64(nine-one)/8
	return err
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// threeSteps takes three steps of a second each.
func (b *bench) threeSteps(ctx context.Context, p *Plans) error {
	e := planner(b.store, func(ctx context.Context) error {
		t := time.NewTimer(time.Second)
		defer t.Stop()
		select {
		case <-t.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	var times []float64
	for range 1 + min(b.Runs, 4) {
		start := time.Now()
		if _, err := e.Ask(ctx, planOwner, newCorrelation(), "3"); err != nil {
			return err
		}
		times = append(times, ms(time.Since(start)))
	}
	slices.Sort(times)
	p.ThreeAtOnceMS = times[len(times)/2]
	return nil
}

// stepsPerSecond has eight ask at a time.
func (b *bench) stepsPerSecond(ctx context.Context, p *Plans) error {
	const workers, steps = 8, 4
	e := planner(b.store, noTime)
	var left atomic.Int64
	left.Store(int64(b.Turns) / steps)
	asked := left.Load()
	var g sync.WaitGroup
	errs := make([]error, workers)
	start := time.Now()
	for w := range workers {
		g.Go(func() {
			for left.Add(-1) >= 0 && errs[w] == nil {
				_, errs[w] = e.Ask(ctx, planOwner, newCorrelation(), strconv.Itoa(steps))
			}
		})
	}
	g.Wait()
	p.StepsPerSec = float64(asked*steps) / time.Since(start).Seconds()
	return errors.Join(errs...)
}

// restart is what a process reads that knows nothing of a conversation, when that is new and when it is old.
func (b *bench) restart(ctx context.Context, p *Plans) error {
	e, conversation := planner(b.store, noTime), newCorrelation()
	look := func() (int, error) {
		a, err := e.Ask(ctx, planOwner, conversation, "2")
		if err != nil {
			return 0, err
		}
		ctx, meter := telemetry.WithMeter(ctx)
		err = planner(b.store, noTime).Look(ctx, a.Ref)
		return meter.Cost().Requests, err
	}
	var err error
	if p.RestartShort, err = look(); err != nil {
		return err
	}
	for range 10 + 2*b.Runs {
		if p.RestartLong, err = look(); err != nil {
			return err
		}
	}
	return nil
}

// fold decodes and folds the log of a plan of four steps, again and again.
func (b *bench) fold(ctx context.Context, p *Plans) error {
	e, conversation := planner(b.store, noTime), newCorrelation()
	if _, err := e.Ask(ctx, planOwner, conversation, "4"); err != nil {
		return err
	}
	events, err := e.Store.Trace(ctx, planOwner, conversation)
	if err != nil {
		return err
	}
	want := 1_000_000
	if b.Runs == 1 { // quick
		want = 10_000
	}
	before := cpu()
	for p.Folded < want {
		if s := engine.Fold(events); s.Answer == nil {
			return errors.New("the log of an answered plan has no answer")
		}
		p.Folded += len(events)
	}
	p.FoldCPU = cpu() - before
	return nil
}

// cpu is what this process has used, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// sentence embeds a sentence on one core, where the weights are.
func (b *bench) sentence(ctx context.Context, p *Plans) error {
	dir := filepath.Join(b.Root, ".cache", "minilm")
	if _, err := os.Stat(filepath.Join(dir, minilm.WeightsFile)); err != nil {
		b.tell("LEFT OUT: the time of a sentence, without weights in %s", dir)
		return nil
	}
	model, err := minilm.Load(dir)
	if err != nil {
		return err
	}
	const sentences = 20
	before := cpu()
	for i := range sentences {
		text := fmt.Sprintf("I need a laptop for gaming under %d dollars, with a good screen", 1000+i)
		if _, _, err := model.Embed(ctx, []string{text}); err != nil {
			return err
		}
	}
	p.SentenceMS = 1000 * (cpu() - before) / sentences
	return nil
}

// holdPlans is the name under which this program runs again as the process that is killed.
const holdPlans = "hold-plans"

// timer is a delayed message, which outlives the process that sent it.
type timer struct {
	Body  string
	Delay time.Duration
}

// tellTimers prints what is put on the queue of timers.
type tellTimers struct {
	mu sync.Mutex
	to io.Writer
}

func (t *tellTimers) Send(_ context.Context, m messages.Message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return json.NewEncoder(t.to).Encode(timer{m.Body, m.Delay})
}

func (t *tellTimers) Hide(context.Context, string, time.Duration) error { return nil }

// hold opens so many plans, says so, and works on them until it is killed.
func hold(ctx context.Context, url string, plans int, stdout io.Writer) error {
	begun := make(chan struct{}, plans)
	e := planner(dynamo.Open(dynamodb.Config(url)), func(ctx context.Context) error {
		begun <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	})
	timers := &tellTimers{to: stdout}
	e.Timers = timers
	for range plans {
		go func() { _, _ = e.Ask(ctx, planOwner, newCorrelation(), "1") }() // it is killed
	}
	for range plans {
		<-begun
	}
	if err := timers.Send(ctx, messages.Message{}); err != nil { // all are open
		return err
	}
	<-ctx.Done()
	return nil
}

// killed has a process die with open plans, and another one answer them: when their timers come, as a queue brings
// them.
func (b *bench) killed(ctx context.Context, p *Plans) error {
	plans := 1000
	if b.Runs == 1 { // quick
		plans = 4
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, self, holdPlans, b.url, strconv.Itoa(plans))
	child.Stderr = b.Log
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	var timers []timer
	var sent []time.Time
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var t timer
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return err
		}
		if t.Body == "" {
			break
		}
		timers, sent = append(timers, t), append(sent, time.Now())
	}
	died := time.Now()
	if err := child.Process.Kill(); err != nil { // as kill -9 does
		return err
	}
	_ = child.Wait() // it was killed
	p.Killed = len(timers)
	b.tell("killed a process with %d open plans", p.Killed)
	return b.revive(ctx, p, timers, sent, died.Add(engine.ClaimTime))
}

// revive delivers timers, at most 20 at a time, as long as one follows another.
func (b *bench) revive(ctx context.Context, p *Plans, timers []timer, sent []time.Time, lastClaim time.Time) error {
	due := make([]time.Time, len(timers))
	for i, t := range timers {
		due[i] = sent[i].Add(t.Delay)
	}
	room := make(chan struct{}, 20)
	var g sync.WaitGroup
	errs := make([]error, len(timers))
	for i := range timers {
		g.Go(func() { errs[i] = b.bringTimers(ctx, timers[i], due[i], room) })
	}
	g.Wait()
	p.AnsweredInS = max(0, time.Since(lastClaim).Seconds())
	for _, err := range errs {
		if err == nil {
			p.Answered++
		}
	}
	return errors.Join(errs...)
}

// next keeps the latest message of a plan.
type next struct{ m *timer }

func (n *next) Send(_ context.Context, m messages.Message) error {
	n.m = &timer{m.Body, m.Delay}
	return nil
}

func (n *next) Hide(context.Context, string, time.Duration) error { return nil }

// bringTimers delivers a timer when it is due, and the one that comes of it.
func (b *bench) bringTimers(ctx context.Context, t timer, due time.Time, room chan struct{}) error {
	for range 10 {
		wait := time.NewTimer(time.Until(due))
		select {
		case <-wait.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		room <- struct{}{}
		e, then := planner(b.store, noTime), &next{}
		e.Timers = then
		err := e.Deliver(ctx, []byte(t.Body))
		<-room
		if err != nil || then.m == nil {
			return cmp.Or(err, b.isAnswered(ctx, t))
		}
		t, due = *then.m, time.Now().Add(then.m.Delay)
	}
	return fmt.Errorf("not answered: %s", t.Body)
}

// isAnswered returns an error when the plan of a timer has no answer.
func (b *bench) isAnswered(ctx context.Context, t timer) error {
	var of struct{ Look engine.Ref }
	if err := json.Unmarshal([]byte(t.Body), &of); err != nil {
		return err
	}
	events, err := planner(b.store, noTime).Store.Trace(ctx, planOwner, of.Look.Conversation)
	if err != nil {
		return err
	}
	if engine.Fold(events).Answer == nil {
		return fmt.Errorf("%s is not answered", of.Look.Conversation)
	}
	return nil
}

func (r *Report) plansTable(p *page) {
	if r.Plans == nil {
		return
	}
	x := r.Plans
	p.line("\n## Questions in several parts")
	p.table("what|measured", func(row func(...any)) {
		row("plan of one step, without model and tool, p50", fmt.Sprintf("%.1f ms", x.OneStepMS))
		row("requests of it, and of each step more", fmt.Sprintf("%d, %.2g", x.Requests, x.PerStep))
		row("three steps of a second each", fmt.Sprintf("%.0f ms", x.ThreeAtOnceMS))
		row("steps a second, eight plans at a time", fmt.Sprintf("%.0f", x.StepsPerSec))
		answered := fmt.Sprintf("%d answered, the last %.1f s after the last claim ran out", x.Answered, x.AnsweredInS)
		row(fmt.Sprintf("%d open plans after kill -9", x.Killed), answered)
		row(fmt.Sprintf("%d events decoded and folded", x.Folded), fmt.Sprintf("%.2f s of CPU", x.FoldCPU))
		row("requests of a process that starts, after 1 plan and after many", fmt.Sprintf("%d, %d", x.RestartShort, x.RestartLong))
		if x.SentenceMS > 0 {
			row("a sentence embedded", fmt.Sprintf("%.0f ms of CPU", x.SentenceMS))
		}
	})
}

// plans are the figures of the plan engine.
func (t *tally) plans(r *Report) {
	if r.Plans == nil {
		return
	}
	x := r.Plans
	t.atMost(false, "plan of one step, the engine's own time p50", " ms", x.OneStepMS, 25)
	t.atMost(true, "plan of one step", " requests", float64(x.Requests), 8)
	t.atMost(true, "each step more", " requests", x.PerStep, 2)
	t.atMost(false, "three steps of a second each", " ms", x.ThreeAtOnceMS, 1150)
	t.atLeast(false, "steps of plans", " a second", x.StepsPerSec, 80)
	t.atLeast(true, "open plans answered after kill -9", "", float64(x.Answered), float64(x.Killed))
	t.atMost(false, "the last of them, after the last claim ran out", " s", x.AnsweredInS, 30)
	t.atMost(false, "a million events decoded and folded", " s of CPU", x.FoldCPU*1e6/float64(x.Folded), 5)
	t.atMost(true, "requests of a start after many plans, beyond those after one", "", float64(x.RestartLong-x.RestartShort), 0)
	if x.SentenceMS > 0 {
		t.atMost(false, "a sentence embedded", " ms of CPU", x.SentenceMS, 45)
	}
}
