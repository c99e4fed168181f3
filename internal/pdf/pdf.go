// Package pdf takes PDFs apart, in Go alone, for functions that have no poppler beside them. It keeps nothing and draws
// nothing.
//
// Its parser is large: only the function that reads pictures carries it, so nothing else imports this package.
package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"io"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"merve/internal/fault"
	"merve/internal/ocr"
)

// height is what the longer side of a page is taken to have: A4 at 280 dpi.
const height = 3300

// The parser would write settings of its own to the home directory, which a function has not got.
func init() { api.DisableConfigDir() }

// Split makes each page of a PDF a PDF of its own. It refuses what has more than [ocr.MaxPages] and what needs a
// password. The parser is foreign and so is the file: where it panics, the file is damaged.
func Split(data []byte) (sheets []ocr.Sheet, err error) {
	defer func() {
		if p := recover(); p != nil {
			sheets, err = nil, fault.Wrap(fmt.Errorf("panic: %v", p), fault.Invalid, "the PDF is damaged")
		}
	}()
	settings := model.NewDefaultConfiguration()
	settings.Cmd = model.EXTRACTPAGES
	file, err := api.ReadContext(bytes.NewReader(data), settings)
	switch {
	case errors.Is(err, pdfcpu.ErrWrongPassword):
		return nil, fault.Wrap(err, fault.Invalid, "the PDF is encrypted")
	case err != nil:
		return nil, fault.Wrap(err, fault.Invalid, "the PDF cannot be read")
	}
	if err := file.EnsurePageCount(); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the PDF is damaged")
	}
	switch {
	case file.PageCount < 1:
		return nil, fault.New(fault.Invalid, "the PDF has no pages")
	case file.PageCount > ocr.MaxPages:
		return nil, fault.New(fault.TooLarge, "the PDF has %d pages: at most %d are read", file.PageCount, ocr.MaxPages)
	}
	sizes, err := file.PageDims()
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the PDF is damaged")
	}
	for i := range file.PageCount {
		page, err := api.ExtractPage(file, i+1)
		if err != nil {
			return nil, fault.Wrap(err, fault.Invalid, "page %d of the PDF cannot be read", i+1)
		}
		alone, err := io.ReadAll(page)
		if err != nil {
			return nil, fmt.Errorf("split PDF: %w", err)
		}
		scale := height / max(sizes[i].Width, sizes[i].Height, 1)
		sheets = append(sheets, ocr.Sheet{PDF: alone, Size: image.Rect(0, 0, int(sizes[i].Width*scale), int(sizes[i].Height*scale))})
	}
	return sheets, nil
}
