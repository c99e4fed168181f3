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
	"merve/internal/people/account"
	"merve/internal/people/desk"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/person"
)

// threads are the conversations of customers: what was said, who has taken one over, and the data kept of its customer.
type threads struct {
	Threads    *thread.Store
	Assistants *assistant.Set
	Handover   *desk.Desk
	Book       *person.Book
	Audit      turn.Audit
	People     *account.Keeper
}

func (h threads) Routes() staffRoutes {
	return staffRoutes{
		"GET /admin/api/markets/{market}/waiting":   h.waiting,
		"GET /admin/api/threads":                    h.list,
		"POST /admin/api/threads/{thread}/take":     h.take,
		"POST /admin/api/threads/{thread}/return":   h.giveBack,
		"POST /admin/api/threads/{thread}/messages": h.write,
		"GET /admin/api/audit":                      h.rounds,
		"GET /admin/api/threads/{thread}":           h.one,
		"GET /admin/api/threads/{thread}/messages":  h.messages,
		"GET /admin/api/threads/{thread}/data":      h.export,
		"DELETE /admin/api/threads/{thread}/data":   h.erase,
	}
}

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

func (h threads) one(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return h.answer(w, r, http.StatusOK)
}

func (h threads) answer(w http.ResponseWriter, r *http.Request, status int) error {
	head, err := h.Threads.Head(r.Context(), r.PathValue("thread"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, status, viewOf(head, h.Threads.Now()))
}

// list finds threads of a market. An owner is a telephone number, the id that a channel has for the customer, or an actor
// key. Without one, all threads are listed page by page, the last active first. State and channel narrow either down. The
// threads of an owner, and those in the hands of a person, come in one page.
//
// Requests: for an owner 3, or 2 for an actor key, 1 more for each further key of the owner and each key that their
// threads are linked with, and 1 for all of these together. For threads in the hands of a person 1, and 1 for each
// hundred. Otherwise 2 for each hundred read, up to a thousand.
func (h threads) list(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
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
	now := h.Threads.Now()
	keep := thread.Wanted(ch, state, now)
	var heads []thread.Head
	next := ""
	switch {
	case owner != "":
		heads, err = h.of(r.Context(), q["marketId"], owner)
	case state == thread.WithPerson:
		heads, err = h.withPeople(r.Context(), q["marketId"])
	default:
		l := thread.Listing{Market: q["marketId"], Limit: limit, After: q["after"]}
		if state != "" || ch != "" {
			l.Keep = keep
		}
		heads, next, err = h.Threads.List(r.Context(), l)
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

// of reads the threads of an owner in a market, and those linked with them.
func (h threads) of(ctx context.Context, market, owner string) ([]thread.Head, error) {
	keys, err := h.ownersLike(ctx, owner)
	if err != nil {
		return nil, err
	}
	heads, err := h.by(ctx, market, keys)
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
	linked, err := h.by(ctx, market, also)
	return append(heads, linked...), err
}

// by reads the threads of some owners.
func (h threads) by(ctx context.Context, market string, owners []string) ([]thread.Head, error) {
	ids, err := h.Threads.All(ctx, h.Assistants.Kinds(), market, owners...)
	if err != nil {
		return nil, err
	}
	return h.Threads.Heads(ctx, ids...)
}

// withPeople reads the threads of a market that wait for a person or are in the hands of one.
func (h threads) withPeople(ctx context.Context, market string) ([]thread.Head, error) {
	cases, err := h.Handover.List(ctx, market)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(cases))
	for i, c := range cases {
		ids[i] = c.Thread
	}
	return h.Threads.Heads(ctx, ids...)
}

// ownersLike returns the actor keys that staff may mean by what they typed. 1 request, or none for a key.
func (h threads) ownersLike(ctx context.Context, s string) ([]string, error) {
	number := strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(s)
	if abroad, ok := strings.CutPrefix(number, "00"); ok {
		number = "+" + abroad
	}
	switch kind, _, named := strings.Cut(s, ":"); {
	case named && (kind == string(actor.User) || kind == string(actor.Session) || kind == string(actor.Person)):
		return []string{s}, nil
	case market.IsE164(number):
		return h.Book.Named(ctx, channel.WhatsApp, number)
	}
	keys, err := h.Book.Named(ctx, channel.WhatsApp, s)
	return append(keys, "user:"+s, person.ByID(channel.Messenger, s).Key()), err
}

// waiting lists the threads that wait for a person or are in the hands of one.
func (h threads) waiting(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	cases, err := h.Handover.List(r.Context(), r.PathValue("market"))
	if err != nil {
		return err
	}
	return writeList(w, "threads", cases, "")
}

// take hands a thread to the caller. The assistant is silent until it is handed back.
func (h threads) take(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	if err := h.Handover.Take(r.Context(), r.PathValue("thread"), who); err != nil {
		return err
	}
	return h.answer(w, r, http.StatusOK)
}

// giveBack hands a thread back to the assistant.
func (h threads) giveBack(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	if err := h.Handover.Return(r.Context(), r.PathValue("thread")); err != nil {
		return err
	}
	return h.answer(w, r, http.StatusOK)
}

// write sends the customer what a person wrote. A repeat of the clientMessageId is not sent again.
func (h threads) write(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
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
	if err := h.Handover.Write(r.Context(), r.PathValue("thread"), req.Text, req.ClientMessageID); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// maxClientID is the longest clientMessageId, in bytes.
const maxClientID = 100

func (h threads) rounds(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
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
	rounds, next, err := h.Audit.Rounds(r.Context(), q["threadId"], limit, q["after"])
	if err != nil {
		return err
	}
	return writeList(w, "rounds", rounds, next)
}

func (h threads) messages(w http.ResponseWriter, r *http.Request, who actor.Actor) error {
	body, _, err := threadapi.Messages(r, h.Threads, who, r.PathValue("thread"))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, body)
}

// export answers with the data kept about the thread's owner.
func (h threads) export(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return threadapi.Export(w, r, h.People, r.PathValue("thread"))
}

// erase deletes the data kept about the thread's owner, at their request.
func (h threads) erase(w http.ResponseWriter, r *http.Request, _ actor.Actor) error {
	return threadapi.Erase(w, r, h.People, r.PathValue("thread"))
}
