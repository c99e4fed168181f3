package ocr

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"
)

// row is one line of words, in reading order.
type row []Word

// rowsOf puts words into rows, from top to bottom.
func rowsOf(words []Word) []row {
	words = level(words)
	middle := func(w Word) int { return (w.Box.Min.Y + w.Box.Max.Y) / 2 }
	slices.SortStableFunc(words, func(a, b Word) int { return middle(a) - middle(b) })
	var rows []row
	for _, w := range words {
		if n := len(rows); n > 0 {
			last := rows[n-1][len(rows[n-1])-1]
			if near := max(last.Box.Dy(), w.Box.Dy()) / 2; middle(w)-middle(last) < near {
				rows[n-1] = append(rows[n-1], w)
				continue
			}
		}
		rows = append(rows, row{w})
	}
	for _, r := range rows {
		r.order()
	}
	return rows
}

// level straightens a page that was scanned at an angle: it turns the words by the slope that puts most of them on common
// lines. Only the positions change, because the words were read already.
func level(words []Word) []Word {
	const steps, step = 16, 0.005 // about five degrees to either side
	best, most := 0.0, 0
	for n := range 2*steps + 1 {
		slope := step * float64((n+1)/2)
		if n%2 == 0 {
			slope = -slope
		}
		if together := paired(words, slope); together > most { // the smallest slope of equal ones
			best, most = slope, together
		}
	}
	out := slices.Clone(words)
	for i, w := range out {
		out[i].Box = w.Box.Add(image.Pt(0, -int(best*float64(w.Box.Min.X+w.Box.Max.X)/2)))
	}
	return out
}

// paired tells how many pairs of words are at one height when a page is turned back by a slope. Words of one height
// are those in one of the strips, a third of a word high, that the page is cut into.
func paired(words []Word, slope float64) int {
	height := 0
	for _, w := range words {
		height += w.Box.Dy()
	}
	strip := max(1, height/max(1, 3*len(words)))
	strips := map[int]int{}
	for _, w := range words {
		y := float64(w.Box.Min.Y+w.Box.Max.Y)/2 - slope*float64(w.Box.Min.X+w.Box.Max.X)/2
		strips[int(math.Floor(y/float64(strip)))]++
	}
	pairs := 0
	for _, n := range strips {
		pairs += n * n
	}
	return pairs
}

// order sorts a row as it is read: from the right where most of its letters are of such a script.
func (r row) order() {
	fromRight := r.fromRight()
	slices.SortStableFunc(r, func(a, b Word) int {
		if fromRight {
			return b.Box.Max.X - a.Box.Max.X
		}
		return a.Box.Min.X - b.Box.Min.X
	})
}

func (r row) fromRight() bool {
	right, left := 0, 0
	for _, w := range r {
		for _, c := range w.Text {
			switch {
			case unicode.In(c, unicode.Hebrew, unicode.Arabic) && unicode.IsLetter(c):
				right++
			case unicode.IsLetter(c):
				left++
			}
		}
	}
	return right > left
}

func (r row) text() string {
	var all []string
	for _, w := range r {
		all = append(all, w.Text)
	}
	return strings.Join(all, " ")
}

// figure is a number on a page with all values that it can have.
type figure struct {
	values     []value
	confidence float64
}

// figures are the numbers of a row, and the words before the last three of them.
func (r row) figures() (item string, all []figure) {
	var at []int // the word with which a figure begins
	for i := 0; i < len(r); i++ {
		text, confidence, words := r.joined(i)
		vs := valuesOf(text)
		if len(vs) == 0 {
			continue
		}
		all, at = append(all, figure{vs, confidence}), append(at, i)
		i += words - 1
	}
	const columns = 3
	end := len(r)
	if n := len(all); n > columns {
		all, at = all[n-columns:], at[n-columns:]
	}
	if len(at) > 0 {
		end = at[0]
	}
	return strings.Trim(r[:end].text(), " |:.-_"), all
}

// joined is a word with those after it that belong to the same number: 1 234,56.
func (r row) joined(i int) (text string, confidence float64, words int) {
	text, confidence, words = r[i].Text, r[i].Confidence, 1
	if r.fromRight() { // a space within a number would be read from the left
		return text, confidence, words
	}
	for ; i+words < len(r) && opensGroup(text) && isGroup(r[i+words].Text); words++ {
		before, next := r[i+words-1], r[i+words]
		if gap := next.Box.Min.X - before.Box.Max.X; gap > before.Box.Dy()*2/3 {
			break
		}
		text, confidence = text+" "+next.Text, min(confidence, next.Confidence)
	}
	return text, confidence, words
}
