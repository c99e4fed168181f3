package typesense

import (
	"strings"

	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"merve/internal/record/listing"
)

// queryBy are the fields to search for words, and queryWeights their weights, in
// the proportions of the index in memory. Up to 15, answers return them unchanged.
const (
	queryBy      = "names,kinds,about,offerings,items,synonyms,descriptions"
	queryWeights = "10,8,6,4,4,3,2"
)

// record is a listing's document as Typesense has it. The texts are words between spaces.
type record struct {
	ID           string    `json:"id"`
	Key          string    `json:"key"` // the id once more: documents cannot be ordered by that
	Enabled      bool      `json:"enabled"`
	Domain       string    `json:"domain"`
	Category     string    `json:"category"`
	SubCategory  string    `json:"subCategory"`
	Actions      []string  `json:"actions"`
	Tags         []string  `json:"tags"`
	Prices       []int64   `json:"prices"`             // minor units
	Location     []float64 `json:"location,omitempty"` // latitude, longitude
	Names        string    `json:"names"`
	Kinds        string    `json:"kinds"`
	About        string    `json:"about"`
	Offerings    string    `json:"offerings"`
	Items        string    `json:"items"`
	Synonyms     string    `json:"synonyms"`
	Descriptions string    `json:"descriptions"`
	Version      int       `json:"version"`
	UpdatedAt    int64     `json:"updatedAt"` // ms since 1970
}

func recordOf(d listing.Document) record {
	r := record{
		ID: d.ID, Key: d.ID, Enabled: d.Enabled, Version: d.Version, UpdatedAt: d.UpdatedAt.UnixMilli(),
		Domain: d.Domain, Category: d.Category, SubCategory: d.SubCategory,
		Actions: list(d.Actions), Tags: list(d.Tags), Prices: list(d.Prices),
		Names: text(d.Names), Kinds: text(d.Kinds), About: text(d.About), Offerings: text(d.Offerings),
		Items: text(d.Items), Synonyms: text(d.Synonyms), Descriptions: text(d.Descriptions),
	}
	if d.Location != nil {
		r.Location = []float64{d.Location.Lat, d.Location.Lng}
	}
	return r
}

func text(words []string) string { return strings.Join(words, " ") }

// list is never null, which Typesense takes for no list.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

// schema is that of a market's collection. https://typesense.org/docs/latest/api/collections.html#schema-parameters
func schema(name string) *api.CollectionSchema {
	field := func(name, kind string) api.Field { return api.Field{Name: name, Type: kind} }
	facet := func(name, kind string) api.Field { return api.Field{Name: name, Type: kind, Facet: pointer.True()} }
	fields := []api.Field{
		{Name: "key", Type: "string", Sort: pointer.True()},
		field("enabled", "bool"),
		facet("domain", "string"), facet("category", "string"), facet("subCategory", "string"), facet("actions", "string[]"), facet("tags", "string[]"),
		field("prices", "int64[]"),
		{Name: "location", Type: "geopoint", Optional: pointer.True()},
		field("version", "int64"), field("updatedAt", "int64"),
	}
	for name := range strings.SplitSeq(queryBy, ",") {
		fields = append(fields, field(name, "string"))
	}
	return &api.CollectionSchema{Name: name, Fields: fields}
}
