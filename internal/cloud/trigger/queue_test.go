package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/telemetry"
)

func quiet() Option { return Log(slog.New(slog.DiscardHandler)) }

// queueEvent makes a batch out of "group/id" words; "/id" has no group.
func queueEvent(t testing.TB, words string) []byte {
	t.Helper()
	var records []map[string]any
	for w := range strings.FieldsSeq(words) {
		group, id, _ := strings.Cut(w, "/")
		attrs := map[string]string{"ApproximateReceiveCount": "1", "SentTimestamp": "1776784101067"}
		if group != "" {
			attrs["MessageGroupId"] = group
		}
		records = append(records, map[string]any{"messageId": id, "body": id, "attributes": attrs, "eventSource": "aws:sqs"})
	}
	b, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestQueueFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		batch, fails  string
		handled, want string
	}{
		"all well":                        {"A/1 A/2 B/3", "", "1 2 3", ""},
		"first of a group fails":          {"A/1 A/2 A/3", "1", "1", "1 2 3"},
		"middle of a group fails":         {"A/1 A/2 A/3", "2", "1 2", "2 3"},
		"last of a group fails":           {"A/1 A/2 A/3", "3", "1 2 3", "3"},
		"other groups go on":              {"A/1 B/2 A/3 B/4 C/5", "1", "1 2 4 5", "1 3"},
		"two groups fail":                 {"A/1 B/2 A/3 B/4 C/5", "1 4", "1 2 4 5", "1 3 4"},
		"without groups each alone":       {"/1 /2 /3", "1 2", "1 2 3", "1 2"},
		"group and none":                  {"A/1 /2 A/3 /4", "1 2", "1 2 4", "1 2 3"},
		"everything fails":                {"A/1 B/2", "1 2", "1 2", "1 2"},
		"empty batch":                     {"", "", "", ""},
		"later failure of a stuck group ": {"A/1 A/2", "1 2", "1", "1 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var handled []string
			out, err := Queue(func(_ context.Context, m Message) error {
				handled = append(handled, m.ID)
				if strings.Contains(" "+tt.fails+" ", " "+m.ID+" ") {
					return errors.New("no")
				}
				return nil
			}, quiet()).Invoke(context.Background(), queueEvent(t, tt.batch))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(handled, " "); got != tt.handled {
				t.Errorf("handled %q, want %q", got, tt.handled)
			}
			if got := failures(t, out); got != tt.want {
				t.Errorf("answered that %q failed, want %q", got, tt.want)
			}
		})
	}
}

// failures checks an answer against the form that AWS takes, and returns its ids.
func failures(t testing.TB, out []byte) string {
	t.Helper()
	var strict struct {
		BatchItemFailures *[]map[string]string `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(out, &strict); err != nil || strict.BatchItemFailures == nil {
		t.Fatalf("answer %s: %v", out, err)
	}
	for _, f := range *strict.BatchItemFailures {
		if len(f) != 1 || f["itemIdentifier"] == "" {
			t.Fatalf("answer %s names no item", out)
		}
	}
	ids, err := Failures(out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(ids, " ")
}

func TestQueueMessage(t *testing.T) {
	t.Parallel()
	var got Message
	var trace string
	out, err := Queue(func(ctx context.Context, m Message) error {
		got, trace = m, telemetry.TraceID(ctx)
		return nil
	}).Invoke(context.Background(), sample(t, "queue"))
	if err != nil {
		t.Fatal(err)
	}
	want := Message{
		ID: "11d6ee51-4cc7-4302-9e22-7cd8afdaadf5", Group: "t1", Body: `{"thread":"t1"}`,
		Attributes:   map[string]string{"trace-id": "5e9f0c651de4d666d4dd26aced652b6c", "blob": "1100"},
		ReceiveCount: 2, SentAt: time.UnixMilli(1776784101067).UTC(), Receipt: "AQEBBX8nesZEXmkhsmZeyIE8iQAMig7qw...",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if trace != want.Attributes["trace-id"] {
		t.Errorf("trace id %q, want the attribute's", trace)
	}
	if string(out) != `{"batchItemFailures":[]}` {
		t.Errorf("answer %s", out)
	}
}

func TestQueuePanicIsAFailure(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	out, err := Queue(func(_ context.Context, m Message) error {
		if m.ID == "1" {
			panic("boom")
		}
		return nil
	}, Log(telemetry.NewLogger(&log, slog.LevelInfo)), traceIDs(func() string { return "trace-1" })).
		Invoke(context.Background(), queueEvent(t, "A/1 B/2"))
	if err != nil {
		t.Fatal(err)
	}
	if got := failures(t, out); got != "1" {
		t.Errorf("failed: %q, want 1", got)
	}
	if !strings.Contains(log.String(), `"traceId":"trace-1"`) || !strings.Contains(log.String(), `"messageId":"1"`) {
		t.Errorf("log: %s", log.String())
	}
}

func TestQueueOutOfTimeLeavesTheRest(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	out, err := Queue(func(_ context.Context, m Message) error {
		cancel()
		return nil
	}, quiet()).Invoke(ctx, queueEvent(t, "A/1 B/2 C/3"))
	if err != nil {
		t.Fatal(err)
	}
	if got := failures(t, out); got != "2 3" {
		t.Errorf("failed: %q, want 2 3", got)
	}
}

// A failure that cannot be named fails the batch, and is never answered with "".
func TestQueueUnnamedFailure(t *testing.T) {
	t.Parallel()
	for _, batch := range []string{"A/", "A/1 A/"} { // the second one behind the first
		out, err := Queue(func(context.Context, Message) error { return errors.New("no") }, quiet()).
			Invoke(context.Background(), queueEvent(t, batch))
		if err == nil {
			t.Errorf("%s: answered %s, want an error", batch, out)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		``:                           "[] ok",
		`null`:                       "[] ok",
		`{}`:                         "[] ok",
		`{"batchItemFailures":null}`: "[] ok",
		`{"batchItemFailures":[]}`:   "[] ok",
		`{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"b"}]}`: "[a b] ok",
		`{"batchItemFailures":[{"itemIdentifier":""}]}`:                         "[] all",
		`{"batchItemFailures":[{"itemIdentifier":null}]}`:                       "[] all",
		`{"batchItemFailures":[{"id":"a"}]}`:                                    "[] all",
		`{"batchItemFailures":"a"}`:                                             "[] all",
		`{`:                                                                     "[] all",
	} {
		ids, err := Failures([]byte(answer))
		outcome := "ok"
		if err != nil {
			outcome = "all"
		}
		if got := fmt.Sprint(ids, " ", outcome); got != want {
			t.Errorf("%s: %s, want %s", answer, got, want)
		}
	}
}
