package oidc_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/provider/oidc"
)

// FuzzToken signs whatever header and claims with the issuer's own key: only what names
// the issuer, the audience, a subject and a time that is not over gets in, as exactly that
// subject. Without that signature nothing does.
func FuzzToken(f *testing.F) {
	public, private, err := ed25519.GenerateKey(strings.NewReader(strings.Repeat("test-seed-not-real", 4)))
	if err != nil {
		f.Fatal(err)
	}
	set, err := json.Marshal(map[string]any{"keys": []any{map[string]any{
		"kty": "OKP", "kid": "ed", "use": "sig", "alg": "EdDSA", "crv": "Ed25519", "x": base64.RawURLEncoding.EncodeToString(public),
	}}})
	if err != nil {
		f.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(set) // the test sees what comes of it
	}))
	f.Cleanup(server.Close)
	v := &oidc.Verifier{Issuer: issuer, Audience: audience, JWKSURL: server.URL, Now: func() time.Time { return now }}
	f.Cleanup(v.Close)

	good := `{"iss":"` + issuer + `","aud":"` + audience + `","sub":"u1","exp":4000000000,"groups":["admin"]}`
	f.Add(`{"alg":"EdDSA","kid":"ed"}`, good, "")
	f.Add(`{"alg":"EdDSA","kid":"ed","crit":["x"],"x":1}`, good, "")
	f.Add(`{"alg":"none"}`, good, "a.b.c")
	f.Add(`{"alg":"HS256","kid":"ed"}`, strings.Replace(good, "4000000000", "4e9", 1), "..")
	f.Add(`{"alg":"EdDSA","kid":"ed"}`, strings.Replace(good, `"`+audience+`"`, `["x","`+audience+`"]`, 1), "")
	f.Add(`{"alg":"EdDSA","kid":"ed"}`, strings.Replace(good, "4000000000", `"4000000000"`, 1), "")
	f.Add(`{"alg":"EdDSA","kid":"ed"}`, strings.Replace(good, `"sub":"u1"`, `"sub":"u1","SUB":"u2"`, 1), "")
	f.Add(`{"alg":"EdDSA","kid":"ed"}`, strings.Replace(good, `"exp"`, `"nbf":1e99,"exp"`, 1), "")
	f.Fuzz(func(t *testing.T, header, claims, other string) {
		encode := base64.RawURLEncoding.EncodeToString
		signed := encode([]byte(header)) + "." + encode([]byte(claims))
		token := signed + "." + encode(ed25519.Sign(private, []byte(signed)))
		if who, err := v.Verify(t.Context(), token); err == nil {
			check(t, header, claims, who.ID)
			for _, forged := range []string{signed + ".", signed + "." + encode([]byte(other)), signed + encode([]byte("x")) + token[len(signed):]} {
				if _, err := v.Verify(t.Context(), forged); err == nil && forged != token {
					t.Errorf("%q is taken, and not signed", forged)
				}
			}
		} else if !fault.Is(err, fault.Unauthenticated) || who.ID != "" {
			t.Errorf("%q %q: %v, and %q came out", header, claims, err, who.ID)
		}
		if who, err := v.Verify(t.Context(), other); !fault.Is(err, fault.Unauthenticated) || who.ID != "" {
			t.Errorf("%q: %v", other, err)
		}
	})
}

// check is what a token must say, read in another way: as plain JSON.
func check(t *testing.T, header, claims, id string) {
	t.Helper()
	var h, c map[string]any
	d := json.NewDecoder(bytes.NewReader([]byte(claims)))
	if json.Unmarshal([]byte(header), &h) != nil || d.Decode(&c) != nil {
		t.Fatalf("%q %q: taken, and no JSON", header, claims)
	}
	fold := func(m map[string]any, name string) (all []any) {
		for k, v := range m {
			if strings.EqualFold(k, name) {
				all = append(all, v)
			}
		}
		return all
	}
	audiences := fold(c, "aud")
	for _, a := range fold(c, "aud") {
		if list, ok := a.([]any); ok {
			audiences = append(audiences, list...)
		}
	}
	in := func(all []any, want any) bool {
		return slices.ContainsFunc(all, func(v any) bool { return v == want })
	}
	switch {
	case !in(fold(h, "alg"), "EdDSA"):
		t.Errorf("%s: taken with another algorithm", header)
	case !in(fold(c, "iss"), issuer), !in(audiences, audience), !in(fold(c, "sub"), id), id == "":
		t.Errorf("%s: taken as %q", claims, id)
	case !slices.ContainsFunc(fold(c, "exp"), inFuture):
		t.Errorf("%s: taken, and over", claims)
	}
}

// inFuture reports whether v is a number of seconds that is not over; the library takes one
// in quotes, too.
func inFuture(v any) bool {
	n, ok := v.(float64)
	if text, quoted := v.(string); quoted {
		var err error
		n, err = strconv.ParseFloat(text, 64)
		ok = err == nil
	}
	return ok && n > float64(now.Add(-time.Minute).Unix())
}
