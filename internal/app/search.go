package app

import (
	"context"
	"strings"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/admin"
	"merve/internal/provider/typesense"
	"merve/internal/record/listing"
)

// Listings returns the store of listings, searched by Typesense where there is one.
func (b *Base) Listings() *listing.Store {
	return b.shared.listings.get(func() *listing.Store {
		s := &listing.Store{Table: b.catalog(), Stock: b.stock(), Now: b.Now, Log: b.Log}
		if b.Config.TypesenseURL != "" {
			s.Engine = b.typesense()
		}
		return s
	})
}

func (b *Base) typesense() *typesense.Client {
	return &typesense.Client{
		HTTP: b.client("typesense"), URL: b.Config.TypesenseURL, Prefix: "merve-",
		Key: func(ctx context.Context) (string, error) { return b.secrets.get(ctx, "TYPESENSE_API_KEY") },
	}
}

// indexer keeps Typesense to the listings; nil without one.
func (b *Base) indexer() *typesense.Indexer {
	if b.Config.TypesenseURL == "" {
		return nil
	}
	return &typesense.Indexer{
		Client: b.typesense(), Store: &listing.Store{Table: b.catalog(), Stock: b.stock(), Now: b.Now, Log: b.Log}, Now: b.Now,
		NewID: func() string { return strings.ToLower(b.NewID()) },
	}
}

// Index keeps the search engine to the listings. Without one there is nothing to do.
func Index(b *Base) (trigger.Handler, error) {
	indexer := b.indexer()
	return b.stream(func(ctx context.Context, r trigger.Record) error {
		key := dynamo.Item(r.Keys).Key()
		market, ok := strings.CutPrefix(key.PK, "market#")
		id, is := strings.CutPrefix(key.SK, "listing#")
		if indexer == nil || !ok || !is {
			return nil
		}
		return indexer.Changed(ctx, market, id)
	}), nil
}

// reindexer makes the index of a market anew; nil without a search engine.
func (b *Base) reindexer() admin.Reindexer {
	indexer := b.indexer()
	if indexer == nil {
		return nil
	}
	return func(ctx context.Context, market string) (admin.Reindexed, error) {
		report, err := indexer.Reindex(ctx, market)
		done := admin.Reindexed{Collection: report.Collection, Listings: report.Listings}
		for _, f := range report.Failed {
			done.Failed = append(done.Failed, admin.Unindexed(f))
		}
		return done, err
	}
}
