package media

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"net/http"
	"time"

	"merve/internal/base/fault"
)

const (
	addressFor = 15 * time.Minute

	maxEdge   = 1024    // pixels of what is put into a request
	maxInline = 1 << 20 // bytes of what is put into a request as it is
	quality   = 80

	// Pixels of what is unfolded to make it smaller: on a developer's machine the photos of
	// phones; where models reach the bucket GIFs only, and in little memory.
	maxUnfolded    = 50_000_000
	maxUnfoldedGIF = 10_000_000
)

// Address returns an address under which anybody sees a photo for 15 minutes, or until the
// credentials of this process expire. It takes the long name, and does not look whether
// the photo is still there.
func (s *Store) Address(ctx context.Context, stored string) (string, error) {
	p, err := placeOfStored(stored)
	if err != nil {
		return "", err
	}
	return s.s3.presign(ctx, http.MethodGet, p.key(), nil, 0, addressFor)
}

// Image returns a photo for a model that sees, by its long name: an address, or a data:
// URL with a smaller copy where a model cannot reach the bucket. What models do not read
// is [fault.Invalid]: HEIC, and what cannot be unfolded.
func (s *Store) Image(ctx context.Context, stored string) (string, error) {
	p, err := placeOfStored(stored)
	if err != nil {
		return "", err
	}
	if s.public {
		o, err := s.s3.head(ctx, p.key())
		switch {
		case err != nil:
			return "", shown(p, err)
		case o.kind != gifType && o.kind != heicType:
			return s.Address(ctx, stored)
		}
	}
	defer s.room(ctx)()
	data, o, err := s.s3.get(ctx, p.key(), MaxBytes)
	switch {
	case err != nil:
		return "", shown(p, err)
	case o.kind == heicType:
		return "", fault.New(fault.Invalid, "%s%s is HEIC, which a model cannot see", scheme, p.id)
	case o.kind == webpType && len(data) > maxInline:
		return "", tooLarge(maxInline)
	case o.kind == webpType:
		return dataURL(webpType, data), nil
	}
	limit := maxUnfolded
	if o.kind == gifType {
		limit = maxUnfoldedGIF
	}
	small, err := smaller(data, limit)
	if err != nil {
		return "", err
	}
	return dataURL(jpegType, small), nil
}

func shown(p place, err error) error {
	if errors.Is(err, errMissing) {
		return p.notFound()
	}
	return err
}

func dataURL(kind string, data []byte) string {
	return "data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// smaller returns a photo as JPEG, upright, on white, with edges of at most maxEdge. Of an
// animation it is the first image. Of more than limit pixels nothing is unfolded.
func smaller(data []byte, limit int) ([]byte, error) {
	size, kind, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return nil, fault.Wrap(err, fault.Invalid, "the photo is damaged")
	case size.Width*size.Height > limit:
		return nil, fault.New(fault.TooLarge, "the photo has more than %d megapixels", limit/1_000_000)
	}
	full, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "the photo is damaged")
	}
	small := shrink(full)
	if kind == "jpeg" {
		small = upright(small, orientationOf(data))
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, small, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fault.Wrap(err, fault.Internal, "encode a photo")
	}
	return out.Bytes(), nil
}

// shrink averages boxes of pixels. It goes by rows of boxes, so that of a large photo only
// a band is there in full colour.
func shrink(full image.Image) *image.RGBA {
	from := full.Bounds()
	factor := max(1, (max(from.Dx(), from.Dy())+maxEdge-1)/maxEdge)
	small := image.NewRGBA(image.Rect(0, 0, max(1, from.Dx()/factor), max(1, from.Dy()/factor)))
	band := image.NewRGBA(image.Rect(0, 0, from.Dx(), min(factor, from.Dy())))
	for y := range small.Rect.Dy() {
		draw.Draw(band, band.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(band, band.Rect, full, from.Min.Add(image.Pt(0, y*factor)), draw.Over)
		for x := range small.Rect.Dx() {
			small.SetRGBA(x, y, average(band, x*factor, factor))
		}
	}
	return small
}

// average is the colour of the box of a band that begins at x.
func average(band *image.RGBA, x, width int) color.RGBA {
	var sum [3]int
	box := image.Rect(x, 0, x+width, band.Rect.Dy()).Intersect(band.Rect)
	for y := range box.Dy() {
		row := band.Pix[band.PixOffset(box.Min.X, y):]
		for i := range box.Dx() {
			for c := range sum {
				sum[c] += int(row[4*i+c])
			}
		}
	}
	n := box.Dx() * box.Dy()
	return color.RGBA{R: uint8(sum[0] / n), G: uint8(sum[1] / n), B: uint8(sum[2] / n), A: 0xFF}
}

// upright turns a photo the way that Exif's orientation says. CIPA DC-008, 4.6.5
func upright(in *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 {
		return in
	}
	w, h := in.Rect.Dx(), in.Rect.Dy()
	size := image.Pt(w, h)
	if orientation >= 5 {
		size = image.Pt(h, w)
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	for y := range size.Y {
		for x := range size.X {
			sx, sy := x, y
			if orientation >= 5 {
				sx, sy = y, x
			}
			if orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8 {
				sx = w - 1 - sx
			}
			if orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7 {
				sy = h - 1 - sy
			}
			out.SetRGBA(x, y, in.RGBAAt(sx, sy))
		}
	}
	return out
}
