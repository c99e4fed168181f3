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

// decision is what a turn does: everything that its commit writes.
type decision struct {
	progress
	reply
}

// progress is what a turn has brought about so far, whatever its reply will be.
type progress struct {
	pending  *thread.Pending // what waits after this turn; never changed in place
	made     bool            // by this turn, which asks for the YES
	asked    bool            // the reply asks for the YES to what waited before
	doubted  bool            // and asks whether that is meant: an answer to the earlier question no longer counts
	settled  string          // id of the pending action that this turn settles
	letGo    *thread.Pending // let go of for a person, while a YES or NO to it is still to be answered
	joins    []joined        // what is committed with the turn
	handOver *tool.HandOver  // to a person, with this turn
	session  *thread.Session // that begins with this turn
	optedOut bool
	stopAt   time.Time // when the customer wrote their last STOP

	notes   []string // said before the reply
	after   []string // said after it
	cards   []tool.Card
	choices []channel.Choice // of the list that was shown last
	place   *geo.Location    // shown on a map

	confirmed *llm.Call // a call that only reads, to which the customer said YES in this turn: the model learns what it returns
}

// reply is the words of a turn, and the reason if they are not the model's.
type reply struct {
	text    string
	words   bool   // the text is the model's own
	silent  bool   // nothing is said at all
	stopped string // why the model was stopped, for the log
}

// newProgress is the progress of a turn that has done nothing yet.
func (w *work) newProgress() progress {
	return progress{pending: w.thread.Pending, letGo: w.thread.LetGo, optedOut: w.thread.OptedOut, stopAt: w.thread.StoppedAt}
}

// carryOver is the progress that a turn goes on with when more has come in. A proposal and a handover stay, with what was
// said and shown about them. Everything else is decided again, and so is what a notice offers.
func (w *work) carryOver(d decision) progress {
	begun := w.newProgress()
	if w.in[0].Notice != nil || !d.proposed() && d.handOver == nil {
		return begun
	}
	p := d.progress
	p.asked, p.doubted, p.after = false, false, nil
	p.optedOut, p.stopAt = begun.optedOut, begun.stopAt
	return p
}

// proposed reports whether this turn has made the pending action. It may ask for the same as an earlier one whose time was
// over.
func (p *progress) proposed() bool { return p.made && p.pending != nil }

// markDoubt notes whether a bare YES or NO may be meant for something else than what is pending.
func (p *progress) markDoubt(is bool) {
	pending := *p.pending
	pending.Doubt = is
	if !is {
		pending.Differs = false
	}
	p.pending = &pending
}

// markDiffers notes that the customer has named something that differs from what is pending: a bare YES may mean that.
func (p *progress) markDiffers() {
	pending := *p.pending
	pending.Differs = true
	p.pending = &pending
}

// settlePending ends what was pending: it no longer waits.
func (p *progress) settlePending() { p.settled, p.pending = p.pending.ID, nil }

// dropReminder takes back a reminder of something that no longer waits.
func (p *progress) dropReminder() { p.asked, p.after = false, nil }

// step may have the reply, and is then done. A step that has none may still have changed the progress.
type step func(context.Context, *progress) (say reply, done bool, err error)

// decide finds what the turn does.
func (w *work) decide(ctx context.Context, p progress) (decision, error) {
	if err := w.access.unlock(ctx); err != nil {
		return decision{}, err
	}
	say, err := w.answer(ctx, &p)
	return decision{p, say}, err
}

// answer asks one step after the other for the reply, in the order that the product wants. The model comes last.
func (w *work) answer(ctx context.Context, p *progress) (reply, error) {
	for _, ask := range []step{
		w.notices.tell,        // has a turn of its own
		w.consent.finishYes,   // which an earlier process may have begun to carry out
		w.prepare,             // has no reply
		w.optOuts.refuseCalls, // has no reply of its own either
		w.optOuts.stopOrStart, // wins over everything that follows
		w.leaveToPerson,       // silent on a person's thread, except for commands that name their matter
		w.handover.announce,   // whatever came in since
		w.answerSinceProposal, // and ask about the proposal again
		w.workCommands.switchRole,
		w.workCommands.obey,
		w.unreadable,
		w.withdraw,
		w.consent.settle,
		w.marketOff,
		w.fixedReply,
	} {
		if say, done, err := ask(ctx, p); done || err != nil {
			return say, err
		}
	}
	return w.dialogue.answer(ctx, p)
}

// prepare does what comes before any reply. Attachments are kept even if no model answers, because channels give them out
// for a short time only.
func (w *work) prepare(ctx context.Context, p *progress) (reply, bool, error) {
	w.album.keep(ctx)
	err := w.dialogue.resume(ctx, p)
	if w.byPerson() { // a person has the thread already
		p.handOver = nil
	}
	return reply{}, false, err
}

// leaveToPerson is silent on a thread that a person has, with three exceptions: a command that names its matter, what was
// let go of, and a YES or NO to that.
func (w *work) leaveToPerson(ctx context.Context, p *progress) (reply, bool, error) {
	if !w.byPerson() {
		return reply{}, false, nil
	}
	if err := w.handover.dropForPerson(ctx, p); err != nil {
		return reply{}, false, err
	}
	if say, obeyed, err := w.workCommands.obey(ctx, p); obeyed || err != nil {
		return say, true, err
	}
	if say, late, err := w.handover.answerDropped(ctx, p); late || err != nil {
		return say, true, err
	}
	return reply{silent: len(p.notes) == 0}, true, nil
}

// answerSinceProposal has the model, which has proposed something, answer what came in since.
func (w *work) answerSinceProposal(ctx context.Context, p *progress) (reply, bool, error) {
	if !p.proposed() {
		return reply{}, false, nil
	}
	say, err := w.dialogue.answer(ctx, p)
	return say, true, err
}

// withdraw lets go of what is pending when the market is switched off, because no YES to it would be carried out.
func (w *work) withdraw(ctx context.Context, p *progress) (reply, bool, error) {
	if w.market.Enabled || p.pending == nil {
		return reply{}, false, nil
	}
	_, err := w.offers.release(ctx, p)
	return reply{text: w.say(wording.OfferOff, nil)}, true, err
}

// marketOff gives every message the same reply while the market is switched off.
func (w *work) marketOff(context.Context, *progress) (reply, bool, error) {
	if w.market.Enabled {
		return reply{}, false, nil
	}
	return reply{text: w.say(wording.MarketOff, nil), stopped: "market off"}, true, nil
}

// fixedReply gives every message the same reply where no model answers.
func (w *work) fixedReply(context.Context, *progress) (reply, bool, error) {
	if w.assistant.Fixed == "" {
		return reply{}, false, nil
	}
	return reply{text: w.say(w.assistant.Fixed, nil)}, true, nil
}
