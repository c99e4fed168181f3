package media

import (
	"bytes"
	"image"
	_ "image/gif" // these three are decoded, for their size and to make them smaller
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"slices"

	"merve/internal/base/fault"
)

// types are the photos that are taken, by content type.
var types = []string{jpegType, pngType, webpType, gifType, heicType}

const (
	jpegType = "image/jpeg"
	pngType  = "image/png"
	webpType = "image/webp"
	gifType  = "image/gif"
	heicType = "image/heic"
)

// maxPixels bounds what a few bytes may unfold to.
const maxPixels = 100_000_000

// photo is bytes that were found to be a photo, without what they told about the person.
type photo struct {
	kind string // content type, by the bytes and not by what anybody said
	data []byte
}

// examine finds out what data is, refuses what is no photo, and takes off what it tells
// about where and by whom it was made.
func examine(data []byte) (photo, error) {
	kind := kindOf(data)
	if !slices.Contains(types, kind) {
		return photo{}, fault.New(fault.Invalid, "the file is not a photo: want JPEG, PNG, WebP, GIF or HEIC")
	}
	strip := map[string]func([]byte) ([]byte, error){
		jpegType: stripJPEG, pngType: stripPNG, webpType: stripWebP, gifType: stripGIF, heicType: stripHEIC,
	}[kind]
	data, err := strip(data)
	if err != nil {
		return photo{}, fault.Wrap(err, fault.Invalid, "the photo is damaged")
	}
	if kind == webpType || kind == heicType { // nothing here unfolds them
		return photo{kind, data}, nil
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return photo{}, fault.Wrap(err, fault.Invalid, "the photo is damaged")
	case size.Width < 1 || size.Height < 1 || size.Width > maxPixels/size.Height:
		return photo{}, fault.New(fault.TooLarge, "the photo has more than %d megapixels", maxPixels/1_000_000)
	}
	return photo{kind, data}, nil
}

// kindOf is the content type by the first bytes.
// https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern
func kindOf(data []byte) string {
	if brands := brandsOf(data); len(brands) > 0 {
		is := func(names ...string) bool {
			return slices.ContainsFunc(brands, func(b string) bool { return slices.Contains(names, b) })
		}
		switch {
		case is("avif", "avis"):
			return "image/avif"
		case is("heic", "heix", "heim", "heis"):
			return heicType
		}
		return "application/octet-stream"
	}
	return http.DetectContentType(data)
}
