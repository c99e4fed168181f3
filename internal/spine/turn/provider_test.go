package turn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/model/llm"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/record/ledger"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// TestField25_KilledAtEveryCallOfTheModel puts OpenAI's client between a turn and clerk,
// and has every fault meet each of its calls. A process that dies makes no call to the
// store either.
func TestField25_KilledAtEveryCallOfTheModel(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		if k.name != "plain" && k.name != "search" && k.name != "proposal" {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t)
			server.Answer = func(r openaitest.Request) openaitest.Answer { return answerOf(clerk(requestOf(t, r))) }
			faulttest.Everywhere(t, nil, func(t *testing.T, calls *faulttest.Calls) state {
				calls.Next = wire
				w := newWorld(t, nil)
				w.stock(nil, "meze")
				w.last = w.from("ann", channel.App, "said", k.said[0])
				w.model = askedOver(t, server, calls)
				step := func() error { _, err := w.runner.Converse(t.Context(), w.last); return err }
				again := func() {
					w.mortal(calls)
					w.clock.add(thread.LeaseFor + time.Second)
				}
				w.mortal(calls)
				calls.Deliver(t, again, step)
				w.settle()
				return w.state(threadOf(w.last))
			})
		})
	}
}

// mortal is a new process whose calls to the store fail from when it has died.
func (w *world) mortal(calls *faulttest.Calls) {
	w.start(dynamo.Open(dynamotest.Config(w.t), func(o *dynamodb.Options) {
		o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: alive{calls}}, 1
	}))
}

type alive struct{ calls *faulttest.Calls }

func (a alive) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.calls.Dead() {
		return nil, errors.Join(faulttest.ErrDied, r.Body.Close())
	}
	return wire.RoundTrip(r)
}

func askedOver(t *testing.T, server *openaitest.Server, transport http.RoundTripper) llm.Model {
	t.Helper()
	client, err := openai.New(openai.Config{
		BaseURL: server.URL(), Key: openaitest.Key, Model: "gpt-test", HTTP: &http.Client{Transport: transport},
		Retry: llm.Retry{Sleep: func(context.Context, time.Duration) error { return nil }},
	})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// requestOf reads what OpenAI's client sent.
func requestOf(t *testing.T, r openaitest.Request) llm.Request {
	t.Helper()
	var body struct {
		Messages []struct {
			Role    llm.Role
			Content string
			Calls   []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			CallID string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Errorf("request: %v", err)
	}
	var req llm.Request
	for _, m := range body.Messages {
		out := llm.Message{Role: m.Role, Text: m.Content, CallID: m.CallID}
		for _, c := range m.Calls {
			out.Calls = append(out.Calls, llm.Call{ID: c.ID, Name: c.Function.Name, Args: json.RawMessage(c.Function.Arguments)})
		}
		req.Messages = append(req.Messages, out)
	}
	return req
}

func answerOf(r llm.Response) openaitest.Answer {
	a := openaitest.Answer{Text: r.Text}
	for _, c := range r.Calls {
		a.Calls = append(a.Calls, openaitest.Call{ID: c.ID, Name: c.Name, Args: string(c.Args)})
	}
	return a
}

// away makes every call to a part fail for as long as it is away: a table, or a host.
type away struct{ part string }

func (a *away) RoundTrip(r *http.Request) (*http.Response, error) {
	gone := a.part != "" && a.part == r.URL.Host
	if r.Header.Get("X-Amz-Target") != "" && a.part != "" {
		body, err := io.ReadAll(r.Body)
		if err = errors.Join(err, r.Body.Close()); err != nil {
			return nil, err
		}
		gone = bytes.Contains(body, []byte(`"`+a.part+`"`))
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	if gone {
		return nil, errors.Join(errAway, r.Body.Close())
	}
	return wire.RoundTrip(r)
}

var errAway = errors.New("connection refused")

// TestPromise8_EachPartUnreachable takes each table and each provider away while a message
// is answered. Its sender gets a clear answer, or an error that says to come again; once
// the part is back, the message has been answered once, nothing is held that nobody was
// asked about, and nothing is booked but by the YES.
func TestPromise8_EachPartUnreachable(t *testing.T) {
	t.Parallel()
	n := 0
	for _, part := range []string{"conversations", "ledger", "catalog", "records", "model", "desk"} {
		for _, k := range kinds() {
			switch k.name {
			case "plain", "search", "proposal", "yes", "no", "cancellation, yes", "frozen call, yes", "stop":
			default:
				continue
			}
			for _, ch := range k.channels() {
				n++
				t.Run(part+"/"+k.name+"/"+string(ch), func(t *testing.T) {
					t.Parallel()
					k.without(t, part, ch)
				})
			}
		}
	}
	faulttest.Tried(t, n)
}

func (k kind) without(t *testing.T, part string, ch channel.Channel) {
	server := openaitest.New(t)
	server.Answer = func(r openaitest.Request) openaitest.Answer { return answerOf(clerk(requestOf(t, r))) }
	w := newWorld(t, nil)
	w.stock(nil, "meze")
	w.model = clerkModel()
	for i, text := range k.before {
		w.clock.add(time.Second)
		w.arrive(nil, w.from("ann", ch, fmt.Sprint("before", i), text))
	}
	w.clock.add(time.Second)
	in := w.from("ann", ch, "said", k.said[0])
	outage := &away{part: dynamotest.TableName(part)}
	switch part {
	case "model":
		outage.part = hostOf(t, server.URL())
	case "desk":
		outage.part = hostOf(t, w.desk.URL)
	}
	calls := faulttest.With()
	calls.Next = outage
	w.over(calls)
	w.model = askedOver(t, server, calls)
	if err := w.once(in); err != nil && !fault.Retryable(err) {
		t.Errorf("while the part was away: %v, want an error that says to come again", err)
	}
	outage.part = ""
	w.clock.add(thread.LeaseFor + time.Second)
	calls.Deliver(t, nil, func() error { return w.once(in) })
	w.settle()
	turns := w.turnsOf(threadOf(in))
	if len(turns) != len(k.before)+1 {
		t.Errorf("%d turns, want %d", len(turns), len(k.before)+1)
	}
	if last := turns[len(turns)-1]; len(last.In) != 1 || last.In[0].Text != k.said[0] || textOf(last) == "" {
		t.Errorf("the last turn is %+v", last)
	}
	h := w.head(threadOf(in))
	for _, tx := range w.transactions() {
		_, events := w.happenedTo(tx.ID)
		receipt := slices.Contains(events, "receipt")
		switch {
		case tx.State == ledger.Hold && (h.Pending == nil || h.Pending.Ref != tx.ID):
			t.Errorf("%s is held, and %+v is pending", tx.ID, h.Pending)
		case tx.State == ledger.Confirmed && !receipt:
			t.Errorf("%s is booked without a YES", tx.ID)
		}
	}
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// once brings a message as its channel does, once.
func (w *world) once(in channel.Inbound) error {
	if !in.Channel.Pushes() {
		_, err := w.runner.Converse(w.t.Context(), in)
		return err
	}
	if _, err := w.runner.ProcessInbound(w.t.Context(), in); err != nil {
		return err
	}
	return w.runner.Work(w.t.Context(), threadOf(in))
}
