package request_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/audit"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
)

// seen is a tool as a model has it.
type seen struct {
	Name, Description, Effect string
	Draft                     bool
	Schema                    json.RawMessage
	Gives                     string          `json:",omitempty"` // arguments, whose {id} is the request's
	Input                     json.RawMessage `json:",omitempty"` // what a program would have given instead, as the audit has it
}

// A model sees of each tool what testdata/models.json says. What it gives is audited as the input of a program is, so neither may
// change unseen: the hashes of the audit depend on it.
func TestWhatModelsSee(t *testing.T) {
	t.Parallel()
	const path = "testdata/models.json"
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []seen
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	y := newYard(t)
	r := y.request("1", y.client("ann"))
	tc := tool.Context{
		Actor: actor.OfKey(r.Owner), Market: y.market, Thread: r.Thread, Channel: channel.App, Language: "en", TimeZone: time.UTC, Now: y.now,
	}
	tools := y.Tools()
	if len(tools) != len(all) {
		t.Fatalf("%d tools, want %d", len(tools), len(all))
	}
	for i, tl := range tools {
		want := all[i]
		got := seen{tl.Name, tl.Description, string(tl.Effect), tl.Draft, tl.Schema, want.Gives, nil}
		if want.Gives != "" {
			got.Input = y.input(tl, tc, r.ID, want.Gives)
		}
		if g, w := compact(t, got), compact(t, want); g != w {
			t.Errorf("%s:\n%s\nwant\n%s", tl.Name, g, w)
		}
	}
}

// input is what the audit has of a call that a model makes with arguments, whatever becomes of it.
func (y *yard) input(tl tool.Tool, tc tool.Context, request, gives string) json.RawMessage {
	y.t.Helper()
	args, err := tl.Canonical(json.RawMessage(strings.ReplaceAll(gives, "{id}", request)))
	y.fail(err)
	y.now = y.now.Add(time.Second)
	tc.Key = tl.Name
	if _, err := tl.Run(y.t.Context(), tc, args); err != nil && fault.KindOf(err) == fault.Internal {
		y.t.Errorf("%s: %v", tl.Name, err)
	}
	bodies, err := dynamo.Collect[audit.Body](y.t.Context(), y.Store.Table, dynamo.Under("requestaudit#"+request, "body#"))
	y.fail(err)
	return json.RawMessage(strings.ReplaceAll(bodies[len(bodies)-1].Input, request, "{id}"))
}

func compact(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
