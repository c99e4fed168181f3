package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"merve/internal/provider/twilio/twiliotest"
)

// What holds venom never comes to the store, and all else does, as it was.
func TestAntidote(t *testing.T) {
	t.Parallel()
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer store.Close()
	client := &http.Client{Transport: antidote{network()}}
	for body, want := range map[string]int{`{"text":"hello"}`: http.StatusOK, `{"text":"venom"}`: http.StatusBadRequest} {
		resp, err := client.Post(store.URL, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil || resp.StatusCode != want || (string(got) == body) != (want == http.StatusOK) {
			t.Errorf("%s: %d %s, %v", body, resp.StatusCode, got, err)
		}
	}
}

// Poison is given up, where there was time for it; nothing else is.
func TestCheckPoison(t *testing.T) {
	t.Parallel()
	twilio := twiliotest.New(t, twiliotest.Config{})
	merve := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, `{"threads":[{"threadId":"of %s"}]}`, r.URL.Query().Get("owner"))
	}))
	defer merve.Close()
	line := func(group string) []byte { return fmt.Appendf(nil, `{"msg":"message given up","group":%q}`, group) }
	for _, tt := range []struct {
		name    string
		time    time.Duration
		given   []string
		givenUp int
		wrong   []string
	}{
		{"all of it, some twice", time.Hour, []string{"of " + poisoner(0), "of " + poisoner(1), "of " + poisoner(0)}, 3, nil},
		{"not yet", time.Minute, nil, 0, nil},
		{"one too few", time.Hour, []string{"of " + poisoner(0)}, 1, []string{"of " + poisoner(1) + " was not given up"}},
		{"one that was no poison", time.Minute, []string{"another"}, 0, []string{"another was given up"}},
	} {
		w := &world{options: options{poison: 2, time: tt.time}, twilio: twilio, inbox: &inbox{twilio: twilio}, url: merve.URL, log: &turnLog{}}
		for _, group := range tt.given {
			w.log.line(line(group))
		}
		r := &result{Turns: w.log.turns()}
		w.checkPoison(t.Context(), r)
		if r.GivenUp != tt.givenUp || len(r.Wrong) != len(tt.wrong) {
			t.Fatalf("%s: %d given up, %q", tt.name, r.GivenUp, r.Wrong)
		}
		for i, want := range tt.wrong {
			if !strings.Contains(r.Wrong[i], want) {
				t.Errorf("%s: %q, want %q", tt.name, r.Wrong[i], want)
			}
		}
	}
}
