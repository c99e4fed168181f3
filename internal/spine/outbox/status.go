package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// StatusReport is a provider's word on a message it was sent.
type StatusReport struct {
	Thread     string // from the callback's address
	ID         string
	ProviderID string
	Status     Status
	Error      string // code and reason when it failed
}

// errBehind means that the message is further than the report.
var errBehind = errors.New("status is behind")

// Note moves a message's status forward. It ignores a report that is behind, or of a send that is
// not the message's. Any report settles a send whose answer was lost:
// once the provider has queued a message, we count it as sent. One request.
func (b *Box) Note(ctx context.Context, r StatusReport) error {
	if _, known := rank[r.Status]; !known {
		return fault.Field("MessageStatus", "unknown")
	}
	if r.ProviderID == "" {
		return fault.Field("MessageSid", "is missing")
	}
	if rank[r.Status] < rank[Sent] {
		r.Status = Sent
	}
	err := b.Table.DB().Commit(ctx, b.forward(r))
	if errors.Is(err, errBehind) {
		return b.keepError(ctx, r)
	}
	if err != nil {
		return fmt.Errorf("status of %s of %s: %w", r.ID, r.Thread, err)
	}
	return nil
}

// forward moves the message to r's status if it is not as far yet.
func (b *Box) forward(r StatusReport) dynamo.Write {
	vals := dynamo.V{":new": r.Status, ":id": r.ProviderID, ":now": b.Now()}
	set := "SET #status = :new, providerId = :id, sentAt = if_not_exists(sentAt, :now)"
	if r.Error != "" {
		set += ", #error = :why"
		vals[":why"] = r.Error
	}
	if r.Status == Failed { // due until the operators have been told
		set += ", dueShard = :due, dueAt = :now REMOVE claimUntil"
		vals[":due"] = dynamo.DueShard(dueKind, r.Thread)
	} else {
		set += " REMOVE dueShard, dueAt, claimUntil"
	}
	var lower []string
	for s, n := range rank {
		if n < rank[r.Status] {
			name := fmt.Sprintf(":below%d", n)
			lower, vals[name] = append(lower, name), s
		}
	}
	return b.Table.Update(key(r.Thread, r.ID), set, vals).
		If("#status IN ("+strings.Join(lower, ", ")+") AND "+
			"(attribute_not_exists(providerId) OR providerId = :id) AND NOT contains(former, :id)", nil).
		ElseOld(func(old dynamo.Item) error {
			if old == nil {
				return fault.New(fault.NotFound, "not found")
			}
			return errBehind
		})
}

// keepError keeps a late failure visible on a message that was delivered after all. Of
// several reasons one is kept, whatever their order: the first in the alphabet, which
// is one with a code where there is one.
func (b *Box) keepError(ctx context.Context, r StatusReport) error {
	if r.Status != Failed || r.Error == "" {
		return nil
	}
	w := b.Table.Update(key(r.Thread, r.ID), "SET #error = :why", dynamo.V{":why": r.Error}).
		If("providerId = :id", dynamo.V{":id": r.ProviderID}).
		If("attribute_not_exists(#error) OR #error > :why", nil).Else(errBehind)
	if err := b.Table.DB().Commit(ctx, w); err != nil && !errors.Is(err, errBehind) {
		return fmt.Errorf("error of %s of %s: %w", r.ID, r.Thread, err)
	}
	return nil
}
