package admin_test

import (
	"net/http"
	"net/url"
	"testing"

	"merve/internal/base/pause/pausetest"
	"merve/internal/edge/api/apitest"
	"merve/internal/spine/outbox"
)

func TestSendAgain(t *testing.T) {
	t.Parallel()
	s, from := start(t), apitest.Phone()
	s.Writes(t, from, "hello")
	first := s.Hears(t, from, 1)[0]
	var m outbox.Message
	pausetest.Until(t, "the provider's id on the outbox", func() bool {
		var l struct{ Messages []outbox.Message }
		s.Reads(t, "outbox?threadId="+apitest.ThreadOf(from), &l)
		m = l.Messages[0]
		return m.ProviderID == first.SID
	})
	target := "/admin/api/outbox/" + m.Thread + "/" + url.PathEscape(m.ID) + "/send"
	s.Call(t, "POST", target, nil, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	if err := s.Twilio.DeliverError(t.Context(), first.SID, "undelivered", 63024); err != nil {
		t.Fatal(err)
	}
	s.Reads(t, "outbox", nil)
	s.Call(t, "POST", target, nil, apitest.Staff()...).Wants(t, http.StatusAccepted, nil)
	s.Call(t, "POST", "/admin/api/outbox/no-such/no-such/send", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}
