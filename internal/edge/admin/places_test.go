package admin_test

import (
	"net/http"
	"testing"

	"merve/internal/edge/api/apitest"
	"merve/internal/record/listing"
	"merve/internal/record/place"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	one := map[string]any{"names": map[string]string{"en": "Alagadi"}, "category": "beach", "location": map[string]float64{"lat": 35.33, "lng": 33.49}}
	var p place.Place
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Wants(t, http.StatusOK, &p)
	one["version"] = p.Version
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Wants(t, http.StatusOK, &p)
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	if p.Version != 2 {
		t.Errorf("version %d", p.Version)
	}
	delete(one, "location")
	s.Call(t, "PUT", target+"/places/alagadi", one, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "location")
	s.Call(t, "POST", target+"/places/import", "id\na\n", append(apitest.Staff(), "Content-Type", "text/csv")...).Refuses(t, http.StatusUnsupportedMediaType, "")
	send := func(body string) answer {
		return s.Call(t, "POST", target+"/places/import", body, append(apitest.Staff(), "Content-Type", "application/x-ndjson")...)
	}
	const line = `{"id":"castle","category":"sight","names":{"en":"Castle"},"location":{"lat":35.34,"lng":33.32}}`
	var wrong struct{ Errors []listing.RowError }
	send(line+"\n\n"+line+"\n{}\n").Wants(t, http.StatusBadRequest, &wrong)
	if len(wrong.Errors) != 2 || wrong.Errors[0].Row != 3 || wrong.Errors[1].Row != 4 {
		t.Errorf("answered %+v", wrong)
	}
	for where, field := range map[string]string{``: "location", `,"location":null`: "location", `,"location":{"lng":33.3}`: "location.lat", `,"location":{"lat":35.3,"lon":33.3}`: "location.lng"} {
		row := `{"id":"castle","category":"sight","names":{"en":"Castle"}` + where + `}`
		if send(row).Wants(t, http.StatusBadRequest, &wrong); len(wrong.Errors) != 1 || wrong.Errors[0].Field != field {
			t.Errorf("%s: answered %+v", row, wrong)
		}
	}
	send(line).Wants(t, http.StatusOK, nil)
	var all struct{ Places []place.Place }
	s.Call(t, "GET", target+"/places", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Places) != 2 {
		t.Errorf("places %+v", all)
	}
	s.Call(t, "DELETE", target+"/places/castle", nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "DELETE", target+"/places/castle", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}
