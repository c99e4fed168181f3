package apitest

import (
	"strings"
	"testing"
	"time"

	"merve/infra/local/demo"
	"merve/internal/base/actor"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/matter/report"
)

// Reported makes a completed report of somebody, without photos.
func (s *Service) Reported(t *testing.T, who actor.Actor, threadID, address string) report.Report {
	t.Helper()
	r := s.Begun(t, who, threadID, demo.Market, address)
	r, err := s.Base.Reports().SetPhotos(t.Context(), report.By{Actor: who, Key: "photos"}, r.ID, nil, true)
	if err != nil || r.Status != report.Completed {
		t.Fatalf("%v: %+v", err, r)
	}
	return r
}

// Begun makes a pending report.
func (s *Service) Begun(t *testing.T, who actor.Actor, threadID, market, address string) report.Report {
	t.Helper()
	lat, lng := 35.3364, 33.3182
	r, err := s.Base.Reports().Start(t.Context(), report.By{Actor: who, Key: NewID()},
		report.Draft{Market: market, Thread: threadID, Spot: geo.Spot{Address: address, Lat: &lat, Lng: &lng}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Shared makes a link to a report and returns its id and its address on the service.
func (s *Service) Shared(t *testing.T, who actor.Actor, id string) (linkID, target string) {
	t.Helper()
	l, err := s.Base.Reports().Share(t.Context(), report.By{Actor: who, Key: NewID()}, id, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	target, ok := strings.CutPrefix(l.URL, s.URL)
	if !ok {
		t.Fatalf("the link leads to %s", l.URL)
	}
	return l.ID, target
}

// Report is a report as staff see it.
type Report struct {
	ID, Status, Address, ThreadID string
	PhotoCount                    int
	Owner                         struct{ ID, Name, Channel string }
	Photos                        []struct{ URL, Caption string }
	Sections                      []struct{ Name, Text string }
	Events                        []struct{ Type, By string }
	Links                         []struct {
		ID      string
		Opened  int
		Revoked bool
	}
}

// Happened reports whether an event is on the report, by owner, staff or, as "", somebody with a link.
func (d Report) Happened(event, by string) bool {
	for _, e := range d.Events {
		if e.Type == event && e.By == by {
			return true
		}
	}
	return false
}

// Report reads a report as staff.
func (s *Service) Report(t *testing.T, id string) (d Report) {
	t.Helper()
	s.Reads(t, "reports/"+id, &d)
	return d
}

// Somebody makes up a session.
func Somebody() actor.Actor { return actor.Actor{Kind: actor.Session, ID: dynamotest.ID("s")} }
