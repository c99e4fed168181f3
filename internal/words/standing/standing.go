// Package standing says, in the backend's own words, what stands of a conversation: nothing, something that waits for
// a YES or NO, or what was done. A model's words cannot be proven true, so the standing line is the last word below
// them.
//
// The line begins with a sign (○ nothing, ◐ waiting, ● done) and has at most 60 characters. Codes, dates and numbers
// are written so that they need no language. The few sentences exist in 30 languages (sentences.json), so that a text
// in a language that the product does not speak is contradicted in its own.
//
// The package is pure. The packages that store what stands read it and pass it in as [Item]s.
package standing

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Kind says in one word how a conversation stands.
type Kind string

// The kinds.
const (
	Nothing Kind = "nothing"
	Waiting Kind = "waiting" // for a YES or NO
	Done    Kind = "done"    // something was done, or stands
)

// signs begin the line, one for each kind.
var signs = map[Kind]string{Nothing: "○", Waiting: "◐", Done: "●"}

// maxLine is the most characters of a line that is no question.
const maxLine = 60

// maxItems is how many items a turn keeps.
const maxItems = 5

// Standing is how a conversation stands after a turn.
type Standing struct {
	Kind  Kind   `dynamodbav:"kind" json:"kind"`
	Text  string `dynamodbav:"text" json:"text"`
	Items []Item `dynamodbav:"items" json:"items"`

	// Asked is the length of the question that the reply ends with, in bytes: it is the text, and is kept once.
	Asked int `dynamodbav:"asked,omitempty" json:"-"`
	// Again says that the reply before had the same line.
	Again bool `dynamodbav:"again,omitempty" json:"-"`
}

// Item is one thing that waits, stands or was done. Every turn stores a short form of it, to keep turns cheap.
type Item struct {
	Kind  string `dynamodbav:"k" json:"kind"` // booking, appointment, order, ride, request, report, offer, action
	Ref   string `dynamodbav:"r" json:"ref"`
	Code  string `dynamodbav:"c,omitempty" json:"code"`
	State string `dynamodbav:"s" json:"state"` // as it is stored
	Text  string `dynamodbav:"t" json:"text"`  // what the line says of it

	// Bears are the facts that support it, as tools give them. They are stored with the turn only for an action,
	// which leaves nothing else behind.
	Bears []string `dynamodbav:"bears,omitempty" json:"-"`

	Summary string `dynamodbav:"-" json:"-"` // the whole of it, in the customer's language
	Word    Word   `dynamodbav:"-" json:"-"` // what has become of it
	Figures string `dynamodbav:"-" json:"-"` // when and how many, in a form that needs no language
	Over    bool   `dynamodbav:"-" json:"-"` // told once, and then no more

	At       time.Time `dynamodbav:"-" json:"-"` // when it is, or was asked for where that is now; zero has no time
	Replaces string    `dynamodbav:"-" json:"-"` // the reference of what it takes the place of
}

// The kinds of items that no matter keeps.
const (
	OfferItem  = "offer"  // waits for a YES or NO
	ActionItem = "action" // was done after a YES, and leaves nothing that could be looked up
)

// Same reports whether two items are the same thing.
func (i Item) Same(o Item) bool { return i.Kind == o.Kind && i.Ref == o.Ref }

// Only returns i as a list, or an empty list if ok is false.
func Only(i Item, ok bool) []Item {
	if !ok {
		return nil
	}
	return []Item{i}
}

// Action is something that was done and leaves nothing to look up.
func Action(ref, text string, bears []string) Item {
	return Item{Kind: ActionItem, Ref: ref, State: string(Completed), Summary: text, Bears: bears, Word: Completed, Figures: oneLine(text), Over: true}
}

// Offer is something that waits for a YES or NO.
func Offer(ref, summary string) Item {
	return Item{Kind: OfferItem, Ref: ref, State: string(Waiting), Summary: summary, Word: Awaited, Figures: oneLine(summary)}
}

// Now is what a line is made of.
type Now struct {
	Language string // of the line, see [Spoken]
	Waits    *Item
	Question string // that the reply ends with; "" when it asks none
	Items    []Item // what this turn did comes first, then what stands
	More     bool   // more stands than that
}

// Standing words how a conversation stands.
func (n Now) Standing() Standing {
	s := Standing{Kind: Nothing, Items: []Item{}}
	items := n.Items[:min(len(n.Items), maxItems)]
	if n.Waits != nil {
		items = append([]Item{*n.Waits}, items...)
	}
	for _, i := range items {
		if i.Text = n.about(i, maxLine); i.Kind != ActionItem {
			i.Bears = nil
		}
		s.Items = append(s.Items, i)
	}
	switch {
	case n.Waits != nil && n.Question != "":
		s.Kind, s.Asked = Waiting, len(n.Question)
	case n.Waits != nil:
		s.Kind = Waiting
		s.Text = signs[Waiting] + " " + n.about(*n.Waits, maxLine-2)
	case len(n.Items) > 0:
		s.Kind = Done
		s.Text = signs[Done] + " " + n.first()
	default:
		s.Text = signs[Nothing] + " " + Say(n.Language, Empty)
	}
	return s
}

// first is what the line says of the first item, with the number of the others.
func (n Now) first() string {
	others, more := len(n.Items)-1, ""
	if others > 0 {
		more = " · +" + strconv.Itoa(others)
	}
	if n.More {
		more += " " + Say(n.Language, More)
	}
	return n.about(n.Items[0], maxLine-2-utf8.RuneCountInString(more)) + more
}

// about says what has become of an item, its code and its figures, in so many characters. It keeps their order
// within a right-to-left sentence.
func (n Now) about(i Item, room int) string {
	sentence := Say(n.Language, i.Word) + ": "
	detail := strings.Trim(i.Code+" · "+i.Figures, " ·")
	if r := []rune(detail); len(r) > room-utf8.RuneCountInString(sentence) {
		detail = strings.TrimRightFunc(string(r[:max(0, room-utf8.RuneCountInString(sentence)-1)]), unicode.IsSpace) + "…"
	}
	return sentence + isolated(n.Language, detail)
}

// In is the standing of a reply, whose text may end with the question.
func (s *Standing) In(reply string) *Standing {
	if s == nil || s.Asked == 0 {
		return s
	}
	whole := *s
	whole.Text = signs[Waiting] + " " + reply[max(0, len(reply)-s.Asked):]
	return &whole
}

// Line is what a text channel shows below a reply: nothing where the reply ends with the question, and
// only sign and codes where the reply before had the same line.
func (s *Standing) Line() string {
	switch {
	case s == nil || s.Asked > 0:
		return ""
	case !s.Again:
		return s.Text
	}
	words := []string{signs[s.Kind]}
	for _, i := range s.Items {
		if i.Code != "" {
			words = append(words, i.Code)
		}
	}
	return strings.Join(words, " ")
}

// Follows notes whether the reply before had the same line.
func (s *Standing) Follows(before *Standing) {
	s.Again = before != nil && s.Asked == 0 && before.Text == s.Text
}

// Refs are what a conversation has to keep, to look up in its next turn how it stands.
func Refs(items []Item) []string {
	var refs []string
	for _, i := range items {
		if !i.Over && i.Kind != ActionItem && i.Kind != OfferItem {
			refs = append(refs, i.Kind+":"+i.Ref)
		}
	}
	return refs
}

// Next orders items: what is over is told once, and first; then by when they are; what has no time comes last.
func Next(a, b Item) int {
	switch {
	case a.Over != b.Over && a.Over, a.Over == b.Over && b.At.IsZero() && !a.At.IsZero():
		return -1
	case a.Over != b.Over, a.At.IsZero() && !b.At.IsZero():
		return 1
	}
	return a.At.Compare(b.At)
}

// Merged are the items that a turn has touched, and then those which stood before it. Each is there once, and
// none that another has taken the place of.
func Merged(did, stood []Item) []Item {
	both := slices.Concat(did, stood)
	var all []Item
	for _, i := range both {
		replaced := func(o Item) bool { return o.Kind == i.Kind && o.Replaces == i.Ref }
		if !slices.ContainsFunc(all, i.Same) && !slices.ContainsFunc(both, replaced) {
			all = append(all, i)
		}
	}
	return all
}

// oneLine is a text whose lines are joined.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
