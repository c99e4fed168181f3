// Package limit counts what somebody does within an hour or another time, and refuses what is too much.
//
//	limit#{what}#{who}   {hour}   how often (table conversations; gone a day later)
//	limit#{what}#{who}   {time}   the same within a shorter time, by its beginning
//
// Cost: 1 request, 1 write unit.
package limit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Counter counts by the hour, or by a shorter time. Counts are upper bounds: a request that is repeated because its
// answer was lost counts twice.
type Counter struct {
	Table dynamo.Table // conversations
	Now   func() time.Time
}

// ErrTooMany is the answer to what is too much in an hour.
var ErrTooMany = fault.New(fault.Limited, "too many in one hour: try again later")

func key(what, who, span string) dynamo.Key {
	sum := sha256.Sum256([]byte(who))
	return dynamo.Key{PK: "limit#" + what + "#" + hex.EncodeToString(sum[:16]), SK: span}
}

// Take counts one more of what by who. It returns [ErrTooMany] if that would be more than most in this hour. It
// stores only a hash of who.
func (c *Counter) Take(ctx context.Context, what, who string, most int) error {
	return c.take(ctx, what, who, c.Now().UTC().Format("2006-01-02T15"), most, ErrTooMany)
}

// Within is [Counter.Take] by a time that is a part of an hour; refusal is the answer to what is too much.
func (c *Counter) Within(ctx context.Context, what, who string, most int, span time.Duration, refusal error) error {
	return c.take(ctx, what, who, c.Now().UTC().Truncate(span).Format("2006-01-02T15:04:05"), most, refusal)
}

func (c *Counter) take(ctx context.Context, what, who, span string, most int, refusal error) error {
	w := c.Table.Count(key(what, who, span), "n", most, c.Now().Add(24*time.Hour))
	if err := c.Table.DB().Commit(ctx, w.Else(refusal)); err != nil {
		return fmt.Errorf("limit of %s: %w", what, err)
	}
	return nil
}
