package agent

import (
	"context"
	"strings"

	"merve/internal/words/contact"
	"merve/internal/words/language"
	"merve/internal/words/standing"
)

// Learn makes the links and numbers known that calls have given. What a model itself has put into a call is given by
// nobody, wherever it is repeated.
func Learn(ways *contact.Known, given []Given) {
	for _, g := range given {
		ways.Learn(g.Data, g.Args)
	}
}

// Words returns what may go out of a model's text that belongs to no thread: the text without unknown links and
// numbers, and without lines that imitate the standing line. ok is false if the text claims something untrue, or if
// nothing of it is left.
func (g *Guard) Words(ctx context.Context, s Said, ways *contact.Known) (text string, ok bool) {
	text, _, _ = strings.Cut(s.Text, dataTag) // what it was told is not for the customer
	said := standing.Read(strings.TrimSpace(language.Undirected(text)), nil).With(ways.Clean)
	s.Text = said.Own()
	if text = said.Text(); text == "" || g.Claims(ctx, s) {
		return "", false
	}
	return text, true
}
