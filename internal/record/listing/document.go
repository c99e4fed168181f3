package listing

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"merve/internal/base/geo"
	"merve/internal/words/language"
	"merve/internal/words/rank"
)

// Document is a listing as a search engine stores it: words in the form in which they are
// compared, and the values that filters ask for. Nobody ever sees any of it.
type Document struct {
	ID        string
	Version   int       // with UpdatedAt: which state of the listing this is
	UpdatedAt time.Time // in milliseconds
	Enabled   bool

	Domain, Category, SubCategory string // in the form of [Normal]
	Actions                       []string
	Tags                          []string // in the form of [Normal]
	Prices                        []int64  // minor units: all that something costs
	Location                      *geo.Location

	// The words, each once, those of the most important field first.
	Names        []string // in all languages
	Kinds        []string // category and sub-category
	About        []string // tags, place and domain
	Offerings    []string
	Items        []string // of the menu, the services, tickets and types of room
	Synonyms     []string // what else people say for any of these
	Descriptions []string
}

// DocumentOf makes the document of a listing whose items have the given words.
func DocumentOf(l *Listing, items []string) Document {
	d := Document{
		ID: l.ID, Version: l.Version, UpdatedAt: l.UpdatedAt, Enabled: l.Merve.Enabled,
		Domain: normal(l.Domain), Category: normal(l.Category), SubCategory: normal(l.SubCategory),
		Prices: l.prices(), Location: l.Location,
		Names: Words(inOrder(l.Names)), Kinds: Words(l.Category + " " + l.SubCategory),
		About: Words(strings.Join(l.Tags, " ") + " " + l.Place + " " + l.Domain),
		Items: items, Descriptions: Words(inOrder(l.Descriptions)),
	}
	for _, t := range l.Tags {
		d.Tags = append(d.Tags, normal(t))
	}
	for _, a := range l.Merve.Actions {
		if a.Enabled && !slices.Contains(d.Actions, a.Type) {
			d.Actions = append(d.Actions, a.Type)
		}
	}
	offerings := ""
	for _, o := range l.Offerings {
		offerings += " " + o.Name
	}
	d.Offerings = Words(offerings)
	d.Synonyms = synonyms(d.Names, d.Kinds, d.About, d.Offerings, d.Items)
	return d
}

// Same reports whether two documents have the same content. nil is a document of no listing.
func (d *Document) Same(other *Document) bool {
	if d == nil || other == nil {
		return d == other
	}
	return d.ID == other.ID && d.Version == other.Version && d.UpdatedAt.Equal(other.UpdatedAt)
}

// Words are the words of a text, folded, each once, in their order. No sign is left in them.
func Words(s string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(language.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}

// Words returns the words of the query's text that matter.
func (q Query) Words() []string {
	ws := Words(q.Text)
	return ws[:min(len(ws), rank.MaxWords)]
}

// Normal is the one form of a domain, category, sub-category or tag: without case, marks and
// number, in words between single spaces.
func Normal(name string) string { return normal(name) }

// inOrder joins texts by language, in the order of the languages, so that a listing always
// gives the same document.
func inOrder(texts map[string]string) string {
	var b strings.Builder
	for _, lang := range language.Supported() {
		b.WriteString(texts[lang] + " ")
	}
	return b.String()
}

// Document reads what an engine is to keep of a listing, as it is stored now; nil when there
// is no such listing. One request.
func (s *Store) Document(ctx context.Context, market, id string) (*Document, error) {
	it, err := s.Table.Get(ctx, key(market, id))
	if err != nil || it == nil {
		return nil, err
	}
	var st stored
	if err := it.Decode(&st); err != nil {
		return nil, err
	}
	d := DocumentOf(&st.Listing, st.Words)
	return &d, nil
}

// Documents reads the documents of all listings of a market, as they are stored now: one request for
// each megabyte.
func (s *Store) Documents(ctx context.Context, market string) ([]Document, error) {
	var all []Document
	err := s.each(ctx, market, func(st *stored) { all = append(all, DocumentOf(&st.Listing, st.Words)) })
	return all, err
}
