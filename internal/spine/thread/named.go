package thread

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
)

// callFor is how long a conversation is found by a call session that was in it.
const callFor = 30 * 24 * time.Hour

// callItem leads from a call session to its conversation.
type callItem struct {
	TTL int64 `dynamodbav:"ttl"`
}

// find gives the writes by which a conversation with a name is found. They are made with its thread and stay with
// its head, as the thread of a name stays the same.
func (s *Store) find(id string, in channel.Inbound) []dynamo.Write {
	return []dynamo.Write{
		s.Table.Put(dynamo.Key{PK: talksOf(in.Market, in.From.Key()), SK: id}, struct{}{}),
		s.Table.Put(dynamo.Key{PK: foundBy("talk", in.Market, in.Talk), SK: id}, struct{}{}),
	}
}

// FindCall is the write by which a conversation is found by a call session that begins in it.
func (s *Store) FindCall(id, market, session string) dynamo.Write {
	return s.Table.Put(dynamo.Key{PK: foundBy("call", market, session), SK: id}, callItem{TTL: s.Now().Add(callFor).Unix()})
}

func talksOf(market, owner string) string { return "talks#" + market + "#" + owner }

// foundBy is a partition for what a client has named. Names may be personal, and stay when all else is erased: only
// their hashes are kept.
func foundBy(kind, market, name string) string {
	sum := sha256.Sum256([]byte(market + "\x00" + name))
	return kind + "#" + hex.EncodeToString(sum[:16])
}

// All names the threads that owners have in a market: on each of the kinds, whether or not there is one, and all
// conversations that they have named. 1 request for each owner, 1 more for each MB.
func (s *Store) All(ctx context.Context, kinds Kinds, market string, owners ...string) ([]string, error) {
	var ids []string
	for _, owner := range owners {
		named, err := s.under(ctx, talksOf(market, owner))
		if err != nil {
			return nil, fmt.Errorf("threads of an owner: %w", err)
		}
		ids = slices.Concat(ids, kinds.IDs(market, owner), named)
	}
	return ids, nil
}

// Called lists the conversations of a market that have a name, whoever's they are; InCall those that have been in
// a call session. The one that was used last comes first. 2 requests.
func (s *Store) Called(ctx context.Context, market, name string) ([]Head, error) {
	return s.found(ctx, foundBy("talk", market, name))
}

// InCall is told of beside [Store.Called].
func (s *Store) InCall(ctx context.Context, market, session string) ([]Head, error) {
	return s.found(ctx, foundBy("call", market, session))
}

func (s *Store) found(ctx context.Context, pk string) ([]Head, error) {
	ids, err := s.under(ctx, pk)
	if err != nil {
		return nil, fmt.Errorf("find a conversation: %w", err)
	}
	heads, err := s.Heads(ctx, ids...)
	slices.SortStableFunc(heads, func(a, b Head) int { return b.LastIn.Compare(a.LastIn) })
	return heads, err
}

func (s *Store) under(ctx context.Context, pk string) (ids []string, err error) {
	err = s.Table.Each(ctx, dynamo.Under(pk, "th_"), func(it dynamo.Item) error {
		ids = append(ids, it.Key().SK)
		return nil
	})
	return ids, err
}
