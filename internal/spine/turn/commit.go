package turn

import (
	"context"
	"fmt"
	"time"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// commit writes what was decided: the reply, the outbox, the new state, and what joins it.
func (w *work) commit(ctx context.Context, d decision) (Done, error) {
	now := w.now()
	d.pending = w.stamped(d, now)
	t := thread.Turn{
		N: w.thread.Number(), TraceID: telemetry.TraceID(ctx), In: w.in, Calls: w.dialogue.calls(),
		Shown: w.dialogue.memory(), Settled: d.settled, At: now,
	}
	if w.assistant.Digest && w.yesBegun() == "" && d.session == nil { // what was said before a call session is none of its own
		t.Digest = digested(w.thread.Recent)
	}
	if w.voice.live() {
		if err := w.voice.stream.Settle(ctx); err != nil {
			return Done{}, err
		}
	}
	said, stood, err := w.worded(ctx, &d)
	if err != nil {
		return Done{}, err
	}
	if said != nil {
		t.Out = []thread.Reply{*said}
	}
	spoken, ending := w.voice.ending(said)
	t.Spoken = spoken
	if d.proposed() {
		t.Pending = d.pending.ID
	}
	var join []dynamo.Write
	for _, s := range d.joins {
		join = append(join, s.Writes...)
	}
	out, asking := w.outbound(d, t)
	if asking != "" {
		d.pending = askedBy(d, asking)
	}
	join = append(append(append(join, out...), w.r.Audit.put(w.scene, w.dialogue.outcome.Audit)...), ending...)
	if d.handOver != nil {
		letGo := ""
		if d.letGo != nil {
			letGo = d.letGo.Question()
		}
		join = append(join, w.r.Desk.Wait(w.thread.Head, t.N, w.tc.Language, d.handOver.Reason, letGo, t.TraceID)...)
	}
	day, spent := dayOf(now), w.dialogue.outcome.MicroUSD+w.budget.extra.Load()
	o := thread.Outcome{
		Session: d.session, Turn: t, Pending: d.pending, LetGo: d.letGo, Stood: stood, Language: w.tc.Language,
		OptedOut: d.optedOut, StoppedAt: d.stopAt, HandOver: d.handOver != nil,
		Spend: thread.Spend{Day: day, MicroUSD: w.thread.Spend.On(day) + spent},
	}
	// That the lease is lost is for the transaction to find: a renewal that meets the commit finds it gone, too, and a
	// commit that is given up then would be one that nobody is told of.
	if err := w.r.Threads.Commit(context.WithoutCancel(ctx), w.lease, w.thread, o, join...); err != nil {
		return Done{}, err
	}
	w.budget.count(ctx, day, spent, t)
	head := w.thread.Head
	head.Pending, head.LetGo, head.Turns, head.Inbox = d.pending, d.letGo, t.N, head.Inbox[len(w.in):]
	if d.session != nil {
		head.Session = d.session
	}
	if w.voice.live() {
		w.voice.stream.Ended(ctx, t, head)
	}
	return Done{Turn: t, Head: head}, nil
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

// stamped is what is pending, with the time at which this turn asks for the YES to it: an answer that
// came before the question is no answer to it.
func (w *work) stamped(d decision, now time.Time) *thread.Pending {
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
