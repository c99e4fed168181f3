package relay

import (
	"fmt"
	"testing"
	"time"

	"merve/internal/dynamo"
	"merve/internal/dynamo/dynamotest"
)

// A business that names nobody means the latest of those who wait, however many there are.
func TestTheLatestTalksAreFound(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	business := dynamotest.ID("biz")
	begin := func(thread string) {
		t.Helper()
		talk := Talk{Market: "demo", Business: business, Thread: business + thread, Listing: "grill", ListingName: "Grill"}
		if err := p.Begin(t.Context(), talk, func(string) []dynamo.Write { return nil }); err != nil {
			t.Fatal(err)
		}
		*now = now.Add(time.Second)
	}
	for n := range maxWaiting + 1 {
		begin(fmt.Sprint(n))
	}
	all, err := p.waiting(t.Context(), "demo", []string{business})
	if err != nil || len(all) != maxWaiting {
		t.Fatalf("%d wait, %v", len(all), err)
	}
	for _, m := range all {
		if m.Thread == business+"0" {
			t.Error("the first is among them, and so the latest is not")
		}
	}
}

// Bounds that people are told, or live by.
func TestBounds(t *testing.T) {
	t.Parallel()
	if MaxText != 1000 || MaxDay != 20 || visitFor != 24*time.Hour || talkFor != 7*24*time.Hour || waitFor != 2*time.Hour {
		t.Errorf("%d characters, %d a day; a visit is open for %v, a talk for %v, and means itself for %v", MaxText, MaxDay, visitFor, talkFor, waitFor)
	}
}

// Each matter has a bound of its own for a day.
func TestAnotherMatterMayStillBePassedOn(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	business, thread := dynamotest.ID("biz"), dynamotest.ID("ann")
	pass := func(code string, n int) error {
		e := Event{ID: fmt.Sprint(code, n), Market: "demo", Code: code, Business: business, Thread: thread, Words: "hello", At: *now}
		return p.Table.DB().Commit(t.Context(), p.writes(e)...)
	}
	for n := range MaxDay {
		if err := pass("K7P2", n); err != nil {
			t.Fatal(err)
		}
	}
	if pass("K7P2", MaxDay) == nil {
		t.Error("more than a day takes is passed on")
	}
	if err := pass("K7P3", 0); err != nil {
		t.Errorf("another matter: %v", err)
	}
	*now = now.Add(24 * time.Hour)
	if err := pass("K7P2", MaxDay+1); err != nil {
		t.Errorf("another day: %v", err)
	}
}
