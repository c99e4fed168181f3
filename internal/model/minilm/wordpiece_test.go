package minilm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

func readFile(t testing.TB, name string) vocabulary {
	t.Helper()
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("LEFT OUT: the vocabulary of all-MiniLM-L6-v2 is not there; .ci/install-minilm.sh fetches it")
	}
	if err != nil {
		t.Fatal(err)
	}
	v, err := readVocabulary(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Token for token as BERT's own tokenizer.
func TestTokens(t *testing.T) {
	t.Parallel()
	v := readFile(t, "../../../.cache/minilm/vocab.txt")
	file, err := os.ReadFile("testdata/reference.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for lines := json.NewDecoder(bytes.NewReader(file)); lines.More(); n++ {
		var r struct {
			Text   string
			Tokens []int
		}
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
		if got := v.tokens(r.Text, maxTokens); !slices.Equal(got, r.Tokens) {
			t.Errorf("%.60q:\n got %v\nwant %v", r.Text, got, r.Tokens)
		}
	}
	if n < 25 {
		t.Errorf("%d texts", n)
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	v := readFile(t, "testdata/tiny/vocab.txt")
	names := make([]string, len(v.ids))
	for name, id := range v.ids {
		names[id] = name
	}
	for text, want := range map[string]string{
		"":                               "[CLS] [SEP]",
		"Laptops":                        "[CLS] laptop ##s [SEP]",
		"lightest":                       "[CLS] light ##est [SEP]",
		"laptopz":                        "[CLS] [UNK] [SEP]",
		"under$2000":                     "[CLS] under $ 2000 [SEP]",
		"[SEP] [CLS]":                    "[CLS] [UNK] [UNK] [UNK] [UNK] [UNK] [UNK] [SEP]", // brackets and names, no special pieces
		"needed needed need":             "[CLS] need ##ed need ##ed need [SEP]",
		"a a a a a a a a a":              "[CLS] a a a a a a [SEP]",
		"needed needed needed needed":    "[CLS] need ##ed need ##ed need ##ed [SEP]", // a word may be cut
		"gaming\u00a0lap\u00adtop\ufffd": "[CLS] gaming laptop [SEP]",
		strings.Repeat("x", 101):         "[CLS] [UNK] [SEP]",
	} {
		var got []string
		for _, id := range v.tokens(text, 8) {
			got = append(got, names[id])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %s, want %s", text, strings.Join(got, " "), want)
		}
	}
}

// Whatever the text, its tokens are pieces, between the two that stand around them, and no more than may be.
func FuzzTokens(f *testing.F) {
	v := readFile(f, "testdata/tiny/vocab.txt")
	f.Fuzz(func(t *testing.T, text string) {
		ids := v.tokens(text, 16)
		if len(ids) < 2 || len(ids) > 16 || ids[0] != v.begins || ids[len(ids)-1] != v.ends {
			t.Fatalf("%q: %v", text, ids)
		}
		for _, id := range ids {
			if id < 0 || id >= len(v.ids) {
				t.Fatalf("%q: %v", text, ids)
			}
		}
	})
}
