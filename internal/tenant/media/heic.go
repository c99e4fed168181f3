package media

import (
	"encoding/binary"
	"errors"
	"slices"
)

var errHEIC = errors.New("not the structure of a HEIC file")

// What no phone's photo comes near, so that a small file asks for little memory and time: boxes
// in a row, and pieces of all that describes.
const (
	maxBoxes  = 10_000
	maxPieces = 100
)

// box is a box of the ISO base media file format.
// ISO/IEC 14496-12, 4.2
type box struct {
	kind  string
	named int // where the file says so
	at    int // where its content begins in the file
	body  []byte
}

// boxes splits a run of boxes; base is where it begins in the file.
func boxes(b []byte, base int) ([]box, error) {
	var out []box
	for len(b) > 0 {
		if len(b) < 8 || len(out) == maxBoxes {
			return nil, errHEIC
		}
		size, head := uint64(binary.BigEndian.Uint32(b)), 8
		switch {
		case size == 0: // to the end
			size = uint64(len(b))
		case size == 1 && len(b) >= 16:
			size, head = binary.BigEndian.Uint64(b[8:]), 16
		}
		if size < uint64(head) || size > uint64(len(b)) {
			return nil, errHEIC
		}
		out = append(out, box{kind: string(b[4:8]), named: base + 4, at: base + head, body: b[head:size]})
		b, base = b[size:], base+int(size)
	}
	return out, nil
}

// find returns the only box of a kind.
func find(in []box, kind string) (box, error) {
	i := slices.IndexFunc(in, func(b box) bool { return b.kind == kind })
	if i < 0 || slices.ContainsFunc(in[i+1:], func(b box) bool { return b.kind == kind }) {
		return box{}, errHEIC
	}
	return in[i], nil
}

// brandsOf are the formats that a file claims to be; none if it is of another family.
func brandsOf(data []byte) []string {
	if len(data) < 16 || string(data[4:8]) != "ftyp" {
		return nil
	}
	end := min(uint64(binary.BigEndian.Uint32(data)), uint64(len(data)), 512)
	brands := []string{string(data[8:12])}
	for at := uint64(16); at+4 <= end; at += 4 {
		brands = append(brands, string(data[at:at+4]))
	}
	return brands
}

// shown are the boxes of a file, and those of its meta box, that a viewer needs.
// ISO/IEC 23008-12, 10.2
var (
	shownTop  = []string{"ftyp", "meta", "mdat"}
	shownMeta = []string{"hdlr", "dinf", "pitm", "iinf", "iref", "iprp", "idat", "iloc", "grpl", "ipro"}
)

// stripHEIC returns a HEIC file in which Exif and XMP are overwritten with zeros: they are
// items of the file, and taking them out would move all others. Boxes that a viewer does
// not need become free space. The orientation of HEIC is a property of the image, and stays.
// ISO/IEC 23008-12, Annex A
func stripHEIC(data []byte) ([]byte, error) {
	top, err := boxes(data, 0)
	if err != nil {
		return nil, err
	}
	meta, err := find(top, "meta")
	if err != nil || len(meta.body) < 4 {
		return nil, errHEIC
	}
	inner, err := boxes(meta.body[4:], meta.at+4)
	if err != nil {
		return nil, err
	}
	private, err := metadataItems(inner)
	if err != nil {
		return nil, err
	}
	extents, err := itemExtents(inner, private)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(data)
	held := slices.DeleteFunc(slices.Concat(top, inner), func(b box) bool { return b.kind != "mdat" && b.kind != "idat" })
	for _, e := range extents {
		// Over anything else, such as the list of the items itself, zeros would make another file.
		if e.length == 0 || !slices.ContainsFunc(held, e.within) {
			return nil, errHEIC
		}
		clear(out[e.at : e.at+e.length])
	}
	free(out, top, shownTop)
	free(out, inner, shownMeta)
	return out, nil
}

// free makes free space of the boxes that are not shown.
func free(file []byte, all []box, shown []string) {
	for _, b := range all {
		if !slices.Contains(shown, b.kind) {
			copy(file[b.named:], "free")
			clear(file[b.at : b.at+len(b.body)])
		}
	}
}

// metadataItems are the numbers of the items that describe: Exif, and XMP as a MIME type.
func metadataItems(meta []box) (map[uint32]bool, error) {
	info, err := find(meta, "iinf")
	if err != nil || len(info.body) < 8 {
		return nil, errHEIC
	}
	head := 6
	if info.body[0] > 0 {
		head = 8
	}
	entries, err := boxes(info.body[head:], 0)
	if err != nil {
		return nil, err
	}
	private := map[uint32]bool{}
	for _, e := range entries {
		r := reader{b: e.body}
		version := r.number(1)
		if version != 2 && version != 3 {
			return nil, errHEIC
		}
		r.number(3)
		id := uint32(r.number(2 * int(version-1)))
		r.number(2)
		kind := r.number(4)
		if r.short {
			return nil, errHEIC
		}
		if kind == fourCC("Exif") || kind == fourCC("mime") || kind == fourCC("uri ") {
			private[id] = true
		}
	}
	return private, nil
}

func fourCC(s string) uint64 { return uint64(binary.BigEndian.Uint32([]byte(s))) }

type extent struct{ at, length uint64 }

// within reports whether e is a part of what a box holds.
func (e extent) within(b box) bool {
	from, n := uint64(b.at), uint64(len(b.body))
	return e.at >= from && e.at-from <= n && e.length <= n-(e.at-from)
}

// itemExtents are the parts of the file that items consist of. ISO/IEC 14496-12, 8.11.3
func itemExtents(meta []box, items map[uint32]bool) ([]extent, error) {
	loc, err := find(meta, "iloc")
	if err != nil {
		return nil, err
	}
	r := reader{b: loc.body}
	version := r.number(1)
	r.number(3)
	sizes := r.number(2)
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>12), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version > 2 {
		return nil, errHEIC
	}
	wide := 2
	if version == 2 {
		wide = 4
	}
	data, noData := find(meta, "idat")
	var out []extent
	found := map[uint32]bool{}
	for n := r.number(wide); n > 0 && !r.short; n-- {
		id, method := uint32(r.number(wide)), uint64(0)
		if version > 0 {
			method = r.number(2) & 15
		}
		source := r.number(2) // 0 is this file, whose offsets count from its begin or, by method 1, from idat
		base := r.number(baseSize)
		private := items[id]
		start := uint64(0)
		switch {
		case source == 0 && method == 0:
		case source == 0 && method == 1 && noData == nil:
			start = uint64(data.at)
		case private:
			return nil, errHEIC
		}
		pieces := r.number(2)
		if pieces > 1 && offsetSize+lengthSize == 0 { // told without a byte each
			return nil, errHEIC
		}
		for m := pieces; m > 0 && !r.short; m-- {
			if version > 0 {
				r.number(indexSize)
			}
			e := extent{at: start + base + r.number(offsetSize), length: r.number(lengthSize)}
			if !private {
				continue
			}
			if len(out) == maxPieces {
				return nil, errHEIC
			}
			out, found[id] = append(out, e), true
		}
	}
	if r.short || len(found) != len(items) {
		return nil, errHEIC
	}
	return out, nil
}

// reader reads big-endian numbers; short is set when there were too few bytes.
type reader struct {
	b     []byte
	short bool
}

func (r *reader) number(bytes int) (n uint64) {
	if bytes > len(r.b) || bytes > 8 {
		r.short, r.b = true, nil
		return 0
	}
	for _, c := range r.b[:bytes] {
		n = n<<8 | uint64(c)
	}
	r.b = r.b[bytes:]
	return n
}
