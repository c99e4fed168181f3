// Package threadapi holds the answers about a thread that the chat APIs and the admin API share: its messages,
// the action that waits on it, and the data stored about its owner.
package threadapi

import (
	"errors"
	"net/http"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/edge/httpapi"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
)

// PendingAction is the action that waits for the customer's YES or NO.
type PendingAction struct {
	ID        string    `json:"id"`
	Kind      string    `json:"kind"`
	Summary   string    `json:"summary"`
	ExpiresAt time.Time `json:"expiresAt"`
	AnswerBy  time.Time `json:"answerBy"` // a YES after this comes too late
}

// Pending returns p as customers and staff see it.
func Pending(p *thread.Pending) *PendingAction {
	return &PendingAction{ID: p.ID, Kind: p.Kind, Summary: p.Summary, ExpiresAt: p.ExpiresAt, AnswerBy: p.ExpiresAt.Add(-gate.Buffer)}
}

// Messages returns the answer to a listing of a thread's messages, by the request's after, before
// and limit. Only who may see the thread gets one. The lines are those in the body, which may still
// be changed.
func Messages(r *http.Request, threads *thread.Store, who actor.Actor, id string) (map[string]any, []thread.Line, error) {
	limit, err := httpapi.Limit(r, thread.MaxLines)
	if err != nil {
		return nil, nil, err
	}
	q, err := httpapi.Query(r, "after", "before")
	if err != nil {
		return nil, nil, err
	}
	for name, cursor := range q {
		if err := checkCursor(name, cursor); err != nil {
			return nil, nil, err
		}
	}
	head, err := threads.Head(r.Context(), id)
	if errors.Is(err, thread.ErrNoThread) {
		return nil, nil, actor.ErrNotFound
	}
	if err != nil {
		return nil, nil, err
	}
	if err := who.MaySee(head.Owner); err != nil {
		return nil, nil, err
	}
	now := threads.Now()
	body := map[string]any{"state": head.Standing(now)}
	list, cursor, name := threads.Lines, q["after"], "next"
	if before := q["before"]; before != "" {
		list, cursor, name = threads.LinesBefore, before, "previous"
	}
	lines, further, err := list(r.Context(), id, cursor, limit)
	if err != nil {
		return nil, nil, err
	}
	body["messages"] = lines
	if further != "" {
		body[name] = further
	}
	if p := head.Waits(now); p != nil {
		body["pendingAction"] = Pending(p)
	}
	return body, lines, nil
}

// lineCursor is the form of a cursor of a thread's messages.
var lineCursor = pattern.New(`^(0|[1-9][0-9]{0,7})\.(0|[1-9][0-9]{0,3})$`)

// checkCursor refuses what no listing of messages can have given out.
func checkCursor(name, cursor string) error {
	latest := name == "before" && cursor == thread.Latest
	if cursor != "" && !latest && !lineCursor.MatchString(cursor) {
		return fault.Field(name, "want a cursor as an earlier answer gave it")
	}
	return nil
}
