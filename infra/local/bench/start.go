package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

// samples give each function an event that it answers without any other part.
var samples = map[string]string{
	"chat":     `{"version":"2.0","routeKey":"GET /healthz","rawPath":"/healthz","requestContext":{"http":{"method":"GET","path":"/healthz"}}}`,
	"admin":    `{"version":"2.0","routeKey":"ANY /admin/api/{proxy+}","rawPath":"/admin/api/markets","requestContext":{"http":{"method":"GET","path":"/admin/api/markets"}}}`,
	"whatsapp": `{"version":"2.0","routeKey":"POST /webhooks/whatsapp","rawPath":"/webhooks/whatsapp","requestContext":{"http":{"method":"POST","path":"/webhooks/whatsapp"}}}`,
	"turn":     `{"Records":[]}`, "notify": `{"Records":[]}`, "sender": `{"Records":[]}`,
}

const runs = 15

// starts prints the time from process start to first answer of each function, built for
// this machine, beside a handler that does nothing, against a runtime API of our own.
func starts(out io.Writer) error {
	dir, err := os.MkdirTemp("", "merve-start-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 2, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "start to first answer\tmedian\tagainst an empty handler\t")
	hello, err := startOf(dir, "hello", "./infra/local/bench/hello", `{}`)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "empty handler\t%.1f ms\t\t\n", hello.Seconds()*1000)
	for _, name := range []string{"chat", "whatsapp", "turn", "notify", "sender", "admin"} {
		took, err := startOf(dir, name, "./functions/"+name, samples[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%.1f ms\t%.1fx\t\n", name, took.Seconds()*1000, float64(took)/float64(hello))
	}
	return w.Flush()
}

func startOf(dir, name, pkg, event string) (time.Duration, error) {
	binary := filepath.Join(dir, name)
	build := exec.Command("go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w", "-o", binary, pkg)
	if printed, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build %s: %w\n%s", pkg, err, printed)
	}
	var took []time.Duration
	for range runs {
		d, err := startOnce(binary, event)
		if err != nil {
			return 0, fmt.Errorf("start %s: %w", name, err)
		}
		took = append(took, d)
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}

// startOnce runs a function against the Lambda runtime API until it has answered once.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
func startOnce(binary, event string) (time.Duration, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	answered := make(chan time.Time, 1)
	asked := make(chan struct{}, 1)
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
		_, _ = io.WriteString(w, event)
	})
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/{outcome}", func(w http.ResponseWriter, r *http.Request) {
		answered <- time.Now()
		w.WriteHeader(http.StatusAccepted)
	})
	server := &http.Server{Handler: mux}
	go func() { _ = server.Serve(l) }() // ends with Close
	defer server.Close()
	cmd := exec.Command(binary)
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + l.Addr().String(), "AWS_REGION=us-east-1", "AWS_LAMBDA_FUNCTION_NAME=bench",
		"AWS_ACCESS_KEY_ID=none", "AWS_SECRET_ACCESS_KEY=none", "TURN_QUEUE_URL=https://sqs.us-east-1.amazonaws.com/000000000000/turns.fifo"}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	select {
	case at := <-answered:
		return at.Sub(start), nil
	case <-time.After(10 * time.Second):
		return 0, fmt.Errorf("no answer in 10 s")
	}
}
