package main

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/go-cmp/cmp"

	"merve/infra/local/runner"
)

var now = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// command runs the command with an environment and returns what it prints.
func command(t *testing.T, env map[string]string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := run(t.Context(), func(name string) string { return env[name] }, &out, func() time.Time { return now })
	return out.String(), err
}

// running is a `make run` with dead letters. It notes what is sent again.
func running(t *testing.T, done runner.Redriven) (address string, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	on := []runner.QueueState{
		{Name: "dead-letter-queue", Dead: []runner.DeadLetter{{Body: "of no plan", SentAt: now.Add(-time.Hour)}}},
		{Name: "plan-events", DeadLetter: "dead-letter-queue", Dead: []runner.DeadLetter{
			{Body: "{\x1b[2J" + strings.Repeat("x", 200), Receives: 5, SentAt: now.Add(-90 * time.Second)},
		}},
		{Name: "turns", DeadLetter: "turns-failed", Dead: []runner.DeadLetter{{Body: "a turn", Receives: 5, SentAt: now}}},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var answer any = map[string]any{"queues": on}
		if r.Method == http.MethodPost {
			*asked = append(*asked, r.URL.String())
			if r.URL.Query().Get("to") == "user-commands" {
				http.Error(w, "to: want another", http.StatusBadRequest)
				return
			}
			answer = done
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func TestOnThisMachine(t *testing.T) {
	t.Parallel()
	listed := "dead-letter-queue: messages: 2\n" +
		"  1h0m0s old, received 0 times: of no plan\n" +
		"  1m30s old, received 5 times: { [2J" + strings.Repeat("x", 115) + "…\n"
	for name, tt := range map[string]struct {
		env    map[string]string
		done   runner.Redriven
		prints string
		asks   []string
		fails  string
	}{
		"sends back": {
			map[string]string{"QUEUE": "dead-letter-queue"}, runner.Redriven{Moved: 1, Left: 1},
			listed + "sent again: 1; left: 1 that a function put there itself (say where they belong with TO=)\n",
			[]string{"/dev/queues/dead-letter-queue/redrive?to="}, "",
		},
		"sends elsewhere": {
			map[string]string{"QUEUE": "dead-letter-queue", "TO": "plan-events"}, runner.Redriven{Moved: 2},
			listed + "sent again: 2\n", []string{"/dev/queues/dead-letter-queue/redrive?to=plan-events"}, "",
		},
		"only reads": {
			map[string]string{"QUEUE": "dead-letter-queue", "LOOK": "1"}, runner.Redriven{}, listed, nil, "",
		},
		"is refused": {
			map[string]string{"QUEUE": "dead-letter-queue", "TO": "user-commands"}, runner.Redriven{}, listed,
			[]string{"/dev/queues/dead-letter-queue/redrive?to=user-commands"}, "to: want another",
		},
		"is empty": {
			map[string]string{"QUEUE": "dead-letter-queue-fifo"}, runner.Redriven{}, "dead-letter-queue-fifo: messages: 0\n", nil, "",
		},
		"no name":        {map[string]string{}, runner.Redriven{}, "", nil, "QUEUE: want one of turns-failed"},
		"a queue in use": {map[string]string{"QUEUE": "turns"}, runner.Redriven{}, "", nil, `not "turns"`},
		"to a dead letter": {
			map[string]string{"QUEUE": "turns-failed", "TO": "turns-failed"}, runner.Redriven{}, "", nil, "TO: want one of turns",
		},
		"nothing runs": {
			map[string]string{"QUEUE": "turns-failed", "PUBLIC_URL": "http://127.0.0.1:1"}, runner.Redriven{}, "", nil, "is `make run` running?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := running(t, tt.done)
			env := map[string]string{"PUBLIC_URL": address}
			for k, v := range tt.env {
				env[k] = v
			}
			printed, err := command(t, env)
			if (err == nil) != (tt.fails == "") || err != nil && !strings.Contains(err.Error(), tt.fails) {
				t.Errorf("%v, want %q", err, tt.fails)
			}
			if diff := cmp.Diff(tt.prints, printed); diff != "" {
				t.Errorf("(-want +printed):\n%s", diff)
			}
			if diff := cmp.Diff(append([]string{}, tt.asks...), *asked); diff != "" {
				t.Errorf("(-want +asked):\n%s", diff)
			}
		})
	}
}

// sqsCalls is an SQS that has two queues and twelve messages in the first. It notes what it is asked,
// reading and listing left out.
func sqsCalls(t *testing.T) (place cloud, calls *[]string) {
	t.Helper()
	calls = &[]string{}
	waiting := 12
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			QueueUrl, SourceArn, DestinationArn, QueueNamePrefix string
			MaxNumberOfMessages                                  int
			Entries                                              []struct{ ReceiptHandle string }
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		answer := map[string]any{}
		switch operation {
		case "ListQueues":
			for _, name := range []string{"PlanEventsQueue1A-xyz", "DeadLetterQueueFifoQueue1A-xyz.fifo", "DeadLetterQueueQueue1A-xyz"} {
				answer["QueueUrls"] = append(list(answer["QueueUrls"]), "https://sqs.invalid/1/"+in.QueueNamePrefix+name)
			}
		case "GetQueueAttributes":
			answer["Attributes"] = map[string]string{"QueueArn": "arn:" + in.QueueUrl}
		case "ReceiveMessage":
			for range min(in.MaxNumberOfMessages, waiting) {
				waiting--
				sum := md5.Sum([]byte("body"))
				answer["Messages"] = append(list(answer["Messages"]), map[string]any{
					"Body": "body", "MD5OfBody": hex.EncodeToString(sum[:]), "ReceiptHandle": "r",
					"Attributes": map[string]string{
						"ApproximateReceiveCount": "6", "SentTimestamp": strconv.FormatInt(now.Add(-time.Minute).UnixMilli(), 10),
					},
				})
			}
		case "ChangeMessageVisibilityBatch":
			*calls = append(*calls, operation+" "+strconv.Itoa(len(in.Entries)))
			answer["Successful"], answer["Failed"] = []any{}, []any{}
		case "StartMessageMoveTask":
			*calls = append(*calls, strings.TrimSpace(operation+" "+in.SourceArn+" "+in.DestinationArn))
			answer["TaskHandle"] = "task-1"
		default:
			t.Errorf("operation %q", operation)
		}
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return cloud{stack: "merve-prod", client: sqs.NewFromConfig(aws.Config{
		Region: "us-east-1", BaseEndpoint: &server.URL,
		Credentials: credentials.NewStaticCredentialsProvider("test-key-not-real", "test-secret-not-real", ""),
	})}, calls
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// In the cloud messages are read and shown again, before SQS sends them back.
func TestInTheCloud(t *testing.T) {
	t.Parallel()
	place, calls := sqsCalls(t)
	found, err := place.read(t.Context(), "dead-letter-queue")
	if err != nil || len(found) != 12 || found[0].Body != "body" || found[0].Receives != 6 || now.Sub(found[0].SentAt) != time.Minute {
		t.Errorf("%v: %+v", err, found)
	}
	for _, to := range []string{"", "plan-events"} {
		if told, err := place.redrive(t.Context(), "dead-letter-queue", to); err != nil || !strings.Contains(told, "task-1") {
			t.Errorf("to %q: %q, %v", to, told, err)
		}
	}
	const start = "arn:https://sqs.invalid/1/merve-prod-"
	const dead, work = start + "DeadLetterQueueQueue1A-xyz", start + "PlanEventsQueue1A-xyz"
	want := []string{
		"ChangeMessageVisibilityBatch 10", "ChangeMessageVisibilityBatch 2",
		"StartMessageMoveTask " + dead, "StartMessageMoveTask " + dead + " " + work,
	}
	if diff := cmp.Diff(want, *calls); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	_, err = place.read(t.Context(), "turns-failed")
	if err == nil || !strings.Contains(err.Error(), "merve-prod has no queue turns-failed") {
		t.Errorf("a queue that is not there: %v", err)
	}
}
