package admin

import (
	"context"
	"encoding/json"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/record/customer"
)

// customers are the people whom a market makes calls about.
type customers struct {
	tenants
	Customers *customer.Store
}

func (h customers) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/customers":               h.list,
		"GET /admin/api/markets/{market}/customers/{customer}":    h.one,
		"PUT /admin/api/markets/{market}/customers/{customer}":    h.save,
		"DELETE /admin/api/markets/{market}/customers/{customer}": h.remove,
		"POST /admin/api/markets/{market}/customers/import":       h.importAll,
	}
}

func (h customers) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "customers", h.Customers.Page)
}

func (h customers) one(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	c, err := h.Customers.Get(r.Context(), r.PathValue("market"), r.PathValue("customer"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, c)
}

func (h customers) save(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(c *customer.Customer, market, id string) { c.Market, c.ID = market, id }
	return saveItem(h.tenants, w, r, "customer", under, h.Customers.Put)
}

func (h customers) remove(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "customer", found(h.Customers.Get), h.Customers.Delete)
}

func (h customers) importAll(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return importLines(h.tenants, w, r, readCustomer, func(ctx context.Context, _ string, all []customer.Customer) error {
		return h.Customers.Import(ctx, all)
	})
}

func readCustomer(line []byte) (lined[customer.Customer], error) {
	var c struct {
		customer.Customer
		Market string `json:"marketId"`
	}
	if err := json.Unmarshal(line, &c); err != nil {
		return lined[customer.Customer]{}, fault.WrongForm(err)
	}
	return lined[customer.Customer]{c.ID, c.Market, func(market string) (customer.Customer, error) {
		c.Customer.Market = market
		return c.Customer, c.Check()
	}}, nil
}
