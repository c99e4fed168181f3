package thread_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/base/actor"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// What was spent yesterday does not count today.
func TestSpendIsOfADay(t *testing.T) {
	t.Parallel()
	s := thread.Spend{Day: "2026-11-21", MicroUSD: 5}
	if s.On("2026-11-21") != 5 || s.On("2026-11-22") != 0 {
		t.Errorf("%d, and %d the day after", s.On("2026-11-21"), s.On("2026-11-22"))
	}
}

// plainTurn runs a turn and returns what its three steps cost.
func plainTurn(t *testing.T, s *thread.Store, in channel.Inbound) (id string, steps [3]telemetry.Cost) {
	t.Helper()
	var a thread.Appended
	var th *thread.Thread
	for i, step := range []func() error{
		func() (err error) {
			ctx, meter := telemetry.WithMeter(t.Context())
			a, err = s.Append(ctx, in, true)
			steps[0] = meter.Cost()
			return err
		},
		func() (err error) {
			ctx, meter := telemetry.WithMeter(t.Context())
			th, err = s.Open(ctx, a.Lease)
			steps[1] = meter.Cost()
			return err
		},
		func() error {
			ctx, meter := telemetry.WithMeter(t.Context())
			o := ending(th, s.Now())
			o.Language, o.Spend = "en", thread.Spend{Day: "2026-11-21", MicroUSD: 1234}
			o.Turn.TraceID, o.Turn.Out = strings.Repeat("f", 32), []thread.Reply{{Text: strings.Repeat("a quiet place by the harbour ", 8)}}
			err := s.Commit(ctx, a.Lease, th, o)
			steps[2] = meter.Cost()
			return err
		},
	} {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
	}
	return a.Thread, steps
}

// whatsApp is a message that has everything that WhatsApp's have.
func whatsApp(phone, id string) channel.Inbound {
	return channel.Inbound{
		Market: "north-cyprus", Channel: channel.WhatsApp, ThreadType: channel.General, Assistant: "merve", MessageID: id, ReplyAddr: phone,
		From: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + phone, Name: "Ayşe Yılmaz", Phone: phone}, Text: "is there a table for two tonight, near the harbour?",
	}
}

// A plain turn writes four items of less than a kilobyte, in two transactions, and reads
// once: at the beginning of a thread, and after ten thousand messages.
func TestField33_CostAfterTenThousandMessages(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, phone := newStore(t, c), "+1555"+dynamotest.ID("")[1:8]
	const turns = 5000
	var id string
	var early [3]telemetry.Cost
	for i := range 1 + thread.Recent {
		c.add(time.Second)
		id, early = plainTurn(t, s, whatsApp(phone, fmt.Sprint(i)))
	}
	first, err := s.Table.Get(t.Context(), dynamo.Key{PK: id, SK: "turn#00000001"})
	if err != nil {
		t.Fatal(err)
	}
	var turn thread.Turn
	if err := first.Decode(&turn); err != nil {
		t.Fatal(err)
	}
	var ws []dynamo.Write
	for n := 2 + thread.Recent; n <= turns; n++ {
		turn.N = n
		ws = append(ws, s.Table.Put(dynamo.Key{PK: id, SK: fmt.Sprintf("turn#%08d", n)}, turn))
	}
	ws = append(ws, s.Table.Update(dynamo.Key{PK: id, SK: "~"}, "SET turns = :n, epoch = :n, done = :n", dynamo.V{":n": turns}))
	if err := s.Table.DB().CommitAll(t.Context(), ws...); err != nil {
		t.Fatal(err)
	}
	_, late := plainTurn(t, s, whatsApp(phone, "late"))
	for i, want := range []telemetry.Cost{{Requests: 1, WriteUnits: 4}, {Requests: 1, ReadUnits: 3}, {Requests: 1, WriteUnits: 4}} {
		for name, got := range map[string]telemetry.Cost{"turn 13": early[i], "turn 5,001": late[i]} {
			if got.Requests != want.Requests || got.WriteUnits != want.WriteUnits || got.ReadUnits > want.ReadUnits {
				t.Errorf("%s, step %d: %+v, want %+v", name, i+1, got, want)
			}
		}
		if early[i].ReadUnits != late[i].ReadUnits || late[i].Bytes > early[i].Bytes+early[i].Bytes/20 {
			t.Errorf("step %d has grown from %+v to %+v", i+1, early[i], late[i])
		}
	}
	for _, sk := range []string{"~", "turn#00005001", "seen#" + thread.MessageID(id, channel.WhatsApp, "late")} {
		it, err := s.Table.Get(t.Context(), dynamo.Key{PK: id, SK: sk})
		if err != nil || len(it) == 0 {
			t.Fatal(err)
		}
		t.Logf("%s has %d bytes", sk, bytes(&types.AttributeValueMemberM{Value: it}))
	}
}

// bytes is the size of a value as DynamoDB counts it, with up to 4 bytes for a number less.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func bytes(v types.AttributeValue) int {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberN:
		return len(v.Value)/2 + 2
	case *types.AttributeValueMemberL:
		n := 3
		for _, e := range v.Value {
			n += 1 + bytes(e)
		}
		return n
	case *types.AttributeValueMemberM:
		n := 3
		for name, e := range v.Value {
			n += len(name) + 1 + bytes(e)
		}
		return n
	}
	return 1
}
