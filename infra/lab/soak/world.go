package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"merve/infra/local/dynamodb"
	"merve/infra/local/port"
	"merve/internal/base/faulttest"
	"merve/internal/base/pause"
	"merve/internal/provider/twilio/twiliotest"
)

const adminToken = "admin-token-not-real"

// world is Merve's process and all that it talks to.
type world struct {
	options
	store   *dynamodb.Server
	twilio  *twiliotest.Server
	servers []*httptest.Server
	env     []string
	url     string
	log     *turnLog
	inbox   *inbox

	mu       sync.Mutex
	process  *exec.Cmd
	killed   int
	faulty   bool // calls fail
	chance   *rand.Rand
	injected int
	talks    []*talk
	memory   []memory
}

func newWorld(ctx context.Context, o options) (w *world, err error) {
	kept, err := os.Create(o.log)
	if err != nil {
		return nil, err
	}
	w = &world{options: o, log: &turnLog{to: kept}, chance: rand.New(rand.NewPCG(o.seed, 1<<32))} // no customer's
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.store, err = dynamodb.Start(ctx, dynamodb.Options{CacheDir: ".cache", Log: os.Stderr}); err != nil {
		return nil, err
	}
	w.twilio = twiliotest.Start(twiliotest.Config{})
	w.inbox = &inbox{twilio: w.twilio}
	free, err := port.Free()
	if err != nil {
		return nil, err
	}
	w.url = fmt.Sprintf("http://127.0.0.1:%d", free)
	store, err := w.failing(w.store.URL, antidote{network()})
	if err != nil {
		return nil, err
	}
	twilio, err := w.failing(w.twilio.URL(), network())
	if err != nil {
		return nil, err
	}
	model := w.serve(http.HandlerFunc(answer))
	failingModel, err := w.failing(model, network())
	if err != nil {
		return nil, err
	}
	w.env = append(os.Environ(),
		fmt.Sprintf("PORT=%d", free), "HOST=127.0.0.1", "PUBLIC_URL="+w.url, "ADMIN_TOKEN="+adminToken, "LOG_LEVEL=info",
		"AWS_ENDPOINT_URL_DYNAMODB="+store, "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local", "AWS_REGION=us-east-1",
		"OPENAI_BASE_URL="+failingModel+"/v1", "OPENAI_API_KEY=test-key-not-real", "OPENAI_MODEL=soak",
		"TWILIO_BASE_URL="+twilio, "TWILIO_ACCOUNT_SID="+twiliotest.AccountSID, "TWILIO_AUTH_TOKEN="+twiliotest.AuthToken, "TWILIO_WHATSAPP_FROM="+twiliotest.From,
	)
	return w, w.start(ctx)
}

func (w *world) serve(h http.Handler) string {
	s := httptest.NewServer(h)
	w.servers = append(w.servers, s)
	return s.URL
}

func network() *http.Transport { return &http.Transport{MaxIdleConnsPerHost: 256} }

// failing is a proxy to a server that fails now and then.
func (w *world) failing(to string, next http.RoundTripper) (string, error) {
	target, err := url.Parse(to)
	if err != nil {
		return "", err
	}
	calls := faulttest.With()
	calls.Next = next
	calls.Choose = w.choose
	return w.serve(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host },
		Transport: calls,
		// What never came is a connection that broke.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}), nil
}

// what can happen on the way to a server that lives.
var onTheWay = []faulttest.Fault{
	faulttest.CallLost, faulttest.AnswerLost, faulttest.Throttled, faulttest.ServerError, faulttest.ErrorAfter,
	faulttest.Conflict, faulttest.Cancelled, faulttest.Exceeded,
}

func (w *world) choose(call string) faulttest.Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.faulty || w.chance.Float64() >= w.faults {
		return ""
	}
	f := onTheWay[w.chance.IntN(len(onTheWay))]
	if f.Can(call) {
		w.injected++
	}
	return f
}

func (w *world) setFaulty(on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faulty = on
}

// start starts Merve and waits until it is healthy.
func (w *world) start(ctx context.Context) error {
	cmd := exec.Command(w.binary)
	cmd.Env, cmd.Stdout, cmd.Stderr = w.env, io.Discard, w.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s (make soak builds it): %w", w.binary, err)
	}
	w.mu.Lock()
	w.process = cmd
	w.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		resp, err := http.Get(w.url + "/healthz")
		if err == nil {
			if err := resp.Body.Close(); err == nil && resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		if err := pause.For(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("it does not get healthy: %s", w.log.last())
		}
	}
}

// kill ends Merve where it stands, and starts it again.
func (w *world) kill(ctx context.Context) error {
	w.mu.Lock()
	cmd := w.process
	w.mu.Unlock()
	if err := cmd.Process.Kill(); err != nil {
		return err
	}
	_ = cmd.Wait() // says that it was killed
	w.mu.Lock()
	w.killed++
	w.mu.Unlock()
	return w.start(ctx)
}

func (w *world) close() {
	w.mu.Lock()
	cmd := w.process
	w.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for _, s := range w.servers {
		s.CloseClientConnections()
		s.Close()
	}
	if w.twilio != nil {
		w.twilio.Close()
	}
	if w.store != nil {
		w.store.Stop()
	}
	_ = w.log.to.Close() // nothing more is written
}

// live has customers come and go until the time is over, and lets the last ones finish.
func (w *world) live(ctx context.Context) {
	begin := time.Now()
	until := begin.Add(w.time)
	w.setFaulty(true)
	var all sync.WaitGroup
	for n := range w.customers {
		all.Go(func() {
			chance := rand.New(rand.NewPCG(w.seed, uint64(n)))
			for visit := 0; time.Now().Before(until) && ctx.Err() == nil; visit++ {
				t := w.newTalk(n, visit, chance)
				t.run(ctx)
			}
		})
	}
	for n := range w.poison {
		all.Go(func() { w.sayPoison(ctx, n) })
	}
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	kills := 0
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	every := 1 + int(w.time/(10*time.Minute)) // a look costs a collection
	for seconds := 0; ; seconds++ {
		select {
		case <-over:
			w.setFaulty(false)
			w.settle(ctx)
			w.measure(ctx) // at rest: what the load at the end was is no leak
			return
		case <-tick.C:
		}
		if loaded := time.Now().Before(until); loaded && seconds%every == 0 {
			w.measure(ctx)
		}
		if kills < w.kills && time.Since(begin) > w.time*time.Duration(kills+1)/time.Duration(w.kills+1) {
			kills++
			if err := w.kill(ctx); err != nil {
				fmt.Fprintln(os.Stderr, "soak:", err)
			}
		}
	}
}

// settle waits until nothing more goes out: longer than a sweep takes to find what was
// left behind.
func (w *world) settle(ctx context.Context) {
	const quiet = 130 * time.Second
	seen, since := -1, time.Now()
	for time.Since(since) < quiet {
		if n := w.inbox.count(); n != seen {
			seen, since = n, time.Now()
		}
		if w.all() && time.Since(since) > 5*time.Second {
			return
		}
		if pause.For(ctx, 500*time.Millisecond) != nil {
			return
		}
	}
}

var errGone = errors.New("no answer")
