package media

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/faulttest"
	"merve/internal/tenant/media/mediatest"
)

const (
	testKey    = "test-key-not-real"
	testSecret = "test-secret-not-real"
	testToken  = "test-session-not-real"
)

// gate stands before a bucket and lets in only what is signed as S3 wants it: it computes
// signatures by S3's description, with nothing of what made them.
type gate struct {
	region, secret string
	now            func() time.Time

	mu   sync.Mutex
	made []string // method and first part of the key, of each request
	once map[string]func()
}

// RoundTrip checks a request and passes it on.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	g.mu.Lock()
	parts := strings.SplitN(r.URL.Path, "/", 4)
	name := r.Method + " list"
	if len(parts) > 3 {
		name = r.Method + " " + parts[2]
	}
	g.made = append(g.made, name)
	before := g.once[name]
	delete(g.once, name)
	g.mu.Unlock()
	if before != nil {
		before()
	}
	if err := g.check(r, body); err != nil {
		return &http.Response{
			StatusCode: http.StatusForbidden, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: r,
			Body: io.NopCloser(strings.NewReader("<Error><Code>SignatureDoesNotMatch</Code><Message>" + err.Error() + "</Message></Error>")),
		}, nil
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return faulttest.Transport.RoundTrip(r)
}

// took returns the requests since it was last called.
func (g *gate) took() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	made := g.made
	g.made = nil
	return made
}

// check computes a request's signature anew.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
func (g *gate) check(r *http.Request, body []byte) error {
	query := r.URL.Query()
	payload, at, names, signature := "UNSIGNED-PAYLOAD", query.Get("X-Amz-Date"), query.Get("X-Amz-SignedHeaders"), query.Get("X-Amz-Signature")
	if auth, ok := strings.CutPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 "); ok {
		fields := map[string]string{}
		for f := range strings.SplitSeq(auth, ", ") {
			name, value, _ := strings.Cut(f, "=")
			fields[name] = value
		}
		at, names, signature = r.Header.Get("X-Amz-Date"), fields["SignedHeaders"], fields["Signature"]
		sum := sha256.Sum256(body)
		if payload = hex.EncodeToString(sum[:]); payload != r.Header.Get("X-Amz-Content-Sha256") {
			return errors.New("the body is not the one that was signed")
		}
	}
	signed, err := time.Parse("20060102T150405Z", at)
	if err != nil {
		return errors.New("not signed")
	}
	valid, _ := strconv.Atoi(query.Get("X-Amz-Expires"))
	if valid > 0 && g.now().After(signed.Add(time.Duration(valid)*time.Second)) {
		return errors.New("expired")
	}
	query.Del("X-Amz-Signature")
	canonical := []string{r.Method, r.URL.EscapedPath(), strings.ReplaceAll(query.Encode(), "+", "%20")}
	for _, name := range strings.Split(names, ";") {
		value := strings.Join(r.Header[http.CanonicalHeaderKey(name)], ",")
		switch name {
		case "host":
			value = r.URL.Host
		case "content-length":
			value = strconv.Itoa(len(body))
		}
		canonical = append(canonical, name+":"+value)
	}
	canonical = append(canonical, "", names, payload)
	sum := sha256.Sum256([]byte(strings.Join(canonical, "\n")))
	scope := strings.Join([]string{signed.Format("20060102"), g.region, "s3", "aws4_request"}, "/")
	key := []byte("AWS4" + g.secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = mac(key, part)
	}
	want := hex.EncodeToString(mac(key, strings.Join([]string{"AWS4-HMAC-SHA256", at, scope, hex.EncodeToString(sum[:])}, "\n")))
	if want != signature {
		return errors.New("the signature is another")
	}
	return nil
}

func mac(key []byte, s string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(s))
	return h.Sum(nil)
}

// The gate agrees with the worked example of AWS.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
func TestGateAgreesWithS3(t *testing.T) {
	t.Parallel()
	at := time.Date(2013, 5, 24, 0, 0, 0, 0, time.UTC)
	g := &gate{region: "us-east-1", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", now: func() time.Time { return at }}
	address := "https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
	for _, tt := range []struct{ address, want string }{
		{address, ""},
		{strings.Replace(address, "test.txt", "text.txt", 1), "the signature is another"},
		{strings.Replace(address, "Expires=86400", "Expires=86401", 1), "the signature is another"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, tt.address, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := g.check(req, nil); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// world is a store with a bucket of its own behind a gate, and a clock.
type world struct {
	*Store
	gate    *gate
	browser *http.Client // goes through the gate, too
	at      atomic.Int64 // seconds since the epoch
}

func (w *world) time() time.Time { return time.Unix(w.at.Load(), 0).UTC() }

func newWorld(t *testing.T, options Options) *world {
	t.Helper()
	w := &world{}
	w.at.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Unix())
	w.gate = &gate{region: "eu-west-1", secret: testSecret, now: w.time}
	w.browser = &http.Client{Transport: w.gate}
	options.Bucket = Bucket{
		Name: mediatest.Bucket, Region: "eu-west-1", Endpoint: mediatest.Endpoint(t),
		Credentials: credentials.NewStaticCredentialsProvider(testKey, testSecret, testToken),
		HTTP:        w.browser, Backoff: func(int) time.Duration { return 0 },
	}
	options.Now = w.time
	w.Store = New(options)
	return w
}

func TestS3(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{})
	s := w.s3
	if _, err := s.head(ctx, "media/a/1"); !errors.Is(err, errMissing) {
		t.Fatalf("head of nothing: %v", err)
	}
	if _, _, err := s.get(ctx, "media/a/1", 100); !errors.Is(err, errMissing) {
		t.Fatalf("get of nothing: %v", err)
	}
	if err := s.remove(ctx, "media/a/1"); err != nil {
		t.Fatalf("remove nothing: %v", err)
	}
	if err := s.create(ctx, "media/a/1", pngType, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := s.create(ctx, "media/a/1", gifType, []byte("second")); !errors.Is(err, errExists) {
		t.Fatalf("create again: %v", err)
	}
	o, err := s.head(ctx, "media/a/1")
	if want := (object{kind: pngType, size: 5}); err != nil || o != want {
		t.Errorf("head: %v, %v", o, err)
	}
	data, o, err := s.get(ctx, "media/a/1", 5)
	if want := (object{kind: pngType, size: 5}); err != nil || o != want || string(data) != "first" {
		t.Errorf("get: %q, %v, %v", data, o, err)
	}
	if _, _, err := s.get(ctx, "media/a/1", 4); !fault.Is(err, fault.TooLarge) {
		t.Errorf("get of at most 4 bytes: %v", err)
	}
	if err := errors.Join(s.create(ctx, "media/a/2", pngType, []byte("x")), s.create(ctx, "media/ab/3", pngType, []byte("x"))); err != nil {
		t.Fatal(err)
	}
	keys, more, err := s.list(ctx, "media/a/")
	if diff := cmp.Diff([]string{"media/a/1", "media/a/2"}, keys); diff != "" || more || err != nil {
		t.Errorf("list: %s, %v, %v", diff, more, err)
	}
	if err := s.remove(ctx, "media/a/1"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.head(ctx, "media/a/1"); !errors.Is(err, errMissing) {
		t.Errorf("head after remove: %v", err)
	}
}

// Addresses of S3 itself have the bucket in the host.
func TestAddressOfS3(t *testing.T) {
	t.Parallel()
	s := New(Options{Bucket: Bucket{Name: "photos", Region: "eu-west-1", Credentials: credentials.NewStaticCredentialsProvider(testKey, testSecret, "")}})
	address, err := s.Address(t.Context(), "photo:"+strings.Repeat("a", 32)+"/"+strings.Repeat("b", 20))
	if want := "https://photos.s3.eu-west-1.amazonaws.com/media/" + strings.Repeat("a", 32) + "/" + strings.Repeat("b", 20) + "?"; err != nil || !strings.HasPrefix(address, want) {
		t.Errorf("%s, %v", address, err)
	}
	if got := s.Origin(); got != "https://photos.s3.eu-west-1.amazonaws.com" {
		t.Errorf("origin %s", got)
	}
}

// What S3 answers when it does not do as it is told, and how often it is asked.
func TestS3Failures(t *testing.T) {
	t.Parallel()
	document := func(code string) string { return "<Error><Code>" + code + "</Code><Message>secret</Message></Error>" }
	tests := []struct {
		name   string
		status []int // of the answers; the last one goes on
		body   string
		want   string // what the error says; "" for none
		kind   fault.Kind
		asked  int
	}{
		{"busy once", []int{503, 200}, "", "", "", 2},
		{"busy twice", []int{500, 429, 200}, "", "", "", 3},
		{"another writer", []int{409, 200}, "", "", "", 2},
		{"busy for good", []int{503}, document("SlowDown"), "status 503 SlowDown", fault.Unavailable, 3},
		{"denied", []int{403}, document("AccessDenied"), "status 403 AccessDenied", fault.Internal, 1},
		{"no bucket", []int{404}, document("NoSuchBucket"), "status 404 NoSuchBucket", fault.Internal, 1},
		{"other region", []int{301}, document("PermanentRedirect"), "status 301 PermanentRedirect", fault.Internal, 1},
		{"no document", []int{400}, "<html>", "status 400", fault.Internal, 1},
		{"a document of its own", []int{400}, document("it was 555-0100"), "status 400", fault.Internal, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(tt.status[min(asked, len(tt.status)-1)])
				fmt.Fprint(w, tt.body)
				asked++
			}))
			t.Cleanup(server.Close)
			err := bucketAt(server.URL, nil).create(t.Context(), "media/a/1", pngType, []byte("x"))
			if asked != tt.asked {
				t.Errorf("asked %d times, want %d", asked, tt.asked)
			}
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "555") || strings.Contains(err.Error(), "secret") {
				t.Errorf("%v, want %s: %s", err, tt.kind, tt.want)
			}
		})
	}
}

func bucketAt(endpoint string, client *http.Client) *s3 {
	return newS3(Bucket{
		Name: "b", Region: "us-east-1", Endpoint: endpoint, HTTP: client, Backoff: func(int) time.Duration { return 0 },
		Credentials: credentials.NewStaticCredentialsProvider(testKey, testSecret, ""),
	}, time.Now)
}

// Nobody waits for S3 longer than they wanted to.
func TestS3GivesUpInTime(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		cancel()
		w.WriteHeader(503)
	}))
	t.Cleanup(server.Close)
	s := bucketAt(server.URL, nil)
	s.Backoff = func(int) time.Duration { return time.Hour }
	if err := s.remove(ctx, "media/a/1"); !fault.Is(err, fault.Unavailable) || asked != 1 {
		t.Errorf("%v after %d requests", err, asked)
	}
}

// Without credentials nothing is sent, and nobody is told why.
func TestS3WithoutCredentials(t *testing.T) {
	t.Parallel()
	s := bucketAt("http://127.0.0.1:1", nil)
	s.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("none")
	})
	_, presigned := s.presign(t.Context(), http.MethodGet, "media/a/1", nil, 0, time.Minute)
	for _, err := range []error{s.remove(t.Context(), "media/a/1"), presigned} {
		if message, _ := fault.Public(err); err == nil || message != "internal error" {
			t.Errorf("%v is told as %q", err, message)
		}
	}
}

// What is presigned is exactly what was asked for.
func TestPresigned(t *testing.T) {
	t.Parallel()
	ctx, w := t.Context(), newWorld(t, Options{})
	address, err := w.s3.presign(ctx, http.MethodPut, "pending/a/1", http.Header{"Content-Type": {pngType}}, 5, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil || u.Query().Get("X-Amz-SignedHeaders") != "content-length;content-type;host" || u.Query().Get("X-Amz-Expires") != "60" {
		t.Errorf("%s, %v", address, err)
	}
	put := func(address, kind, body string) int {
		return w.send(t, http.MethodPut, address, kind, []byte(body)).StatusCode
	}
	for _, tt := range []struct {
		name, address, kind, body string
		want                      int
	}{
		{"other type", address, "text/html", "12345", 403},
		{"no type", address, "", "12345", 403},
		{"longer", address, pngType, "123456", 403},
		{"shorter", address, pngType, "1234", 403},
		{"other key", strings.Replace(address, "/a/1", "/a/2", 1), pngType, "12345", 403},
		{"where photos are shown from", strings.Replace(address, "pending", "media", 1), pngType, "12345", 403},
		{"as asked", address, pngType, "12345", 200},
	} {
		if got := put(tt.address, tt.kind, tt.body); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
	if got := w.send(t, http.MethodGet, address, pngType, nil).StatusCode; got != 403 {
		t.Errorf("read with leave to write: status %d", got)
	}
	w.at.Add(61)
	if got := put(address, pngType, "12345"); got != 403 {
		t.Errorf("after it has expired: status %d", got)
	}
}

// send makes a request as a browser would, with its body read.
func (w *world) send(t *testing.T, method, address, kind string, body []byte) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	resp, err := w.browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body = io.NopCloser(bytes.NewReader(got))
	return resp
}

// objects are the keys there are, in the form that a person reads: no hashes of threads.
func (w *world) objects(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, prefix := range []string{"media/", "pending/"} {
		keys, _, err := w.s3.list(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, keys...)
	}
	slices.Sort(all)
	return all
}
