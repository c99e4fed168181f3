// Package person knows who a channel's sender is. A person is not a phone number: identity is the channel and the
// provider's user id; a phone number is an attribute that may be missing (WhatsApp user names send a business-scoped
// id instead) or come later.
//
// On a channel that may also send a phone number, a user id is looked up, and remembered the first time, so that
// somebody first met by one and later by the other stays one person:
//
//	alias#{channel}:{user id}        person   (table conversations)
//	alias#{channel}:{phone number}   user     the person who wrote from it last, and all who did before
//
// A number that comes with another user id now belongs to a different person. Messages for the previous owner must
// not go there any more ([Book.StillHas]). The number finds both ([Book.Named]).
//
// A person first met by a user id alone keeps that identity when a phone number comes with the id later. A number
// without an id is not looked up, so it then stands for a different person: providers that send ids send them with
// every message.
//
// An alias stays when a person's messages are deleted, as the thread's head does. Without it, somebody who opted out
// or made a booking would come back as a different person.
//
// Cost: none for an id alone or a phone number alone; 1 request for a business-scoped id, 2 if it or its number is
// new, 3 if it is new and its number was somebody else's.
package person

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
)

// Sender is who a provider says has written, on a channel that may give phone numbers.
type Sender struct {
	Channel channel.Channel
	UserID  string // business-scoped id; may be ""
	Phone   string // E.164; may be ""
	Name    string
}

// Book finds people.
type Book struct {
	Table dynamo.Table // conversations
}

type alias struct {
	Person string `dynamodbav:"person"`
}

// ByID returns the person whom a channel knows by one id alone, as Messenger does by its page-scoped
// id.
func ByID(ch channel.Channel, id string) actor.Actor {
	return actor.Actor{Kind: actor.Person, ID: string(ch) + ":" + id}
}

// Identify returns the person. The same person comes back whenever a message brings the
// same user id; and by phone number alone, when they were first met with one.
func (b *Book) Identify(ctx context.Context, s Sender) (actor.Actor, error) {
	a := ByID(s.Channel, cmp.Or(s.Phone, s.UserID))
	a.Name, a.Phone = s.Name, s.Phone
	if s.UserID == "" {
		return a, nil
	}
	id, err := b.known(ctx, s)
	if err == nil && id == "" {
		id, err = b.meet(ctx, s, a.ID)
	}
	if err != nil {
		return actor.Actor{}, fmt.Errorf("who is it: %w", err)
	}
	a.ID = id
	return a, nil
}

var (
	errMet     = errors.New("somebody was faster")
	errAnother = errors.New("the number was another's")
)

// meet remembers who a user id is: who their number stands for, unless that came with another
// user id before.
func (b *Book) meet(ctx context.Context, s Sender, id string) (string, error) {
	ws := []dynamo.Write{b.Table.Put(aliasKey(s.Channel, s.UserID, "person"), alias{id}).IfAbsent().Else(errMet)}
	if s.Phone != "" {
		has := b.has(s, id)
		if id == ByID(s.Channel, s.Phone).ID {
			has = has.IfAbsent().Else(errAnother)
		}
		ws = append(ws, has)
	}
	err := b.Table.DB().Commit(ctx, ws...)
	switch {
	case errors.Is(err, errMet):
		return b.known(ctx, s)
	case errors.Is(err, errAnother):
		return b.meet(ctx, s, ByID(s.Channel, s.UserID).ID)
	}
	return id, err
}

// known returns who a user id is, "" for nobody yet, and remembers that they have its number now.
func (b *Book) known(ctx context.Context, s Sender) (string, error) {
	keys := []dynamo.Key{aliasKey(s.Channel, s.UserID, "person")}
	if s.Phone != "" {
		keys = append(keys, aliasKey(s.Channel, s.Phone, "user"))
	}
	items, err := b.Table.BatchGet(ctx, keys...)
	if err != nil || len(items) == 0 || items[0].Key() != keys[0] {
		return "", err
	}
	id := items[0].String("person")
	if s.Phone != "" && (len(items) == 1 || items[1].String("person") != id) {
		err = b.Table.DB().Commit(ctx, b.has(s, id))
	}
	return id, err
}

// has is the write that a person has a sender's number.
func (b *Book) has(s Sender, id string) dynamo.Write {
	return b.Table.Update(aliasKey(s.Channel, s.Phone, "user"), "SET person = :person ADD people :people",
		dynamo.V{":person": id, ":people": dynamo.Set{id}})
}

// Named are the keys of all people whom a channel's user id or number may mean: the one known by it alone, and those
// who wrote with it. 1 request.
func (b *Book) Named(ctx context.Context, ch channel.Channel, id string) ([]string, error) {
	items, err := b.Table.BatchGet(ctx, aliasKey(ch, id, "person"), aliasKey(ch, id, "user"))
	if err != nil {
		return nil, fmt.Errorf("who is it: %w", err)
	}
	aliases, err := dynamo.Decode[struct {
		alias
		People []string `dynamodbav:"people"`
	}](items)
	keys := []string{ByID(ch, id).Key()}
	for _, also := range aliases {
		for _, id := range append(also.People, also.Person) {
			keys = append(keys, actor.Actor{Kind: actor.Person, ID: id}.Key())
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), err
}

// StillHas is the condition that nobody else has written from a person's number since they did.
func (b *Book) StillHas(ch channel.Channel, number, id string) dynamo.Write {
	return b.Table.Check(aliasKey(ch, number, "user"), "attribute_not_exists(person) OR person = :person", dynamo.V{":person": id})
}

func aliasKey(ch channel.Channel, id, is string) dynamo.Key {
	return dynamo.Key{PK: "alias#" + string(ch) + ":" + id, SK: is}
}
