package simulation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"merve/internal/provider/openai/openaitest"
)

// offeredTool is a tool that a model may call.
type offeredTool struct {
	Function struct {
		Name string `json:"name"`
	} `json:"function"`
}

// asked is what a model is sent.
type asked struct {
	Tools    []offeredTool `json:"tools"`
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
	if answer, ok := w.serve(text, result, behind); ok {
		return answer
	}
	if behind > 4 || behind > 0 && !strings.Contains(result, "bookings") {
		return openaitest.Answer{Text: w.closing()}
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

func call(name, args string) openaitest.Answer {
	return openaitest.Answer{Calls: []openaitest.Call{{ID: "call_1", Name: name, Args: args}}}
}

func callf(name, format string, args ...any) openaitest.Answer {
	return call(name, fmt.Sprintf(format, args...))
}

var (
	errands = regexp.MustCompile(`order (\d) (small|large|ayran)|(have the leak repaired|see the villa|a taxi (\+\d+)|get me a human)|tell (\w+) that dogs|sold out (\w+)|answer (\w{4}) accept|left (\d) (\w+)`)
	looks   = regexp.MustCompile(`take my (order|taxi) back|move my booking to (\d+:00)|remind me`)
	orderID = regexp.MustCompile(`"orderId":"([^"]+)"`)
	rideID  = regexp.MustCompile(`"rideId":"([^"]+)"`)
	canaryW = regexp.MustCompile(`canary\d{4}q`)
)

// serve does the errands of a town; ok is false if text is not an errand.
func (w *World) serve(text, result string, behind int) (a openaitest.Answer, ok bool) {
	about := canaryW.FindString(text)
	if m := errands.FindStringSubmatch(text); m != nil && behind == 0 {
		return w.errandOf(m, about), true
	}
	m := looks.FindStringSubmatch(text)
	switch {
	case m == nil || behind > 4:
		return a, false
	case behind > 0:
		return w.found(m, result), true
	case m[1] == "order":
		return call("getMyOrders", `{"kind":null}`), true
	case m[1] == "taxi":
		return call("getTaxiStatus", `{"rideId":null}`), true
	}
	return call("getMyBookings", `{}`), true
}

func (w *World) errandOf(m []string, about string) openaitest.Answer {
	switch {
	case m[2] == "ayran":
		return callf("orderFood", `{"listingId":"kebab","items":[{"itemId":"ayran","quantity":%s,"options":[],"note":null}],"delivery":false,"address":null,"when":null,"phone":null,"note":%q}`, m[1], about)
	case m[2] != "":
		return callf("orderFood", `{"listingId":"kebab","items":[{"itemId":"wrap","quantity":%s,"options":[%q],"note":null}],"delivery":true,"address":"Harbour Road 5","when":null,"phone":"+15550337","note":%q}`, m[1], m[2], about)
	case m[4] != "":
		return callf("requestTaxi", `{"pickup":"Harbour Road 5","usePickupLocation":false,"dropoff":null,"passengers":null,"when":null,"district":%s,"note":%q,"phone":%q}`,
			oneOf(w, []string{"null", `"Kyrenia"`}), about, m[4])
	case m[5] != "":
		return callf("sendWhatsAppMessage", `{"listingId":%q,"text":%q}`, m[5], "Dogs come. "+about)
	case m[6] != "":
		return callf("setSoldOut", `{"listingId":%q,"itemId":"ayran","soldOut":%v}`, m[6], w.chance(0.3))
	case m[9] != "":
		return callf("setStock", `{"listingId":%q,"itemId":"wrap","left":%s}`, m[9], m[8])
	case m[7] != "":
		return callf("answerOrder", `{"code":%q,"answer":"accept","minutes":15,"reason":null}`, m[7])
	case strings.HasPrefix(m[3], "have"):
		return callf("bookService", `{"listingId":"plumber","serviceId":"leak","description":%q,"address":"Harbour Road 5","when":null,"phone":null}`, about)
	case strings.HasPrefix(m[3], "see"):
		return callf("scheduleViewing", `{"listingId":"villa","when":null,"phone":"+15550337","note":%q}`, about)
	}
	return callf("askForPerson", `{"reason":%q}`, about)
}

// found goes on with what was looked up, if there is anything.
func (w *World) found(m []string, result string) openaitest.Answer {
	if ids := orderID.FindAllStringSubmatch(result, -1); m[1] == "order" && len(ids) > 0 {
		return callf("cancelOrder", `{"orderId":%q}`, oneOf(w, ids)[1])
	}
	if id := rideID.FindStringSubmatch(result); m[1] == "taxi" && id != nil {
		return callf("cancelTaxi", `{"rideId":%q}`, id[1])
	}
	switch id := confirmedIn(result); {
	case id == "" || m[1] != "":
		return openaitest.Answer{Text: "There is none."}
	case m[2] != "":
		return callf("rescheduleBooking", `{"transactionId":%q,"date":"2026-11-24","time":%q,"endDate":null,"partySize":null}`, id, m[2])
	default:
		return callf("setReminder", `{"transactionId":%q,"hoursBefore":%d}`, id, 1+w.pick(5))
	}
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
