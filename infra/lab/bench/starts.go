package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Start is how a function starts.
type Start struct {
	Name    string  `json:"name"`
	Ready   float64 `json:"readyMs"`  // median, process start to asking for the first event
	MS      float64 `json:"medianMs"` // process start to first answer
	Against float64 `json:"timesEmpty"`
	Runs    int     `json:"runs"`
	Binary  int64   `json:"binaryBytes"` // arm64; 0 is not measured
	Zip     int64   `json:"zipBytes"`    // arm64
	Before  int     `json:"before"`      // requests before the first event, but for those to the runtime API
	Calls   int     `json:"calls"`       // requests for the first answer
}

// empty is the name of the handler that does nothing.
const empty = "empty handler"

// samples gives each function an event of its own kind, which it does what it should for. Those
// that can answer one without the store get that; the others find a store with nothing in it.
func (o Options) samples() (map[string][]byte, error) {
	none := []byte(`{"Records":[]}`)
	all := map[string][]byte{"hello": []byte(`{}`), "turn": none, "liveturn": none, "notify": none, "sender": none, "records": none, "index": none, "publisher": none, "router": none, "orchestrator": none, "aggregator": none,
		"worker": none, "worker-rag": none, "ocr": none}
	for name, path := range map[string]string{"chat": "/healthz", "sara": "/sara", "stripe": "/pay/static/pay.css", "admin": "/admin"} {
		e, err := event(http.MethodGet, path, "", "", "")
		if err != nil {
			return nil, err
		}
		all[name] = e
	}
	for name, file := range map[string]string{
		"whatsapp": "whatsapp", "messenger": "messenger-verify", "expiry": "expiry", "invariants": "invariants", "sweep": "sweep", "planapi": "planapi-trace", "collection": "collection",
		"live": "live-disconnect", "liveapi": "liveapi-state", "marketplace": "marketplace", "outreach": "outreach",
	} {
		e, err := os.ReadFile(filepath.Join(o.Root, "events", file+".json"))
		if err != nil {
			return nil, err
		}
		all[name] = e
	}
	return all, nil
}

// starts measures the time from process start to first answer of each function, built
// for this machine, and of a handler that does nothing, against a runtime API of our own.
// It also measures their sizes, built for the cloud.
func (b *bench) starts(ctx context.Context, r *Report) error {
	dir, err := os.MkdirTemp("", "merve-start-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	events, err := b.samples()
	if err != nil {
		return err
	}
	here, cloud := filepath.Join(dir, "here"), filepath.Join(dir, "arm64")
	if err := b.build(ctx, here, false); err != nil {
		return err
	}
	if b.Sizes {
		if err := b.build(ctx, cloud, true); err != nil {
			return err
		}
	}
	names := append([]string{"hello"}, b.Functions...)
	all := map[string][]launch{}
	for n := range b.Starts { // in turn, so that a busy moment does not hit one of them alone
		for _, name := range names {
			s, err := startOnce(ctx, filepath.Join(here, name), events[name])
			if err != nil {
				return fmt.Errorf("start %s, run %d: %w", name, n+1, err)
			}
			all[name] = append(all[name], s)
		}
	}
	hello := startOf("hello", all["hello"])
	for _, name := range names {
		s := startOf(name, all[name])
		s.Against = s.MS / hello.MS
		if b.Sizes {
			if s.Binary, s.Zip, err = sizes(filepath.Join(cloud, name)); err != nil {
				return err
			}
		}
		if name == "hello" {
			s.Name = empty
		}
		r.Starts = append(r.Starts, s)
	}
	return nil
}

// startOf sums up the starts of a function.
func startOf(name string, all []launch) Start {
	median := func(of func(launch) time.Duration) float64 {
		ds := make([]time.Duration, len(all))
		for i, s := range all {
			ds[i] = of(s)
		}
		return milliseconds(percentile(ds)(0.5))
	}
	out := Start{
		Name: name, Runs: len(all),
		Ready: median(func(s launch) time.Duration { return s.ready }), MS: median(func(s launch) time.Duration { return s.answered }),
	}
	for _, s := range all {
		out.Before, out.Calls = max(out.Before, s.before), max(out.Calls, s.calls)
	}
	return out
}

// build builds the functions and the empty one: as the cloud has them, or for this machine from
// what is compiled for its tests.
func (o Options) build(ctx context.Context, dir string, cloud bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	env, tags := os.Environ(), "lambda.norpc"
	args := []string{"build", "-buildvcs=false", "-ldflags", "-s -w", "-o", dir}
	if cloud { // as .ci/synth.sh does
		env, tags, args = append(env, "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"), tags+",nethttpomithttp2", append(args, "-trimpath")
	}
	args = append(args, "-tags", tags, "merve/infra/lab/bench/hello")
	for _, name := range o.Functions {
		args = append(args, "merve/functions/"+name)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = env
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, printed)
	}
	return nil
}

// sizes gives the size of a binary and of its zip.
func sizes(path string) (binary, zipped int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var n counter
	z := zip.NewWriter(&n)
	w, err := z.Create("bootstrap")
	if err != nil {
		return 0, 0, err
	}
	if binary, err = io.Copy(w, f); err != nil {
		return 0, 0, err
	}
	return binary, int64(n), z.Close()
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// launch is one start of a function: when it asked for its first event and when it had
// answered, and how many requests it made before and between.
type launch struct {
	ready, answered time.Duration
	before, calls   int
}

// lambda is the Lambda runtime API for one invocation, and also the store and the queue that the
// function uses: nothing is in them, and they accept everything.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
type lambda struct {
	event []byte
	done  chan error

	mu    sync.Mutex
	begun time.Time
	launch
}

func (l *lambda) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", l.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/{outcome}", l.answer)
	mux.HandleFunc("/", l.beside)
	return mux
}

// next gives out the event, once.
func (l *lambda) next(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	first := l.ready == 0
	if first {
		l.ready, l.before, l.calls = time.Since(l.begun), l.calls, 0
	}
	l.mu.Unlock()
	if !first {
		<-r.Context().Done()
		return
	}
	w.Header().Set("Lambda-Runtime-Aws-Request-Id", "00000000-0000-0000-0000-000000000001")
	w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(time.Minute).UnixMilli()))
	_, _ = w.Write(l.event) // a function that is gone gives no answer
}

// answer takes the answer, which has to be one of success, or that nothing is there: the store is empty.
func (l *lambda) answer(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.answered = time.Since(l.begun)
	l.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	var a struct {
		StatusCode        int
		BatchItemFailures []any
	}
	if r.PathValue("outcome") != "response" || err != nil || json.Unmarshal(body, &a) == nil && (a.StatusCode >= 400 && a.StatusCode != http.StatusNotFound || len(a.BatchItemFailures) > 0) {
		err = errors.Join(err, fmt.Errorf("%s: %s", r.PathValue("outcome"), body))
	}
	l.done <- err
	w.WriteHeader(http.StatusAccepted)
}

// beside stands in for the store and the queue.
func (l *lambda) beside(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.calls++
	l.mu.Unlock()
	var sent struct{ MessageBody string }
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		http.Error(w, "no request of DynamoDB's or SQS's", http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_ = json.NewEncoder(w).Encode(map[string]string{"MessageId": "1", "MD5OfMessageBody": fmt.Sprintf("%x", md5.Sum([]byte(sent.MessageBody)))})
}

// startOnce runs a function until it has answered once. Whatever it connects to is here.
func startOnce(ctx context.Context, binary string, event []byte) (launch, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return launch{}, err
	}
	api := &lambda{event: event, done: make(chan error, 1)}
	server := &http.Server{Handler: api.routes()}
	go func() { _ = server.Serve(l) }() // ends with Close
	defer server.Close()
	cmd := exec.CommandContext(ctx, binary)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	beside, secret := "http://"+l.Addr().String()+"/", "test-token-not-real" // with which the samples are signed
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + l.Addr().String(), "AWS_REGION=us-east-1", "AWS_LAMBDA_FUNCTION_NAME=bench",
		"AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none", "AWS_ENDPOINT_URL=" + beside, "AWS_EC2_METADATA_SERVICE_ENDPOINT=" + beside,
		"TURN_QUEUE_URL=https://sqs.us-east-1.amazonaws.com/000000000000/turns.fifo", "LIVE_ENDPOINT=" + beside,
		"WORKER_MATH_QUEUE_URL=https://sqs.us-east-1.amazonaws.com/000000000000/worker-math",
		"TWILIO_AUTH_TOKEN=" + secret, "META_VERIFY_TOKEN=" + secret}
	api.mu.Lock()
	api.begun = time.Now()
	api.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return launch{}, err
	}
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	select {
	case err = <-api.done:
	case <-late.C:
		err = errors.New("no answer in 10 s")
	case <-ctx.Done():
		err = ctx.Err()
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // says that it was killed
	if err != nil {
		return launch{}, fmt.Errorf("%w\n%s", err, &said)
	}
	api.mu.Lock()
	defer api.mu.Unlock()
	return api.launch, nil
}
