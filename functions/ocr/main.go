// Command ocr reads the pictures of marketplace requests.
package main

import "merve/internal/app"

func main() { app.Start(app.OCR) }
