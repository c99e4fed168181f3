package turn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"merve/internal/agent"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// commit writes what was decided: the reply, the outbox, the new state, and what joins it.
func (w *work) commit(ctx context.Context, d decision) (Done, error) {
	now := w.now()
	d.pending = w.stamped(d, now)
	t := thread.Turn{
		N: w.thread.Number(), TraceID: telemetry.TraceID(ctx), In: w.in, Calls: callsOf(w.model.Audit),
		Shown: w.memory(), Settled: d.settled, At: now,
	}
	if w.assistant.Digest && w.yesBegun() == "" && d.session == nil { // what was said before a call session is none of its own
		t.Digest = digested(w.thread.Recent)
	}
	if w.stream != nil {
		if err := w.stream.Settle(ctx); err != nil {
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
	spoken, ending := w.ending(said)
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
	join = append(append(append(join, out...), w.audited()...), ending...)
	if d.handOver != nil {
		letGo := ""
		if d.letGo != nil {
			letGo = d.letGo.Question()
		}
		join = append(join, w.r.Desk.Wait(w.thread.Head, t.N, w.tc.Language, d.handOver.Reason, letGo, t.TraceID)...)
	}
	day, spent := now.UTC().Format(time.DateOnly), w.model.MicroUSD+w.guarded.Load()
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
	w.r.Figures.add(ctx, w.market, day, w.payer(), spent, volumeOf(t))
	head := w.thread.Head
	head.Pending, head.LetGo, head.Turns, head.Inbox = d.pending, d.letGo, t.N, head.Inbox[len(w.in):]
	if d.session != nil {
		head.Session = d.session
	}
	if w.stream != nil {
		w.stream.Ended(ctx, t, head)
	}
	return Done{Turn: t, Head: head}, nil
}

// maxMemory bounds what later turns remember of a turn's tool data, in characters.
const maxMemory = 2400

// callsOf are the calls of a turn as its thread shows them.
func callsOf(audit []agent.AuditedCall) []thread.Call {
	var calls []thread.Call
	for _, c := range audit {
		calls = append(calls, thread.Call{Name: c.Tool, Status: string(c.Status)})
	}
	return calls
}

// memoryOf is what later turns are told of the data of the tools.
func memoryOf(o agent.Outcome) string {
	var all strings.Builder
	for _, m := range o.Memory {
		fmt.Fprintf(&all, "<data tool=%q>%s</data>\n", m.Tool, m.Data)
	}
	return all.String()
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
