package outbox

import (
	"context"
	"errors"
	"fmt"

	"merve/internal/dynamo"
	"merve/internal/fault"
)

// Report is a provider's word on a message it was sent.
type Report struct {
	Thread     string // from the callback's address
	ID         string
	ProviderID string
	Status     Status
	Error      string // code and reason when it failed
}

// errBehind means that the message is further than the report.
var errBehind = errors.New("status is behind")

// Note moves a message's status forward; a report that is behind changes nothing. It
// also settles a send whose answer was lost. One request.
func (b *Box) Note(ctx context.Context, r Report) error {
	if _, known := rank[r.Status]; !known {
		return fault.Field("MessageStatus", "unknown")
	}
	var lower []string
	vals := dynamo.V{":new": r.Status, ":id": r.ProviderID}
	for _, s := range []Status{Queued, Sending, Sent, Failed, Delivered, Read} {
		if rank[s] < rank[r.Status] {
			name := fmt.Sprintf(":below%d", rank[s])
			lower = append(lower, name)
			vals[name] = s
		}
	}
	if len(lower) == 0 {
		return nil // nothing is behind queued
	}
	set := "SET #status = :new, providerId = :id"
	if r.Error != "" {
		set += ", #error = :why"
		vals[":why"] = r.Error
	}
	if r.Status == Failed {
		set += ", dueShard = :dead, dueAt = :now REMOVE claimUntil"
		vals[":dead"], vals[":now"] = dynamo.DueShard(deadKind, r.Thread), b.Now()
	} else {
		set += " REMOVE dueShard, dueAt, claimUntil"
	}
	w := b.Table.Update(key(r.Thread, r.ID), set, vals).
		If("attribute_exists(pk) AND #status IN ("+join(lower)+") AND (attribute_not_exists(providerId) OR providerId = :id)", nil).
		ElseOld(func(old dynamo.Item) error {
			if old == nil {
				return fault.New(fault.NotFound, "not found")
			}
			return errBehind
		})
	err := b.Table.DB().Commit(ctx, w)
	if errors.Is(err, errBehind) {
		return b.keepError(ctx, r)
	}
	if err != nil {
		return fmt.Errorf("status of %s of %s: %w", r.ID, r.Thread, err)
	}
	return nil
}

// keepError keeps a late failure visible on a message that was delivered after all.
func (b *Box) keepError(ctx context.Context, r Report) error {
	if r.Status != Failed || r.Error == "" {
		return nil
	}
	w := b.Table.Update(key(r.Thread, r.ID), "SET #error = if_not_exists(#error, :why)", dynamo.V{":why": r.Error}).
		If("providerId = :id", dynamo.V{":id": r.ProviderID}).Else(errBehind)
	if err := b.Table.DB().Commit(ctx, w); err != nil && !errors.Is(err, errBehind) {
		return fmt.Errorf("error of %s of %s: %w", r.ID, r.Thread, err)
	}
	return nil
}

func join(names []string) string {
	out := names[0]
	for _, n := range names[1:] {
		out += ", " + n
	}
	return out
}
