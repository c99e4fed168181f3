package api

import (
	"encoding/json"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/request"
)

// Requests is the API through which programs and the desk work on marketplace requests, with the tools that models have.
type Requests struct {
	Who    httpapi.Who
	Broker *request.Broker
}

// Routes are the API's.
func (a *Requests) Routes() httpapi.Routes {
	return httpapi.Routes{
		"POST /marketplace/tools/{tool}":       a.call,
		"GET /marketplace/requests/{id}":       a.snapshot,
		"GET /marketplace/requests/{id}/audit": a.audit,
		"GET /marketplace/requests/{id}/feed":  a.feed,
		"GET /marketplace/states":              a.states,
	}
}

// call carries out a call of a tool. The input is the body without its meta.
func (a *Requests) call(w http.ResponseWriter, r *http.Request) error {
	who, err := a.Who.Program(r)
	if err != nil {
		return err
	}
	var input map[string]json.RawMessage
	var body struct {
		Meta *request.Meta `json:"meta"`
	}
	if err := httpapi.ReadJSON(w, r, &input, &body); err != nil {
		return err
	}
	switch {
	case body.Meta == nil:
		return fault.Field("meta", "missing")
	case body.Meta.Actor == request.Admin && !who.IsStaff():
		return fault.New(fault.Forbidden, "only staff act as admin")
	}
	delete(input, "meta")
	raw, err := json.Marshal(input)
	if err != nil {
		return err
	}
	answer, err := a.Broker.Do(r.Context(), request.Call{Tool: r.PathValue("tool"), Meta: *body.Meta, Input: raw, By: who})
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, answer.Output)
}

func (a *Requests) snapshot(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.Who.Program(r); err != nil {
		return err
	}
	s, err := a.Broker.Snapshot(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, s)
}

func (a *Requests) audit(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.Who.Program(r); err != nil {
		return err
	}
	id := r.PathValue("id")
	if !request.IsID(id) {
		return actor.ErrNotFound
	}
	t, err := a.Broker.Store.Log().Trail(r.Context(), id)
	if err != nil {
		return err
	}
	if len(t.Records) == 0 { // each request has the record of how it came to be
		return actor.ErrNotFound
	}
	return httpapi.WriteJSON(w, http.StatusOK, t)
}

// feed shows the finds from outside of the catalogue. The map's data on places is looked up each time.
func (a *Requests) feed(w http.ResponseWriter, r *http.Request) error {
	if _, err := a.Who.Program(r); err != nil {
		return err
	}
	items, err := a.Broker.Feed(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, map[string]any{"feed_items": items})
}

func (a *Requests) states(w http.ResponseWriter, _ *http.Request) error {
	return httpapi.WriteJSON(w, http.StatusOK, request.StateTable())
}
