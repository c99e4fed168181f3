// Package ident derives ids from what they stand for: the same wish of the same owner has one id, however often it is
// written down, and nobody else can arrive at that id. It also spells the short codes that people read out and type.
package ident

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"merve/internal/base/pattern"
)

// Legal is what ids look like that people make, of listings, businesses and offerings: they stand
// in addresses, lists and the ledger's keys, which they hold no separator of.
var Legal = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// WantLegal says what [Legal] takes.
const WantLegal = "want 1 to 64 letters, digits, full stops, dashes and underscores, the first a letter or digit"

var alphabet = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// size is how much of the hash an id carries, in bytes.
const size = 10

// New returns the id for an owner's key, after a prefix that tells the kind of thing.
func New(prefix, kind, owner, key string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + owner + "\x00" + key))
	return prefix + alphabet.EncodeToString(sum[:size])
}

// Is reports whether id can have been made by [New] with the prefix. What cannot is not
// looked up: it may be anything.
func Is(prefix, id string) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	raw, err := alphabet.DecodeString(rest)
	return ok && err == nil && len(raw) == size && len(rest) == alphabet.EncodedLen(size)
}
