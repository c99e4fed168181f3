package relay

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// newPost is a post of a noon, which may be moved.
func newPost(t testing.TB) (*Post, *time.Time) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	return &Post{Table: dynamotest.Open(t).Table(dynamotest.TableName("records")), Now: func() time.Time { return now }}, &now
}

// Two customers of a business who would have the same code have two.
func TestTalksHaveCodesOfTheirOwn(t *testing.T) {
	t.Parallel()
	p, _ := newPost(t)
	business := dynamotest.ID("biz")
	first := map[string]Talk{} // by the code that it would like to have
	var both [2]Talk
	for n := 0; both[0].Thread == ""; n++ {
		talk := Talk{Market: "demo", Business: business, Thread: fmt.Sprint("th_", n)}
		code := codeOf(talk, 0)
		if other, ok := first[code]; ok {
			both = [2]Talk{other, talk}
		}
		first[code] = talk
	}
	codes := map[string]bool{}
	for range 2 { // and keep them
		for _, talk := range both {
			var code string
			if err := p.Begin(t.Context(), talk, func(c string) []dynamo.Write { code = c; return nil }); err != nil {
				t.Fatal(err)
			}
			codes[code] = true
			if m, err := p.talk(t.Context(), "demo", business, code); err != nil || m == nil || m.Thread != talk.Thread {
				t.Errorf("%s leads to %+v, %v; want %s", code, m, err, talk.Thread)
			}
		}
	}
	if len(codes) != 2 {
		t.Errorf("codes %v", codes)
	}
}

// What is passed on once is not passed on again, so many messages of one matter are on one day,
// and none when the customer has had the talk deleted.
func TestWhatIsPassedOn(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	talk := Talk{Market: "demo", Business: dynamotest.ID("biz"), Thread: dynamotest.ID("th")}
	var code string
	if err := p.Begin(t.Context(), talk, func(c string) []dynamo.Write { code = c; return nil }); err != nil {
		t.Fatal(err)
	}
	passes := func(id string) error {
		e := Event{ID: id, Market: "demo", Code: code, Talk: true, Business: talk.Business, Thread: talk.Thread, At: *now, Written: *now}
		return p.Table.DB().Commit(t.Context(), p.writes(e)...)
	}
	for n := range MaxDay {
		if err := passes(fmt.Sprint("m", n)); err != nil {
			t.Fatal(err)
		}
		if err := passes(fmt.Sprint("m", n)); !errors.Is(err, errSaid) {
			t.Errorf("message %d again: %v", n, err)
		}
	}
	lapse := func() {
		for _, part := range []string{talk.Business, talk.Thread} {
			dynamotest.Lapse(t, dynamotest.TableName("records"), part, *now)
		}
	}
	*now = now.Add(12*time.Hour - time.Second)
	lapse()
	if err := passes("m0"); !errors.Is(err, errSaid) {
		t.Errorf("message 0 again at the end of the day: %v", err)
	}
	if err := passes("more"); !errors.Is(err, errFull) {
		t.Errorf("one more: %v", err)
	}
	*now = now.Add(time.Second)
	if err := passes("tomorrow"); err != nil {
		t.Errorf("on the next day: %v", err)
	}
	*now = now.Add(6 * 24 * time.Hour)
	lapse()
	if err := passes("later"); err != nil {
		t.Errorf("within the week: %v", err)
	}
	if err := p.Erase(t.Context(), talk.Thread); err != nil {
		t.Fatal(err)
	}
	if err := passes("after"); !errors.Is(err, errGone) {
		t.Errorf("when it is deleted: %v", err)
	}
}

// A deletion of a customer's talks whose calls fail is whole when it comes again.
func TestField25_CrashOfAnErasure(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) int {
		p, _ := newPost(t)
		th := dynamotest.ID("th")
		for n := range dynamo.MaxWrites/2 + 1 { // more than go at once
			talk := Talk{Market: "demo", Business: dynamotest.ID(fmt.Sprint("biz", n)), Thread: th}
			if err := p.Begin(t.Context(), talk, func(string) []dynamo.Write { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		broken := &Post{Table: dynamotest.Once(t, calls).Table(dynamotest.TableName("records")), Now: p.Now}
		calls.Deliver(t, nil, func() error { return broken.Erase(t.Context(), th) })
		keys, err := p.of(t.Context(), th)
		if err != nil || len(keys) > 0 {
			t.Errorf("%d are left, %v", len(keys), err)
		}
		return len(keys)
	})
}

// What is to be passed on is an event of its kind, so that it is due until the customer is told.
func TestWhatIsPassedOnIsDue(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	e := Event{ID: "m1", Market: "demo", Business: dynamotest.ID("biz"), Thread: dynamotest.ID("th"), Words: "at the gate", At: *now}
	if err := p.Table.DB().Commit(t.Context(), p.writes(e)...); err != nil {
		t.Fatal(err)
	}
	it, err := p.Table.Get(t.Context(), saidKey(e))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := Events.Read(it); !ok || err != nil || it.String("kind") != Events.Name || it.String("dueShard") == "" {
		t.Errorf("%v, %v: %v", ok, err, it)
	}
}
