package ident

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
)

// Hash names a payload: equal payloads have equal hashes. The hashes are stored, so their form never
// changes.
func Hash(parts ...any) string {
	b, err := json.Marshal(parts)
	if err != nil { // callers pass only values that always marshal
		b = fmt.Appendf(nil, "%#v", parts)
	}
	sum := sha256.Sum256(b)
	return fmt.Sprintf("%x", sum[:16])
}

// Digest makes a part of a key of what somebody else has named. It is stored, so its form never changes.
func Digest(name string) string {
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%x", sum[:16])
}
