// Package mediatest gives tests a bucket of their own, and photos.
package mediatest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"merve/infra/local/bucket"
)

// Bucket is the name of the bucket behind [Endpoint].
const Bucket = "media-test"

// Endpoint starts an S3 in memory with an empty bucket, and returns its address. Any
// credentials will do.
func Endpoint(t testing.TB) string {
	t.Helper()
	s, err := bucket.Start(t.Context(), bucket.Options{Buckets: []string{Bucket}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s.URL
}

// Picture is red above and blue below, with a white upper left corner: one can see how it
// is turned.
func Picture(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			switch {
			case x < width/4 && y < height/4:
				m.SetRGBA(x, y, color.RGBA{255, 255, 255, 255})
			case y < height/2:
				m.SetRGBA(x, y, color.RGBA{255, 0, 0, 255})
			default:
				m.SetRGBA(x, y, color.RGBA{0, 0, 255, 255})
			}
		}
	}
	return m
}

// JPEG is a photo of that many pixels, without metadata.
func JPEG(t testing.TB, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, Picture(width, height), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Secret is what a photo that was [Located] tells and nobody is to see.
const Secret = "SECRET-PLACE"

// Located is a JPEG photo as a phone makes it: with Exif that says how to turn it and
// where it was taken, and with Secret in XMP, IPTC, a preview, a comment, and after the image's end.
func Located(photo []byte, orientation int) []byte {
	tiff := []byte("II\x2A\x00\x08\x00\x00\x00")
	le := binary.LittleEndian
	entry := func(tag, kind uint16, count, value uint32) {
		tiff = le.AppendUint16(tiff, tag)
		tiff = le.AppendUint16(tiff, kind)
		tiff = le.AppendUint32(tiff, count)
		tiff = le.AppendUint32(tiff, value)
	}
	tiff = le.AppendUint16(tiff, 2)
	entry(0x0112, 3, 1, uint32(orientation))
	entry(0x8825, 4, 1, 38) // the GPS directory
	tiff = le.AppendUint32(tiff, 0)
	tiff = append(tiff, Secret...)
	var segments []byte
	add := func(mark byte, body string) {
		segments = append(segments, 0xFF, mark)
		segments = binary.BigEndian.AppendUint16(segments, uint16(len(body)+2))
		segments = append(segments, body...)
	}
	add(0xE0, "JFXX\x00\x10"+Secret)
	add(0xE1, "Exif\x00\x00"+string(tiff))
	add(0xE1, "http://ns.adobe.com/xap/1.0/\x00"+Secret)
	add(0xE2, "MPF\x00"+Secret)
	add(0xED, "Photoshop 3.0\x00"+Secret)
	add(0xFE, Secret)
	out := append(append([]byte{0xFF, 0xD8}, segments...), photo[2:]...)
	return append(out, Secret...)
}

// PNGChunk is a chunk of a PNG file.
func PNGChunk(kind string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, kind...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// HEIC is the frame of a HEIC file: no image that could be shown, but Exif and XMP with
// Secret in them, one in the media data and one in the meta box, and a film of a phone's.
func HEIC() []byte {
	frame := func(offset uint32) []byte {
		item := func(id byte, kind, more string) []byte {
			return box("infe", "\x02\x00\x00\x00\x00", string(id), "\x00\x00", kind, more)
		}
		info := box("iinf", "\x00\x00\x00\x00\x00\x03", string(item(1, "hvc1", "\x00")), string(item(2, "Exif", "\x00")), string(item(3, "mime", "\x00application/rdf+xml\x00")))
		at := func(id, method byte, offset, length uint32) string {
			b := []byte{0, id, 0, method, 0, 0, 0, 1}
			b = binary.BigEndian.AppendUint32(b, offset)
			return string(binary.BigEndian.AppendUint32(b, length))
		}
		n := uint32(len(Secret))
		loc := box("iloc", "\x01\x00\x00\x00\x44\x00\x00\x03", at(1, 0, offset, 6), at(2, 0, offset+6, n), at(3, 1, 0, n))
		meta := box("meta", "\x00\x00\x00\x00", string(info), string(loc), string(box("idat", Secret)), string(box("uuid", Secret)))
		head := append(box("ftyp", "heic\x00\x00\x00\x00mif1heic"), meta...)
		return append(append(head, box("mdat", "PIXELS", Secret)...), box("mpvd", Secret)...)
	}
	return frame(uint32(bytes.Index(frame(0), []byte("PIXELS"))))
}

func box(kind string, parts ...string) []byte {
	n := 8
	for _, p := range parts {
		n += len(p)
	}
	out := binary.BigEndian.AppendUint32(nil, uint32(n))
	out = append(out, kind...)
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}
