// Package sample has one of each kind of place that is mutated.
package sample

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/outbox"
)

type store struct{ table dynamo.Table }

const free = "attribute_not_exists(until) OR until <= :now"

func (s store) writes(k dynamo.Key, conds []string) []dynamo.Write {
	conds = append(conds, "attribute_exists(pk)")
	return []dynamo.Write{
		s.table.Put(k, k).IfAbsent(),
		s.table.Put(k, k).AtVersion(2),
		s.table.Delete(k).AtVersionOrGone(2),
		s.table.Update(k, "SET a = :a", dynamo.V{":a": 1}).
			If("a = :b AND (b = :b OR c = :b)", dynamo.V{":b": 2}).If(free, nil),
		s.table.Check(k, strings.Join(conds, " AND "), nil),
	}
}

func (s store) commit(ctx context.Context, k dynamo.Key, more []dynamo.Write) error {
	if err := s.table.DB().Commit(ctx, append(more, s.table.Delete(k))...); err != nil {
		return err
	}
	return s.table.DB().Commit(ctx, more...)
}

var errNotYours = errors.New("not yours")

func (s store) refuse(a actor.Actor, owner string, n int) error {
	if err := a.Owns(owner); err != nil {
		return err
	}
	if n > 10 || owner == "nobody" {
		return errNotYours
	}
	var err error
	switch {
	case n < 0, n == 3 && owner != "":
		return errNotYours
	case n > 5:
		n = 5
	case n == 4:
		err = errNotYours
	}
	return err
}

// kind has a case that is no condition.
func kind(v any) error {
	switch v.(type) {
	case bool:
		return errNotYours
	}
	return nil
}

func ttl(now time.Time) int64 { return now.Add(time.Hour).Unix() }

func key(owner string) string { return "key:" + owner }

func message(owner string) outbox.Message { return outbox.Message{Thread: owner, ID: "m-" + owner} }

func queue(ctx context.Context, q interface {
	Queue(ctx context.Context, thread, dedupe string) error
}) error {
	return q.Queue(ctx, "thread", "once")
}

func hash(owner string, n int) string {
	terms := []any{"terms", owner}
	terms = append(terms, n)
	raw, _ := json.Marshal(terms)
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

func item(owner string, n int) dynamo.Key {
	return dynamo.Key{PK: partition(owner), SK: fmt.Sprintf("item#%d", n)}
}

func partition(owner string) string { return "items#" + owner }
