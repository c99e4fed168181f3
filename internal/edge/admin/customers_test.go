package admin_test

import (
	"net/http"
	"testing"

	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/edge/api/apitest"
	"merve/internal/matter/appointment"
	"merve/internal/record/customer"
)

func TestCustomers(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	id, other := dynamotest.ID("ann"), dynamotest.ID("bob") // an id is one customer's in all markets
	one := map[string]any{"name": "Ann Archer", "phones": []string{"+14155550100"}, "zip": "94107", "address": "12 Oak Street"}
	var c customer.Customer
	s.Call(t, "PUT", target+"/customers/"+id, one, apitest.Staff()...).Wants(t, http.StatusOK, &c)
	one["zip"], one["version"] = "94110", c.Version
	s.Call(t, "PUT", target+"/customers/"+id, one, apitest.Staff()...).Wants(t, http.StatusOK, &c)
	s.Call(t, "PUT", target+"/customers/"+id, one, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	delete(one, "version")
	for field, wrong := range map[string]any{"zip": "9411", "phones": []string{"12"}, "name": " ", "address": "", "language": "xx"} {
		bad := map[string]any{"name": "A", "phones": []string{"+14155550100"}, "zip": "94107", "address": "a", field: wrong}
		s.Call(t, "PUT", target+"/customers/"+id, bad, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}
	s.Call(t, "GET", target+"/customers/"+id, nil, apitest.Staff()...).Wants(t, http.StatusOK, &c)
	if c.ID != id || c.ZIP != "94110" || c.Version != 2 {
		t.Errorf("stored %+v", c)
	}
	_, elsewhere := s.NewMarket(t)
	s.Call(t, "GET", elsewhere+"/customers/"+id, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "DELETE", elsewhere+"/customers/"+id, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "PUT", elsewhere+"/customers/"+id, one, apitest.Staff()...).Refuses(t, http.StatusConflict, "")

	row := `{"id":"` + other + `","name":"Bob","phones":["+14155550101"],"zip":"94107","address":"7 Elm Street"}`
	lines := append(apitest.Staff(), "Content-Type", "application/x-ndjson")
	s.Call(t, "POST", target+"/customers/import", row+"\n"+`{"id":"x","name":"X"}`, lines...).Refuses(t, http.StatusBadRequest, "")
	s.Call(t, "POST", target+"/customers/import", row+"\n", lines...).Wants(t, http.StatusOK, nil)
	var all struct{ Customers []customer.Customer }
	s.Call(t, "GET", target+"/customers", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Customers) != 2 || all.Customers[0].ID != id || all.Customers[1].Name != "Bob" {
		t.Errorf("customers %+v", all)
	}
	s.Call(t, "DELETE", target+"/customers/"+id, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
	s.Call(t, "DELETE", target+"/customers/"+id, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
}

func TestVisits(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	service := map[string]any{"name": "Ant treatment", "minutes": 60, "priceMinor": 12000, "currency": "USD"}
	technician := map[string]any{
		"business": "pest", "name": "Maria Lopez", "areas": []string{"941"}, "services": []string{"ants"}, "timeZone": "America/Los_Angeles", "slotMinutes": 60,
		"hours": map[string]any{"mon": []map[string]string{{"from": "08:00", "to": "12:00"}}},
	}
	s.Call(t, "PUT", target+"/technicians/maria", technician, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "services")
	var kept appointment.Service
	s.Call(t, "PUT", target+"/services/ants", service, apitest.Staff()...).Wants(t, http.StatusOK, &kept)
	service["minutes"], service["version"] = 90, kept.Version
	s.Call(t, "PUT", target+"/services/ants", service, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	s.Call(t, "PUT", target+"/services/ants", service, apitest.Staff()...).Refuses(t, http.StatusConflict, "")
	s.Call(t, "PUT", target+"/services/bees", service, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	s.Call(t, "PUT", target+"/technicians/maria", technician, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	technician["timeZone"] = "Mars"
	s.Call(t, "PUT", target+"/technicians/maria", technician, apitest.Staff()...).Refuses(t, http.StatusBadRequest, "timeZone")
	var all appointment.Company
	s.Call(t, "GET", target+"/visits", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if len(all.Services) != 1 || all.Services[0].Minutes != 90 || len(all.Technicians) != 1 || all.Technicians[0].Version != 1 {
		t.Errorf("visits %+v", all)
	}
	for _, what := range []string{"/technicians/maria", "/services/ants"} {
		s.Call(t, "DELETE", target+what, nil, apitest.Staff()...).Wants(t, http.StatusNoContent, nil)
		s.Call(t, "DELETE", target+what, nil, apitest.Staff()...).Refuses(t, http.StatusNotFound, "")
	}
	s.Call(t, "GET", target+"/visits", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	if all.Services == nil || len(all.Services)+len(all.Technicians) != 0 {
		t.Errorf("left %+v", all)
	}
}
