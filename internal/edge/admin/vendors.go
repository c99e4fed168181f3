package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/matter/vendor"
)

// vendors are the businesses that a market asks for offers.
type vendors struct {
	tenants
	Vendors *vendor.Store
}

func (h vendors) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/vendors":             h.list,
		"PUT /admin/api/markets/{market}/vendors/{vendor}":    h.save,
		"DELETE /admin/api/markets/{market}/vendors/{vendor}": h.remove,
		"POST /admin/api/markets/{market}/vendors/import":     h.importAll,
	}
}

func (h vendors) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "vendors", h.Vendors.Page)
}

func (h vendors) save(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(v *vendor.Vendor, market, id string) { v.Market, v.ID = market, id }
	return saveItem(h.tenants, w, r, "vendor", under, h.Vendors.Put)
}

func (h vendors) remove(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "vendor", found(h.Vendors.Get), h.Vendors.Delete)
}

func (h vendors) importAll(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return importLines(h.tenants, w, r, readVendor, func(ctx context.Context, _ string, all []vendor.Vendor) error {
		return h.Vendors.Import(ctx, all)
	})
}

func readVendor(line []byte) (lined[vendor.Vendor], error) {
	var v vendor.Vendor
	if err := json.Unmarshal(line, &v); err != nil {
		return lined[vendor.Vendor]{}, fault.WrongForm(err)
	}
	return lined[vendor.Vendor]{v.ID, v.Market, func(market string) (vendor.Vendor, error) {
		v.Market = market
		return v, v.Check()
	}}, nil
}
