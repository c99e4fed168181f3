package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"merve/internal/base/fault"
)

// Schedule gives f the time that each tick is for, which a late or repeated delivery
// does not change: from an EventBridge event, or an EventBridge Scheduler input with
// "time" in it (<aws.scheduler.scheduled-time>). A tick without one is for now.
func Schedule(f func(context.Context, time.Time) error, opts ...Option) Handler {
	o := with(opts)
	return handlerFunc(func(ctx context.Context, payload []byte) ([]byte, error) {
		var tick struct {
			Time string `json:"time"`
		}
		if err := json.Unmarshal(payload, &tick); err != nil {
			return nil, fmt.Errorf("trigger: schedule event: %w", err)
		}
		at := o.now()
		if tick.Time != "" {
			var err error
			if at, err = time.Parse(time.RFC3339, tick.Time); err != nil {
				return nil, fault.Field("time", "want RFC 3339, such as 2026-11-21T10:00:00Z")
			}
		}
		ctx = o.trace(ctx, "")
		if err := o.guard(ctx, func() error { return f(ctx, at) }); err != nil {
			return nil, fmt.Errorf("trigger: tick of %s: %w", at.UTC().Format(time.RFC3339), err)
		}
		return []byte("null"), nil
	})
}
