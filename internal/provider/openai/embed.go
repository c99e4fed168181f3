package openai

import (
	"cmp"
	"context"
	"fmt"

	openai "github.com/sashabaranov/go-openai"

	"merve/internal/model/llm"
)

// EmbeddingModel is the default model for embeddings.
const EmbeddingModel = "text-embedding-3-small"

// dimensions of the models that always give the same.
var dimensions = map[string]int{"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}

// Embedder embeds texts at an endpoint.
type Embedder struct {
	endpoint *endpoint
	space    llm.Space
	shorter  int // dimensions to ask for; 0 takes what the model gives
}

// Embedder returns an embedder of a model; "" is [EmbeddingModel]. With 0, the vectors have the model's
// own number of dimensions. For an unknown model the number is required, and the model is not asked to
// shorten its vectors.
func (c *Client) Embedder(model string, wanted int) (*Embedder, error) {
	model = cmp.Or(model, EmbeddingModel)
	own, known := dimensions[model]
	switch {
	case wanted < 0 || wanted == 0 && !known:
		return nil, fmt.Errorf("embedding model %s: want the number of its dimensions", model)
	case known && wanted > own:
		return nil, fmt.Errorf("embedding model %s: it has %d dimensions, not %d", model, own, wanted)
	}
	e := &Embedder{endpoint: c.endpoint, space: llm.Space{Model: model, Dimensions: cmp.Or(wanted, own)}}
	if known && e.space.Dimensions < own {
		e.shorter = e.space.Dimensions
	}
	return e, nil
}

// Space is where the vectors lie.
func (e *Embedder) Space() llm.Space { return e.space }

// Bounds of one request. An answer of as many long vectors is below [maxAnswer].
const (
	maxTexts     = 100
	maxTextBytes = 256 << 10
)

// Embed embeds texts, in several requests if there are many. It refuses an empty text, as
// the endpoint does.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, llm.Usage, error) {
	var vectors [][]float32
	var used llm.Usage
	for i, text := range texts {
		if text == "" {
			return nil, used, llm.Fail(llm.Refused, "embedding: text %d is empty", i)
		}
	}
	for len(texts) > 0 {
		n := fitting(texts)
		some, u, err := e.embed(ctx, texts[:n])
		if used = used.Add(u); err != nil {
			return nil, used, err
		}
		vectors, texts = append(vectors, some...), texts[n:]
	}
	return vectors, used, nil
}

// fitting counts the texts that go into one request: at least one.
func fitting(texts []string) int {
	size := len(texts[0])
	for n := 1; n < len(texts); n++ {
		if size += len(texts[n]); n == maxTexts || size > maxTextBytes {
			return n
		}
	}
	return len(texts)
}

func (e *Embedder) embed(ctx context.Context, texts []string) (vectors [][]float32, used llm.Usage, err error) {
	req := openai.EmbeddingRequest{Input: texts, Model: openai.EmbeddingModel(e.space.Model), Dimensions: e.shorter}
	err = e.endpoint.try(ctx, func(ctx context.Context, _ func()) error {
		resp, err := e.endpoint.api.CreateEmbeddings(ctx, req)
		if err != nil {
			return err
		}
		used = usage(resp.Usage)
		if used == (llm.Usage{}) {
			for _, text := range texts {
				used.Input += len(text)/4 + 1
			}
		}
		vectors, err = e.inOrder(resp.Data, len(texts))
		return err
	})
	return vectors, used, err
}

// inOrder puts vectors in the order of their texts. One for each is wanted, and all of
// them in the embedder's space.
func (e *Embedder) inOrder(data []openai.Embedding, n int) ([][]float32, error) {
	vectors := make([][]float32, n)
	for _, d := range data {
		switch {
		case d.Index < 0 || d.Index >= n || vectors[d.Index] != nil:
			return nil, llm.Fail(llm.Malformed, "embedding: a vector of text %d, of %d texts", d.Index, n)
		case len(d.Embedding) != e.space.Dimensions:
			return nil, llm.Fail(llm.Malformed, "embedding: %d dimensions, want %d", len(d.Embedding), e.space.Dimensions)
		}
		vectors[d.Index] = d.Embedding
	}
	if len(data) != n {
		return nil, llm.Fail(llm.Malformed, "embedding: %d vectors of %d texts", len(data), n)
	}
	return vectors, nil
}
