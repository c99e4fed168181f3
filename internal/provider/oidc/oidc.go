// Package oidc checks bearer tokens of an OpenID Connect issuer.
//
// Keys are fetched from the issuer's JWKS address when the first token comes, and kept;
// nothing is fetched at start. Only asymmetric algorithms are taken, so neither
// "alg: none" nor a token signed with the public key as a secret gets in.
package oidc

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
	"golang.org/x/time/rate"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
)

// Verifier checks tokens of one issuer for one audience.
type Verifier struct {
	Issuer   string
	Audience string
	JWKSURL  string
	Now      func() time.Time

	mu   sync.Mutex
	keys keyfunc.Keyfunc
	stop context.CancelFunc // ends their refreshing
}

// Close ends the refreshing of the keys. A verifier that lives as long as its process
// needs none.
func (v *Verifier) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stop != nil {
		v.stop()
	}
}

// algorithms are the ones taken (RFC 8725 §3.1: an explicit list).
var algorithms = []string{"RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"}

const leeway = 30 * time.Second

var errBadToken = fault.New(fault.Unauthenticated, "the bearer token is not valid")

type claims struct {
	jwt.RegisteredClaims
	Name    string   `json:"name"`
	Phone   string   `json:"phone_number"`
	Groups  []string `json:"groups"`
	Cognito []string `json:"cognito:groups"`
}

// Verify returns the user whom the token names. Any fault of the token is
// unauthenticated; keys that cannot be fetched are unavailable.
func (v *Verifier) Verify(ctx context.Context, token string) (actor.Actor, error) {
	keys, err := v.keySet(ctx)
	if err != nil {
		return actor.Actor{}, fault.Wrap(err, fault.Unavailable, "sign-in is away for now, try again")
	}
	var c claims
	_, err = jwt.ParseWithClaims(token, &c, uncritical(keys.Keyfunc),
		jwt.WithValidMethods(algorithms), jwt.WithIssuer(v.Issuer), jwt.WithAudience(v.Audience),
		jwt.WithExpirationRequired(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(v.Now))
	if err != nil {
		return actor.Actor{}, fmt.Errorf("%w (%w)", errBadToken, err)
	}
	if c.Subject == "" {
		return actor.Actor{}, errBadToken
	}
	return actor.Actor{Kind: actor.User, ID: c.Subject, Name: c.Name, Phone: c.Phone, Groups: append(c.Groups, c.Cognito...)}, nil
}

// uncritical refuses a token that names critical extensions: a recipient must understand these, and we know none
// (RFC 7515 §4.1.11).
func uncritical(key jwt.Keyfunc) jwt.Keyfunc {
	return func(t *jwt.Token) (any, error) {
		if _, named := t.Header["crit"]; named {
			return nil, jwt.ErrTokenUnverifiable
		}
		return key(t)
	}
}

func (v *Verifier) keySet(ctx context.Context) (keyfunc.Keyfunc, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.keys != nil {
		return v.keys, nil
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	keys, err := fetch(ctx, v.JWKSURL)
	if err != nil {
		stop() // what could not be fetched is not refreshed
		return nil, fmt.Errorf("keys of %s: %w", v.Issuer, err)
	}
	v.keys, v.stop = keys, stop
	return keys, nil
}

const (
	fetchWithin  = 10 * time.Second
	refreshEvery = time.Hour
	unknownEvery = 5 * time.Minute // how often, at most, a token with an unknown key makes us look for new keys
)

// fetch gets the keys, and has them refreshed until ctx ends. Unlike keyfunc's own
// constructors it fails when there is nothing at the address.
func fetch(ctx context.Context, address string) (keyfunc.Keyfunc, error) {
	set, err := jwkset.NewStorageFromHTTP(address, jwkset.HTTPClientStorageOptions{Ctx: ctx, HTTPTimeout: fetchWithin, RefreshInterval: refreshEvery})
	if err != nil {
		return nil, err
	}
	keys, err := jwkset.NewHTTPClient(jwkset.HTTPClientOptions{
		HTTPURLs:          map[string]jwkset.Storage{address: set},
		RateLimitWaitMax:  time.Second,
		RefreshUnknownKID: rate.NewLimiter(rate.Every(unknownEvery), 1),
	})
	if err != nil {
		return nil, err
	}
	return keyfunc.New(keyfunc.Options{Ctx: ctx, Storage: keys})
}
