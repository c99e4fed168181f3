package plan

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"merve/internal/dynamo"
	"merve/internal/person"
)

// Held exports and erases a person's conversations with the plan engine.
type Held struct {
	*Store
	// Market is the tenant whose engine it is: conversations that name none are its.
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
	all := []exported{}
	err := h.each(ctx, s, func(conversation string) error {
		events, err := h.Trace(ctx, s.Owner, conversation)
		for _, e := range events {
			all = append(all, exported{conversation, e.Wire()})
		}
		return err
	})
	return person.Exported(all, err)
}

// Erase ends the conversations, deletes them, and forgets whose they were.
func (h Held) Erase(ctx context.Context, s person.Subject) ([]string, error) {
	var errs []error
	err := h.each(ctx, s, func(conversation string) error {
		errs = append(errs, h.erase(ctx, s.Owner, conversation))
		return nil
	})
	return nil, errors.Join(append(errs, err)...)
}

// each goes through what a person has in one market.
func (h Held) each(ctx context.Context, s person.Subject, do func(conversation string) error) error {
	const prefix = "conversation#"
	return h.Table.Each(ctx, dynamo.Under("plans#"+s.Owner, prefix), func(it dynamo.Item) error {
		if cmp.Or(it.String("market"), h.Market) != s.Market {
			return nil
		}
		return do(strings.TrimPrefix(it.Key().SK, prefix))
	})
}
