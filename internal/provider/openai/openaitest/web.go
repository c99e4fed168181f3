package openaitest

import (
	"io"
	"net/http"
	"testing"

	"merve/internal/provider/providertest"
)

// Page is a page that a search finds.
type Page struct{ Title, URL, Says string }

// Web is a stand-in for the Responses API with its web_search tool. It fails the test when a request breaks the
// schema, or says what is private.
// https://platform.openai.com/docs/api-reference/responses/create
type Web struct {
	*providertest.Host
	providertest.Requests
	t      testing.TB
	Pages  []Page
	Faults providertest.Faults[int] // statuses; -1 is a refusal of the model
	Hold   <-chan struct{}
}

// NewWeb starts one that ends with the test. Its base URL ends in /v1.
func NewWeb(t testing.TB, pages ...Page) *Web {
	w := &Web{t: t, Pages: pages}
	w.Host = providertest.Strict(t, map[string]http.HandlerFunc{"POST /v1/responses": w.respond})
	return w
}

func (w *Web) respond(rw http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = checkBody(raw, (*checker).search)
	}
	if err != nil || r.Header.Get("Authorization") != "Bearer "+Key || r.Header.Get("Content-Type") != "application/json" {
		w.t.Errorf("web search: %v, headers %v", err, r.Header)
	}
	w.Take(w.t, "web search", raw)
	w.Host.Hold(r, w.Hold)
	status := w.Faults.Next()
	switch {
	case status > 0:
		providertest.JSON(rw, "application/json", status, map[string]any{"error": map[string]any{"message": "secret " + Key, "type": "server_error", "code": nil}})
	case status < 0:
		w.answer(rw, map[string]any{"type": "refusal", "refusal": "I will not."})
	default:
		w.answer(rw, w.cites())
	}
}

// cites is a text with a citation for each page.
func (w *Web) cites() map[string]any {
	text, notes := "", []map[string]any{}
	for _, p := range w.Pages {
		text += "- **" + p.Says + "** "
		mark := "([" + p.Title + "](" + p.URL + "))"
		start := len([]rune(text))
		text += mark + "\n"
		notes = append(notes, map[string]any{"type": "url_citation", "start_index": start, "end_index": start + len([]rune(mark)), "title": p.Title, "url": p.URL})
	}
	return map[string]any{"type": "output_text", "text": text + "See also https://made-up.example/", "annotations": notes}
}

func (w *Web) answer(rw http.ResponseWriter, content map[string]any) {
	providertest.JSON(rw, "application/json", http.StatusOK, map[string]any{
		"id": "resp_1", "object": "response", "status": "completed", "output": []any{
			map[string]any{"type": "web_search_call", "id": "ws_1", "status": "completed", "action": map[string]any{"type": "search", "queries": []string{"x"}, "sources": []any{map[string]any{"type": "url", "url": "https://source.example/"}}}},
			map[string]any{"type": "message", "role": "assistant", "content": []any{content}},
		},
	})
}

// search checks a request for a search.
func (c *checker) search(v any) {
	m := c.object("body", v, []string{"model", "input", "tools"}, []string{"instructions", "tool_choice", "include", "max_tool_calls", "max_output_tokens", "store"})
	c.text("model", m["model"])
	if c.text("input", m["input"]) == "" {
		c.fault("input", "empty")
	}
	for _, tool := range c.array("tools", m["tools"], 1, 1) {
		t := c.object("tools[0]", tool, []string{"type"}, []string{"filters", "search_context_size", "user_location"})
		c.oneOf("tools[0].type", t["type"], "web_search")
		if t["user_location"] != nil {
			at := c.object("user_location", t["user_location"], []string{"type"}, []string{"city", "country", "region", "timezone"})
			c.oneOf("user_location.type", at["type"], "approximate")
		}
		if t["filters"] != nil {
			f := c.object("filters", t["filters"], nil, []string{"allowed_domains"})
			c.array("allowed_domains", f["allowed_domains"], 1, 100)
		}
	}
	c.oneOf("tool_choice", m["tool_choice"], "auto", "required")
	for _, name := range c.array("include", m["include"], 0, 10) {
		c.oneOf("include", name, "web_search_call.action.sources")
	}
	c.integer("max_tool_calls", m["max_tool_calls"], 1, 1)
	c.integer("max_output_tokens", m["max_output_tokens"], 16, 1<<20)
	if c.boolean("store", m["store"]) {
		c.fault("store", "what customers look for is not kept")
	}
}
