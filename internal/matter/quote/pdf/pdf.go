// Package pdf takes PDFs apart, in Go alone, for functions that have no poppler at hand. It keeps nothing and draws
// nothing.
//
// The parser is foreign and so are the files: one can have it overflow its stack, which ends a process whatever it
// recovers from. So each file is parsed by this program started again, within bounds of time, memory and output. A file
// for which that process dies is damaged.
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

	"merve/internal/base/fault"
	"merve/internal/matter/quote/ocr"
)

// height is what the longer side of a page is taken to have: A4 at 280 dpi.
const height = 3300

// split does the work of [Split], in the process that it may take down.
func split(data []byte) (sheets []ocr.Sheet, err error) {
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
		if len(alone) > ocr.MaxBytes {
			return nil, fault.New(fault.TooLarge, "page %d of the PDF is larger than %d MB", i+1, ocr.MaxBytes>>20)
		}
		scale := height / max(sizes[i].Width, sizes[i].Height, 1)
		sheets = append(sheets, ocr.Sheet{PDF: alone, Size: image.Rect(0, 0, int(sizes[i].Width*scale), int(sizes[i].Height*scale))})
	}
	return sheets, nil
}
