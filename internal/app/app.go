package app

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/oklog/ulid/v2"

	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/live"
	"merve/internal/spine/outbox"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
)

// Process is where functions run: its configuration, its clock and ids, and AWS. The local runner and tests fill it with
// parts of their own; a Lambda gets it from [FromLambda].
type Process struct {
	Config Config
	AWS    aws.Config
	Getenv func(string) string
	Log    *slog.Logger
	Now    func() time.Time
	NewID  func() string
	Wait   func(ctx context.Context, d time.Duration) error

	// Backoff is how long the store is left alone; nil is dynamo's own.
	Backoff pause.Backoff

	// Queues finds a queue by its name in the wiring; nil finds those of SQS at the addresses in Config.
	Queues func(name string) queue.Queue
	// Buses finds an event bus by its name in the wiring; nil finds those of EventBridge by the names in Config.
	Buses func(name string) bus.Bus
	// Sockets are the connections of the WebSocket API; nil are those of API Gateway at LIVE_ENDPOINT.
	Sockets live.Poster
	// Provider wraps or replaces the gateway of a channel; nil leaves it.
	Provider func(ch channel.Channel, p outbox.Provider) outbox.Provider

	db      *dynamo.DB
	secrets *secrets
	counts  *telemetry.Counts
}

// Base has everything that functions are made from. It has layers, and each knows only those below it: the process,
// the providers, the stores, the services on them, and the matters.
type Base struct{ *matters }

// FromLambda returns the base that the environment of a Lambda describes. It makes no
// network request.
func FromLambda() (*Base, error) {
	c, err := FromEnv(os.Getenv)
	if err != nil {
		return nil, err
	}
	cfg, err := lambdaConfig(os.Getenv)
	if err != nil {
		return nil, err
	}
	return NewBase(Process{
		Config: c, AWS: cfg, Getenv: os.Getenv, Log: telemetry.NewLogger(os.Stdout, c.LogLevel),
		Now: time.Now, NewID: func() string { return ulid.Make().String() }, Wait: pause.For,
	}), nil
}

// NewBase builds all layers on a process.
func NewBase(p Process) *Base {
	p.db = dynamo.Open(p.AWS)
	if p.Backoff != nil {
		p.db.Backoff = p.Backoff
	}
	p.secrets = &secrets{getenv: p.Getenv, id: p.Config.SecretID, cfg: p.AWS, now: p.Now, log: p.Log}
	p.counts = &telemetry.Counts{}
	return &Base{&matters{&services{&stores{providers: &providers{&p}}}}}
}

// Start runs a function in Lambda. A function that cannot be built answers nothing: it
// says why, on the log, and ends.
func Start(build func(*Base) (trigger.Handler, error)) {
	b, err := FromLambda()
	if err == nil {
		var h trigger.Handler
		if h, err = build(b); err == nil {
			trigger.Start(counted{h, os.Getenv("AWS_LAMBDA_FUNCTION_NAME"), b.Process})
			return
		}
	}
	telemetry.NewLogger(os.Stderr, slog.LevelError).Error("start", "error", err.Error())
	os.Exit(1)
}

func (b *Process) conversations() dynamo.Table { return b.db.Table(b.Config.TableConversations) }

func (b *Process) ledgerTable() dynamo.Table { return b.db.Table(b.Config.TableLedger) }

func (b *Process) catalog() dynamo.Table { return b.db.Table(b.Config.TableCatalog) }

func (b *Process) records() dynamo.Table { return b.db.Table(b.Config.TableRecords) }

// queue has turns run.
func (b *Process) queue() turn.Queue { return turn.Queued{To: b.queueOf(turns)} }

// queueOf is a queue by its name in the wiring.
func (b *Process) queueOf(name string) queue.Queue {
	if b.Queues != nil {
		return b.Queues(name)
	}
	return queue.NewSQS(b.AWS, b.Config.QueueURLs[name])
}

// bus is an event bus by its name in the wiring.
func (b *Process) bus(name string) bus.Bus {
	if b.Buses != nil {
		return b.Buses(name)
	}
	return bus.NewEventBridge(b.AWS, b.Config.BusNames[name])
}

func (b *Process) http(h http.Handler) trigger.Handler {
	return trigger.HTTP(httpapi.Traced(h, b.Log), trigger.Log(b.Log))
}
