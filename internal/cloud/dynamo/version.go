package dynamo

import (
	"context"

	"merve/internal/base/actor"
)

// Items that change as a whole count their changes in the attribute version, from 1.

// AtVersion is the condition that the item still has the version that was read; 0 means that it must not exist.
func (w Write) AtVersion(read int) Write {
	if read == 0 {
		return w.IfAbsent()
	}
	return w.If("#version = :versionRead", V{":versionRead": read})
}

// Unchanged is the condition that an item is still of the version that it was read as. It changes nothing.
func (t Table) Unchanged(key Key, read int) Write {
	return Write{op: opCheck, table: t.name, key: key}.AtVersion(read)
}

// AtVersionOrGone is the condition that the item is still of the version that it was read as, or is gone.
func (w Write) AtVersionOrGone(read int) Write {
	return w.If("attribute_not_exists(pk) OR #version = :versionRead", V{":versionRead": read})
}

// NextVersion returns the version that a change gives an item. stored is the item's version, 0 if it does not exist. named is the
// version that the change is based on, 0 to replace any. If the two differ, the error is stale, or [actor.ErrNotFound] if the item
// does not exist.
func NextVersion(named, stored int, stale error) (int, error) {
	switch {
	case named != 0 && stored == 0:
		return 0, actor.ErrNotFound
	case named != 0 && named != stored:
		return 0, stale
	}
	return stored + 1, nil
}

// Find reads an item, nil if it does not exist. 1 request.
func Find[T any](ctx context.Context, t Table, key Key) (*T, error) {
	it, err := t.Get(ctx, key)
	if err != nil || it == nil {
		return nil, err
	}
	found := new(T)
	return found, it.Decode(found)
}
