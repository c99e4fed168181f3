package runner_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"merve/infra/local/runner"
	"merve/internal/base/pause/pausetest"
)

// Questions that are asked, answered, and reset at any moment leave no message that comes again and again, and nothing in a
// dead-letter queue.
func TestResetsLeaveNothingDead(t *testing.T) {
	t.Parallel()
	r := start(t, nil)
	call := func(method, path string, body any, want ...int) string {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Error(err)
			return ""
		}
		req, err := http.NewRequestWithContext(t.Context(), method, r.URL+path, bytes.NewReader(raw))
		if err != nil {
			t.Error(err)
			return ""
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer resp.Body.Close()
		said, err := io.ReadAll(resp.Body)
		for _, status := range want {
			if resp.StatusCode == status {
				return string(said)
			}
		}
		t.Errorf("%s %s: %s %s, %v", method, path, resp.Status, said, err)
		return ""
	}
	prompts := []string{
		"What is 15 % of 340, and which laptop under $2000 do you have?", "What is 2 + 2, and how are you?",
		"Which monitor is the cheapest?",
	}
	moments := []string{"", "UserQueryReceived", "PlanGenerated", "ToolInvocationResulted", "SynthesizeFinalAnswerRequested", "FinalAnswerSynthesized"}
	var people sync.WaitGroup
	for n, prompt := range prompts {
		people.Go(func() {
			conversation := uuid.NewString()
			ask, forget := map[string]string{"conversationId": conversation, "prompt": prompt}, map[string]string{"conversationId": conversation}
			for round := range len(moments) {
				moment := moments[(round+n)%len(moments)]
				var asked sync.WaitGroup
				for range 1 + round%2 {
					asked.Go(func() { call("POST", "/api/chat", ask, http.StatusOK, http.StatusConflict) })
				}
				if moment == "" { // it is answered, and goes on
					asked.Wait()
					continue
				}
				pausetest.Until(t, moment, func() bool {
					return strings.Contains(call("GET", "/api/chat/"+conversation+"/trace", nil, http.StatusOK, http.StatusNotFound), moment)
				})
				call("DELETE", "/api/chat/reset", forget, http.StatusNoContent)
				asked.Wait()
			}
		})
	}
	people.Wait()
	var on struct{ Queues []runner.QueueState }
	pausetest.Until(t, "all queues are empty", func() bool {
		if err := look(t, r.URL+"/dev/queues", &on); err != nil {
			t.Fatal(err)
		}
		var left []string
		for _, q := range on.Queues {
			if q.Waiting > 0 {
				left = append(left, fmt.Sprint(q.Name, ": ", q.Waiting))
			}
		}
		return len(left) == 0
	})
	for _, q := range on.Queues {
		for _, dead := range q.Dead {
			t.Errorf("%s has given up %s", q.Name, dead.Body)
		}
	}
}
