package api

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"merve/internal/actor"
	"merve/internal/fault"
)

// Who turns a request into an actor. It is the only place that does.
type Who struct {
	// Tokens checks bearer tokens; nil when sign-in is not configured.
	Tokens interface {
		Verify(ctx context.Context, token string) (actor.Actor, error)
	}
	// AdminToken is a bearer token that makes its holder staff, for the local runner; "" for none.
	AdminToken string
}

var (
	errNotSignedIn = fault.New(fault.Unauthenticated, "sign in, or send the session id in x-session-id")
	errBadToken    = fault.New(fault.Unauthenticated, "the bearer token is not valid")
	errNotStaff    = fault.New(fault.Forbidden, "for staff only")
)

// Customer is who writes or reads a conversation: a signed-in user, else a session.
func (w Who) Customer(r *http.Request, sessionID string) (actor.Actor, error) {
	if token, ok := bearer(r); ok {
		if w.Tokens == nil {
			return actor.Actor{}, errBadToken
		}
		return w.Tokens.Verify(r.Context(), token)
	}
	if sessionID == "" {
		return actor.Actor{}, errNotSignedIn
	}
	return session(sessionID)
}

// Staff is who uses the admin API.
func (w Who) Staff(r *http.Request) (actor.Actor, error) {
	token, ok := bearer(r)
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
	if !a.IsStaff() {
		return actor.Actor{}, errNotStaff
	}
	return a, nil
}

func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// A session id is a secret of at least 128 bits that the client has made: 22 characters
// of base64url, 32 of hex, or a UUID. Only its hash is kept.
const (
	minSessionID = 22
	maxSessionID = 128
)

func session(id string) (actor.Actor, error) {
	if len(id) < minSessionID || len(id) > maxSessionID {
		return actor.Actor{}, fault.Field("sessionId", "want %d to %d characters that hold at least 128 random bits", minSessionID, maxSessionID)
	}
	for _, c := range id {
		if c <= ' ' || c > '~' {
			return actor.Actor{}, fault.Field("sessionId", "want letters, digits and punctuation only")
		}
	}
	sum := sha256.Sum256([]byte("session:" + id))
	return actor.Actor{Kind: actor.Session, ID: hex.EncodeToString(sum[:16])}, nil
}
