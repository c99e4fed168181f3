package discovery

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/words/wording"
)

// FeedItem is something that was found outside of the catalogue for a post. There is one for a post, a source and a page.
type FeedItem struct {
	ID         string    `dynamodbav:"id"`
	Request    string    `dynamodbav:"request"`
	Post       string    `dynamodbav:"post"`
	Source     Source    `dynamodbav:"source"`
	Title      string    `dynamodbav:"title,omitempty"`
	Snippet    string    `dynamodbav:"snippet,omitempty"`
	URL        string    `dynamodbav:"url,omitempty"`
	Confidence *float64  `dynamodbav:"confidence,omitempty"`
	Searches   []Link    `dynamodbav:"searches,omitempty"` // to be shown with it
	Place      string    `dynamodbav:"place,omitempty"`    // id of a place on the map, and nothing else is kept
	N          int       `dynamodbav:"n"`                  // its place among those of its search
	At         time.Time `dynamodbav:"at"`
	TTL        int64     `dynamodbav:"ttl"`
}

const (
	ofRequests = "request#"
	feedPrefix = "feed#"
	itemPrefix = "fi_"
)

func feedKey(request, id string) dynamo.Key {
	return dynamo.Key{PK: ofRequests + request, SK: feedPrefix + id}
}

// NewItem begins an item of a page, or of a place on the map, the n-th that a search for a post has found.
func NewItem(request, post string, source Source, page string, n int, now time.Time) FeedItem {
	return FeedItem{
		ID:      ident.New(itemPrefix, "feed", request+"\x00"+post, string(source)+"\x00"+page),
		Request: request, Post: post, Source: source, N: n, At: now, TTL: now.Add(keepItems).Unix(),
	}
}

// ShownItem is an item as callers see it. Its words are a stranger's.
type ShownItem struct {
	ID          string   `json:"feed_item_id"`
	Source      Source   `json:"source"`
	Title       string   `json:"title"`
	Snippet     string   `json:"snippet,omitempty"`
	URL         string   `json:"url"`
	Phone       string   `json:"phone,omitempty"`
	Location    string   `json:"location_text,omitempty"`
	Confidence  *float64 `json:"confidence,omitempty"`
	Attribution string   `json:"attribution,omitempty"`        // has to be shown with it
	Searches    []Link   `json:"search_suggestions,omitempty"` // have to be shown with it
	Place       string   `json:"place_id,omitempty"`
}

// attribution is what Google wants to be shown with what is from its map.
// https://developers.google.com/maps/documentation/places/web-service/policies
const attribution = "Google Maps"

// Shown is an item as it is kept: of a place on the map no more than where to look at it.
func (f FeedItem) Shown() ShownItem {
	s := ShownItem{
		ID: f.ID, Source: f.Source, Title: f.Title, Snippet: f.Snippet, URL: f.URL, Confidence: f.Confidence, Searches: f.Searches, Place: f.Place,
	}
	if f.Place != "" {
		s.Title, s.URL, s.Attribution = attribution, onMap(f.Place), attribution
	}
	return s
}

// onMap is the address that shows a place. https://developers.google.com/maps/documentation/urls/get-started
func onMap(place string) string {
	return "https://www.google.com/maps/search/?" + url.Values{"api": {"1"}, "query": {"place"}, "query_place_id": {place}}.Encode()
}

// With is an item with what the map says now.
func (s ShownItem) With(p Place) ShownItem {
	s.Title, s.Phone, s.Location = cmp.Or(p.Name, s.Title), p.Phone, p.Address
	return s
}

// maxLookedUp bounds the places that are looked up to be shown, since each costs.
const maxLookedUp = 2 * MaxResults

// LookedUp are items with what the map says of their places now. One that cannot be looked up stays as it is kept.
func (f *Finder) LookedUp(ctx context.Context, items []ShownItem, lang string, log *slog.Logger) []ShownItem {
	if why, err := f.PlacesReady(ctx); why != "" || err != nil {
		return items
	}
	var all sync.WaitGroup
	n := 0
	for i := range items {
		if items[i].Place == "" {
			continue
		}
		if n++; n > maxLookedUp {
			break
		}
		all.Go(func() {
			p, err := f.Map.Place(ctx, items[i].Place, lang)
			if err == nil {
				items[i] = items[i].With(p.Tidy())
			} else if !fault.Is(err, fault.NotFound) {
				log.WarnContext(ctx, "place not looked up", "error", err.Error())
			}
		})
	}
	all.Wait()
	return items
}

// Cards show items to the client as what they are: found on the web, and not checked. Cards are kept with what was
// said, so that a place on the map has nothing but the way to it.
func Cards(lang string, items []ShownItem) []map[string]any {
	var all []map[string]any
	var searches []Link
	for _, s := range items {
		card := map[string]any{
			"type": "found", "id": s.ID, "title": s.Title, "url": s.URL, "source": string(s.Source), "note": wording.Say(lang, wording.RequestUnchecked, nil),
		}
		if s.Snippet != "" {
			card["subtitle"] = s.Snippet
		}
		if s.Attribution != "" {
			card["title"], card["attribution"] = s.Attribution, s.Attribution
		}
		for _, l := range s.Searches {
			if !slices.Contains(searches, l) {
				searches = append(searches, l)
			}
		}
		all = append(all, card)
	}
	if len(searches) > 0 {
		all = append(all, map[string]any{"type": "searches", "id": "searches-" + items[0].ID, "title": "Google", "links": searches})
	}
	return all
}

// InLines are items as text: a line each, with its address.
func InLines(lang string, items []ShownItem) string {
	var lines []string
	var searches []Link
	for i, s := range items {
		title := s.Title
		if s.Attribution == "" {
			title = wording.Quote(lang, title)
		}
		lines = append(lines, strconv.Itoa(i+1)+". "+title+"\n"+s.URL)
		for _, l := range s.Searches {
			if !slices.Contains(searches, l) {
				searches = append(searches, l)
			}
		}
	}
	for _, l := range searches {
		lines = append(lines, "Google: "+l.Title+"\n"+l.URL)
	}
	return strings.Join(lines, "\n")
}

// Store keeps what was found for requests, and counts the searches that were made. Safe for concurrent use.
type Store struct{ Table dynamo.Table } // records

// Put is the write that keeps an item.
func (s Store) Put(f FeedItem) dynamo.Write { return s.Table.Put(feedKey(f.Request, f.ID), f) }

// Spend takes one call from what a post has, of a kind; it fails with spent. What is taken is not given back: where a call
// ends unclear, it may have been made.
func (s Store) Spend(request, kind, post string, have int, spent error) dynamo.Write {
	return s.Table.Count(budgetKey(request, kind, post), "used", have, time.Time{}).Else(spent)
}

// Feed are the items of a request, the latest search first. 1 request for each megabyte.
func (s Store) Feed(ctx context.Context, request string) ([]FeedItem, error) {
	all, err := dynamo.Collect[FeedItem](ctx, s.Table, dynamo.Under(ofRequests+request, feedPrefix))
	if err != nil {
		return nil, fmt.Errorf("feed of request %s: %w", request, err)
	}
	slices.SortFunc(all, func(a, b FeedItem) int { return cmp.Or(b.At.Compare(a.At), a.N-b.N) })
	return all, nil
}

// Items reads some items of a request, those that there are. 1 request.
func (s Store) Items(ctx context.Context, request string, ids []string) ([]FeedItem, error) {
	keys := make([]dynamo.Key, len(ids))
	for i, id := range ids {
		keys[i] = feedKey(request, id)
	}
	found, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("feed of request %s: %w", request, err)
	}
	return dynamo.Decode[FeedItem](found)
}

// Discovered is what a search gives. The items are strangers', and in no way ours.
type Discovered struct {
	Engine   Name        `json:"engine,omitempty"` // "none" when nothing was asked; not of maps that were
	Items    []ShownItem `json:"feed_items"`
	Disabled bool        `json:"disabled,omitempty"`
	Reason   string      `json:"reason,omitempty"`
}

func budgetKey(request, kind, post string) dynamo.Key {
	return dynamo.Key{PK: ofRequests + request, SK: "budget#" + kind + "#" + ident.Digest(post)}
}

// The counters of calls. Pages and profiles share one.
const (
	WebBudget  = "web"
	MapsBudget = "maps"
)

// keepItems is how long what was found is kept.
const keepItems = 400 * 24 * time.Hour
