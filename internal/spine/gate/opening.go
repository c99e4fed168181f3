package gate

import (
	"strings"
	"unicode/utf8"

	"merve/internal/spine/thread"
)

// opensWithNo reports whether text says NO first and then something else: "no, 9pm instead". The NO
// ends at a pause; a line's end is one too. What follows may take it back: a YES right after it
// ("no, yes please"), one that stands alone later ("no, wait. yes"), or a phrase that makes it no
// refusal ("no. problem solved").
//
// Unlike a YES, such a NO may come with words that nobody listed. A wrong NO costs an offer that
// can be made again, while a missed one leaves an offer open that a later YES would accept.
func opensWithNo(text string, does Deed) bool {
	v, err := words()
	if err != nil {
		return false
	}
	clauses := clausesOf(head(text))
	refusing := 0
	var said kind
	for refusing < len(clauses) {
		k := v.readTokens(clauses[refusing], answers)
		if !k.only(refuses(does)) {
			break
		}
		said |= k
		refusing++
	}
	rest := clauses[refusing:]
	if len(rest) == 0 || !said.has(no|cancels) {
		return false
	}
	first, _ := v.longestPhrase(rest[0], yes|unsays|cancels|booking)
	if first.has(yes|unsays) || first.has(cancels) && !first.only(refuses(does)) {
		return false
	}
	for _, c := range rest {
		if k := v.readTokens(c, answers); k.has(yes) && k.only(accepts(does)) {
			return false
		}
	}
	return true
}

// head returns the beginning of a text, the part that is read: a long message may open with a NO too.
func head(text string) string {
	if len(text) <= maxMessage {
		return text
	}
	end := maxMessage
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// clausesOf are the words of a text between its pauses.
func clausesOf(text string) [][]string {
	var clauses [][]string
	var clause []string
	for _, t := range append(tokenize(strings.ReplaceAll(text, "\n", ", ")), ",") {
		switch {
		case t != ",":
			clause = append(clause, t)
		case len(clause) > 0:
			clauses, clause = append(clauses, clause), nil
		}
	}
	return clauses
}

// declines reports whether messages that are no plain answer open with a NO to this offer. It reads
// them in order, as one text: "no" and then "at nine" is such a NO. An offer that has to be paid
// for is only let go by a plain NO.
func declines(p *thread.Pending, does Deed, msgs []thread.Message, refers map[string]string) bool {
	if len(msgs) == 0 || does == Pays {
		return false
	}
	texts := make([]string, len(msgs))
	for i, m := range msgs {
		texts[i] = m.Text
	}
	first := msgs[0]
	switch a, id, ok := ParseButton(first.Button); {
	case ok && (a != No || id != p.ID || len(msgs) == 1), !ok && first.Button != "":
		return false
	case ok:
		texts[0] = No.String() // whatever the button says
	case first.ReplyTo != "" && refers[first.ID] != p.ID, !first.Written().After(p.CreatedAt):
		return false
	}
	return opensWithNo(strings.Join(texts, "\n"), does)
}
