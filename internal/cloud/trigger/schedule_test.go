package trigger

import (
	"context"
	"errors"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
)

func TestSchedule(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 7, 0, time.UTC)
	for name, tt := range map[string]struct {
		payload string
		want    time.Time
	}{
		"EventBridge rule": {`{"version":"0","id":"53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa","detail-type":"Scheduled Event","source":"aws.events",
			"account":"123456789012","time":"2026-11-21T10:00:00Z","region":"eu-west-1","resources":["arn:aws:events:eu-west-1:123456789012:rule/expiry"],"detail":{}}`,
			now.Add(-7 * time.Second)},
		"EventBridge Scheduler": {`{"time":"2026-11-21T12:00:00+02:00"}`, now.Add(-7 * time.Second)},
		"no time":               {`{}`, now},
		"no input":              {`null`, now},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got time.Time
			var trace string
			out, err := Schedule(func(ctx context.Context, at time.Time) error {
				got, trace = at, telemetry.TraceID(ctx)
				return nil
			}, Clock(func() time.Time { return now })).Invoke(context.Background(), []byte(tt.payload))
			if err != nil {
				t.Fatal(err)
			}
			if !got.Equal(tt.want) || len(trace) != 32 || string(out) != "null" {
				t.Errorf("tick of %v (trace id %q), answer %s; want %v", got, trace, out, tt.want)
			}
		})
	}
}

func TestScheduleFailures(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	if _, err := Schedule(func(context.Context, time.Time) error { return away }).Invoke(context.Background(), []byte(`{}`)); !errors.Is(err, away) {
		t.Errorf("got %v, want the handler's error, so that the tick is tried again", err)
	}
	if _, err := Schedule(func(context.Context, time.Time) error { panic("no") }, quiet()).Invoke(context.Background(), []byte(`{}`)); !fault.Is(err, fault.Internal) {
		t.Errorf("got %v after a panic, want an internal error", err)
	}
	called := func(context.Context, time.Time) error { t.Error("called"); return nil }
	for _, payload := range []string{``, `{"time":"tomorrow"}`, `{"time":1}`} {
		if _, err := Schedule(called).Invoke(context.Background(), []byte(payload)); err == nil {
			t.Errorf("%q: no error", payload)
		}
	}
}
