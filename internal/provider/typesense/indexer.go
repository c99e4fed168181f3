package typesense

import (
	"context"
	"errors"
	"strings"
	"time"

	library "github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/record/listing"
)

// Indexer keeps a Typesense server up to date with the listings.
//
// Typesense does not order writes by version. So each writer of a listing's document reads the
// listing again afterwards, and writes again if it has changed: the last writer then has
// seen that there is nothing newer. Changes therefore work in any order, any number of times,
// concurrently and during a re-index.
type Indexer struct {
	Client *Client
	Store  *listing.Store
	Now    func() time.Time
	NewID  func() string // unique, of letters and digits
}

// maxTurns bounds how often a listing that keeps changing is written in one go.
const maxTurns = 8

// See copies the current item under a key of the catalog into the index. It ignores keys of anything but a listing.
func (x *Indexer) See(ctx context.Context, k dynamo.Key) error {
	market, id, ok := listing.Of(k)
	if !ok {
		return nil
	}
	return x.Changed(ctx, market, id)
}

// Changed copies a listing's current state into the index, or removes the listing from it if it no longer exists. It
// may be called any number of times, in any order. A market without an index gets one.
func (x *Indexer) Changed(ctx context.Context, market, id string) error {
	server, err := x.Client.writer(ctx)
	if err != nil {
		return err
	}
	a, err := x.aliases(ctx, server, market)
	if err != nil {
		return err
	}
	if a.live == "" && len(a.building) == 0 {
		_, err := x.Reindex(ctx, market)
		if errors.Is(err, ErrOvertaken) {
			return nil // by one that began later, and reads the listing then
		}
		return err
	}
	return x.settle(ctx, server, market, id, a)
}

// settle writes a listing to all collections until it has not changed meanwhile.
func (x *Indexer) settle(ctx context.Context, server *library.Client, market, id string, a aliases) error {
	before, err := x.Store.Document(ctx, market, id)
	if err != nil {
		return err
	}
	for range maxTurns {
		if err := x.write(ctx, server, market, id, before, a); err != nil {
			return err
		}
		now, err := x.Store.Document(ctx, market, id)
		if err != nil {
			return err
		}
		if now.Same(before) {
			return nil
		}
		before = now
	}
	return fault.New(fault.Unavailable, "the listing keeps changing")
}

// write puts a document into all collections, or takes it out of them when d is nil.
func (x *Indexer) write(ctx context.Context, server *library.Client, market, id string, d *listing.Document, a aliases) error {
	for _, collection := range a.targets() {
		err := x.put(ctx, server, collection, id, d)
		if missing(err) && collection != a.live {
			continue // its re-index was given up
		}
		if err != nil {
			return failure(err, "listing %s of %s", id, market)
		}
	}
	return nil
}

func (x *Indexer) put(ctx context.Context, server *library.Client, collection, id string, d *listing.Document) error {
	if d != nil {
		_, err := server.Collection(collection).Documents().Upsert(ctx, recordOf(*d), &api.DocumentIndexParameters{})
		return err
	}
	return remove(ctx, server.Collection(collection), id)
}

// remove deletes a document from a collection, if it is there. It deletes by a filter, because an id of dots
// in an address would mean the collection itself; or by the address, if the id contains
// characters that a filter cannot quote.
func remove(ctx context.Context, collection library.CollectionInterface[map[string]any], id string) error {
	if strings.Contains(id, "`") {
		if _, err := collection.Document(id).Delete(ctx); err != nil && !missing(err) {
			return err
		}
		return nil
	}
	_, err := collection.Documents().Delete(ctx, &api.DeleteDocumentsParams{FilterBy: pointer.String("id:=" + quote(id))})
	return err
}

// aliases are the aliases of a market's collections.
type aliases struct {
	live     string              // the alias that searches use; "" before the first index
	target   string              // the collection behind it
	building []string            // collections being built, which get changes too
	runs     map[string]struct{} // collections whose re-index has not ended
}

// targets returns the collections that a change must go to. The live one is named by its alias, so that Typesense
// itself decides which collection that is when the request comes in.
func (a aliases) targets() []string {
	if a.live == "" {
		return a.building
	}
	return append([]string{a.live}, a.building...)
}

// A re-index has two aliases for its collection. While the first exists, changes go there too;
// only the run that removes the second may end it. See [Indexer.Reindex].
const (
	nextAlias = ".next"
	runAlias  = ".run"
)

// aliases reads the aliases of a market. One request.
func (x *Indexer) aliases(ctx context.Context, server *library.Client, market string) (aliases, error) {
	all, err := server.Aliases().Retrieve(ctx)
	if err != nil {
		return aliases{}, failure(err, "aliases of %s", market)
	}
	a := aliases{runs: map[string]struct{}{}}
	live := x.Client.alias(market)
	for _, is := range all {
		name := deref(is.Name)
		collection, ours := strings.CutPrefix(name, live+of)
		switch {
		case name == live:
			a.live, a.target = live, is.CollectionName
		case ours && strings.HasSuffix(collection, nextAlias):
			a.building = append(a.building, is.CollectionName)
		case ours && strings.HasSuffix(collection, runAlias):
			a.runs[is.CollectionName] = struct{}{}
		}
	}
	return a, nil
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
