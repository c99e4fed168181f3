// Package pdftest makes PDFs for tests.
package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// Document is a PDF of A4 pages, one for each text. A text is a line in Helvetica; "" leaves its page empty.
func Document(texts ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	b.WriteString("%PDF-1.4\n")
	object("<</Type/Catalog/Pages 2 0 R>>")
	var kids strings.Builder
	for i := range texts {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<</Type/Pages/Count %d/Kids[%s]>>", len(texts), kids.String())
	object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
	for _, text := range texts {
		page := len(at) + 1
		object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", page+1)
		content := ""
		if text != "" {
			content = fmt.Sprintf("BT /F 24 Tf 72 720 Td (%s) Tj ET", strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(text))
		}
		object("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}
