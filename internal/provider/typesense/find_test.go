package typesense_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/provider/typesense"
	"merve/internal/provider/typesense/typesensetest"
	"merve/internal/record/listing"
)

func clientOf(s *typesensetest.Server) *typesense.Client {
	return &typesense.Client{URL: s.URL(), Key: key(typesensetest.Key), HTTP: s.Client(), Prefix: "merve-", Timeout: 10 * time.Second, Backoff: func(int) time.Duration { return time.Millisecond }}
}

// indexed is a market whose listings a stand-in has.
func indexed(t *testing.T, all ...*listing.Listing) (*typesensetest.Server, *typesense.Indexer, string) {
	t.Helper()
	s := typesensetest.New(t)
	store, market := stored(t, all...)
	x := indexer(clientOf(s), store)
	if _, err := x.Reindex(t.Context(), market); err != nil {
		t.Fatal(err)
	}
	return s, x, market
}

// What a search asks of Typesense, word by word.
func TestSearchParameters(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	here := &geo.Location{Lat: 35.3, Lng: -33.25}
	for name, tt := range map[string]struct {
		query         listing.Query
		q, filter, by string
		limit         float64
	}{
		"nothing": {listing.Query{}, "*", "enabled:=true", "key:asc", 5},
		"words":   {listing.Query{Text: "Girne'de SUŞİ!", Limit: 7}, "girne de susi", "enabled:=true", "_text_match:desc,key:asc", 7},
		"kinds": {
			listing.Query{Domain: "Food", Category: "Restaurants", SubCategory: "fine_dining", Action: "order_food"},
			"*", "enabled:=true && domain:=`food` && category:=`restaurant` && subCategory:=`fine dining` && actions:=`order_food`", "key:asc", 5,
		},
		"prices": {listing.Query{MinPrice: 5, MaxPrice: 70}, "*", "enabled:=true && prices:[5..70]", "key:asc", 5},
		"from":   {listing.Query{MinPrice: 5}, "*", "enabled:=true && prices:>=5", "key:asc", 5},
		"to":     {listing.Query{MaxPrice: 70}, "*", "enabled:=true && prices:<=70", "key:asc", 5},
		"near":   {listing.Query{Near: here}, "*", "enabled:=true", "location(35.300000, -33.250000):asc,key:asc", 5},
		"within": {
			listing.Query{Near: here, Radius: 1234.5, Text: "bar", Limit: 1000}, "bar", "enabled:=true && location:(35.300000, -33.250000, 1.234 km)",
			"_text_match:desc,location(35.300000, -33.250000):asc,key:asc", 250,
		},
		"signs": {
			listing.Query{Text: "`x` && id:=* -bar \"a b\"", Domain: "a` || enabled:=false && (`"}, "x id bar a b",
			"enabled:=true && domain:=`a' || enabled:=false && ('`", "_text_match:desc,key:asc", 5,
		},
		"an action of signs": {listing.Query{Action: "x` || `y"}, "*", "enabled:=true && actions:=`x  ||  y`", "key:asc", 5},
	} {
		before := len(s.Searches())
		if _, err := x.Client.Find(t.Context(), market, tt.query); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := s.Searches()[before]
		want := map[string]any{
			"collection": "merve-" + market, "q": tt.q, "filter_by": tt.filter, "sort_by": tt.by, "per_page": tt.limit,
			"query_by": "names,kinds,about,offerings,items,synonyms,descriptions", "query_by_weights": "10,8,6,4,4,3,2",
			"prefix": fmt.Sprint(len(tt.q) >= 3 && !strings.HasSuffix(tt.q, " b")), "num_typos": "2", "min_len_1typo": 4., "min_len_2typo": 7.,
			"drop_tokens_threshold": 0., "include_fields": "id", "highlight_fields": "key", "prioritize_exact_match": false,
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	before := len(s.Searches())
	if ids, err := x.Client.Find(t.Context(), market, listing.Query{Domain: "!!"}); err != nil || len(ids) > 0 || len(s.Searches()) != before {
		t.Errorf("a filter that says nothing: %v, %v", ids, err)
	}
	if _, err := x.Client.Find(t.Context(), market, listing.Query{Text: long(100)}); err != nil {
		t.Error(err)
	}
	last := s.Searches()[len(s.Searches())-1]["q"]
	if last != "zq31x" {
		t.Errorf("of a long text the last word that counts is %v", last)
	}
}

// Where no listing has all words, those that have the most of them in the weightiest fields.
func TestSomeOfTheWords(t *testing.T) {
	t.Parallel()
	both := simple("both", "Fish house")
	both.Descriptions = map[string]string{"en": "wood fire"}
	named, told, kind := simple("named", "Fish"), simple("told", "Bar"), simple("kind", "Corner")
	told.Descriptions = map[string]string{"en": "fish"}
	kind.Category = "fish"
	s, x, market := indexed(t, both, named, told, kind)
	for q, want := range map[string][]string{
		"fish":                {"both", "named", "kind"}, // and told, which is one too many
		"zzz fire":            {"both"},
		"zzz fire fish":       {"both", "named", "kind"},
		"zzz":                 nil,
		"zzz yyy":             nil,
		"where is wood house": {"both"},
	} {
		s.Each(nil)
		ids, err := x.Client.Find(t.Context(), market, listing.Query{Text: q, Limit: 3})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, ids); d != "" {
			t.Errorf("%s: %s", q, d)
		}
		if n := len(s.Requests()); n != 1 && (n != 2 || !strings.Contains(q, " ")) {
			t.Errorf("%s: %d requests", q, n)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	const private = "sushisecret"
	type step = typesensetest.Fault
	tests := []struct {
		name     string
		faults   []step
		kind     fault.Kind // "" is none
		requests int
	}{
		{"away, then back", []step{{Status: 503}}, "", 2},
		{"no answer, then one", []step{{Drop: true}}, "", 2},
		{"an answer lost, then one", []step{{Lost: true}}, "", 2},
		{"away", []step{{Status: 503}, {Status: 500}, {}}, fault.Unavailable, 2},
		{"no answer", []step{{Drop: true}, {Drop: true}, {}}, fault.Unavailable, 2},
		{"asked too often", []step{{Status: 429}, {Status: 429}}, fault.Limited, 2},
		{"a wrong key", []step{{Status: 401}, {}}, fault.Internal, 1},
		{"a key for less", []step{{Status: 403}, {}}, fault.Internal, 1},
		{"a bad request", []step{{Status: 400}, {}}, fault.Internal, 1},
		{"a page of a proxy", []step{{Page: true, Status: http.StatusOK}}, fault.Unavailable, 1},
		{"a redirect", []step{{Page: true, Status: http.StatusFound}}, fault.Unavailable, 1},
		{"not JSON", []step{{Body: `{"results":`}}, fault.Unavailable, 1},
		{"no results", []step{{Body: `{"results":[]}`}}, fault.Unavailable, 1},
		{"no hits", []step{{Body: `{"results":[{}]}`}}, fault.Unavailable, 1},
		{"a hit without id", []step{{Body: `{"results":[{"hits":[{"document":{}}]}]}`}}, fault.Unavailable, 1},
		{"a refusal inside", []step{{Body: `{"results":[{"code":400,"error":"` + private + `"}]}`}}, fault.Internal, 1},
		{"too many inside", []step{{Body: `{"results":[{"code":429,"error":"x"}]}`}}, fault.Limited, 1},
		{"no collection inside", []step{{Body: `{"results":[{"code":404,"error":"Not found."}]}`}}, fault.Unavailable, 1},
	}
	for _, tt := range tests {
		s.Each(func(n int, _ string) typesensetest.Fault {
			if n > len(tt.faults) {
				return typesensetest.Fault{}
			}
			return tt.faults[n-1]
		})
		_, err := x.Client.Find(t.Context(), market, listing.Query{Text: private})
		switch {
		case tt.kind == "" && err != nil, tt.kind != "" && fault.KindOf(err) != tt.kind, tt.kind != "" && err == nil:
			t.Errorf("%s: %v, want kind %q", tt.name, err, tt.kind)
		case err != nil && (strings.Contains(err.Error(), "sushi") || strings.Contains(err.Error(), typesensetest.Key)):
			t.Errorf("%s: %v tells what was asked, or the key", tt.name, err)
		}
		if n := len(s.Requests()); n != tt.requests {
			t.Errorf("%s: %d requests, want %d", tt.name, n, tt.requests)
		}
	}
}

// The time of a search that nobody answers is bounded.
func TestTimeout(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	s.Each(func(int, string) typesensetest.Fault { <-hold; return typesensetest.Fault{Drop: true} })
	x.Client.Timeout = 20 * time.Millisecond
	if _, err := x.Client.Find(t.Context(), market, listing.Query{}); !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// What has been answered is not asked again.
func TestAnswerIsTaken(t *testing.T) {
	t.Parallel()
	s := typesensetest.New(t)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	s.Each(func(n int, _ string) typesensetest.Fault {
		if n > 1 {
			end()
		}
		return typesensetest.Fault{Status: http.StatusNotFound}
	})
	if _, err := clientOf(s).Find(ctx, "nowhere", listing.Query{}); err == nil || len(s.Requests()) != 1 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

// A refused key is told from a refused request: somebody else has to mend it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	for status, want := range map[int]string{401: "the search engine refuses the key", 403: "the search engine refuses the key", 400: "the search engine refuses the request"} {
		s.Each(func(int, string) typesensetest.Fault { return typesensetest.Fault{Status: status} })
		if _, err := x.Client.Find(t.Context(), market, listing.Query{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("HTTP %d: %v, want %q", status, err, want)
		}
	}
}

func TestOff(t *testing.T) {
	t.Parallel()
	broken := errors.New("no secret")
	for name, tt := range map[string]struct {
		client typesense.Client
		want   error
	}{
		"no address": {typesense.Client{Key: key("k")}, typesense.ErrOff},
		"no key":     {typesense.Client{URL: "http://a.test"}, typesense.ErrOff},
		"empty key":  {typesense.Client{URL: "http://a.test", Key: key("")}, typesense.ErrOff},
	} {
		if _, err := tt.client.Find(t.Context(), "m", listing.Query{}); !errors.Is(err, tt.want) {
			t.Errorf("%s: find: %v", name, err)
		}
		x := indexer(&tt.client, nil)
		if err := x.Changed(t.Context(), "m", "a"); !errors.Is(err, tt.want) {
			t.Errorf("%s: changed: %v", name, err)
		}
		if _, err := x.Reindex(t.Context(), "m"); !errors.Is(err, tt.want) {
			t.Errorf("%s: re-index: %v", name, err)
		}
	}
	failing := typesense.Client{URL: "http://a.test", Key: func(context.Context) (string, error) { return "", broken }}
	if _, err := failing.Find(t.Context(), "m", listing.Query{}); !errors.Is(err, broken) {
		t.Errorf("the key cannot be had: %v", err)
	}
	odd := typesense.Client{URL: "not-an-address/?key=secret", Key: key("k")}
	if _, err := odd.Find(t.Context(), "m", listing.Query{}); err == nil || err.Error() != "typesense: TYPESENSE_URL is not an address" {
		t.Errorf("no address: %v", err)
	}
}
