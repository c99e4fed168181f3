package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"merve/internal/cloud/alert"
	"merve/internal/model/llm"
	"merve/internal/provider/openai"
)

// lazyModel asks the model with the key that there is now: it may have to be fetched, and be
// changed while this runs. A client costs nothing to make; connections are the process's.
type lazyModel struct {
	b *Base

	mu   sync.Mutex
	told time.Time // when an alert was last raised
}

// attempt is how long one try of a model may take; a turn's own limit is above it.
const attempt = 75 * time.Second

func (l *lazyModel) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	m, err := l.model(ctx)
	if err != nil {
		return llm.Response{}, l.noted(ctx, err)
	}
	answer, err := m.Complete(ctx, req)
	return answer, l.noted(ctx, err)
}

func (l *lazyModel) Stream(ctx context.Context, req llm.Request, say func(delta string) error) (llm.Response, error) {
	m, err := l.model(ctx)
	if err != nil {
		return llm.Response{}, l.noted(ctx, err)
	}
	answer, err := m.Stream(ctx, req, say)
	return answer, l.noted(ctx, err)
}

const (
	alertWithin = 5 * time.Second
	alertEvery  = time.Minute // and process, while the key is refused
)

// noted raises a critical alert when the provider refuses the key: customers are only told to try again, and
// nobody else would know. It returns err.
func (l *lazyModel) noted(ctx context.Context, err error) error {
	if !llm.OfAccount(err) || !l.due() {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), alertWithin)
	defer cancel()
	l.b.countAlerts(ctx, 1)
	a := refusedKey()
	a.Message = "nobody is answered: " + err.Error()
	if raised := l.b.Alerts().Raise(ctx, a); raised != nil {
		l.b.Log.ErrorContext(ctx, "alert not raised", "error", raised.Error())
	}
	return err
}

// due reports whether it is time for another alert.
func (l *lazyModel) due() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.b.Now()
	if now.Sub(l.told) < alertEvery {
		return false
	}
	l.told = now
	return true
}

// refusedKey is the alert that the model's provider does not take our key.
func refusedKey() alert.Alert {
	return alert.Alert{Check: "model", Severity: alert.Critical, Subject: modelKey}
}

const modelKey = "OPENAI_API_KEY"

// modelPart is what the health check says of the model: an alert that was raised within the hour counts. That
// alerts cannot be read is no news of the model.
func (b *Base) modelPart(ctx context.Context) string {
	a, open, err := b.Alerts().Open(ctx, refusedKey())
	if err != nil {
		b.Log.WarnContext(ctx, "alerts not read", "error", err.Error())
	}
	if !open || b.Now().Sub(a.LastAt) > time.Hour {
		return "on"
	}
	return "refused: the provider does not take " + modelKey
}

func (l *lazyModel) model(ctx context.Context) (llm.Model, error) {
	key, err := l.b.secrets.get(ctx, modelKey)
	if err != nil {
		return nil, llm.Fail(llm.Unavailable, "key: %w", err)
	}
	if key == "" {
		return nil, &llm.Error{Meaning: llm.Refused, Account: true, Err: errors.New(modelKey + " is not set")}
	}
	m, err := openai.New(openai.Config{
		BaseURL: l.b.Config.OpenAIBaseURL, Key: key, Model: l.b.Config.OpenAIModel,
		HTTP: l.b.client("openai"), Retry: llm.Retry{Timeout: attempt, Now: l.b.Now},
	})
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
}
