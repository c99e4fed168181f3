package limit_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/cloud/limit"
)

func TestTake(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 10, 59, 0, 0, time.UTC)
	c := &limit.Counter{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations")), Now: func() time.Time { return now }}
	what, who := dynamotest.ID("upload"), dynamotest.ID("who")
	for n := range 4 {
		if err := c.Take(t.Context(), what, who, 3); errors.Is(err, limit.ErrTooMany) != (n == 3) || n < 3 && err != nil {
			t.Errorf("%d: %v", n, err)
		}
	}
	for _, other := range [][2]string{{what, who + "2"}, {"message", who}} {
		if err := c.Take(t.Context(), other[0], other[1], 3); err != nil {
			t.Errorf("%v: %v", other, err)
		}
	}
	dynamotest.Lapse(t, dynamotest.TableName("conversations"), what, now)
	if err := c.Take(t.Context(), what, who, 3); !errors.Is(err, limit.ErrTooMany) {
		t.Errorf("at the end of the hour: %v", err)
	}
	now = now.Add(time.Minute)
	if err := c.Take(t.Context(), what, who, 3); err != nil {
		t.Errorf("in the next hour: %v", err)
	}
	now = now.Add(11*time.Hour + 30*time.Minute)
	if err := c.Take(t.Context(), what, who, 3); err != nil {
		t.Errorf("in the evening, after so many in the morning: %v", err)
	}
}

func TestTakeAtOnce(t *testing.T) {
	t.Parallel()
	c := &limit.Counter{Table: dynamotest.Open(t).Table(dynamotest.TableName("conversations")), Now: time.Now}
	who := dynamotest.ID("who")
	var mu sync.Mutex
	taken := 0
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			err := c.Take(t.Context(), "upload", who, 5)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				taken++
			case !errors.Is(err, limit.ErrTooMany):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if taken != 5 {
		t.Errorf("%d were taken, want 5", taken)
	}
}
