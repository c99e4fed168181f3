package turn

import (
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// replyID is the id of a turn's reply on the outbox, once for the turn.
func replyID(turn int) string { return fmt.Sprintf("turn%08d-0", turn) }

// outbound is what is put on the outbox: on channels that push, the reply in pieces that
// the provider takes. Asking is the id of the one that shows the whole question, or "".
func (w *work) outbound(d decision, t thread.Turn) (ws []dynamo.Write, asking string) {
	if !w.thread.Channel.Pushes() || len(t.Out) == 0 {
		return nil, ""
	}
	origin := originOf(t.In)
	if w.thread.OptedOut && d.optedOut {
		if origin == nil {
			return nil, ""
		}
		lost := outbox.Message{Thread: w.thread.ID, ID: replyID(t.N), Market: w.market.ID, From: w.market.WhatsApp.From, Trace: t.TraceID}
		return []dynamo.Write{w.r.Outbox.Put(origin.Undelivered(lost))}, ""
	}
	essential := d.optedOut != w.thread.OptedOut
	person := onlyByPerson(t.In) || d.handOver != nil || droppedAnew(w.thread.LetGo, d.letGo) || essential // goes out although the thread is a person's
	asks := d.pending != nil && (d.made || d.asked)
	m := outbox.Message{
		Thread: w.thread.ID, ID: replyID(t.N), Market: w.market.ID, Channel: w.thread.Channel,
		From: w.from(), To: w.thread.ReplyAddr, Text: t.Out[0].Whole(), Template: w.template(t.At), Kind: outbox.Reply, Origin: origin,
		Trace: t.TraceID, Essential: essential, ByPerson: person, News: w.news(d) && !asks,
	}
	if to := w.thread.Customer(); to.Phone != "" && !w.thread.Type.IsWork() && !w.answersSomebody() {
		m.Person = to.ID // an answer goes to who has just written from there
	}
	if asks {
		m.Pending, m.Buttons, m.Rest = d.pending.ID, w.buttons(d.pending.ID), d.rest(m.Text)
		if pieces := m.Pieces(); m.Template == nil { // a template does not show the whole of it
			asking = pieces[len(pieces)-1].ID
		}
	}
	return w.r.Outbox.PutPieces(m), asking
}

// askedBy is what is pending, with which message asks for the YES to it beside the first that did.
func askedBy(d decision, id string) *thread.Pending {
	p := *d.pending
	if d.made || d.doubted || len(p.Asked) == 0 {
		p.Asked = []string{id}
	} else {
		p.Asked = []string{p.Asked[0], id}
	}
	return &p
}

// rest is how much of a text is none of its question's: what comes before a reminder. What was said
// with a new proposal leads to its question, and is nothing without it.
func (d *decision) rest(text string) int {
	before, asks := strings.CutSuffix(text, strings.Join(d.after, "\n\n"))
	if d.proposed() || len(d.after) == 0 || !asks {
		return 0
	}
	return len(strings.TrimSpace(before))
}

// originOf is whose words a turn passes on; nil for nobody's.
func originOf(in []thread.Message) *outbox.Origin {
	if len(in) != 1 || !quotes(in[0]) {
		return nil
	}
	q := in[0].Notice.Quote
	return &outbox.Origin{Thread: q.Thread, To: q.To, Code: q.Code, Language: q.Language}
}

// template is how a notice goes out to a customer who has not written for so long that free text
// may not; nil when it may, or when the market has no template for it.
func (w *work) template(now time.Time) *outbox.Template {
	n := w.in[0].Notice
	if n == nil || n.Vars == nil || w.thread.Channel != channel.WhatsApp || w.thread.InWindow(n.ByPerson, now) {
		return nil
	}
	return outbox.Approved(w.market, n.Kind, n.Vars)
}

// news reports whether a turn tells of what has happened, in words of the backend alone.
func (w *work) news(d decision) bool {
	return !w.answersSomebody() || !w.briefing.begun() && (d.settled != "" || len(d.joins) > 0)
}

// from is the market's own sender on the thread's channel; "" is the account's.
func (w *work) from() string {
	if w.thread.Channel == channel.WhatsApp {
		return w.market.WhatsApp.From
	}
	return ""
}

// buttons answer what is pending with a tap, on channels that show them below any text.
func (w *work) buttons(pending string) []outbox.Button {
	if w.thread.Channel != channel.Messenger {
		return nil
	}
	return []outbox.Button{
		{Title: w.say(wording.YesWord, nil), Payload: gate.ButtonPayload(gate.Yes, pending)},
		{Title: w.say(wording.NoWord, nil), Payload: gate.ButtonPayload(gate.No, pending)},
	}
}
