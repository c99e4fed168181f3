package admin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"merve/internal/edge/api/apitest"
)

// The desk sees a request with what happened to it and its audit, and those of its market only.
func TestRequestFile(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, target := s.NewMarket(t)
	_, other := s.NewMarket(t)
	var made struct {
		Request string `json:"request_id"`
	}
	s.Call(t, "POST", target+"/requests", `{"category":"generator rental","requirements":{"need":"a generator of 60 kVA","place":"Kyrenia","when":"Saturday"}}`, apitest.Staff()...).Wants(t, http.StatusCreated, &made)
	call := func(state string) apitest.Answer {
		body := `{"meta":{"request_id":"{id}","idempotency_key":"request:{id}:hash:` + state + `","actor":"admin","timestamp":"` + apitest.Now().UTC().Format(time.RFC3339) + `"},"request_id":"{id}","new_state":"` + state + `"}`
		return s.Call(t, "POST", "/marketplace/tools/marketplace.update_request_state", strings.ReplaceAll(body, "{id}", made.Request), apitest.Staff()...)
	}
	picture := `{"meta":{"request_id":"{id}","idempotency_key":"request:{id}:hash:p","actor":"admin","timestamp":"` + apitest.Now().UTC().Format(time.RFC3339) + `"},` +
		`"request_id":"{id}","message_id":"SM1","media_url":"https://example.com/list.png","media_type":"image/png"}`
	s.Call(t, "POST", "/marketplace/tools/marketplace.create_ocr_job", strings.ReplaceAll(picture, "{id}", made.Request), apitest.Staff()...).Wants(t, http.StatusOK, nil)
	call("fulfilled").Wants(t, http.StatusOK, nil) // refused, and told
	call("cancelled").Wants(t, http.StatusOK, nil)

	var file struct {
		Request struct{ State string }
		Client  bool
		Next    []string
		Events  []struct {
			Type, By string
			At       time.Time
		}
		Pictures []struct{ Read struct{ Status string } }
		Audit    []struct{ Error string }
		Verified bool
	}
	s.Call(t, "GET", target+"/requests/"+made.Request, nil, apitest.Staff()...).Wants(t, http.StatusOK, &file)
	if file.Request.State != "cancelled" || file.Client || len(file.Next) != 0 || !file.Verified {
		t.Errorf("%s: %+v", id, file)
	}
	if n := len(file.Events); n < 2 || file.Events[0].Type != "created" || file.Events[n-1].Type != "cancelled" || file.Events[n-1].By != "admin" {
		t.Errorf("what happened: %+v", file.Events)
	}
	if len(file.Pictures) != 1 || file.Pictures[0].Read.Status == "" {
		t.Errorf("pictures: %+v", file.Pictures)
	}
	if n := len(file.Audit); n != 4 || file.Audit[2].Error == "" {
		t.Errorf("audit: %+v", file.Audit)
	}
	s.Call(t, "GET", other+"/requests/"+made.Request, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "GET", target+"/requests/rq_nobody", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "GET", target+"/requests/"+made.Request, nil).Refuses(t, http.StatusUnauthorized, "")
}
