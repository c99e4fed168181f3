package queue_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/go-cmp/cmp"

	"merve/infra/local/port"
	"merve/internal/base/fault"
	"merve/internal/base/pause/pausetest"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/queue"
	"merve/internal/cloud/queue/queuetest"
	"merve/internal/cloud/trigger"
)

// config is for one attempt at a request.
func config(endpoint string) aws.Config {
	cfg := patient(endpoint)
	cfg.RetryMaxAttempts = 1
	return cfg
}

// patient repeats a request as the functions do, and makes it over [once].
func patient(endpoint string) aws.Config {
	return aws.Config{
		HTTPClient: once{},
		Region:     "us-east-1", BaseEndpoint: &endpoint,
		Credentials: credentials.NewStaticCredentialsProvider("test-key-not-real", "test-secret-not-real", ""),
	}
}

// once makes each request on a connection of its own and reads the answer to its end before
// it gives it out. [http.Transport] loses the rest of one now and then when the machine is
// busy, and messages that were received with it stay hidden.
type once struct{}

func (once) Do(r *http.Request) (*http.Response, error) {
	conn, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.URL.Host)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // everything was read, or the error is told
	r.Close = true
	if err := r.Write(conn); err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// What goes over the wire, field by field.
func TestSQSRequest(t *testing.T) {
	t.Parallel()
	ctx := telemetry.WithTrace(context.Background(), "trace-1")
	for name, tt := range map[string]struct {
		queue   string
		message queue.Message
		want    map[string]any
	}{
		"with order": {
			"turns.fifo", queue.Message{Group: "g", Dedupe: "d", Body: "b", Attributes: map[string]string{"kind": "turn"}},
			map[string]any{"MessageGroupId": "g", "MessageDeduplicationId": "d", "MessageBody": "b", "MessageAttributes": map[string]any{
				"kind":     map[string]any{"DataType": "String", "StringValue": "turn"},
				"trace-id": map[string]any{"DataType": "String", "StringValue": "trace-1"},
			}},
		},
		"without order": {
			"later", queue.Message{Body: "b", Delay: 90 * time.Second},
			map[string]any{"MessageBody": "b", "DelaySeconds": 90.0, "MessageAttributes": map[string]any{
				"trace-id": map[string]any{"DataType": "String", "StringValue": "trace-1"},
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got map[string]any
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if target := r.Header.Get("X-Amz-Target"); target != "AmazonSQS.SendMessage" {
					t.Errorf("operation %q", target)
				}
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", "application/x-amz-json-1.0")
				fmt.Fprint(w, `{"MessageId":"1","MD5OfMessageBody":"92eb5ffee6ae2fec3ad71c777531578f"}`)
			}))
			t.Cleanup(server.Close)
			address := server.URL + "/000000000000/" + tt.queue
			tt.want["QueueUrl"] = address
			if err := queue.NewSQS(config(server.URL), address).Send(ctx, tt.message); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// What a failed message is hidden by.
func TestSQSHide(t *testing.T) {
	t.Parallel()
	var got map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if target := r.Header.Get("X-Amz-Target"); target != "AmazonSQS.ChangeMessageVisibility" {
			t.Errorf("operation %q", target)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	address := server.URL + "/000000000000/turns.fifo"
	if err := queue.NewSQS(config(server.URL), address).Hide(t.Context(), "receipt-1", 5*time.Second); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]any{"QueueUrl": address, "ReceiptHandle": "receipt-1", "VisibilityTimeout": 5.0}, got); d != "" {
		t.Error(d)
	}
}

func TestSQSAway(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	err := queue.NewSQS(config(server.URL), server.URL+"/1/q.fifo").
		Send(context.Background(), queue.Message{Group: "g", Dedupe: "d", Body: "b"})
	if !fault.Is(err, fault.Unavailable) || !fault.Retryable(err) {
		t.Errorf("got %v, want an error that says: later", err)
	}
}

// The suite that the local queue passes, against an SQS server. The server is installed
// by .ci/install-ministack.sh.
func TestSQSConformance(t *testing.T) {
	t.Parallel()
	const required = "MERVE_SQS_CONFORMANCE"
	binary, err := filepath.Abs("../../../.cache/venv-ministack/bin/ministack")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		if os.Getenv(required) != "" {
			t.Fatalf("%s is set, but: %v; run .ci/install-ministack.sh", required, err)
		}
		t.Skip("LEFT OUT: the SQS server is not installed; run .ci/install-ministack.sh. SQS was not checked against the suite.")
	}
	client := sqs.NewFromConfig(patient(start(t, binary)))
	var made atomic.Int32
	queuetest.Run(t, func(t *testing.T) queuetest.Fixture {
		return fixture(t, client, fmt.Sprintf("q%d", made.Add(1)))
	})
}

// start runs the server until the test is over and returns its address.
func start(t *testing.T, binary string) string {
	t.Helper()
	port, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	var printed bytes.Buffer
	cmd := exec.Command(binary)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "BIND_HOST=127.0.0.1", fmt.Sprintf("GATEWAY_PORT=%d", port), "HOME="+cmd.Dir)
	cmd.Stdout, cmd.Stderr = &printed, &printed
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dead := make(chan struct{})
	go func() {
		_ = cmd.Wait() // it is killed
		close(dead)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		<-dead
		if t.Failed() {
			t.Logf("the server printed:\n%s", printed.Bytes())
		}
	})
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	client := sqs.NewFromConfig(config(address))
	for deadline := time.Now().Add(pausetest.Patience); ; {
		_, err := client.ListQueues(t.Context(), &sqs.ListQueuesInput{})
		if err == nil {
			return address
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not answer: %v", err)
		}
		select {
		case <-dead:
			t.Fatalf("the server ended:\n%s", printed.Bytes())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// fixture makes a queue and its dead-letter queue, and does what Lambda's poller does.
func fixture(t *testing.T, client *sqs.Client, name string) queuetest.Fixture {
	const visibility, receives = 2 * time.Second, 3
	// Nothing is hidden by reading it: a read whose answer got lost is repeated.
	dead := create(t, client, name+"-failed.fifo", map[string]string{"VisibilityTimeout": "0"})
	address := create(t, client, name+".fifo", map[string]string{
		"VisibilityTimeout": "2",
		"RedrivePolicy":     fmt.Sprintf(`{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:%s-failed.fifo","maxReceiveCount":%d}`, name, receives),
	})
	opts := client.Options()
	return queuetest.Fixture{
		Send: queue.NewSQS(patient(*opts.BaseEndpoint), address).Send,
		Deliver: func(ctx context.Context, max int, invoke func(context.Context, []byte) ([]byte, error)) (int, error) {
			return deliver(ctx, client, address, max, invoke)
		},
		Dead: func(ctx context.Context) (bodies []string, err error) {
			ms, err := receive(ctx, client, dead, 10)
			for _, m := range ms {
				bodies = append(bodies, *m.Body)
			}
			return bodies, err
		},
		Visibility: visibility, Receives: receives,
		Pass: func(d time.Duration) { <-time.After(d) }, // the server's clock is the real one
	}
}

func create(t *testing.T, client *sqs.Client, name string, attributes map[string]string) string {
	t.Helper()
	all := map[string]string{"FifoQueue": "true"}
	for k, v := range attributes {
		all[k] = v
	}
	out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: all})
	if err != nil {
		t.Fatal(err)
	}
	return *out.QueueUrl
}

func receive(ctx context.Context, client *sqs.Client, address string, max int) ([]types.Message, error) {
	out, err := client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &address, MaxNumberOfMessages: int32(max), MessageAttributeNames: []string{"All"},
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
	})
	if err != nil {
		return nil, err
	}
	return out.Messages, nil
}

func deliver(ctx context.Context, client *sqs.Client, address string, max int, invoke func(context.Context, []byte) ([]byte, error)) (int, error) {
	ms, err := receive(ctx, client, address, max)
	if err != nil || len(ms) == 0 {
		return 0, err
	}
	payload, err := json.Marshal(event(ms))
	if err != nil {
		return 0, err
	}
	answer, err := invoke(ctx, payload)
	if err != nil {
		return len(ms), nil // all of them come back
	}
	failed, err := trigger.Failures(answer)
	if err != nil {
		return len(ms), nil
	}
	for _, m := range ms {
		if slices.Contains(failed, *m.MessageId) {
			continue
		}
		if _, err := client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &address, ReceiptHandle: m.ReceiptHandle}); err != nil {
			return 0, err
		}
	}
	return len(ms), nil
}

func event(ms []types.Message) events.SQSEvent {
	var e events.SQSEvent
	for _, m := range ms {
		r := events.SQSMessage{
			MessageId: *m.MessageId, ReceiptHandle: *m.ReceiptHandle, Body: *m.Body, Attributes: m.Attributes,
			MessageAttributes: map[string]events.SQSMessageAttribute{}, EventSource: "aws:sqs",
		}
		for name, a := range m.MessageAttributes {
			r.MessageAttributes[name] = events.SQSMessageAttribute{StringValue: a.StringValue, DataType: *a.DataType}
		}
		e.Records = append(e.Records, r)
	}
	return e
}
