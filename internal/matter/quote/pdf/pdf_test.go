package pdf_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"

	"merve/internal/base/fault"
	"merve/internal/base/seedtest"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/quote/pdf"
	"merve/internal/matter/quote/pdf/pdftest"
)

// locked is a document that cannot be read without a password, or with "" one that can be read and not changed.
func locked(t *testing.T, document []byte, password string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := api.Encrypt(bytes.NewReader(document), &b, model.NewAESConfiguration(password, "owner", 256)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// packed is a document as most programs write it: its objects are compressed together.
func packed(t *testing.T, document []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := api.Optimize(bytes.NewReader(document), &b, model.NewDefaultConfiguration()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(b.Bytes(), []byte("/ObjStm")) {
		t.Fatal("the document's objects stand alone")
	}
	return b.Bytes()
}

// content is what a document of one page draws.
func content(t *testing.T, document []byte) string {
	t.Helper()
	file, err := api.ReadValidateAndOptimize(bytes.NewReader(document), model.NewDefaultConfiguration())
	if err != nil {
		t.Fatal(err)
	}
	if file.PageCount != 1 {
		t.Fatalf("%d pages", file.PageCount)
	}
	r, err := pdfcpu.ExtractPageContent(file, 1)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(drawn)
}

func TestSplit(t *testing.T) {
	t.Parallel()
	texts := []string{"Cable 2 x 10.00", "Pipe 3 x 4.50", "Total 33.50"}
	document := pdftest.Document(texts...)
	for name, data := range map[string][]byte{"as written": document, "packed": packed(t, document), "not to be changed": locked(t, document, "")} {
		sheets, err := pdf.Split(t.Context(), data)
		if err != nil || len(sheets) != len(texts) {
			t.Errorf("%s: %d pages, %v", name, len(sheets), err)
			continue
		}
		for i, s := range sheets {
			if drawn := content(t, s.PDF); !strings.Contains(drawn, texts[i]) {
				t.Errorf("%s: page %d draws %q", name, i+1, drawn)
			}
			if s.Size.Dy() != 3300 || s.Size.Dx() != 2331 { // A4 is 595 by 842 points
				t.Errorf("%s: page %d is %v", name, i+1, s.Size)
			}
		}
	}
}

func TestSplitRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data []byte
		want fault.Kind
		text string
	}{
		"many pages": {pdftest.Document(make([]string, ocr.MaxPages+1)...), fault.TooLarge, "11 pages: at most 10"},
		"encrypted":  {locked(t, pdftest.Document("secret"), "user"), fault.Invalid, "encrypted"},
		"no pages":   {pdftest.Document(), fault.Invalid, "no pages"},
		"nothing":    {[]byte("%PDF-1.4\nnothing"), fault.Invalid, "the PDF cannot be read"},
		"half":       {pdftest.Document("one")[:200], fault.Invalid, "the PDF"},
	} {
		if sheets, err := pdf.Split(t.Context(), test.data); !fault.Is(err, test.want) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %d pages, %v", name, len(sheets), err)
		}
	}
	if sheets, err := pdf.Split(t.Context(), pdftest.Document(make([]string, ocr.MaxPages)...)); err != nil || len(sheets) != ocr.MaxPages {
		t.Errorf("%d pages: %d, %v", ocr.MaxPages, len(sheets), err)
	}
}

// A damaged file is refused or split, and takes nothing down with it.
func TestSplitDamaged(t *testing.T) {
	t.Parallel()
	random := seedtest.Rand(t)
	whole := [][]byte{pdftest.Document("one", "two"), packed(t, pdftest.Document("one", "two"))}
	for range seedtest.Times(t, 50) {
		data := bytes.Clone(whole[random.IntN(len(whole))])
		for range 1 + random.IntN(8) {
			data[len("%PDF-1.4")+random.IntN(len(data)-len("%PDF-1.4"))] = byte(random.IntN(256))
		}
		if sheets, err := pdf.Split(t.Context(), data); err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%d pages, %v", len(sheets), err)
		}
	}
}
