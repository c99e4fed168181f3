package market_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/tenant/market"
)

// failing is a new process whose calls fail.
func failing(t *testing.T, now *time.Time, calls *faulttest.Calls) *market.Store {
	s := store(t, now)
	db := dynamotest.Once(t, calls)
	s.Table = db.Table(dynamotest.TableName("catalog"))
	return s
}

func number() string { return fmt.Sprintf("+1555%09d", rand.Int64N(1e9)) }

// A save whose call fails is done once when it comes again: one version further, listed,
// and with its number; the number it had is free.
func TestField25_CrashOfASave(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) any {
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		sound, faulty, ctx := store(t, &now), failing(t, &now, calls), t.Context()
		m := market.Default(dynamotest.ID("m"))
		before, after := number(), number()
		m.WhatsApp.From = before
		saved, err := sound.Save(ctx, *m, "ann")
		if err != nil {
			t.Fatal(err)
		}
		changed := *saved
		changed.QuietMS, changed.WhatsApp.From = 500, after
		calls.Deliver(t, func() { now = now.Add(time.Second) }, func() error {
			got, err := faulty.Save(ctx, changed, "bob")
			if err == nil && (got.Version != 2 || got.QuietMS != 500) {
				t.Errorf("saved as %+v", got)
			}
			return err
		})
		if _, err := sound.Save(ctx, changed, "carl"); !fault.Is(err, fault.Conflict) {
			t.Errorf("the same by somebody else: %v", err)
		}
		left := map[string]any{}
		for name, pk := range map[string]string{"market": "market#" + m.ID, "old number": "number#" + before, "number": "number#" + after} {
			page, err := sound.Table.Query(ctx, dynamo.Under(pk, ""))
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range page.Items {
				var plain map[string]any
				if err := attributevalue.UnmarshalMap(it, &plain); err != nil {
					t.Fatal(err)
				}
				for _, random := range []string{"pk", "id", "name", "market", "updatedAt", "whatsapp"} {
					delete(plain, random)
				}
				left[name+" "+it.Key().SK] = plain
			}
		}
		fresh := store(t, &now)
		for _, n := range []string{before, after} {
			id, err := fresh.ByNumber(ctx, n)
			if err != nil {
				t.Fatal(err)
			}
			left["owner of "+map[string]string{before: "old", after: "new"}[n]] = id == m.ID
		}
		return left
	})
}

// Between the look at what is stored and the save, somebody else saves.
func TestASaveAtTheSameTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s, ctx := store(t, &now), context.Background()
	during := func(do func()) *market.Store {
		late := store(t, &now)
		late.Table = dynamotest.Open(t, dynamotest.Before("TransactWriteItems", do)).Table(dynamotest.TableName("catalog"))
		return late
	}
	first := market.Default(dynamotest.ID("m"))
	if _, err := during(func() {
		if _, err := s.Save(ctx, *first, "ann"); err != nil {
			t.Error(err)
		}
	}).Save(ctx, *first, "bob"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a first version at the same time: %v", err)
	}
	stored, err := s.Read(ctx, first.ID)
	if err != nil || stored.UpdatedBy != "ann" {
		t.Fatalf("stored %+v, %v", stored, err)
	}
	if _, err := during(func() {
		if _, err := s.Save(ctx, *stored, "ann"); err != nil {
			t.Error(err)
		}
	}).Save(ctx, *stored, "bob"); !fault.Is(err, fault.Conflict) {
		t.Errorf("a second version at the same time: %v", err)
	}
	mine, yours := market.Default(dynamotest.ID("m")), market.Default(dynamotest.ID("m"))
	mine.WhatsApp.From = number()
	yours.WhatsApp.From = mine.WhatsApp.From
	_, err = during(func() {
		if _, err := s.Save(ctx, *mine, "ann"); err != nil {
			t.Error(err)
		}
	}).Save(ctx, *yours, "bob")
	if _, field := fault.Public(err); field != "whatsapp.from" {
		t.Errorf("a number at the same time: %v", err)
	}
	if _, err := s.Read(ctx, yours.ID); !errors.Is(err, market.ErrUnknown) {
		t.Errorf("half a market was saved: %v", err)
	}
}

// The same save again changes nothing; by somebody else it is another one, and too late.
func TestTheSameSaveAgain(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s, m := store(t, &now), market.Default(dynamotest.ID("m"))
	for range 2 {
		saved, err := s.Save(t.Context(), *m, "ann")
		if err != nil || saved.Version != 1 || !saved.UpdatedAt.Equal(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)) {
			t.Fatalf("saved %+v, %v", saved, err)
		}
		now = now.Add(time.Second)
	}
	if _, err := s.Save(t.Context(), *m, "bob"); !fault.Is(err, fault.Conflict) {
		t.Errorf("by somebody else: %v", err)
	}
}

// A number that a market gives back is free for another.
func TestANumberIsGivenBack(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s, ctx := store(t, &now), context.Background()
	mine, n := market.Default(dynamotest.ID("m")), number()
	for _, from := range []string{n, n, ""} {
		mine.WhatsApp.From = from
		saved, err := s.Save(ctx, *mine, "ann")
		if err != nil {
			t.Fatalf("with %q: %v", from, err)
		}
		mine = saved
	}
	other := market.Default(dynamotest.ID("m"))
	other.WhatsApp.From = n
	if _, err := s.Save(ctx, *other, "bob"); err != nil {
		t.Errorf("the number is not free: %v", err)
	}
}
