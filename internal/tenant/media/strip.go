package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
)

var (
	errPNG  = errors.New("not the structure of a PNG file")
	errWebP = errors.New("not the structure of a WebP file")
	errGIF  = errors.New("not the structure of a GIF file")
)

// pngChunks are those that show: the image, its colours, its animation. Texts, times and
// Exif are not among them. https://www.w3.org/TR/png-3/#4Concepts.FormatTypes
var pngChunks = []string{
	"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI",
	"sBIT", "bKGD", "pHYs", "acTL", "fcTL", "fdAT",
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// stripPNG returns a PNG file with the chunks that show, and nothing after its end.
func stripPNG(data []byte) ([]byte, error) {
	rest, ok := bytes.CutPrefix(data, []byte(pngSignature))
	if !ok {
		return nil, errPNG
	}
	out := append(make([]byte, 0, len(data)), pngSignature...)
	for {
		if len(rest) < 12 {
			return nil, errPNG
		}
		n := 12 + uint64(binary.BigEndian.Uint32(rest))
		if n > uint64(len(rest)) {
			return nil, errPNG
		}
		kind := string(rest[4:8])
		if slices.Contains(pngChunks, kind) {
			out = append(out, rest[:n]...)
		}
		if kind == "IEND" {
			return out, nil
		}
		rest = rest[n:]
	}
}

// webpChunks are those that show. https://www.rfc-editor.org/rfc/rfc9649#section-2
var webpChunks = []string{"VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"}

// exifAndXMP are the bits of a VP8X chunk that announce what is taken off.
const exifAndXMP = 0x08 | 0x04

// stripWebP returns a WebP file with the chunks that show, and nothing after its end.
func stripWebP(data []byte) ([]byte, error) {
	if len(data) < 12 || string(data[:4]) != "RIFF" || string(data[8:12]) != "WEBP" {
		return nil, errWebP
	}
	end := 8 + uint64(binary.LittleEndian.Uint32(data[4:]))
	if end > uint64(len(data)) || end < 12 {
		return nil, errWebP
	}
	out := append(make([]byte, 0, len(data)), data[:12]...)
	for rest := data[12:end]; len(rest) > 0; {
		if len(rest) < 8 {
			return nil, errWebP
		}
		size := uint64(binary.LittleEndian.Uint32(rest[4:]))
		n := min(8+size+size%2, uint64(len(rest))) // some leave out the last filling byte
		if 8+size > uint64(len(rest)) {
			return nil, errWebP
		}
		if kind := string(rest[:4]); slices.Contains(webpChunks, kind) {
			at := len(out)
			out = append(out, rest[:n]...)
			if kind == "VP8X" && n > 8 {
				out[at+8] &^= exifAndXMP
			}
		}
		rest = rest[n:]
	}
	if len(out) == 12 {
		return nil, errWebP
	}
	binary.LittleEndian.PutUint32(out[4:], uint32(len(out)-8))
	return out, nil
}

// GIF's blocks, and the application extension that loops an animation. GIF89a, 12 to 26.
const (
	gifImage     = 0x2C
	gifExtension = 0x21
	gifTrailer   = 0x3B
	gifControl   = 0xF9 // timing and transparency of the next image
	gifApp       = 0xFF
	gifLoop      = "\x0BNETSCAPE2.0"
)

// stripGIF returns a GIF file with its images and their timing: no comments, no texts, no
// XMP, nothing after its end.
func stripGIF(data []byte) ([]byte, error) {
	if len(data) < 13 {
		return nil, errGIF
	}
	head := 13 + colourTable(data[10])
	if head > len(data) {
		return nil, errGIF
	}
	out := append(make([]byte, 0, len(data)), data[:head]...)
	for rest := data[head:]; len(rest) > 0; {
		n := gifBlock(rest)
		if n == 0 {
			return nil, errGIF
		}
		if rest[0] != gifExtension || rest[1] == gifControl || rest[1] == gifApp && bytes.HasPrefix(rest[2:], []byte(gifLoop)) {
			out = append(out, rest[:n]...)
		}
		if rest[0] == gifTrailer {
			return out, nil
		}
		rest = rest[n:]
	}
	return append(out, gifTrailer), nil // many lack it
}

// colourTable is the length of the table that a packed byte announces.
func colourTable(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

// gifBlock is the length of the block that b starts with; 0 if it has no end.
func gifBlock(b []byte) int {
	var at int
	switch {
	case b[0] == gifTrailer:
		return 1
	case b[0] == gifExtension && len(b) > 2:
		at = 2
	case b[0] == gifImage && len(b) > 10:
		at = 10 + colourTable(b[9]) + 1
	default:
		return 0
	}
	for at < len(b) { // sub-blocks up to an empty one
		n := int(b[at])
		at += 1 + n
		if n == 0 {
			return at
		}
	}
	return 0
}
