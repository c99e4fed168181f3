package request_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
	. "merve/internal/matter/request"
)

// arrows is the table of states as it was designed, written a second time.
var arrows = map[State][]State{
	New:        {Clarifying, Searching, Cancelled, Error},
	Clarifying: {Searching, Cancelled, Error},
	Searching:  {Clarifying, Asking, Cancelled, Error},
	Asking:     {Quoted, Searching, Cancelled, Error},
	Quoted:     {Presented, Asking, Cancelled, Error},
	Presented:  {Accepted, Asking, Searching, Cancelled, Error},
	Accepted:   {Fulfilled, Cancelled},
	Error:      {Clarifying, Searching, Cancelled},
	Fulfilled:  nil,
	Cancelled:  nil,
}

// errand is what a model of one request believes of it: its state, and what each vendor who was asked has said.
type errand struct {
	state State
	said  map[string]string // "" is nothing
}

// move is a change of state by a call: what it is answered, and why it is not made.
func (m *errand) move(to State) (ok bool, why string) {
	next := arrows[m.state]
	var words []string
	for _, s := range next {
		words = append(words, string(s))
	}
	switch {
	case len(next) == 0:
		return false, fmt.Sprintf("the request is %s, and stays so", m.state)
	case !slices.Contains(next, to):
		return false, fmt.Sprintf("from %s only to: %s", m.state, strings.Join(words, ", "))
	case to == Asking || to == Accepted:
		return false, "only the client's YES"
	}
	m.state = to
	return true, ""
}

// ask is what the desk's word to ask a vendor does.
func (m *errand) ask(vendor string) bool {
	_, asked := m.said[vendor]
	open := slices.Contains([]State{New, Clarifying, Searching, Quoted, Presented}, m.state) // the first two through searching
	if asked || !open {
		return false
	}
	m.said[vendor], m.state = "", Asking
	return true
}

// answer is what a vendor's answer does: the first offer makes the request quoted.
func (m *errand) answer(vendor, words string) bool {
	if _, asked := m.said[vendor]; !asked {
		return false
	}
	m.said[vendor] = words
	if m.state == Asking && words == "offer" {
		m.state = Quoted
	}
	return true
}

// accept is what the desk's word to accept a vendor's quote does.
func (m *errand) accept(vendor string) bool {
	if m.said[vendor] != "offer" || m.state != Quoted && m.state != Presented {
		return false
	}
	m.state = Accepted
	return true
}

// Whatever is called in whatever order, a request is in the state of the table, and each call is answered with the state
// before and after, or with those that would be valid.
func TestPromise1_StatesAreThoseOfTheTable(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	vendors := []string{"v1", "v2", "v3"}
	for _, v := range vendors {
		y.vendor(v, nil)
	}
	requests := 0
	seedtest.Check(t, func(rt *rapid.T) {
		requests++
		r := y.request(fmt.Sprint("states", requests), nil)
		m := &errand{state: New, said: map[string]string{}}
		for n := range rapid.IntRange(1, 14).Draw(rt, "calls") {
			v := rapid.SampledFrom(vendors).Draw(rt, "vendor")
			key, from := fmt.Sprint(n), m.state
			outreach := func() string { return outreachOf(y.view(r.ID), v) }
			switch rapid.IntRange(0, 6).Draw(rt, "call") {
			case 0, 1, 2:
				to := rapid.SampledFrom(States()).Draw(rt, "to")
				ok, why := m.move(to)
				fallback := map[bool]string{true: `,"fallback_message":"We are sorry."`}[to == Error]
				got := y.do(UpdateRequestState, r.ID, key, fmt.Sprintf(`{"request_id":"{id}","new_state":%q%s}`, to, fallback))
				text, _ := got["error"].(string)
				if got["success"] != ok || !strings.HasPrefix(text, why) || why == "" && text != "" || got["previous_state"] != string(from) ||
					got["current_state"] != string(m.state) {
					rt.Fatalf("from %s to %s: %v, want %v %q", from, to, got, ok, why)
				}
			case 3, 4:
				if got, ok := y.do(ProposeOutreach, r.ID, key, `{"request_id":"{id}","vendor_ids":["`+v+`"]}`), m.ask(v); got["success"] != ok ||
					got["state"] != string(m.state) {
					rt.Fatalf("%s asked while %s: %v, want %v in %s", v, from, got, ok, m.state)
				}
			case 5:
				words := rapid.SampledFrom([]string{"offer", "none", "words"}).Draw(rt, "words")
				parsed := map[string]string{"offer": `{"has_stock":true,"price":280}`, "none": `{"has_stock":false}`, "words": `null`}[words]
				_, err := y.Do(t.Context(), y.call(RecordVendorReply, r.ID, key, fmt.Sprintf(
					`{"request_id":"{id}","vendor_id":%q,"message":%q,"provider_message_id":"SM%d.%d","parsed_data":%s}`, v, words, requests, n, parsed)))
				if ok := m.answer(v, words); ok != (err == nil) {
					rt.Fatalf("%s answers while %s: %v, want %v", v, from, err, ok)
				}
			case 6:
				if outreach() == "none" {
					continue
				}
				if got, ok := y.do(ProposeAcceptance, r.ID, key, `{"request_id":"{id}","outreach_id":"`+outreach()+`"}`),
					m.accept(v); got["success"] != ok {
					rt.Fatalf("the quote of %s accepted while %s: %v, want %v", v, from, got, ok)
				}
			}
			if got := y.view(r.ID).State; got != m.state {
				rt.Fatalf("the request is %s, want %s", got, m.state)
			}
		}
	})
}
