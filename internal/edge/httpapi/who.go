package httpapi

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
)

// Who turns a request into an actor. Nothing else does.
type Who struct {
	// Tokens checks bearer tokens; nil when sign-in is not configured.
	Tokens interface {
		Verify(ctx context.Context, token string) (actor.Actor, error)
	}
	// AdminToken is a bearer token that makes its holder staff, for the local runner; "" disables it.
	AdminToken string
}

var (
	errNotSignedIn = fault.New(fault.Unauthenticated, "sign in, or send the session id in x-session-id")
	errBadToken    = fault.New(fault.Unauthenticated, "the bearer token is not valid")
	errNotStaff    = fault.New(fault.Forbidden, "for staff only")
	errNotProgram  = fault.New(fault.Forbidden, "for staff and programs of ours only")
)

// Customer returns the actor who writes or reads a conversation: the signed-in user, else the session.
func (w Who) Customer(r *http.Request, sessionID string) (actor.Actor, error) {
	if token, ok := Bearer(r); ok {
		if w.Tokens == nil {
			return actor.Actor{}, errBadToken
		}
		return w.Tokens.Verify(r.Context(), token)
	}
	if sessionID == "" {
		return actor.Actor{}, errNotSignedIn
	}
	return Session(sessionID)
}

// Staff returns who uses the admin API. Anybody else is refused.
func (w Who) Staff(r *http.Request) (actor.Actor, error) {
	a, err := w.holder(r)
	switch {
	case err != nil:
		return actor.Actor{}, err
	case !a.IsStaff():
		return actor.Actor{}, errNotStaff
	}
	return a, nil
}

// systemGroup is the group of our own programs that call the API.
const systemGroup = "system"

// Program returns the caller if it is a member of staff or one of our programs. Everybody else is refused.
func (w Who) Program(r *http.Request) (actor.Actor, error) {
	a, err := w.holder(r)
	switch {
	case err != nil:
		return actor.Actor{}, err
	case a.IsStaff():
		return a, nil
	case slices.Contains(a.Groups, systemGroup):
		a.Kind = actor.System
		return a, nil
	}
	return actor.Actor{}, errNotProgram
}

// holder returns who holds the request's bearer token, as staff if they are that.
func (w Who) holder(r *http.Request) (actor.Actor, error) {
	token, ok := Bearer(r)
	if !ok {
		return actor.Actor{}, fault.New(fault.Unauthenticated, "send a bearer token")
	}
	if w.AdminToken != "" && subtle.ConstantTimeCompare([]byte(token), []byte(w.AdminToken)) == 1 {
		return actor.Actor{Kind: actor.Staff, ID: "local", Name: "local admin", Groups: []string{"admin"}}, nil
	}
	if w.Tokens == nil {
		return actor.Actor{}, errBadToken
	}
	a, err := w.Tokens.Verify(r.Context(), token)
	if err != nil {
		return actor.Actor{}, err
	}
	a.Kind = actor.Staff
	return a, nil
}

// Bearer returns the request's bearer token, if it has one.
func Bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// A session id is a secret of at least 128 bits that the client makes up: 22 characters of
// base64url, 32 of hex, or a UUID. Only its hash is stored.
const (
	minSessionID = 22
	maxSessionID = 128

	minDifferent = 10 // characters: fewer are no random ones
)

// Session returns the actor that a session id stands for.
func Session(id string) (actor.Actor, error) {
	if len(id) < minSessionID || len(id) > maxSessionID {
		return actor.Actor{}, fault.Field("sessionId", "want %d to %d characters that hold at least 128 random bits", minSessionID, maxSessionID)
	}
	for _, c := range id {
		if c <= ' ' || c > '~' {
			return actor.Actor{}, fault.Field("sessionId", "want letters, digits and punctuation only")
		}
	}
	different := map[rune]bool{}
	for _, c := range id {
		different[c] = true
	}
	if len(different) < minDifferent {
		return actor.Actor{}, fault.Field("sessionId", "want random characters, at least %d different ones", minDifferent)
	}
	sum := sha256.Sum256([]byte("session:" + id))
	return actor.Actor{Kind: actor.Session, ID: hex.EncodeToString(sum[:16])}, nil
}
