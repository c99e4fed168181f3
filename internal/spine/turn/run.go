package turn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"merve/internal/agent"
	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/spine/gate"
	"merve/internal/spine/live"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Done is a finished turn and the head it left.
type Done struct {
	Turn thread.Turn
	Head thread.Head
}

// maxTakeIns is how often a turn takes in what came while it ran, instead of answering
// beside it; after that, newer messages wait for the next turn.
const maxTakeIns = 2

// maxCommits bounds the tries to commit among messages that keep coming.
const maxCommits = 12

// run runs one turn under a lease. On an error the lease is given back, and the next
// holder goes on from the journal.
func (r *Runner) run(ctx context.Context, l *thread.Lease) (done Done, err error) {
	ctx, meter := telemetry.WithMeter(ctx)
	start := r.Now()
	ctx, stop := r.keepLease(ctx, l)
	defer stop()
	var t *thread.Thread
	var w *work
	var d decision
	for again := true; again; again = errors.Is(err, errReadErased) {
		if t, err = r.Threads.Open(ctx, l); err != nil {
			return Done{}, errors.Join(err, r.giveBack(ctx, l))
		}
		if t.Session != nil {
			ctx = telemetry.WithCall(ctx, t.Session.Name())
		}
		if w, err = r.begin(ctx, l, t); err == nil {
			if d, done, err = w.aloud(ctx); err != nil {
				w.spentForNothing(ctx)
			}
		}
	}
	if lost := context.Cause(ctx); err != nil && errors.Is(lost, thread.ErrLeaseLost) {
		err = fmt.Errorf("%w: %w", lost, err) // what the store said is only that it was given up
	}
	r.logTurn(ctx, t, w, d, meter.Cost(), r.Now().Sub(start), err)
	if err != nil {
		return Done{}, errors.Join(err, r.giveBack(ctx, l))
	}
	return done, nil
}

// toTheEnd decides and commits, and decides again when something newer came in.
func (w *work) toTheEnd(ctx context.Context) (d decision, done Done, err error) {
	d, err = w.decide(ctx, w.begun())
	for try, takenIn := 1, 0; err == nil; try++ {
		if err = w.dropExpired(ctx, &d); err != nil {
			break
		}
		if done, err = w.commit(ctx, d); err == nil || try == maxCommits {
			break
		}
		switch {
		case errors.Is(err, live.ErrTaken):
			err = w.stream.Look(ctx)
		case errors.Is(err, thread.ErrNewer):
			var again bool
			if again, err = w.refresh(ctx, takenIn < maxTakeIns); again {
				takenIn++
				w.takeIn()
				d, err = w.decide(ctx, w.carried(d))
			}
		case errors.Is(err, gate.ErrMeanwhile):
			d, err = w.decide(ctx, w.carried(d))
		case fault.Is(err, fault.TooLarge) && d.withdraws():
			err = w.makeRoom(ctx, &d)
		case d.refused(err):
			err = nil
			w.matters.forget()
		}
	}
	return d, done, err
}

// refresh looks at the thread anew, and reports whether to decide again: for newer messages only as
// long as they may be taken in, and never once something was done outside the store.
func (w *work) refresh(ctx context.Context, takesIn bool) (again bool, err error) {
	was := w.thread.Head
	if err := w.r.Threads.Refresh(ctx, w.lease, w.thread); err != nil {
		return false, err
	}
	switch {
	case w.yesBegun() != "":
		return false, nil
	case w.thread.Epoch != was.Epoch:
		return false, errReadErased
	case w.stream.Said() != "": // it cannot be taken back
		return false, nil
	}
	return takesIn || w.thread.Handler != was.Handler, nil
}

// errReadErased has a turn begin again, from its journal as one that is taken over: its model has
// read what was erased since, and may repeat it.
var errReadErased = errors.New("what the turn has read was erased")

// keepLease renews the lease while the turn runs, and ends the turn when it is lost.
func (r *Runner) keepLease(ctx context.Context, l *thread.Lease) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			if err := r.Wait(ctx, thread.LeaseFor/3); err != nil {
				return
			}
			if err := r.Threads.Renew(ctx, l); errors.Is(err, thread.ErrLeaseLost) {
				cancel(thread.ErrLeaseLost)
				return
			}
		}
	})
	return ctx, func() { cancel(nil); wg.Wait() }
}

// work is a turn at work: what it answers, and the parts that do it. What it decides is a [decision].
type work struct {
	*scene
	r        *Runner
	lease    *thread.Lease
	deadline time.Time

	access  *access
	matters *matters

	photos map[string]photo // by the attachment's address
	said   int              // how many of the messages the model has been told
	images int              // that it was shown
	model  agent.Outcome    // what came of what it was asked

	guarded atomic.Int64 // what the guard has cost, in millionths of a US dollar
	ways    []string     // links and numbers in what the model says

	stream *live.Stream // of a live conversation; nil of others
	status status       // of it
}

func (r *Runner) begin(ctx context.Context, l *thread.Lease, t *thread.Thread) (*work, error) {
	m, err := r.Markets.Get(ctx, t.Market)
	if err != nil {
		return nil, fmt.Errorf("market of thread %s: %w", t.ID, err)
	}
	a, err := r.Assistants.For(t.Type, t.Assistant)
	if err != nil {
		return nil, fmt.Errorf("assistant of thread %s: %w", t.ID, err)
	}
	w := r.assemble(l, &scene{thread: t, market: m, assistant: a, trace: telemetry.TraceID(ctx), now: r.Now, log: r.Log})
	if t.Channel == channel.Live && r.Live != nil {
		if w.stream, err = r.Live.Open(ctx, t.Head, t.Number()); err != nil {
			return nil, err
		}
	}
	w.takeIn()
	return w, nil
}

// assemble puts the parts of a turn together.
func (r *Runner) assemble(l *thread.Lease, s *scene) *work {
	opens := &access{scene: s}
	return &work{
		scene: s, r: r, lease: l, deadline: r.Now().Add(time.Duration(s.market.Safety.TurnSeconds) * time.Second),
		access: opens, matters: &matters{scene: s, access: opens, kinds: r.Matters, threads: r.Threads},
		photos: map[string]photo{},
	}
}

// takeIn makes the turn answer what is in the inbox now, as far as it is answered together.
func (w *work) takeIn() {
	inbox := w.thread.Inbox
	n := 1
	for n < len(inbox) && !w.answeredApart(inbox[n-1], inbox[n]) {
		n++
	}
	n = w.begunFor(inbox[:n])
	w.in = inbox[:n]
	w.matters.forget()
	w.tc = w.toolContext()
}

// answeredApart reports whether of two messages that follow each other the second is answered by
// another turn: each notice goes out by itself, each command is obeyed by itself, what comes after a
// STOP is for whoever is not written to, and START answers no question.
func (w *work) answeredApart(a, b thread.Message) bool {
	switch {
	case a.Notice != nil || b.Notice != nil, w.r.Commands[w.thread.Type] != nil, a.ID == w.yesBegun():
		return true
	case !w.thread.Channel.Pushes():
		return false
	case w.thread.OptedOut:
		return gate.OptOut(a.Text) != gate.None || gate.OptOut(b.Text) != gate.None
	}
	return gate.OptOut(a.Text) == gate.Stop
}
