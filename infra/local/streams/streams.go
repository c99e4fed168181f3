// Package streams follows the tables' DynamoDB streams on this machine and gives the
// changes to functions as the cloud's event source mappings do: filtered, in batches,
// as Lambda's own event JSON, with partial failures, retries, and a list of what was
// given up.
package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"merve/infra/wiring"
)

// Invoke runs a function with an event.
type Invoke func(ctx context.Context, payload []byte) ([]byte, error)

// Follower gives one table's changes to one function.
type Follower struct {
	Config  aws.Config
	Table   string // its real name
	Trigger wiring.StreamTrigger
	Invoke  Invoke
	Log     *slog.Logger
	GivenUp func(records []json.RawMessage, err error) // changes that failed for good
}

const (
	idle       = 60 * time.Millisecond // between looks at a stream with nothing new
	retryEvery = 500 * time.Millisecond
)

// Run follows the stream from its oldest change until ctx ends. Functions are called
// again for changes that they have seen in an earlier run; they are made for it.
func (f *Follower) Run(ctx context.Context) error {
	client := dynamodbstreams.NewFromConfig(f.Config)
	arn, err := f.streamARN(ctx)
	if err != nil {
		return err
	}
	followed := map[string]bool{}
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		shards, err := shardsOf(ctx, client, arn)
		if err != nil && ctx.Err() == nil {
			f.Log.ErrorContext(ctx, "stream", "table", f.Table, "error", err.Error())
		}
		for _, s := range shards {
			if id := aws.ToString(s.ShardId); !followed[id] {
				followed[id] = true
				wg.Go(func() { f.shard(ctx, client, arn, id) })
			}
		}
		if wait(ctx, 5*time.Second) != nil {
			return nil
		}
	}
}

func (f *Follower) streamARN(ctx context.Context) (string, error) {
	out, err := dynamodb.NewFromConfig(f.Config).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &f.Table})
	if err != nil {
		return "", fmt.Errorf("stream of %s: %w", f.Table, err)
	}
	if out.Table.LatestStreamArn == nil {
		return "", fmt.Errorf("table %s has no stream", f.Table)
	}
	return *out.Table.LatestStreamArn, nil
}

func shardsOf(ctx context.Context, c *dynamodbstreams.Client, arn string) ([]types.Shard, error) {
	var shards []types.Shard
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &arn}
	for {
		out, err := c.DescribeStream(ctx, in)
		if err != nil {
			return shards, err
		}
		shards = append(shards, out.StreamDescription.Shards...)
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return shards, nil
		}
	}
}

// shard follows one shard to its end.
func (f *Follower) shard(ctx context.Context, c *dynamodbstreams.Client, arn, id string) {
	in := &dynamodbstreams.GetShardIteratorInput{StreamArn: &arn, ShardId: &id, ShardIteratorType: types.ShardIteratorTypeTrimHorizon}
	var iterator *string
	for ctx.Err() == nil {
		if iterator == nil {
			out, err := c.GetShardIterator(ctx, in)
			if err != nil {
				if wait(ctx, retryEvery) != nil {
					return
				}
				continue
			}
			iterator = out.ShardIterator
		}
		out, err := c.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(100)})
		if err != nil { // an expired iterator, or the server is busy: take a new one behind the last change seen
			iterator = nil
			if wait(ctx, retryEvery) != nil {
				return
			}
			continue
		}
		if n := len(out.Records); n > 0 {
			f.deliver(ctx, out.Records)
			in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, out.Records[n-1].Dynamodb.SequenceNumber
		} else if wait(ctx, idle) != nil {
			return
		}
		if iterator = out.NextShardIterator; iterator == nil {
			return
		}
	}
}

// deliver gives the changes that the trigger's filters take to the function, batch by batch.
func (f *Follower) deliver(ctx context.Context, records []types.Record) {
	var batch []json.RawMessage
	for _, r := range records {
		if f.takes(r) {
			raw, err := json.Marshal(eventRecord(r, f.Table))
			if err != nil {
				f.Log.ErrorContext(ctx, "stream record", "table", f.Table, "error", err.Error())
				continue
			}
			batch = append(batch, raw)
		}
		if len(batch) == f.Trigger.Batch {
			f.invoke(ctx, batch)
			batch = nil
		}
	}
	if len(batch) > 0 {
		f.invoke(ctx, batch)
	}
}

func (f *Follower) takes(r types.Record) bool {
	sk := ""
	if s, ok := r.Dynamodb.Keys["sk"].(*types.AttributeValueMemberS); ok {
		sk = s.Value
	}
	for _, filter := range f.Trigger.Filters {
		if filter.Takes(string(r.EventName), sk) {
			return true
		}
	}
	return len(f.Trigger.Filters) == 0
}

// invoke calls the function until the batch is done, a bounded number of times for each
// change that fails; then that change is given up and the batch goes on behind it.
func (f *Follower) invoke(ctx context.Context, batch []json.RawMessage) {
	for tries := 0; len(batch) > 0 && ctx.Err() == nil; {
		failed, err := f.once(ctx, batch)
		if err == nil && failed < 0 {
			return
		}
		if failed > 0 {
			batch, tries = batch[failed:], 0
		}
		if tries++; tries > f.Trigger.Retries {
			f.Log.ErrorContext(ctx, "change given up", "table", f.Table)
			if f.GivenUp != nil {
				f.GivenUp(batch[:1], err)
			}
			batch, tries = batch[1:], 0
			continue
		}
		if wait(ctx, retryEvery) != nil {
			return
		}
	}
}

// once calls the function and returns the index of the first change that failed, -1 for none.
func (f *Follower) once(ctx context.Context, batch []json.RawMessage) (failed int, err error) {
	payload, err := json.Marshal(map[string]any{"Records": batch})
	if err != nil {
		return 0, err
	}
	out, err := f.Invoke(ctx, payload)
	if err != nil {
		return 0, err
	}
	var answer struct {
		BatchItemFailures []struct{ ItemIdentifier string }
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return 0, fmt.Errorf("answer of the function: %w", err)
	}
	if len(answer.BatchItemFailures) == 0 {
		return -1, nil
	}
	for i, raw := range batch {
		var r struct {
			Dynamodb struct{ SequenceNumber string } `json:"dynamodb"`
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return 0, err
		}
		if r.Dynamodb.SequenceNumber == answer.BatchItemFailures[0].ItemIdentifier {
			return i, errors.New("the function reported a failure")
		}
	}
	return 0, errors.New("the function reported a failure that is not in the batch")
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
