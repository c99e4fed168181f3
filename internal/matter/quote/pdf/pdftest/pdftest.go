// Package pdftest makes PDFs for tests.
package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// Document is a PDF of A4 pages, one for each text. A text is a line in Helvetica; "" leaves its page empty.
func Document(texts ...string) []byte {
	var kids strings.Builder
	for i := range texts {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>",
		fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(texts), kids.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
	}
	for _, text := range texts {
		page := len(objects) + 1
		content := ""
		if text != "" {
			content = fmt.Sprintf("BT /F 24 Tf 72 720 Td (%s) Tj ET", strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(text))
		}
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", page+1),
			Stream("", content))
	}
	return File(objects...)
}

// File is a PDF of objects, well formed or not. They are numbered from 1, which is the catalog.
func File(objects ...string) []byte {
	var b bytes.Buffer
	var at []int
	b.WriteString("%PDF-1.4\n")
	for i, object := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

// Stream is an object that is a stream, whose dictionary has more entries than its length.
func Stream(entries, content string) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(content), content)
}
