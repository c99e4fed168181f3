package turn

import (
	"context"
	"errors"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// handover gives the thread to a person at the market's desk, and looks after what waited for YES or NO before.
type handover struct {
	*scene
	offers  *offers
	consent *consent
	desk    Handovers // nil has no people
}

// give hands the thread over with this turn. The model says nothing more: the backend's own words are the last.
func (h *handover) give(ctx context.Context, p *progress, to tool.HandOver) error {
	if h.desk == nil || p.handOver != nil {
		return nil
	}
	if err := h.drop(ctx, p); err != nil {
		return err
	}
	p.handOver = &to
	return nil
}

// announce is the reply of a turn that hands the thread over.
func (h *handover) announce(_ context.Context, p *progress) (reply, bool, error) {
	if p.handOver == nil {
		return reply{}, false, nil
	}
	return reply{text: h.personWillAnswer()}, true, nil
}

// drop lets go of what waits for YES or NO because a person has the thread, or gets it with this turn, and nobody would
// hear the answer. A customer who was asked about it is told so.
func (h *handover) drop(ctx context.Context, p *progress) error {
	if p.pending == nil {
		return nil
	}
	was := *p.pending
	s, err := h.offers.release(ctx, p)
	if err != nil {
		return err
	}
	p.dropReminder()
	if !h.offers.wasShown(was) {
		return nil
	}
	p.letGo = &was
	p.noteRelease(h.noLongerWaits(was, s))
	return nil
}

// dropForPerson lets go of what waits on a thread that a person has already, and shows that to the person.
func (h *handover) dropForPerson(ctx context.Context, p *progress) error {
	if err := h.drop(ctx, p); err != nil || p.letGo == nil || p.letGo == h.thread.LetGo || h.desk == nil {
		return err
	}
	p.joins = append(p.joins, joined{Settled: gate.Settled{
		Writes:  []dynamo.Write{h.desk.LetGo(h.thread.Head, p.letGo.Question()).Else(errNoCase)},
		Refused: func(err error) (string, bool) { return "", errors.Is(err, errNoCase) },
	}})
	return nil
}

// errNoCase says that nobody at the desk has the thread: it was given back meanwhile.
var errNoCase = errors.New("nobody has the thread")

// noLongerWaits says that something no longer waits, and in the words of its NO what became of it. A call that was not made
// has left nothing to tell, and that a person comes is being said already.
func (h *handover) noLongerWaits(was thread.Pending, s gate.Settled) string {
	summary, became := was.Question(), s.Text
	switch {
	case was.Tool != "" || h.offers.deed(&was) == gate.HandsOver:
		became = ""
	case strings.Contains(became, was.Summary):
		summary = ""
	}
	return h.say(wording.NoLongerWaits, wording.Vars{"summary": summary, "details": became})
}

// answerDropped answers, once, a YES or NO to what was let go of for a person. Everything else that the customer writes is for
// that person.
func (h *handover) answerDropped(ctx context.Context, p *progress) (say reply, done bool, err error) {
	if p.letGo == nil {
		return reply{}, false, nil
	}
	refers, _, err := h.consent.refers(ctx, p.letGo)
	if err != nil {
		return reply{}, false, err
	}
	for _, m := range h.in {
		_, _, tapped := gate.ParseButton(m.Button)
		switch gate.Decide(p.letGo, h.offers.deed(p.letGo), []thread.Message{m}, refers, h.tc.Now) {
		case gate.Confirmed, gate.Declined, gate.TooLate:
			done = true
		}
		done = done || tapped
	}
	if !done {
		return reply{}, false, nil
	}
	p.letGo = nil
	return reply{text: h.say(wording.AnswerNotAwaited, nil) + " " + h.personWillAnswer()}, true, nil
}

// waits returns what joins the commit of a turn that hands the thread over: it then waits for a person.
func (h *handover) waits(d decision, t thread.Turn) []dynamo.Write {
	if d.handOver == nil {
		return nil
	}
	dropped := ""
	if d.letGo != nil {
		dropped = d.letGo.Question()
	}
	return h.desk.Wait(h.thread.Head, t.N, h.tc.Language, d.handOver.Reason, dropped, t.TraceID)
}

// droppedAnew reports whether a turn lets go of something for a person, or answers the YES or NO to that. Before and now
// are what was let go of.
func droppedAnew(before, now *thread.Pending) bool {
	return (before == nil) != (now == nil) || now != nil && now.ID != before.ID
}
