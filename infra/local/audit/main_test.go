package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"merve/internal/cloud/audit"
)

// trail is a chain of two records.
func trail(t *testing.T) audit.Trail {
	t.Helper()
	var all audit.Trail
	prev := audit.Genesis
	for _, id := range []string{"au_1", "au_2"} {
		r := audit.Sealed{Record: audit.Record{ID: id, Request: "rq_1", Tool: "marketplace.search_vendors", Success: true, DurationMS: 12, Error: "ş <&>"}, PrevHash: prev}
		var err error
		if r.Hash, err = audit.Hash(r); err != nil {
			t.Fatal(err)
		}
		prev = r.Hash
		all.Records = append(all.Records, r)
	}
	all.Head.Count, all.Head.Hash = 2, prev
	return all
}

// What is whole is printed, what is not is refused, and a program in another language comes to the same.
func TestAudit(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil func(*audit.Trail)
		wrong string
	}{
		"whole":   {func(*audit.Trail) {}, ""},
		"changed": {func(t *audit.Trail) { t.Records[1].Success = false }, "record 2 (au_2): it was changed"},
		"missing": {func(t *audit.Trail) { t.Records = t.Records[1:] }, "record 1 (au_2): the record before it is missing"},
		"short":   {func(t *audit.Trail) { t.Records = t.Records[:1] }, "missing at the end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := trail(t)
			tt.spoil(&all)
			raw, err := json.Marshal(all)
			if err != nil {
				t.Fatal(err)
			}
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/marketplace/requests/rq_1/audit" || r.Header.Get("Authorization") != "Bearer token" {
					w.WriteHeader(http.StatusNotFound)
				}
				w.Write(raw)
			}))
			defer s.Close()
			var out bytes.Buffer
			err = run(s.Client(), s.URL, "rq_1", "token", &out)
			if (err == nil) != (tt.wrong == "") || err != nil && !strings.Contains(err.Error(), tt.wrong) {
				t.Errorf("got %v, want %q", err, tt.wrong)
			}
			python, err := exec.LookPath("python3")
			if err != nil {
				t.Skip("no python3 here")
			}
			cmd := exec.CommandContext(t.Context(), python, "testdata/verify.py")
			cmd.Stdin = bytes.NewReader(raw)
			said, _ := cmd.Output()
			if got := strings.TrimSpace(string(said)); tt.wrong == "" && got != "verified" || tt.wrong != "" && !strings.Contains(got, tt.wrong) {
				t.Errorf("verify.py: %s, want %q", got, tt.wrong)
			}
		})
	}
	if err := run(http.DefaultClient, "http://127.0.0.1:1", "", "", &bytes.Buffer{}); err == nil {
		t.Error("no request was named")
	}
}
