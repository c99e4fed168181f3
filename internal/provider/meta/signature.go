package meta

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"

	"merve/internal/base/fault"
)

// SignatureHeader is the header in which Meta sends its signature.
const SignatureHeader = "X-Hub-Signature-256"

// MaxWebhook is the largest body that is read, in bytes. Meta puts up to 1,000 events in
// one, and sends no more than this.
// https://developers.facebook.com/docs/graph-api/webhooks/getting-started
const MaxWebhook = 3 << 20

// maxChallenge bounds, in bytes, the reply to a caller who knows the verify token.
const maxChallenge = 1024

var (
	// ErrSignature means that Meta did not sign the request.
	ErrSignature = fault.New(fault.Forbidden, "the signature is not valid")

	// ErrNoSecret means that nothing can be checked: a fault of the configuration, not of
	// the request.
	ErrNoSecret = fault.New(fault.Unavailable, "META_APP_SECRET is not set")

	// ErrVerifyToken means that our app did not send the verification request.
	ErrVerifyToken = fault.New(fault.Forbidden, "the verify token is not ours")
)

// Verify checks that Meta signed a webhook's raw body. The signature covers the bytes as
// sent, where Meta writes non-ASCII characters as \u escapes: a body that was decoded and encoded
// again has a different signature.
// https://developers.facebook.com/documentation/business-messaging/messenger-platform/webhooks
func Verify(appSecret string, body []byte, signature string) error {
	switch {
	case appSecret == "":
		return ErrNoSecret
	case len(body) > MaxWebhook:
		return fault.New(fault.TooLarge, "the body is larger than %d bytes", MaxWebhook)
	}
	if subtle.ConstantTimeCompare([]byte("sha256="+sign(appSecret, body)), []byte(signature)) != 1 {
		return ErrSignature
	}
	return nil
}

// Challenge checks Meta's request to verify a webhook, and returns what to answer it with.
// Without a verify token of our own no request passes.
// https://developers.facebook.com/docs/graph-api/webhooks/getting-started#verification-requests
func Challenge(verifyToken, mode, token, challenge string) (string, error) {
	ours := subtle.ConstantTimeCompare([]byte(verifyToken), []byte(token)) == 1
	switch {
	case verifyToken == "", !ours, mode != "subscribe":
		return "", ErrVerifyToken
	case challenge == "":
		return "", fault.Field("hub.challenge", "missing")
	case len(challenge) > maxChallenge:
		return "", fault.Field("hub.challenge", "at most %d bytes", maxChallenge)
	}
	return challenge, nil
}

// sign is the HMAC-SHA256 of text in lower-case hex digits.
func sign(key string, text []byte) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}
