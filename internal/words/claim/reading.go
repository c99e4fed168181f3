package claim

import (
	"cmp"
	"math/big"
	"slices"
)

// match is a place where a pattern stands: the words from start up to end.
type match struct {
	kind       Kind
	sure       bool
	start, end int
	from, to   word // the first and the last of them
}

// reading is a text as one language sees it.
type reading struct {
	*dialect
	words   []word
	classes []*big.Int // of each word; nil when the language does not know it
	cues    []cue      // that begin at each word
}

// claims returns the claims that t makes in the language.
func (d *dialect) claims(t text) []match {
	r := reading{dialect: d, words: d.spell(t.words)}
	r.classes = make([]*big.Int, len(r.words))
	for i, w := range r.words {
		r.classes[i] = d.classesOf(w)
	}
	r.cues = make([]cue, len(r.words))
	found := r.find()
	found = slices.DeleteFunc(found, r.excused)
	for i, m := range found {
		if m.kind == Booked && r.has(m.start, m.end, changes) {
			found[i].kind = Changed
		}
	}
	return particular(found)
}

// find returns where the patterns of claims stand, and notes the cues.
func (r *reading) find() []match {
	r.eachMatch(func(p pattern, start, end int) {
		if p.cue == ignore {
			for i := start; i < end; i++ {
				r.cues[i] |= ignore
			}
		}
		r.cues[start] |= p.cue & opens // before the claims, which may begin behind one
	})
	var claims []match
	r.eachMatch(func(p pattern, start, end int) {
		r.cues[start] |= p.cue
		if p.kind != "" {
			claims = append(claims, match{p.kind, p.sure, start, end, r.words[start], r.words[end-1]})
		}
	})
	return claims
}

func (r *reading) eachMatch(do func(p pattern, start, end int)) {
	for i, classes := range r.classes {
		if classes == nil {
			continue
		}
		for class := range classes.BitLen() {
			if classes.Bit(class) == 1 {
				r.matchAt(i, class, do)
			}
		}
	}
}

// matchAt does do for each pattern that stands at i, where a word of class first is.
func (r *reading) matchAt(i, first int, do func(p pattern, start, end int)) {
	for _, p := range r.byFirst[first] {
		if end, ok := r.match(p.elements, i, i); ok && end > i {
			do(p, i, end)
		}
	}
}

// match returns the end of the elements when they stand at i, in a pattern that begins at start.
func (r *reading) match(elements []element, start, i int) (end int, ok bool) {
	if len(elements) == 0 {
		return i, true
	}
	e, rest := elements[0], elements[1:]
	switch e.class {
	case begins:
		if !r.opensClause(i) && r.cues[i-1]&opens == 0 {
			return 0, false
		}
		return r.match(rest, start, i)
	case ends:
		if i < len(r.words) && r.words[i].pause == noPause {
			return 0, false
		}
		return r.match(rest, start, i)
	case gap:
		return r.matchGap(rest, start, i)
	}
	if i < len(r.words) && (i == start || r.words[i].pause < sentence) && r.is(i, e.class) {
		if end, ok := r.match(rest, start, i+1); ok {
			return end, true
		}
	}
	if e.optional {
		return r.match(rest, start, i)
	}
	return 0, false
}

func (r *reading) matchGap(rest []element, start, i int) (end int, ok bool) {
	for n := 0; n <= maxGap && i+n < len(r.words); n++ {
		if end, ok := r.match(rest, start, i+n); ok {
			return end, true
		}
		if r.words[i+n].pause >= line {
			break
		}
	}
	return 0, false
}

func (r *reading) is(i, class int) bool {
	return r.classes[i] != nil && r.classes[i].Bit(class) == 1
}

// opensClause reports whether a clause begins at i.
func (r *reading) opensClause(i int) bool {
	return i == 0 || i < len(r.words) && r.words[i].pause >= clause || i < len(r.words) && r.cues[i]&opens != 0
}

// has reports whether one of the cues begins in the words from up to to.
func (r *reading) has(from, to int, any cue) bool {
	for i := max(from, 0); i < min(to, len(r.words)); i++ {
		if r.cues[i]&any != 0 && (r.cues[i]&ignore == 0 || any == yours) {
			return true
		}
	}
	return false
}

// reach bounds how many words away a cue works.
const reach = 6

// excused reports whether the words around m make it no claim.
func (r *reading) excused(m match) bool {
	start := r.clauseStart(m.start)
	near := max(start, m.start-reach)
	switch {
	case r.has(near, m.end, not), r.has(m.end, r.unbroken(m.end, 3), notYet):
		return true
	case r.conditional(start, m):
		return true
	case r.questioned(start, m):
		return true
	case m.sure:
		return false
	case r.has(near, m.end, maybe):
		return true
	}
	return r.has(near, r.unbroken(m.end, reach), others) && !r.has(m.start, m.end, yours)
}

func (r *reading) clauseStart(i int) int {
	for !r.opensClause(i) {
		i--
	}
	return i
}

// unbroken returns the end of at most n words from i without a pause before them.
func (r *reading) unbroken(i, n int) int {
	end := i
	for end < len(r.words) && end < i+n && r.words[end].pause == noPause {
		end++
	}
	return end
}

// conditional reports whether m depends on an "if": in its own clause, at the beginning
// of the clause before ("if you say YES, …"), or after it ("… once you have said YES").
func (r *reading) conditional(start int, m match) bool {
	if r.has(start, m.end, given) {
		return true
	}
	if start > 0 && r.words[start].pause <= clause {
		before := r.clauseStart(start - 1)
		if r.has(before, min(before+3, start), given) {
			return true
		}
	}
	end := r.unbroken(m.end, reach)
	if end < len(r.words) && r.words[end].pause == clause {
		end++
	}
	return r.has(m.end, end, given)
}

// another is how many words a question has at least that follows on a claim without a pause.
const another = 4

// questioned reports whether m is what a question asks, and not said before one asks
// something else ("Your table is booked, anything else?", "Your table is booked shall I do more?").
func (r *reading) questioned(start int, m match) bool {
	if m.to.asked < r.asked {
		return false
	}
	if r.has(start, start+2, asks) {
		return true
	}
	end := m.end
	for end < len(r.words) && r.words[end].part == m.to.part {
		end++
	}
	for i := m.end; i < end; i++ {
		if r.opensClause(i) || end-i >= another && r.cues[i]&asks != 0 {
			return false
		}
	}
	return true
}

// particular drops the matches that stand within another, which says more:
// "your order is confirmed" is of an order, though "is confirmed" may be of a booking.
func particular(found []match) []match {
	slices.SortStableFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.start, b.start), -cmp.Compare(a.end, b.end), -cmp.Compare(rank(a.kind), rank(b.kind)))
	})
	var kept []match
	for _, m := range found {
		within := func(o match) bool { return m.end <= o.end }
		if !slices.ContainsFunc(kept[max(0, len(kept)-reach):], within) {
			kept = append(kept, m)
		}
	}
	return kept
}

func rank(k Kind) int { return slices.Index(kinds(), k) }
