package admin

import (
	"context"
	"net/http"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
)

// Reindexed is the result of rebuilding a market's index.
type Reindexed struct {
	Collection string      `json:"collection"`
	Listings   int         `json:"listings"`
	Failed     []Unindexed `json:"failed"` // refused by the engine
}

// Unindexed is a listing that is not in the index.
type Unindexed struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
}

// Reindexer rebuilds the index of a market.
type Reindexer func(ctx context.Context, market string) (Reindexed, error)

var errNoEngine = fault.New(fault.Conflict, "there is no search engine: listings are searched in memory, which needs no index")

func (h listings) reindex(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if _, err := h.Markets.Read(r.Context(), r.PathValue("market")); err != nil {
		return notFound(err)
	}
	if h.Reindex == nil {
		return errNoEngine
	}
	done, err := h.Reindex(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	if done.Failed == nil {
		done.Failed = []Unindexed{}
	}
	return httpapi.WriteJSON(w, http.StatusOK, done)
}
