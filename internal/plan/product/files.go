package product

import "embed"

// Files holds the shop's products: a text file each, with its name, its category and its price in the first three lines
// and then paragraphs, each after an empty line.
//
//go:embed products/*.txt
var Files embed.FS

// Vectors is the [Index] of all paragraphs of [Files], as [Index.Write] writes it. Run `make index` after changing a
// file: it embeds what has changed with all-MiniLM-L6-v2, whose weights (91 MB) are fetched once.
//
//go:embed products.index
var Vectors []byte
