package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/discovery"
	"merve/internal/words/wording"
)

// FeedItem is something that was found outside of the catalogue for a post. There is one for a post, a source and a page.
type FeedItem struct {
	ID         string           `dynamodbav:"id"`
	Request    string           `dynamodbav:"request"`
	Post       string           `dynamodbav:"post"`
	Source     discovery.Source `dynamodbav:"source"`
	Title      string           `dynamodbav:"title,omitempty"`
	Snippet    string           `dynamodbav:"snippet,omitempty"`
	URL        string           `dynamodbav:"url,omitempty"`
	Confidence *float64         `dynamodbav:"confidence,omitempty"`
	Searches   []discovery.Link `dynamodbav:"searches,omitempty"` // to be shown beside it
	Place      string           `dynamodbav:"place,omitempty"`    // id of a place on the map, of which nothing else is kept
	N          int              `dynamodbav:"n"`                  // its place among those of its search
	At         time.Time        `dynamodbav:"at"`
	TTL        int64            `dynamodbav:"ttl"`
}

const (
	feedPrefix = "feed#"
	itemPrefix = "fi_"
)

func feedKey(request, id string) dynamo.Key {
	return dynamo.Key{PK: partition(request), SK: feedPrefix + id}
}

// item begins an item of a page, or of a place on the map.
func (c *call) item(post string, source discovery.Source, page string, n int) FeedItem {
	return FeedItem{
		ID:      ident.New(itemPrefix, "feed", c.view.ID+"\x00"+post, string(source)+"\x00"+page),
		Request: c.view.ID, Post: post, Source: source, N: n, At: c.now, TTL: c.now.Add(keepFor).Unix(),
	}
}

// ShownItem is an item as callers see it. Its words are a stranger's.
type ShownItem struct {
	ID          string           `json:"feed_item_id"`
	Source      discovery.Source `json:"source"`
	Title       string           `json:"title"`
	Snippet     string           `json:"snippet,omitempty"`
	URL         string           `json:"url"`
	Phone       string           `json:"phone,omitempty"`
	Location    string           `json:"location_text,omitempty"`
	Confidence  *float64         `json:"confidence,omitempty"`
	Attribution string           `json:"attribution,omitempty"`        // has to be shown with it
	Searches    []discovery.Link `json:"search_suggestions,omitempty"` // have to be shown with it
	Place       string           `json:"place_id,omitempty"`
}

// attribution is what Google wants to be shown with what is from its map.
// https://developers.google.com/maps/documentation/places/web-service/policies
const attribution = "Google Maps"

// shown is an item as it is kept: of a place on the map no more than where to look at it.
func (f FeedItem) shown() ShownItem {
	s := ShownItem{
		ID: f.ID, Source: f.Source, Title: f.Title, Snippet: f.Snippet, URL: f.URL, Confidence: f.Confidence, Searches: f.Searches, Place: f.Place,
	}
	if f.Place != "" {
		s.Title, s.URL, s.Attribution = attribution, onMap(f.Place), attribution
	}
	return s
}

// onMap is the address at which a place is shown. https://developers.google.com/maps/documentation/urls/get-started
func onMap(place string) string {
	return "https://www.google.com/maps/search/?" + url.Values{"api": {"1"}, "query": {"place"}, "query_place_id": {place}}.Encode()
}

// with is an item with what the map says now.
func (s ShownItem) with(p discovery.Place) ShownItem {
	s.Title, s.Phone, s.Location = cmp.Or(p.Name, s.Title), p.Phone, p.Address
	return s
}

// Feed are the items of a request, the latest search first, as they are now. 1 request for each megabyte, and one of
// the map's for each place.
func (b *Broker) Feed(ctx context.Context, request string) ([]ShownItem, error) {
	v, err := b.Store.View(ctx, request)
	if err != nil {
		return nil, err
	}
	all, err := dynamo.Collect[FeedItem](ctx, b.Store.Table, dynamo.Under(partition(v.ID), feedPrefix))
	if err != nil {
		return nil, fmt.Errorf("feed of request %s: %w", v.ID, err)
	}
	slices.SortFunc(all, func(a, b FeedItem) int { return cmp.Or(b.At.Compare(a.At), a.N-b.N) })
	items := make([]ShownItem, len(all))
	for i, f := range all {
		items[i] = f.shown()
	}
	return b.lookedUp(ctx, items, v.Language), nil
}

// maxLookedUp bounds the places that are looked up to be shown, since each costs.
const maxLookedUp = 2 * discovery.MaxResults

// lookedUp are items with what the map says of their places now. One that cannot be looked up stays as it is kept.
func (b *Broker) lookedUp(ctx context.Context, items []ShownItem, lang string) []ShownItem {
	if why, err := b.Finder.PlacesReady(ctx); why != "" || err != nil {
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
			p, err := b.Finder.Map.Place(ctx, items[i].Place, lang)
			if err == nil {
				items[i] = items[i].with(p.Tidy())
			} else if !fault.Is(err, fault.NotFound) {
				b.Log.WarnContext(ctx, "place not looked up", "error", err.Error())
			}
		})
	}
	all.Wait()
	return items
}

// showPlaces is a kept answer of the map's, with what the map says now.
func (b *Broker) showPlaces(ctx context.Context, c *call, kept json.RawMessage) (json.RawMessage, error) {
	var d Discovered
	if err := json.Unmarshal(kept, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Tool, err)
	}
	d.Items = b.lookedUp(ctx, d.Items, c.view.Language)
	return json.Marshal(d)
}

// cards show items to the client as what they are: found on the web, and not checked. Cards are kept with what was
// said, so that a place on the map has nothing but the way to it.
func cards(lang string, items []ShownItem) []map[string]any {
	var all []map[string]any
	var searches []discovery.Link
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

// inLines are items as text: a line each, with its address.
func inLines(lang string, items []ShownItem) string {
	var lines []string
	var searches []discovery.Link
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

// items reads some items of a request, those that there are. 1 request.
func (s *Store) items(ctx context.Context, request string, ids []string) ([]FeedItem, error) {
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

// found tells the client what was found for them.
func (t *Teller) found(ctx context.Context, n news) error {
	v := n.view
	items, err := t.Broker.Store.items(ctx, v.ID, n.event.Items)
	if err != nil || len(items) == 0 {
		return err
	}
	shown := make([]ShownItem, len(items))
	for i, f := range items {
		shown[i] = f.shown()
	}
	vars := wording.Vars{"code": v.Code, "lines": inLines(v.Language, shown)}
	key := wording.RequestFound
	head, err := t.Threads.Head(ctx, v.Thread)
	if err != nil {
		return err
	}
	if !head.Channel.Pushes() {
		key = wording.RequestFoundCards
	}
	return t.client(ctx, n, string(wording.RequestFound), wording.Say(v.Language, key, vars), vars, cards(v.Language, shown))
}
