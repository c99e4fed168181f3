package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

func (a *API) vendors(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "vendors", a.Vendors.Page)
}

func (a *API) saveVendor(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	under := func(v *vendor.Vendor, market, id string) { v.Market, v.ID = market, id }
	return saveItem(a, w, r, "vendor", under, a.Vendors.Put)
}

func (a *API) deleteVendor(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return deleteItem(w, r, "vendor", found(a.Vendors.Get), a.Vendors.Delete)
}

func (a *API) importVendors(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return importLines(a, w, r, readVendor, func(ctx context.Context, _ string, all []vendor.Vendor) error { return a.Vendors.Import(ctx, all) })
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

// boardRequest is a request on the board.
type boardRequest struct {
	ID           string               `json:"request_id"`
	Code         string               `json:"code"`
	Conversation string               `json:"conversation_id"`
	State        request.State        `json:"state"`
	Category     string               `json:"category"`
	Requirements request.Requirements `json:"requirements"`
	CreatedAt    string               `json:"created_at"`
	UpdatedAt    string               `json:"updated_at"`
}

func onBoard(r request.Request) boardRequest {
	const form = "2006-01-02T15:04:05Z07:00"
	return boardRequest{r.ID, r.Code, r.Conversation(), r.State, r.Category, r.Requirements, r.CreatedAt.UTC().Format(form), r.UpdatedAt.UTC().Format(form)}
}

func (a *API) requests(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "requests", func(ctx context.Context, market, after string, limit int) ([]boardRequest, string, error) {
		if limit == 0 {
			limit = usualLimit
		}
		all, next, err := a.Broker.Store.Board(ctx, market, after, limit)
		board := make([]boardRequest, len(all))
		for i, one := range all {
			board[i] = onBoard(one)
		}
		return board, next, err
	})
}

// client says for whom the desk looks: somebody with a conversation, or whom a number reaches. None is the desk itself.
type client struct {
	Thread string `json:"threadId"`
	Phone  string `json:"phone"`
	Name   string `json:"name"`
}

// createRequest makes a request of the desk, or for a client.
func (a *API) createRequest(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	var req struct {
		Category     string          `json:"category"`
		Requirements json.RawMessage `json:"requirements"`
		Client       *client         `json:"client"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	m, err := a.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	made := request.Request{Market: m.ID, Language: m.Language, Category: req.Category, Currency: m.Currency}
	if req.Client != nil {
		if err := a.clientOf(r, m, *req.Client, &made); err != nil {
			return err
		}
	}
	made.ID = request.NewID(who.Key(), a.Broker.NewID())
	made, err = a.Broker.Create(r.Context(), made, req.Requirements, request.Admin, false)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusCreated, map[string]any{"request_id": made.ID, "conversation_id": made.Conversation(), "state": made.State})
}

// clientOf finds the conversation of a client: by its thread, or on WhatsApp by their number.
func (a *API) clientOf(r *http.Request, m *market.Market, c client, made *request.Request) error {
	made.Client = request.Contact{Name: c.Name, Phone: c.Phone}
	if c.Thread == "" {
		if !market.IsE164(c.Phone) {
			return fault.Field("client", "want threadId, or phone in E.164")
		}
		owner := person.ByID(channel.WhatsApp, c.Phone)
		made.Owner, made.Thread = owner.Key(), thread.ID(m.ID, channel.General, "", owner.Key())
		return nil
	}
	head, err := a.Threads.Head(r.Context(), c.Thread)
	switch {
	case errors.Is(err, thread.ErrNoThread) || err == nil && (head.Market != m.ID || head.Type != channel.General):
		return fault.Field("client.threadId", "no such conversation of a customer")
	case err != nil:
		return err
	}
	made.Owner, made.Thread = head.Owner, head.ID
	if head.Language != "" {
		made.Language = head.Language
	}
	if made.Client == (request.Contact{}) {
		customer := head.Customer()
		made.Client = request.Contact{Name: customer.Name, Phone: customer.Phone}
	}
	return nil
}
