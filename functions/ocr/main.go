// Command ocr reads the pictures of marketplace requests.
package main

import (
	"merve/internal/app"
	"merve/internal/matter/quote/pdf"
)

func main() { app.Start(app.OCR(pdf.Split)) }
