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

// callFor is how long a conversation can be found by a call session that was in it.
const callFor = 30 * 24 * time.Hour

// callItem leads from a call session to its conversation.
type callItem struct {
	TTL int64 `dynamodbav:"ttl"`
}

// names are those that clients have given to conversations and to the call sessions in them.
type names struct{ table dynamo.Table }

// writes makes a conversation with a name findable. They are committed with its thread and stay with its head, as the
// thread of a name stays the same.
func (n names) writes(id string, in channel.Inbound) []dynamo.Write {
	return []dynamo.Write{
		n.table.Put(dynamo.Key{PK: talksOf(in.Market, in.From.Key()), SK: id}, struct{}{}),
		n.table.Put(dynamo.Key{PK: foundBy("talk", in.Market, in.Talk), SK: id}, struct{}{}),
	}
}

// FindCall is the write that makes a conversation findable by a call session that begins in it.
func (s *Store) FindCall(id, market, session string) dynamo.Write {
	return s.Table.Put(dynamo.Key{PK: foundBy("call", market, session), SK: id}, callItem{TTL: s.Now().Add(callFor).Unix()})
}

func talksOf(market, owner string) string { return "talks#" + market + "#" + owner }

// foundBy is the partition of a name that a client has given. Names may be personal and outlast an erasure, so only their
// hashes are stored.
func foundBy(kind, market, name string) string {
	sum := sha256.Sum256([]byte(market + "\x00" + name))
	return kind + "#" + hex.EncodeToString(sum[:16])
}

// All lists the ids of the threads that owners have in a market: one for each kind, whether or not it exists, and all
// conversations that they have named. 1 request for each owner, 1 more for each MB.
func (s *Store) All(ctx context.Context, kinds Kinds, market string, owners ...string) ([]string, error) {
	var ids []string
	for _, owner := range owners {
		named, err := names{s.Table}.under(ctx, talksOf(market, owner))
		if err != nil {
			return nil, fmt.Errorf("threads of an owner: %w", err)
		}
		ids = slices.Concat(ids, kinds.IDs(market, owner), named)
	}
	return ids, nil
}

// Called lists the conversations with a name in a market, of any owner, the last used first. 2 requests.
func (s *Store) Called(ctx context.Context, market, name string) ([]Head, error) {
	return s.found(ctx, "talk", market, name)
}

// InCall lists the conversations in a market that a call session was in, the last used first. 2 requests.
func (s *Store) InCall(ctx context.Context, market, session string) ([]Head, error) {
	return s.found(ctx, "call", market, session)
}

func (s *Store) found(ctx context.Context, kind, market, name string) ([]Head, error) {
	ids, err := names{s.Table}.under(ctx, foundBy(kind, market, name))
	if err != nil {
		return nil, fmt.Errorf("find a conversation: %w", err)
	}
	heads, err := s.Heads(ctx, ids...)
	slices.SortStableFunc(heads, func(a, b Head) int { return b.LastIn.Compare(a.LastIn) })
	return heads, err
}

func (n names) under(ctx context.Context, pk string) (ids []string, err error) {
	err = n.table.Each(ctx, dynamo.Under(pk, "th_"), func(it dynamo.Item) error {
		ids = append(ids, it.Key().SK)
		return nil
	})
	return ids, err
}
