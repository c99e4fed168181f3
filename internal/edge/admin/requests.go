package admin

import (
	"context"
	"net/http"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/audit"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/quote"
	"merve/internal/matter/request"
)

// requestFile is all that the desk sees of a request.
type requestFile struct {
	Request  request.Snapshot `json:"request"`
	Client   bool             `json:"client"` // somebody has to say YES; a request of nobody is the desk's own
	Next     []request.State  `json:"next"`   // the states that it may go to
	Pictures []requestPicture `json:"pictures"`
	Events   []requestEvent   `json:"events"`
	Audit    []audit.Sealed   `json:"audit"`
	Verified bool             `json:"verified"` // the chain of the audit holds
	Broken   string           `json:"broken,omitempty"`
}

// requestPicture is a picture of a request with what was read in it.
type requestPicture struct {
	Read    quote.JobResult `json:"read"`
	Address string          `json:"picture,omitempty"` // for 15 minutes
}

// requestEvent is what happened to a request.
type requestEvent struct {
	Type     request.EventType `json:"type"`
	At       time.Time         `json:"at"`
	By       string            `json:"by"`
	From     request.State     `json:"from,omitempty"`
	To       request.State     `json:"to,omitempty"`
	Outreach string            `json:"outreach_id,omitempty"`
	Text     string            `json:"text,omitempty"` // somebody's words, where they are quoted
}

// request is one request with what happened to it, and its audit checked.
func (a *API) request(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	ctx, id := r.Context(), r.PathValue("request")
	if !request.IsID(id) {
		return actor.ErrNotFound
	}
	v, err := a.Broker.Store.View(ctx, id)
	switch {
	case err != nil:
		return err
	case v.Market != r.PathValue("market"):
		return actor.ErrNotFound
	}
	file := requestFile{Client: v.Thread != "", Next: orNone(v.State.Next()), Events: []requestEvent{}}
	if file.Request, err = a.Broker.Snapshot(ctx, id); err != nil {
		return err
	}
	if file.Pictures, err = a.pictures(ctx, v.Jobs); err != nil {
		return err
	}
	events, err := a.Broker.Store.History(ctx, id)
	if err != nil {
		return err
	}
	for _, e := range events {
		shown := requestEvent{Type: e.Type, At: e.At, By: e.By, From: e.From, To: e.To, Outreach: e.Outreach, Text: e.Text}
		if e.Quote != nil {
			shown.Text = e.Quote.Text
		}
		file.Events = append(file.Events, shown)
	}
	trail, err := a.Broker.Store.Log().Trail(ctx, id)
	if err != nil {
		return err
	}
	file.Audit, file.Verified = trail.Records, true
	if err := trail.Verify(); err != nil {
		file.Verified, file.Broken = false, err.Error()
	}
	return httpapi.WriteJSON(w, http.StatusOK, file)
}

// pictures are those of jobs, with addresses for those that were fetched.
func (a *API) pictures(ctx context.Context, jobs []quote.Job) ([]requestPicture, error) {
	all := []requestPicture{}
	for _, j := range jobs {
		p := requestPicture{Read: j.Result()}
		if j.Tries > 0 {
			var err error
			if p.Address, err = a.Files.Address(ctx, j.File()); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return all, nil
}
