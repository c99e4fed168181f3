package person_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
)

// Whatever call fails, with the SDK's repeats and without, the person that a message brings
// is the one that the next messages bring, by either id.
func TestField36_CrashOfAFirstMeeting(t *testing.T) {
	t.Parallel()
	for name, attempts := range map[string]int{"once": 1, "repeated": 4} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) any {
				db := dynamo.Open(dynamotest.Config(t), func(o *dynamodb.Options) { o.HTTPClient, o.RetryMaxAttempts = calls, attempts })
				db.Backoff = func(int) time.Duration { return time.Microsecond }
				table := dynamotest.TableName("conversations")
				faulty, sound := &person.Book{Table: db.Table(table)}, &person.Book{Table: dynamotest.Open(t).Table(table)}
				id, phone := dynamotest.ID("US.1"), "+1555"+dynamotest.ID("")
				both := person.Sender{Channel: channel.WhatsApp, UserID: id, Phone: phone, Name: "Ann"}
				var met string
				calls.Deliver(t, nil, func() error {
					a, err := faulty.Identify(t.Context(), both)
					met = a.ID
					return err
				})
				var all []string
				for _, s := range []person.Sender{{Channel: channel.WhatsApp, UserID: id}, both, {Channel: channel.WhatsApp, Phone: phone}} {
					a, err := sound.Identify(t.Context(), s)
					if err != nil {
						t.Fatal(err)
					}
					all = append(all, a.ID)
				}
				return strings.ReplaceAll(strings.Join(append(all, met), " "), phone, "the number")
			})
		})
	}
}

// While nobody can be looked up, a known id is nobody's, not somebody without a name.
func TestNobodyCanBeLookedUp(t *testing.T) {
	t.Parallel()
	table, known := dynamotest.TableName("conversations"), person.Sender{Channel: channel.WhatsApp, UserID: dynamotest.ID("US.3")}
	if _, err := (&person.Book{Table: dynamotest.Open(t).Table(table)}).Identify(t.Context(), known); err != nil {
		t.Fatal(err)
	}
	broken := &faulttest.Calls{Choose: func(call string) faulttest.Fault {
		if call == "BatchGetItem" {
			return faulttest.ServerError
		}
		return ""
	}}
	if a, err := (&person.Book{Table: dynamotest.Once(t, broken).Table(table)}).Identify(t.Context(), known); err == nil {
		t.Errorf("it is %q", a.ID)
	}
}

// Two first messages at the same time, one with a phone number and one without, are one
// person's.
func TestField36_FirstMetTwiceAtOnce(t *testing.T) {
	t.Parallel()
	table, id := dynamotest.TableName("conversations"), dynamotest.ID("US.2")
	var first string
	late := &person.Book{Table: dynamotest.Open(t, dynamotest.Before("TransactWriteItems", func() {
		a, err := (&person.Book{Table: dynamotest.Open(t).Table(table)}).Identify(context.Background(), person.Sender{Channel: channel.WhatsApp, UserID: id})
		if err != nil {
			t.Error(err)
		}
		first = a.ID
	})).Table(table)}
	a, err := late.Identify(t.Context(), person.Sender{Channel: channel.WhatsApp, UserID: id, Phone: "+1555" + dynamotest.ID("")})
	if err != nil || first == "" || a.ID != first {
		t.Errorf("%q and %q, %v", first, a.ID, err)
	}
}
