package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/outbox"
)

// outbound are the messages of the outbox.
type outbound struct {
	Outbox *outbox.Box
}

func (h outbound) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/outbox":                          h.list,
		"POST /admin/api/outbox/{thread}/{message}/send": h.sendAgain,
	}
}

// list lists a thread's messages, or those given up if the request names no thread.
func (h outbound) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "threadId")
	if err != nil {
		return err
	}
	var ms []outbox.Message
	if id := q["threadId"]; id != "" {
		ms, err = h.Outbox.List(r.Context(), id, limit)
	} else {
		ms, err = h.Outbox.Dead(r.Context(), limit)
	}
	if err != nil {
		return err
	}
	return writeList(w, "messages", ms, "")
}

func (h outbound) sendAgain(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if err := h.Outbox.SendAgain(r.Context(), r.PathValue("thread"), r.PathValue("message")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
