package person_test

import (
	"context"
	"errors"
	"testing"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
)

func TestField36_PhoneComesLater(t *testing.T) {
	t.Parallel()
	book := &person.Book{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations"))}
	ctx := context.Background()
	identify := func(id, phone string) string {
		a, err := book.Identify(ctx, person.Sender{Channel: channel.WhatsApp, UserID: id, Phone: phone})
		if err != nil {
			t.Fatal(err)
		}
		if a.Phone != phone {
			t.Errorf("phone %q, want %q", a.Phone, phone)
		}
		return a.ID
	}
	scoped := dynamotest.ID("US.13491208655302741918")
	if first, later := identify(scoped, ""), identify(scoped, "+1556"+dynamotest.ID("")[1:8]); first != later {
		t.Errorf("met without a phone %q, later with one %q", first, later)
	}
	phone := "+1555" + dynamotest.ID("")[1:8]
	other := dynamotest.ID("US.7")
	byPhone := identify("", phone)
	if both, byID := identify(other, phone), identify(other, ""); both != byPhone || byID != byPhone {
		t.Errorf("known by phone as %q, with both %q, by id alone %q", byPhone, both, byID)
	}
	if identify(dynamotest.ID("US.8"), "") == byPhone {
		t.Error("two people are one")
	}
}

// A number that has got a new owner does not make them who had it before.
func TestField36_ANumberHasANewOwner(t *testing.T) {
	t.Parallel()
	book := &person.Book{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations"))}
	identify := func(id, phone string) string {
		a, err := book.Identify(t.Context(), person.Sender{Channel: channel.WhatsApp, UserID: id, Phone: phone})
		if err != nil {
			t.Fatal(err)
		}
		return a.ID
	}
	phone, before, now := "+1555"+dynamotest.ID("")[1:8], dynamotest.ID("US.1"), dynamotest.ID("US.2")
	first := identify(before, phone)
	second := identify(now, phone)
	if first == second || identify(now, phone) != second || identify(now, "") != second || identify(before, "") != first || identify(before, "+15550199") != first {
		t.Errorf("before %q, now %q", first, second)
	}
}

// A number is still that of who wrote from it last, be it in whatever order the two have come to be known.
func TestField36_WhoStillHasANumber(t *testing.T) {
	t.Parallel()
	book := &person.Book{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations"))}
	number := func() string { return "+1555" + dynamotest.ID("")[1:8] }
	phone, ann, bob := number(), dynamotest.ID("US.1"), dynamotest.ID("US.2")
	has := map[string]string{}
	for n, tt := range []struct{ user, phone, holder string }{
		{ann, phone, ann},
		{bob, phone, bob}, // first met so
		{ann, number(), bob},
		{ann, phone, ann},
		{bob, number(), ann},
		{bob, "", ann},
		{bob, phone, bob},
	} {
		who, err := book.Identify(t.Context(), person.Sender{Channel: channel.WhatsApp, UserID: tt.user, Phone: tt.phone})
		if err != nil {
			t.Fatal(err)
		}
		has[tt.user] = who.ID
		for user, id := range has {
			err := book.Table.DB().Commit(t.Context(), book.StillHas(channel.WhatsApp, phone, id))
			if has := user == tt.holder; has != (err == nil) || !has && !errors.Is(err, dynamo.ErrCondition) {
				t.Errorf("%d: %s, %v", n, user, err)
			}
		}
	}
	nobodys := book.StillHas(channel.WhatsApp, number(), "whatsapp:"+phone)
	if err := book.Table.DB().Commit(t.Context(), nobodys); err != nil {
		t.Errorf("a number that nobody is known by: %v", err)
	}
}

// A phone alone costs nothing, a new id two requests, and a known one a single one but for a new number.
func TestWhatAMeetingCosts(t *testing.T) {
	t.Parallel()
	book := &person.Book{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations"))}
	id, phone := dynamotest.ID("US.9"), "+1555"+dynamotest.ID("")[1:8]
	for i, tt := range []struct {
		id, phone string
		want      int
	}{{"", phone, 0}, {id, phone, 2}, {id, phone, 1}, {id, phone, 1}, {dynamotest.ID("US.10"), phone, 3}, {id, phone, 2}, {id, "", 1}} {
		ctx, meter := telemetry.WithMeter(context.Background())
		if _, err := book.Identify(ctx, person.Sender{Channel: channel.WhatsApp, UserID: tt.id, Phone: tt.phone}); err != nil {
			t.Fatal(err)
		}
		if n := meter.Cost().Requests; n != tt.want {
			t.Errorf("%d: %d requests, want %d", i, n, tt.want)
		}
	}
}
