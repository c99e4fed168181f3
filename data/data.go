// Package data is what the product knows without a store: the ware of the electronics shop that questions are
// asked about.
//
// A product is a text file of products/: its name, its category and its price, a line each, then paragraphs with
// an empty line before each. products.index holds a vector for each paragraph. Whoever changes a file makes the
// index anew with `make index`; a test says when it was forgotten.
package data

import "embed"

// Products are the files of products/.
//
//go:embed products/*.txt
var Products embed.FS

// ProductIndex is the vectors of their paragraphs, as package product writes them.
//
//go:embed products.index
var ProductIndex []byte
