package turn

import (
	"context"
	"slices"
	"strings"

	"merve/internal/agent"
	"merve/internal/spine/gate"
	"merve/internal/words/claim"
	"merve/internal/words/contact"
	"merve/internal/words/language"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// reviewer judges what the model says before anybody reads or hears it.
type reviewer struct {
	*scene
	matters *matters
	guard   *agent.Guard
	ownSite string // what our own addresses begin with; "" when there are none
	live    bool   // words are heard before the commit
	spend   func(microUSD int64)

	contacts []string // links and phone numbers in the text that was accepted last
}

const onlyWhatHappened = "Your last message was not sent: it says that something was booked, changed, cancelled, deleted, paid or sent, and nothing of the kind has happened. Write it again and say only what the tools have returned; name an earlier booking as {{booking:CODE}}, and the system words it."

// review accepts the model's text as the reply unless it claims something that did not happen. The model may then write it
// once more, and a second such text is withheld. Next to a proposal it is withheld at once, because the backend's own words
// are enough there.
//
// The backend words what the text names of the customer's own, so that only the model's own words are judged. Links and
// phone numbers that nobody has given are removed.
func (r *reviewer) review(ctx context.Context, p progress, d agent.Draft) agent.Verdict {
	text, _, _ := strings.Cut(d.Text, "<data") // its own memory is not for the customer
	said := standing.Read(strings.TrimSpace(text), r.matters.nameable(ctx, p.pending, text, d.Named))
	said = said.With(func(words string) string { return r.withoutContacts(words, d.Given) })
	switch {
	case !r.claims(ctx, said.Own(), d.Facts):
		if text = said.Text(); text == "" && !p.proposed() { // it was all removed
			return agent.Verdict{Text: r.replacement(), Withheld: "standing imitated"}
		}
		r.contacts = contact.In(said.Own())
		return agent.Verdict{Text: r.withoutQuestions(p, text)}
	case p.proposed():
		return agent.Verdict{Withheld: "claim withheld"}
	case d.Again > 0:
		return agent.Verdict{Text: r.replacement(), Withheld: "claim withheld"}
	}
	return agent.Verdict{Text: strings.TrimSpace(text), Again: onlyWhatHappened}
}

// withoutQuestions removes what asks from words that are heard at once while something waits for YES or NO. Words that are
// not heard before the commit keep it: the commit judges them, and whether they put what waits in doubt.
func (r *reviewer) withoutQuestions(p progress, text string) string {
	if !r.live || p.pending == nil || p.made {
		return text
	}
	text, _ = gate.Beside(text, false)
	return text
}

// claims reports whether a model's text claims what neither this turn nor what stands bears out. Facts are those of the
// tools that this turn has called.
func (r *reviewer) claims(ctx context.Context, text string, facts []string) bool {
	return r.guard.Claims(ctx, agent.Said{
		Customer: strings.TrimSpace(r.customerText()), // a plain yes may answer it
		Text:     text, Stands: dataOf(r.matters.snapshot.items), Facts: facts, More: r.matters.facts(),
		BorneOut: func(c claim.Claim) bool { return r.borneOut(c, facts) },
		Spent:    r.spend,
	})
}

// borneOut reports whether a claim is true: by a fact of this turn, or by something that stands and that the numbers of the
// sentence fit. The claim that somebody was told something is true only of those who were.
func (r *reviewer) borneOut(c claim.Claim, facts []string) bool {
	if c.Kind == claim.Sent {
		return slices.ContainsFunc(append(facts, r.matters.facts()...), func(fact string) bool {
			to, ok := strings.CutPrefix(fact, string(claim.Sent)+":")
			return ok && to != "" && strings.Contains(language.Fold(c.Sentence), language.Fold(to))
		})
	}
	if slices.Contains(facts, string(c.Kind)) {
		return true
	}
	return slices.ContainsFunc(r.matters.snapshot.items, func(i standing.Item) bool {
		return slices.Contains(i.Bears, string(c.Kind)) && numbersFit(c.Sentence, i)
	})
}

// numbersFit reports whether each number of a sentence is one of an item's. An hour may be given on the twelve-hour clock.
func numbersFit(sentence string, i standing.Item) bool {
	known := language.Numbers(strings.ReplaceAll(i.Summary, i.Code, "") + " " + i.Figures) // digits of a code are no numbers
	return !slices.ContainsFunc(language.Numbers(sentence), func(n int) bool {
		return !slices.Contains(known, n) && (n > 12 || !slices.Contains(known, n+12))
	})
}

// replacement is said instead of a text that was withheld. It lists what stands. It says that nothing was done only if
// that is so.
func (r *reviewer) replacement() string {
	lines := r.matters.list()
	switch {
	case len(lines) > 0:
	case r.thread.Forgot(): // it is not known that nothing stands
	case !r.settledLately():
		return r.say(wording.ClaimWithheld, nil)
	default:
		lines = []string{standing.Say(r.tc.Language, standing.Empty)}
	}
	return r.say(wording.ClaimReplaced, wording.Vars{"lines": strings.Join(lines, "\n")})
}

// withoutContacts removes links and phone numbers from a model's text. Those of our own site stay, those that tools have
// returned this turn, and those that tools returned and replies said in the turns that the model remembers. What the model
// has put into a call itself was given by nobody, even when a result repeats it.
func (r *reviewer) withoutContacts(text string, given []agent.Given) string {
	known := contact.Of(r.ownSite)
	if known.Clean(text) == text {
		return text // most have none
	}
	for _, t := range r.thread.Recent {
		for line := range strings.Lines(t.Shown) {
			if list, ok := strings.CutPrefix(line, contactsSaid); ok {
				known.Learn(list, "")
			}
		}
	}
	agent.Learn(known, given)
	return known.Clean(text)
}

// contactsSaid begins the line of a turn's memory that lists the links and numbers in its reply. No other line begins like
// it: what tools return is JSON within a tag of its own.
const contactsSaid = "<data said>"

// remembered is that line, or "" when the reply has none.
func (r *reviewer) remembered() string {
	if len(r.contacts) == 0 {
		return ""
	}
	return contactsSaid + strings.Join(r.contacts, " , ") + "</data>\n"
}
