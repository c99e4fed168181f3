package simulationtest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"merve/internal/provider/openai/openaitest"
)

// asked is what a model is sent.
type asked struct {
	Messages []struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolCalls []struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

func (w *World) asked(r openaitest.Request) asked {
	var a asked
	if err := json.Unmarshal(r.Body, &a); err != nil {
		w.t.Errorf("the model was asked in no JSON: %v", err)
	}
	return a
}

// last is the last message of a role, and how many of others stand behind it.
func (a asked) last(role string) (text string, behind int) {
	for i := len(a.Messages) - 1; i >= 0; i-- {
		if a.Messages[i].Role == role {
			var s string
			if json.Unmarshal(a.Messages[i].Content, &s) != nil {
				s = string(a.Messages[i].Content)
			}
			return s, len(a.Messages) - 1 - i
		}
	}
	return "", 0
}

var bookOrder = regexp.MustCompile(`book (\w+) (\S+) (\S+) for (\d+)(.*)`)

// Waiter is a model that serves customers, not always in the same way, and that lies now
// and then.
func Waiter(w *World, r openaitest.Request) openaitest.Answer {
	a := w.asked(r)
	text, behind := a.last("user")
	result, _ := a.last("tool")
	if behind > 4 || behind > 0 && !strings.Contains(result, "bookings") {
		return openaitest.Answer{Text: w.closing()}
	}
	call := func(name, args string) openaitest.Answer {
		return openaitest.Answer{Calls: []openaitest.Call{{ID: "call_1", Name: name, Args: args}}}
	}
	if w.chance(0.04) {
		return openaitest.Answer{Status: 400}
	}
	switch m := bookOrder.FindStringSubmatch(text); {
	case m != nil && behind == 0:
		return call("initiateBooking", fmt.Sprintf(`{"listingId":%q,"offeringId":null,"date":%q,"time":%q,"endDate":null,"partySize":%s,"note":%q}`, m[1], m[2], m[3], m[4], strings.TrimSpace(m[5])))
	case behind > 0 && strings.Contains(text, "cancel"):
		if id := confirmedIn(result); id != "" {
			return call("cancelBooking", fmt.Sprintf(`{"transactionId":%q}`, id))
		}
		return openaitest.Answer{Text: "You have no booking."}
	case behind > 0:
		return openaitest.Answer{Text: "That is all there is."}
	case strings.Contains(text, "bookings"), strings.Contains(text, "cancel"):
		return call("getMyBookings", `{}`)
	case w.chance(0.4):
		return call(oneOf(w, []string{"searchMarketplace", "getListing"}), `{"listingId":"meze"}`)
	}
	return openaitest.Answer{Text: w.closing()}
}

// Lie is a word in every claim of a lying model.
const Lie = "qxlie"

// closing is how a waiter ends: with a question, or with a lie.
func (w *World) closing() string {
	if w.chance(0.2) {
		return "Your table is booked and confirmed, " + Lie + "! I have sent the restaurant a message."
	}
	return oneOf(w, []string{"What would you like?", "We have a table and a cruise.", "Shall I look for another day?"})
}

// confirmedIn finds a confirmed booking in what a tool returned.
func confirmedIn(result string) string {
	var list struct {
		Bookings []struct {
			ID    string `json:"transactionId"`
			State string `json:"state"`
		} `json:"bookings"`
	}
	if json.Unmarshal([]byte(result), &list) != nil {
		return ""
	}
	for _, b := range list.Bookings {
		if b.State == "confirmed" {
			return b.ID
		}
	}
	return ""
}
