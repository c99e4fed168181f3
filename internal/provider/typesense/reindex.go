package typesense

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	library "github.com/typesense/typesense-go/v3/typesense"
	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"merve/internal/base/fault"
	"merve/internal/record/listing"
)

const (
	of        = "@" // between a market's alias and what tells its collections apart
	batchSize = 200 // documents of one request
	maxRun    = 10 * time.Minute
	clearing  = 10 * time.Second // to clean up after a re-index that failed
)

// ErrOvertaken is the end of a re-index when a later one of the same market has begun.
var ErrOvertaken = fault.New(fault.Conflict, "another re-index of the market has begun: its result counts")

// Reindexed says what a re-index did.
type Reindexed struct {
	Collection string    // that is searched now
	Listings   int       // that there are
	Failed     []Failure // those that Typesense rejected, by id
	Dropped    []string  // collections that are no longer needed
}

// Failure is a listing that is not in the index.
type Failure struct {
	ID     string
	Reason string // in Typesense's words
}

// Reindex builds a new collection for a market from all of its listings and then points the alias
// to it, so that each search sees either the old collection or the new one as a whole.
//
// While Reindex fills the new collection, that collection also gets every change given to [Indexer.Changed].
// Once it is full, Reindex reads all listings a second time and writes again those that changed during the
// first reading. So nothing is lost at the end, and if it is killed halfway,
// the old collection has never missed a change.
//
// Of two runs at the same time, the later one ends the earlier, unless that one is past its
// point of no return, the removal of an alias that only one of them can remove: then both
// succeed. The next run cleans up after a killed one. Only a run killed between
// that point and its own end leaves a collection for ten minutes, the longest that a run takes.
//
// If Typesense rejects more than one listing in ten, the old collection stays.
func (x *Indexer) Reindex(ctx context.Context, market string) (Reindexed, error) {
	ctx, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	server, err := x.Client.writer(ctx)
	if err != nil {
		return Reindexed{}, err
	}
	r := &run{
		Indexer: x, server: server, market: market, began: x.Now(), written: map[string]listing.Document{}, failed: map[string]string{},
	}
	r.name = x.Client.alias(market) + of + strconv.FormatInt(r.began.UnixMilli(), 10) + "-" + x.NewID()
	err = r.do(ctx)
	if err != nil {
		r.giveUp(ctx)
		return Reindexed{}, fmt.Errorf("re-index %s: %w", market, err)
	}
	return r.report(), nil
}

// run is one re-index.
type run struct {
	*Indexer
	server *library.Client
	market string
	name   string // of the new collection
	began  time.Time

	written map[string]listing.Document // by id: what the new collection has
	failed  map[string]string           // by id: why it has not
	dropped []string
	claimed bool // nobody else can end it any more
}

func (r *run) do(ctx context.Context) error {
	for _, step := range []func(context.Context) error{r.begin, r.endOthers, r.fill, r.catchUp, r.swap, r.clear} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// begin creates the new collection. It first sets the alias that marks the collection as being built: a
// collection without one belongs to nobody.
func (r *run) begin(ctx context.Context) error {
	if err := r.point(ctx, r.name+runAlias, r.name); err != nil {
		return err
	}
	_, err := r.server.Collections().Create(ctx, schema(r.name))
	if err != nil && status(err) != http.StatusConflict { // of an attempt whose answer was lost: the name is ours alone
		return failure(err, "make collection %s", r.name)
	}
	return r.point(ctx, r.name+nextAlias, r.name)
}

// endOthers ends re-indexes that began earlier, and drops what they left behind. It does not touch later
// ones, so that one of two goes on.
func (r *run) endOthers(ctx context.Context) error {
	a, err := r.aliases(ctx, r.server, r.market)
	if err != nil {
		return err
	}
	all, err := r.server.Collections().Retrieve(ctx)
	if err != nil {
		return failure(err, "collections of %s", r.market)
	}
	names := a.runs
	for _, c := range all {
		names[c.Name] = struct{}{}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		began, ours := r.beganAt(name)
		if !ours || name == a.target || name >= r.name { // names are in the order of time
			continue
		}
		took, err := r.take(ctx, name)
		if err != nil {
			return err
		}
		if took || r.began.Sub(began) > maxRun {
			if err := r.drop(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// beganAt is when the re-index that made a collection of the market began.
func (r *run) beganAt(collection string) (time.Time, bool) {
	rest, ours := strings.CutPrefix(collection, r.Client.alias(r.market)+of)
	ms, _, _ := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n), ours && err == nil
}

// take removes the alias that lets a re-index finish, and reports whether this run did so.
func (r *run) take(ctx context.Context, collection string) (bool, error) {
	_, err := r.server.Alias(collection + runAlias).Delete(ctx)
	if missing(err) {
		return false, nil
	}
	return err == nil, failure(err, "end the re-index %s", collection)
}

// fill writes all listings as they are now.
func (r *run) fill(ctx context.Context) error {
	all, err := r.Store.Documents(ctx, r.market)
	if err != nil {
		return err
	}
	for batch := range slices.Chunk(all, batchSize) {
		if err := r.write(ctx, batch); err != nil {
			return err
		}
	}
	if len(r.failed)*10 > len(all) {
		first := r.report().Failed[0]
		return fault.New(fault.Internal, "%d of %d listings were not taken, such as %s: %s", len(r.failed), len(all), first.ID, first.Reason)
	}
	return nil
}

// write puts a batch into the new collection and notes which of its documents arrived.
// https://typesense.org/docs/latest/api/documents.html#index-multiple-documents
func (r *run) write(ctx context.Context, batch []listing.Document) error {
	records := make([]any, len(batch))
	for i, d := range batch {
		records[i] = recordOf(d)
	}
	results, err := r.server.Collection(r.name).Documents().Import(ctx, records, &api.ImportDocumentsParams{
		Action: pointer.Any(api.Upsert), BatchSize: pointer.Int(batchSize),
	})
	switch {
	case missing(err):
		return ErrOvertaken
	case err == nil && len(results) != len(batch):
		err = errors.New("not one answer for each document")
	}
	if err != nil {
		return failure(err, "import into %s", r.name)
	}
	for i, d := range batch {
		r.written[d.ID] = d
		if results[i].Success {
			continue
		}
		r.failed[d.ID] = results[i].Error
	}
	return nil
}

// catchUp writes listings that have changed since they were read, to every collection that gets changes.
func (r *run) catchUp(ctx context.Context) error {
	now, err := r.Store.Documents(ctx, r.market)
	if err != nil {
		return err
	}
	gone := maps.Clone(r.written)
	var changed []string
	for _, d := range now {
		if was, known := r.written[d.ID]; !known || !d.Same(&was) {
			changed = append(changed, d.ID)
		}
		delete(gone, d.ID)
	}
	for _, id := range append(changed, slices.Sorted(maps.Keys(gone))...) {
		if err := r.settle(ctx, r.server, r.market, id, aliases{building: []string{r.name}}); err != nil {
			return err
		}
		delete(r.failed, id)
	}
	return nil
}

// swap has searches go to the new collection, unless a later re-index has taken that from us.
func (r *run) swap(ctx context.Context) error {
	if r.Now().Sub(r.began) > maxRun {
		return fault.New(fault.Unavailable, "the re-index took longer than %v", maxRun)
	}
	before, err := r.aliases(ctx, r.server, r.market)
	if err != nil {
		return err
	}
	took, err := r.take(ctx, r.name)
	if err != nil {
		return err
	}
	if !took {
		return ErrOvertaken
	}
	r.claimed = true // the alias may lead here even when the answer to the next request is lost
	if err := r.point(ctx, r.Client.alias(r.market), r.name); err != nil {
		return err
	}
	if before.target != "" && before.target != r.name {
		r.dropped = append(r.dropped, before.target)
	}
	return nil
}

// clear drops the collection that was searched before.
func (r *run) clear(ctx context.Context) error {
	old := r.dropped
	r.dropped = nil
	for _, name := range old {
		if err := r.drop(ctx, name); err != nil {
			return err
		}
	}
	return r.unpoint(ctx, r.name+nextAlias)
}

// giveUp takes back what a re-index that failed has made.
func (r *run) giveUp(ctx context.Context) {
	if r.claimed {
		return // it may be searched; the next one clears up
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
	defer cancel()
	if _, err := r.take(ctx, r.name); err == nil {
		_ = r.drop(ctx, r.name) // else the next one does
	}
}

// drop removes a collection that nobody searches, and what leads there.
func (r *run) drop(ctx context.Context, collection string) error {
	if err := r.unpoint(ctx, collection+nextAlias); err != nil {
		return err
	}
	if _, err := r.server.Collection(collection).Delete(ctx); err != nil && !missing(err) {
		return failure(err, "drop %s", collection)
	}
	r.dropped = append(r.dropped, collection)
	return nil
}

func (r *run) point(ctx context.Context, alias, collection string) error {
	_, err := r.server.Aliases().Upsert(ctx, alias, &api.CollectionAliasSchema{CollectionName: collection})
	return failure(err, "point %s to %s", alias, collection)
}

func (r *run) unpoint(ctx context.Context, alias string) error {
	_, err := r.server.Alias(alias).Delete(ctx)
	if missing(err) {
		return nil
	}
	return failure(err, "remove alias %s", alias)
}

func (r *run) report() Reindexed {
	rep := Reindexed{Collection: r.name, Listings: len(r.written), Dropped: r.dropped}
	for _, id := range slices.Sorted(maps.Keys(r.failed)) {
		rep.Failed = append(rep.Failed, Failure{id, r.failed[id]})
	}
	return rep
}
