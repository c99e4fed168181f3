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

func (a *API) customers(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "customers", a.Customers.Page)
}

func (a *API) customer(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	c, err := a.Customers.Get(r.Context(), r.PathValue("market"), r.PathValue("customer"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, c)
}

func (a *API) saveCustomer(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(c *customer.Customer, market, id string) { c.Market, c.ID = market, id }
	return saveItem(a, w, r, "customer", under, a.Customers.Put)
}

func (a *API) deleteCustomer(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "customer", found(a.Customers.Get), a.Customers.Delete)
}

func (a *API) importCustomers(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return importLines(a, w, r, readCustomer, func(ctx context.Context, _ string, all []customer.Customer) error {
		return a.Customers.Import(ctx, all)
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
