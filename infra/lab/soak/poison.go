package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/base/pause"
)

// The model answers anybody who says poison with venom, and the store refuses requests that contain venom,
// each time: such a turn can only be given up.
const (
	poison = "poison"
	venom  = "venom"
)

// untilGivenUp is the longest that a turn that always fails keeps coming back: five times, 5, 30 and
// thrice 150 seconds apart, after a minute in which a process that has just begun finds it.
const untilGivenUp = 10 * time.Minute

// antidote refuses requests that contain venom, instead of passing them to the store.
type antidote struct{ store http.RoundTripper }

func (a antidote) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	if !bytes.Contains(body, []byte(venom)) {
		r.Body = io.NopCloser(bytes.NewReader(body))
		return a.store.RoundTrip(r)
	}
	const refusal = `{"__type":"com.amazon.coral.validate#ValidationException","message":"venom"}`
	return faulttest.Response(r, http.StatusBadRequest, "application/x-amz-json-1.0", refusal), nil
}

func poisoner(n int) string { return fmt.Sprintf("+15558880%03d", n) }

// sayPoison has a customer say what cannot be answered, until it is taken.
func (w *world) sayPoison(ctx context.Context, n int) {
	sid := fmt.Sprintf("SM%032d", n)
	for ctx.Err() == nil {
		a, err := w.twilio.Post(ctx, w.url+"/webhooks/whatsapp", w.twilio.Inbound(sid, poisoner(n), poison))
		if err == nil && a.Status == http.StatusOK || pause.For(ctx, time.Second) != nil {
			return
		}
	}
}

// checkPoison wants poison to be given up, where there was time enough, and nothing else.
func (w *world) checkPoison(ctx context.Context, r *result) {
	poisoned := map[string]bool{}
	for n := range w.poison {
		var list struct {
			Threads []struct {
				ID string `json:"threadId"`
			} `json:"threads"`
		}
		path := "/admin/api/threads?marketId=demo&owner=" + url.QueryEscape(poisoner(n))
		if status, err := w.call(ctx, http.MethodGet, path, nil, adminToken, &list); err != nil || status != http.StatusOK || len(list.Threads) != 1 {
			r.wrong("threads of poisoner %d: status %d, %d of them, %v", n, status, len(list.Threads), err)
			continue
		}
		id := list.Threads[0].ID
		poisoned[id] = true
		if got := w.inbox.of(poisoner(n)); len(got) > 0 {
			r.wrong("poison was answered: %q", got)
		}
		if w.time/time.Duration(w.kills+1) > untilGivenUp && !slices.Contains(r.Turns.givenUp, id) {
			r.wrong("the poison of thread %s was not given up", id)
		}
	}
	for _, id := range r.Turns.givenUp {
		if poisoned[id] {
			r.GivenUp++
		} else {
			r.wrong("a turn of thread %s was given up, which was no poison", id)
		}
	}
}
