package openai_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"merve/internal/model/llm"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
)

var _ llm.Embedder = (*openai.Embedder)(nil)

func embedder(t *testing.T, s *openaitest.Server, model string, dimensions int) *openai.Embedder {
	t.Helper()
	c, _ := client(t, s, nil)
	e, err := c.Embedder(model, dimensions)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t, openaitest.Answer{Status: 503}, openaitest.Answer{Shuffle: true})
	e := embedder(t, s, "", 0)
	texts := []string{"sushi by the harbour", "a taxi", "çay"}
	vectors, used, err := e.Embed(t.Context(), texts)
	if err != nil || used.Input != 20 || used.Output != 0 {
		t.Fatalf("used %+v: %v", used, err)
	}
	if e.Space() != (llm.Space{Model: "text-embedding-3-small", Dimensions: 1536}) {
		t.Errorf("space %+v", e.Space())
	}
	for i, text := range texts {
		if !slices.Equal(vectors[i], openaitest.Vector(text, 1536)) {
			t.Errorf("%q has another one's vector", text)
		}
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("asked %d times, want a second attempt after an overload", n)
	}
	if vectors, used, err := e.Embed(t.Context(), nil); err != nil || len(vectors) != 0 || used != (llm.Usage{}) {
		t.Errorf("of no texts: %d vectors, %+v, %v", len(vectors), used, err)
	}
}

func TestEmbedManyTexts(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 250 {
		many = append(many, fmt.Sprint("text ", i))
	}
	long := []string{strings.Repeat("a", 200<<10), strings.Repeat("b", 200<<10), "c"}
	for _, tt := range []struct {
		texts []string
		sizes []int
	}{{many, []int{100, 100, 50}}, {long, []int{1, 2}}} {
		s := openaitest.New(t)
		s.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{NoUsage: true} }
		vectors, used, err := embedder(t, s, "own", openaitest.Dimensions).Embed(t.Context(), tt.texts)
		if err != nil || len(vectors) != len(tt.texts) || used.Input < len(tt.texts) {
			t.Fatalf("%d vectors of %d texts, used %+v: %v", len(vectors), len(tt.texts), used, err)
		}
		var sizes []int
		for _, r := range s.Requests() {
			var body struct{ Input []string }
			if err := json.Unmarshal(r.Body, &body); err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, len(body.Input))
		}
		if !slices.Equal(sizes, tt.sizes) {
			t.Errorf("requests of %v texts, want %v", sizes, tt.sizes)
		}
		if last := len(tt.texts) - 1; !slices.Equal(vectors[last], openaitest.Vector(tt.texts[last], openaitest.Dimensions)) {
			t.Error("the last vector is not the last text's")
		}
	}
}

func TestDimensions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model  string
		wanted int
		space  int
		sent   any // dimensions on the wire
	}{
		{"", 0, 1536, nil}, {"", 256, 256, 256.0}, {"text-embedding-3-large", 3072, 3072, nil},
		{"own", openaitest.Dimensions, openaitest.Dimensions, nil},
	} {
		s := openaitest.New(t)
		e := embedder(t, s, tt.model, tt.wanted)
		if _, _, err := e.Embed(t.Context(), []string{"x"}); err != nil {
			t.Errorf("%+v: %v", tt, err)
			continue
		}
		var body map[string]any
		if err := json.Unmarshal(s.Requests()[0].Body, &body); err != nil {
			t.Fatal(err)
		}
		if e.Space().Dimensions != tt.space || body["dimensions"] != tt.sent {
			t.Errorf("%+v: space %+v, sent %v", tt, e.Space(), body["dimensions"])
		}
	}
	c, _ := client(t, openaitest.New(t), nil)
	for model, wanted := range map[string]int{"own": 0, "": 4000, "text-embedding-ada-002": -1} {
		if _, err := c.Embedder(model, wanted); err == nil {
			t.Errorf("%q in %d dimensions is taken", model, wanted)
		}
	}
}

func TestEmbeddingsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer openaitest.Answer
		want   llm.Meaning
	}{
		"too few":          {openaitest.Answer{Empty: true}, llm.Malformed},
		"of another space": {openaitest.Answer{Vectors: [][]float32{{1, 2}}}, llm.Malformed},
		"twice the same":   {openaitest.Answer{Raw: `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`}, llm.Malformed},
		"refused":          {openaitest.Answer{Status: 401}, llm.Refused},
	} {
		s := openaitest.New(t, tt.answer)
		if vectors, _, err := embedder(t, s, "own", 1).Embed(t.Context(), []string{"x", "y"}); llm.MeaningOf(err) != tt.want || vectors != nil {
			t.Errorf("%s: %v, %v, want %s", name, vectors, err, tt.want)
		}
	}
	s := openaitest.New(t)
	if _, _, err := embedder(t, s, "", 0).Embed(t.Context(), []string{"x", ""}); llm.MeaningOf(err) != llm.Refused || len(s.Requests()) != 0 {
		t.Errorf("an empty text: %v, asked %d times", err, len(s.Requests()))
	}
}
