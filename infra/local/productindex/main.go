// Command productindex embeds the catalogue of data/products and stores the vectors in data/products.index. It
// embeds only what has changed, by the model in .cache/minilm.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"merve/data"
	"merve/internal/model/minilm"
	"merve/internal/plan/product"
)

func main() {
	if err := run(context.Background(), ".cache/minilm", "data/products.index"); err != nil {
		fmt.Fprintln(os.Stderr, "productindex:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, model, file string) error {
	embedder, err := minilm.Load(model)
	if err != nil {
		return err
	}
	chunks, err := product.Catalogue(data.Products)
	if err != nil {
		return err
	}
	index, _, err := product.Open(ctx, chunks, data.ProductIndex, embedder)
	if err != nil {
		return err
	}
	var stored bytes.Buffer
	if err := index.Write(&stored); err != nil {
		return err
	}
	return os.WriteFile(file, stored.Bytes(), 0o644)
}
