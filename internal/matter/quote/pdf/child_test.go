package pdf_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/matter/quote/ocr"
	"merve/internal/matter/quote/pdf"
	"merve/internal/matter/quote/pdf/pdftest"
)

// deflated is a text, packed.
func deflated(t testing.TB, text string) string {
	t.Helper()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.String()
}

// hostile are files that have killed a parser, kept it for ever or had it take all memory.
func hostile(t testing.TB) map[string][]byte {
	const catalog = "<</Type/Catalog/Pages 2 0 R>>"
	page := "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R>>"
	one := "<</Type/Pages/Count 1/Kids[3 0 R]>>"
	deep := strings.Repeat("[", 3<<20)
	nesting := strings.Replace(page, "[0 0 595 842]", " 5 0 R", 1)
	files := map[string][]byte{
		"a node that is its own child":   pdftest.File(catalog, "<</Type/Pages/Count 1/Kids[2 0 R]>>"),
		"a child that has its parent":    pdftest.File(catalog, one, "<</Type/Pages/Parent 2 0 R/Count 1/Kids[2 0 R]>>"),
		"a child that is its own parent": pdftest.File(catalog, one, "<</Type/Page/Parent 3 0 R/Contents 4 0 R>>", pdftest.Stream("", "")),
		"an object that is itself":       pdftest.File("1 0 R"),
		"objects that are each other":    pdftest.File(catalog, "3 0 R", "2 0 R"),
		"a length that is its stream":    pdftest.File(catalog, one, page, "<</Length 4 0 R>>\nstream\n\nendstream"),
		"nested arrays":                  pdftest.File(catalog, one, nesting, pdftest.Stream("", ""), deep),
		"nested arrays of kids":          pdftest.File(catalog, "<</Type/Pages/Count 1/Kids"+deep+">>"),
		"nested dictionaries":            pdftest.File(catalog, one, strings.Repeat("<</A", 1<<20), pdftest.Stream("", "")),
	}
	packed := deflated(t, strings.Repeat(" ", 600<<20))
	for name, stream := range map[string]string{
		"a bomb":           pdftest.Stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", packed),
		"a bomb in a bomb": pdftest.Stream("/Type/ObjStm/N 1/First 4/Filter[/FlateDecode/FlateDecode]", deflated(t, packed)),
	} {
		files[name] = pdftest.File(catalog, one, page, stream)
		// The same where a reader has to unpack it to find anything.
		table := strings.Replace(stream, "/ObjStm", "/XRef/Size 3/W[1 2 1]/Root 1 0 R", 1)
		files[name+" for a table"] = fmt.Appendf(nil, "%%PDF-1.5\n1 0 obj\n%s\nendobj\nstartxref\n9\n%%%%EOF\n", table)
	}
	table := pdftest.Stream("/Type/XRef/Size 2000000000/W[1 2 1]/Index[0 2000000000]/Root 1 0 R", "")
	files["a table of two thousand million"] = fmt.Appendf(nil, "%%PDF-1.5\n1 0 obj\n%s\nendobj\nstartxref\n9\n%%%%EOF\n", table)
	return files
}

// Each file that would kill or keep its reader is refused, and a good one is read afterwards.
func TestField85_FilesThatKillTheReader(t *testing.T) {
	t.Parallel()
	for name, data := range hostile(t) {
		sheets, err := pdf.Split(t.Context(), data)
		if len(data) > ocr.MaxBytes || !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s, %d bytes: %d pages, %v", name, len(data), len(sheets), err)
		}
		if strings.Contains(name, "bomb") && fault.Is(err, fault.Invalid) && !strings.Contains(err.Error(), "exit status") {
			t.Errorf("%s was unpacked: %v", name, err)
		}
	}
	if sheets, err := pdf.Split(t.Context(), pdftest.Document("one")); err != nil || len(sheets) != 1 {
		t.Errorf("a good one afterwards: %d pages, %v", len(sheets), err)
	}
}

// A document may be as large as any, and its pages may share what it is large by. No page may be larger.
func TestSplitLarge(t *testing.T) {
	t.Parallel()
	pages := func(count int, shared string) []byte {
		objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", shared}
		var kids strings.Builder
		for range count {
			objects = append(objects, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</I 3 0 R>>>>>>")
			fmt.Fprintf(&kids, "%d 0 R ", len(objects))
		}
		objects[1] = fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", count, kids.String())
		return pdftest.File(objects...)
	}
	const large = ocr.MaxBytes - 8<<10
	const picture = "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray"
	sheets, err := pdf.Split(t.Context(), pages(ocr.MaxPages, pdftest.Stream(picture, strings.Repeat("x", large))))
	if err != nil || len(sheets) != ocr.MaxPages || len(sheets[ocr.MaxPages-1].PDF) < large {
		t.Errorf("%d pages, %v", len(sheets), err)
	}
	figures := picture + "/Decode[" + strings.Repeat(".1 ", 1<<20) + "]" // are written with twelve digits
	sheets, err = pdf.Split(t.Context(), pages(1, pdftest.Stream(figures, "x")))
	if !fault.Is(err, fault.TooLarge) || !strings.Contains(err.Error(), "page 1 of the PDF is larger than 10 MB") {
		t.Errorf("%d pages, %v", len(sheets), err)
	}
}

// What takes too long is refused.
func TestSplitSlow(t *testing.T) {
	t.Parallel()
	if sheets, err := pdf.SplitWithin(t.Context(), pdftest.Document("one"), time.Millisecond); !fault.Is(err, fault.TooLarge) {
		t.Errorf("%d pages, %v", len(sheets), err)
	}
}

// A caller who waits no longer gets no pages.
func TestSplitLeft(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if sheets, err := pdf.Split(ctx, pdftest.Document("one")); !errors.Is(err, context.Canceled) {
		t.Errorf("%d pages, %v", len(sheets), err)
	}
}

// A foreign file is split, or refused with words for who sent it.
func FuzzSplit(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		sheets, err := pdf.Split(t.Context(), data)
		switch {
		case err != nil && !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge):
			t.Error(err)
		case err == nil && (len(sheets) < 1 || len(sheets) > ocr.MaxPages):
			t.Errorf("%d pages", len(sheets))
		}
	})
}
