package bus_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/cloud/bus"
)

// sample is an event as AWS documents it.
const sample = `{
	"version": "0", "id": "6a7e8feb-b491-4cf7-a9f1-bf3703467718", "detail-type": "ToolInvocationRequested", "source": "merve.plan",
	"account": "111122223333", "time": "2026-11-26T18:43:48Z", "region": "us-west-1", "resources": ["arn:aws:s3:::x", "trace/6b04"],
	"detail": {"payload": {"toolName": "math"}}
}`

func TestRead(t *testing.T) {
	t.Parallel()
	got, err := bus.Read(sample)
	if err != nil {
		t.Fatal(err)
	}
	want := bus.Event{
		Source: "merve.plan", Type: "ToolInvocationRequested", Detail: json.RawMessage(`{"payload": {"toolName": "math"}}`),
		At: time.Date(2026, 11, 26, 18, 43, 48, 0, time.UTC), Trace: "6b04",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	whole := map[string]any{"detail-type": "T", "source": "s", "time": "2026-11-26T18:43:48Z", "detail": map[string]any{}}
	for field, value := range map[string]any{"detail-type": "", "source": nil, "time": nil, "detail": []any{}} {
		wrong := map[string]any{}
		for k, v := range whole {
			wrong[k] = v
		}
		wrong[field] = value
		body, err := json.Marshal(wrong)
		if err != nil {
			t.Fatal(err)
		}
		_, err = bus.Read(string(body))
		if _, got := fault.Public(err); !fault.Is(err, fault.Invalid) || got != field {
			t.Errorf("%s: got %v", body, err)
		}
	}
	for _, body := range []string{"", "{", "[]", `"x"`, `{"time":"soon"}`, `{"resources":"trace/1"}`} {
		if _, err := bus.Read(body); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v", body, err)
		}
	}
}

// What is read is an event that could have been put: whoever handles it finds an object in it, and
// a trace id that is fit for one.
func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, body string) {
		e, err := bus.Read(body)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("refused as %v", err)
			}
			return
		}
		if e.Source == "" || e.Type == "" || e.At.IsZero() || len(e.Trace) > 64 ||
			!bytes.HasPrefix(e.Detail, []byte("{")) || !json.Valid(e.Detail) {
			t.Errorf("%+v", e)
		}
	})
}
