package person

import (
	"context"
	"errors"
)

// Subject is the person whose data is exported or erased: who owns by a key with one tenant.
type Subject struct {
	Market  string   // the tenant's; what the person has with another is not to be touched
	Owner   string   // actor key
	Threads []string // all that they have there, whoever answers; the one that was asked on comes last
}

// EachThread does the same with all threads of s, whether or not it fails with some.
func (s Subject) EachThread(ctx context.Context, do func(ctx context.Context, threadID string) error) error {
	var errs []error
	for _, id := range s.Threads {
		errs = append(errs, do(ctx, id))
	}
	return errors.Join(errs...)
}

// OfThreads reads what there is of all threads of s.
func OfThreads[T any](ctx context.Context, s Subject, read func(ctx context.Context, threadID string) ([]T, error)) ([]T, error) {
	all := []T{}
	for _, id := range s.Threads {
		some, err := read(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	return all, nil
}

// Exported is all as an export takes it: nil, which is left out, where there is none.
func Exported[T any](all []T, err error) (any, error) {
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return all, nil
}

// Pages reads a list to its end.
func Pages[T any](read func(after string) ([]T, string, error)) ([]T, error) {
	all := []T{}
	for after := ""; ; {
		some, next, err := read(after)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
		if after = next; after == "" {
			return all, nil
		}
	}
}
