package request

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/discovery"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
)

// discovering is how the names of the tools begin that look outside of the catalogue.
const discovering = "discovery."

// The tools that look outside of the catalogue.
const (
	WebSearchItems     = discovering + "web_search_items"
	MapsPlacesItems    = discovering + "maps_places_items"
	SocialProfileItems = discovering + "social_profile_items"
)

// DiscoverInput asks for pages, or for profiles, for a post: the request itself, or a message of its conversation.
type DiscoverInput struct {
	Post     string         `json:"post_id" model:"request_id" jsonschema:"id of the request"`
	Need     string         `json:"need" jsonschema:"what is needed, in a few words, without names, numbers or addresses of anybody"`
	Category string         `json:"category,omitempty" model:",null" jsonschema:"kind of thing or service, in one to three English words; null when not clear"`
	Location string         `json:"location_text,omitempty" model:",null" jsonschema:"city; null when not said"`
	Engine   discovery.Name `json:"engine,omitempty" model:"-"`
	Max      *int           `json:"max_results,omitempty" jsonschema:"how many, 1 to 10; null for 5"`
}

// PlacesInput asks for places on the map for a post.
type PlacesInput struct {
	Post     string   `json:"post_id" model:"request_id" jsonschema:"id of the request"`
	Need     string   `json:"need" jsonschema:"what is needed, in a few words, without names, numbers or addresses of anybody"`
	Location string   `json:"location_text,omitempty" model:",null" jsonschema:"city; null when not said"`
	RadiusKM *float64 `json:"radius_km,omitempty" jsonschema:"how far from the place of the request, in km, 50 at most; null for any"`
	Max      *int     `json:"max_results,omitempty" jsonschema:"how many, 1 to 10; null for 5"`
}

const maxPost = 200 // bytes of an id

func (in DiscoverInput) check(*call) error {
	if err := checkDiscovery(in.Post, in.Need, in.Location, in.Max); err != nil {
		return err
	}
	if in.Category != "" {
		if err := text("category", in.Category, vendor.MaxCategory); err != nil {
			return err
		}
	}
	if !slices.Contains([]discovery.Name{"", discovery.OpenAI, discovery.Gemini, discovery.Auto}, in.Engine) {
		return fault.Field("engine", "want openai, gemini or auto")
	}
	return nil
}

func (in PlacesInput) check(c *call) error {
	if err := checkDiscovery(in.Post, in.Need, in.Location, in.Max); err != nil {
		return err
	}
	switch {
	case in.RadiusKM == nil:
		return nil
	case *in.RadiusKM <= 0 || *in.RadiusKM > discovery.MaxRadiusKM:
		return fault.Field("radius_km", "want more than 0, at most %d", discovery.MaxRadiusKM)
	case c.view.Requirements.Location() == nil:
		return fault.Field("radius_km", "the requirements have no location to count from")
	}
	return nil
}

// checkDiscovery holds what all these tools take to its form.
func checkDiscovery(post, need, location string, most *int) error {
	switch {
	case post == "" || len(post) > maxPost:
		return fault.Field("post_id", "want the id of the request or of a message")
	case most != nil && (*most < 1 || *most > discovery.MaxResults):
		return fault.Field("max_results", "want 1 to %d", discovery.MaxResults)
	}
	if location != "" {
		if err := text("location_text", location, discovery.MaxPlace); err != nil {
			return err
		}
	}
	return text("need", need, discovery.MaxNeed)
}

// most is how many items are wanted.
func most(asked *int) int {
	if asked == nil {
		return discovery.UsualResults
	}
	return *asked
}

// unbegun is the answer of a gate to a call that may not begin.
type unbegun struct{ outcome }

func (r unbegun) Error() string { return r.failed }

// disabled refuses a search that may not be made.
func disabled(why string) error {
	d := discovery.Discovered{Engine: discovery.None, Items: []discovery.ShownItem{}, Disabled: true, Reason: why}
	return unbegun{outcome{output: d, failed: why}}
}

// nothing is the answer to a search that came to nothing.
func nothing(why string) outcome {
	return outcome{output: discovery.Discovered{Engine: discovery.None, Items: []discovery.ShownItem{}, Reason: why}, failed: why}
}

// first takes the first call of a search.
func (x searches) first(c *call, kind, post string, have int) ([]dynamo.Write, error) {
	spent := errSpent(have)
	switch {
	case !c.view.State.Open():
		return nil, unbegun{nothing(fmt.Sprintf("the request is %s", c.view.State))}
	case have < 1:
		return nil, spent
	}
	return []dynamo.Write{x.b.Store.Found().Spend(c.view.ID, kind, post, have, spent)}, nil
}

// errSpent refuses a search for a post whose calls are used up.
func errSpent(have int) error {
	return disabled(fmt.Sprintf("the searches for this post are used up: it has %d", have))
}

// reserveWeb holds a search of pages, or of profiles, to what may be searched, and takes a call from the post's.
func (x searches) reserveWeb(ctx context.Context, c *call) ([]dynamo.Write, error) {
	s, err := x.searching(ctx, c)
	if err != nil {
		return nil, err
	}
	c.search = &s
	return x.first(c, discovery.WebBudget, s.post, x.b.Finder.WebCalls)
}

// searching is a search that may be made.
type searching struct {
	post    string
	engines []discovery.Chosen
	query   discovery.Query
}

// searching reads what is looked for. Nothing of the client's own is left in the query.
func (x searches) searching(ctx context.Context, c *call) (s searching, err error) {
	in, err := read[DiscoverInput](c)
	if err != nil {
		return s, err
	}
	s.post = in.Post
	head, err := x.onPost(ctx, c, in.Post)
	if err != nil {
		return s, err
	}
	social := c.Tool == SocialProfileItems
	var why string
	if s.engines, why, err = x.b.Finder.Engines(ctx, cmp.Or(in.Engine, discovery.Auto), social); err != nil {
		return s, err
	}
	if why != "" {
		return s, disabled(why)
	}
	own := c.private(head)
	s.query = discovery.Query{
		Need: own.Clean(in.Need), Category: own.Clean(in.Category), Place: own.Place(in.Location, c.city),
		Language: c.view.Language, Social: social, Max: most(in.Max),
	}
	return s, impersonal(s.query.Need)
}

// impersonal refuses a need if nothing in it may leave.
func impersonal(need string) error {
	if need == "" {
		return fault.Field("need", "says nothing but what is personal, which no search is told")
	}
	return nil
}

// onPost holds a post to the request: it is the request itself, or a message of the client's conversation. It gives
// the head of that, which is empty for a request without a client. 1 request.
func (x searches) onPost(ctx context.Context, c *call, post string) (thread.Head, error) {
	if post == c.view.ID {
		return x.b.clientHead(ctx, c)
	}
	if c.view.Thread != "" {
		head, ok, err := x.b.Threads.HeadWith(ctx, c.view.Thread, post)
		if ok || err != nil {
			return head, err
		}
	}
	return thread.Head{}, &fault.Error{Kind: fault.NotFound, Field: "post_id", Message: "not found"}
}

// city finds the district of the market that a text names.
func (c *call) city(text string) string { return c.market.DistrictOf(text, nil) }

// private is what is known of the client, which must not leave.
func (c *call) private(head thread.Head) discovery.Private {
	v := c.view
	p := discovery.Private{
		Names: []string{v.Client.Name, head.Name},
		Words: []string{v.Client.Phone, v.ID, v.Code, v.Owner, v.Thread, head.Phone, head.Contact},
	}
	if c.By.Key() == v.Owner {
		p.Names = append(p.Names, c.By.Name)
	}
	for _, o := range v.Outreach {
		p.Words = append(p.Words, o.ID, o.Code)
	}
	return p
}

// discover searches for pages or profiles, and keeps what is found.
func (x searches) discover(ctx context.Context, c *call) (outcome, error) {
	s := c.search
	pay := func(ctx context.Context) error {
		begun := x.b.keyed().Underway(c.once())
		spend := x.b.Store.Found().Spend(c.view.ID, discovery.WebBudget, s.post, x.b.Finder.WebCalls, discovery.ErrSpent)
		return x.b.Store.Table.DB().Commit(ctx, begun, spend)
	}
	by, found, err := x.b.Finder.Search(ctx, s.engines, s.query, pay)
	switch {
	case errors.Is(err, discovery.ErrFailed):
		x.b.Log.WarnContext(ctx, "discovery", "tool", c.Tool, "request", c.view.ID, "error", err.Error())
		return nothing("the search has failed"), nil
	case err != nil:
		return outcome{}, err
	}
	source := discovery.SourceOf(by, s.query.Social)
	var items []discovery.FeedItem
	for _, it := range found.Items {
		f := discovery.NewItem(c.view.ID, s.post, source, it.URL, len(items), c.now)
		f.Title, f.Snippet, f.URL, f.Confidence = it.Title, it.Snippet, it.URL, it.Confidence
		if by == discovery.Gemini {
			f.Searches = found.Searches
		}
		items = append(items, f)
	}
	d := discovery.Discovered{Engine: by, Items: []discovery.ShownItem{}}
	for _, f := range items {
		d.Items = append(d.Items, f.Shown())
	}
	return outcome{output: d, writes: x.found(c, items)}, nil
}

// reserveMaps holds a search on the map to what may be searched, and takes a call from the post's.
func (x searches) reserveMaps(ctx context.Context, c *call) ([]dynamo.Write, error) {
	m, err := x.mapping(ctx, c)
	if err != nil {
		return nil, err
	}
	c.mapped = &m
	return x.first(c, discovery.MapsBudget, m.post, x.b.Finder.MapCalls)
}

// mapping is a search on the map that may be made.
type mapping struct {
	post  string
	query discovery.MapQuery
}

// mapping reads what is looked for on the map.
func (x searches) mapping(ctx context.Context, c *call) (m mapping, err error) {
	in, err := read[PlacesInput](c)
	if err != nil {
		return m, err
	}
	m.post = in.Post
	head, err := x.onPost(ctx, c, in.Post)
	if err != nil {
		return m, err
	}
	why, err := x.b.Finder.PlacesReady(ctx)
	if err != nil {
		return m, err
	}
	if why != "" {
		return m, disabled(why)
	}
	own := c.private(head)
	need := own.Clean(in.Need)
	text := strings.Trim(need+", "+own.Place(in.Location, c.city), ", ")
	m.query = discovery.MapQuery{Text: text, Language: c.view.Language, Max: most(in.Max)}
	if at := c.view.Requirements.Location(); at != nil && (in.RadiusKM != nil || in.Location == "") {
		m.query.Near, m.query.RadiusKM = at, usualRadiusKM
		if in.RadiusKM != nil {
			m.query.RadiusKM = *in.RadiusKM
		}
	}
	return m, impersonal(need)
}

// usualRadiusKM is how far places are looked for from where the need is.
const usualRadiusKM = 25

// discoverPlaces searches the map. Of what is found, the ids of places are kept and nothing else.
func (x searches) discoverPlaces(ctx context.Context, c *call) (outcome, error) {
	places, err := x.b.Finder.FindPlaces(ctx, c.mapped.query)
	if err != nil {
		x.b.Log.WarnContext(ctx, "discovery", "tool", c.Tool, "request", c.view.ID, "error", err.Error())
		return nothing("the search has failed"), nil
	}
	shown, kept := discovery.Discovered{Items: []discovery.ShownItem{}}, discovery.Discovered{Items: []discovery.ShownItem{}}
	var items []discovery.FeedItem
	for _, p := range places {
		f := discovery.NewItem(c.view.ID, c.mapped.post, discovery.MapPlaces, p.ID, len(items), c.now)
		f.Place = p.ID
		items = append(items, f)
		kept.Items = append(kept.Items, f.Shown())
		shown.Items = append(shown.Items, f.Shown().With(p))
	}
	return outcome{output: shown, keeps: kept, writes: x.found(c, items)}, nil
}

// found are the writes that keep what was found, and have the client told of it where their own turn does not.
func (x searches) found(c *call, items []discovery.FeedItem) []dynamo.Write {
	var ws []dynamo.Write
	var ids []string
	for _, f := range items {
		ids = append(ids, f.ID)
		ws = append(ws, x.b.Store.Found().Put(f))
	}
	shownInTurn := c.InTurn != nil && !c.InTurn.Channel.Pushes()
	if len(items) > 0 && c.view.Thread != "" && !shownInTurn {
		e := c.event(FoundEvent)
		e.ID, e.Items = "found-"+ident.Digest(c.Meta.Key+audit.Stamp(c.now)), ids
		ws = append(ws, x.b.Store.happened(c.view.Request, e))
	}
	return ws
}
