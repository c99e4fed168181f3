package admin

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/edge/httpapi"
	"merve/internal/edge/threadapi"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// threadView is a thread in an answer.
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
	Waiting   int                `json:"waiting"` // unanswered messages
	Pending   *thread.Pending    `json:"pendingAction"`
	LastIn    time.Time          `json:"lastInboundAt"`
	OptedOut  bool               `json:"optedOut"`
}

func viewOf(h thread.Head, now time.Time) threadView {
	v := threadView{
		ID: h.ID, Market: h.Market, Type: h.Type, Assistant: h.Assistant, Channel: h.Channel, Owner: h.Owner, Name: h.Name, Handler: h.Handler,
		State: h.Standing(now), Language: h.Language, Turns: h.Turns, Waiting: len(h.Inbox), Pending: h.Waits(now),
		LastIn: h.LastIn, OptedOut: h.OptedOut,
	}
	if v.Handler == "" {
		v.Handler = thread.ByAssistant
	}
	return v
}

func (a *API) thread(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return a.writeThread(w, r, http.StatusOK)
}

func (a *API) writeThread(w http.ResponseWriter, r *http.Request, status int) error {
	h, err := a.Threads.Head(r.Context(), r.PathValue("thread"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, status, viewOf(h, a.Threads.Now()))
}

// threads finds threads of a market. An owner is a telephone number, the id that a channel has for the
// customer, or an actor key. Without one, all threads are listed page by page, the last active first.
// State and channel narrow either down. The threads of an owner, and those in the hands of a person,
// come in one page.
//
// Requests: 3 for an owner, 2 for an actor key, one more for each further key of theirs, and for each that their
// threads are linked with, and another for those together;
// for those in the hands of a person 1, and 1 for each hundred; else 2 for each hundred looked at, of
// which there are a thousand at most.
func (a *API) threads(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "marketId", "owner", "state", "channel", "after")
	if err != nil {
		return err
	}
	owner, state, ch := strings.TrimSpace(q["owner"]), thread.State(q["state"]), channel.Channel(q["channel"])
	switch {
	case q["marketId"] == "":
		return fault.Field("marketId", "missing")
	case len(owner) > 200:
		return fault.Field("owner", "want a telephone number, or the id that the channel has for the customer")
	case state != "" && !slices.Contains(threadStates(), state):
		return fault.Field("state", "want one of %v, or nothing for all", threadStates())
	case ch != "" && !slices.Contains(channel.All(), ch):
		return fault.Field("channel", "want one of %v, or nothing for all", channel.All())
	case q["after"] != "" && (owner != "" || state == thread.WithPerson):
		return fault.Field("after", "these threads are listed in one page")
	}
	now := a.Threads.Now()
	keep := thread.Wanted(ch, state, now)
	var heads []thread.Head
	next := ""
	switch {
	case owner != "":
		heads, err = a.threadsOf(r.Context(), q["marketId"], owner)
	case state == thread.WithPerson:
		heads, err = a.threadsWithPeople(r.Context(), q["marketId"])
	default:
		l := thread.Listing{Market: q["marketId"], Limit: limit, After: q["after"]}
		if state != "" || ch != "" {
			l.Keep = keep
		}
		heads, next, err = a.Threads.List(r.Context(), l)
	}
	if err != nil {
		return err
	}
	found := []threadView{}
	for _, h := range heads {
		if keep(h) {
			found = append(found, viewOf(h, now))
		}
	}
	return writeList(w, "threads", found, next)
}

// threadStates are the states to find threads by.
func threadStates() []thread.State {
	return []thread.State{thread.Idle, thread.AwaitingConfirmation, thread.Executing, thread.WithPerson}
}

// threadsOf reads the threads of an owner in a market, and those that are linked with them.
func (a *API) threadsOf(ctx context.Context, market, owner string) ([]thread.Head, error) {
	keys, err := a.ownersLike(ctx, owner)
	if err != nil {
		return nil, err
	}
	heads, err := a.threadsBy(ctx, market, keys)
	if err != nil {
		return nil, err
	}
	var also []string
	for _, h := range heads {
		for _, key := range h.Linked {
			if !slices.Contains(keys, key) && !slices.Contains(also, key) {
				also = append(also, key)
			}
		}
	}
	linked, err := a.threadsBy(ctx, market, also)
	return append(heads, linked...), err
}

// threadsBy reads the threads of some owners.
func (a *API) threadsBy(ctx context.Context, market string, owners []string) ([]thread.Head, error) {
	ids, err := a.Threads.All(ctx, a.Assistants.Kinds(), market, owners...)
	if err != nil {
		return nil, err
	}
	return a.Threads.Heads(ctx, ids...)
}

// threadsWithPeople reads the threads of a market that wait for a person or are in the hands of one.
func (a *API) threadsWithPeople(ctx context.Context, market string) ([]thread.Head, error) {
	cases, err := a.Handover.List(ctx, market)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(cases))
	for i, c := range cases {
		ids[i] = c.Thread
	}
	return a.Threads.Heads(ctx, ids...)
}

// ownersLike returns the actor keys that staff may mean by what they typed. 1 request, none for a key.
func (a *API) ownersLike(ctx context.Context, s string) ([]string, error) {
	number := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(s)
	if abroad, ok := strings.CutPrefix(number, "00"); ok {
		number = "+" + abroad
	}
	switch kind, _, named := strings.Cut(s, ":"); {
	case named && (kind == string(actor.User) || kind == string(actor.Session) || kind == string(actor.Person)):
		return []string{s}, nil
	case market.IsE164(number):
		return a.Book.Named(ctx, channel.WhatsApp, number)
	}
	keys, err := a.Book.Named(ctx, channel.WhatsApp, s)
	return append(keys, "user:"+s, person.ByID(channel.Messenger, s).Key()), err
}

// waitingThreads lists the threads that wait for a person or are in the hands of one.
func (a *API) waitingThreads(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	cases, err := a.Handover.List(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return writeList(w, "threads", cases, "")
}

// takeThread hands a thread to the caller. The assistant is silent until it is handed back.
func (a *API) takeThread(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := a.Handover.Take(r.Context(), r.PathValue("thread"), who); err != nil {
		return err
	}
	return a.writeThread(w, r, http.StatusOK)
}

// returnThread hands a thread back to the assistant.
func (a *API) returnThread(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if err := a.Handover.Return(r.Context(), r.PathValue("thread")); err != nil {
		return err
	}
	return a.writeThread(w, r, http.StatusOK)
}

// writeOnThread sends the customer what a person wrote. A repeat of the clientMessageId is not sent
// again.
func (a *API) writeOnThread(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	var req struct {
		Text            string `json:"text"`
		ClientMessageID string `json:"clientMessageId"`
	}
	if err := httpapi.ReadJSON(w, r, &req); err != nil {
		return err
	}
	if req.ClientMessageID == "" || len(req.ClientMessageID) > maxClientID {
		return fault.Field("clientMessageId", "want 1 to %d characters of your own", maxClientID)
	}
	if err := a.Handover.Write(r.Context(), r.PathValue("thread"), req.Text, req.ClientMessageID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// maxClientID is the longest clientMessageId, in bytes.
const maxClientID = 100

func (a *API) audit(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	limit, err := httpapi.Limit(r, usualLimit)
	if err != nil {
		return err
	}
	q, err := httpapi.Query(r, "threadId", "after")
	if err != nil {
		return err
	}
	if q["threadId"] == "" {
		return fault.Field("threadId", "missing")
	}
	rounds, next, err := a.Audit.Rounds(r.Context(), q["threadId"], limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "rounds", rounds, next)
}

func (a *API) messages(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	body, _, err := threadapi.Messages(r, a.Threads, who, r.PathValue("thread"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, body)
}

// export answers with the data that is kept of the person whose thread it is.
func (a *API) export(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return threadapi.Export(w, r, a.People, r.PathValue("thread"))
}

// erase deletes the data that is kept of the person whose thread it is, at their request.
func (a *API) erase(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return threadapi.Erase(w, r, a.People, r.PathValue("thread"))
}
