// Package dynamo is how every package talks to DynamoDB: requests with plain keys, conditional writes as values, and
// transactions gathered from several packages.
//
// All tables have the string keys pk and sk. A package owns the keys it writes and documents them in its own code. A
// [Write] carries its condition and what a failed condition means; [DB.Commit] runs one write as itself and several
// as one TransactWriteItems, so that packages that do not know each other commit together.
//
// Times are stored as numbers of milliseconds since 1970, zero times not at all. The attribute ttl (epoch seconds) is
// DynamoDB's to delete some day; a read that must not see an expired item checks it itself ([Item.Expired]).
//
// A call whose answer is lost is made again. A transaction then carries a token: the server recognizes it, does not
// run the transaction twice, and repeats its first answer. A single write has no token. If it is repeated it meets
// its own work, and its condition may fail for no other reason. So a caller that gives a single write a condition
// must be able to recognize its own write by something in the stored item.
//
// Every request, retry and unit is counted on the meters of its context (package telemetry). There is no Scan and no
// FilterExpression in this package.
package dynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/smithy-go"

	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
)

// Key addresses one item.
type Key struct{ PK, SK string }

// String names the key in errors, which end in log lines: a partition key may hold what
// identifies a person, and a sort key a number.
func (k Key) String() string {
	return telemetry.Redact(k.PK) + " " + number.Regexp().ReplaceAllStringFunc(k.SK, telemetry.Redact)
}

// number is one in E.164.
var number = pattern.New(`\+[0-9]{7,15}`)

// V holds the values of an expression, by placeholder (":now").
type V map[string]any

// DB runs requests. Safe for concurrent use.
type DB struct {
	client *dynamodb.Client

	// Backoff is how long to wait after try n of a call that got no answer, or of an attempt that others were faster with.
	Backoff pause.Backoff
}

// Open returns a DB for cfg. It makes no request.
func Open(cfg aws.Config, opts ...func(*dynamodb.Options)) *DB {
	db := &DB{Backoff: pause.Exponential(24*time.Millisecond, 400*time.Millisecond)}
	opts = append([]func(*dynamodb.Options){func(o *dynamodb.Options) {
		o.APIOptions = append(o.APIOptions, countRequests)
		o.RetryMaxAttempts = cmp.Or(cfg.RetryMaxAttempts, maxAttempts)
		o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
			o.Backoff = retry.BackoffDelayerFunc(func(n int, _ error) (time.Duration, error) { return db.Backoff(n), nil })
		})
	}}, opts...)
	db.client = dynamodb.NewFromConfig(cfg, opts...)
	return db
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

// maxAttempts bounds the calls of one try that get no answer, or are told: later. The SDK's configuration may say otherwise.
const maxAttempts = 4

// classify gives SDK errors that mean "later" their kind.
func classify(err error, op, table string) error {
	if err == nil {
		return nil
	}
	wrapped := fmt.Errorf("dynamo: %s %s: %w", op, table, err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return wrapped
	case later(err):
		return fault.Wrap(wrapped, fault.Unavailable, "the store is busy, try again")
	case tooLarge(err.Error()):
		return fault.Wrap(wrapped, fault.TooLarge, "more than one entry of the store can hold")
	}
	return wrapped
}

// later reports whether the same call may succeed another time: no answer, half of one,
// throttling, trouble of the server's own.
func later(err error) bool {
	var half *smithy.DeserializationError
	return errors.As(err, &half) || retry.IsErrorRetryables(retry.DefaultRetryables).IsErrorRetryable(err) == aws.TrueTernary
}

// tooLarge reports whether a message of the server's says that an item would be larger
// than the 400 KB that one may have.
func tooLarge(message string) bool { return strings.Contains(message, "Item size") }
