// Package actor says who acts, and whether that actor may see or change a thing.
//
// One place turns a request into an actor (a bearer token, a chat session, a webhook's
// signed sender); everything below takes the actor and never a user id from a model.
package actor

import (
	"slices"
	"strings"

	"merve/internal/base/fault"
)

// Kind is how an actor was recognised.
type Kind string

const (
	User    Kind = "user"     // signed in with OIDC; ID is the subject
	Session Kind = "session"  // an anonymous chat session; ID is its secret's hash
	Person  Kind = "person"   // a channel's sender; ID is channel and the provider's user id
	Caller  Kind = "customer" // of the catalogue; a caller is one for the call session in which that was verified
	Staff   Kind = "staff"    // signed in to the admin API, in group admin
	System  Kind = "system"   // schedules and streams
)

// Actor is who a piece of work is done for. A phone number is an attribute that may be
// missing or come later; it never identifies anyone.
type Actor struct {
	Kind   Kind
	ID     string
	Name   string   // as the provider gives it; may be empty, may be anything
	Phone  string   // E.164, if known
	Groups []string // of a signed-in actor
	Also   []string // keys of the same person on other channels, as linked by that person
}

// Key identifies the actor wherever ownership is stored: "user:…", "session:…", "person:whatsapp:…".
func (a Actor) Key() string { return string(a.Kind) + ":" + a.ID }

// IsStaff reports whether a may see what belongs to others in the admin API.
func (a Actor) IsStaff() bool {
	return a.Kind == Staff && slices.Contains(a.Groups, "admin")
}

// OfKey is who owns by a key.
func OfKey(key string) Actor {
	kind, id, _ := strings.Cut(key, ":")
	return Actor{Kind: Kind(kind), ID: id}
}

// ErrNotFound is the answer for what does not exist and for what is not the actor's:
// nobody learns which.
var ErrNotFound = fault.New(fault.NotFound, "not found")

// Owns checks that owner, as stored, is a. It is the one ownership check there is.
func (a Actor) Owns(owner string) error {
	if owner == "" || owner != a.Key() && !slices.Contains(a.Also, owner) {
		return ErrNotFound
	}
	return nil
}

// Keys are the keys under which a owns things: its own, and those linked with it.
func (a Actor) Keys() []string { return append([]string{a.Key()}, a.Also...) }

// MaySee checks that a owns what belongs to owner, is staff, or is the system.
func (a Actor) MaySee(owner string) error {
	if a.Kind == System || a.IsStaff() {
		return nil
	}
	return a.Owns(owner)
}
