package admin_test

import (
	"net/http"
	"testing"
	"time"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/spine/turn"
)

func TestDays(t *testing.T) {
	t.Parallel()
	s := start(t)
	id, offer := s.Offered(t, "hotel in Kyrenia", "1", "from 4 to 6 December for 2")
	if id == "" || offer.ThreadID == "" {
		t.Fatal("no offer")
	}
	dynamotest.Lapse(t, s.Base.Config.TableRecords, "spend#demo", apitest.Now().AddDate(1, 0, 0))
	var answer struct{ Days []turn.Day }
	s.Reads(t, "markets/demo/days?days=7", &answer)
	today := answer.Days[len(answer.Days)-1]
	if len(answer.Days) != 7 || today.Day != apitest.Now().UTC().Format(time.DateOnly) || today.Turns < 1 || today.Inbound < 1 || today.Outbound < 1 {
		t.Errorf("days %+v", answer.Days)
	}
	for _, days := range []string{"0", "366", "x", "", "1&days=2"} {
		s.Call(t, "GET", "/admin/api/markets/demo/days?days="+days, nil, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "days")
	}
}
