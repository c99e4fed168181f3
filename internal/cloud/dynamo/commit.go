package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

// MaxWrites is how many writes one transaction takes.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
const MaxWrites = 100

// Commit makes all writes happen, or none: one request for one write or many.
// When conditions fail, the error is that of the first write (in the order given)
// whose condition failed. A transaction that meets another one is tried again, a
// bounded number of times.
func (db *DB) Commit(ctx context.Context, ws ...Write) error {
	for _, w := range ws {
		if w.err != nil {
			return fmt.Errorf("dynamo: %s %s %v: %w", w.op, w.table, w.key, w.err)
		}
	}
	switch {
	case len(ws) == 0:
		return nil
	case len(ws) == 1 && ws[0].op != opCheck:
		_, err := db.Apply(ctx, ws[0])
		return err
	case len(ws) > MaxWrites:
		return fault.New(fault.TooLarge, "%d writes in one transaction, at most %d", len(ws), MaxWrites)
	}
	in := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal}
	for _, w := range ws {
		in.TransactItems = append(in.TransactItems, w.transactItem())
	}
	ctx, meter := telemetry.WithMeter(ctx)
	_, err := Retry(ctx, db, errConflict, func() (struct{}, error) {
		before := meter.Cost().Requests
		_, err := db.client.TransactWriteItems(ctx, in)
		// A fresh token for each try, which the SDK keeps while it repeats the call: with
		// that of a cancelled transaction the server would answer as it did before. Unless an
		// answer was lost: the transaction may be done, and is known by its token.
		if meter.Cost().Requests == before+1 {
			in.ClientRequestToken = nil
		}
		return struct{}{}, canceled(err, ws)
	})
	return err
}

// CommitAll makes writes happen that need not happen together, in their order, however many they
// are. One request for each hundred. What fails leaves those before it done.
func (db *DB) CommitAll(ctx context.Context, ws ...Write) error {
	for some := range slices.Chunk(ws, MaxWrites) {
		if err := db.Commit(ctx, some...); err != nil {
			return err
		}
	}
	return nil
}

// Apply runs one put, update or delete and returns the item as it is afterwards
// (updates only). One request. When its answer is lost it is made again, and may meet what
// it has done itself.
func (db *DB) Apply(ctx context.Context, w Write) (Item, error) {
	if w.err != nil {
		return nil, fmt.Errorf("dynamo: %s %s %v: %w", w.op, w.table, w.key, w.err)
	}
	return Retry(ctx, db, errConflict, func() (after Item, err error) {
		switch w.op {
		case opPut:
			_, err = db.client.PutItem(ctx, w.putInput())
		case opUpdate:
			var out *dynamodb.UpdateItemOutput
			if out, err = db.client.UpdateItem(ctx, w.updateInput()); err == nil {
				after = out.Attributes
			}
		case opDelete:
			_, err = db.client.DeleteItem(ctx, w.deleteInput())
		default:
			return nil, fmt.Errorf("dynamo: a check on its own: %v", w.key)
		}
		var failed *types.ConditionalCheckFailedException
		var met *types.TransactionConflictException
		switch {
		case errors.As(err, &failed):
			return nil, w.failure(failed.Item)
		case errors.As(err, &met):
			return nil, fmt.Errorf("%w: %w", errConflict, err)
		}
		return after, classify(err, string(w.op), w.table)
	})
}

// errConflict marks a transaction that met another one: nothing was written.
var errConflict = errors.New("met another transaction")

// canceled turns the reasons of a cancelled transaction into the error of the first
// write whose condition failed.
func canceled(err error, ws []Write) error {
	var tc *types.TransactionCanceledException
	if !errors.As(err, &tc) {
		return classify(err, "transaction", ws[0].table)
	}
	var later error
	for i, reason := range tc.CancellationReasons {
		if reason.Code == nil || i >= len(ws) {
			continue
		}
		switch *reason.Code {
		case "None":
		case "ConditionalCheckFailed":
			return ws[i].failure(reason.Item)
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			later = fmt.Errorf("%s on %s %v: %w", *reason.Code, ws[i].table, ws[i].key, errConflict)
		default: // ItemCollectionSizeLimitExceeded, ValidationError: wrong for ever
			message := ""
			if reason.Message != nil {
				message = *reason.Message
			}
			err := fmt.Errorf("dynamo: %s %s %v: %s: %s", ws[i].op, ws[i].table, ws[i].key, *reason.Code, message)
			if tooLarge(message) {
				return fault.Wrap(err, fault.TooLarge, "more than one entry of the store can hold")
			}
			return err
		}
	}
	if later != nil {
		return later
	}
	return fmt.Errorf("dynamo: transaction cancelled without a reason: %w", err)
}
