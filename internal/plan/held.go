package plan

import (
	"context"
	"errors"
	"strings"

	"merve/internal/dynamo"
	"merve/internal/person"
)

// Held exports and erases a person's conversations with the plan engine.
type Held struct {
	*Store
	// Market is the tenant whose engine it is: what others ask for is not here.
	Market string
}

// Holds names the conversations in an export.
func (Held) Holds() string { return "plans" }

// exported is an event in an export.
type exported struct {
	Conversation string `json:"conversation"`
	Wire
}

// Export returns all events of the person's conversations.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	if s.Market != h.Market {
		return nil, nil
	}
	all := []exported{}
	err := h.each(ctx, s.Owner, func(conversation string) error {
		events, err := h.Trace(ctx, s.Owner, conversation)
		for _, e := range events {
			all = append(all, exported{conversation, e.Wire()})
		}
		return err
	})
	return person.Exported(all, err)
}

// Erase resets the conversations, deletes their events, and forgets that they were.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	if s.Market != h.Market {
		return nil, nil
	}
	var errs []error
	err := h.each(ctx, s.Owner, func(conversation string) error {
		if err := h.Reset(ctx, s.Owner, conversation); err != nil {
			errs = append(errs, err)
			return nil
		}
		return h.Table.DB().Commit(ctx, h.Table.Delete(ownerKey(s.Owner, conversation)))
	})
	return nil, errors.Join(append(errs, err)...)
}

// each goes through a person's conversations.
func (s *Store) each(ctx context.Context, owner string, do func(conversation string) error) error {
	const prefix = "conversation#"
	return s.Table.Each(ctx, dynamo.Under("plans#"+owner, prefix), func(it dynamo.Item) error {
		return do(strings.TrimPrefix(it.Key().SK, prefix))
	})
}
