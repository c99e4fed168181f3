package media

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Markers of JPEG. ITU-T T.81, table B.1.
const (
	markSOI   = 0xD8
	markEOI   = 0xD9
	markSOS   = 0xDA
	markAPP0  = 0xE0
	markAPP1  = 0xE1
	markAPP2  = 0xE2
	markAPP14 = 0xEE
	markAPP15 = 0xEF
	markCOM   = 0xFE
)

var errJPEG = errors.New("not the structure of a JPEG file")

// stripJPEG returns a JPEG file with what is needed to show it, and nothing else: of the
// application segments JFIF's, the colour profile and Adobe's colour transform; of Exif
// the orientation alone; nothing after the image's end, where phones append previews and
// films. Pixels are not touched.
func stripJPEG(data []byte) ([]byte, error) {
	if len(data) < 2 || data[0] != 0xFF || data[1] != markSOI {
		return nil, errJPEG
	}
	turned := orientationSegment(orientationOf(data))
	out := make([]byte, 0, len(data)+len(turned)+2)
	out = append(append(out, data[:2]...), turned...)
	for rest := data[2:]; ; {
		mark, segment, after, err := nextSegment(rest)
		if err != nil {
			return nil, err
		}
		if keepsSegment(mark, segment) {
			out = append(out, segment...)
		}
		if mark == markSOS {
			scan := scanLength(after)
			out, after = append(out, after[:scan]...), after[scan:]
			if len(after) == 0 { // cut off on its way; what is there can be shown
				return append(out, 0xFF, markEOI), nil
			}
		}
		if mark == markEOI {
			return out, nil
		}
		rest = after
	}
}

// orientationOf reads how a JPEG file is to be turned, 1 to 8; 0 if it does not say.
func orientationOf(data []byte) int {
	for rest := data[2:]; ; {
		mark, segment, after, err := nextSegment(rest)
		if err != nil || mark == markSOS || mark == markEOI {
			return 0
		}
		if mark == markAPP1 {
			if o := exifOrientation(segment[4:]); o > 0 {
				return o
			}
		}
		rest = after
	}
}

// nextSegment splits off the marker segment that b starts with, its marker included.
func nextSegment(b []byte) (mark byte, segment, after []byte, err error) {
	for len(b) > 1 && b[0] == 0xFF && b[1] == 0xFF { // fill bytes
		b = b[1:]
	}
	if len(b) < 2 || b[0] != 0xFF {
		return 0, nil, nil, errJPEG
	}
	mark = b[1]
	switch {
	case mark == markEOI, mark >= 0xD0 && mark <= 0xD7, mark == 0x01: // these stand alone
		return mark, b[:2], b[2:], nil
	case mark < 0xC0 || mark == markSOI || len(b) < 4:
		return 0, nil, nil, errJPEG
	}
	n := 2 + int(binary.BigEndian.Uint16(b[2:]))
	if n < 4 || n > len(b) {
		return 0, nil, nil, errJPEG
	}
	return mark, b[:n], b[n:], nil
}

func keepsSegment(mark byte, segment []byte) bool {
	switch {
	case mark == markAPP0:
		return bytes.HasPrefix(segment[4:], []byte("JFIF\x00"))
	case mark == markAPP2:
		return bytes.HasPrefix(segment[4:], []byte("ICC_PROFILE\x00"))
	case mark == markAPP14:
		return bytes.HasPrefix(segment[4:], []byte("Adobe"))
	}
	return mark != markCOM && (mark < markAPP0 || mark > markAPP15)
}

// scanLength is how long the image data goes on at the start of b: to the next marker
// that is neither a restart nor an escaped 0xFF.
func scanLength(b []byte) int {
	for i := 0; i+1 < len(b); i++ {
		if b[i] == 0xFF && b[i+1] != 0 && b[i+1] != 0xFF && (b[i+1] < 0xD0 || b[i+1] > 0xD7) {
			return i
		}
	}
	return len(b)
}

const (
	exifHeader     = "Exif\x00\x00"
	orientationTag = 0x0112
	shortType      = 3
)

// exifOrientation reads how a photo is to be turned, 1 to 8, from an Exif segment; 0 if it
// does not say. CIPA DC-008, 4.6.2 and 4.6.5.
func exifOrientation(segment []byte) int {
	tiff, ok := bytes.CutPrefix(segment, []byte(exifHeader))
	if !ok || len(tiff) < 8 {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 0
	}
	fields := tiff[at+2:]
	for n := order.Uint16(tiff[at:]); n > 0 && len(fields) >= 12; n-- {
		if order.Uint16(fields) == orientationTag && order.Uint16(fields[2:]) == shortType {
			if v := order.Uint16(fields[8:]); v >= 1 && v <= 8 {
				return int(v)
			}
			return 0
		}
		fields = fields[12:]
	}
	return 0
}

// orientationSegment is an Exif segment that says how to turn a photo and nothing else;
// empty when there is nothing to turn.
func orientationSegment(orientation int) []byte {
	if orientation < 2 {
		return nil
	}
	b := []byte{0xFF, markAPP1, 0, 0}
	b = append(b, exifHeader+"MM\x00\x2A\x00\x00\x00\x08"...)
	b = append(b, 0, 1, orientationTag>>8, orientationTag&0xFF, 0, shortType, 0, 0, 0, 1, 0, byte(orientation), 0, 0)
	b = append(b, 0, 0, 0, 0) // no further directory
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)-2))
	return b
}
