package app

import (
	"cmp"
	"context"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/queue"
	"merve/internal/edge/api"
)

func (b *Base) health() api.Health {
	needs := map[string]func(context.Context) error{"store": b.storeAnswers, turns + " queue": b.turnsAnswer}
	if b.secrets.id != "" {
		needs["secret"] = b.secrets.answers
	}
	return api.Health{
		Version: b.Config.Version, Model: b.Config.OpenAIModel, Live: cmp.Or(b.Config.LiveURL, "/live"), Parts: b.parts, Needs: needs,
		Failed: func(ctx context.Context, need string, err error) {
			b.Log.ErrorContext(ctx, "not ready", "need", need, "error", err.Error())
		},
	}
}

// parts says what is on. A part is on when its key is there, and not for there being a secret that may have it.
func (b *Base) parts(ctx context.Context) map[string]string {
	parts := map[string]string{
		"model": b.keyed(ctx, modelKey), "whatsapp": b.keyed(ctx, "TWILIO_AUTH_TOKEN"), "payments": b.keyed(ctx, "STRIPE_SECRET_KEY"), "signIn": "on",
	}
	if parts["model"] == "on" {
		parts["model"] = b.modelPart(ctx)
	}
	if b.Config.TwilioAccountSID == "" {
		parts["whatsapp"] = "off: TWILIO_ACCOUNT_SID is not set"
	}
	if b.Config.AuthIssuer == "" {
		parts["signIn"] = "off: AUTH_ISSUER is not set"
	}
	return parts
}

// keyed is "on" when there is a key, or says why the part is off that needs it.
func (b *Base) keyed(ctx context.Context, name string) string {
	key, err := b.secrets.get(ctx, name)
	switch {
	case err != nil:
		b.Log.WarnContext(ctx, "secrets not read", "error", err.Error())
		return "off: the secret with " + name + " cannot be read"
	case key == "":
		return "off: " + name + " is not set"
	}
	return "on"
}

// storeAnswers asks all tables that a turn needs, in one request.
func (b *Process) storeAnswers(ctx context.Context) error {
	var nothing dynamo.Key // that anything is ever stored under
	nothing.PK, nothing.SK = "ready", "ready"
	_, err := b.db.BatchGet(ctx, dynamo.Place{Table: b.conversations(), Key: nothing}, dynamo.Place{Table: b.ledgerTable(), Key: nothing},
		dynamo.Place{Table: b.catalog(), Key: nothing}, dynamo.Place{Table: b.records(), Key: nothing})
	return err
}

// turnsAnswer asks the queue of turns. One in the process is always there.
func (b *Process) turnsAnswer(ctx context.Context) error {
	if q, ok := b.queueOf(turns).(*queue.SQS); ok {
		return q.Answers(ctx)
	}
	return nil
}

// answers asks the store of secrets, whatever is kept of it.
func (s *secrets) answers(ctx context.Context) error {
	_, err := s.fetch(ctx)
	return fault.Wrap(err, fault.Unavailable, "the secret store is away for now")
}

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
