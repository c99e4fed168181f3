package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
)

const logged = `{"time":"2026-11-23T09:15:30Z","level":"INFO","msg":"turn","callSessionId":"call 1","first_token_ms":12}`

// The lines of a running `make run` are printed for people.
func TestLogsOfAMachine(t *testing.T) {
	t.Parallel()
	machine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/dev/logs" && r.URL.Query().Get("call") == "call 1" {
			_, _ = w.Write([]byte(logged + "\nno JSON\n"))
		}
	}))
	t.Cleanup(machine.Close)
	getenv := func(call string) func(string) string {
		return func(name string) string { return map[string]string{"CALL": call, "PUBLIC_URL": machine.URL}[name] }
	}
	var out strings.Builder
	if err := run(t.Context(), getenv("call 1"), &out); err != nil || out.String() != "2026-11-23T09:15:30Z INFO turn first_token_ms=12\nno JSON\n" {
		t.Errorf("%v: %s", err, out.String())
	}
	for _, call := range []string{"", "call 2"} {
		if err := run(t.Context(), getenv(call), &out); err == nil {
			t.Errorf("%q: no error", call)
		}
	}
	machine.Close()
	if err := run(t.Context(), getenv("call 1"), &out); err == nil {
		t.Error("nothing runs, and there is no error")
	}
}

// Those of a deployment are found in the logs of all its functions, once the query is done.
func TestLogsOfADeployment(t *testing.T) {
	t.Parallel()
	polls, query := 0, ""
	insights := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		w.Header().Set("Content-Type", "application/x-amz-json-1.1")
		var answer any
		switch operation {
		case "DescribeLogGroups":
			answer = map[string]any{"logGroups": []any{map[string]any{"logGroupName": "merve-dev-LiveLogs"}}}
		case "StartQuery":
			var asked struct {
				QueryString   string   `json:"queryString"`
				LogGroupNames []string `json:"logGroupNames"`
			}
			if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
				t.Error(err)
			}
			query = asked.QueryString
			answer = map[string]any{"queryId": "q1"}
		case "GetQueryResults":
			if polls++; polls < 3 {
				answer = map[string]any{"status": "Running"}
				break
			}
			answer = map[string]any{"status": "Complete", "results": []any{[]any{
				map[string]any{"field": "@message", "value": logged + "\n"}, map[string]any{"field": "@ptr", "value": "x"},
			}}}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(insights.Close)
	c := cloud{stack: "merve-dev", now: time.Now, wait: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }, client: cloudwatchlogs.New(cloudwatchlogs.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(insights.URL), Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	})}
	lines, err := c.lines(t.Context(), `call "1"`)
	if err != nil || len(lines) != 1 || lines[0] != logged {
		t.Errorf("%v: %q", err, lines)
	}
	if want := `fields @message | filter callSessionId = "call \"1\"" | sort @timestamp asc`; query != want {
		t.Errorf("asked %s, want %s", query, want)
	}
}
