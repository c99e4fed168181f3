package person

import (
	"context"
	"errors"
)

// Subject is the person whose data is exported or erased: who owns by a key with one tenant.
type Subject struct {
	Market  string   // the tenant's; what the person has with another is not to be touched
	Owner   string   // actor key
	Threads []string // all threads they have there, with any assistant; the one that the request came on is last
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

// Exported returns all in the form of an export: nil, which an export leaves out, if all is empty.
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
