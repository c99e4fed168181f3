package thread

import (
	"context"
	"fmt"
	"time"

	"merve/internal/cloud/dynamo"
)

// Entry is one step of a running turn: what the model decided, or what the tools of that decision returned. A step is
// written once. A second turn, after a crash or with a lost lease, goes on with what the first has written.
type Entry struct {
	Step int       `dynamodbav:"step"`
	Kind string    `dynamodbav:"kind"`
	Data string    `dynamodbav:"data"` // JSON, the turn's own
	At   time.Time `dynamodbav:"at"`
	TTL  int64     `dynamodbav:"ttl"`
}

const journalFor = 30 * 24 * time.Hour

func journalKey(id string, turn, step int) dynamo.Key {
	return dynamo.Key{PK: id, SK: fmt.Sprintf("%s%04d", journalOf(turn), step)}
}

// journalOf begins the sort keys of a turn's journal.
func journalOf(turn int) string { return fmt.Sprintf("journal#%08d#", turn) }

func turnSK(n int) string { return fmt.Sprintf("turn#%08d", n) }

// Record journals step e of a turn, together with the writes that join it, and returns the entry that counts: e, or the
// one that was there before.
func (s *Store) Record(ctx context.Context, id string, turn int, e Entry, join ...dynamo.Write) (Entry, error) {
	e.At = s.Now()
	e.TTL = e.At.Add(journalFor).Unix()
	stands := e
	had := false
	put := s.Table.Put(journalKey(id, turn, e.Step), e).IfAbsent().ElseOld(func(old dynamo.Item) error {
		err := old.Decode(&stands)
		had = err == nil
		return err
	})
	err := s.Table.DB().Commit(ctx, append([]dynamo.Write{put}, join...)...)
	if had {
		return stands, nil
	}
	if err != nil {
		return Entry{}, fmt.Errorf("journal of thread %s, turn %d, step %d: %w", id, turn, e.Step, err)
	}
	return e, nil
}

func (h history) journal(ctx context.Context, id string, turn int) ([]Entry, error) {
	page, err := h.table.Query(ctx, dynamo.Query{
		Where:  "pk = :pk AND begins_with(sk, :prefix)",
		Values: dynamo.V{":pk": id, ":prefix": journalOf(turn)},
	})
	if err != nil {
		return nil, fmt.Errorf("journal of thread %s, turn %d: %w", id, turn, err)
	}
	return dynamo.Decode[Entry](page.Items)
}
