package admin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/audit"
	"merve/internal/edge/httpapi"
	"merve/internal/matter/quote"
	"merve/internal/matter/request"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// requests are a market's requests to its vendors, on the desk's board.
type requests struct {
	Markets *market.Store
	Threads *thread.Store
	Broker  *request.Broker
	Files   Files
}

func (h requests) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/requests":           h.list,
		"POST /admin/api/markets/{market}/requests":          h.create,
		"GET /admin/api/markets/{market}/requests/{request}": h.one,
	}
}

// requestFile is all that the desk sees of a request.
type requestFile struct {
	Request  request.Snapshot `json:"request"`
	Client   bool             `json:"client"` // a client has to say YES; a request without one is the desk's own
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
	Text     string            `json:"text,omitempty"` // quoted words
}

// one answers with a request, its events and its audit, checked.
func (h requests) one(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	ctx, id := r.Context(), r.PathValue("request")
	if !request.IsID(id) {
		return actor.ErrNotFound
	}
	v, err := h.Broker.Store.View(ctx, id)
	switch {
	case err != nil:
		return err
	case v.Market != r.PathValue("market"):
		return actor.ErrNotFound
	}
	file := requestFile{Client: v.Thread != "", Next: orNone(v.State.Next()), Events: []requestEvent{}}
	if file.Request, err = h.Broker.Snapshot(ctx, id); err != nil {
		return err
	}
	if file.Pictures, err = h.pictures(ctx, v.Jobs); err != nil {
		return err
	}
	events, err := h.Broker.Store.History(ctx, id)
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
	trail, err := h.Broker.Store.Log().Trail(ctx, id)
	if err != nil {
		return err
	}
	file.Audit, file.Verified = trail.Records, true
	if err := trail.Verify(); err != nil {
		file.Verified, file.Broken = false, err.Error()
	}
	return httpapi.WriteJSON(w, http.StatusOK, file)
}

// pictures lists the pictures of jobs, with an address if they were fetched.
func (h requests) pictures(ctx context.Context, jobs []quote.Job) ([]requestPicture, error) {
	all := []requestPicture{}
	for _, j := range jobs {
		p := requestPicture{Read: j.Result()}
		if j.Tries > 0 {
			var err error
			if p.Address, err = h.Files.Address(ctx, j.File()); err != nil {
				return nil, err
			}
		}
		all = append(all, p)
	}
	return all, nil
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

func (h requests) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return listPage(w, r, "requests", func(ctx context.Context, market, after string, limit int) ([]boardRequest, string, error) {
		if limit == 0 {
			limit = usualLimit
		}
		all, next, err := h.Broker.Store.Board(ctx, market, after, limit)
		board := make([]boardRequest, len(all))
		for i, one := range all {
			board[i] = onBoard(one)
		}
		return board, next, err
	})
}

// client is the person for whom the desk looks: one with a conversation or a telephone number. Without either it is the
// desk itself.
type client struct {
	Thread string `json:"threadId"`
	Phone  string `json:"phone"`
	Name   string `json:"name"`
}

// create makes a request of the desk, or for a client.
func (h requests) create(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	var req struct {
		Category     string          `json:"category"`
		Requirements json.RawMessage `json:"requirements"`
		Client       *client         `json:"client"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	m, err := h.Markets.Read(r.Context(), r.PathValue("market"))
	if err != nil {
		return notFound(err)
	}
	made := request.Request{Market: m.ID, Language: m.Language, Category: req.Category, Currency: m.Currency}
	if req.Client != nil {
		if err := h.clientOf(r, m, *req.Client, &made); err != nil {
			return err
		}
	}
	made.ID = request.NewID(who.Key(), h.Broker.NewID())
	made, err = h.Broker.Create(r.Context(), made, req.Requirements, request.Admin, false)
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusCreated, map[string]any{"request_id": made.ID, "conversation_id": made.Conversation(), "state": made.State})
}

// clientOf finds the conversation of a client: by its thread, or on WhatsApp by their number.
func (h requests) clientOf(r *http.Request, m *market.Market, c client, made *request.Request) error {
	made.Client = request.Contact{Name: c.Name, Phone: c.Phone}
	if c.Thread == "" {
		if !market.IsE164(c.Phone) {
			return fault.Field("client", "want threadId, or phone in E.164")
		}
		owner := person.ByID(channel.WhatsApp, c.Phone)
		made.Owner, made.Thread = owner.Key(), thread.ID(m.ID, channel.General, "", owner.Key())
		return nil
	}
	head, err := h.Threads.Head(r.Context(), c.Thread)
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
