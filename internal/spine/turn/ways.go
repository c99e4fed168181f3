package turn

import (
	"strings"

	"merve/internal/agent"
	"merve/internal/words/contact"
	"merve/internal/words/language"
)

// withoutWays is a model's text without links, domains and telephone numbers, but for those that lead to our site, or
// that tools have given in this turn or given and been said in those that the model remembers. What the model itself
// has put into a call is given by nobody, wherever it is repeated.
func (w *work) withoutWays(text string, given []agent.Given) string {
	ways := contact.Of(w.r.Site)
	if ways.Clean(text) == text {
		return text // most have none
	}
	for _, t := range w.thread.Recent {
		for line := range strings.Lines(t.Shown) {
			if list, ok := strings.CutPrefix(line, waysSaid); ok {
				ways.Learn(list, "")
			}
		}
	}
	agent.Learn(ways, given)
	return ways.Clean(text)
}

// waysSaid begins the line of a turn's memory with the links and numbers that its reply has. No other line begins so:
// what tools give is JSON within a tag of theirs.
const waysSaid = "<data said>"

// memory is what later turns are told of the data of this turn's tools, and of the ways out in its reply.
func (w *work) memory() string {
	said := ""
	if len(w.ways) > 0 {
		said = waysSaid + strings.Join(w.ways, " , ") + "</data>\n"
	}
	return language.Brief(said+memoryOf(w.model), maxMemory)
}
