package turn

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

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

// maxTakeIns is how often a turn also answers messages that came while it ran. Later ones wait for the next turn.
const maxTakeIns = 2

// maxCommits bounds the attempts to commit while messages keep coming.
const maxCommits = 12

// run runs one turn under a lease. On an error the lease is given back, and the next holder goes on from the journal.
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
			if d, done, err = w.run(ctx); err != nil {
				w.budget.countFailed(ctx, w.dialogue.outcome.Unkept())
			}
		}
	}
	if lost := context.Cause(ctx); err != nil && errors.Is(lost, thread.ErrLeaseLost) {
		err = fmt.Errorf("%w: %w", lost, err) // the store only said that it was cancelled
	}
	r.logTurn(ctx, t, w, d, meter.Cost(), r.Now().Sub(start), err)
	if err != nil {
		return Done{}, errors.Join(err, r.giveBack(ctx, l))
	}
	return done, nil
}

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

// work is a turn at work. Its own methods tell the story of the turn, and each part knows one subject. What the turn decides
// is a [decision].
type work struct {
	*scene
	r     *Runner
	lease *thread.Lease

	// What the turn knows.
	access  *access
	matters *matters
	album   *album

	// What the model is asked and says.
	budget   *budget
	voice    *voice
	briefing *briefing
	reviewer *reviewer
	dialogue *dialogue

	// What waits for YES or NO.
	offers   *offers
	recheck  *recheck
	consent  *consent
	handover *handover

	// How it replies.
	composer *composer
	sending  *sending

	// What is answered without a model.
	notices      *notices
	optOuts      *optOuts
	workCommands *workCommands
}

// begin looks up what the turn of an opened thread works with.
func (r *Runner) begin(ctx context.Context, l *thread.Lease, t *thread.Thread) (*work, error) {
	m, err := r.Markets.Get(ctx, t.Market)
	if err != nil {
		return nil, fmt.Errorf("market of thread %s: %w", t.ID, err)
	}
	a, err := r.Assistants.For(t.Type, t.Assistant)
	if err != nil {
		return nil, fmt.Errorf("assistant of thread %s: %w", t.ID, err)
	}
	s := &scene{thread: t, market: m, assistant: a, trace: telemetry.TraceID(ctx), now: r.Now, log: r.Log}
	until := r.Now().Add(time.Duration(m.Safety.TurnSeconds) * time.Second)
	var stream *live.Stream
	if t.Channel == channel.Live && r.Live != nil {
		if stream, err = r.Live.Open(ctx, t.Head, t.Number()); err != nil {
			return nil, err
		}
	}
	w := r.assemble(l, s, stream, until)
	w.takeIn()
	return w, nil
}

// assemble puts the parts of a turn together. The model may be asked until a deadline.
func (r *Runner) assemble(l *thread.Lease, s *scene, stream *live.Stream, deadline time.Time) *work {
	w := &work{scene: s, r: r, lease: l}
	w.access = &access{scene: s}
	w.matters = &matters{scene: s, access: w.access, kinds: r.Matters, threads: r.Threads}
	w.album = &album{scene: s, store: r.Photos, photos: map[string]photo{}}
	w.budget = &budget{scene: s, figures: r.Figures}
	w.voice = &voice{scene: s, stream: stream, wait: r.Wait, model: r.Model, tools: r.Tools, spend: w.budget.spend}
	if r.Live != nil {
		w.voice.patience = r.Live.Patience
	}
	w.briefing = &briefing{scene: s, matters: w.matters, album: w.album, voice: w.voice}
	w.reviewer = &reviewer{scene: s, matters: w.matters, guard: r.Guard, ownSite: r.Site, live: w.voice.live(), spend: w.budget.spend}
	w.offers = &offers{scene: s, commitments: r.Commitments}
	w.recheck = &recheck{scene: s, access: w.access, tools: r.Tools, looks: r.Looks, threads: r.Threads, lease: l, markets: r.Markets}
	w.consent = &consent{scene: s, offers: w.offers, recheck: w.recheck, outbox: r.Outbox, desk: r.Desk != nil}
	w.handover = &handover{scene: s, offers: w.offers, consent: w.consent, desk: r.Desk}
	w.notices = &notices{scene: s, offers: w.offers, handover: w.handover}
	w.optOuts = &optOuts{scene: s, offers: w.offers, refusals: r.Refusals}
	w.workCommands = &workCommands{scene: s, offers: w.offers, known: r.Commands, outbox: r.Outbox, works: r.Works}
	w.dialogue = &dialogue{
		scene: s, access: w.access, matters: w.matters, briefing: w.briefing, reviewer: w.reviewer, voice: w.voice, budget: w.budget,
		offers: w.offers, consent: w.consent, handover: w.handover, model: r.Model, tools: r.Tools, threads: r.Threads, deadline: deadline,
	}
	w.composer = &composer{scene: s, matters: w.matters, offers: w.offers, voice: w.voice}
	w.sending = &sending{scene: s, outbox: r.Outbox}
	return w
}

// run runs the turn, and speaks meanwhile where somebody listens.
func (w *work) run(ctx context.Context) (decision, Done, error) {
	if w.voice.live() {
		defer w.voice.open(ctx)()
	}
	return w.decideAndCommit(ctx)
}

// decideAndCommit decides and commits, and decides again when something newer came in.
func (w *work) decideAndCommit(ctx context.Context) (d decision, done Done, err error) {
	d, err = w.decide(ctx, w.newProgress())
	for try, takenIn := 1, 0; err == nil; try++ {
		if err = w.offers.dropExpired(ctx, &d); err != nil {
			break
		}
		if done, err = w.commit(ctx, d); err == nil || try == maxCommits {
			break
		}
		switch {
		case errors.Is(err, live.ErrTaken):
			err = w.voice.stream.Look(ctx)
		case errors.Is(err, thread.ErrNewer):
			var again bool
			if again, err = w.refresh(ctx, takenIn < maxTakeIns); again {
				takenIn++
				w.takeIn()
				d, err = w.decide(ctx, w.carryOver(d))
			}
		case errors.Is(err, gate.ErrMeanwhile):
			d, err = w.decide(ctx, w.carryOver(d))
		case fault.Is(err, fault.TooLarge) && d.withdraws():
			err = w.makeRoom(ctx, &d)
		case d.refused(err):
			err = nil
			w.matters.forget()
		}
	}
	return d, done, err
}

// refresh reads the thread again, and reports whether to decide again. That is so for newer messages as long as they may be
// taken in, and never once something was done outside the store.
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
	case w.voice.stream.Said() != "": // it cannot be taken back
		return false, nil
	}
	return takesIn || w.thread.Handler != was.Handler, nil
}

// errReadErased makes a turn begin again, from its journal as if it took over: its model has read what was erased since, and
// may repeat it.
var errReadErased = errors.New("what the turn has read was erased")

// takeIn makes the turn answer the messages at the head of the inbox that are answered together.
func (w *work) takeIn() {
	inbox := w.thread.Inbox
	n := 1
	for n < len(inbox) && !w.answeredApart(inbox[n-1], inbox[n]) {
		n++
	}
	w.in = inbox[:w.voice.answersUpTo(inbox[:n])]
	w.matters.forget()
	w.tc = w.toolContext()
}

// answeredApart reports whether the second of two consecutive messages gets a turn of its own. Each notice goes out by
// itself and each command is obeyed by itself. After a STOP nothing is written to the sender, and START answers no question.
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
