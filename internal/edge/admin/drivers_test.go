package admin_test

import (
	"net/http"
	"testing"

	"merve/internal/edge/api/apitest"
	"merve/internal/matter/taxi"
)

func TestDrivers(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	one := map[string]any{"name": "Dina", "phone": "+15550142", "districts": []string{"Kyrenia"}, "seats": 4, "enabled": true}
	var d taxi.Driver
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Wants(t, http.StatusOK, &d)
	one["seats"], one["version"] = 6, d.Version
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Wants(t, http.StatusOK, &d)
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	delete(one, "version")
	s.Call(t, "PUT", target+"/drivers/other", one, apitest.Staff()...).Refuses(t, http.StatusConflict, "phone")
	one["phone"] = "0533"
	s.Call(t, "PUT", target+"/drivers/dina", one, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "phone")
	var all struct{ Drivers []taxi.Driver }
	s.Call(t, "GET", target+"/drivers", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Drivers) != 1 || all.Drivers[0].Seats != 6 {
		t.Errorf("drivers %+v", all)
	}
	s.Call(t, "DELETE", target+"/drivers/dina", nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "DELETE", target+"/drivers/dina", nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}
