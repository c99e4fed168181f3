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

// composer puts the turn's reply together: what happened first, then what the assistant says, then the question that waits
// for YES or NO. That question is always the backend's own.
type composer struct {
	*scene
	matters *matters
	offers  *offers
	voice   *voice
}

// compose returns the reply, and what the thread has to remember of how the conversation stands. The reply is nil when
// nothing is said.
func (c *composer) compose(ctx context.Context, d decision) (r *thread.Reply, stood *thread.Stood, err error) {
	if d.silent && c.voice.stream.Said() == "" {
		stood, err = c.matters.describe(ctx, d, nil, "")
		return nil, stood, err
	}
	after := slices.Clone(d.after)
	question := d.reminder()
	if d.proposed() {
		question = c.offers.question(*d.pending)
		after = append(after, question)
	}
	r = &thread.Reply{
		Text: cmp.Or(d.wrap(d.text, after), c.say(wording.WentWrong, nil)), Map: d.place, Cards: latestCards(d.cards), Choices: c.choices(d),
	}
	if c.voice.stream.Said() != "" {
		r.Text = c.voice.whole(d, after)
	}
	if onlyByPerson(c.in) {
		r.By = thread.ByPerson
	}
	if stood, err = c.matters.describe(ctx, d, r, question); err != nil {
		return nil, nil, err
	}
	if c.thread.Channel.Pushes() && d.words {
		text := c.shorten(d, after, r.Standing.Line())
		r.Text = cmp.Or(d.wrap(text, after), c.say(wording.WentWrong, nil))
	}
	return r, stood, nil
}

// fitToQuestion judges the model's words together with what waits for YES or NO, now that both are known. It removes words
// that may not be said next to the question. Words that name an answer put what waits in doubt, and so do those that were
// spoken before there was a question.
func (c *composer) fitToQuestion(d decision) decision {
	if !d.words || d.pending == nil {
		return d
	}
	said := c.voice.stream.Said()
	rest, continues := strings.CutPrefix(d.text, said)
	if !continues {
		said = ""
	}
	left, doubt := gate.Beside(rest, d.made)
	if stays, _ := gate.Beside(said, true); doubt || stays != said {
		d.markDoubt(true)
	}
	d.text = paragraphs(said, strings.TrimSpace(left))
	return d
}

// reminder is what asks once more for the YES or NO to what waited before; "" when nothing does.
func (d *decision) reminder() string {
	switch {
	case !d.asked || d.pending == nil:
		return ""
	case len(d.after) > 0:
		return d.after[len(d.after)-1]
	}
	return d.text
}

// What a turn shows, in cards and in bytes of their JSON. A turn is one item, which must stay below 400 KB.
const (
	maxCards = 40
	maxShown = 32 << 10
)

// latestCards are the latest of the cards that a turn has shown, as many as fit. Each is there once, as it was shown last.
func latestCards(all []tool.Card) []map[string]any {
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
	maxLabel   = 100 // characters; a label that is cut would say something else
)

// choices are those of the list that the model was given last, each once. Only the model's own words have them: what the
// backend asks or says has answers of its own. A list from which the customer has just chosen is not offered again. While
// something waits for YES or NO, choices that could be read as one are left out.
func (c *composer) choices(d decision) []channel.Choice {
	if !d.words || d.proposed() || c.thread.Channel.Pushes() {
		return nil
	}
	chosen := func(choice channel.Choice) bool {
		return slices.ContainsFunc(c.in, func(m thread.Message) bool { return strings.TrimSpace(m.Text) == choice.Label })
	}
	if slices.ContainsFunc(d.choices, chosen) {
		return nil
	}
	var all []channel.Choice
	for _, choice := range d.choices {
		known := slices.ContainsFunc(all, func(k channel.Choice) bool { return k.Label == choice.Label })
		if known || strings.TrimSpace(choice.Label) == "" || utf8.RuneCountInString(choice.Label) > maxLabel || len(all) == maxChoices {
			continue
		}
		if said, _ := gate.Beside(choice.Label, true); d.pending != nil && said == "" {
			continue
		}
		all = append(all, choice)
	}
	return all
}

// wrap puts a text between the notes before it and what comes after it.
func (d *decision) wrap(text string, after []string) string {
	return paragraphs(slices.Concat(d.notes, []string{text}, after)...)
}

// paragraphs joins texts, leaving out empty ones.
func paragraphs(texts ...string) string {
	texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
	return strings.Join(texts, "\n\n")
}

// shorten cuts the model's words until the reply fits into the messages that the market allows for one inbound message.
// Nothing else is cut: nobody can say YES to half a question, and what staff write has to arrive.
func (c *composer) shorten(d decision, after []string, line string) string {
	if line != "" {
		after = append(slices.Clip(after), line)
	}
	most := max(1, c.market.Safety.MaxOutboundPerInbound)
	text, words := d.text, []rune(d.text)
	for len(words) > 0 {
		pieces := outbox.Split(d.wrap(text, after), c.thread.Channel.MaxPiece())
		if len(pieces) <= most {
			return text
		}
		over := utf8.RuneCountInString(strings.Join(pieces[most:], "")) + 1 // for the "…"
		words = words[:max(0, len(words)-over)]
		text = strings.TrimSpace(string(words)) + "…"
	}
	return ""
}
