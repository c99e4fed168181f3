package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// Rooms are where callers are heard: a provider's meetings.
type Rooms interface {
	Create(ctx context.Context, title string) (meeting string, err error)
	Join(ctx context.Context, meeting, custom string) (participant, token string, err error)
	Renew(ctx context.Context, meeting, participant string) (token string, err error)
}

// Room is where a call session is heard, and the token to take part.
type Room struct {
	Token       string `json:"token"`
	Meeting     string `json:"meetingId"`
	Participant string `json:"participantId"`
}

// room is the stored form of a room, outside the rows: one meeting per conversation, one participant per call session.
type room struct {
	Meeting     string    `dynamodbav:"meeting"`
	Session     string    `dynamodbav:"session"`
	Participant string    `dynamodbav:"participant"`
	At          time.Time `dynamodbav:"at"`
}

func roomKey(thread string) dynamo.Key { return dynamo.Key{PK: thread, SK: "room"} }

// Room lets the caller of a call session be heard, and begins the session. The same session gets its participant
// again with a fresh token, another one a new participant. Of two at once, the first to be stored wins.
func (h *Host) Room(ctx context.Context, c Caller) (Room, error) {
	if h.Rooms == nil {
		return Room{}, fault.New(fault.Unavailable, "voice is off: no meetings can be made here")
	}
	if c.Session.ID == "" {
		return Room{}, fault.Field("callSessionId", "missing")
	}
	if err := h.Begin(ctx, c); err != nil {
		return Room{}, err
	}
	threadID := thread.Of(c.Inbound)
	for {
		kept, err := h.room(ctx, threadID)
		if err != nil {
			return Room{}, err
		}
		if kept.Session == c.Session.ID {
			token, err := h.Rooms.Renew(ctx, kept.Meeting, kept.Participant)
			if !fault.Is(err, fault.NotFound) {
				return Room{token, kept.Meeting, kept.Participant}, err
			}
			kept.Meeting = "" // the provider has let go of it
		}
		made, token, err := h.join(ctx, kept.Meeting, c.Session.ID)
		if err != nil {
			return Room{}, err
		}
		w := h.Table.Put(roomKey(threadID), made)
		if kept.At.IsZero() {
			w = w.IfAbsent()
		} else {
			w = w.If("#at = :seen", dynamo.V{":seen": kept.At})
		}
		err = h.Table.DB().Commit(ctx, w.Else(ErrTaken))
		if err == nil {
			return Room{token, made.Meeting, made.Participant}, nil
		}
		if !errors.Is(err, ErrTaken) {
			return Room{}, fmt.Errorf("room of thread %s: %w", threadID, err)
		}
	}
}

func (h *Host) room(ctx context.Context, threadID string) (room, error) {
	var kept room
	it, err := h.Table.Get(ctx, roomKey(threadID))
	if err != nil || it == nil {
		return kept, err
	}
	return kept, it.Decode(&kept)
}

// join adds a participant to a meeting, and creates the meeting if there is none, or no longer one.
func (h *Host) join(ctx context.Context, meeting, session string) (made room, token string, err error) {
	made = room{Meeting: meeting, Session: session, At: h.Now()}
	for range 2 {
		if made.Meeting == "" {
			if made.Meeting, err = h.Rooms.Create(ctx, "call"); err != nil {
				return made, "", err
			}
		}
		made.Participant, token, err = h.Rooms.Join(ctx, made.Meeting, session)
		if !fault.Is(err, fault.NotFound) {
			break
		}
		made.Meeting = ""
	}
	return made, token, err
}
