package runner

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	localbus "merve/infra/local/bus"
	"merve/infra/wiring"
	"merve/internal/cloud/bus"
	messages "merve/internal/cloud/queue"
)

// newBuses answers PutEvents for the buses of the wiring, by their real names, and puts what the
// rules take on the queues of this machine.
func newBuses(names map[string]string, rules []wiring.Rule, qs queues, now func() time.Time, log *slog.Logger) http.Handler {
	wired := map[string]string{}
	for name, real := range names {
		wired[real] = name
	}
	return localbus.New(localbus.Options{
		Buses: wired, Rules: rules, Now: now, Log: log,
		Send: func(ctx context.Context, queue, envelope string) error {
			return qs.named(queue).Send(ctx, messages.Message{Body: envelope})
		},
	})
}

// buses finds the buses behind an endpoint by their names in the wiring.
func buses(cfg aws.Config, endpoint string, names map[string]string) func(name string) bus.Bus {
	cfg.BaseEndpoint = &endpoint
	return func(name string) bus.Bus { return bus.NewEventBridge(cfg, names[name]) }
}
