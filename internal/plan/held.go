package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/person"
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
	Result json.RawMessage `json:"result,omitempty"` // the whole result, if the event has only its beginning
}

// Export returns all events of the person's conversations.
func (h Held) Export(ctx context.Context, s person.Subject) (any, error) {
	all := []exported{}
	err := h.each(ctx, s, func(conversation string) error {
		events, err := h.exported(ctx, s.Owner, conversation)
		all = append(all, events...)
		return err
	})
	return person.Exported(all, err)
}

// exported are the events of one conversation, in order.
func (h Held) exported(ctx context.Context, owner, conversation string) ([]exported, error) {
	head, err := h.mine(ctx, conversation, owner)
	if errors.Is(err, actor.ErrNotFound) { // an erasure died before it had forgotten that it was
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ref := Ref{Conversation: conversation, Generation: head.Generation}
	events, err := h.trace(ctx, ref)
	if err != nil {
		return nil, err
	}
	all := make([]exported, len(events))
	for i, e := range events {
		all[i] = exported{Conversation: conversation, Wire: e.Wire()}
		var p Resulted
		if e.Type != ToolInvocationResulted || json.Unmarshal(e.Payload, &p) != nil {
			continue
		}
		if _, ok := onShelf(p.Result); ok {
			if all[i].Result, err = h.whole(ctx, ref, p.Result); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
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
