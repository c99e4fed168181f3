package oidc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/provider/oidc"
)

const (
	issuer   = "https://issuer.example"
	audience = "merve-test"
)

var now = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// keys are those of an issuer, and the server that publishes them.
type keys struct {
	rsa     *rsa.PrivateKey
	ec      *ecdsa.PrivateKey
	server  *httptest.Server
	fetched atomic.Int32
}

func newKeys(t *testing.T) *keys {
	t.Helper()
	k := &keys{}
	var err error
	if k.rsa, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	if k.ec, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	word := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.FillBytes(make([]byte, 32))) }
	set, err := json.Marshal(map[string]any{"keys": []any{
		map[string]any{"kty": "RSA", "kid": "rsa", "use": "sig", "alg": "RS256", "n": base64.RawURLEncoding.EncodeToString(k.rsa.N.Bytes()), "e": "AQAB"},
		// Not every issuer says what a key is for.
		map[string]any{"kty": "RSA", "kid": "bare", "n": base64.RawURLEncoding.EncodeToString(k.rsa.N.Bytes()), "e": "AQAB"},
		map[string]any{"kty": "EC", "kid": "ec", "use": "sig", "alg": "ES256", "crv": "P-256", "x": word(k.ec.X), "y": word(k.ec.Y)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	k.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		k.fetched.Add(1)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(set) // the test sees what comes of it
	}))
	t.Cleanup(k.server.Close)
	return k
}

func (k *keys) verifier(t *testing.T) *oidc.Verifier {
	v := &oidc.Verifier{Issuer: issuer, Audience: audience, JWKSURL: k.server.URL, Now: func() time.Time { return now }}
	t.Cleanup(v.Close)
	return v
}

func claims(change ...func(jwt.MapClaims)) jwt.MapClaims {
	c := jwt.MapClaims{"iss": issuer, "aud": audience, "sub": "u1", "name": "Ann", "phone_number": "+15550100", "exp": now.Add(time.Hour).Unix()}
	for _, f := range change {
		f(c)
	}
	return c
}

func sign(t *testing.T, method jwt.SigningMethod, kid string, key any, c jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, c)
	token.Header["kid"] = kid
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func set(name string, value any) func(jwt.MapClaims) {
	return func(c jwt.MapClaims) { c[name] = value }
}

func TestGoodTokens(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	v := k.verifier(t)
	ann := actor.Actor{Kind: actor.User, ID: "u1", Name: "Ann", Phone: "+15550100"}
	withGroups := ann
	withGroups.Groups = []string{"staff", "admin"}
	for name, tt := range map[string]struct {
		token string
		want  actor.Actor
	}{
		"RS256":             {sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims()), ann},
		"ES256":             {sign(t, jwt.SigningMethodES256, "ec", k.ec, claims()), ann},
		"several audiences": {sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("aud", []string{"other", audience}))), ann},
		"groups":            {sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("groups", []string{"staff"}), set("cognito:groups", []string{"admin"}))), withGroups},
		"just expired":      {sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("exp", now.Add(-10*time.Second).Unix()))), ann},
	} {
		got, err := v.Verify(t.Context(), tt.token)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(got.Groups) == 0 {
			got.Groups = nil
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if n := k.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

func TestBadTokens(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	v := k.verifier(t)
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&k.rsa.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	without := func(name string) func(jwt.MapClaims) { return func(c jwt.MapClaims) { delete(c, name) } }
	good := sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims())
	head, rest, _ := strings.Cut(good, ".")
	body, signature, _ := strings.Cut(rest, ".")
	admin := base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"` + issuer + `","aud":"` + audience + `","sub":"u1","exp":4000000000,"groups":["admin"]}`))
	for name, token := range map[string]string{
		"empty":                     "",
		"no token":                  "a.b.c",
		"two parts":                 head + "." + body,
		"no signature":              head + "." + body + ".",
		"another's claims":          head + "." + admin + "." + signature,
		"alg none":                  sign(t, jwt.SigningMethodNone, "rsa", jwt.UnsafeAllowNoneSignatureType, claims()),
		"HS256 with the public key": sign(t, jwt.SigningMethodHS256, "rsa", public, claims()),
		"HS256 with the PEM":        sign(t, jwt.SigningMethodHS256, "rsa", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}), claims()),
		"HS256 with the modulus":    sign(t, jwt.SigningMethodHS256, "rsa", k.rsa.N.Bytes(), claims()),
		"an algorithm not taken":    sign(t, jwt.SigningMethodPS512, "bare", k.rsa, claims()),
		"another key":               sign(t, jwt.SigningMethodRS256, "rsa", other, claims()),
		"unknown key":               sign(t, jwt.SigningMethodRS256, "other", other, claims()),
		"key of another kind":       sign(t, jwt.SigningMethodES256, "rsa", k.ec, claims()),
		"expired":                   sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("exp", now.Add(-time.Minute).Unix()))),
		"no expiry":                 sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(without("exp"))),
		"not yet valid":             sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("nbf", now.Add(time.Hour).Unix()))),
		"another audience":          sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("aud", "other"))),
		"no audience":               sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(without("aud"))),
		"another issuer":            sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("iss", issuer+"/"))),
		"no issuer":                 sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(without("iss"))),
		"no subject":                sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(without("sub"))),
		"subject a number":          sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims(set("sub", 1))),
	} {
		got, err := v.Verify(t.Context(), token)
		if !fault.Is(err, fault.Unauthenticated) {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(actor.Actor{}, got); diff != "" {
			t.Errorf("%s: somebody came out: %s", name, diff)
		}
		if message, _ := fault.Public(err); err != nil && strings.Contains(message, "crypto") {
			t.Errorf("%s: says too much: %s", name, message)
		}
	}
}

func TestOneFetchForManyAtOnce(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	v := k.verifier(t)
	token := sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims())
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := v.Verify(t.Context(), token); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := k.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

// The first request may go away while the keys are fetched; the next ones must not suffer.
func TestKeysOutliveTheirFirstRequest(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	v := k.verifier(t)
	token := sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims())
	gone, leave := context.WithCancelCause(t.Context())
	leave(errors.New("the client has gone"))
	if _, err := v.Verify(gone, token); err != nil {
		t.Error(err)
	}
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Error(err)
	}
}

// Keys that cannot be had are not the token's fault, and are asked for again.
func TestKeysAreAway(t *testing.T) {
	t.Parallel()
	k := newKeys(t)
	token := sign(t, jwt.SigningMethodRS256, "rsa", k.rsa, claims())
	var away atomic.Bool
	away.Store(true)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		http.Redirect(w, r, k.server.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(front.Close)
	v := k.verifier(t)
	v.JWKSURL = front.URL
	if _, err := v.Verify(t.Context(), token); !fault.Is(err, fault.Unavailable) {
		t.Errorf("with the keys away: %v", err)
	}
	away.Store(false)
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Errorf("with the keys back: %v", err)
	}
}
