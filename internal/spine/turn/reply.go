package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// worded puts the turn's reply together: what happened first, then what the assistant says, then the
// question that waits for YES or NO, which is always the backend's own. How the conversation stands is
// kept apart, and so is what the thread has to keep for that. Only here a model's words and a question come
// together, so here they are judged.
func (w *work) worded(ctx context.Context, d *decision) (r *thread.Reply, stood *thread.Stood, err error) {
	if d.silent && w.voice.stream.Said() == "" {
		stood, err = w.matters.describe(ctx, *d, nil, "")
		return nil, stood, err
	}
	w.besideQuestion(d)
	after := slices.Clone(d.after)
	question := d.question()
	if d.proposed() {
		question = w.offers.question(*d.pending)
		after = append(after, question)
	}
	r = &thread.Reply{
		Text: cmp.Or(d.around(d.text, after), w.say(wording.WentWrong, nil)), Map: d.place, Cards: shown(d.cards), Choices: w.offered(d),
	}
	if w.voice.stream.Said() != "" {
		r.Text = w.voice.whole(*d, after)
	}
	if onlyByPerson(w.in) {
		r.By = thread.ByPerson
	}
	if stood, err = w.matters.describe(ctx, *d, r, question); err != nil {
		return nil, nil, err
	}
	if w.thread.Channel.Pushes() && d.words {
		text := w.shortened(*d, after, r.Standing.Line())
		r.Text = cmp.Or(d.around(text, after), w.say(wording.WentWrong, nil))
	}
	return r, stood, nil
}

// besideQuestion leaves of the model's words what may be said while something waits for YES or NO. Words that name an
// answer put what waits in doubt, and so do those that were said before there was a question.
func (w *work) besideQuestion(d *decision) {
	if !d.words || d.pending == nil {
		return
	}
	said := w.voice.stream.Said()
	rest, goesOn := strings.CutPrefix(d.text, said)
	if !goesOn {
		said = ""
	}
	left, doubt := gate.Beside(rest, d.made)
	if stays, _ := gate.Beside(said, true); doubt || stays != said {
		d.markDoubt(true)
	}
	d.text = paragraphs(said, strings.TrimSpace(left))
}

// question is what asks once more for the YES or NO to what waited before; "" when nothing does.
func (d *decision) question() string {
	switch {
	case !d.asked || d.pending == nil:
		return ""
	case len(d.after) > 0:
		return d.after[len(d.after)-1]
	}
	return d.text
}

// What a turn shows, in cards and in bytes of their JSON: its item has to stay below 400 KB.
const (
	maxCards = 40
	maxShown = 32 << 10
)

// shown are a turn's cards, each once as it was shown last: the latest of them, as far as they fit.
func shown(all []tool.Card) []map[string]any {
	var cards []map[string]any
	size, known := 0, map[string]bool{}
	for _, c := range slices.Backward(all) {
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

// What a reply offers to choose from.
const (
	maxChoices = 12
	maxLabel   = 100 // characters; one that is cut would say something else
)

// offered are the choices of the list that the model was given last, each once. They stand below the model's words
// alone: what the backend asks or says itself has its own answers. A list from which the customer has just chosen is not
// offered again. Beside something that waits for YES or NO none is left that could be read as one.
func (w *work) offered(d *decision) []channel.Choice {
	if !d.words || d.proposed() || w.thread.Channel.Pushes() {
		return nil
	}
	chosen := func(c channel.Choice) bool {
		return slices.ContainsFunc(w.in, func(m thread.Message) bool { return strings.TrimSpace(m.Text) == c.Label })
	}
	if slices.ContainsFunc(d.choices, chosen) {
		return nil
	}
	var all []channel.Choice
	for _, c := range d.choices {
		known := slices.ContainsFunc(all, func(k channel.Choice) bool { return k.Label == c.Label })
		if known || strings.TrimSpace(c.Label) == "" || utf8.RuneCountInString(c.Label) > maxLabel || len(all) == maxChoices {
			continue
		}
		if said, _ := gate.Beside(c.Label, true); d.pending != nil && said == "" {
			continue
		}
		all = append(all, c)
	}
	return all
}

// around is the reply with text between what is said before and after it.
func (d *decision) around(text string, after []string) string {
	return paragraphs(slices.Concat(d.notes, []string{text}, after)...)
}

// paragraphs joins texts, but those of nothing.
func paragraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
	return strings.Join(texts, "\n\n")
}

// shortened cuts the model's words until the reply fits into the messages that the market
// allows for one inbound message. The bound is for them alone: nobody says YES to a question
// of which the end was cut off, and what staff write has to arrive.
func (w *work) shortened(d decision, after []string, line string) string {
	if line != "" {
		after = append(slices.Clip(after), line)
	}
	most := max(1, w.market.Safety.MaxOutboundPerInbound)
	text, words := d.text, []rune(d.text)
	for len(words) > 0 {
		pieces := outbox.Split(d.around(text, after), w.thread.Channel.MaxPiece())
		if len(pieces) <= most {
			return text
		}
		over := utf8.RuneCountInString(strings.Join(pieces[most:], "")) + 1 // for the "…"
		words = words[:max(0, len(words)-over)]
		text = strings.TrimSpace(string(words)) + "…"
	}
	return ""
}
