// Package dynamo is how every package talks to DynamoDB: requests with plain keys,
// conditional writes as values, and transactions gathered from several packages.
//
// All tables have the string keys pk and sk. A package owns the keys it writes and
// says so beside its code. A [Write] carries its condition and what a failed
// condition means; [DB.Commit] runs one write as itself and several as one
// TransactWriteItems, so that packages that do not know each other commit together.
//
// Times are stored as numbers of milliseconds since 1970, zero times not at all.
// The attribute ttl (epoch seconds) is DynamoDB's to delete some day; a read that
// must not see an expired item checks it itself ([Item.Expired]).
//
// Every request, retry and unit is counted on the meters of its context
// (package telemetry). There is no Scan and no FilterExpression in this package.
package dynamo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/fault"
)

// Key addresses one item.
type Key struct{ PK, SK string }

// V holds the values of an expression, by placeholder (":now").
type V map[string]any

// DB runs requests. Safe for concurrent use.
type DB struct {
	client *dynamodb.Client

	// Backoff is how long to wait before try n (1, 2, …) of a transaction that met
	// another one. The default is exponential with full jitter, at most 400 ms.
	Backoff func(n int) time.Duration
}

// Open returns a DB for cfg. It makes no request.
func Open(cfg aws.Config, opts ...func(*dynamodb.Options)) *DB {
	opts = append([]func(*dynamodb.Options){func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, countRequests)
		o.RetryMaxAttempts = 4
	}}, opts...)
	return &DB{client: dynamodb.NewFromConfig(cfg, opts...), Backoff: backoff}
}

// Client returns the SDK's client, for creating tables and following streams.
func (db *DB) Client() *dynamodb.Client { return db.client }

// Table returns a handle on the table called name.
func (db *DB) Table(name string) Table { return Table{db: db, name: name} }

// Table is a handle on one table.
type Table struct {
	db   *DB
	name string
}

// DB returns the database that the table is in.
func (t Table) DB() *DB { return t.db }

// maxTries bounds the tries of a transaction that keeps meeting others.
const maxTries = 8

func backoff(n int) time.Duration {
	ceiling := min(12*time.Millisecond<<min(n, 6), 400*time.Millisecond)
	return time.Duration(rand.Int64N(int64(ceiling))) + time.Millisecond
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// classify gives SDK errors that mean "later" their kind.
func classify(err error, op, table string) error {
	if err == nil {
		return nil
	}
	var (
		throttled *types.ProvisionedThroughputExceededException
		limited   *types.RequestLimitExceeded
		internal  *types.InternalServerError
		inflight  *types.TransactionInProgressException
	)
	wrapped := fmt.Errorf("dynamo: %s %s: %w", op, table, err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return wrapped
	case errors.As(err, &throttled), errors.As(err, &limited), errors.As(err, &internal), errors.As(err, &inflight):
		return fault.Wrap(wrapped, fault.Unavailable, "the store is busy, try again")
	}
	return wrapped
}
