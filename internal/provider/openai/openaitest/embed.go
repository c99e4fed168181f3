package openaitest

import (
	"hash/fnv"
	"slices"
)

// CheckEmbedding reports the first way in which a request body breaks OpenAI's published
// schema of embeddings (CreateEmbeddingRequest) or its limits.
func CheckEmbedding(body []byte) error { return checkBody(body, (*checker).embedding) }

func (c *checker) embedding(v any) {
	m := c.object("body", v, []string{"model", "input"}, []string{"encoding_format", "dimensions", "user"})
	if c.err == nil && c.text("model", m["model"]) == "" {
		c.fault("model", "you must provide a model parameter")
	}
	if v, ok := m["encoding_format"]; ok {
		c.oneOf("encoding_format", v, "float", "base64")
	}
	if v, ok := m["dimensions"]; ok {
		c.integer("dimensions", v, 1, 1<<16)
		if m["model"] == "text-embedding-ada-002" {
			c.fault("dimensions", "this model does not support specifying dimensions")
		}
	}
	if v, ok := m["user"]; ok {
		c.text("user", v)
	}
	texts, ok := m["input"].([]any)
	if !ok {
		texts = []any{m["input"]}
	}
	for _, text := range c.array("input", texts, 1, 2048) {
		if c.text("input", text) == "" {
			c.fault("input", "cannot be an empty string")
		}
	}
}

// Dimensions is how many dimensions the vectors have of a request that asks for none, of
// a model whose vectors are not known.
const Dimensions = 8

var dimensions = map[string]int{"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}

// embeddings are vectors of the texts asked for: the same for the same text.
func (a Answer) embeddings(req asked) map[string]any {
	texts, ok := req.Input.([]any)
	if !ok {
		texts = []any{req.Input}
	}
	n := req.Dimensions
	if n == 0 {
		n = dimensions[req.Model]
	}
	if n == 0 {
		n = Dimensions
	}
	var data []any
	for i, text := range texts {
		vector := Vector(text.(string), n)
		if i < len(a.Vectors) {
			vector = a.Vectors[i]
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vector})
	}
	if a.Shuffle {
		slices.Reverse(data)
	}
	if a.Empty {
		data = []any{}
	}
	out := map[string]any{"object": "list", "model": req.Model, "data": data}
	if !a.NoUsage {
		out["usage"] = map[string]any{"prompt_tokens": a.Usage.Prompt, "total_tokens": a.Usage.Prompt}
	}
	return out
}

// Vector is what a text is embedded as, in so many dimensions.
func Vector(text string, dimensions int) []float32 {
	vector := make([]float32, dimensions)
	h := fnv.New32a()
	for i := range vector {
		h.Write([]byte(text))
		vector[i] = float32(h.Sum32()%2001)/1000 - 1
	}
	return vector
}
