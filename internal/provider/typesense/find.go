package typesense

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	library "github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"merve/internal/base/geo"
	"merve/internal/record/listing"
)

const (
	defaultLimit = 5
	maxLimit     = 250 // of Typesense. https://typesense.org/docs/latest/api/search.html#pagination-parameters
	wordHits     = 100 // of a single word that are looked at
	minPrefix    = 3   // letters of a word that stands for all that begin with it
	weakest      = 3   // a hit that scores less than this part of the best is dropped
)

// Find returns the ids of the listings of a market that fit q, best first: ranked by the field that
// contains its words, then by distance. If no listing has all words, the listings with
// the most words in the weightiest fields count. Find does not know opening hours.
func (c *Client) Find(ctx context.Context, market string, q listing.Query) ([]string, error) {
	filter, possible := filterOf(q)
	if !possible {
		return nil, nil
	}
	limit := min(cmp.Or(max(q.Limit, 0), defaultLimit), maxLimit)
	words := q.Words()
	search := func(text string, most int) api.MultiSearchCollectionParameters {
		return c.search(market, filter, orderOf(q.Near, text), text, most)
	}
	hits, err := c.ask(ctx, market, search(strings.Join(words, " "), limit))
	if err != nil {
		return nil, err
	}
	if len(hits[0]) > 0 || len(words) < 2 {
		return ids(hits[0]), nil
	}
	each := make([]api.MultiSearchCollectionParameters, len(words))
	for i, w := range words {
		each[i] = search(w, wordHits)
	}
	if hits, err = c.ask(ctx, market, each...); err != nil {
		return nil, err
	}
	return some(hits, limit), nil
}

// ask makes searches in one request, and returns what each found.
// https://typesense.org/docs/latest/api/federated-multi-search.html
func (c *Client) ask(ctx context.Context, market string, searches ...api.MultiSearchCollectionParameters) ([][]hit, error) {
	server, err := c.reader(ctx)
	if err != nil {
		return nil, err
	}
	got, err := server.MultiSearch.Perform(ctx, &api.MultiSearchParams{}, api.MultiSearchSearchesParameter{Searches: searches})
	if err == nil && len(got.Results) != len(searches) {
		err = errors.New("not one answer for each search")
	}
	if err != nil {
		return nil, failure(err, "search %s", market)
	}
	all := make([][]hit, len(searches))
	for i, r := range got.Results {
		if all[i], err = hitsOf(r); err != nil {
			return nil, failure(err, "search %s", market)
		}
	}
	return all, nil
}

// search looks for words in the fields that have them. A word stands for others with one typing
// mistake from four letters on, two from seven, where there is nothing without; the last one
// stands for all that begin with it. https://typesense.org/docs/latest/api/search.html
func (c *Client) search(market, filter, order, words string, limit int) api.MultiSearchCollectionParameters {
	last := words[strings.LastIndex(words, " ")+1:]
	return api.MultiSearchCollectionParameters{
		Collection:          pointer.String(c.alias(market)),
		Q:                   pointer.String(cmp.Or(words, "*")),
		QueryBy:             pointer.String(queryBy),
		QueryByWeights:      pointer.String(queryWeights),
		FilterBy:            &filter,
		SortBy:              &order,
		PerPage:             &limit,
		Prefix:              pointer.String(strconv.FormatBool(utf8.RuneCountInString(last) >= minPrefix)),
		NumTypos:            pointer.String("2"),
		MinLen1typo:         pointer.Int(4),
		MinLen2typo:         pointer.Int(7),
		DropTokensThreshold: pointer.Int(0),
		IncludeFields:       pointer.String("id"),

		// a field that has nothing but the words is no better: it has few
		PrioritizeExactMatch: pointer.False(),
		HighlightFields:      pointer.String("key"), // which no word is looked for in: nothing is quoted
	}
}

func orderOf(near *geo.Location, words string) string {
	var by []string
	if words != "" {
		by = append(by, "_text_match:desc")
	}
	if near != nil {
		by = append(by, fmt.Sprintf("location(%s, %s):asc", degrees(near.Lat), degrees(near.Lng)))
	}
	return strings.Join(append(by, "key:asc"), ",")
}

// hit is a listing that a search found.
type hit struct {
	id     string
	weight float64 // of the field where the words are
	far    int     // metres
}

func hitsOf(r api.MultiSearchResultItem) ([]hit, error) {
	switch {
	case r.Code != nil && *r.Code == http.StatusNotFound:
		return nil, ErrNoIndex
	case r.Code != nil:
		return nil, &library.HTTPError{Status: int(*r.Code)}
	case r.Error != nil || r.Hits == nil:
		return nil, errors.New("an answer without hits")
	}
	var all []hit
	for _, found := range *r.Hits {
		h := hit{far: math.MaxInt}
		if found.Document != nil {
			h.id, _ = (*found.Document)["id"].(string)
		}
		if h.id == "" {
			return nil, errors.New("a hit without its id")
		}
		if m := found.TextMatchInfo; m != nil && m.BestFieldWeight != nil {
			h.weight = float64(*m.BestFieldWeight)
		}
		if found.GeoDistanceMeters != nil {
			if far, is := (*found.GeoDistanceMeters)["location"]; is {
				h.far = far
			}
		}
		all = append(all, h)
	}
	return all, nil
}

func ids(hits []hit) []string {
	var all []string
	for _, h := range hits {
		all = append(all, h.id)
	}
	return all
}

// some returns the listings that have some of the words, given the hits of each word. It ranks them like the
// index in memory does, by the weight of their words and by how many there are.
func some(words [][]hit, limit int) []string {
	type sum struct {
		hit
		words float64
	}
	sums := map[string]sum{}
	for _, hits := range words {
		for _, h := range hits {
			s := sums[h.id]
			s.id, s.far = h.id, h.far
			s.weight, s.words = s.weight+h.weight, s.words+1
			sums[h.id] = s
		}
	}
	all := slices.SortedFunc(maps.Values(sums), func(a, b sum) int {
		return cmp.Or(cmp.Compare(b.weight*b.words, a.weight*a.words), cmp.Compare(a.far, b.far), strings.Compare(a.id, b.id))
	})
	var out []string
	for _, s := range all {
		if len(out) < limit && s.weight*s.words*weakest >= all[0].weight*all[0].words {
			out = append(out, s.id)
		}
	}
	return out
}

// filterOf writes the filters of a query; none is possible when one of them says nothing.
// https://typesense.org/docs/latest/api/search.html#filter-parameters
func filterOf(q listing.Query) (filter string, possible bool) {
	clauses := []string{"enabled:=true"}
	for _, f := range []struct{ field, asked, want string }{
		{"domain", q.Domain, listing.Normal(q.Domain)}, {"category", q.Category, listing.Normal(q.Category)},
		{"subCategory", q.SubCategory, listing.Normal(q.SubCategory)}, {"actions", q.Action, q.Action},
	} {
		if f.asked == "" {
			continue
		}
		if len(listing.Words(f.want)) == 0 {
			return "", false
		}
		clauses = append(clauses, f.field+":="+quote(f.want))
	}
	switch {
	case q.MinPrice > 0 && q.MaxPrice > 0:
		clauses = append(clauses, fmt.Sprintf("prices:[%d..%d]", q.MinPrice, q.MaxPrice))
	case q.MinPrice > 0:
		clauses = append(clauses, fmt.Sprintf("prices:>=%d", q.MinPrice))
	case q.MaxPrice > 0:
		clauses = append(clauses, fmt.Sprintf("prices:<=%d", q.MaxPrice))
	}
	if q.Near != nil && q.Radius > 0 {
		clauses = append(clauses, within(*q.Near, q.Radius))
	}
	return strings.Join(clauses, " && "), true
}

// quote keeps all that a value has from being read as an operator. Nothing but the quotation
// mark itself can end it.
func quote(value string) string { return "`" + strings.ReplaceAll(value, "`", " ") + "`" }

func within(p geo.Location, meters float64) string {
	return fmt.Sprintf("location:(%s, %s, %s km)", degrees(p.Lat), degrees(p.Lng), strconv.FormatFloat(meters/1000, 'f', 3, 64))
}

// degrees writes six places, which is 10 cm.
func degrees(d float64) string { return strconv.FormatFloat(d, 'f', 6, 64) }
