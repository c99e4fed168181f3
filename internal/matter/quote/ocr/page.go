package ocr

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // these three are decoded
	_ "image/jpeg"
	"image/png"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"merve/internal/base/fault"
)

// Limits of a document.
const (
	MaxPages  = 10
	maxPixels = 24_000_000 // of a page: A4 at 600 dpi has 35, and is read no better than at 300
	MaxBytes  = 10 << 20
)

const pdfType = "application/pdf"

// types are the documents that are read, by content type.
var types = []string{"image/jpeg", "image/png", "image/gif", pdfType}

// Reads reports whether documents of a content type are read.
func Reads(claimed string) bool {
	kind, _, err := mime.ParseMediaType(claimed)
	return err == nil && slices.Contains(types, kind)
}

// typeOf is the content type of a document, which is what its bytes say and what was claimed.
func typeOf(data []byte, claimed string) (string, error) {
	kind := http.DetectContentType(data)
	said, _, err := mime.ParseMediaType(claimed)
	switch {
	case len(data) > MaxBytes:
		return "", fault.New(fault.TooLarge, "the file is larger than %d MB", MaxBytes>>20)
	case !slices.Contains(types, kind):
		return "", fault.New(fault.Invalid, "the file is %s: want JPEG, PNG, GIF or PDF", kind)
	case err != nil || said != kind:
		return "", fault.New(fault.Invalid, "the file was sent as %q and is %s", claimed, kind)
	}
	return kind, nil
}

// drawn returns the pages of a document, in grey.
func drawn(ctx context.Context, data []byte, kind string) ([]*image.Gray, error) {
	if kind == pdfType {
		return pdfPages(ctx, data)
	}
	page, err := decode(data)
	if err != nil {
		return nil, err
	}
	return []*image.Gray{page}, nil
}

// decode unpacks a picture, if its size allows that.
func decode(data []byte) (*image.Gray, error) {
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fault.Wrap(err, fault.Invalid, "the picture is damaged")
	case size.Width < 1 || size.Height < 1 || size.Width > maxPixels/size.Height:
		return nil, fault.New(fault.TooLarge, "the picture has more than %d megapixels", maxPixels/1_000_000)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the picture is damaged")
	}
	grey := image.NewGray(image.Rect(0, 0, size.Width, size.Height))
	draw.Draw(grey, grey.Rect, image.White, image.Point{}, draw.Src) // what is transparent is paper
	draw.Draw(grey, grey.Rect, img, img.Bounds().Min, draw.Over)
	return grey, nil
}

// What the tools of poppler may use.
const (
	pdfTime   = 30 * time.Second
	pdfMemory = 1 << 20 // KB
	pdfHeight = 3300    // pixels of the longer side: A4 at 280 dpi
)

var pagesLine = regexp.MustCompile(`(?m)^Pages:\s+([0-9]+)`)

// pdfPages draws the pages of a PDF. Its parser runs in a process of its own, with bounds on time and memory, in a
// directory that is removed.
func pdfPages(ctx context.Context, data []byte) (pages []*image.Gray, err error) {
	dir, err := os.MkdirTemp("", "ocr")
	if err != nil {
		return nil, fmt.Errorf("draw PDF: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "in.pdf")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return nil, fmt.Errorf("draw PDF: %w", err)
	}
	info, err := run(ctx, pdfTime, pdfMemory, nil, "pdfinfo", file)
	if err != nil {
		return nil, damaged(err)
	}
	count := pagesLine.FindSubmatch(info)
	if count == nil {
		return nil, fault.New(fault.Invalid, "the PDF is damaged")
	}
	if n, err := strconv.Atoi(string(count[1])); err != nil || n > MaxPages {
		return nil, fault.New(fault.TooLarge, "the PDF has %s pages: at most %d are read", count[1], MaxPages)
	}
	scale := strconv.Itoa(pdfHeight)
	if _, err := run(ctx, pdfTime, pdfMemory, nil, "pdftoppm", "-gray", "-png", "-scale-to", scale, "-l", strconv.Itoa(MaxPages), file, filepath.Join(dir, "page")); err != nil {
		return nil, damaged(err)
	}
	names, err := filepath.Glob(filepath.Join(dir, "page-*.png"))
	if err != nil || len(names) == 0 {
		return nil, fault.New(fault.Invalid, "the PDF has no pages")
	}
	slices.Sort(names)
	for _, name := range names {
		drawn, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("draw PDF: %w", err)
		}
		page, err := decode(drawn)
		if err != nil {
			return nil, err
		}
		pages = append(pages, page)
	}
	return pages, nil
}

// damaged is the error of a tool that could not read a PDF. A missing tool is another.
func damaged(err error) error {
	if fault.Is(err, fault.Unavailable) {
		return err
	}
	return fault.Wrap(err, fault.Invalid, "the PDF cannot be read")
}

// twice is a page at double size. Small print is read much better so.
func twice(p *image.Gray) *image.Gray {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, 2*w, 2*h))
	at := func(x, y int) int { return int(p.Pix[min(y, h-1)*p.Stride+min(x, w-1)]) }
	for y := range h {
		for x := range w {
			a, b, c, d := at(x, y), at(x+1, y), at(x, y+1), at(x+1, y+1)
			o := 2*y*out.Stride + 2*x
			out.Pix[o], out.Pix[o+1] = uint8(a), uint8((a+b)/2)
			out.Pix[o+out.Stride], out.Pix[o+out.Stride+1] = uint8((a+c)/2), uint8((a+b+c+d)/4)
		}
	}
	return out
}

// quarter is a page turned by a quarter, clockwise.
func quarter(p *image.Gray) *image.Gray {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, h, w))
	for y := range h {
		for x := range w {
			out.Pix[x*out.Stride+h-1-y] = p.Pix[y*p.Stride+x]
		}
	}
	return out
}

func encode(p *image.Gray) ([]byte, error) {
	var b bytes.Buffer
	fast := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := fast.Encode(&b, p); err != nil {
		return nil, fmt.Errorf("encode page: %w", err)
	}
	return b.Bytes(), nil
}
