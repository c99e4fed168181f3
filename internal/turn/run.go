package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"merve/internal/agent"
	"merve/internal/assistant"
	"merve/internal/channel"
	"merve/internal/fault"
	"merve/internal/gate"
	"merve/internal/language"
	"merve/internal/market"
	"merve/internal/telemetry"
	"merve/internal/thread"
	"merve/internal/tool"
	"merve/internal/wording"
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
	for again := true; again; again = errors.Is(err, errReadErased) {
		if t, err = r.Threads.Open(ctx, l); err != nil {
			return Done{}, errors.Join(err, r.giveBack(ctx, l))
		}
		if w, err = r.begin(ctx, l, t); err == nil {
			if done, err = r.toTheEnd(ctx, w); err != nil {
				w.spentForNothing(ctx)
			}
		}
	}
	if lost := context.Cause(ctx); err != nil && errors.Is(lost, thread.ErrLeaseLost) {
		err = fmt.Errorf("%w: %w", lost, err) // what the store said is only that it was given up
	}
	r.logTurn(ctx, t, w, meter.Cost(), r.Now().Sub(start), err)
	if err != nil {
		return Done{}, errors.Join(err, r.giveBack(ctx, l))
	}
	return done, nil
}

// toTheEnd decides and commits, and decides again when something newer came in.
func (r *Runner) toTheEnd(ctx context.Context, w *work) (Done, error) {
	if err := w.decide(ctx); err != nil {
		return Done{}, err
	}
	for try, takenIn := 1, 0; ; try++ {
		if err := w.inTime(ctx); err != nil {
			return Done{}, err
		}
		done, err := w.commit(ctx)
		switch {
		case err == nil:
			return done, nil
		case try == maxCommits:
			return Done{}, err
		case errors.Is(err, thread.ErrNewer):
			was := w.thread.Head
			if err := r.Threads.Refresh(ctx, w.lease, w.thread); err != nil {
				return Done{}, err
			}
			again := takenIn < maxTakeIns || w.thread.Handler != was.Handler
			switch {
			case w.obeys() != "": // what is done outside the store stands
			case w.thread.Epoch != was.Epoch:
				return Done{}, errReadErased
			case again:
				takenIn++
				w.takeIn()
				if err := w.decide(ctx); err != nil {
					return Done{}, err
				}
			}
		case fault.Is(err, fault.TooLarge) && w.unshown():
			if err := w.makeRoom(ctx); err != nil {
				return Done{}, err
			}
		case !w.refused(err):
			return Done{}, err
		}
	}
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

// work is a turn in the making.
type work struct {
	r         *Runner
	lease     *thread.Lease
	thread    *thread.Thread
	market    *market.Market
	assistant *assistant.Assistant
	tc        tool.Context
	trace     string
	deadline  time.Time

	in      []thread.Message // what this turn answers: one at least, or nobody has the lease
	photos  map[string]photo // by the attachment's address
	said    int              // how many of them the model has been told
	images  int              // that it was shown
	model   agent.Outcome    // what came of what it was asked
	words   string           // its own, that are the reply
	pending *thread.Pending  // what waits after this turn
	made    bool             // by this turn, which asks for the YES
	asked   bool             // the reply asks for the YES to what waited before
	doubted bool             // and whether that is meant: an answer to what was asked before counts no more
	settled string           // id of the pending action that this turn settles
	joins   []joined         // what is committed with the turn

	notes    []string // said before the reply
	text     string
	after    []string // said after the reply
	cards    []tool.Card
	place    *channel.Location // shown on a map
	silent   bool
	optedOut bool
	stopAt   time.Time      // when the customer wrote so last
	handOver *tool.HandOver // to a person, with this turn
	stopped  string         // why the model was stopped, for the log
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
	w := &work{
		r: r, lease: l, thread: t, market: m, assistant: a, trace: telemetry.TraceID(ctx),
		photos: map[string]photo{}, deadline: r.Now().Add(time.Duration(m.Safety.TurnSeconds) * time.Second),
	}
	w.takeIn()
	return w, nil
}

// takeIn makes the turn answer what is in the inbox now, as far as it is answered together. What it
// has proposed for messages stays, and so does that it hands the thread over.
func (w *work) takeIn() {
	inbox := w.thread.Inbox
	n := 1
	for n < len(inbox) && !w.apart(inbox[n-1], inbox[n]) {
		n++
	}
	w.in = inbox[:n]
	lang := w.language()
	now := w.r.Now()
	w.tc = tool.Context{
		Actor: w.thread.Customer(), Market: w.market, Thread: w.thread.ID, ThreadType: w.thread.Type,
		Channel: w.thread.Channel, Language: lang, Location: w.thread.Where(now), TimeZone: w.market.Location(),
		Now: now, TraceID: w.trace,
	}
	w.text, w.after, w.silent, w.asked, w.doubted = "", nil, false, false, false
	if w.in[0].Notice != nil || !w.proposed() && w.handOver == nil { // what a notice offers is offered anew
		w.pending, w.made, w.settled, w.joins = w.thread.Pending, false, "", nil
		w.notes, w.cards, w.place = nil, nil, nil
	}
	w.optedOut, w.stopAt = w.thread.OptedOut, w.thread.StoppedAt
}

// apart reports whether of two messages that follow each other the second is answered by another
// turn: each notice goes out as it may by itself, each command is obeyed by itself, what comes after a
// STOP is for whoever is not written to, and START answers no question.
func (w *work) apart(a, b thread.Message) bool {
	switch {
	case a.Notice != nil || b.Notice != nil, w.r.Commands[w.thread.Type] != nil, a.ID == w.obeys():
		return true
	case !w.thread.Channel.Pushes():
		return false
	case w.thread.OptedOut:
		return gate.OptOut(a.Text) != gate.None || gate.OptOut(b.Text) != gate.None
	}
	return gate.OptOut(a.Text) == gate.Stop
}

// quotes reports whether a message is a notice that quotes somebody.
func quotes(m thread.Message) bool { return m.Notice != nil && m.Notice.Quote != nil }

// language is the customer's: as the client says, else as the text shows, else as before.
func (w *work) language() string {
	lang := w.thread.Language
	if lang == "" {
		lang = w.market.Language
	}
	for _, m := range w.in {
		if tag, ok := language.Normalize(m.Language); ok {
			lang = tag
		}
		lang = language.Detect(m.Text, lang)
	}
	return lang
}

// decide finds the turn's outcome. The order is the product's: a YES that was begun to be
// carried out is, STOP wins over everything else, a person's thread is silent but to a command that
// names its matter, then the gate, and the model last.
func (w *work) decide(ctx context.Context) error {
	switch {
	case w.in[0].Notice != nil:
		return w.tellNotice(ctx)
	case w.obeys() != "":
		return w.confirm(ctx)
	}
	w.keepPhotos(ctx) // whoever answers: channels give them out for a short time
	if err := w.resume(ctx); err != nil {
		return err
	}
	person := w.thread.Handler == thread.ByPerson
	if person {
		w.handOver = nil
	}
	if done, err := w.optOut(ctx); done || err != nil {
		return err
	}
	if person {
		w.silent = true
		if err := w.withdraw(ctx); err != nil {
			return err
		}
		_, err := w.command(ctx)
		return err
	}
	if w.handOver != nil { // decided before, whatever came in since
		w.text = w.handedOver()
		return nil
	}
	if w.proposed() { // and is asked again for what came in since
		return w.converse(ctx)
	}
	if done, err := w.switched(ctx); done || err != nil {
		return err
	}
	if done, err := w.command(ctx); done || err != nil {
		return err
	}
	if done, err := w.odd(ctx); done || err != nil {
		return err
	}
	if done, err := w.gate(ctx); done || err != nil {
		return err
	}
	if w.assistant.Fixed != "" {
		w.text = w.say(w.assistant.Fixed, nil)
		return nil
	}
	return w.converse(ctx)
}

// tellNotice says what the backend has to say. A pending action that it is about is over. What it
// offers is put to the customer, unless something else waits: what is said next may then be meant for
// either, whatever it is that was told. "Write to me if you still want it" is answered by a YES, too.
func (w *work) tellNotice(ctx context.Context) error {
	n := w.in[0].Notice
	w.notes = append(w.notes, w.noticed(ctx, n))
	for _, c := range n.Cards {
		w.cards = append(w.cards, tool.Card(c))
	}
	if w.pending != nil && w.pending.Ref == n.Ref {
		w.settled, w.pending = w.pending.ID, nil
	}
	if err := w.lapse(ctx); err != nil {
		return err
	}
	offer := n.Offer
	if offer != nil && (gate.Gone(offer, w.tc.Now) || w.optedOut || w.thread.Handler == thread.ByPerson) {
		offer = nil
	}
	if w.pending != nil {
		w.doubt(true)
		if offer != nil || n.Quote != nil {
			return w.remind(ctx)
		}
		return nil
	}
	if offer != nil {
		p := *offer
		p.ID, p.CreatedAt = pendingID(w.thread.ID, p), w.tc.Now
		w.pending, w.made = &p, true
	}
	return nil
}

// noticed is what a notice says: in the market's own words for such an event, where it has any.
func (w *work) noticed(ctx context.Context, n *thread.Notice) string {
	own := w.market.Templates[n.Kind]
	if own == "" || n.Vars == nil {
		return n.Text
	}
	text, err := wording.Render(own, n.Vars)
	if err != nil { // better said as it is than lost
		w.r.Log.WarnContext(ctx, "template", "type", n.Kind, "market", w.market.ID, "error", err.Error())
	}
	return cmp.Or(strings.TrimSpace(text), n.Text)
}
