package api_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"merve/internal/app"
	"merve/internal/cloud/alert"
	"merve/internal/edge/api/apitest"
)

// When the model's provider does not take our key any more, or its money is used up, one critical alert says so,
// and so does the health check: each customer is only asked to try again.
func TestField50_ARefusedKeyIsAlerted(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		status int
		body   string
	}{
		"key":   {http.StatusUnauthorized, `{"error":{"type":"invalid_request_error","code":"invalid_api_key","message":"no"}}`},
		"money": {http.StatusTooManyRequests, `{"error":{"type":"insufficient_quota","code":"insufficient_quota","message":"no"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{apitest.Quiet(t, http.DefaultClient)}
			provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(answer.status)
				_, _ = w.Write([]byte(answer.body))
			}))
			t.Cleanup(provider.Close)
			front := s.With(t, func(b *app.Process) { b.Config.OpenAIBaseURL = provider.URL + "/v1" })
			var health struct {
				Status string
				Parts  map[string]string
			}
			look := func(status, model string) {
				t.Helper()
				s.CallTo(t, front, "GET", "/healthz", nil).Wants(t, http.StatusOK, &health)
				if health.Status != status || health.Parts["model"] != model {
					t.Errorf("health: %+v", health)
				}
			}
			look("ok", "on")
			for range 3 {
				s.CallTo(t, front, "POST", "/chat/message", map[string]any{"sessionId": apitest.SessionID(), "message": "sushi in Kyrenia"}).Wants(t, http.StatusOK, nil)
			}
			all, _, err := s.Base.Alerts().List(t.Context(), 10, "")
			if err != nil || len(all) != 1 || all[0].Check != "model" || all[0].Severity != alert.Critical {
				t.Errorf("alerts: %+v, %v", all, err)
			}
			look("degraded", "refused: the provider does not take OPENAI_API_KEY")
		})
	}
}
