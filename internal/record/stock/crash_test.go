package stock

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// A check whose calls fail comes again: what is right is off the index, and of what is not
// somebody has heard.
func TestField15_CrashOfACheck(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) []string {
		aside := dynamotest.Aside(dynamotest.ID(""), dueKind+`#\d\d`)
		p, wrong, now := newPantry(t, "records"), newPantry(t, "records"), noon
		for name, one := range map[string]*pantry{"a": p, "b": wrong} { // the first to be looked at, and the second
			one.listing = dynamotest.ID(name)
			for dynamo.DueShard("", one.item("soup").key().PK+one.item("soup").key().SK) != dynamo.DueShard("", "the same") {
				one.listing = dynamotest.ID(name) // so that every check makes the same calls
			}
			one.Store = &Store{Table: dynamotest.Open(t, aside).Table(dynamotest.TableName("records")), Now: func() time.Time { return now }}
			one.commit(one.Set(one.item("soup"), 5, "s"))
		}
		wrong.commit(wrong.Table.Update(wrong.item("soup").key(), "ADD #left :less", dynamo.V{":less": -1}))
		now = now.Add(settleFor)
		calls.Next = aside
		s := &Store{Table: dynamotest.Once(t, calls).Table(dynamotest.TableName("records")), Now: func() time.Time { return now }}
		var heard []string
		raise := func(_ context.Context, d Drift) error {
			heard = append(heard, strings.ReplaceAll(d.Subject, wrong.listing, "WRONG")+": "+d.Message)
			return nil
		}
		calls.Deliver(t, nil, func() error { _, err := s.Check(t.Context(), 10, p, raise); return err })
		heard = slices.Compact(heard) // an alert is one, however often it is raised
		if want := []string{"demo/WRONG/soup: 5 in all, and 4 left, 0 held, 0 sold"}; !slices.Equal(heard, want) {
			t.Errorf("heard %v, want %v", heard, want)
		}
		for _, step := range []struct {
			after time.Duration
			want  Checked
		}{{0, Checked{}}, {lookAgain, Checked{Looked: 1, Drifted: 1}}} {
			now = now.Add(step.after)
			if did, err := p.Check(t.Context(), 10, p, raise); err != nil || did != step.want {
				t.Errorf("%v later: %+v, %v, want %+v", step.after, did, err, step.want)
			}
		}
		return heard
	})
}
