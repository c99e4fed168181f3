package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"merve/internal/edge/web"
)

// traced is a conversation with the plan engine, as far as it has come.
type traced struct {
	mu     sync.Mutex
	events []map[string]any
	asked  []string // prompts, with the session that asks
}

func (c *traced) add(correlation, typ, payload string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = append(c.events, map[string]any{
		"id": fmt.Sprintf("%s#%d", correlation, len(c.events)), "eventType": typ, "correlationId": correlation,
		"timestamp": 1_795_000_000_000 + 40*len(c.events), "payload": json.RawMessage(payload),
	})
}

func (c *traced) trace(w http.ResponseWriter, _ *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.events) == 0 {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"events": c.events})
}

func (c *traced) ask(w http.ResponseWriter, r *http.Request) {
	var req struct{ Prompt, ConversationID string }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || req.ConversationID != "errands" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.asked = append(c.asked, r.Header.Get("x-session-id")+": "+req.Prompt)
	c.mu.Unlock()
	c.add("two", "UserQueryReceived", `{"query":"מה מזג האוויר?"}`)
	c.add("two", "FinalAnswerSynthesized", `{"finalAnswer":"19 °C"}`)
	_ = json.NewEncoder(w).Encode(map[string]any{"id": "msg_1_a", "message": "19 °C"})
}

// TestTracePage follows a plan on its page while it runs, and asks a question there.
func TestTracePage(t *testing.T) {
	t.Parallel()
	browser := browse(t)
	c := &traced{}
	mux := http.NewServeMux()
	mux.Handle("/trace/", web.Trace())
	mux.HandleFunc("GET /api/chat/errands/trace", c.trace)
	mux.HandleFunc("POST /api/chat", c.ask)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	p := newTab(t, browser, server.URL+"/trace/errands#session=of-ann", `document.querySelector('#state').textContent !== 'Loading …'`, size{800, 900})
	p.prefer("light")
	p.visit()
	p.waitText("#state", "Nothing has been asked here yet.")
	p.inspectApart("an empty conversation")

	const hostile = `<img src=x onerror=alert(1)>`
	c.add("one", "UserQueryReceived", `{"query":"What is 15 % of 340, and what is to be worn?"}`)
	c.add("one", "PlanGenerated", `{"originalQuery":"q","plan":{"planId":"plan_one","totalSteps":4,"steps":[
		{"stepIndex":0,"tool":"math","input":"15 % of 340","dependsOn":[]},{"stepIndex":1,"tool":"weather","input":"`+hostile+`","dependsOn":[]},
		{"stepIndex":2,"tool":"general_chat","input":"what to wear","dependsOn":[1]},{"stepIndex":3,"tool":"rag","input":"coat","dependsOn":[]}]}}`)
	for _, i := range []int{0, 1, 3} {
		c.add("one", "ToolInvocationRequested", fmt.Sprintf(`{"stepIndex":%d}`, i))
	}
	c.add("one", "ToolInvocationResulted", `{"stepIndex":0,"success":true,"durationMs":3,"result":"51"}`)
	p.waitText("#state", "Working …")
	p.wait(`document.querySelectorAll('.graph g').length === 6`) // question, four steps, answer
	states := func(want string) {
		t.Helper()
		p.wait(fmt.Sprintf(`[...document.querySelectorAll('.graph g text.state')].map((e) => e.textContent.trim()).join(' | ') === %s`, quote(want)))
	}
	states("● received | ● completed 3 ms | ◐ dispatched | ○ pending | ◐ dispatched | ○ pending")
	p.inspectApart("a plan that runs")

	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.plan > details > summary').click()`))
	c.add("one", "ToolInvocationResulted", `{"stepIndex":1,"success":false,"durationMs":3000,"result":"`+hostile+`"}`)
	c.add("one", "ToolInvocationResulted", `{"stepIndex":3,"success":true,"durationMs":40,"result":{"chunks":[]}}`)
	c.add("one", "FinalAnswerSynthesized", `{"finalAnswer":"It is 51. `+hostile+`"}`)
	p.waitText("#state", "All questions are answered.")
	states("● received | ● completed 3 ms | ✕ failed 3.0 s | ⊘ skipped | ● completed 40 ms | ● answered")
	p.wait(`document.querySelector('.answer').textContent.startsWith('It is 51. <img') && document.querySelectorAll('img').length === 0`)
	p.wait(`document.querySelector('.plan > details').open && document.querySelectorAll('.log li').length === 9`) // it stays as it was
	p.wait(`document.querySelector('.graph svg').getAttribute('aria-label').includes('step 2, general_chat, skipped')`)
	p.prefer("dark")
	p.inspectApart("a plan that is answered")

	p.do(chromedp.Focus(chromedp.ID("prompt")))
	p.write("מה מזג האוויר?")
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('#ask').requestSubmit()`))
	p.wait(`document.querySelectorAll('.plan').length === 2 && document.querySelector('#prompt').value === ''`)
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := strings.Join(c.asked, "; "); got != "of-ann: מה מזג האוויר?" {
		t.Errorf("asked %q", got)
	}
}
