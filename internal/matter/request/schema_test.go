package request_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"merve/internal/base/fault"
)

// form is the interface of a tool as a file has it.
type form struct {
	Input, Output *jsonschema.Schema
	Good          []json.RawMessage
	Bad           []struct {
		Input json.RawMessage
		Field string
	}
}

// Each tool takes what its interface takes, answers as it says, and names the field of what it does not take.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/tools/*.json")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d interfaces, %v", len(files), err)
	}
	for _, file := range files {
		tool := strings.TrimSuffix(filepath.Base(file), ".json")
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var f form
			if err := json.Unmarshal(raw, &f); err != nil {
				t.Fatal(err)
			}
			if len(f.Good) < 3 || len(f.Bad) < 3 {
				t.Errorf("%d good and %d bad inputs", len(f.Good), len(f.Bad))
			}
			for _, in := range f.Good {
				takes(t, tool, f, in)
			}
			for _, b := range f.Bad {
				y := newYard(t)
				r := y.request("1", nil)
				text := strings.ReplaceAll(strings.ReplaceAll(string(b.Input), "{key}", "request:{id}:hash:k"), "{outreach}", "ou_1")
				if valid(t, f.Input, json.RawMessage(text)) == nil {
					t.Errorf("the schema takes %s", b.Input)
				}
				_, err := y.Do(t.Context(), y.call(tool, r.ID, "k", text))
				if got := field(err); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.NotFound) || got != b.Field {
					t.Errorf("%s: %v, field %q, want %q", b.Input, err, got, b.Field)
				}
			}
		})
	}
}

// takes gives a good input to its tool, for a request of a client whose vendor v1 has quoted.
func takes(t *testing.T, tool string, f form, in json.RawMessage) {
	t.Helper()
	y := newYard(t)
	y.vendor("v1", nil)
	y.vendor("v2", nil)
	r := y.request("1", nil)
	if strings.Contains(tool, "_call") {
		x := y.switchboard()
		r = y.callable("ann")
		defer func() {
			if n := len(x.rang()); (n == 1) != (tool == "marketplace.start_call") {
				t.Errorf("rang %d times", n)
			}
		}()
	}
	consent := ""
	if tool == "marketplace.start_call" || tool == "marketplace.revoke_call_consent" {
		consent = y.granted(r.ID)
	}
	if tool != "marketplace.propose_outreach" && tool != "marketplace.update_requirements" && r.Owner == "" {
		y.do("propose_outreach", r.ID, "ask", `{"request_id":"{id}","vendor_ids":["v1"]}`)
	}
	if tool == "marketplace.propose_acceptance" {
		y.do("record_vendor_reply", r.ID, "reply", `{"request_id":"{id}","vendor_id":"v1","message":"280","provider_message_id":"SM0","parsed_data":{"has_stock":true,"price":280}}`)
	}
	job := ""
	if tool == "marketplace.get_ocr_result" {
		job = y.do("create_ocr_job", r.ID, "job", `{"request_id":"{id}","message_id":"SM1","media_url":"https://example.com/1","media_type":"image/png"}`)["job_id"].(string)
	}
	text := strings.NewReplacer("{key}", "request:{id}:hash:k", "{outreach}", outreachOf(y.view(r.ID), "v1"), "{consent}", consent, "{job}", job).Replace(string(in))
	if err := valid(t, f.Input, json.RawMessage(strings.ReplaceAll(text, "{id}", r.ID))); err != nil {
		t.Errorf("the schema refuses %s: %v", in, err)
	}
	a, err := y.Do(t.Context(), y.call(tool, r.ID, "k", text))
	if err != nil {
		t.Errorf("%s: %v", in, err)
		return
	}
	if err := valid(t, f.Output, a.Output); err != nil {
		t.Errorf("%s: the answer %s: %v", in, a.Output, err)
	}
}

func valid(t *testing.T, s *jsonschema.Schema, raw json.RawMessage) error {
	t.Helper()
	resolved, err := s.CloneSchemas().Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return resolved.Validate(v)
}
