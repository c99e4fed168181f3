package turn

import (
	"context"
	"fmt"
	"time"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// commit writes what was decided, in one transaction: the reply, the outbox, the new state, and what joins it.
func (w *work) commit(ctx context.Context, d decision) (Done, error) {
	now := w.now()
	d.pending = w.askedNow(d, now)
	if w.voice.live() {
		if err := w.voice.stream.Settle(ctx); err != nil {
			return Done{}, err
		}
	}
	d = w.composer.fitToQuestion(d)
	said, stood, err := w.composer.compose(ctx, d)
	if err != nil {
		return Done{}, err
	}
	t := w.turn(d, said, telemetry.TraceID(ctx), now)
	spoken, ending := w.voice.ending(said)
	t.Spoken = spoken
	var join []dynamo.Write
	for _, s := range d.joins {
		join = append(join, s.Writes...)
	}
	out, asking := w.sending.writes(d, t, w.isNews(d))
	if asking != "" {
		d.pending = askedIn(d, asking)
	}
	join = append(append(append(join, out...), w.r.Audit.put(w.scene, w.dialogue.outcome.Audit)...), ending...)
	join = append(join, w.handover.waits(d, t)...)
	day, spent := dayOf(now), w.dialogue.outcome.MicroUSD+w.budget.extra.Load()
	o := thread.Outcome{
		Session: d.session, Turn: t, Pending: d.pending, LetGo: d.letGo, Stood: stood, Language: w.tc.Language,
		OptedOut: d.optedOut, StoppedAt: d.stopAt, HandOver: d.handOver != nil,
		Spend: thread.Spend{Day: day, MicroUSD: w.thread.Spend.On(day) + spent},
	}
	// The transaction itself finds out that the lease is lost. A renewal that meets the commit finds it gone, too, and giving
	// up then could hide a commit that went through.
	if err := w.r.Threads.Commit(context.WithoutCancel(ctx), w.lease, w.thread, o, join...); err != nil {
		return Done{}, err
	}
	w.budget.count(ctx, day, spent, t)
	head := w.headAfter(d, t)
	if w.voice.live() {
		w.voice.stream.Ended(ctx, t, head)
	}
	return Done{Turn: t, Head: head}, nil
}

// turn is the turn as its thread keeps it. Said is its reply, or nil.
func (w *work) turn(d decision, said *thread.Reply, trace string, now time.Time) thread.Turn {
	t := thread.Turn{
		N: w.thread.Number(), TraceID: trace, In: w.in, Calls: w.dialogue.calls(),
		Shown: w.dialogue.memory(), Settled: d.settled, At: now,
	}
	if w.assistant.Digest && w.yesBegun() == "" && d.session == nil { // a call session does not know what was said before it
		t.Digest = digested(w.thread.Recent)
	}
	if said != nil {
		t.Out = []thread.Reply{*said}
	}
	if d.proposed() {
		t.Pending = d.pending.ID
	}
	return t
}

// headAfter is the thread's head as the commit has left it.
func (w *work) headAfter(d decision, t thread.Turn) thread.Head {
	head := w.thread.Head
	head.Pending, head.LetGo, head.Turns, head.Inbox = d.pending, d.letGo, t.N, head.Inbox[len(w.in):]
	if d.session != nil {
		head.Session = d.session
	}
	return head
}

// isNews reports whether a turn tells what has happened, in the backend's own words alone.
func (w *work) isNews(d decision) bool {
	return !w.answersSomebody() || !w.briefing.begun() && (d.settled != "" || len(d.joins) > 0)
}

// makeRoom lets go of each proposal that nobody was asked about in a transaction of its own, because a turn that proposes a
// lot is more than one transaction takes. If the process dies then, the next one repeats the turn and finds them gone.
func (w *work) makeRoom(ctx context.Context, d *decision) error {
	var stay []joined
	for _, j := range d.joins {
		if !j.unshown {
			stay = append(stay, j)
			continue
		}
		if err := w.r.Threads.Table.DB().Commit(ctx, j.Writes...); err != nil {
			return fmt.Errorf("let go of what thread %s was not asked about: %w", w.thread.ID, err)
		}
	}
	d.joins = stay
	return nil
}

// askedNow is the pending action, stamped with the time when this turn asks for the YES to it. An answer that came before
// the question does not count.
func (w *work) askedNow(d decision, now time.Time) *thread.Pending {
	if !d.proposed() && !d.doubted {
		return d.pending
	}
	p := *d.pending
	p.CreatedAt = now
	for _, m := range w.thread.Inbox {
		if m.At.After(p.CreatedAt) {
			p.CreatedAt = m.At
		}
	}
	return &p
}
