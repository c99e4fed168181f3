// Package streams follows the tables' DynamoDB streams on this machine and passes the
// changes to functions as the cloud's event source mappings do: filtered, in batches,
// as Lambda's own event JSON, with partial failures and retries until a change is too old, and it keeps a
// list of changes given up.
package streams

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"merve/infra/wiring"
	"merve/internal/base/pause"
	"merve/internal/cloud/trigger"
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
	Now     func() time.Time
	Wait    func(ctx context.Context, d time.Duration) error // between tries
	GivenUp func(r trigger.Record, err error)                // a change that failed for good; nil for nowhere but the log
}

const (
	idle       = 60 * time.Millisecond // between looks at a stream with nothing new
	retryEvery = 500 * time.Millisecond
	longestOff = 30 * time.Second // between tries of a change that keeps failing
)

// Run follows the stream from its oldest change until ctx ends. Functions see
// changes of an earlier run again; they are built for that.
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
		if pause.For(ctx, 5*time.Second) != nil {
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
				if pause.For(ctx, retryEvery) != nil {
					return
				}
				continue
			}
			iterator = out.ShardIterator
		}
		out, err := c.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: iterator, Limit: aws.Int32(100)})
		if err != nil { // an expired iterator, or the server is busy: take a new one behind the last change seen
			iterator = nil
			if pause.For(ctx, retryEvery) != nil {
				return
			}
			continue
		}
		if n := len(out.Records); n > 0 {
			f.deliver(ctx, out.Records)
			in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, out.Records[n-1].Dynamodb.SequenceNumber
		} else if pause.For(ctx, idle) != nil {
			return
		}
		if iterator = out.NextShardIterator; iterator == nil {
			return
		}
	}
}

// deliver gives the changes that the trigger's filters take to the function, batch by batch.
func (f *Follower) deliver(ctx context.Context, records []types.Record) {
	var batch []trigger.Record
	for _, r := range records {
		if !f.takes(r) {
			continue
		}
		change, err := f.record(r)
		if err != nil {
			f.giveUp(ctx, change, err)
			continue
		}
		if batch = append(batch, change); len(batch) == f.Trigger.Batch {
			f.invoke(ctx, batch)
			batch = nil
		}
	}
	f.invoke(ctx, batch)
}

func (f *Follower) takes(r types.Record) bool {
	sk := ""
	if s, ok := r.Dynamodb.Keys["sk"].(*types.AttributeValueMemberS); ok {
		sk = s.Value
	}
	has := func(attribute string) bool {
		_, ok := r.Dynamodb.NewImage[attribute].(*types.AttributeValueMemberS)
		return ok
	}
	for _, filter := range f.Trigger.Filters {
		if filter.Takes(string(r.EventName), sk, has) {
			return true
		}
	}
	return len(f.Trigger.Filters) == 0
}

func (f *Follower) record(r types.Record) (trigger.Record, error) {
	change := trigger.Record{
		EventID: aws.ToString(r.EventID), Kind: trigger.Kind(r.EventName), Sequence: aws.ToString(r.Dynamodb.SequenceNumber), TableName: f.Table,
	}
	for _, part := range []struct {
		from map[string]types.AttributeValue
		to   *trigger.Item
	}{{r.Dynamodb.Keys, &change.Keys}, {r.Dynamodb.NewImage, &change.New}, {r.Dynamodb.OldImage, &change.Old}} {
		if part.from == nil {
			continue
		}
		var err error
		if *part.to, err = attributevalue.FromDynamoDBStreamsMap(part.from); err != nil {
			return change, fmt.Errorf("change %s of %s: %w", change.Sequence, f.Table, err)
		}
	}
	return change, nil
}

// invoke calls the function until the batch is done, for each change that fails until it has
// failed for as long as it may; then that change is given up and the batch goes on behind it. A
// batch that fails as a whole does not say which change is to blame: it is halved.
func (f *Follower) invoke(ctx context.Context, batch []trigger.Record) {
	since, off := f.Now(), retryEvery
	for len(batch) > 0 && ctx.Err() == nil {
		failed, err := f.once(ctx, batch)
		switch {
		case err == nil:
			return
		case failed == nobody && len(batch) > 1 && f.Trigger.Bisect:
			half := len(batch) / 2
			f.invoke(ctx, batch[:half])
			f.invoke(ctx, batch[half:])
			return
		case failed > 0:
			batch, since, off = batch[failed:], f.Now(), retryEvery
		}
		if f.Now().Sub(since) >= time.Duration(f.Trigger.MaxAge)*time.Second {
			f.giveUp(ctx, batch[0], err)
			batch, since, off = batch[1:], f.Now(), retryEvery
			continue
		}
		if f.Wait(ctx, off) != nil {
			return
		}
		off = min(2*off, longestOff)
	}
}

func (f *Follower) giveUp(ctx context.Context, r trigger.Record, err error) {
	f.Log.ErrorContext(ctx, "change given up", "table", f.Table, "sequence", r.Sequence, "error", err.Error())
	if f.GivenUp != nil {
		f.GivenUp(r, err)
	}
}

// nobody stands for the change at fault when the function did not name one.
const nobody = -1

var errReported = errors.New("the function reported a failure")

// once calls the function. An error comes with the index of the first change that failed.
func (f *Follower) once(ctx context.Context, batch []trigger.Record) (failed int, err error) {
	payload, err := trigger.StreamEvent(batch)
	if err != nil {
		return nobody, err
	}
	answer, err := f.Invoke(ctx, payload)
	if err != nil {
		return nobody, err
	}
	names, err := trigger.Failures(answer)
	if err != nil || len(names) == 0 {
		return nobody, err
	}
	for i, r := range batch {
		if slices.Contains(names, r.Sequence) {
			return i, errReported
		}
	}
	return nobody, fmt.Errorf("%w that is not in the batch", errReported)
}
