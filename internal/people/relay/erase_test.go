package relay

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// A customer's talks and what was passed on to them go when they want all of theirs deleted,
// however much it is; another's stay.
func TestErase(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	business, ann, bob := dynamotest.ID("biz"), dynamotest.ID("ann"), dynamotest.ID("bob")
	for _, thread := range []string{ann, bob} {
		talk := Talk{Market: "demo", Business: business, Thread: thread, Customer: thread, Listing: "grill", ListingName: "Grill"}
		for range 2 { // the second message goes on with the same talk
			if err := p.Begin(t.Context(), talk, func(string) []dynamo.Write { return nil }); err != nil {
				t.Fatal(err)
			}
		}
		for n := range dynamo.MaxWrites / 2 {
			e := Event{ID: thread + strconv.Itoa(n), Market: "demo", Code: "K" + strconv.Itoa(n), Business: business, Thread: thread, Words: "to " + thread, At: *now, Written: *now}
			if err := p.Table.DB().Commit(t.Context(), p.writes(e)...); err != nil {
				t.Fatal(err)
			}
		}
	}
	kept := func(of string) (n int) {
		t.Helper()
		for _, pk := range []string{partition("demo", business), "relayed#" + of} {
			err := p.Table.Each(t.Context(), dynamo.Under(pk, ""), func(it dynamo.Item) error {
				if it.String("thread") == of || strings.HasPrefix(pk, "relayed#") {
					n++
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	all := kept(bob)
	if talks, err := p.Talks(t.Context(), ann); err != nil || len(talks) != 1 || talks[0] != (Talked{"grill", "Grill", *now}) {
		t.Errorf("talks %v, %v", talks, err)
	}
	for range 2 {
		if err := p.Erase(t.Context(), ann); err != nil {
			t.Fatal(err)
		}
	}
	if talks, err := p.Talks(t.Context(), ann); err != nil || len(talks) != 0 || kept(ann) != 0 {
		t.Errorf("after: talks %v, %v, %d items", talks, err, kept(ann))
	}
	if all != 2*(1+dynamo.MaxWrites/2) || kept(bob) != all {
		t.Errorf("another's: %d items, then %d", all, kept(bob))
	}
}

// A customer is shown a talk, and can have it deleted, for as long as it is kept.
func TestATalkIsFoundAsLongAsItIsKept(t *testing.T) {
	t.Parallel()
	p, now := newPost(t)
	talk := Talk{Market: "demo", Business: dynamotest.ID("biz"), Thread: dynamotest.ID("ann"), Listing: "grill", ListingName: "Grill"}
	if err := p.Begin(t.Context(), talk, func(code string) []dynamo.Write { talk.Code = code; return nil }); err != nil {
		t.Fatal(err)
	}
	*now = now.Add(keepTalk - time.Second)
	for _, part := range []string{talk.Business, talk.Thread} {
		dynamotest.Lapse(t, dynamotest.TableName("records"), part, *now)
	}
	kept := func() bool {
		t.Helper()
		m, err := p.talk(t.Context(), "demo", talk.Business, talk.Code)
		if err != nil {
			t.Fatal(err)
		}
		return m != nil
	}
	if talks, err := p.Talks(t.Context(), talk.Thread); err != nil || len(talks) != 1 || !kept() {
		t.Errorf("shown %v, %v; kept %v", talks, err, kept())
	}
	if err := p.Erase(t.Context(), talk.Thread); err != nil || kept() {
		t.Errorf("deleted: %v, still kept %v", err, kept())
	}
}
