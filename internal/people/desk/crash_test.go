package desk_test

import (
	"context"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
)

// Whatever call of a member of staff's work on a thread fails, in every way, and however often it
// comes again: who has the thread, and what its customer is told, is as without.
func TestCrashAnywhere(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	took := func(o *office) error { return o.Take(ctx, o.thread, clerk) }
	for name, tt := range map[string]struct {
		before func(o *office) error
		do     func(o *office) error
		want   string
	}{
		"take":   {nil, took, clerk.Key() + "|person, told handed_over"},
		"write":  {took, func(o *office) error { return o.Write(ctx, o.thread, "Deniz here", "k") }, clerk.Key() + "|person, told handed_over staff_reply"},
		"return": {took, func(o *office) error { return o.Return(ctx, o.thread) }, "|, told handed_over handed_back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
				o := newOffice(t)
				if tt.before != nil {
					if err := tt.before(o); err != nil {
						t.Fatal(err)
					}
				}
				turns := map[string]bool{}
				queue := faulttest.NewQueue(t, calls, func(_ context.Context, threadID, dedupe string) error {
					turns[threadID+" "+dedupe] = true
					return nil
				})
				db, broken := dynamotest.Once(t, calls), *o
				broken.Desk = o.over(db)
				broken.Desk.Threads = thread.Teller{Queue: queue, Store: &thread.Store{
					Table: db.Table(dynamotest.TableName("conversations")), Now: o.threads.Now, NewID: o.threads.NewID,
				}}
				for range 2 {
					calls.Deliver(t, func() { o.now = o.now.Add(time.Second) }, func() error { return tt.do(&broken) })
				}
				got := o.taken() + ", told " + o.told()
				if got != tt.want || len(turns) != 1 {
					t.Errorf("left %s and %d turns, want %s", got, len(turns), tt.want)
				}
				return got
			})
		})
	}
}

// TestCrashOfAnErasure fails each call of it: nothing of the customer is left when it comes again.
func TestCrashOfAnErasure(t *testing.T) {
	t.Parallel()
	faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) int {
		o, ctx := newOffice(t), t.Context()
		h, err := o.threads.Head(ctx, o.thread)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.Table.DB().Commit(ctx, append(o.Wait(h, 1, "tr", "my secret", "my table", ""), o.threads.Assigned(o.thread, thread.ByPerson))...); err != nil {
			t.Fatal(err)
		}
		broken := o.over(dynamotest.Once(t, calls))
		calls.Deliver(t, nil, func() error { return broken.Erase(ctx, o.thread) })
		page, err := o.Table.Query(ctx, dynamo.Under("desk#"+o.market, ""))
		if err != nil || len(page.Items) != 1 || page.Items[0].String("name")+page.Items[0].String("reason")+page.Items[0].String("letGo") != "" {
			t.Errorf("kept %v, %v", page.Items, err)
		}
		return len(page.Items)
	})
}
