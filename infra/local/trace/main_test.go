package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const conversation = "5b6f3c1e-0d0e-4a51-9d5a-1f3f0a5f7c11"

// told is an event, such as `3 1200 ToolInvocationResulted {...}`: its id, its time and what it says.
func told(id int, ms int64, kind, payload string) string {
	return fmt.Sprintf(`{"id":"%d","eventType":"%s","correlationId":"%s","timestamp":%d,"payload":%s}`, id, kind, conversation, 1_795_000_000_000+ms, payload)
}

var (
	question  = told(1, 0, "UserQueryReceived", `{"userId":"anonymous","query":"What is 15 % of 340,\n and the weather?","conversationId":"c"}`)
	planned   = told(2, 820, "PlanGenerated", `{"conversationId":"c","originalQuery":"q","plan":{"planId":"p","steps":[{"stepIndex":0,"tool":"math","input":"15 % of 340","dependsOn":[]},{"stepIndex":1,"tool":"weather","input":"Kyrenia","dependsOn":[0]}],"totalSteps":2}}`)
	makeshift = strings.TrimSuffix(told(2, 820, "PlanGenerated", `{"plan":{"steps":[{"stepIndex":0,"tool":"general_chat","input":"hello"}]}}`), "}") + `,"note":"the plan had no steps"}`
	requested = told(3, 821, "ToolInvocationRequested", `{"planId":"p","stepIndex":0,"toolName":"math","toolInput":{"input":"15 % of 340","earlier":[]},"conversationId":"c"}`)
	resulted  = told(4, 830, "ToolInvocationResulted", `{"planId":"p","stepIndex":0,"toolName":"math","result":{"value":"51"},"success":true,"durationMs":3}`)
	gaveUp    = told(5, 1340, "ToolInvocationResulted", `{"planId":"p","stepIndex":1,"toolName":"weather","result":"\u001b[2J\u202ethe place search does not answer","success":false,"durationMs":510}`)
	completed = told(6, 1350, "PlanCompleted", `{"planId":"p","conversationId":"c","originalQuery":"q","results":[{"status":"completed"},{"status":"failed"},{"status":"completed"}],"totalDurationMs":530}`)
	wanted    = told(7, 1350, "SynthesizeFinalAnswerRequested", `{"planId":"p","conversationId":"c","originalQuery":"q","toolResults":[{"status":"completed"}]}`)
	final     = told(8, 2500, "FinalAnswerSynthesized", `{"conversationId":"c","finalAnswer":"It is 51.\nThe weather I could not find out."}`)
	late      = told(9, 2600, "SomethingNew", `{"a":1}`)
)

// merve is a server that tells one more of its pages of events at each look, and answers the question with the last.
type merve struct {
	pages  []string // 0 events is 404
	status int      // of the answer to the question
	body   string

	mu    sync.Mutex
	asked string
	looks int
	all   chan struct{} // closed when all pages were told
}

func serve(t *testing.T, m *merve) string {
	t.Helper()
	m.all = make(chan struct{})
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]string
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body["conversationId"] != conversation {
			t.Errorf("%v: asked with %v", err, body)
		}
		m.mu.Lock()
		m.asked = body["prompt"]
		m.mu.Unlock()
		if m.status == http.StatusOK {
			select {
			case <-m.all:
			case <-r.Context().Done():
			}
		}
		w.WriteHeader(m.status)
		fmt.Fprint(w, m.body)
	})
	mux.HandleFunc("GET /api/chat/"+conversation+"/trace", func(w http.ResponseWriter, _ *http.Request) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.asked == "" { // nothing happens before the question is there
			w.WriteHeader(http.StatusNotFound)
			return
		}
		n := min(m.looks, len(m.pages)-1)
		if m.looks++; m.looks == len(m.pages) {
			close(m.all)
		}
		if len(m.pages) == 0 || m.pages[n] == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		fmt.Fprintf(w, `{"events":[%s]}`, m.pages[n])
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func join(events ...string) string { return strings.Join(events, ",") }

// follow follows a question to its end, and returns what was printed and how long was waited for what comes late.
func follow(t *testing.T, base string, colour bool) (printed []string, lingered time.Duration, err error) {
	t.Helper()
	var out bytes.Buffer
	f := &follower{base: base, client: http.DefaultClient, conversation: conversation, out: &out, colour: colour}
	f.wait = func(ctx context.Context, d time.Duration) error {
		if d != poll {
			lingered += d
		}
		return ctx.Err()
	}
	err = f.run(t.Context(), "What is 15 % of 340, and the weather?")
	printed = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(printed) == 0 || printed[0] != base+"/trace/"+conversation {
		t.Errorf("the page is not named: %q", printed)
	}
	return printed[1:], lingered, err
}

// Each event is told once, when it happens, and what comes within two seconds of the answer too.
func TestFollows(t *testing.T) {
	t.Parallel()
	all := join(question, planned, requested, resulted, gaveUp, completed, wanted, final)
	m := &merve{status: http.StatusOK, body: `{"id":"msg_1_abc","message":"It is 51."}`, pages: []string{
		"", join(question), join(question, planned, requested), join(question, planned, requested, resulted, gaveUp, completed, wanted), all, join(all, late),
	}}
	got, lingered, err := follow(t, serve(t, m), false)
	if err != nil || lingered != 2*time.Second || m.asked != "What is 15 % of 340, and the weather?" {
		t.Errorf("%v, waited %v after the answer, asked %q", err, lingered, m.asked)
	}
	want := []string{
		`   0.000s 💬 UserQueryReceived              "What is 15 % of 340, and the weather?"`,
		`   0.820s 🧭 PlanGenerated                  2 steps: 0 math "15 % of 340" · 1 weather "Kyrenia" (after 0)`,
		`   0.821s 🔧 ToolInvocationRequested        0 math "15 % of 340"`,
		`   0.830s ✅ ToolInvocationResulted         0 math 3 ms {"value":"51"}`,
		`   1.340s ❌ ToolInvocationResulted         1 weather 510 ms "\u001b[2J\u202ethe place search does not answer"`,
		`   1.350s 🏁 PlanCompleted                  2 completed, 1 failed in 530 ms`,
		`   1.350s 📝 SynthesizeFinalAnswerRequested 1 completed`,
		`   2.500s 💡 FinalAnswerSynthesized         It is 51. The weather I could not find out.`,
		`   2.600s • SomethingNew                   {"a":1}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An answer that comes later than the gateway waits is followed all the same.
func TestFollowsLateAnswer(t *testing.T) {
	t.Parallel()
	m := &merve{status: http.StatusAccepted, body: `{"id":"msg_1_abc","message":""}`, pages: []string{"", join(question), join(question), join(question, makeshift, final)}}
	got, _, err := follow(t, serve(t, m), false)
	if err != nil || len(got) != 3 || !strings.HasSuffix(got[1], `1 step: 0 general_chat "hello" – the plan had no steps`) {
		t.Errorf("%v: %q", err, got)
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	m := &merve{status: http.StatusOK, body: `{}`, pages: []string{join(question, gaveUp, final)}}
	got, _, err := follow(t, serve(t, m), true)
	if err != nil || len(got) != 3 {
		t.Fatalf("%v: %q", err, got)
	}
	for i, colour := range []string{"36", "31", "1;32"} {
		if !strings.Contains(got[i], "\x1b["+colour+"m") || strings.Count(got[i], "\x1b[") != 2 || !strings.Contains(got[i], "\x1b[0m ") {
			t.Errorf("%q: want its name in %s", got[i], colour)
		}
	}
}

// What is refused, or answered without a plan, ends it in the server's words, which cannot act on the terminal.
func TestEndsInWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		m    *merve
		want string
	}{
		"refused":  {&merve{status: 429, body: `{"detail":"wait for\none \u001b[2Jof them"}`, pages: []string{join(question)}}, "429 Too Many Requests wait for one [2Jof them"},
		"no plan":  {&merve{status: 200, body: `{"id":"msg_1_abc","message":"No questions\ntoday."}`, pages: []string{""}}, "No questions today."},
		"nonsense": {&merve{status: 502, body: `<html>`, pages: []string{""}}, "502 Bad Gateway"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := follow(t, serve(t, tt.m), false); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, _, err := follow(t, "http://127.0.0.1:1", false); err == nil || !strings.Contains(err.Error(), "make run") {
		t.Errorf("nobody there: %v", err)
	}
	f := &follower{}
	if err := f.run(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "PROMPT") {
		t.Errorf("nothing asked: %v", err)
	}
}

// What a terminal would act on is never part of a line.
func TestOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\tb\r\n c": "a b c", "\x1b[31mred\x07": "[31mred", "\u202eevil\u2066": "evil", "\u0085x": "x", "مرحبا": "مرحبا", strings.Repeat("é", 200): strings.Repeat("é", 99) + "…",
	} {
		if got := oneLine(in, 100); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
