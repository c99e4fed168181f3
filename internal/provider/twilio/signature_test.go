package twilio_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/provider/twilio"
)

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
	token    = "12345" // of the published vectors
	docsURL  = "https://mycompany.com/myapp.php?foo=1&bar=2"
	jsonBody = `{"property": "value", "boolean": true}`
	jsonHash = "0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620"
)

// signed computes a signature over text by hand.
func signed(key, text string) string {
	mac := hmac.New(sha1.New, []byte(key))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func sevenParams() url.Values {
	return url.Values{
		"Digits": {"1234"}, "CallSid": {"CA1234567890ABCDE"}, "To": {"+18005551212"}, "Caller": {"+14158675309"},
		"From": {"+14158675309"}, "ReasonConferenceEnded": {"test"}, "Reason": {"Participant"},
	}
}

func fiveParams(from string) string {
	return url.Values{
		"Digits": {"1234"}, "CallSid": {"CA1234567890ABCDE"}, "To": {"+18005551212"}, "Caller": {from}, "From": {from},
	}.Encode()
}

// The vectors are Twilio's: its documentation's, and those of its library for Go
// (client/request_validator_test.go at d858acd).
func TestVerifyPublishedVectors(t *testing.T) {
	t.Parallel()
	seven := sevenParams().Encode()
	withHash := docsURL + "&bodySHA256=" + jsonHash
	tests := []struct {
		name, url, body, contentType, signature string
		want                                    error
	}{
		{"documentation", docsURL, fiveParams("+14158675309"), formType, "RSOYDt4T1cUTdK1PDd93/VVr8B8=", nil},
		{"documentation, another caller", docsURL, fiveParams("+14158675310"), formType, "GvWf1cFY/Q7PnoempGyD5oXAezc=", nil},
		{"seven parameters", docsURL, seven, formType, "vOEb5UThFn24KEfnOFLQY2AE5FY=", nil},
		{"wrong signature", docsURL, seven, formType, "WRONG SIGNATURE", twilio.ErrSignature},
		{"wrong order of parameters", docsURL, seven, formType, "95+Bu0JVPi0r/SsESZCVf0dWAjw=", twilio.ErrSignature},
		{"https with a port, signed without", strings.Replace(docsURL, ".com", ".com:1234", 1), seven, formType, "vOEb5UThFn24KEfnOFLQY2AE5FY=", nil},
		{"http", strings.Replace(docsURL, "https", "http", 1), seven, formType, "n2xBNyzSW7rfYStDtOFiFMv7qNo=", nil},
		{"http with a port, signed without", "http://mycompany.com:1234/myapp.php?foo=1&bar=2", seven, formType, "n2xBNyzSW7rfYStDtOFiFMv7qNo=", nil},
		{"http signed, https called", docsURL, seven, formType, "n2xBNyzSW7rfYStDtOFiFMv7qNo=", twilio.ErrSignature},
		{"json with its hash", withHash, jsonBody, jsonType, "a9nBmqA0ju/hNViExpshrM61xv4=", nil},
		{"json, hash alone", "https://mycompany.com/myapp.php?bodySHA256=" + jsonHash, jsonBody, jsonType, "y77kIzt2vzLz71DgmJGsen2scGs=", nil},
		{"json without hash", docsURL, jsonBody, jsonType, "vOEb5UThFn24KEfnOFLQY2AE5FY=", twilio.ErrSignature},
		{"two parameters", docsURL, "property=value&boolean=true", formType, "NBdBDr/T/lgjI+tlgpXjKZQZs/k=", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := twilio.Verify(token, tt.url, []byte(tt.body), tt.contentType, tt.signature); !errors.Is(got, tt.want) {
				t.Errorf("Verify = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestField08_PortPresentAndAbsent(t *testing.T) {
	t.Parallel()
	const tail = "/webhooks/whatsapp?a=1"
	tests := []struct {
		signed, called string
		want           error
	}{
		{"https://merve.test", "https://merve.test:443", nil},
		{"https://merve.test:443", "https://merve.test", nil},
		{"https://merve.test", "https://merve.test:8443", nil},
		{"https://merve.test:8443", "https://merve.test:8443", nil},
		{"http://merve.test:80", "http://merve.test", nil},
		{"http://127.0.0.1:8080", "http://127.0.0.1:8080", nil},
		{"http://[::1]", "http://[::1]:8080", nil},
		{"https://me:secret@merve.test", "https://me:secret@merve.test:443", nil},
		{"https://merve.test:8443", "https://merve.test", twilio.ErrSignature},
		{"https://merve.test:80", "https://merve.test", twilio.ErrSignature},
		{"http://merve.test", "https://merve.test", twilio.ErrSignature},
	}
	for _, tt := range tests {
		signature := signed(token, tt.signed+tail+"Bodyhi")
		if got := twilio.Verify(token, tt.called+tail, []byte("Body=hi"), formType, signature); !errors.Is(got, tt.want) {
			t.Errorf("signed at %s, called at %s: %v, want %v", tt.signed, tt.called, got, tt.want)
		}
	}
}

func TestField08_Body(t *testing.T) {
	t.Parallel()
	const at = "https://merve.test/webhooks/whatsapp"
	sum := sha256.Sum256([]byte(jsonBody))
	hashed := at + "?bodySHA256=" + hex.EncodeToString(sum[:])
	tests := []struct {
		name, url, body, contentType, text string
		want                               error
	}{
		{"names sorted by bytes, capitals first", at, "a=1&B=2&b=3&A=4", formType, at + "A4B2a1b3", nil},
		{"a name that begins another", at, "ReasonX=2&Reason=1", formType, at + "Reason1ReasonX2", nil},
		{"names sorted the other way", at, "ReasonX=2&Reason=1", formType, at + "ReasonX2Reason1", twilio.ErrSignature},
		{"values of a name sorted, each with the name", at, "n=48&n=24&n=9", formType, at + "n24n48n9", nil},
		{"a value twice counts once", at, "n=24&n=24", formType, at + "n24", nil},
		{"values as they came are not what is signed", at, "n=48&n=24", formType, at + "n48n24", twilio.ErrSignature},
		{"a value too many", at, "Body=hi&Body=bye", formType, at + "Bodyhi", twilio.ErrSignature},
		{"empty value", at, "Body=&From=x", formType, at + "BodyFromx", nil},
		{"empty body", at, "", formType, at, nil},
		{"empty body of another type", at, "", jsonType, at, nil},
		{"plus and escapes are decoded", at, "Body=a+b%26c%F0%9F%99%82", formType, at + "Bodya b&c🙂", nil},
		{"space around a value is kept", at, "Body=+hi%0A", formType, at + "Body hi\n", nil},
		{"charset named", at, "Body=hi", formType + "; charset=UTF-8", at + "Bodyhi", nil},
		{"type in capitals", at, "Body=hi", strings.ToUpper(formType), at + "Bodyhi", nil},
		{"no type", at, "Body=hi", "", at + "Bodyhi", nil},
		{"a form that says it is json", at, "Body=hi", jsonType, at + "Bodyhi", twilio.ErrSignature},
		{"json with its hash", hashed, jsonBody, jsonType, hashed, nil},
		{"hash in capitals", at + "?bodySHA256=" + strings.ToUpper(hex.EncodeToString(sum[:])), jsonBody, jsonType,
			at + "?bodySHA256=" + strings.ToUpper(hex.EncodeToString(sum[:])), nil},
		{"json changed on the way", hashed, jsonBody + " ", jsonType, hashed, twilio.ErrSignature},
		{"json without its hash", at, jsonBody, jsonType, at, twilio.ErrSignature},
		{"parameter changed on the way", at, "Body=bye", formType, at + "Bodyhi", twilio.ErrSignature},
		{"parameter added on the way", at, "Body=hi&NumMedia=1", formType, at + "Bodyhi", twilio.ErrSignature},
		{"parameter lost on the way", at, "", formType, at + "Bodyhi", twilio.ErrSignature},
		{"not a form", at, "Body=%zz", formType, at + "Body%zz", twilio.ErrSignature},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := twilio.Verify(token, tt.url, []byte(tt.body), tt.contentType, signed(token, tt.text))
			if !errors.Is(got, tt.want) {
				t.Errorf("Verify = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestField08_Case(t *testing.T) {
	t.Parallel()
	const at = "https://merve.test/webhooks/whatsapp?thread=Ab"
	good := signed(token, at+"Bodyhi")
	for name, try := range map[string]struct{ url, body, signature string }{
		"path":      {strings.Replace(at, "whatsapp", "WhatsApp", 1), "Body=hi", good},
		"host":      {strings.Replace(at, "merve", "Merve", 1), "Body=hi", good},
		"query":     {strings.Replace(at, "Ab", "ab", 1), "Body=hi", good},
		"name":      {at, "body=hi", good},
		"value":     {at, "Body=Hi", good},
		"signature": {at, "Body=hi", strings.ToLower(good)},
	} {
		if err := twilio.Verify(token, try.url, []byte(try.body), formType, try.signature); !errors.Is(err, twilio.ErrSignature) {
			t.Errorf("%s in another case: %v, want it refused", name, err)
		}
	}
	if err := twilio.Verify(token, at, []byte("Body=hi"), formType, good); err != nil {
		t.Errorf("as signed: %v", err)
	}
}

func TestField08_SignatureHeader(t *testing.T) {
	t.Parallel()
	const at = "https://merve.test/webhooks/whatsapp"
	good := signed(token, at+"Bodyhi")
	for _, bad := range []string{"", "=", good + "=", " " + good, good[:20], good + good, strings.TrimRight(good, "="), signed("other", at+"Bodyhi")} {
		if err := twilio.Verify(token, at, []byte("Body=hi"), formType, bad); !errors.Is(err, twilio.ErrSignature) {
			t.Errorf("signature %q: %v, want it refused", bad, err)
		}
	}
}

// Without a key nothing can be checked. That is another fault than a forged request,
// and is told as one, so that an outage is not taken for an attack.
func TestField08_NoToken(t *testing.T) {
	t.Parallel()
	err := twilio.Verify("", "https://merve.test/", nil, formType, signed("", "https://merve.test/"))
	if !errors.Is(err, twilio.ErrNoToken) || fault.HTTPStatus(err) != http.StatusServiceUnavailable {
		t.Errorf("Verify without a token = %v", err)
	}
	if got := fault.HTTPStatus(twilio.ErrSignature); got != http.StatusForbidden {
		t.Errorf("a wrong signature is answered with %d, want 403", got)
	}
}

func TestVerifyTooLarge(t *testing.T) {
	t.Parallel()
	body := []byte("Body=" + strings.Repeat("a", twilio.MaxWebhook))
	if err := twilio.Verify(token, "https://merve.test/", body, formType, "x"); !fault.Is(err, fault.TooLarge) {
		t.Errorf("Verify = %v, want too large", err)
	}
	if _, err := twilio.Form(body); !fault.Is(err, fault.TooLarge) {
		t.Errorf("Form = %v, want too large", err)
	}
	many := strings.Builder{}
	for i := range 501 {
		fmt.Fprintf(&many, "&p%d=", i)
	}
	if _, err := twilio.Form([]byte(many.String())[1:]); !fault.Is(err, fault.Invalid) {
		t.Errorf("Form = %v of more parameters than it should take, want invalid", err)
	}
	if _, err := twilio.Form([]byte("a=%zz")); !fault.Is(err, fault.Invalid) {
		t.Errorf("Form = %v, want invalid", err)
	}
}

// arrival is a request as a program behind a gateway gets it.
type arrival struct {
	requestURI string // as the client wrote it; "" when it is not told
	path       string // what is routed by
	query      string
	host       string
	header     map[string]string
	tls        bool
}

func (a arrival) request() *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	r.URL = &url.URL{Path: a.path, RawQuery: a.query}
	r.RequestURI, r.Host = a.requestURI, a.host
	for name, value := range a.header {
		r.Header.Set(name, value)
	}
	if a.tls {
		r.TLS = &tls.ConnectionState{}
	}
	return r
}

func TestField08_Gateways(t *testing.T) {
	t.Parallel()
	https := map[string]string{"X-Forwarded-Proto": "https"}
	const api, lambdaURL = "a1b2.execute-api.eu-west-1.amazonaws.com", "x9.lambda-url.eu-west-1.on.aws"
	tests := []struct {
		name      string
		twilio    string // the address configured at Twilio
		publicURL string
		arrival   arrival
		want      error
	}{
		{"REST API, stage in the path", "https://" + api + "/prod/webhooks/whatsapp", "",
			arrival{requestURI: "/prod/webhooks/whatsapp", path: "/webhooks/whatsapp", host: api, header: https}, nil},
		{"REST API, routed with the stage", "https://" + api + "/prod/webhooks/whatsapp", "",
			arrival{path: "/prod/webhooks/whatsapp", host: api, header: https}, nil},
		{"REST API, stage known by configuration only", "https://" + api + "/prod/webhooks/whatsapp", "https://" + api + "/prod/",
			arrival{path: "/webhooks/whatsapp", host: "internal", header: https}, nil},
		{"REST API, custom domain with a base path", "https://merve.test/v1/webhooks/whatsapp", "",
			arrival{requestURI: "/v1/webhooks/whatsapp", path: "/v1/webhooks/whatsapp", host: "merve.test", header: https}, nil},
		{"HTTP API, default stage", "https://" + api + "/webhooks/whatsapp/status?thread=t1&id=m1", "",
			arrival{requestURI: "/webhooks/whatsapp/status?thread=t1&id=m1", path: "/webhooks/whatsapp/status", query: "thread=t1&id=m1", host: api, header: https}, nil},
		{"HTTP API, named stage", "https://" + api + "/prod/webhooks/whatsapp", "",
			arrival{requestURI: "/prod/webhooks/whatsapp", path: "/webhooks/whatsapp", host: api, header: https}, nil},
		{"HTTP API, custom domain takes its path away", "https://merve.test/v1/webhooks/whatsapp", "https://merve.test/v1",
			arrival{requestURI: "/webhooks/whatsapp", path: "/webhooks/whatsapp", host: "merve.test", header: https}, nil},
		{"HTTP API, custom domain whose path stays", "https://merve.test/v1/webhooks/whatsapp", "https://merve.test/v1",
			arrival{requestURI: "/v1/webhooks/whatsapp", path: "/webhooks/whatsapp", host: "merve.test", header: https}, nil},
		{"REST API, custom domain whose base path stays in both", "https://merve.test/v1/webhooks/whatsapp", "https://merve.test/v1",
			arrival{requestURI: "/v1/webhooks/whatsapp", path: "/v1/webhooks/whatsapp", host: "merve.test", header: https}, nil},
		{"function URL", "https://" + lambdaURL + "/webhooks/whatsapp?b=2&a=1", "",
			arrival{requestURI: "/webhooks/whatsapp?b=2&a=1", path: "/webhooks/whatsapp", query: "b=2&a=1", host: lambdaURL, header: https}, nil},
		{"gateway that does not name the scheme", "https://merve.test/webhooks/whatsapp", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test"}, nil},
		{"two proxies", "https://merve.test/webhooks/whatsapp", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", header: map[string]string{"X-Forwarded-Proto": "https, http"}}, nil},
		{"proxy that sets its own Host", "https://merve.test/webhooks/whatsapp", "",
			arrival{path: "/webhooks/whatsapp", host: "10.0.0.7:8080", header: map[string]string{"X-Forwarded-Proto": "https", "X-Forwarded-Host": "merve.test"}}, nil},
		{"TLS of its own", "https://merve.test/webhooks/whatsapp", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", tls: true}, nil},
		{"this machine", "http://127.0.0.1:8080/webhooks/whatsapp", "",
			arrival{requestURI: "/webhooks/whatsapp", path: "/webhooks/whatsapp", host: "127.0.0.1:8080"}, nil},
		{"tunnel to this machine", "https://abc.tunnel.test/webhooks/whatsapp", "https://abc.tunnel.test",
			arrival{requestURI: "/webhooks/whatsapp", path: "/webhooks/whatsapp", host: "localhost:8080"}, nil},
		{"connection overrides in the configuration", "https://merve.test/webhooks/whatsapp", "https://merve.test#rc=3&rp=all",
			arrival{path: "/webhooks/whatsapp", host: "merve.test"}, nil},
		{"query to the letter", "https://merve.test/s?text=a+b%20c&x=%C3%BC&empty=", "",
			arrival{requestURI: "/s?text=a+b%20c&x=%C3%BC&empty=", path: "/s", query: "text=a+b%20c&x=%C3%BC&empty=", host: "merve.test", header: https}, nil},
		{"query signed with fewer escapes", "https://merve.test/s?to=a@b:c", "",
			arrival{requestURI: "/s?to=a%40b%3Ac", path: "/s", query: "to=a%40b%3Ac", host: "merve.test", header: https}, nil},
		{"path to the letter", "https://merve.test/s/a%2Fb", "",
			arrival{requestURI: "/s/a%2Fb", path: "/s/a/b", host: "merve.test", header: https}, nil},

		{"wrong public address", "https://merve.test/webhooks/whatsapp", "https://other.test",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", header: https}, twilio.ErrSignature},
		{"signed for another host", "https://other.test/webhooks/whatsapp", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", header: https}, twilio.ErrSignature},
		{"signed for another path", "https://merve.test/webhooks/whatsapp/status", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", header: https}, twilio.ErrSignature},
		{"signed for another stage", "https://" + api + "/dev/webhooks/whatsapp", "",
			arrival{requestURI: "/prod/webhooks/whatsapp", path: "/webhooks/whatsapp", host: api, header: https}, twilio.ErrSignature},
		{"http signed, TLS of its own", "http://merve.test/webhooks/whatsapp", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", tls: true}, twilio.ErrSignature},
		{"signed with a mark of a query that there is not", "https://merve.test/webhooks/whatsapp?", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", header: https}, twilio.ErrSignature},
		{"query added on the way", "https://merve.test/webhooks/whatsapp", "",
			arrival{requestURI: "/webhooks/whatsapp?a=1", path: "/webhooks/whatsapp", query: "a=1", host: "merve.test", header: https}, twilio.ErrSignature},
		{"query in another order", "https://merve.test/s?b=2&a=1", "",
			arrival{requestURI: "/s?a=1&b=2", path: "/s", query: "a=1&b=2", host: "merve.test", header: https}, twilio.ErrSignature},
		{"http where https was signed", "https://merve.test/webhooks/whatsapp", "",
			arrival{path: "/webhooks/whatsapp", host: "merve.test", header: map[string]string{"X-Forwarded-Proto": "http"}}, twilio.ErrSignature},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			urls := twilio.URLs(tt.publicURL, tt.arrival.request())
			got := twilio.VerifyAny(token, urls, []byte("Body=hi"), formType, signed(token, tt.twilio+"Bodyhi"))
			if !errors.Is(got, tt.want) {
				t.Errorf("signed at %s: %v, want %v\ntried %s", tt.twilio, got, tt.want, strings.Join(urls, "\n      "))
			}
		})
	}
}

func TestURLsOrderAndBound(t *testing.T) {
	t.Parallel()
	r := arrival{requestURI: "/prod/w?a=1", path: "/w", query: "a=1", host: "in.test", header: map[string]string{"X-Forwarded-Host": "out.test"}}.request()
	want := []string{
		"http://in.test/prod/w?a=1", "http://in.test/w?a=1", "https://in.test/prod/w?a=1", "https://in.test/w?a=1",
		"http://out.test/prod/w?a=1", "http://out.test/w?a=1", "https://out.test/prod/w?a=1", "https://out.test/w?a=1",
	}
	if diff := cmp.Diff(want, twilio.URLs("", r)); diff != "" {
		t.Errorf("without a public address (-want +got):\n%s", diff)
	}
	want = []string{"https://merve.test/prod/w?a=1", "https://merve.test/w?a=1"}
	if diff := cmp.Diff(want, twilio.URLs("https://merve.test/", r)); diff != "" {
		t.Errorf("with one (-want +got):\n%s", diff)
	}
	if urls := twilio.URLs("https://merve.test", &http.Request{URL: &url.URL{Path: "/w"}, RequestURI: "http://proxy.test/w"}); !slices.Equal(urls, []string{"https://merve.test/w"}) {
		t.Errorf("absolute form: %q", urls)
	}
}
