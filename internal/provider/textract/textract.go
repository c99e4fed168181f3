// Package textract reads the words of a page with Amazon Textract's AnalyzeExpense, for functions that run
// without tesseract. https://docs.aws.amazon.com/textract/latest/dg/API_AnalyzeExpense.html
//
// A [Reader] is an [ocr.Reader] of pictures, a [PDFReader] one of PDFs too. A call accepts a picture or a PDF of one page,
// so a PDF is split and each page is sent on its own. Only the words of the answer are used: its own table of an expense has
// labels in English only, and the arithmetic of a page must be checked in one place, no matter which reader read it.
package textract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/textract"
	"github.com/aws/aws-sdk-go-v2/service/textract/types"

	"merve/internal/base/fault"
	"merve/internal/matter/quote/ocr"
)

// Reader reads pages by Textract. Safe for concurrent use.
type Reader struct{ client *textract.Client }

// New returns a reader that calls the service of the configured region.
func New(cfg aws.Config) Reader { return Reader{textract.NewFromConfig(cfg)} }

// PDFReader is a [Reader] that takes PDFs as well, and needs no poppler.
type PDFReader struct {
	Reader
	Split func(ctx context.Context, pdf []byte) ([]ocr.Sheet, error)
}

// quality keeps the largest page that is read below what a call may carry, and small print legible.
const quality = 90

// Read finds the words of a page.
func (r Reader) Read(ctx context.Context, page *image.Gray) ([]ocr.Word, error) {
	var drawn bytes.Buffer
	if err := jpeg.Encode(&drawn, page, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("encode page: %w", err)
	}
	return r.analyze(ctx, drawn.Bytes(), page.Rect)
}

// ReadPDF finds the words of each page of a PDF.
func (r PDFReader) ReadPDF(ctx context.Context, data []byte) ([][]ocr.Word, error) {
	sheets, err := r.Split(ctx, data)
	if err != nil {
		return nil, err
	}
	var pages [][]ocr.Word
	for i, s := range sheets {
		words, err := r.analyze(ctx, s.PDF, s.Size)
		if err != nil {
			return nil, fmt.Errorf("page %d: %w", i+1, err)
		}
		pages = append(pages, words)
	}
	return pages, nil
}

// analyze has a document of one page read. size is that of the page in pixels.
func (r Reader) analyze(ctx context.Context, document []byte, size image.Rectangle) ([]ocr.Word, error) {
	out, err := r.client.AnalyzeExpense(ctx, &textract.AnalyzeExpenseInput{Document: &types.Document{Bytes: document}})
	if err != nil {
		return nil, refused(err)
	}
	var words []ocr.Word
	for _, d := range out.ExpenseDocuments {
		for _, b := range d.Blocks {
			if b.BlockType == types.BlockTypeWord && b.Geometry != nil && b.Geometry.BoundingBox != nil {
				words = append(words, ocr.Word{
					Text: aws.ToString(b.Text), Box: boxOf(b.Geometry.BoundingBox, size), Confidence: float64(aws.ToFloat32(b.Confidence)) / 100,
				})
			}
		}
	}
	return words, nil
}

// boxOf is a box in pixels. Textract tells it in parts of the page.
func boxOf(b *types.BoundingBox, page image.Rectangle) image.Rectangle {
	w, h := float32(page.Dx()), float32(page.Dy())
	return image.Rect(int(b.Left*w), int(b.Top*h), int((b.Left+b.Width)*w), int((b.Top+b.Height)*h))
}

// refused is the error of a call. A page that Textract does not take is not taken the next time either.
func refused(err error) error {
	var tooLarge *types.DocumentTooLargeException
	var bad *types.BadDocumentException
	var unsupported *types.UnsupportedDocumentException
	switch {
	case errors.As(err, &tooLarge):
		return fault.Wrap(err, fault.TooLarge, "the page is too large for Textract")
	case errors.As(err, &bad), errors.As(err, &unsupported):
		return fault.Wrap(err, fault.Invalid, "Textract cannot read the page")
	}
	return fault.Wrap(err, fault.Unavailable, "Textract is away")
}
