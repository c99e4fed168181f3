package relay

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
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

// What a business adds right after its answer is for who was answered, however long before that they
// asked.
func TestMoreIsSaidRightAfterAnAnswer(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, moreFor + time.Minute, waitFor + time.Minute, talkFor - time.Hour} {
		p, now := newPost(t)
		talk := Talk{Market: "demo", Business: dynamotest.ID("biz"), Thread: dynamotest.ID("ann"), Listing: "grill", ListingName: "Grill"}
		if err := p.Begin(t.Context(), talk, func(code string) []dynamo.Write { talk.Code = code; return nil }); err != nil {
			t.Fatal(err)
		}
		*now = now.Add(after)
		e := Event{ID: "m1", Market: "demo", Code: talk.Code, Talk: true, Business: talk.Business, Thread: talk.Thread, Words: "yes", At: *now, Written: *now}
		if err := p.Table.DB().Commit(t.Context(), p.writes(e)...); err != nil {
			t.Fatal(err)
		}
		for _, step := range []struct {
			later time.Duration
			want  int
		}{{moreFor, 1}, {time.Second, 0}} {
			*now = now.Add(step.later)
			if all, err := p.waiting(t.Context(), "demo", []string{talk.Business}); err != nil || len(all) != step.want {
				t.Errorf("answered after %v, %v later: %d wait, want %d; %v", after, now.Sub(e.At), len(all), step.want, err)
			}
		}
	}
}

// An answer that comes late is to what was asked before it was written: who asked since still waits.
func TestALateAnswerIsToWhatWasAskedBefore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		asksAgain bool
		want      time.Duration // waits so long after the answer came
	}{"asked since": {true, waitFor}, "asked before": {false, moreFor - 5*time.Minute}} {
		p, now := newPost(t)
		talk := Talk{Market: "demo", Business: dynamotest.ID("biz"), Thread: dynamotest.ID("ann"), Listing: "grill", ListingName: "Grill"}
		begin := func() {
			t.Helper()
			if err := p.Begin(t.Context(), talk, func(code string) []dynamo.Write { talk.Code = code; return nil }); err != nil {
				t.Fatal(err)
			}
		}
		begin()
		wrote := now.Add(time.Minute)
		*now = wrote.Add(5 * time.Minute)
		if tt.asksAgain {
			begin()
		}
		e := Event{ID: "m1", Market: "demo", Code: talk.Code, Talk: true, Business: talk.Business, Thread: talk.Thread, Words: "yes", At: *now, Written: wrote}
		if err := p.Table.DB().Commit(t.Context(), p.writes(e)...); err != nil {
			t.Fatal(err)
		}
		came := *now
		for later, want := range map[time.Duration]int{tt.want: 1, tt.want + time.Second: 0} {
			*now = came.Add(later)
			if all, err := p.waiting(t.Context(), "demo", []string{talk.Business}); err != nil || len(all) != want {
				t.Errorf("%s, %v later: %d wait, want %d; %v", name, later, len(all), want, err)
			}
		}
	}
}

// Who waits is found among many who were answered since, and so is who was answered last: words that
// name nobody are not for the only one of the latest.
func TestWhoWaitsIsFoundBehindOthers(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	business := dynamotest.ID("biz")
	begin := func(name string) Talk {
		t.Helper()
		talk := Talk{Market: "demo", Business: business, Thread: business + name, Customer: name, Listing: "grill", ListingName: "Grill"}
		if err := p.Begin(t.Context(), talk, func(code string) []dynamo.Write { talk.Code = code; return nil }); err != nil {
			t.Fatal(err)
		}
		*now = now.Add(time.Second)
		return talk
	}
	answer := func(talk Talk) {
		t.Helper()
		e := Event{ID: talk.Code, Market: "demo", Code: talk.Code, Talk: true, Business: business, Thread: talk.Thread, Words: "yes", At: *now, Written: *now}
		if err := p.Table.DB().Commit(t.Context(), p.writes(e)...); err != nil {
			t.Fatal(err)
		}
		*now = now.Add(time.Second)
	}
	ann := begin("Ann")
	*now = now.Add(waitFor / 2) // and is answered when she hardly waits any more
	begin("Eve")
	for n := range maxWaiting {
		answer(begin(fmt.Sprint(n)))
	}
	*now = now.Add(moreFor)
	begin("Bob")
	*now = now.Add(waitFor/2 - moreFor)
	answer(ann)
	all, err := p.waiting(t.Context(), "demo", []string{business})
	var names []string
	for _, m := range all {
		names = append(names, m.Customer)
	}
	slices.Sort(names)
	if got := fmt.Sprint(names); err != nil || got != "[Ann Bob Eve]" {
		t.Errorf("%s wait, %v", got, err)
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
		e := Event{ID: fmt.Sprint(code, n), Market: "demo", Code: code, Business: business, Thread: thread, Words: "hello", At: *now, Written: *now}
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
