package gate

import (
	"context"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// Look rereads what an offer depends on right before a YES to it is carried out: the listing, its action,
// its prices. The writes are conditions that hold as long as nothing it read has changed; they fail with
// [ErrMeanwhile] and change nothing. A [Refusal] says that the offer no longer stands. Look ignores an offer
// that is gone or already settled, because the [Commitment] reports that.
type Look func(ctx context.Context, tc tool.Context, p thread.Pending) (stands []dynamo.Write, err error)

// Refusal says, in words for the customer, that an offer no longer stands.
type Refusal struct{ Text string }

func (r *Refusal) Error() string { return "the offer does not stand any more: " + r.Text }

// ErrMeanwhile says that what an offer depends on has changed since the look: look again.
var ErrMeanwhile = fault.New(fault.Conflict, "what the offer rests on has changed meanwhile")
