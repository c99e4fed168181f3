package minilm

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// maxHeader bounds the description at the beginning of a file.
const maxHeader = 1 << 20

// tensors are the named arrays of a safetensors file: a header of JSON behind its length in eight bytes, then the
// arrays. https://github.com/huggingface/safetensors#format
type tensors struct {
	file   io.ReaderAt
	begin  int64 // of the arrays
	header map[string]json.RawMessage
}

func readTensors(file io.ReaderAt) (tensors, error) {
	var size [8]byte
	if _, err := file.ReadAt(size[:], 0); err != nil {
		return tensors{}, fmt.Errorf("length of the header: %w", err)
	}
	n := binary.LittleEndian.Uint64(size[:])
	if n > maxHeader {
		return tensors{}, fmt.Errorf("a header of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := file.ReadAt(text, int64(len(size))); err != nil {
		return tensors{}, fmt.Errorf("header: %w", err)
	}
	t := tensors{file: file, begin: int64(len(size)) + int64(n)}
	if err := json.Unmarshal(text, &t.header); err != nil {
		return tensors{}, fmt.Errorf("header: %w", err)
	}
	return t, nil
}

// shape returns the dimensions of an array, or nil if no array has the name.
func (t tensors) shape(name string) []int {
	var d struct {
		Shape []int `json:"shape"`
	}
	if json.Unmarshal(t.header[name], &d) != nil {
		return nil
	}
	return d.Shape
}

// floats reads an array of so many 32-bit floats.
func (t tensors) floats(name string, want int) ([]float32, error) {
	var d struct {
		Type    string   `json:"dtype"`
		Offsets [2]int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(t.header[name], &d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if size := d.Offsets[1] - d.Offsets[0]; d.Type != "F32" || d.Offsets[0] < 0 || size != int64(want)*4 {
		return nil, fmt.Errorf("%s: %d bytes of %s, want %d of F32", name, size, d.Type, want*4)
	}
	raw := make([]byte, want*4)
	if _, err := t.file.ReadAt(raw, t.begin+d.Offsets[0]); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	floats := make([]float32, want)
	for i := range floats {
		floats[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return floats, nil
}
