package api

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"merve/internal/cloud/trigger"
	"merve/internal/edge/httpapi"
	"merve/internal/provider/twilio"
)

// Webhook checks Twilio's signature on webhooks.
type Webhook struct {
	AuthToken func(ctx context.Context) (string, error)
	PublicURL string
	// UnsignedFromLoopback takes unsigned webhooks from this machine when there is no token.
	UnsignedFromLoopback bool
	Log                  *slog.Logger
}

// signed reads the form of a webhook whose signature is right.
func (h *Webhook) signed(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	body, err := httpapi.ReadBody(w, r, twilio.MaxWebhook)
	if err != nil {
		return nil, err
	}
	token, err := h.AuthToken(r.Context())
	if err != nil {
		return nil, err
	}
	if token == "" && h.UnsignedFromLoopback && fromLoopback(r) {
		return twilio.Form(body)
	}
	err = twilio.VerifyAny(token, twilio.URLs(h.PublicURL, r), body, r.Header.Get("Content-Type"), r.Header.Get("X-Twilio-Signature"))
	if errors.Is(err, twilio.ErrSignature) {
		h.Log.WarnContext(r.Context(), "webhook with a bad signature", "path", r.URL.Path)
	}
	if err != nil {
		return nil, err
	}
	return twilio.Form(body)
}

// fromLoopback reports whether this machine asks for itself: a tunnel that ends here names whom it
// asks for.
func fromLoopback(r *http.Request) bool {
	source := trigger.Info(r.Context()).SourceIP
	ip := net.ParseIP(source)
	return ip != nil && ip.IsLoopback() && r.Header.Get("X-Forwarded-For") == source // the gateway's own entry alone
}
