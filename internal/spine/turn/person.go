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

// giveAway hands the thread over to a person. What waits for YES or NO is let go of, and the backend's own words are
// the last.
func (w *work) giveAway(ctx context.Context, p *progress, h tool.HandOver) error {
	if w.r.Desk == nil || p.handOver != nil {
		return nil
	}
	if err := w.letGo(ctx, p); err != nil {
		return err
	}
	p.handOver = &h
	return nil
}

// letGo lets go of what waits for YES or NO, since a person has the thread now or gets it with this turn: nobody would
// hear the answer. A customer who was asked about it is told so.
func (w *work) letGo(ctx context.Context, p *progress) error {
	if p.pending == nil {
		return nil
	}
	was := *p.pending
	s, err := w.release(ctx, p)
	if err != nil {
		return err
	}
	p.asked, p.after = false, nil // nobody is reminded of it
	if !w.shown(was) {
		return nil
	}
	p.letGo = &was
	p.noteOfLast(w.noLongerWaits(was, s))
	return nil
}

// letsGo reports whether a turn lets go of something for a person, or answers the YES or NO to that.
func (w *work) letsGo(d decision) bool {
	before, now := w.thread.LetGo, d.letGo
	return (before == nil) != (now == nil) || now != nil && now.ID != before.ID
}

// letGoForPerson lets go of what waits on a thread that a person has already, who sees it.
func (w *work) letGoForPerson(ctx context.Context, p *progress) error {
	if err := w.letGo(ctx, p); err != nil || p.letGo == nil || p.letGo == w.thread.LetGo || w.r.Desk == nil {
		return err
	}
	p.joins = append(p.joins, joined{Settled: gate.Settled{
		Writes:  []dynamo.Write{w.r.Desk.LetGo(w.thread.Head, p.letGo.Question()).Else(errNoCase)},
		Refused: func(err error) (string, bool) { return "", errors.Is(err, errNoCase) },
	}})
	return nil
}

// errNoCase says that nobody has a thread at the desk: it was given back meanwhile.
var errNoCase = errors.New("nobody has the thread")

// noLongerWaits says that something waits no more, and in the words of its NO what became of it. Of a call that was not
// made nothing did; that a person comes is being said already.
func (w *work) noLongerWaits(was thread.Pending, s gate.Settled) string {
	summary, became := was.Question(), s.Text
	switch {
	case was.Tool != "" || w.deed(&was) == gate.HandsOver:
		became = ""
	case strings.Contains(became, was.Summary):
		summary = ""
	}
	return w.say(wording.NoLongerWaits, wording.Vars{"summary": summary, "details": became})
}

// tooLateForPerson answers a YES or NO to what was let go of for the person who has the thread, once. All else that is
// written is for them.
func (w *work) tooLateForPerson(ctx context.Context, p *progress) (say reply, late bool, err error) {
	if p.letGo == nil {
		return reply{}, false, nil
	}
	refers, _, err := w.refers(ctx, p.letGo)
	if err != nil {
		return reply{}, false, err
	}
	for _, m := range w.in {
		_, _, tapped := gate.ParseButton(m.Button)
		switch gate.Decide(p.letGo, w.deed(p.letGo), []thread.Message{m}, refers, w.tc.Now) {
		case gate.Confirmed, gate.Declined, gate.TooLate:
			late = true
		}
		late = late || tapped
	}
	if !late {
		return reply{}, false, nil
	}
	p.letGo = nil
	return reply{text: w.say(wording.AnswerNotAwaited, nil) + " " + w.personWillAnswer()}, true, nil
}
