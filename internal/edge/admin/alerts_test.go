package admin_test

import (
	"net/http"
	"net/url"
	"testing"

	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
)

func TestAlerts(t *testing.T) {
	t.Parallel()
	s, subject := start(t), dynamotest.ID("tx")
	if err := s.Base.Alerts().Raise(t.Context(), alert.Alert{Check: "test", Severity: alert.Error, Subject: subject, Message: "to be looked at"}); err != nil {
		t.Fatal(err)
	}
	mine := func() *alert.Alert {
		for after := ""; ; {
			var l struct {
				Alerts []alert.Alert
				Next   string
			}
			s.Reads(t, "alerts?limit=2&after="+url.QueryEscape(after), &l)
			for _, a := range l.Alerts {
				if a.Subject == subject {
					return &a
				}
			}
			if after = l.Next; after == "" {
				t.Fatal("the alert is not listed")
			}
		}
	}
	target := "/admin/api/alerts/" + url.PathEscape(mine().ID) + "/acknowledge"
	s.Call(t, "POST", target, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	if by := mine().Acknowledged; by != "staff:local" {
		t.Errorf("acknowledged by %q", by)
	}
	s.Call(t, "POST", target, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "POST", "/admin/api/alerts/no-such/acknowledge", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}
