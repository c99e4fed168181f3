package media

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"image/png"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/tenant/media/mediatest"
)

// photos are files of every type that is taken, each with a secret in every place that its
// format has for one.
func photos(t testing.TB) map[string][]byte {
	t.Helper()
	return map[string][]byte{
		jpegType: mediatest.Located(mediatest.JPEG(t, 40, 30), 6),
		pngType:  pngFile(t),
		webpType: webpFile(),
		gifType:  gifFile(t),
		heicType: mediatest.HEIC(),
	}
}

func pngFile(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, mediatest.Picture(40, 30)); err != nil {
		t.Fatal(err)
	}
	const head = 33 // signature and IHDR
	b := out.Bytes()
	file := append([]byte{}, b[:head]...)
	for _, kind := range []string{"tEXt", "iTXt", "zTXt", "eXIf", "tIME", "prVt"} {
		file = append(file, mediatest.PNGChunk(kind, []byte(mediatest.Secret))...)
	}
	return append(append(file, b[head:]...), mediatest.Secret...)
}

func webpFile() []byte {
	chunk := func(kind, body string) string {
		b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body)))
		return string(append(append(b, body...), make([]byte, len(body)%2)...))
	}
	body := "WEBP" + chunk("VP8X", "\x0C\x00\x00\x00\x01\x00\x00\x01\x00\x00") + chunk("VP8 ", "pixel") +
		chunk("EXIF", mediatest.Secret) + chunk("XMP ", mediatest.Secret+"1") + chunk("ZZZZ", mediatest.Secret)
	return []byte("RIFF" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body + mediatest.Secret)
}

func gifFile(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := gif.Encode(&out, mediatest.Picture(40, 30), nil); err != nil {
		t.Fatal(err)
	}
	b := out.Bytes()
	head := 13 + colourTable(b[10])
	sub := string([]byte{byte(len(mediatest.Secret))}) + mediatest.Secret + "\x00"
	file := string(b[:head]) + "\x21\xFE" + sub + "\x21\xFF\x0BXMP DataXMP" + sub + "\x21\xFF\x0BNETSCAPE2.0\x03\x01\x00\x00\x00" + string(b[head:])
	return []byte(file + mediatest.Secret)
}

func TestExamineTakesMetadataOff(t *testing.T) {
	t.Parallel()
	for kind, file := range photos(t) {
		got, err := examine(file)
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if got.kind != kind {
			t.Errorf("%s: examined as %s", kind, got.kind)
		}
		if bytes.Contains(got.data, []byte(mediatest.Secret)) {
			t.Errorf("%s: the secret is still there", kind)
		}
		again, err := examine(got.data)
		if err != nil || !bytes.Equal(again.data, got.data) {
			t.Errorf("%s: examining again changes it: %v", kind, err)
		}
		if kind == webpType || kind == heicType {
			continue
		}
		if diff := cmp.Diff(decode(t, file), decode(t, got.data)); diff != "" {
			t.Errorf("%s: other pixels", kind)
		}
	}
}

func TestWhatIsNeededToShowStays(t *testing.T) {
	t.Parallel()
	webp, err := stripWebP(webpFile())
	if err != nil || !bytes.Contains(webp, []byte("pixel")) || webp[20] != 0 || int(binary.LittleEndian.Uint32(webp[4:]))+8 != len(webp) {
		t.Errorf("WebP: %q, %v", webp, err)
	}
	heic, err := stripHEIC(mediatest.HEIC())
	if err != nil || !bytes.Contains(heic, []byte("PIXELS")) || len(heic) != len(mediatest.HEIC()) || bytes.Contains(heic, []byte("mpvd")) {
		t.Errorf("HEIC: %q, %v", heic, err)
	}
	moving, err := stripGIF(gifFile(t))
	if err != nil || !bytes.Contains(moving, []byte("NETSCAPE2.0")) {
		t.Errorf("GIF: its animation is gone: %v", err)
	}
	jfif := segment(markAPP0, "JFIF\x00\x01\x02\x00\x00\x01\x00\x01\x00\x00")
	profile := segment(markAPP2, "ICC_PROFILE\x00\x01\x01colours")
	adobe := segment(markAPP14, "Adobe\x00\x64\x00\x00\x00\x00\x01")
	plain := mediatest.JPEG(t, 8, 8)
	shown, err := stripJPEG(slices.Concat(plain[:2], jfif, profile, adobe, plain[2:]))
	if err != nil || !bytes.Contains(shown, jfif) || !bytes.Contains(shown, profile) || !bytes.Contains(shown, adobe) {
		t.Errorf("JPEG: its measures or colours are gone: %v", err)
	}
}

func segment(mark byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xFF, mark}, uint16(len(body)+2)), body...)
}

func TestOrientationStays(t *testing.T) {
	t.Parallel()
	for o := range 10 {
		want := o
		if o < 2 || o > 8 {
			want = 0 // upright, or nonsense
		}
		file, err := stripJPEG(mediatest.Located(mediatest.JPEG(t, 8, 8), o))
		if err != nil {
			t.Fatal(err)
		}
		if got := orientationOf(file); got != want {
			t.Errorf("orientation %d became %d", o, got)
		}
	}
	motorola := orientationSegment(8)
	if got := exifOrientation(motorola[4:]); got != 8 {
		t.Errorf("big-endian orientation: %d", got)
	}
}

func TestUpright(t *testing.T) {
	t.Parallel()
	tests := map[int]struct{ w, h, x, y int }{ // size, and where the white corner goes
		1: {40, 20, 2, 2}, 2: {40, 20, 37, 2}, 3: {40, 20, 37, 17}, 4: {40, 20, 2, 17},
		5: {20, 40, 2, 2}, 6: {20, 40, 17, 2}, 7: {20, 40, 17, 37}, 8: {20, 40, 2, 37},
	}
	for o, want := range tests {
		m := upright(mediatest.Picture(40, 20), o)
		if m.Rect.Dx() != want.w || m.Rect.Dy() != want.h {
			t.Errorf("orientation %d: size %v", o, m.Rect)
			continue
		}
		if c := m.RGBAAt(want.x, want.y); c.R != 255 || c.G != 255 || c.B != 255 {
			t.Errorf("orientation %d: %v at (%d,%d), want white", o, c, want.x, want.y)
		}
	}
}

func TestExamineRefuses(t *testing.T) {
	t.Parallel()
	jpegFile, pngHead := mediatest.JPEG(t, 8, 8), []byte(pngSignature)
	huge := binary.BigEndian.AppendUint32(nil, 60_000)
	huge = append(binary.BigEndian.AppendUint32(huge, 60_000), 8, 2, 0, 0, 0)
	bomb := append(append(pngHead, mediatest.PNGChunk("IHDR", huge)...), mediatest.PNGChunk("IEND", nil)...)
	tests := map[string]struct {
		file []byte
		kind fault.Kind
	}{
		"nothing":               {nil, fault.Invalid},
		"HTML":                  {[]byte("<html><script>alert(1)</script>"), fault.Invalid},
		"SVG":                   {[]byte(`<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`), fault.Invalid},
		"PDF":                   {[]byte("%PDF-1.7"), fault.Invalid},
		"packed":                {[]byte("\x1f\x8b\x08rest"), fault.Invalid},
		"bitmap":                {[]byte("BM1234"), fault.Invalid},
		"AVIF":                  {bytes.Replace(mediatest.HEIC(), []byte("heic"), []byte("avif"), 1), fault.Invalid},
		"film":                  {[]byte("\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isommp42"), fault.Invalid},
		"HTML as GIF":           {[]byte("GIF89a<script>alert(1)</script>"), fault.Invalid},
		"HTML in HTML's JPEG":   {append([]byte{0xFF, 0xD8, 0xFF}, "<script>"...), fault.Invalid},
		"JPEG cut in a segment": {jpegFile[:30], fault.Invalid},
		"JPEG cut in a length":  {[]byte{0xFF, markSOI, 0xFF, markAPP1, 0}, fault.Invalid},
		"PNG without end":       {pngFile(t)[:60], fault.Invalid},
		"GIF cut in its head":   {gifFile(t)[:12], fault.Invalid},
		"WebP that is short":    {webpFile()[:40], fault.Invalid},
		"WebP without an image": {[]byte("RIFF\x0C\x00\x00\x00WEBPVP9 \x00\x00\x00\x00"), fault.Invalid},
		"WebP, a long chunk":    {[]byte("RIFF\x0E\x00\x00\x00WEBPVP8 \x04\x00\x00\x00ab"), fault.Invalid},
		"WebP, half a chunk":    {[]byte("RIFF\x12\x00\x00\x00WEBPVP8 \x02\x00\x00\x00abALPH"), fault.Invalid},
		"HEIC without meta":     {[]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"), fault.Invalid},
		"bomb":                  {bomb, fault.TooLarge},
	}
	for name, tt := range tests {
		if _, err := examine(tt.file); !fault.Is(err, tt.kind) {
			t.Errorf("%s: %v, want %s", name, err, tt.kind)
		}
	}
}

// Each format is taken for what it is alone, though nobody has looked before.
func TestStripRefusesOthers(t *testing.T) {
	t.Parallel()
	for kind, strip := range map[string]func([]byte) ([]byte, error){jpegType: stripJPEG, pngType: stripPNG, webpType: stripWebP, gifType: stripGIF, heicType: stripHEIC} {
		for other, file := range photos(t) {
			if _, err := strip(file); (err == nil) != (kind == other) {
				t.Errorf("%s as %s: %v", other, kind, err)
			}
		}
		if _, err := strip(nil); err == nil {
			t.Errorf("nothing as %s: taken", kind)
		}
	}
	if _, err := stripPNG(pngFile(t)[len(pngSignature):]); err == nil {
		t.Error("a PNG file without its signature: taken")
	}
}

// A photo that lost its end on the way is shown as far as it goes.
func TestJPEGCutInTheImage(t *testing.T) {
	t.Parallel()
	file := mediatest.JPEG(t, 64, 64)
	got, err := stripJPEG(file[:len(file)-40])
	if err != nil || !bytes.HasSuffix(got, []byte{0xFF, markEOI}) {
		t.Errorf("%v", err)
	}
}

// HEIC whose places do not add up is refused: what is not found cannot be taken off.
func TestHEICRefused(t *testing.T) {
	t.Parallel()
	swap := func(old, new string) []byte {
		file := string(mediatest.HEIC())
		if !strings.Contains(file, old) {
			t.Fatalf("no %q in the file", old)
		}
		return []byte(strings.Replace(file, old, new, 1))
	}
	tests := map[string][]byte{
		"no places":          swap("iloc", "ilok"),
		"no items":           swap("iinf", "iinv"),
		"old items":          swap("infe\x02", "infe\x01"),
		"newer places":       swap("iloc\x01", "iloc\x03"),
		"other numbers":      swap("\x00\x02\x00\x00\x00\x00\x00\x01", "\x00\x09\x00\x00\x00\x00\x00\x01"),
		"built of items":     swap("\x00\x02\x00\x00\x00\x00\x00\x01", "\x00\x02\x00\x02\x00\x00\x00\x01"),
		"in another file":    swap("\x00\x02\x00\x00\x00\x00\x00\x01", "\x00\x02\x00\x00\x00\x01\x00\x01"),
		"meta data too long": swap("meta", "metb"),
		"items cut":          swap("\x15infe\x02\x00\x00\x00\x00\x02\x00\x00Exif\x00", "\x0cinfe\x02\x00\x00\x00\x00\x00\x00\x09infe\x02"),
		"half a box":         append(mediatest.HEIC(), "\x00\x00\x00"...),
	}
	for name, file := range tests {
		if _, err := stripHEIC(file); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A file cannot ask for more than its size is worth: pieces of items that are told without a byte
// each, or lie over each other, and boxes of nothing. Not at the same time as others, whose memory
// would count.
func TestHEICIsBounded(t *testing.T) {
	b32 := func(n int) string { return string(binary.BigEndian.AppendUint32(nil, uint32(n))) }
	box := func(kind, body string) string { return b32(8+len(body)) + kind + body }
	// file has items 1, a picture, and 2, Exif, in the places of an iloc.
	file := func(places string) string {
		items := box("infe", "\x02\x00\x00\x00\x00\x01\x00\x00hvc1\x00") + box("infe", "\x02\x00\x00\x00\x00\x02\x00\x00Exif\x00")
		meta := box("iinf", "\x00\x00\x00\x00\x00\x02"+items) + box("idat", mediatest.Secret) + box("iloc", "\x01\x00\x00\x00"+places)
		return box("ftyp", "heic\x00\x00\x00\x00mif1heic") + box("meta", "\x00\x00\x00\x00"+meta)
	}
	exif := func(n int) string { // the first byte of idat, n times
		return "\x00\x02\x00\x01\x00\x00" + string(binary.BigEndian.AppendUint16(nil, uint16(n))) + strings.Repeat("\x01", n)
	}
	few := file("\x01\x00\x00\x01" + exif(100))
	for name, tt := range map[string]struct {
		file  string
		taken bool
	}{
		"few pieces":            {few, true},
		"many pieces":           {file("\x01\x00\x00\x01" + exif(101)), false},
		"pieces without a byte": {file("\x00\x00\x00\x64" + strings.Repeat("\x00\x02\x00\x01\x00\x00\xff\xff", 100)), false},
		"a picture of such":     {strings.Replace(file("\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\xff\xff"), "Exif", "hvc1", 1), false},
		"few boxes":             {few + strings.Repeat(box("free", ""), 9_998), true},
		"many boxes":            {few + strings.Repeat(box("free", ""), 1<<20), false},
	} {
		var before, after runtime.MemStats
		data := []byte(tt.file)
		runtime.ReadMemStats(&before)
		_, err := stripHEIC(data)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; (err == nil) != tt.taken || took > 8<<20 {
			t.Errorf("%s: %d bytes for a file of %d, %v", name, took, len(data), err)
		}
	}
}

func TestSmaller(t *testing.T) {
	t.Parallel()
	file, err := stripJPEG(mediatest.Located(mediatest.JPEG(t, 2100, 700), 6))
	if err != nil {
		t.Fatal(err)
	}
	small, err := smaller(file, maxUnfolded)
	if err != nil {
		t.Fatal(err)
	}
	m := decode(t, small)
	if got := m.Bounds().Size(); got != image.Pt(233, 700) {
		t.Errorf("size %v, want a third, upright", got)
	}
	r, g, b, _ := m.At(220, 20).RGBA()
	if r>>8 < 240 || g>>8 < 240 || b>>8 < 240 {
		t.Errorf("upper right is %d %d %d, want white", r>>8, g>>8, b>>8)
	}
	r, _, b, _ = m.At(20, 600).RGBA()
	if r>>8 > 15 || b>>8 < 240 {
		t.Errorf("lower left is red %d, blue %d, want blue", r>>8, b>>8)
	}
	if _, err := smaller(file[:200], maxUnfolded); !fault.Is(err, fault.Invalid) {
		t.Errorf("a damaged photo: %v", err)
	}
}

// The transparent is white, and a thin strip does not vanish.
func TestSmallerOfOddPhotos(t *testing.T) {
	t.Parallel()
	var clear bytes.Buffer
	if err := png.Encode(&clear, image.NewNRGBA(image.Rect(0, 0, 3000, 1))); err != nil {
		t.Fatal(err)
	}
	small, err := smaller(clear.Bytes(), 3000)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := smaller(clear.Bytes(), 2999); !fault.Is(err, fault.TooLarge) {
		t.Errorf("more pixels than are unfolded: %v", err)
	}
	m := decode(t, small)
	if r, _, _, _ := m.At(5, 0).RGBA(); m.Bounds().Size() != image.Pt(1000, 1) || r>>8 < 250 {
		t.Errorf("size %v, red %d", m.Bounds(), r>>8)
	}
}

func decode(t testing.TB, file []byte) image.Image {
	t.Helper()
	m, _, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Whatever a file holds, examining it ends, and a photo that comes out is of the same type
// and comes out of a second examination as it is.
func FuzzExamine(f *testing.F) {
	for _, file := range photos(f) {
		f.Add(file)
		f.Add(file[:len(file)/2])
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := examine(file)
		if err != nil {
			if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
				t.Fatalf("an error of kind %s", fault.KindOf(err))
			}
			return
		}
		again, err := examine(got.data)
		if err != nil || again.kind != got.kind || !bytes.Equal(again.data, got.data) {
			t.Fatalf("examined again it is %s, %v", again.kind, err)
		}
	})
}

// The orientation is all that is left of Exif.
func FuzzStripJPEG(f *testing.F) {
	for _, o := range []int{0, 1, 6} {
		f.Add(mediatest.Located(mediatest.JPEG(f, 16, 16), o))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		out, err := stripJPEG(file)
		if err != nil {
			return
		}
		for rest := out[2:]; ; {
			mark, segment, after, err := nextSegment(rest)
			switch {
			case err != nil:
				t.Fatal(err)
			case mark == markAPP1 && !bytes.Equal(segment, orientationSegment(exifOrientation(segment[4:]))):
				t.Fatalf("an Exif segment of %d bytes", len(segment))
			case mark == markCOM, mark > markAPP2 && mark < markAPP14, mark == markAPP15:
				t.Fatalf("a segment %#x", mark)
			case mark == markSOS:
				after = after[scanLength(after):]
			case mark == markEOI:
				if len(after) > 0 {
					t.Fatal("something after the end")
				}
				return
			}
			rest = after
		}
	})
}
