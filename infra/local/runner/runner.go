// Package runner starts Merve on one machine from the table of the wiring: the same
// functions as in the cloud, behind the same events.
package runner

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/oklog/ulid/v2"

	"merve/infra/local/bucket"
	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/infra/local/gateway"
	"merve/infra/local/streams"
	"merve/infra/rulemodel"
	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/trigger"
)

// Options say how to run.
type Options struct {
	Getenv   func(string) string
	Out      io.Writer // what a person reads
	Log      io.Writer // JSON lines
	CacheDir string    // "" is .cache
	Now      func() time.Time
}

// Runner is a running Merve.
type Runner struct {
	URL string // of the gateway

	cancel    context.CancelFunc
	stops     []func()
	stopStore func() // nil when the store is not ours
	failed    chan error
	running   sync.WaitGroup
	handlers  map[string]trigger.Handler
	log       *slog.Logger
	kept      keptLines
}

// Start starts everything and returns when it is ready for requests.
func Start(ctx context.Context, o Options) (*Runner, error) {
	if o.CacheDir == "" {
		o.CacheDir = ".cache"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Runner{cancel: cancel, failed: make(chan error, 1), handlers: map[string]trigger.Handler{}}
	if err := r.start(ctx, o); err != nil {
		r.Stop()
		return nil, err
	}
	return r, nil
}

// start starts the parts one after the other. If one fails, the caller has to stop those already started.
func (r *Runner) start(ctx context.Context, o Options) error {
	c, err := app.FromEnv(o.Getenv)
	if err != nil {
		return err
	}
	r.log = telemetry.NewLogger(io.MultiWriter(o.Log, &r.kept), c.LogLevel)
	cfg, err := r.store(ctx, o)
	if err != nil {
		return err
	}
	qs := newQueues(wiring.Queues(), wiring.Functions(), o.Now, r.log)
	r.stops = append(r.stops, qs.close)
	c, getenv, err := r.standIns(c, qs, o)
	if err != nil {
		return err
	}
	sent := &sentLog{}
	sockets := &gateway.Sockets{Now: o.Now, NewID: telemetry.NewTraceID, Log: r.log}
	base := r.base(c, cfg, getenv, sent, qs, o)
	base.Sockets = sockets
	if err := demo.Load(ctx, base.Markets(), base.Listings(), demo.LoadPlaces(base.Places()), demo.LoadDrivers(base.Drivers()),
		demo.LoadCustomers(base.Customers()), demo.LoadVisits(base.Visits()), demo.LoadVendors(base.Vendors())); err != nil {
		return fmt.Errorf("demo market: %w", err)
	}
	functions := app.Constructors(wiring.Elsewhere())
	for _, f := range wiring.Functions() {
		build := functions[f.Name]
		if build == nil {
			return fmt.Errorf("function %s of the wiring has no constructor", f.Name)
		}
		if r.handlers[f.Name], err = build(base); err != nil {
			return fmt.Errorf("function %s: %w", f.Name, err)
		}
	}
	r.triggers(ctx, cfg, qs, o)
	if err := r.serve(c, sent, qs, sockets, o); err != nil {
		return err
	}
	r.greet(c, o)
	return nil
}

// store starts DynamoDB Local, unless the environment names a server, and makes the tables.
func (r *Runner) store(ctx context.Context, o Options) (aws.Config, error) {
	var cfg aws.Config
	if url := o.Getenv("AWS_ENDPOINT_URL_DYNAMODB"); url != "" {
		loaded, err := awsconfig.LoadDefaultConfig(ctx)
		if err != nil {
			return cfg, fmt.Errorf("AWS configuration: %w", err)
		}
		cfg = loaded
		if cfg.Credentials == nil || o.Getenv("AWS_ACCESS_KEY_ID") == "" {
			cfg.Credentials = dynamodb.Config(url).Credentials
		}
		if cfg.Region == "" {
			cfg.Region = "us-east-1"
		}
		cfg.BaseEndpoint = aws.String(url)
	} else {
		data := ""
		if dir := o.Getenv("DATA_DIR"); dir != "" {
			data = filepath.Join(dir, "dynamodb")
		}
		server, err := dynamodb.Start(ctx, dynamodb.Options{CacheDir: o.CacheDir, DataDir: data, Log: o.Out})
		if err != nil {
			return cfg, err
		}
		r.stopStore = server.Stop
		cfg = server.Config()
	}
	return cfg, dynamodb.CreateTables(ctx, cfg, wiring.Tables(), func(logical string) string { return "merve-" + logical })
}

// standIns starts what takes the place of providers that have no key.
func (r *Runner) standIns(c app.Config, qs queues, o Options) (app.Config, func(string) string, error) {
	set := map[string]string{}
	c.NoWebSearch = o.Getenv("OPENAI_API_KEY") == ""
	if o.Getenv("OPENAI_API_KEY") == "" && o.Getenv("OPENAI_BASE_URL") == "" {
		url, err := r.listen(net.JoinHostPort(loopback, "0"), rulemodel.New(o.Now), 2*time.Minute)
		if err != nil {
			return c, nil, fmt.Errorf("rule-based model: %w", err)
		}
		c.OpenAIBaseURL, c.OpenAIModel, c.SaraModel = url+"/v1", rulemodel.Model, rulemodel.Model
		set["OPENAI_API_KEY"] = "rule-based-needs-no-key"
	} else if o.Getenv("OPENAI_API_KEY") == "" {
		set["OPENAI_API_KEY"] = "none"
	}
	if c.AdminToken == "" {
		var b [16]byte
		rand.Read(b[:]) // never fails since Go 1.24
		c.AdminToken = hex.EncodeToString(b[:])
	}
	c.UnsignedFromLoopback = o.Getenv("TWILIO_AUTH_TOKEN") == ""
	c.UnsignedMetaFromLoopback = o.Getenv("META_APP_SECRET") == ""
	c.UnsignedStripeFromLoopback = o.Getenv("STRIPE_WEBHOOK_SECRET") == ""
	if c.AllowedOrigins == nil {
		c.AllowedOrigins = []string{"loopback"} // pages of this machine
	}
	if o.Getenv("AWS_ENDPOINT_URL_S3") == "" {
		url, err := r.bucket(c.MediaBucket, o)
		if err != nil {
			return c, nil, err
		}
		set["AWS_ENDPOINT_URL_S3"] = url
	}
	if o.Getenv("AWS_ENDPOINT_URL_EVENTBRIDGE") == "" {
		url, err := r.listen("127.0.0.1:0", newBuses(c.BusNames, wiring.Rules(), qs, o.Now, r.log), time.Minute)
		if err != nil {
			return c, nil, fmt.Errorf("event buses: %w", err)
		}
		set["AWS_ENDPOINT_URL_EVENTBRIDGE"] = url
	}
	for _, b := range wiring.Buses() {
		set[b.Env] = c.BusNames[b.Name]
	}
	if c.SiteURL == "" {
		c.SiteURL = "http://localhost:" + port(o)
	}
	return c, func(name string) string {
		if v := set[name]; v != "" {
			return v
		}
		return o.Getenv(name)
	}, nil
}

// bucket starts what takes the place of S3.
func (r *Runner) bucket(name string, o Options) (string, error) {
	data := ""
	if dir := o.Getenv("DATA_DIR"); dir != "" {
		data = filepath.Join(dir, "bucket")
	}
	s, err := bucket.Start(context.Background(), bucket.Options{Dir: data, Buckets: []string{name}})
	if err != nil {
		return "", err
	}
	r.stops = append(r.stops, func() {
		if err := s.Stop(); err != nil {
			r.log.Error("stop the bucket", "error", err.Error())
		}
	})
	return s.URL, nil
}

// base is the base of all functions, with queues in process and buses where getenv says.
func (r *Runner) base(c app.Config, cfg aws.Config, getenv func(string) string, sent *sentLog, qs queues, o Options) *app.Base {
	return app.NewBase(app.Process{
		Config: c, AWS: cfg, Getenv: getenv, Log: r.log, Now: o.Now, NewID: func() string { return ulid.Make().String() },
		Wait: pause.For, Queues: qs.named, Buses: buses(cfg, getenv("AWS_ENDPOINT_URL_EVENTBRIDGE"), c.BusNames), Provider: sent.wrap,
	})
}

// triggers start the functions that no request starts.
func (r *Runner) triggers(ctx context.Context, cfg aws.Config, qs queues, o Options) {
	for _, f := range wiring.Functions() {
		h := r.handlers[f.Name]
		switch {
		case f.Queue != nil:
			r.goes(func() {
				if err := qs[f.Queue.Queue].run(ctx, h.Invoke); err != nil && ctx.Err() == nil {
					r.fail(err)
				}
			})
		case f.Stream != nil:
			follower := &streams.Follower{Config: cfg, Table: "merve-" + f.Stream.Table, Trigger: *f.Stream, Invoke: h.Invoke, Log: r.log, Now: o.Now, Wait: pause.For}
			r.goes(func() {
				if err := follower.Run(ctx); err != nil {
					r.fail(err)
				}
			})
		case f.Schedule != nil:
			r.goes(func() { r.tick(ctx, f, h, o.Now) })
		}
	}
}

// tick starts a function on its schedule, at start first: what waits since the last run
// need not wait for longer.
func (r *Runner) tick(ctx context.Context, f wiring.Function, h trigger.Handler, now func() time.Time) {
	for {
		at := now().UTC()
		event, err := json.Marshal(map[string]any{
			"version": "0", "id": ulid.Make().String(), "detail-type": "Scheduled Event", "source": "aws.events",
			"time": at.Format(time.RFC3339), "resources": []string{"arn:aws:events:us-east-1:000000000000:rule/" + f.Name}, "detail": map[string]any{},
		})
		if err == nil {
			run, cancel := context.WithTimeout(ctx, seconds(f.Timeout))
			_, err = h.Invoke(run, event)
			cancel()
		}
		if err != nil && ctx.Err() == nil {
			r.log.ErrorContext(ctx, "schedule", "function", f.Name, "error", err.Error())
		}
		if pause.For(ctx, seconds(f.Schedule.Every)) != nil {
			return
		}
	}
}

// serve opens the gateway.
func (r *Runner) serve(c app.Config, sent *sentLog, qs queues, sockets *gateway.Sockets, o Options) error {
	var routes []gateway.Route
	for _, f := range wiring.Functions() {
		if f.Sockets {
			sockets.Function = r.handlers[f.Name]
		}
		for _, route := range f.Routes {
			routes = append(routes, gateway.Route{Method: route.Method, Path: route.Path, Function: r.handlers[f.Name]})
		}
	}
	front, err := gateway.New(routes, gateway.Options{Timeout: c.Patience + 5*time.Second, Now: o.Now, Log: r.log})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("GET /dev/outbox", ownMachine(sent))
	mux.Handle("GET /dev/queues", ownMachine(qs))
	mux.Handle("POST /dev/queues/{name}/redrive", ownMachine(http.HandlerFunc(qs.redrive)))
	mux.Handle("GET /dev/logs", ownMachine(&r.kept))
	mux.Handle("GET /dev/memory", ownMachine(http.HandlerFunc(memory)))
	mux.Handle("/", upgrades(sockets, front))
	host := cmp.Or(o.Getenv("HOST"), loopback)
	if r.URL, err = r.listen(net.JoinHostPort(host, port(o)), mux, readWithin+c.Patience+10*time.Second); err != nil {
		return fmt.Errorf("HOST %q, PORT %s: %w", host, port(o), err)
	}
	return nil
}

// upgrades gives clients a socket if they ask for one, at the addresses of live conversations. The time-outs of requests
// do not suit sockets.
func upgrades(sockets, front http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := r.URL.Path == wiring.SocketPath || strings.HasSuffix(r.URL.Path, "/socket")
		if !at || !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			front.ServeHTTP(w, r)
			return
		}
		c := http.NewResponseController(w)
		_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}) // a server that has none sets none
		sockets.ServeHTTP(w, r)
	})
}

// loopback is the address that nobody else can reach.
const loopback = "127.0.0.1"

func port(o Options) string {
	if p := o.Getenv("PORT"); p != "" {
		return p
	}
	return "8080"
}

// readWithin is how long a client may take to send a whole request.
const readWithin = 30 * time.Second

// listen serves h at addr, each request and its answer within a time, and returns its address.
func (r *Runner) listen(addr string, h http.Handler, within time.Duration) (string, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return "", err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: readWithin, WriteTimeout: within, IdleTimeout: 2 * time.Minute}
	r.goes(func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			r.fail(err)
		}
	})
	r.stops = append(r.stops, func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			_ = s.Close() // cuts off clients that are still connected
		}
	})
	at := l.Addr().(*net.TCPAddr).AddrPort()
	if at.Addr().IsUnspecified() {
		return fmt.Sprintf("http://%s:%d", loopback, at.Port()), nil
	}
	return "http://" + at.String(), nil
}

func (r *Runner) greet(c app.Config, o Options) {
	fmt.Fprintf(o.Out, "\nMerve %s is running\n", c.Version)
	admin := r.URL + "/admin"
	if o.Getenv("ADMIN_TOKEN") == "" { // a token the user set is known to them, and printed output is kept in logs
		admin += "   token " + c.AdminToken
	}
	for _, line := range [][2]string{
		{"chat", r.URL + "/"}, {"reports", r.URL + "/sara"}, {"live", r.URL + "/live"}, {"admin", admin},
		{"health", r.URL + "/healthz"}, {"outbox", r.URL + "/dev/outbox"}, {"queues", r.URL + "/dev/queues"}, {"model", c.OpenAIModel},
	} {
		fmt.Fprintf(o.Out, "  %-9s %s\n", line[0], line[1])
	}
	if c.UnsignedFromLoopback {
		fmt.Fprintln(o.Out, "  TWILIO_AUTH_TOKEN is not set: unsigned WhatsApp webhooks are taken from this machine only,\n  and outbound WhatsApp stays in the outbox")
	}
	if c.UnsignedMetaFromLoopback {
		fmt.Fprintln(o.Out, "  META_APP_SECRET is not set: unsigned Messenger webhooks are taken from this machine only")
	}
	fmt.Fprintln(o.Out)
}

// Failed tells of a part that ended by itself.
func (r *Runner) Failed() <-chan error { return r.failed }

func (r *Runner) fail(err error) {
	select {
	case r.failed <- err:
	default: // one is enough
	}
}

func (r *Runner) goes(f func()) { r.running.Go(f) }

// Stop ends everything, last started first, and the store once nobody uses it.
func (r *Runner) Stop() {
	r.cancel()
	for i := len(r.stops) - 1; i >= 0; i-- {
		r.stops[i]()
	}
	r.running.Wait()
	if r.stopStore != nil {
		r.stopStore()
	}
}

func seconds(s wiring.Seconds) time.Duration { return time.Duration(s) * time.Second }
