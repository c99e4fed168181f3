package relay

import (
	"context"
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

// Of a customer's thread is kept where their talks and what was passed on to them are, for the
// day on which all of it is to be deleted.
//
//	relayed#{thread}   {pk}|{sk}   a talk, or what was passed on (table records)

func traceKey(thread string, of dynamo.Key) dynamo.Key {
	return dynamo.Key{PK: "relayed#" + thread, SK: of.PK + "|" + of.SK}
}

// trace is the write that keeps where an item of a thread is.
func (p *Post) trace(thread string, of dynamo.Key, ttl int64) dynamo.Write {
	return p.Table.Put(traceKey(thread, of), struct {
		TTL int64 `dynamodbav:"ttl"`
	}{ttl})
}

// Talked is a talk as its customer is shown it.
type Talked struct {
	Listing string    `json:"listing"`
	With    string    `json:"with"`
	AskedAt time.Time `json:"askedAt"`
}

// Talks returns the talks of a customer's thread, without the words, which are on the thread. 1 request, and 1 for
// each hundred.
func (p *Post) Talks(ctx context.Context, thread string) ([]Talked, error) {
	keys, err := p.of(ctx, thread)
	if err != nil {
		return nil, err
	}
	items, err := p.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("talks of %s: %w", thread, err)
	}
	var all []Talked
	for _, it := range items {
		if _, said, _ := Events.Read(it); said {
			continue
		}
		var t Talk
		if err := it.Decode(&t); err != nil {
			return nil, err
		}
		all = append(all, Talked{t.Listing, t.ListingName, t.AskedAt})
	}
	return all, nil
}

// Erase deletes the talks of a customer's thread and what was passed on to it. A business that
// answers after that is told that there is no such talk. It may be called any number of times. 1
// request, and 1 for each fifty.
func (p *Post) Erase(ctx context.Context, thread string) error {
	keys, err := p.of(ctx, thread)
	if err != nil {
		return err
	}
	var ws []dynamo.Write
	for _, k := range keys {
		ws = append(ws, p.Table.Delete(k), p.Table.Delete(traceKey(thread, k)))
	}
	if err := p.Table.DB().CommitAll(ctx, ws...); err != nil {
		return fmt.Errorf("erase talks of %s: %w", thread, err)
	}
	return nil
}

// of returns the keys of everything that relay keeps about a thread.
func (p *Post) of(ctx context.Context, thread string) ([]dynamo.Key, error) {
	var keys []dynamo.Key
	err := p.Table.Each(ctx, dynamo.Under("relayed#"+thread, ""), func(it dynamo.Item) error {
		pk, sk, _ := strings.Cut(it.Key().SK, "|")
		keys = append(keys, dynamo.Key{PK: pk, SK: sk})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("talks of %s: %w", thread, err)
	}
	return keys, nil
}
