package app

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"merve/internal/llm"
	"merve/internal/provider/openai"
)

// lazyModel asks the model with the key that there is now: it may have to be fetched, and be
// changed while this runs. A client costs nothing to make; connections are the process's.
type lazyModel struct{ b *Base }

// attempt is how long one try of a model may take; a turn's own limit is above it.
const attempt = 75 * time.Second

func (l *lazyModel) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	m, err := l.model(ctx)
	if err != nil {
		return llm.Response{}, err
	}
	return m.Complete(ctx, req)
}

func (l *lazyModel) Stream(ctx context.Context, req llm.Request, say func(delta string) error) (llm.Response, error) {
	m, err := l.model(ctx)
	if err != nil {
		return llm.Response{}, err
	}
	return m.Stream(ctx, req, say)
}

func (l *lazyModel) model(ctx context.Context) (llm.Model, error) {
	key, err := l.b.secrets.get(ctx, "OPENAI_API_KEY")
	if err != nil {
		return nil, llm.Fail(llm.Unavailable, "key: %w", err)
	}
	if key == "" {
		return nil, llm.Fail(llm.Refused, "OPENAI_API_KEY is not set")
	}
	m, err := openai.New(openai.Config{
		BaseURL: l.b.Config.OpenAIBaseURL, Key: key, Model: l.b.Config.OpenAIModel,
		HTTP: &http.Client{}, Retry: llm.Retry{Timeout: attempt, Now: l.b.Now},
	})
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}
