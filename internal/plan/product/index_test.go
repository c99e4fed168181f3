package product_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"merve/internal/base/fault"
	"merve/internal/model/llm"
	"merve/internal/model/minilm"
	"merve/internal/plan/product"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
)

var model = llm.Space{Model: minilm.Model, Dimensions: 384}

// counted is an embedder that counts its texts, and gives each a vector made of its letters.
type counted struct {
	space llm.Space
	texts int
	wrong func([][]float32) [][]float32
	err   error
}

func (c *counted) Space() llm.Space { return c.space }

func (c *counted) Embed(_ context.Context, texts []string) ([][]float32, llm.Usage, error) {
	c.texts += len(texts)
	var vectors [][]float32
	for _, text := range texts {
		v := make([]float32, c.space.Dimensions)
		for _, r := range text {
			v[int(r)%len(v)]++
		}
		vectors = append(vectors, v)
	}
	if c.wrong != nil {
		vectors = c.wrong(vectors)
	}
	return vectors, llm.Usage{Input: len(texts)}, c.err
}

// The index that is stored is of the catalogue as it is: nothing is embedded when it is opened, and it is written
// again as it was.
func TestIndexIsCurrent(t *testing.T) {
	t.Parallel()
	e := &counted{space: model}
	index, used, err := product.Open(t.Context(), catalogue(t), product.Vectors, e)
	if err != nil {
		t.Fatal(err)
	}
	if e.texts > 0 || used != (llm.Usage{}) {
		t.Errorf("%d chunks are not in products.index: make index", e.texts)
	}
	var again bytes.Buffer
	if err := index.Write(&again); err != nil || !bytes.Equal(again.Bytes(), product.Vectors) {
		t.Errorf("products.index holds more than the catalogue, or in another order (%v): make index", err)
	}
}

// Vectors of another model, with other dimensions, or of another text are left alone.
func TestIndexNeverMixes(t *testing.T) {
	t.Parallel()
	chunks := catalogue(t)[:10]
	for name, tt := range map[string]struct {
		space   llm.Space
		change  func(*product.Chunk)
		embeds  int
		charged int
	}{
		"the same":         {space: model},
		"another model":    {space: llm.Space{Model: "text-embedding-3-small", Dimensions: 384}, embeds: 10, charged: 10},
		"other dimensions": {space: llm.Space{Model: minilm.Model, Dimensions: 256}, embeds: 10, charged: 10},
		"another price": {space: model, embeds: 1, charged: 1, change: func(c *product.Chunk) {
			c.Text = strings.Replace(c.Text, c.Price, "$1", 1)
		}},
	} {
		e := &counted{space: tt.space}
		changed := slices.Clone(chunks)
		if tt.change != nil {
			tt.change(&changed[3])
		}
		index, used, err := product.Open(t.Context(), changed, product.Vectors, e)
		if err != nil || e.texts != tt.embeds || used.Input != tt.charged {
			t.Errorf("%s: %d texts embedded, %+v, %v", name, e.texts, used, err)
			continue
		}
		var stored bytes.Buffer
		if err := index.Write(&stored); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		e.texts = 0
		if _, _, err := product.Open(t.Context(), changed, stored.Bytes(), e); err != nil || e.texts > 0 {
			t.Errorf("%s: opened again, %d texts embedded, %v", name, e.texts, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	whole := product.Vectors
	line, _, _ := bytes.Cut(whole, []byte("\n"))
	for name, stored := range map[string][]byte{
		"cut":              whole[:1000],
		"no JSON":          []byte("vectors"),
		"fewer dimensions": bytes.Replace(line, []byte(`"dimensions":384`), []byte(`"dimensions":385`), 1),
		"no vector":        []byte(`{"product":"x","dimensions":0,"vector":""}`),
		"nothing in it":    []byte(`{"product":"x","dimensions":1,"vector":"AAAAAA=="}`),
		"not a number":     []byte(`{"product":"x","dimensions":1,"vector":"AADAfw=="}`),
	} {
		if _, _, err := product.Open(t.Context(), catalogue(t), stored, &counted{space: model}); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	for name, e := range map[string]*counted{
		"unavailable":     {err: llm.Fail(llm.Unavailable, "away")},
		"too few":         {wrong: func(v [][]float32) [][]float32 { return v[1:] }},
		"other dimension": {wrong: func(v [][]float32) [][]float32 { v[0] = v[0][1:]; return v }},
		"infinite":        {wrong: func(v [][]float32) [][]float32 { v[0][0] = float32(math.Inf(1)); return v }},
	} {
		e.space = llm.Space{Model: "x", Dimensions: 8}
		_, used, err := product.Open(t.Context(), catalogue(t)[:2], nil, e)
		if err == nil || used.Input != 2 || errors.As(err, new(*llm.Error)) == false {
			t.Errorf("%s: %+v, %v", name, used, err)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	e := &counted{space: llm.Space{Model: "letters", Dimensions: 128}}
	chunks := catalogue(t)
	index, _, err := product.Open(t.Context(), chunks, nil, e)
	if err != nil {
		t.Fatal(err)
	}
	hits, used, err := index.Find(t.Context(), " "+chunks[7].Text+"\n")
	if err != nil || used.Input != 1 || len(hits) != product.Nearest || hits[0].Chunk != chunks[7] || math.Abs(hits[0].Score-1) > 1e-6 ||
		hits[1].Score < hits[2].Score || hits[0].Score < hits[1].Score {
		t.Errorf("%+v, %+v, %v", hits, used, err)
	}
	few, _, err := product.Open(t.Context(), chunks[:2], nil, e)
	if err != nil {
		t.Fatal(err)
	}
	if hits, _, err := few.Find(t.Context(), "laptop"); err != nil || len(hits) != 2 {
		t.Errorf("%+v, %v", hits, err)
	}
	for _, question := range []string{"", " \n", "\xff", strings.Repeat("x", product.MaxQuestion+1)} {
		if _, used, err := index.Find(t.Context(), question); !fault.Is(err, fault.Invalid) || used != (llm.Usage{}) {
			t.Errorf("%.10q: %v", question, err)
		}
	}
	e.err = llm.Fail(llm.Unavailable, "away")
	if _, used, err := index.Find(t.Context(), "laptop"); llm.MeaningOf(err) != llm.Unavailable || used.Input != 1 {
		t.Errorf("%+v, %v", used, err)
	}
}

// The embeddings endpoint is the other embedder: the index is made anew in its space.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	s := openaitest.New(t)
	c, err := openai.New(openai.Config{BaseURL: s.URL(), Key: openaitest.Key, HTTP: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.Embedder("local", openaitest.Dimensions)
	if err != nil {
		t.Fatal(err)
	}
	chunks := catalogue(t)
	index, _, err := product.Open(t.Context(), chunks, product.Vectors, e)
	if err != nil {
		t.Fatal(err)
	}
	if hits, _, err := index.Find(t.Context(), chunks[5].Text); err != nil || len(hits) != product.Nearest || hits[0].Score < 0.999 {
		t.Errorf("%+v, %v", hits, err)
	}
}

func meaning(t testing.TB) *product.Index {
	t.Helper()
	e, err := minilm.Load("../../../.cache/minilm")
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("LEFT OUT: the weights of all-MiniLM-L6-v2 are not there; .ci/install-minilm.sh fetches them")
	}
	if err != nil {
		t.Fatal(err)
	}
	index, _, err := product.Open(t.Context(), catalogue(t), product.Vectors, e)
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func TestGamingLaptopUnder2000(t *testing.T) {
	t.Parallel()
	hits, _, err := meaning(t).Find(t.Context(), "I need a laptop for gaming under $2000")
	if err != nil || hits[0].Name != "TechPro UltraBook X15" || hits[0].Price != "$1,799" {
		t.Errorf("%+v, %v", hits, err)
	}
}

// Of the questions in testdata/questions.txt, so many find the product that they mean.
func TestRecall(t *testing.T) {
	t.Parallel()
	index := meaning(t)
	file, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	asked, found := 0, 0
	for line := range strings.Lines(string(file)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		question, want, _ := strings.Cut(strings.TrimSpace(line), " | ")
		hits, _, err := index.Find(t.Context(), question)
		if err != nil {
			t.Fatal(err)
		}
		asked++
		if slices.ContainsFunc(hits, func(h product.Hit) bool { return h.Product == want }) {
			found++
		} else {
			t.Logf("missed: %s: want %s, got %s, %s, %s", question, want, hits[0].Product, hits[1].Product, hits[2].Product)
		}
	}
	t.Logf("recall@%d: %d of %d", product.Nearest, found, asked)
	if asked != 100 || found < 93 {
		t.Errorf("recall@%d: %d of %d, want at least 93 of 100", product.Nearest, found, asked)
	}
}
