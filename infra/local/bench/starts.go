package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"merve/infra/wiring"
)

// Start is how a function starts.
type Start struct {
	Name    string  `json:"name"`
	MS      float64 `json:"medianMs"` // process start to first answer
	Against float64 `json:"timesEmpty"`
	Runs    int     `json:"runs"`
	Binary  int64   `json:"binaryBytes"` // arm64
	Zip     int64   `json:"zipBytes"`    // arm64
	Calls   int     `json:"connections"` // made before the first answer, but for those to the runtime API
}

// empty is the name of the handler that does nothing.
const empty = "empty handler"

// samples give functions an event that they answer without any other part. The others
// get one that is none, and refuse it.
var samples = map[string]string{
	"chat":     `{"version":"2.0","routeKey":"GET /healthz","rawPath":"/healthz","requestContext":{"http":{"method":"GET","path":"/healthz"}}}`,
	"admin":    `{"version":"2.0","routeKey":"ANY /admin/api/{proxy+}","rawPath":"/admin/api/markets","requestContext":{"http":{"method":"GET","path":"/admin/api/markets"}}}`,
	"whatsapp": `{"version":"2.0","routeKey":"POST /webhooks/whatsapp","rawPath":"/webhooks/whatsapp","requestContext":{"http":{"method":"POST","path":"/webhooks/whatsapp"}}}`,
	"turn":     `{"Records":[]}`, "notify": `{"Records":[]}`, "sender": `{"Records":[]}`,
}

// starts measures the time from process start to first answer of each function, built
// for this machine, beside a handler that does nothing, against a runtime API of our own;
// and their sizes, built for the cloud.
func (b *bench) starts(ctx context.Context, r *Report) error {
	dir, err := os.MkdirTemp("", "merve-start-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	here, cloud := filepath.Join(dir, "here"), filepath.Join(dir, "arm64")
	if err := build(ctx, here, os.Environ()); err != nil {
		return err
	}
	if err := build(ctx, cloud, append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")); err != nil {
		return err
	}
	names := []string{"hello"}
	for _, f := range wiring.Functions() {
		names = append(names, f.Name)
	}
	took := map[string][]time.Duration{}
	calls := map[string]int{}
	for n := range b.Starts { // in turn, so that a busy moment does not hit one of them alone
		for _, name := range names {
			d, called, err := startOnce(ctx, filepath.Join(here, name), samples[name])
			if err != nil {
				return fmt.Errorf("start %s, run %d: %w", name, n+1, err)
			}
			took[name] = append(took[name], d)
			calls[name] = max(calls[name], called)
		}
	}
	hello := percentile(took["hello"])(0.5)
	for _, name := range names {
		s := Start{Name: name, MS: milliseconds(percentile(took[name])(0.5)), Runs: b.Starts, Calls: calls[name]}
		s.Against = s.MS / milliseconds(hello)
		if s.Binary, s.Zip, err = sizes(filepath.Join(cloud, name)); err != nil {
			return err
		}
		if name == "hello" {
			s.Name = empty
		}
		r.Starts = append(r.Starts, s)
	}
	return nil
}

// build builds every function and the empty one, as the cloud has them.
func build(ctx context.Context, dir string, env []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", dir,
		"merve/functions/...", "merve/infra/local/bench/hello")
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

// startOnce runs a function against the Lambda runtime API until it has answered once.
// Whatever else it connects to goes through a proxy that lets nobody through and counts.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
func startOnce(ctx context.Context, binary, event string) (took time.Duration, called int, err error) {
	if event == "" {
		event = `"no event"`
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, 0, err
	}
	answered, asked, others := make(chan time.Time, 1), make(chan struct{}, 1), make(chan struct{}, 100)
	asked <- struct{}{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-asked:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Lambda-Runtime-Aws-Request-Id", "00000000-0000-0000-0000-000000000001")
		w.Header().Set("Lambda-Runtime-Deadline-Ms", fmt.Sprint(time.Now().Add(time.Minute).UnixMilli()))
		_, _ = io.WriteString(w, event) // the function that is gone is seen below
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/{outcome}", func(w http.ResponseWriter, r *http.Request) {
		select {
		case answered <- time.Now():
		default: // once is enough
		}
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		others <- struct{}{}
		w.WriteHeader(http.StatusBadGateway)
	})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(l) }() // ends with Close
	defer server.Close()
	cmd := exec.CommandContext(ctx, binary)
	away := "http://" + l.Addr().String() + "/away"
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + l.Addr().String(), "AWS_REGION=us-east-1", "AWS_LAMBDA_FUNCTION_NAME=bench",
		"AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none", "AWS_ENDPOINT_URL=" + away, "AWS_EC2_METADATA_SERVICE_ENDPOINT=" + away,
		"TURN_QUEUE_URL=https://sqs.us-east-1.amazonaws.com/000000000000/turns.fifo"}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	select {
	case at := <-answered:
		return at.Sub(start), len(others), nil
	case <-late.C:
		return 0, 0, fmt.Errorf("no answer in 10 s")
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
}
