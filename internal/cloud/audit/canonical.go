package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"merve/internal/base/fault"
)

// maxExact is the largest whole number that every reader of JSON takes for the same: 2^53 - 1. Two larger ones
// may have the same canonical form, so two bodies would have one hash.
const maxExact = 1<<53 - 1

// Canonical is a JSON value in the form of RFC 8785, which has one spelling for equal values. It refuses
// numbers that the form cannot tell apart, and names that come twice.
func Canonical(raw []byte) ([]byte, error) {
	if err := exact(raw); err != nil {
		return nil, err
	}
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		return nil, fault.Wrap(err, fault.Invalid, "not one JSON value with each name once")
	}
	return v, nil
}

// exact reports the first number that is no exact one.
func exact(raw []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	for {
		token, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fault.Wrap(err, fault.Invalid, "not one JSON value with each name once")
		case token.Kind() != '0':
			continue
		}
		n, err := strconv.ParseFloat(token.String(), 64)
		if err != nil || math.Abs(n) > maxExact {
			return fault.New(fault.Invalid, "a number beyond 2^53-1 has no exact form")
		}
	}
}

// Hash is the SHA-256 of the canonical form of a value.
func Hash(v any) (string, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return "", err
	}
	canonical, err := Canonical(raw)
	if err != nil {
		return "", err
	}
	return Sum(canonical), nil
}

// HashOf is the hash of an answer of ours, which always has a canonical form.
func HashOf(raw json.RawMessage) string {
	canonical, err := Canonical(raw)
	if err != nil {
		canonical = raw
	}
	return Sum(canonical)
}

// Sum is the SHA-256 of bytes, in hex.
func Sum(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
