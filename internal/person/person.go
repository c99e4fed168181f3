// Package person knows who a channel's sender is. A person is not a phone number:
// identity is the channel and the provider's user id; a phone number is an attribute that
// may be missing (WhatsApp user names send a business-scoped id instead) or come later.
//
// Where a phone number may come too, a user id is looked up, and remembered the first time,
// so that somebody first met by one and later by the other stays one person:
//
//	alias#{channel}:{user id}   person   (table conversations)
//
// Who was met by a user id alone keeps that identity when a phone number comes with the id
// later. A number without an id is not looked up, so it then stands for somebody else:
// providers that send ids send them with every message.
//
// An alias stays when what was said is deleted, as the thread's head does: without it whoever has
// opted out, or has a booking, would come back as somebody else.
//
// Cost: none where there is one id or a phone number alone; 1 request for a business-scoped id, 2
// when it is new.
package person

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"merve/internal/actor"
	"merve/internal/channel"
	"merve/internal/dynamo"
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
	key := dynamo.Key{PK: "alias#" + string(s.Channel) + ":" + s.UserID, SK: "person"}
	known, err := b.lookUp(ctx, key)
	if err != nil || known != "" {
		a.ID = known
		return a, err
	}
	taken := errors.New("somebody was faster")
	err = b.Table.DB().Commit(ctx, b.Table.Put(key, alias{a.ID}).IfAbsent().Else(taken))
	if errors.Is(err, taken) {
		a.ID, err = b.lookUp(ctx, key)
	}
	if err != nil {
		return actor.Actor{}, fmt.Errorf("remember a person: %w", err)
	}
	return a, nil
}

func (b *Book) lookUp(ctx context.Context, key dynamo.Key) (string, error) {
	it, err := b.Table.Get(ctx, key)
	if err != nil || it == nil {
		return "", err
	}
	return it.String("person"), nil
}
