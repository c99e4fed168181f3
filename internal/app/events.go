package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"merve/internal/base/telemetry"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/cloud/trigger"
	"merve/internal/spine/outbox"
)

// stream passes the changes of a table to f. A change that can never be right raises an alert, so that it does not
// hold up the changes behind it.
func (b *Process) stream(f func(context.Context, trigger.Record) error) trigger.Handler {
	return trigger.Stream(f, trigger.Log(b.Log), trigger.GiveUp(b.givenUp))
}

// givenUp alerts the operators of a change that can never be right.
func (b *Process) givenUp(ctx context.Context, r trigger.Record, err error) error {
	key := dynamo.Item(r.Keys).Key()
	b.Log.ErrorContext(ctx, "change given up", "table", r.TableName, "key", key.String(), "sequence", r.Sequence, "error", err.Error())
	b.countAlerts(ctx, 1)
	return b.Alerts().Raise(ctx, alert.Alert{
		Check: "stream", Severity: alert.Error, Subject: r.TableName + " " + key.String(), Message: "a change was given up: " + err.Error(),
	})
}

// events passes the events of a table to the routes.
func (b *Process) events(table dynamo.Table, routes ...event.Route) (trigger.Handler, error) {
	router, err := event.NewRouter(table, routes...)
	if err != nil {
		return nil, err
	}
	return trigger.Stream(func(ctx context.Context, r trigger.Record) error {
		return router.Tell(ctx, dynamo.Item(r.New))
	}, trigger.Log(b.Log), trigger.GiveUp(func(ctx context.Context, r trigger.Record, err error) error {
		if err := b.givenUp(ctx, r, err); err != nil {
			return err
		}
		return router.Settle(ctx, dynamo.Item(r.New)) // from now on it is the operators'
	})), nil
}

// resend sends untold events again and alerts the operators.
func (b *Process) resend(ctx context.Context, table string, t dynamo.Table) (int, error) {
	n, err := event.Resend(ctx, t, b.Now(), most)
	if n > 0 {
		b.countAlerts(ctx, 1)
		err = errors.Join(err, b.Alerts().Raise(ctx, alert.Alert{
			Check: "untold", Severity: alert.Error, Subject: table,
			Message: fmt.Sprintf("nobody was told of %d events for %d minutes; they are sent again until somebody is",
				n, int(event.Patience.Minutes())),
		}))
	}
	return n, err
}

// countAlerts counts findings that an operator must know, for the alarm on them: at every LOG_LEVEL.
func (b *Process) countAlerts(ctx context.Context, n int) {
	if n > 0 {
		telemetry.Emit(ctx, b.Log, slog.LevelError, b.Now(), nil, telemetry.Metric{Name: "Alerts", Unit: "Count", Value: float64(n)})
	}
}

// alertOfMessage tells the operators of a message that was given up.
func (b *Process) alertOfMessage(ctx context.Context, m outbox.Message) error {
	b.countAlerts(ctx, 1)
	return b.Alerts().Raise(ctx, alert.Alert{
		Check: "outbox", Severity: alert.Warning, Subject: m.Thread + "/" + m.ID, Message: "a message was given up: " + m.Error,
	})
}

// Alerts returns what a person must look at.
func (b *Process) Alerts() *alert.Store {
	return &alert.Store{Table: b.db.Table(b.Config.TableAlerts), Now: b.Now}
}
