package request

import (
	"context"
	"encoding/json"
	"fmt"

	"merve/internal/matter/discovery"
	"merve/internal/words/wording"
)

// Feed are the items of a request, the latest search first, as they are now. 1 request for each megabyte, and one of
// the map's for each place.
func (b *Broker) Feed(ctx context.Context, request string) ([]discovery.ShownItem, error) {
	v, err := b.Store.View(ctx, request)
	if err != nil {
		return nil, err
	}
	all, err := b.Store.Found().Feed(ctx, v.ID)
	if err != nil {
		return nil, err
	}
	items := make([]discovery.ShownItem, len(all))
	for i, f := range all {
		items[i] = f.Shown()
	}
	return b.Finder.LookedUp(ctx, items, v.Language, b.Log), nil
}

// showPlaces is a kept answer of the map's, with what the map says now.
func (x searches) showPlaces(ctx context.Context, c *call, kept json.RawMessage) (json.RawMessage, error) {
	var d discovery.Discovered
	if err := json.Unmarshal(kept, &d); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Tool, err)
	}
	d.Items = x.b.Finder.LookedUp(ctx, d.Items, c.view.Language, x.b.Log)
	return json.Marshal(d)
}

// found tells the client what was found for them.
func (t *Teller) found(ctx context.Context, n news) error {
	v := n.view
	items, err := t.Broker.Store.Found().Items(ctx, v.ID, n.event.Items)
	if err != nil || len(items) == 0 {
		return err
	}
	shown := make([]discovery.ShownItem, len(items))
	for i, f := range items {
		shown[i] = f.Shown()
	}
	vars := wording.Vars{"code": v.Code, "lines": discovery.InLines(v.Language, shown)}
	key := wording.RequestFound
	head, err := t.Threads.Head(ctx, v.Thread)
	if err != nil {
		return err
	}
	if !head.Channel.Pushes() {
		key = wording.RequestFoundCards
	}
	return t.client(ctx, n, string(wording.RequestFound), wording.Say(v.Language, key, vars), vars, discovery.Cards(v.Language, shown))
}
