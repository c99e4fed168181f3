package app

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"merve/internal/llm"
	"merve/internal/provider/openai"
)

// lazyModel makes the model's client when the first question comes, because its key may
// have to be fetched.
type lazyModel struct {
	b  *Base
	mu sync.Mutex
	m  llm.Model
}

// attempt is how long one try of a model may take; a turn's own limit is above it.
const attempt = 75 * time.Second

func (l *lazyModel) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	m, err := l.model(ctx)
	if err != nil {
		return llm.Response{}, err
	}
	return m.Complete(ctx, req)
}

func (l *lazyModel) model(ctx context.Context) (llm.Model, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.m != nil {
		return l.m, nil
	}
	key, err := l.b.secrets.get(ctx, "OPENAI_API_KEY")
	if err != nil {
		return nil, llm.Fail(llm.Unavailable, "key: %w", err)
	}
	if key == "" {
		return nil, llm.Fail(llm.Refused, "OPENAI_API_KEY is not set")
	}
	m, err := openai.New(openai.Config{
		BaseURL: l.b.Config.OpenAIBaseURL, Key: key, Model: l.b.Config.OpenAIModel,
		HTTP: &http.Client{}, AttemptTimeout: attempt, Now: l.b.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	l.m = m
	return m, nil
}
