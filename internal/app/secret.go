package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"merve/internal/base/fault"
)

// secrets finds keys: in the environment, else in the one secret of Secrets Manager
// whose name the environment gives. It is asked at first use, never at start.
type secrets struct {
	getenv func(string) string
	id     string
	cfg    aws.Config
	now    func() time.Time
	log    *slog.Logger

	mu    sync.Mutex
	kept  map[string]string
	until time.Time
}

const (
	secretFreshFor   = 5 * time.Minute
	secretRetryAfter = 20 * time.Second // after a refresh that failed
)

// own returns a key from the environment. Keys are pasted, often with the line break behind them, which no header
// can hold.
func (s *secrets) own(name string) string { return strings.TrimSpace(s.getenv(name)) }

// get returns the first of the names that is set, or "" when none is.
func (s *secrets) get(ctx context.Context, names ...string) (string, error) {
	for _, name := range names {
		if v := s.own(name); v != "" {
			return v, nil
		}
	}
	if s.id == "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil || s.now().After(s.until) {
		kept, err := s.fetch(ctx)
		switch {
		case err == nil:
			s.kept, s.until = kept, s.now().Add(secretFreshFor)
		case s.kept == nil:
			return "", fault.Wrap(err, fault.Unavailable, "the secret store is away for now")
		default: // keys seldom change: old ones are better than none
			s.log.WarnContext(ctx, "secrets not refreshed", "error", err.Error())
			s.until = s.now().Add(secretRetryAfter)
		}
	}
	for _, name := range names {
		if v := strings.TrimSpace(s.kept[name]); v != "" {
			return v, nil
		}
	}
	return "", nil
}

// has reports whether the environment has one of the names, or there is somewhere to ask for it.
func (s *secrets) has(names ...string) bool {
	return s.id != "" || slices.ContainsFunc(names, func(name string) bool { return s.own(name) != "" })
}

func (s *secrets) fetch(ctx context.Context) (map[string]string, error) {
	out, err := secretsmanager.NewFromConfig(s.cfg).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.id})
	if err != nil {
		return nil, fmt.Errorf("secret %s: %w", s.id, err)
	}
	kept := map[string]string{}
	if err := json.Unmarshal([]byte(aws.ToString(out.SecretString)), &kept); err != nil {
		return nil, fmt.Errorf("secret %s: want a JSON object of strings", s.id)
	}
	return kept, nil
}
