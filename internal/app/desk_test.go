package app_test

import (
	"encoding/json"
	"net/url"
	"regexp"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"merve/infra/local/demo"
	"merve/internal/app"
	"merve/internal/cloud/trigger"
	"merve/internal/people/desk"
	"merve/internal/spine/thread"
)

// The link that the desk is sent leads to a page, and says which conversation it is to show.
func TestLinkForTheDesk(t *testing.T) {
	t.Parallel()
	s, ctx := newStory(t), t.Context()
	s.base.Config.SiteURL = "https://merve.example"
	toDesk := s.deskAt(t, "+15550100")
	e := desk.Event{Thread: "th_1", Market: demo.Market, Name: "Ann", Reason: "asks", Turn: 1}
	if err := s.base.Notifier().TellDesk(ctx, e); err != nil {
		t.Fatal(err)
	}
	ms, err := s.base.Outbox().List(ctx, toDesk, 10)
	if err != nil || len(ms) != 1 {
		t.Fatalf("%v, told %+v", err, ms)
	}
	link, err := url.Parse(regexp.MustCompile(`https://merve\.example\S+`).FindString(ms[0].Text))
	if err != nil || link.Query().Get("marketId") != demo.Market || link.Query().Get("thread") != "th_1" {
		t.Fatalf("%v, link %v in %q", err, link, ms[0].Text)
	}
	admin, err := app.Admin(s.base)
	if err != nil {
		t.Fatal(err)
	}
	if a := page(t, admin, link.Path); a.StatusCode != 200 {
		t.Errorf("%s: status %d", link.Path, a.StatusCode)
	}
}

// deskAt has the market's desk told of what is for it at a number, and returns the thread there.
func (s *story) deskAt(t *testing.T, number string) string {
	t.Helper()
	m, err := s.base.Markets().Read(t.Context(), demo.Market)
	if err != nil {
		t.Fatal(err)
	}
	m.Desk.Numbers = []string{number}
	if _, err := s.base.Markets().Save(t.Context(), *m, "test"); err != nil {
		t.Fatal(err)
	}
	return thread.ID(demo.Market, "ops", "", "person:whatsapp:"+number)
}

// page gets a page as the gateway asks for it.
func page(t *testing.T, h trigger.Handler, path string) (a events.APIGatewayV2HTTPResponse) {
	t.Helper()
	var r events.APIGatewayV2HTTPRequest
	r.Version, r.RawPath, r.RequestContext.HTTP.Method, r.RequestContext.HTTP.Path = "2.0", path, "GET", path
	event, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	out, err := h.Invoke(t.Context(), event)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &a); err != nil {
		t.Fatal(err)
	}
	return a
}
