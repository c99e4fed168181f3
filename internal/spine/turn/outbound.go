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

// sending puts the turn's reply on the outbox, for channels on which we push.
type sending struct {
	*scene
	outbox *outbox.Box
}

// replyID is the id of a turn's reply on the outbox. A turn has one.
func replyID(turn int) string { return fmt.Sprintf("turn%08d-0", turn) }

// writes puts the reply on the outbox, in pieces that the provider takes. Asking is the id of the piece that shows the
// whole question, or "". News says that the turn tells what has happened, in the backend's own words alone.
func (s *sending) writes(d decision, t thread.Turn, news bool) (ws []dynamo.Write, asking string) {
	if !s.thread.Channel.Pushes() || len(t.Out) == 0 {
		return nil, ""
	}
	origin := originOf(t.In)
	if s.thread.OptedOut && d.optedOut {
		if origin == nil {
			return nil, ""
		}
		lost := outbox.Message{Thread: s.thread.ID, ID: replyID(t.N), Market: s.market.ID, From: s.market.WhatsApp.From, Trace: t.TraceID}
		return []dynamo.Write{s.outbox.Put(origin.Undelivered(lost))}, ""
	}
	m := s.message(d, t)
	m.Origin, m.News = origin, news && !d.asks()
	if d.asks() {
		m.Pending, m.Buttons, m.Rest = d.pending.ID, s.buttons(d.pending.ID), d.beforeQuestion(m.Text)
		if pieces := m.Pieces(); m.Template == nil { // a template does not show the whole of it
			asking = pieces[len(pieces)-1].ID
		}
	}
	return s.outbox.PutPieces(m), asking
}

// message is the reply as the outbox sends it, before anything is asked with it.
func (s *sending) message(d decision, t thread.Turn) outbox.Message {
	essential := d.optedOut != s.thread.OptedOut
	person := onlyByPerson(t.In) || d.handOver != nil || droppedAnew(s.thread.LetGo, d.letGo) || essential
	m := outbox.Message{
		Thread: s.thread.ID, ID: replyID(t.N), Market: s.market.ID, Channel: s.thread.Channel,
		From: s.from(), To: s.thread.ReplyAddr, Text: t.Out[0].Whole(), Template: s.template(t.At), Kind: outbox.Reply,
		Trace: t.TraceID, Essential: essential, ByPerson: person, // goes out although the thread is a person's
	}
	if to := s.thread.Customer(); to.Phone != "" && !s.thread.Type.IsWork() && !s.answersSomebody() {
		m.Person = to.ID // an answer goes to the address that has just written
	}
	return m
}

// originOf is the origin of the words that a turn passes on, or nil if they are our own.
func originOf(in []thread.Message) *outbox.Origin {
	if len(in) != 1 || !quotes(in[0]) {
		return nil
	}
	q := in[0].Notice.Quote
	return &outbox.Origin{Thread: q.Thread, To: q.To, Code: q.Code, Language: q.Language}
}

// template is how a notice goes out when the customer last wrote too long ago for free text. It is nil when free text is
// allowed, or when the market has no template for the notice.
func (s *sending) template(now time.Time) *outbox.Template {
	n := s.in[0].Notice
	if n == nil || n.Vars == nil || s.thread.Channel != channel.WhatsApp || s.thread.InWindow(n.ByPerson, now) {
		return nil
	}
	return outbox.Approved(s.market, n.Kind, n.Vars)
}

// from is the market's own sender on the thread's channel; "" is the account's.
func (s *sending) from() string {
	if s.thread.Channel == channel.WhatsApp {
		return s.market.WhatsApp.From
	}
	return ""
}

// buttons answer what is pending with a tap, on channels that show them below any text.
func (s *sending) buttons(pending string) []outbox.Button {
	if s.thread.Channel != channel.Messenger {
		return nil
	}
	return []outbox.Button{
		{Title: s.say(wording.YesWord, nil), Payload: gate.ButtonPayload(gate.Yes, pending)},
		{Title: s.say(wording.NoWord, nil), Payload: gate.ButtonPayload(gate.No, pending)},
	}
}

// asks reports whether the reply asks for a YES or NO.
func (d *decision) asks() bool { return d.pending != nil && (d.made || d.asked) }

// beforeQuestion is how much of a text comes before a reminder and is not part of its question. What was said with a new
// proposal is part of it, and means nothing without it.
func (d *decision) beforeQuestion(text string) int {
	before, asks := strings.CutSuffix(text, strings.Join(d.after, "\n\n"))
	if d.proposed() || len(d.after) == 0 || !asks {
		return 0
	}
	return len(strings.TrimSpace(before))
}

// askedIn is what is pending, with the message that asks for the YES to it in addition to the first that did.
func askedIn(d decision, message string) *thread.Pending {
	p := *d.pending
	if d.made || d.doubted || len(p.Asked) == 0 {
		p.Asked = []string{message}
	} else {
		p.Asked = []string{p.Asked[0], message}
	}
	return &p
}
