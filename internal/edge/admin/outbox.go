package admin

import (
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/outbox"
)

// outbox lists a thread's messages, or those given up if the request names no thread.
func (a *API) outbox(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
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
		ms, err = a.Outbox.List(r.Context(), id, limit)
	} else {
		ms, err = a.Outbox.Dead(r.Context(), limit)
	}
	if err != nil {
		return err
	}
	return writeList(w, "messages", ms, "")
}

func (a *API) sendAgain(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if err := a.Outbox.SendAgain(r.Context(), r.PathValue("thread"), r.PathValue("message")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}
