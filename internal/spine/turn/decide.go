package turn

import (
	"context"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/geo"
	"merve/internal/model/llm"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// decision is what a turn does: all that its commit writes.
type decision struct {
	progress
	reply
}

// progress is what a turn has brought about so far, whatever its reply will be.
type progress struct {
	pending  *thread.Pending // what waits after this turn; never changed in place
	made     bool            // by this turn, which asks for the YES
	asked    bool            // the reply asks for the YES to what waited before
	doubted  bool            // and whether that is meant: an answer to what was asked before counts no more
	settled  string          // id of the pending action that this turn settles
	letGo    *thread.Pending // what was let go of for a person, while a YES or NO to it is still to be answered
	joins    []joined        // what is committed with the turn
	handOver *tool.HandOver  // to a person, with this turn
	session  *thread.Session // that begins with this turn
	optedOut bool
	stopAt   time.Time // when the customer wrote so last

	notes   []string // said before the reply
	after   []string // said after it
	cards   []tool.Card
	choices []channel.Choice // of the list that was shown last
	place   *geo.Location    // shown on a map

	confirmed *llm.Call // that a YES of this turn is to: it reads, and the model is told what it gives
}

// reply is what is said, and why it is not what the model wanted to say.
type reply struct {
	text    string
	words   bool   // the text is the model's own
	silent  bool   // nothing is said at all
	stopped string // why the model was stopped, for the log
}

// begun is the progress of a turn that has done nothing yet.
func (w *work) begun() progress {
	return progress{pending: w.thread.Pending, letGo: w.thread.LetGo, optedOut: w.thread.OptedOut, stopAt: w.thread.StoppedAt}
}

// carried is what a turn goes on with when more has come in. What it has proposed stays, and that it
// hands the thread over, with what was said and shown of it; all else is decided anew, and so is
// what a notice offers.
func (w *work) carried(d decision) progress {
	begun := w.begun()
	if w.in[0].Notice != nil || !d.proposed() && d.handOver == nil {
		return begun
	}
	p := d.progress
	p.asked, p.doubted, p.after = false, false, nil
	p.optedOut, p.stopAt = begun.optedOut, begun.stopAt
	return p
}

// proposed reports whether this turn has made the pending action, which may be for the same as an
// earlier one whose time was over.
func (p *progress) proposed() bool { return p.made && p.pending != nil }

// doubt notes whether a bare YES or NO may be meant for something else than what is pending.
func (p *progress) doubt(is bool) {
	pending := *p.pending
	pending.Doubt = is
	if !is {
		pending.Differs = false
	}
	p.pending = &pending
}

// differ notes that a bare YES may be meant for something that is pending in no way.
func (p *progress) differ() {
	pending := *p.pending
	pending.Differs = true
	p.pending = &pending
}

// settle takes in that what was pending waits no more.
func (p *progress) settle() { p.settled, p.pending = p.pending.ID, nil }

// decide finds what the turn does.
func (w *work) decide(ctx context.Context, p progress) (decision, error) {
	if err := w.access.unlock(ctx); err != nil {
		return decision{}, err
	}
	say, err := w.answer(ctx, &p)
	return decision{p, say}, err
}

// answer asks one after the other for the reply, in the order that the product wants; the model is the
// last. Who has none may have changed the progress all the same.
func (w *work) answer(ctx context.Context, p *progress) (reply, error) {
	for _, ask := range []func(context.Context, *progress) (say reply, done bool, err error){
		w.tellNotice,    // is a turn of its own
		w.finishYes,     // that a turn before this one may have begun to carry out
		w.prepare,       // has no reply
		w.refuseCalls,   // has no reply of its own either
		w.optOut,        // wins over everything that follows
		w.leaveToPerson, // whose thread is silent, but to commands that name their matter
		w.sayHandedOver, // whatever came in since
		w.goOn,          // with the proposal of this turn, which is asked about again
		w.switchRole,
		w.command,
		w.unreadable,
		w.withdraw,
		w.gate,
		w.off,
		w.fixed,
	} {
		if say, done, err := ask(ctx, p); done || err != nil {
			return say, err
		}
	}
	return w.converse(ctx, p)
}

// finishYes carries out the YES that this turn, or the one that it takes over, has begun to obey.
func (w *work) finishYes(ctx context.Context, p *progress) (reply, bool, error) {
	if w.yesBegun() == "" {
		return reply{}, false, nil
	}
	say, err := w.confirm(ctx, p)
	return say, true, err
}

// prepare does what comes before any reply. Attachments are kept whoever answers, because channels give
// them out for a short time only.
func (w *work) prepare(ctx context.Context, p *progress) (reply, bool, error) {
	w.keepPhotos(ctx)
	err := w.resume(ctx, p)
	if w.byPerson() { // who has it already
		p.handOver = nil
	}
	return reply{}, false, err
}

// leaveToPerson is silent on a thread that a person has, but for three things: a command that names its matter, what was
// let go of, and a YES or NO to that.
func (w *work) leaveToPerson(ctx context.Context, p *progress) (reply, bool, error) {
	if w.thread.Handler != thread.ByPerson {
		return reply{}, false, nil
	}
	if err := w.letGoForPerson(ctx, p); err != nil {
		return reply{}, false, err
	}
	if say, obeyed, err := w.command(ctx, p); obeyed || err != nil {
		return say, true, err
	}
	if say, late, err := w.tooLateForPerson(ctx, p); late || err != nil {
		return say, true, err
	}
	return reply{silent: len(p.notes) == 0}, true, nil
}

// sayHandedOver ends a turn that hands the thread over.
func (w *work) sayHandedOver(_ context.Context, p *progress) (reply, bool, error) {
	if p.handOver == nil {
		return reply{}, false, nil
	}
	return reply{text: w.personWillAnswer()}, true, nil
}

// goOn has the model that has proposed something answer what came in since.
func (w *work) goOn(ctx context.Context, p *progress) (reply, bool, error) {
	if !p.proposed() {
		return reply{}, false, nil
	}
	say, err := w.converse(ctx, p)
	return say, true, err
}

// withdraw lets go of what is pending where the market is switched off: no YES to it would be carried out,
// so it does not wait for one.
func (w *work) withdraw(ctx context.Context, p *progress) (reply, bool, error) {
	if w.market.Enabled || p.pending == nil {
		return reply{}, false, nil
	}
	_, err := w.release(ctx, p)
	return reply{text: w.say(wording.OfferOff, nil)}, true, err
}

// off says the same to everything in a market that is switched off.
func (w *work) off(context.Context, *progress) (reply, bool, error) {
	if w.market.Enabled {
		return reply{}, false, nil
	}
	return reply{text: w.say(wording.MarketOff, nil), stopped: "market off"}, true, nil
}

// fixed says the same to everything, where no model answers.
func (w *work) fixed(context.Context, *progress) (reply, bool, error) {
	if w.assistant.Fixed == "" {
		return reply{}, false, nil
	}
	return reply{text: w.say(w.assistant.Fixed, nil)}, true, nil
}
