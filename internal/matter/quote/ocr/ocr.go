// Package ocr reads pictures of quotations: pages become words, words become lines of item, quantity, unit price
// and total. It keeps nothing.
//
// Promises:
//
//   - No picture is unpacked before its size is known to be bounded, and poppler runs with bounds on its time and memory.
//     A [PDFReader] has PDFs parsed in a process with such bounds too.
//   - A file is what its bytes say. One that claims to be something else is refused with both names.
//   - Each figure is either supported (it was read with confidence, and the arithmetic of the page agrees with it)
//     or named in NeedsCheck.
//   - What a page says is data. No word of it is followed as an instruction.
package ocr

import (
	"context"
	"encoding/json"
	"image"
	"strings"

	"merve/internal/words/language"
)

// Word is a word on a page.
type Word struct {
	Text       string
	Box        image.Rectangle
	Confidence float64 // 0 to 1
}

// Reader finds the words of a page.
type Reader interface {
	Read(ctx context.Context, page *image.Gray) ([]Word, error)
}

// PDFReader is a [Reader] that takes PDFs as they are. For one that does not, poppler draws the pages.
type PDFReader interface {
	// ReadPDF finds the words of each page. The PDF has at most [MaxPages] pages.
	ReadPDF(ctx context.Context, data []byte) ([][]Word, error)
}

// Sheet is a page of a PDF, as a PDF of its own.
type Sheet struct {
	PDF  []byte
	Size image.Rectangle // in pixels, if it were drawn
}

// Result is what a document says.
type Result struct {
	Extracted
	Confidence float64  // the least of all figures
	NeedsCheck []string // the figures that a person has to look at, such as lines[0].total
}

// Extracted is the table of a quotation.
type Extracted struct {
	Lines    []Line      `json:"lines"`
	Total    json.Number `json:"total,omitempty"`
	Currency string      `json:"currency,omitempty"` // ISO 4217; "" is not said
	Text     string      `json:"text"`               // as it was read
}

// Line is a row of the table.
type Line struct {
	Item       string      `json:"item"`
	Quantity   json.Number `json:"quantity,omitempty"`
	UnitPrice  json.Number `json:"unit_price,omitempty"`
	Total      json.Number `json:"total"`
	Confidence float64     `json:"confidence"`
	Check      Check       `json:"check"`
}

// Check is what the arithmetic of a line says.
type Check string

const (
	Passed    Check = "passed"
	Mismatch  Check = "failed"
	Unchecked Check = "none" // the line has too few figures
)

// Least is the confidence below which a figure needs a check.
const Least = 0.7

// maxText is how many characters of a document are kept.
const maxText = 4000

// Extract reads a document. An error says in words why it cannot be read.
func Extract(ctx context.Context, r Reader, data []byte, claimed string) (Result, error) {
	pages, err := read(ctx, r, data, claimed)
	if err != nil {
		return Result{}, err
	}
	var rows []row
	for _, words := range pages {
		rows = append(rows, rowsOf(words)...)
	}
	return parse(rows), nil
}

// read finds the words of each page of a document.
func read(ctx context.Context, r Reader, data []byte, claimed string) ([][]Word, error) {
	kind, err := typeOf(data, claimed)
	if err != nil {
		return nil, err
	}
	if p, ok := r.(PDFReader); ok && kind == pdfType {
		return p.ReadPDF(ctx, data)
	}
	images, err := drawn(ctx, data, kind)
	if err != nil {
		return nil, err
	}
	var pages [][]Word
	for _, p := range images {
		words, err := upright(ctx, r, p)
		if err != nil {
			return nil, err
		}
		pages = append(pages, words)
	}
	return pages, nil
}

// sure is the mean confidence above which a page is taken to stand upright.
const sure = 0.75

// upright reads a page in the direction in which it is read best.
func upright(ctx context.Context, r Reader, page *image.Gray) ([]Word, error) {
	var best []Word
	var most float64
	for turn := range 4 {
		if turn > 0 {
			page = quarter(page)
		}
		words, err := r.Read(ctx, page)
		if err != nil {
			return nil, err
		}
		mean, letters := quality(words)
		if worth := mean * float64(letters); turn == 0 || worth > most {
			best, most = words, worth
		}
		if mean >= sure && letters >= 20 {
			break
		}
	}
	return best, nil
}

// quality is the mean confidence of the words of a page, by their length, and how many characters they have.
func quality(words []Word) (mean float64, letters int) {
	for _, w := range words {
		n := len([]rune(w.Text))
		mean += w.Confidence * float64(n)
		letters += n
	}
	if letters == 0 {
		return 0, 0
	}
	return mean / float64(letters), letters
}

func textOf(rows []row) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, r.text())
	}
	return language.Clip(strings.Join(lines, "\n"), maxText)
}
