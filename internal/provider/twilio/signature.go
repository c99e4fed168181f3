package twilio

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"merve/internal/base/fault"
)

// SignatureHeader is the header in which Twilio sends its signature.
const SignatureHeader = "X-Twilio-Signature"

// MaxWebhook is the largest body that is read, in bytes: several times Twilio's largest
// form, and a bound on the hashing that a forged one can cause.
const MaxWebhook = 64 << 10

// maxParams bounds the parameters of a form.
const maxParams = 500

var (
	// ErrSignature means that Twilio did not sign the request.
	ErrSignature = fault.New(fault.Forbidden, "the signature is not valid")

	// ErrNoToken means that nothing can be checked: a fault of the configuration, not of
	// the request.
	ErrNoToken = fault.New(fault.Unavailable, "TWILIO_AUTH_TOKEN is not set")
)

// Verify checks that Twilio signed a request to address with the given raw body. An
// address counts with and without its port, as in Twilio's own libraries.
// https://www.twilio.com/docs/usage/webhooks/webhooks-security
func Verify(authToken, address string, body []byte, contentType, signature string) error {
	return VerifyAny(authToken, []string{address}, body, contentType, signature)
}

// VerifyAny is [Verify] for a request whose address may be any of addresses.
func VerifyAny(authToken string, addresses []string, body []byte, contentType, signature string) error {
	switch {
	case authToken == "":
		return ErrNoToken
	case len(body) > MaxWebhook:
		return errTooLarge()
	}
	valid := 0
	for _, address := range addresses {
		params, ok := signedParams(address, body, contentType)
		if !ok {
			continue
		}
		for _, a := range spellings(address) {
			valid |= subtle.ConstantTimeCompare([]byte(sign(authToken, a+params)), []byte(signature))
		}
	}
	if valid == 0 {
		return ErrSignature
	}
	return nil
}

func sign(authToken, text string) string {
	mac := hmac.New(sha1.New, []byte(authToken))
	mac.Write([]byte(text))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Form reads the body of a webhook.
func Form(body []byte) (url.Values, error) {
	if len(body) > MaxWebhook {
		return nil, errTooLarge()
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, fault.New(fault.Invalid, "the body is not a form") // the cause quotes it
	}
	if len(form) > maxParams {
		return nil, fault.New(fault.Invalid, "more than %d parameters", maxParams)
	}
	return form, nil
}

func errTooLarge() error { return fault.New(fault.TooLarge, "at most %d bytes", MaxWebhook) }

// signedParams returns the parameters that the signature covers besides the address: those of a
// form, or none if the address holds the hash of the body.
func signedParams(address string, body []byte, contentType string) (params string, ok bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	if want := u.Query().Get("bodySHA256"); want != "" {
		sum := sha256.Sum256(body)
		return "", subtle.ConstantTimeCompare([]byte(hex.EncodeToString(sum[:])), []byte(strings.ToLower(want))) == 1
	}
	if len(body) == 0 {
		return "", true
	}
	if !isForm(contentType) {
		return "", false // nothing would cover the body
	}
	form, err := Form(body)
	return joinParams(form), err == nil
}

func isForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return contentType == "" || err == nil && media == "application/x-www-form-urlencoded"
}

// joinParams puts names and values one after the other, names in the order of their
// bytes. A value that comes twice counts once.
func joinParams(form url.Values) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(form)) {
		for _, value := range slices.Compact(slices.Sorted(slices.Values(form[name]))) {
			b.WriteString(name + value)
		}
	}
	return b.String()
}

// spellings are the ways in which Twilio may have written address: as it came, without
// its port or with the scheme's own, and with fewer escapes in the query.
func spellings(address string) []string {
	var all []string
	for _, a := range []string{address, otherPort(address)} {
		all = append(all, a, fewerEscapes(a))
	}
	return distinct(all)
}

// otherPort removes the port, or adds the scheme's own if the address has no port.
func otherPort(address string) string {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	host, tail := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, tail = rest[:i], rest[i:]
	}
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexAny(host, "]@") {
		return scheme + "://" + host[:colon] + tail
	}
	port := ":80"
	if strings.EqualFold(scheme, "https") {
		port = ":443"
	}
	return scheme + "://" + host + port + tail
}

// fewerEscapes undoes the escapes that a query does not need (RFC 3986 §3.4), except
// where that would change its parameters.
func fewerEscapes(address string) string {
	path, query, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	var b strings.Builder
	for i := 0; i < len(query); i++ {
		if query[i] == '%' && i+2 < len(query) {
			if c, err := strconv.ParseUint(query[i+1:i+3], 16, 8); err == nil && strings.IndexByte("-._~!$'()*,:@/?", byte(c)) >= 0 {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(query[i])
	}
	return path + "?" + b.String()
}

// URLs lists the addresses that Twilio may have called to make r. None of them grants
// anything: each only counts with a signature made over it.
//
// With the public address of the service, which may have a path and Twilio's connection
// overrides ("#rc=3"), only its host counts, and its path is tried as missing from r and
// as part of it: some gateways take it away. Without, r's own headers tell. Gateways
// take a stage off the path, so it comes as received and as routed; the query is as it
// was received.
func URLs(publicURL string, r *http.Request) []string {
	var bases []string
	if publicURL, _, _ = strings.Cut(publicURL, "#"); publicURL != "" {
		publicURL = strings.TrimRight(publicURL, "/")
		bases = distinct([]string{publicURL, origin(publicURL)})
	} else {
		for _, host := range distinct([]string{r.Host, first(r.Header.Get("X-Forwarded-Host"))}) {
			for _, scheme := range schemes(r) {
				bases = append(bases, scheme+"://"+host)
			}
		}
	}
	var all []string
	for _, base := range bases {
		for _, target := range targets(r) {
			all = append(all, base+target)
		}
	}
	return all
}

// origin is an address without its path (RFC 6454 §6.2).
func origin(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return scheme + "://" + host
}

func schemes(r *http.Request) []string {
	proto := strings.ToLower(first(r.Header.Get("X-Forwarded-Proto")))
	switch {
	case proto == "http" || proto == "https":
		return []string{proto}
	case r.TLS != nil:
		return []string{"https"}
	}
	return []string{"http", "https"} // no proxy, or one that does not tell
}

// first is the client's entry of a list to which each proxy appends.
func first(list string) string {
	entry, _, _ := strings.Cut(list, ",")
	return strings.TrimSpace(entry)
}

// targets are path and query as received and as routed.
func targets(r *http.Request) []string {
	routed := r.URL.EscapedPath()
	if r.URL.RawQuery != "" || r.URL.ForceQuery {
		routed += "?" + r.URL.RawQuery
	}
	if !strings.HasPrefix(r.RequestURI, "/") { // not told, or in absolute form
		return []string{routed}
	}
	return distinct([]string{r.RequestURI, routed})
}

// distinct removes empty strings and repeats.
func distinct(list []string) []string {
	var out []string
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
