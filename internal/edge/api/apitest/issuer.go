package apitest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

const audience = "merve-test"

// issuer signs people in with a key, and serves the public half of it.
type issuer struct {
	Key    *rsa.PrivateKey
	server *httptest.Server
}

func newIssuer() *issuer {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err) // never fails with this reader
	}
	i := &issuer{Key: key}
	i.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "k1", "use": "sig", "alg": "RS256",
			"n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()),
			"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
		}}})
	}))
	return i
}

// Claims are those of a token of somebody.
func (i *issuer) Claims(subject string, groups ...string) jwt.MapClaims {
	return jwt.MapClaims{
		"iss": i.server.URL, "aud": audience, "sub": subject, "name": "Test", "exp": Now().Add(time.Hour).Unix(), "groups": groups,
	}
}

func (i *issuer) sign(t *testing.T, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = "k1"
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Token returns the header of a request of somebody who has signed in.
func (i *issuer) Token(t *testing.T, subject string, groups ...string) []string {
	t.Helper()
	return []string{"Authorization", "Bearer " + i.sign(t, jwt.SigningMethodRS256, i.Key, i.Claims(subject, groups...))}
}

// Forged returns tokens that must not let anyone in.
func (i *issuer) Forged(t *testing.T) map[string]string {
	t.Helper()
	changed := func(change func(jwt.MapClaims)) string {
		c := i.Claims("mallory", "admin")
		change(c)
		return i.sign(t, jwt.SigningMethodRS256, i.Key, c)
	}
	public, err := x509.MarshalPKIXPublicKey(&i.Key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	good := i.Claims("mallory", "admin")
	critical := jwt.NewWithClaims(jwt.SigningMethodRS256, good)
	critical.Header["kid"], critical.Header["crit"], critical.Header["seal"] = "k1", []string{"seal"}, "broken"
	sealed, err := critical.SignedString(i.Key)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"expired":                   changed(func(c jwt.MapClaims) { c["exp"] = Now().Add(-time.Minute).Unix() }),
		"never expires":             changed(func(c jwt.MapClaims) { delete(c, "exp") }),
		"not yet":                   changed(func(c jwt.MapClaims) { c["nbf"] = Now().Add(time.Hour).Unix() }),
		"for another audience":      changed(func(c jwt.MapClaims) { c["aud"] = "another" }),
		"of another issuer":         changed(func(c jwt.MapClaims) { c["iss"] = "https://issuer.invalid" }),
		"of nobody":                 changed(func(c jwt.MapClaims) { delete(c, "sub") }),
		"alg none":                  i.sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good),
		"HS256 with the public key": i.sign(t, jwt.SigningMethodHS256, public, good),
		"HS256 with the PEM":        i.sign(t, jwt.SigningMethodHS256, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), good),
		"of another key":            i.sign(t, jwt.SigningMethodRS256, other, good),
		"with a critical extension": sealed,
		"no token":                  "not-a-token",
	}
}
