// Package rulemodel is the model that stands in when no OpenAI key is set: rules, not
// a language model, behind the same HTTP API. It leads a first-time user in English, Turkish,
// Greek, Russian, Hebrew and Arabic through search and booking, through errands (orders of
// food, services, viewings, taxis, places) and what comes after a booking (another time,
// reminders, payment, a message to the business, a person). Of several wishes in one message it
// takes the first and names the next; what begins something else wins over a question that is
// open. Where the
// tools of a business are offered it serves the people who run it; where those for damage reports
// are, it leads through a report in all languages of the product, and where those of calls are, through
// an account's verification and its appointments. It says what it is when asked.
// A request for JSON of a schema gets an object of that schema.
//
// What it says and the words that it listens for stand in words/, one file a language. Where
// an errand, a business or the damage desk needs a tool, one filler goes through the parameters
// of the tool's schema: it takes what was said, and asks for what a call still lacks.
//
// It keeps nothing: everything it knows stands in the messages of the request, so that
// the same request always gets the same answer. It calls only tools that the request
// offers, with arguments that their schemas take. Results of tools are data to it: it
// reads the fields it knows and shows their text, and nothing written in them is obeyed.
package rulemodel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
	"unicode"

	"merve/internal/model/llm"
)

// Model is the name that the handler answers under.
const Model = llm.RuleModel

// maxBody bounds a request.
const maxBody = 4 << 20

// New returns a handler for /v1/chat/completions and /v1/models. The clock stamps
// answers, and tells the time where a conversation does not.
func New(now func() time.Time) http.Handler {
	s := server{now}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /v1/models/{id}", s.model)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "", fmt.Sprintf("unknown address: %s %s", r.Method, r.URL.Path))
	})
	return mux
}

type server struct{ now func() time.Time }

func (s server) complete(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		fail(w, http.StatusRequestEntityTooLarge, "", fmt.Sprintf("want a request of at most %d bytes", maxBody))
		return
	}
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		fail(w, http.StatusBadRequest, "", "want a chat completion request in JSON")
		return
	}
	if param, wrong := req.wrong(); wrong != "" {
		fail(w, http.StatusBadRequest, param, wrong)
		return
	}
	reply, ok := answer(req, s.now())
	if !ok {
		fail(w, http.StatusBadRequest, "response_format", "want a JSON schema that rules can fill in")
		return
	}
	out := completion{req: req, created: s.now().Unix(), reply: reply}
	sum := sha256.Sum256(body)
	out.id = hex.EncodeToString(sum[:12])
	out.limit()
	out.count(len(body))
	if req.Stream {
		out.stream(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(out.whole())
}

// answer decides what to say or call. Text is never empty when nothing is called. It
// reports false where the answer is to have a form that it cannot meet.
func answer(req request, now time.Time) (reply, bool) {
	if req.ResponseFormat.structured() {
		return structured(req, now)
	}
	if r, ok := ofPlans(req); ok {
		return r, true
	}
	if r, ok := besideTurns(req); ok {
		return r, true
	}
	return converse(read(req, now)), true
}

// converse answers in words, or with a call.
func converse(c conversation) reply {
	if c.atDesk() {
		return c.attend()
	}
	if c.atOffice() {
		return c.serve()
	}
	if c.onCall() {
		return c.pickUp()
	}
	if r, taken := c.handedOver(); taken {
		return r
	}
	if c.atMarket() {
		return c.deal()
	}
	c.oneByOne()
	if !c.introduced {
		if r, taken := c.errands(); taken {
			return c.andThen(r)
		}
	}
	return c.andThen(c.booker().decide())
}

func (s server) models(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": []any{s.description()}})
}

func (s server) model(w http.ResponseWriter, r *http.Request) {
	if id := r.PathValue("id"); id != Model {
		fail(w, http.StatusNotFound, "model", fmt.Sprintf("no model %q here", id))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(s.description())
}

func (s server) description() map[string]any {
	return map[string]any{"id": Model, "object": "model", "created": s.now().Unix(), "owned_by": "merve"}
}

// fail answers in the form of OpenAI's errors.
func fail(w http.ResponseWriter, status int, param, message string) {
	var p any
	if param != "" {
		p = param
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
		"message": message, "type": "invalid_request_error", "param": p, "code": nil}})
}

// reply is what the rules came to: something to say, or one tool to call.
type reply struct {
	text string
	tool string
	args json.RawMessage
}

// clean makes foreign text fit to stand in one of our lines.
func clean(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Bidi_Control) }), " ")
	if r := []rune(s); len(r) > most {
		s = strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return s
}
