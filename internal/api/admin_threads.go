package api

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"merve/internal/actor"
	"merve/internal/channel"
	"merve/internal/fault"
	"merve/internal/market"
	"merve/internal/thread"
)

// threadView is where a thread stands.
type threadView struct {
	ID        string             `json:"threadId"`
	Market    string             `json:"marketId"`
	Type      channel.ThreadType `json:"type"`
	Assistant string             `json:"assistant,omitempty"`
	Channel   channel.Channel    `json:"channel"`
	Owner     string             `json:"owner"` // actor key
	Name      string             `json:"name,omitempty"`
	Handler   thread.Handler     `json:"handler"`
	State     thread.State       `json:"state"`
	Language  string             `json:"language"`
	Turns     int                `json:"turns"`
	Waiting   int                `json:"waiting"` // messages without an answer
	Pending   *thread.Pending    `json:"pendingAction"`
	LastIn    time.Time          `json:"lastInboundAt"`
	OptedOut  bool               `json:"optedOut"`
}

func viewOf(h thread.Head) threadView {
	v := threadView{
		ID: h.ID, Market: h.Market, Type: h.Type, Assistant: h.Assistant, Channel: h.Channel, Owner: h.Owner, Name: h.Name, Handler: h.Handler,
		State: h.Standing(), Language: h.Language, Turns: h.Turns, Waiting: len(h.Inbox), Pending: h.Pending, LastIn: h.LastIn, OptedOut: h.OptedOut,
	}
	if v.Handler == "" {
		v.Handler = thread.ByAssistant
	}
	return v
}

func (a *Admin) thread(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return a.writeThread(w, r, http.StatusOK)
}

func (a *Admin) writeThread(w http.ResponseWriter, r *http.Request, status int) error {
	h, err := a.Threads.Head(r.Context(), r.PathValue("thread"))
	if err != nil {
		return err
	}
	return writeJSON(w, status, viewOf(h))
}

// threads finds the threads of somebody in a market, by a telephone number, the id that a
// channel knows them by, or the key that their things are kept under.
func (a *Admin) threads(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	q, err := queryOf(r, "marketId", "owner")
	if err != nil {
		return err
	}
	owner := strings.TrimSpace(q["owner"])
	switch {
	case q["marketId"] == "":
		return fault.Field("marketId", "missing")
	case owner == "" || len(owner) > 200:
		return fault.Field("owner", "want a telephone number, or the id that the channel has for the customer")
	}
	found := []threadView{}
	for _, key := range ownersLike(owner) {
		for _, kind := range threadKinds() {
			h, err := a.Threads.Head(r.Context(), thread.ID(q["marketId"], kind.typ, kind.assistant, key))
			if errors.Is(err, thread.ErrNoThread) || fault.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				return err
			}
			found = append(found, viewOf(h))
		}
	}
	return writeList(w, "threads", found, "")
}

// threadKind is a way to meet: a thread's id is made of it.
type threadKind struct {
	typ       channel.ThreadType
	assistant string
}

func threadKinds() []threadKind {
	return []threadKind{{channel.General, ""}, {channel.General, "sara"}, {channel.Ops, ""}, {channel.Dispatch, ""}}
}

// ownersLike are the keys of those whom somebody may mean by what they type.
func ownersLike(s string) []string {
	number := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(s)
	switch kind, _, named := strings.Cut(s, ":"); {
	case named && (kind == string(actor.User) || kind == string(actor.Session) || kind == string(actor.Person)):
		return []string{s}
	case market.IsE164(number):
		return []string{"person:" + string(channel.WhatsApp) + ":" + number}
	}
	return []string{"user:" + s, "person:" + string(channel.Messenger) + ":" + s}
}

// waitingThreads lists the threads that wait for a person, or that one has.
func (a *Admin) waitingThreads(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	cases, err := a.Handover.List(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return writeList(w, "threads", cases, "")
}

// takeThread gives a thread to the caller: the assistant is silent until it is handed back.
func (a *Admin) takeThread(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := a.Handover.Take(r.Context(), r.PathValue("thread"), who); err != nil {
		return err
	}
	return a.writeThread(w, r, http.StatusOK)
}

// returnThread gives a thread back to the assistant.
func (a *Admin) returnThread(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if err := a.Handover.Return(r.Context(), r.PathValue("thread")); err != nil {
		return err
	}
	return a.writeThread(w, r, http.StatusOK)
}

// writeOnThread tells the customer what a person has written. A repeat of its clientMessageId
// is told once.
func (a *Admin) writeOnThread(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var req struct {
		Text            string `json:"text"`
		ClientMessageID string `json:"clientMessageId"`
	}
	if err := readJSON(w, r, &req); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(req.Text) == "":
		return fault.Field("text", "missing")
	case req.ClientMessageID == "" || len(req.ClientMessageID) > maxClientID:
		return fault.Field("clientMessageId", "want 1 to %d characters of your own", maxClientID)
	}
	if err := a.Handover.Write(r.Context(), r.PathValue("thread"), req.Text, req.ClientMessageID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// maxClientID is the longest id that a client gives a message, in bytes.
const maxClientID = 100
