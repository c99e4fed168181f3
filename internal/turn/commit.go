package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/gate"
	"merve/internal/language"
	"merve/internal/outbox"
	"merve/internal/telemetry"
	"merve/internal/thread"
	"merve/internal/wording"
)

// commit writes the turn: the reply, the outbox, the new state, and what joins it.
func (w *work) commit(ctx context.Context) (Done, error) {
	now := w.r.Now()
	w.askForYes(now)
	t := thread.Turn{
		N: w.thread.Number(), TraceID: telemetry.TraceID(ctx), In: w.in, Calls: w.model.shown,
		Shown: language.Brief(w.model.memory, maxMemory), Settled: w.settled, At: now,
	}
	if w.assistant.Digest && w.obeys() == "" {
		t.Digest = digested(w.thread.Recent)
	}
	if !w.silent {
		t.Out = []thread.Reply{w.reply()}
	}
	if w.proposed() {
		t.Pending = w.pending.ID
	}
	var join []dynamo.Write
	for _, s := range w.joins {
		join = append(join, s.Writes...)
	}
	join = append(append(join, w.outbound(t)...), w.audited()...)
	if w.handOver != nil {
		join = append(join, w.r.Desk.Wait(w.thread.Head, t.N, w.tc.Language, w.handOver.Reason, t.TraceID)...)
	}
	day := now.UTC().Format(time.DateOnly)
	o := thread.Outcome{
		Turn: t, Pending: w.pending, Language: w.tc.Language, OptedOut: w.optedOut, StoppedAt: w.stopAt, HandOver: w.handOver != nil,
		Spend: thread.Spend{Day: day, MicroUSD: w.thread.Spend.On(day) + w.model.cost},
	}
	if err := w.r.Threads.Commit(ctx, w.lease, w.thread, o, join...); err != nil {
		return Done{}, err
	}
	w.r.budget.spent(ctx, w.r, w.market, day, w.model.cost, volumeOf(t))
	head := w.thread.Head
	head.Pending, head.Turns, head.Inbox = w.pending, t.N, head.Inbox[len(w.in):]
	return Done{Turn: t, Head: head}, nil
}

// maxMemory bounds what later turns remember of a turn's tool data, in characters.
const maxMemory = 2400

// askForYes stamps what this turn proposes, or asks anew which of two a YES was for: an answer that
// came before the question is no answer to it.
func (w *work) askForYes(now time.Time) {
	if !w.proposed() && !w.doubted {
		return
	}
	w.pending.CreatedAt = now
	for _, m := range w.thread.Inbox {
		if m.At.After(w.pending.CreatedAt) {
			w.pending.CreatedAt = m.At
		}
	}
}

// reply puts the turn's text together: what happened first, then what the assistant
// says, then the question that waits for YES or NO, which is always the backend's own.
func (w *work) reply() thread.Reply {
	after := slices.Clone(w.after)
	if w.proposed() {
		if c, err := w.commitment(w.pending.Kind); err == nil {
			after = append(after, c.Describe(w.tc, *w.pending))
		}
	}
	text := w.text
	if w.thread.Channel.Pushes() && text == w.model.words {
		text = w.shortened(after)
	}
	r := thread.Reply{Text: cmp.Or(w.around(text, after), w.say(wording.WentWrong, nil)), Map: w.place}
	if byPerson(w.in) {
		r.By = thread.ByPerson
	}
	r.Cards = w.shown()
	return r
}

// What a turn shows, in cards and in bytes of their JSON: its item has to stay below 400 KB.
const (
	maxCards = 40
	maxShown = 32 << 10
)

// shown are the turn's cards, each once as it was shown last: the latest of them, as far as they fit.
func (w *work) shown() []map[string]any {
	var cards []map[string]any
	size, known := 0, map[string]bool{}
	for _, c := range slices.Backward(w.cards) {
		name := fmt.Sprint(c["type"], c["id"], c["transactionId"])
		data, err := json.Marshal(c)
		if err != nil || known[name] || len(cards) == maxCards || size+len(data) > maxShown {
			continue
		}
		known[name] = true
		size += len(data)
		cards = append(cards, c)
	}
	slices.Reverse(cards)
	return cards
}

// around is the reply with text between what is said before and after it.
func (w *work) around(text string, after []string) string {
	parts := slices.Clone(w.notes)
	if text != "" {
		parts = append(parts, text)
	}
	return strings.Join(append(parts, after...), "\n\n")
}

// shortened cuts the model's words until the reply fits into the messages that the market
// allows for one inbound message. The bound is for them alone: nobody says YES to a question
// of which the end was cut off, and what staff write has to arrive.
func (w *work) shortened(after []string) string {
	most := max(1, w.market.Safety.MaxOutboundPerInbound)
	text, words := w.text, []rune(w.text)
	for len(words) > 0 {
		pieces := outbox.Split(w.around(text, after), w.thread.Channel.MaxPiece())
		if len(pieces) <= most {
			return text
		}
		over := utf8.RuneCountInString(strings.Join(pieces[most:], "")) + 1 // for the "…"
		words = words[:max(0, len(words)-over)]
		text = strings.TrimSpace(string(words)) + "…"
	}
	return ""
}

// replyID is the id of a turn's reply on the outbox, once for the turn.
func replyID(turn int) string { return fmt.Sprintf("turn%08d-0", turn) }

// outbound is what is put on the outbox: on channels that push, the reply in pieces that
// the provider takes.
func (w *work) outbound(t thread.Turn) []dynamo.Write {
	if !w.thread.Channel.Pushes() || len(t.Out) == 0 {
		return nil
	}
	origin := originOf(t.In)
	if w.thread.OptedOut && w.optedOut {
		if origin == nil {
			return nil
		}
		lost := outbox.Message{Thread: w.thread.ID, ID: replyID(t.N), Market: w.market.ID, From: w.market.WhatsApp.From, Trace: t.TraceID}
		return []dynamo.Write{w.r.Outbox.Put(origin.Undelivered(lost))}
	}
	essential := w.optedOut != w.thread.OptedOut
	person := byPerson(t.In) || w.handOver != nil || essential // goes out although the thread is a person's
	asks := w.pending != nil && (w.made || w.asked)
	m := outbox.Message{
		Thread: w.thread.ID, ID: replyID(t.N), Market: w.market.ID, Channel: w.thread.Channel,
		From: w.from(), To: w.thread.ReplyAddr, Text: t.Out[0].Text, Template: w.template(t.At), Kind: outbox.Reply, Origin: origin,
		Trace: t.TraceID, Essential: essential, ByPerson: person, News: w.news() && !asks,
	}
	if to := w.thread.Customer(); to.Phone != "" && !w.thread.Type.IsWork() && !w.heard() {
		m.Person = to.ID // an answer goes to who has just written from there
	}
	if asks {
		m.Pending, m.Buttons, m.Rest = w.pending.ID, w.buttons(), w.rest(m.Text)
		if pieces := m.Pieces(); m.Template == nil { // which has not the whole of the question
			w.askedBy(pieces[len(pieces)-1].ID)
		}
	}
	return w.r.Outbox.PutPieces(m)
}

// askedBy notes which message asks for the YES to what is pending, beside the first that did.
func (w *work) askedBy(id string) {
	p := *w.pending
	if w.made || w.doubted || len(p.Asked) == 0 {
		p.Asked = []string{id}
	} else {
		p.Asked = []string{p.Asked[0], id}
	}
	w.pending = &p
}

// rest is how much of a text is none of its question's: what comes before a reminder. What was said
// with a new proposal leads to its question, and is nothing without it.
func (w *work) rest(text string) int {
	before, asks := strings.CutSuffix(text, strings.Join(w.after, "\n\n"))
	if w.proposed() || len(w.after) == 0 || !asks {
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

// byPerson reports whether a turn tells only of what people have done.
func byPerson(in []thread.Message) bool {
	return !slices.ContainsFunc(in, func(m thread.Message) bool { return m.Notice == nil || !m.Notice.ByPerson })
}

// news reports whether a turn tells of what has happened, in words of the backend alone.
func (w *work) news() bool {
	return !w.heard() || w.model.said == 0 && (w.settled != "" || len(w.joins) > 0)
}

// heard reports whether a turn answers somebody, rather than tell what has happened only.
func (w *work) heard() bool {
	return slices.ContainsFunc(w.in, func(m thread.Message) bool { return m.Notice == nil })
}

// from is the market's own sender on the thread's channel; "" is the account's.
func (w *work) from() string {
	if w.thread.Channel == channel.WhatsApp {
		return w.market.WhatsApp.From
	}
	return ""
}

// buttons answer what is pending with a tap, on channels that show them below any text.
func (w *work) buttons() []outbox.Button {
	if w.thread.Channel != channel.Messenger {
		return nil
	}
	return []outbox.Button{
		{Title: w.say(wording.YesWord, nil), Payload: gate.ButtonPayload(gate.Yes, w.pending.ID)},
		{Title: w.say(wording.NoWord, nil), Payload: gate.ButtonPayload(gate.No, w.pending.ID)},
	}
}
