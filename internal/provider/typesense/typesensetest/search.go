package typesensetest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// query is one of the searches of a request.
// https://typesense.org/docs/latest/api/search.html#search-parameters
type query struct {
	Collection string `json:"collection"`
	Q          string `json:"q"`
	QueryBy    string `json:"query_by"`
	Weights    string `json:"query_by_weights"`
	FilterBy   string `json:"filter_by"`
	SortBy     string `json:"sort_by"`
	PerPage    int    `json:"per_page"`
	Prefix     string `json:"prefix"`
	Typos      string `json:"num_typos"`
	Min1       int    `json:"min_len_1typo"`
	Min2       int    `json:"min_len_2typo"`
	Drop       int    `json:"drop_tokens_threshold"`
	Include    string `json:"include_fields"`
	Highlight  string `json:"highlight_fields"`
	Exact      bool   `json:"prioritize_exact_match"`
}

const maxSearches = 50 // of one request

func (s *Server) search(r *http.Request, body []byte) answer {
	var in struct {
		Searches []query `json:"searches"`
	}
	var raw struct {
		Searches []map[string]any `json:"searches"`
	}
	if len(r.URL.RawQuery) > 0 {
		return refuse(http.StatusBadRequest, "this stand-in wants no parameters in the address: it is logged")
	}
	if err := read(body, &in); err != nil || len(in.Searches) > maxSearches {
		return refuse(http.StatusBadRequest, "Bad JSON: %v", err)
	}
	_ = read(body, &raw) // was read above
	s.searches = append(s.searches, raw.Searches...)
	results := []any{}
	for _, q := range in.Searches {
		results = append(results, s.find(q))
	}
	return ok(map[string]any{"results": results})
}

// find answers one search. Its errors stand in the answer to it.
func (s *Server) find(q query) map[string]any {
	c := s.resolve(q.Collection)
	if c == nil {
		return map[string]any{"code": http.StatusNotFound, "error": "Not found."}
	}
	if message := c.check(q); message != "" {
		return map[string]any{"code": http.StatusBadRequest, "error": message}
	}
	type scored struct {
		id     string
		weight int
	}
	var all []scored
	for _, id := range slices.Sorted(maps.Keys(c.documents)) {
		if d := c.documents[id]; passes(d, q.FilterBy) {
			if w := weigh(d, q); w > 0 {
				all = append(all, scored{id, w})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.weight, a.weight) })
	hits := []any{}
	for _, h := range all[:min(len(all), q.PerPage)] {
		hits = append(hits, map[string]any{"document": map[string]any{"id": h.id}, "highlights": []any{}, "text_match_info": map[string]any{"best_field_weight": h.weight}})
	}
	return map[string]any{"found": len(all), "hits": hits, "page": 1, "out_of": len(c.documents)}
}

func (c *collection) field(name string) map[string]any {
	for _, f := range c.Fields {
		if f["name"] == name {
			return f
		}
	}
	return nil
}

var (
	clause = regexp.MustCompile("^([a-zA-Z]+):(=(true|false|`[^`]+`)|\\[[0-9]+\\.\\.[0-9]+\\]|[<>]=[0-9]+|\\(-?[0-9.]+, -?[0-9.]+, [0-9.]+ km\\))$")
	place  = regexp.MustCompile(`^location\(-?[0-9.]+, -?[0-9.]+\):asc$`)
	apart  = regexp.MustCompile("`[^`]*`")
)

// check says what Typesense would refuse.
func (c *collection) check(q query) string {
	fields := strings.Split(q.QueryBy, ",")
	for _, name := range fields {
		if f := c.field(name); f == nil || f["type"] != "string" {
			return fmt.Sprintf("Could not find a field named `%s` in the schema.", name)
		}
	}
	for _, one := range clauses(q.FilterBy) {
		m := clause.FindStringSubmatch(one)
		if m == nil {
			return "Could not parse the filter query."
		}
		if c.field(m[1]) == nil {
			return fmt.Sprintf("Could not find a filter field named `%s` in the schema.", m[1])
		}
	}
	order := regexp.MustCompile(`,\b`).Split(q.SortBy, -1)
	for _, by := range order {
		if by != "_text_match:desc" && by != "key:asc" && !place.MatchString(by) {
			return fmt.Sprintf("Could not find a field named `%s` in the schema for sorting.", by)
		}
	}
	switch {
	case q.Q == "":
		return "Parameter `q` is required."
	case len(strings.Split(q.Weights, ",")) != len(fields):
		return "Number of weights in `query_by_weights` does not match number of `query_by` fields."
	case len(order) > 3:
		return "Only upto 3 sort_by fields can be specified."
	case q.PerPage < 1 || q.PerPage > 250:
		return "Only upto 250 hits can be fetched per page."
	}
	return ""
}

// clauses takes a filter apart, where no quotation goes on.
func clauses(filter string) []string {
	var quoted []string
	bare := apart.ReplaceAllStringFunc(filter, func(q string) string {
		quoted = append(quoted, q)
		return "`" + strconv.Itoa(len(quoted)-1) + "`"
	})
	all := strings.Split(bare, " && ")
	for i, one := range all {
		all[i] = apart.ReplaceAllStringFunc(one, func(q string) string {
			n, _ := strconv.Atoi(strings.Trim(q, "`")) // made above
			return quoted[n]
		})
	}
	return all
}

// passes knows the filters of equality; others let everything through.
func passes(d map[string]any, filter string) bool {
	for _, one := range clauses(filter) {
		m := clause.FindStringSubmatch(one)
		want := strings.Trim(m[3], "`")
		switch v := d[m[1]].(type) {
		case bool:
			if strconv.FormatBool(v) != want {
				return false
			}
		case string:
			if v != want {
				return false
			}
		case []any:
			if m[3] != "" && !slices.Contains(v, any(want)) {
				return false
			}
		}
	}
	return true
}

// weigh is the weight of the best field that has one of the words, of a document that has all.
func weigh(d map[string]any, q query) int {
	if q.Q == "*" {
		return 1
	}
	best := 0
	asked := strings.Fields(q.Q)
	for i, w := range asked {
		found := 0
		for n, name := range strings.Split(q.QueryBy, ",") {
			text, _ := d[name].(string)
			if slices.ContainsFunc(strings.Fields(text), func(has string) bool {
				return has == w || q.Prefix == "true" && i == len(asked)-1 && strings.HasPrefix(has, w)
			}) {
				weight, _ := strconv.Atoi(strings.Split(q.Weights, ",")[n]) // numbers, as they came
				found = max(found, weight)
			}
		}
		if found == 0 {
			return 0
		}
		best = max(best, found)
	}
	return best
}
