// Command productindex embeds the catalogue of internal/plan/product/products and stores the vectors next to it, in
// products.index. It embeds only what has changed, by the model in .cache/minilm.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"merve/internal/model/minilm"
	"merve/internal/plan/product"
)

func main() {
	if err := run(context.Background(), ".cache/minilm", "internal/plan/product/products.index"); err != nil {
		fmt.Fprintln(os.Stderr, "productindex:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, model, file string) error {
	embedder, err := minilm.Load(model)
	if err != nil {
		return err
	}
	chunks, err := product.Catalogue(product.Files)
	if err != nil {
		return err
	}
	index, _, err := product.Open(ctx, chunks, product.Vectors, embedder)
	if err != nil {
		return err
	}
	var stored bytes.Buffer
	if err := index.Write(&stored); err != nil {
		return err
	}
	return os.WriteFile(file, stored.Bytes(), 0o644)
}
