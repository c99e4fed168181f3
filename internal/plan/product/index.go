package product

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/model/llm"
)

const (
	// Nearest is how many chunks a question finds.
	Nearest = 3

	// MaxQuestion bounds a question, in characters.
	MaxQuestion = 1000
)

// Index finds the chunks of a catalogue. Its methods may be called at the same time.
type Index struct {
	embedder llm.Embedder
	chunks   []Chunk
	vectors  [][]float32 // of length 1, one for each chunk
}

// entry is a stored vector. It says which text it belongs to and in which space it lies: vectors of another model, or
// with other dimensions, cannot be compared with it.
type entry struct {
	Product    string `json:"product"`
	Paragraph  int    `json:"paragraph"`
	Hash       string `json:"hash"` // of the chunk's text
	Model      string `json:"model"`
	Dimensions int    `json:"dimensions"`
	Vector     []byte `json:"vector"` // 32-bit floats, the smaller byte first
}

// vectorKey says which vector it is.
type vectorKey struct {
	hash  string
	space llm.Space
}

// Open makes an index of a catalogue in the embedder's space. Vectors are taken from what was stored where they
// lie in that space and are of the same text; all others are embedded now, so that an index is never of two
// models. The usage is what that took, none where all is stored.
func Open(ctx context.Context, chunks []Chunk, stored []byte, embedder llm.Embedder) (*Index, llm.Usage, error) {
	known, err := readEntries(stored)
	if err != nil {
		return nil, llm.Usage{}, fmt.Errorf("product: stored index: %w", err)
	}
	x := &Index{embedder: embedder, chunks: chunks, vectors: make([][]float32, len(chunks))}
	var missing []int
	var texts []string
	for i, c := range chunks {
		if x.vectors[i] = known[vectorKey{hash(c), embedder.Space()}]; x.vectors[i] == nil {
			missing, texts = append(missing, i), append(texts, c.Text)
		}
	}
	if len(missing) == 0 {
		return x, llm.Usage{}, nil
	}
	vectors, used, err := unitVectors(ctx, embedder, texts)
	if err != nil {
		return nil, used, fmt.Errorf("product: embed %d of %d chunks: %w", len(missing), len(chunks), err)
	}
	for n, i := range missing {
		x.vectors[i] = vectors[n]
	}
	return x, used, nil
}

// Space is where the index lies.
func (x *Index) Space() llm.Space { return x.embedder.Space() }

// Hit is a chunk found, with the cosine of the angle between it and the question.
type Hit struct {
	Chunk
	Score float64 `json:"score"`
}

// Find returns the chunks that lie nearest to a question, the nearest first: [Nearest] of them, less only where
// there are no more. The usage counts even with an error. A question that cannot be asked is [fault.Invalid].
func (x *Index) Find(ctx context.Context, question string) ([]Hit, llm.Usage, error) {
	question = strings.TrimSpace(question)
	switch {
	case question == "":
		return nil, llm.Usage{}, fault.Field("question", "want what to look for")
	case !utf8.ValidString(question):
		return nil, llm.Usage{}, fault.Field("question", "must be UTF-8")
	case utf8.RuneCountInString(question) > MaxQuestion:
		return nil, llm.Usage{}, fault.Field("question", "at most %d characters", MaxQuestion)
	}
	asked, used, err := unitVectors(ctx, x.embedder, []string{question})
	if err != nil {
		return nil, used, fmt.Errorf("product: embed the question: %w", err)
	}
	hits := make([]Hit, len(x.chunks))
	for i, c := range x.chunks {
		hits[i] = Hit{c, dot(asked[0], x.vectors[i])}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits[:min(Nearest, len(hits))], used, nil
}

// Write stores the index, a line for each chunk, in a form that [Open] reads.
func (x *Index) Write(w io.Writer) error {
	lines := json.NewEncoder(w)
	space := x.embedder.Space()
	for i, c := range x.chunks {
		e := entry{c.Product, c.Paragraph, hash(c), space.Model, space.Dimensions, nil}
		for _, f := range x.vectors[i] {
			e.Vector = binary.LittleEndian.AppendUint32(e.Vector, math.Float32bits(f))
		}
		if err := lines.Encode(e); err != nil {
			return fmt.Errorf("product: write the index: %w", err)
		}
	}
	return nil
}

func readEntries(stored []byte) (map[vectorKey][]float32, error) {
	known := map[vectorKey][]float32{}
	for lines := json.NewDecoder(bytes.NewReader(stored)); ; {
		var e entry
		err := lines.Decode(&e)
		if err == io.EOF {
			return known, nil
		}
		if err != nil {
			return nil, fmt.Errorf("behind %d entries: %w", len(known), err)
		}
		vector := make([]float32, len(e.Vector)/4)
		for i := range vector {
			vector[i] = math.Float32frombits(binary.LittleEndian.Uint32(e.Vector[4*i:]))
		}
		if err := unit(vector, e.Dimensions); err != nil {
			return nil, fmt.Errorf("%s, paragraph %d: %w", e.Product, e.Paragraph, err)
		}
		known[vectorKey{e.Hash, llm.Space{Model: e.Model, Dimensions: e.Dimensions}}] = vector
	}
}

// hash names what a chunk says.
func hash(c Chunk) string { return ident.Hash(c.Text) }

// unitVectors returns vectors of length 1 in the embedder's space.
func unitVectors(ctx context.Context, e llm.Embedder, texts []string) ([][]float32, llm.Usage, error) {
	vectors, used, err := e.Embed(ctx, texts)
	if err == nil && len(vectors) != len(texts) {
		err = llm.Fail(llm.Malformed, "%d vectors of %d texts", len(vectors), len(texts))
	}
	if err != nil {
		return nil, used, err
	}
	for i, v := range vectors {
		if err := unit(v, e.Space().Dimensions); err != nil {
			return nil, used, llm.Fail(llm.Malformed, "vector %d: %w", i, err)
		}
	}
	return vectors, used, nil
}

// unit brings a vector of so many dimensions to length 1.
func unit(v []float32, dimensions int) error {
	if len(v) != dimensions || dimensions == 0 {
		return fmt.Errorf("%d dimensions, want %d", len(v), dimensions)
	}
	length := math.Sqrt(dot(v, v))
	if length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return fmt.Errorf("a vector of length %v", length)
	}
	if math.Abs(length-1) < 1e-6 { // as those that are stored: an index that is written again stays the same
		return nil
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return nil
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
