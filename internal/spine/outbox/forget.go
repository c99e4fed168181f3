package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
)

const (
	forgetPrefix = "forget#"
	forgetAfter  = time.Hour // so often it is seen whether a message is at rest

	listedIndex = "listed" // on (listed, listedAt); keys only
)

// Forget deletes the words of messages to others about the customer of a thread: the texts and the values of
// templates. The message itself stays, so that it is not sent again, and so that a reply
// to it is understood. A message that has not gone out yet, and was not given up, goes out unchanged, and then
// [Sender.Sweep] deletes its words. Forget may be called any number of times. 1 request, and 1 for each
// message, 2 if it still waits.
func (b *Box) Forget(ctx context.Context, customer string) error {
	if customer == "" { // who wrote on no thread
		return nil
	}
	var errs []error
	err := b.Table.Each(ctx, dynamo.Query{
		Index: listedIndex, Where: "listed = :listed", Values: dynamo.V{":listed": customer},
	}, func(it dynamo.Item) error {
		errs = append(errs, b.forget(ctx, it.Key()))
		return nil
	})
	if err = errors.Join(append(errs, err)...); err != nil {
		return fmt.Errorf("forget what was told of %s: %w", customer, err)
	}
	return nil
}

var (
	errAtWork = errors.New("it may go out yet")
	errGone   = errors.New("there is no such message")
)

// forget takes the words out of a message at rest, one that neither may go out nor is to be told to the
// operators, and its mark off. Another is marked, or put off.
func (b *Box) forget(ctx context.Context, message dynamo.Key) error {
	mark := dynamo.Key{PK: message.PK, SK: forgetPrefix + strings.TrimPrefix(message.SK, prefix)}
	words := b.Table.Update(message, "REMOVE #text, template, listed, listedAt, dueShard, dueAt", nil).
		If("attribute_exists(pk) AND NOT begins_with(dueShard, :due)", dynamo.V{":due": dueKind + "#"}).ElseOld(func(old dynamo.Item) error {
		if old == nil {
			return errGone
		}
		return errAtWork
	})
	err := b.Table.DB().Commit(ctx, words, b.Table.Delete(mark))
	switch {
	case errors.Is(err, errAtWork):
		return b.Table.DB().Commit(ctx, b.Table.PutDue(mark, dueKind, message.PK, b.Now().Add(forgetAfter)))
	case errors.Is(err, errGone):
		return b.Table.DB().Commit(ctx, b.Table.Delete(mark))
	}
	return err
}

// forgetMarked looks again at the message of a mark, if it is one.
func (b *Box) forgetMarked(ctx context.Context, k dynamo.Key) (is bool, err error) {
	id, is := strings.CutPrefix(k.SK, forgetPrefix)
	if !is {
		return false, nil
	}
	return true, b.forget(ctx, key(k.PK, id))
}
