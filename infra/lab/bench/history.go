package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/oklog/ulid/v2"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// asGrown is how many turns a long thread really takes at its beginning. The middle consists
// of copies of the last one. The end, as much of it as a turn reads, is real again.
const asGrown = 20

// grow makes a thread's history as long as asked for, in messages; a turn has
// two. say runs one turn and returns its thread.
func (b *bench) grow(ctx context.Context, messages int, say func() (threadID string, err error)) error {
	turns, id := messages/2, ""
	var err error
	talk := func(n int) error {
		for range n {
			if id, err = say(); err != nil {
				return fmt.Errorf("grow a thread: %w", err)
			}
		}
		return nil
	}
	const end = thread.Recent + 1
	if turns <= asGrown+end {
		return talk(turns)
	}
	if err := talk(asGrown); err != nil {
		return err
	}
	if err := b.copyTurns(ctx, id, asGrown, turns-end); err != nil {
		return fmt.Errorf("grow thread %s: %w", id, err)
	}
	return talk(end)
}

// copyTurns adds copies of turn last up to turn to, with what came in and what went out.
func (b *bench) copyTurns(ctx context.Context, id string, last, to int) error {
	var originals []dynamo.Item
	for _, prefix := range []string{"turn#", "seen#", "outbox#"} {
		items, err := b.rows(ctx, "conversations", id, prefix, 1)
		if err != nil {
			return err
		}
		originals = append(originals, items...)
	}
	if err := b.fill(ctx, "conversations", (to-last)*len(originals), func(i int) dynamo.Item {
		it, n := originals[i%len(originals)], last+1+i/len(originals)
		c := maps.Clone(it)
		switch sk := it.Key().SK; sk[:5] {
		case "turn#":
			c["sk"], c["n"] = stringValue(fmt.Sprintf("turn#%08d", n)), numberValue(n)
		case "seen#":
			c["sk"] = stringValue("seen#" + ulid.Make().String())
		default:
			c["sk"] = stringValue(fmt.Sprintf("outbox#turn%08d-0", n))
			delete(c, "dueShard") // it went out long ago
		}
		return c
	}); err != nil {
		return err
	}
	_, err := b.store.Apply(ctx, b.store.Table(tableName("conversations")).
		Update(dynamo.Key{PK: id, SK: "~"}, "SET turns = :n", dynamo.V{":n": to}))
	return err
}

// fill puts n items into a table, many in a request. Each is made when it is its turn, by
// several goroutines.
func (b *bench) fill(ctx context.Context, table string, n int, item func(i int) dynamo.Item) error {
	const most = 25 // https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchWriteItem.html
	return atOnce((n+most-1)/most, func(chunk int) error {
		puts := make([]types.WriteRequest, min(most, n-chunk*most))
		for j := range puts {
			puts[j].PutRequest = &types.PutRequest{Item: item(chunk*most + j)}
		}
		out, err := b.store.Client().BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
			RequestItems: map[string][]types.WriteRequest{tableName(table): puts},
		})
		if err == nil && len(out.UnprocessedItems) > 0 {
			err = fmt.Errorf("the store left %d items out", len(out.UnprocessedItems))
		}
		return err
	})
}

// atOnce runs f n times, four at a time, each worker until its first error.
func atOnce(n int, f func(i int) error) error {
	const workers = 4
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n && errs[w] == nil; i += workers {
				errs[w] = f(i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func stringValue(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func numberValue(n int) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}
