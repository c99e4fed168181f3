package ocr

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Words that mark the rows below the table, in small letters.
var (
	subtotalWords = []string{"subtotal", "sub-total", "sub total", "ara toplam", "υποσύνολο", "μερικό σύνολο", "סיכום ביניים", "промежуточный", "zwischensumme", "المجموع الفرعي"}
	taxWords      = []string{"kdv", "vat", "tax", "φπα", "φ.π.α", "מע\"מ", "מע״מ", "mwst", "iva", "tva", "ндс", "ضريبة"}
	totalWords    = []string{
		"total", "toplam", "σύνολο", "συνολο", "סה\"כ", "סה״כ", "סך הכל", "סהכ", "итого", "всего", "gesamt", "summe", "المجموع", "الإجمالي", "jumla",
	}
)

// kind is what a row is.
type kind int

const (
	itemRow kind = iota
	subtotalRow
	taxRow
	totalRow
)

func kindOf(text string) kind {
	text = strings.ToLower(strings.ReplaceAll(text, "İ", "i"))
	named := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return begins(text, w) })
	}
	switch {
	case named(subtotalWords):
		return subtotalRow
	case named(totalWords):
		return totalRow
	case named(taxWords):
		return taxRow
	}
	return itemRow
}

// begins reports whether a word of a text begins with another.
func begins(text, word string) bool {
	return strings.HasPrefix(text, word) || strings.Contains(text, " "+word)
}

// table gathers what the rows of a document say.
type table struct {
	lines []lineRead
	tax   *big.Rat
	total []figure // of each row that names one
	least float64
	check []string
}

// lineRead is a line before the sums are known.
type lineRead struct {
	Line
	total figure
	sum   *big.Rat
}

// parse finds the table in the rows of a document.
func parse(rows []row) Result {
	text := textOf(rows)
	found := currenciesOf(text)
	var currency string
	if len(found) == 1 {
		for currency = range found {
		}
	}
	places := wording.Decimals(currency)
	t := table{least: 1}
	for _, r := range rows {
		item, figures := r.figures()
		if len(figures) > 0 {
			t.take(kindOf(r.text()), item, figures, places)
		}
	}
	out := Result{Extracted: Extracted{Lines: []Line{}, Currency: currency, Text: text}}
	agrees := t.sums(&out, places)
	for i, l := range t.lines {
		if l.Check == Unchecked && agrees {
			l.Check = Passed
		}
		out.Lines = append(out.Lines, l.Line)
		t.judge(i, l.Line)
	}
	if len(found) != 1 {
		t.check = append(t.check, "currency")
	}
	slices.Sort(t.check)
	out.Confidence, out.NeedsCheck = t.least, t.check
	if len(out.Lines) == 0 && out.Total == "" {
		out.Confidence = 0
	}
	return out
}

// take adds a row. Rows with fewer than three figures count as lines only below the first whole line, because dates and
// telephone numbers stand above it.
func (t *table) take(k kind, item string, figures []figure, places int) {
	last := figures[len(figures)-1]
	switch {
	case k == totalRow && len(figures) < 3:
		t.total = append(t.total, last)
	case k == taxRow && len(figures) < 3:
		t.tax = amount(last, places).rat
	case k == subtotalRow || len(t.lines) > 0 && len(t.total) > 0:
	case len(figures) == 3:
		t.total = nil // what named one above the table was none
		t.lines = append(t.lines, whole3(item, figures, places))
	case len(t.lines) > 0:
		v := amount(last, places)
		l := Line{Item: clipItem(item), Total: v.json(), Confidence: last.confidence, Check: Unchecked}
		if len(figures) == 2 { // which of quantity and price is missing cannot be told
			l.Check = Mismatch
		}
		t.lines = append(t.lines, lineRead{l, last, v.rat})
	}
}

// whole3 reads a row of quantity, unit price and total, in the way in which the arithmetic agrees.
func whole3(item string, f []figure, places int) lineRead {
	l := Line{Item: clipItem(item), Confidence: min(f[0].confidence, f[1].confidence, f[2].confidence), Check: Mismatch}
	q, u, t := f[0].values[0], amount(f[1], places), amount(f[2], places)
	for _, quantity := range f[0].values {
		if t.rat.Sign() > 0 && new(big.Rat).Mul(quantity.rat, u.rat).Cmp(t.rat) == 0 { // nothing supports a zero
			q, l.Check = quantity, Passed
			break
		}
	}
	l.Quantity, l.UnitPrice, l.Total = q.json(), u.json(), t.json()
	return lineRead{l, f[2], t.rat}
}

// amount is a figure as money: one that would have more decimals than the currency is taken in groups of thousands.
func amount(f figure, places int) value {
	for _, v := range f.values {
		if i := strings.IndexByte(v.text, '.'); i < 0 || len(v.text)-i-1 <= places {
			return v
		}
	}
	return f.values[0]
}

// sums holds the lines to the total of the document, and reports whether they agree.
func (t *table) sums(out *Result, places int) bool {
	if len(t.total) == 0 {
		t.check = append(t.check, "total")
		return false
	}
	last := t.total[len(t.total)-1]
	v := amount(last, places)
	out.Total = v.json()
	t.least = min(t.least, last.confidence)
	sum := new(big.Rat)
	for _, l := range t.lines {
		sum.Add(sum, l.sum)
	}
	agrees := len(t.lines) > 0 && sum.Cmp(v.rat) == 0
	if t.tax != nil && !agrees {
		agrees = len(t.lines) > 0 && sum.Add(sum, t.tax).Cmp(v.rat) == 0
	}
	if !agrees || last.confidence < Least {
		t.check = append(t.check, "total")
	}
	return agrees
}

// judge names the figures of a line that a person has to look at.
func (t *table) judge(i int, l Line) {
	t.least = min(t.least, l.Confidence)
	sure := l.Check == Passed && l.Confidence >= Least
	for field, v := range map[string]string{"quantity": l.Quantity.String(), "unit_price": l.UnitPrice.String(), "total": l.Total.String()} {
		if !sure || v == "" { // what is missing may stand on the page
			t.check = append(t.check, fmt.Sprintf("lines[%d].%s", i, field))
		}
	}
}

const maxItem = 120

func clipItem(s string) string { return language.Clip(s, maxItem) }
