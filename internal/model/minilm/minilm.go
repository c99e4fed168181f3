// Package minilm embeds English texts in the process, by the sentence transformer all-MiniLM-L6-v2: a BERT of six
// layers whose 384 dimensions are averaged over a text's tokens and brought to length 1.
// https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2
//
// The weights are no part of this module: [Load] reads them from a directory with model.safetensors (32-bit
// floats) and vocab.txt, as .ci/install-minilm.sh fetches them. Vectors are those of the sentence-transformers
// library within rounding, which testdata/reference.jsonl proves.
//
// A text of 12 words costs about 20 ms on one core, and time grows with length; what is behind the 256th token
// does not count. Texts in other languages than English get vectors that say little.
package minilm

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"merve/internal/model/llm"
)

// Model is the model's name, as part of its [llm.Space].
const Model = "all-MiniLM-L6-v2"

// Names of the files in a model's directory.
const (
	WeightsFile    = "model.safetensors"
	VocabularyFile = "vocab.txt"
)

// Embedder is the model. It implements [llm.Embedder] and may be used by several goroutines at once.
type Embedder struct {
	vocabulary vocabulary
	net        network
}

// Load reads the model from a directory. It takes some 90 MB of memory.
func Load(dir string) (*Embedder, error) {
	text, err := os.ReadFile(filepath.Join(dir, VocabularyFile))
	if err != nil {
		return nil, fmt.Errorf("minilm: %w", err)
	}
	v, err := readVocabulary(string(text))
	if err != nil {
		return nil, fmt.Errorf("minilm: %s: %w", VocabularyFile, err)
	}
	file, err := os.Open(filepath.Join(dir, WeightsFile))
	if err != nil {
		return nil, fmt.Errorf("minilm: %w", err)
	}
	defer file.Close()
	t, err := readTensors(file)
	if err != nil {
		return nil, fmt.Errorf("minilm: %s: %w", WeightsFile, err)
	}
	net, err := newNetwork(t, len(v.ids))
	if err != nil {
		return nil, fmt.Errorf("minilm: %s: %w", WeightsFile, err)
	}
	return &Embedder{v, net}, nil
}

// Space is where the vectors lie.
func (e *Embedder) Space() llm.Space { return llm.Space{Model: Model, Dimensions: e.net.width} }

// Embed returns one vector of length 1 for each text. Nobody charges for it: the usage is zero. It ends between
// two texts when the context does, and refuses an empty text, as endpoints do.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	vectors := make([][]float32, 0, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, llm.Usage{}, llm.Fail(llm.Unavailable, "minilm: text %d of %d: %w", i+1, len(texts), err)
		}
		if text == "" {
			return nil, llm.Usage{}, llm.Fail(llm.Refused, "minilm: text %d is empty", i)
		}
		vectors = append(vectors, e.embed(text))
	}
	return vectors, llm.Usage{}, nil
}

func (e *Embedder) embed(text string) []float32 {
	mean := e.net.mean(e.vocabulary.tokens(text, e.net.longest))
	length := 0.0
	for _, x := range mean {
		length += float64(x) * float64(x)
	}
	scale(mean, float32(1/max(math.Sqrt(length), 1e-12)))
	return mean
}
