// Package product finds products of the shop by what a question means.
//
// The catalogue is text files that anybody can read and write (see [Files]). Each paragraph of one is a
// [Chunk], headed by the product's name, category and price so that it says by itself what it speaks of. An
// [Index] has a vector for each chunk and finds those that lie nearest to a question's.
package product

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Chunk is a part of what is known of a product.
type Chunk struct {
	Product   string `json:"product"`   // the name of its file
	Paragraph int    `json:"paragraph"` // from 0
	Name      string `json:"name"`
	Category  string `json:"category"`
	Price     string `json:"price"` // "$1,799"
	Text      string `json:"text"`  // with name, category and price
}

const extension = ".txt"

// Catalogue reads all products of a file system, in the order of their names.
func Catalogue(files fs.FS) ([]Chunk, error) {
	names, err := fs.Glob(files, "products/*"+extension)
	if err != nil {
		return nil, fmt.Errorf("product: list the catalogue: %w", err)
	}
	var all []Chunk
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("product: %w", err)
		}
		chunks, err := read(strings.TrimSuffix(path.Base(name), extension), string(text))
		if err != nil {
			return nil, fmt.Errorf("product: %s: %w", name, err)
		}
		all = append(all, chunks...)
	}
	return all, nil
}

var priced = regexp.MustCompile(`^\$[1-9][0-9]{0,2}(,[0-9]{3})*(\.[0-9]{2})?$`)

// read takes a product's file apart.
func read(id, text string) ([]Chunk, error) {
	head, body, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	lines := strings.Split(head, "\n")
	switch {
	case len(lines) != 3 || lines[0] == "" || lines[1] == "":
		return nil, fmt.Errorf("want name, category and price in the first three lines, and an empty line behind them")
	case !priced.MatchString(lines[2]):
		return nil, fmt.Errorf("a price of %q, want one like $1,799", lines[2])
	}
	c := Chunk{Product: id, Name: lines[0], Category: lines[1], Price: lines[2]}
	var chunks []Chunk
	for _, paragraph := range strings.Split(body, "\n\n") {
		said := strings.Join(strings.Fields(paragraph), " ")
		if said == "" {
			continue
		}
		c.Paragraph = len(chunks)
		c.Text = fmt.Sprintf("%s (%s), %s. %s", c.Name, c.Category, c.Price, said)
		chunks = append(chunks, c)
	}
	if len(chunks) == 0 {
		return nil, fmt.Errorf("nothing is said of it")
	}
	return chunks, nil
}
