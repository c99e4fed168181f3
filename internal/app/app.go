package app

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/oklog/ulid/v2"

	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/trigger"
	"merve/internal/matter/vendor"
	"merve/internal/record/listing"
	"merve/internal/record/place"
	"merve/internal/spine/live"
	"merve/internal/spine/outbox"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// Base is what every function is made from. The local runner and tests fill it with
// parts of their own; a Lambda gets it from [FromLambda].
type Base struct {
	Config Config
	AWS    aws.Config
	Getenv func(string) string
	Log    *slog.Logger
	Now    func() time.Time
	NewID  func() string
	Wait   func(ctx context.Context, d time.Duration) error

	// Backoff is how long the store is left alone after try n of a call; nil is dynamo's own.
	Backoff func(n int) time.Duration

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

	shared *shared
	counts *telemetry.Counts
}

// shared are the stores that keep for a while what they read: all parts of a function have the
// same. They are made when they are first wanted, so that a function carries no more than it uses.
type shared struct {
	markets  once[*market.Store]
	listings once[*listing.Store]
	places   once[*place.Store]
	roster   once[*roster.Book]
	vendors  once[*vendor.Store]
}

type once[T any] struct {
	sync.Once
	made T
}

func (o *once[T]) get(make func() T) T {
	o.Do(func() { o.made = make() })
	return o.made
}

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
	return NewBase(Base{
		Config: c, AWS: cfg, Getenv: os.Getenv, Log: telemetry.NewLogger(os.Stdout, c.LogLevel),
		Now: time.Now, NewID: func() string { return ulid.Make().String() }, Wait: pause.For,
	}), nil
}

// NewBase fills in what all functions share.
func NewBase(b Base) *Base {
	b.db = dynamo.Open(b.AWS)
	if b.Backoff != nil {
		b.db.Backoff = b.Backoff
	}
	b.secrets = &secrets{getenv: b.Getenv, id: b.Config.SecretID, cfg: b.AWS, now: b.Now, log: b.Log}
	b.shared, b.counts = &shared{}, &telemetry.Counts{}
	return &b
}

// Start runs a function in Lambda. A function that cannot be built answers nothing: it
// says why, on the log, and ends.
func Start(build func(*Base) (trigger.Handler, error)) {
	b, err := FromLambda()
	if err == nil {
		var h trigger.Handler
		if h, err = build(b); err == nil {
			trigger.Start(counted{h, os.Getenv("AWS_LAMBDA_FUNCTION_NAME"), b})
			return
		}
	}
	telemetry.NewLogger(os.Stderr, slog.LevelError).Error("start", "error", err.Error())
	os.Exit(1)
}

func (b *Base) conversations() dynamo.Table { return b.db.Table(b.Config.TableConversations) }
func (b *Base) ledgerTable() dynamo.Table   { return b.db.Table(b.Config.TableLedger) }
func (b *Base) catalog() dynamo.Table       { return b.db.Table(b.Config.TableCatalog) }
func (b *Base) records() dynamo.Table       { return b.db.Table(b.Config.TableRecords) }
