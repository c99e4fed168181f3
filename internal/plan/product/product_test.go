package product_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"merve/internal/plan/product"
)

func catalogue(t testing.TB) []product.Chunk {
	t.Helper()
	chunks, err := product.Catalogue(product.Files)
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

// The shop has at least 60 products, whose chunks a model of 256 tokens reads to their ends.
func TestTheShop(t *testing.T) {
	t.Parallel()
	products := map[string]product.Chunk{}
	for _, c := range catalogue(t) {
		products[c.Product] = c
		if words := len(strings.Fields(c.Text)); words > 120 {
			t.Errorf("%s, paragraph %d: %d words", c.Product, c.Paragraph, words)
		}
		if wants := strings.ToLower(strings.NewReplacer(" ", "-", ".", "-").Replace(c.Name)); wants != c.Product {
			t.Errorf("%s stands in %s.txt", c.Name, c.Product)
		}
	}
	if len(products) < 60 {
		t.Errorf("%d products", len(products))
	}
	if x15 := products["techpro-ultrabook-x15"]; x15.Name != "TechPro UltraBook X15" || x15.Price != "$1,799" {
		t.Errorf("%+v", x15)
	}
}

func TestCatalogue(t *testing.T) {
	t.Parallel()
	got, err := product.Catalogue(fstest.MapFS{
		"products/lamp.txt": {Data: []byte("Lamp\nLED lamp\n$1,009.50\n\nGives\nlight.\n\n\nPower: 9 W.\n")},
		"products/lamp.md":  {Data: []byte("no product")},
	})
	want := []product.Chunk{
		{Product: "lamp", Name: "Lamp", Category: "LED lamp", Price: "$1,009.50", Text: "Lamp (LED lamp), $1,009.50. Gives light."},
		{Product: "lamp", Paragraph: 1, Name: "Lamp", Category: "LED lamp", Price: "$1,009.50",
			Text: "Lamp (LED lamp), $1,009.50. Power: 9 W."},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestCatalogueRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                             "first three lines",
		"Lamp\nLight\n":                "first three lines",
		"Lamp\n\n$9\n\nGives light.":   "first three lines",
		"Lamp\nLight\n$9\nGives light": "first three lines",
		"Lamp\nLight\n9\n\nGives.":     `a price of "9"`,
		"Lamp\nLight\n$1799,00\n\nG.":  "want one like $1,799",
		"Lamp\nLight\n$0\n\nGives.":    `a price of "$0"`,
		"Lamp\nLight\n$9\n\n":          "nothing is said of it",
	} {
		_, err := product.Catalogue(fstest.MapFS{"products/lamp.txt": {Data: []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "products/lamp.txt") {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
