package media

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"merve/internal/base/fault"
	"merve/internal/base/pause"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/exchange"
)

// Bucket is where photos are kept: S3, or a server that speaks its API.
type Bucket struct {
	Name        string // without dots, which the certificates of S3 do not cover
	Region      string
	Endpoint    string // "" is S3; the bucket is then the first part of the host, else of the path
	Credentials aws.CredentialsProvider
	HTTP        *http.Client  // nil is one with Go's defaults
	Backoff     pause.Backoff // nil: at most 200 ms after the first try, 2 s after later ones
}

const (
	tries          = 3
	patience       = 10 * time.Second // for one try
	maxListing     = 4 << 20          // bytes of an answer that lists or explains
	unsigned       = "UNSIGNED-PAYLOAD"
	contentHash    = "X-Amz-Content-Sha256"
	signingService = "s3"
)

var (
	errMissing = errors.New("no such object")
	errExists  = errors.New("the object exists")
)

// s3 makes the requests: signed, tried again when S3 is busy, each counted under the time
// of "bucket". Keys are made of letters, digits and slashes, and need no escaping.
// https://docs.aws.amazon.com/AmazonS3/latest/API/Type_API_Reference.html
type s3 struct {
	Bucket
	signer *v4.Signer
	now    func() time.Time
}

func newS3(b Bucket, now func() time.Time) *s3 {
	client := http.Client{}
	if b.HTTP != nil {
		client = *b.HTTP
	}
	// S3 leads on when the region is wrong, and a signature is for one host.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.HTTP = &client
	if b.Backoff == nil {
		b.Backoff = pause.Exponential(200*time.Millisecond, 2*time.Second)
	}
	// S3 takes the path as it is sent; other services want it escaped twice.
	signer := v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
	return &s3{Bucket: b, signer: signer, now: now}
}

// object is what is known of an object without its bytes.
type object struct {
	kind string // content type
	size int64
}

// head describes an object; errMissing.
func (s *s3) head(ctx context.Context, key string) (object, error) {
	a, err := s.do(ctx, request{method: http.MethodHead, key: key})
	if err != nil {
		return object{}, err
	}
	return object{kind: a.header.Get("Content-Type"), size: a.size}, nil
}

// get reads an object of at most max bytes; errMissing, or a [fault.TooLarge].
func (s *s3) get(ctx context.Context, key string, max int64) ([]byte, object, error) {
	a, err := s.do(ctx, request{method: http.MethodGet, key: key, max: max})
	if err != nil {
		return nil, object{}, err
	}
	return a.body, object{kind: a.header.Get("Content-Type"), size: int64(len(a.body))}, nil
}

// create writes an object that is not there yet; errExists. S3 checks the bytes against
// the signed hash.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
func (s *s3) create(ctx context.Context, key, kind string, data []byte) error {
	_, err := s.do(ctx, request{method: http.MethodPut, key: key, body: data, header: http.Header{
		"Content-Type":        {kind},
		"Content-Disposition": {"inline"},
		"Cache-Control":       {"private"},
		"If-None-Match":       {"*"},
	}})
	return err
}

// remove deletes an object, if it is there.
func (s *s3) remove(ctx context.Context, key string) error {
	_, err := s.do(ctx, request{method: http.MethodDelete, key: key})
	return err
}

// removeAll deletes all objects below prefix.
func (s *s3) removeAll(ctx context.Context, prefix string) error {
	for more := true; more; {
		var keys []string
		var err error
		if keys, more, err = s.list(ctx, prefix); err != nil {
			return err
		}
		for _, key := range keys {
			if err := s.remove(ctx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// list names the first objects below prefix, and says whether there are more.
func (s *s3) list(ctx context.Context, prefix string) (keys []string, more bool, err error) {
	query := url.Values{"list-type": {"2"}, "prefix": {prefix}}
	a, err := s.do(ctx, request{method: http.MethodGet, query: query, max: maxListing})
	if err != nil {
		return nil, false, err
	}
	var listed struct {
		IsTruncated bool
		Contents    []struct{ Key string }
	}
	if err := xml.Unmarshal(a.body, &listed); err != nil {
		return nil, false, fmt.Errorf("bucket: list: %w", err)
	}
	for _, c := range listed.Contents {
		keys = append(keys, c.Key)
	}
	return keys, listed.IsTruncated, nil
}

// presign returns an address that lets anybody who has it make one kind of request until it expires, or until the
// credentials that signed it do. The headers given are part of the signature, and so is a size that is not 0.
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
func (s *s3) presign(ctx context.Context, method, key string, header http.Header, size int64, valid time.Duration) (string, error) {
	credentials, err := s.Credentials.Retrieve(ctx)
	if err != nil {
		return "", fmt.Errorf("bucket: credentials: %w", err)
	}
	query := url.Values{"X-Amz-Expires": {strconv.Itoa(int(valid.Seconds()))}}
	req, err := http.NewRequestWithContext(ctx, method, s.address(key, query), nil)
	if err != nil {
		return "", fmt.Errorf("bucket: presign %s: %w", key, err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.ContentLength = size
	address, _, err := s.signer.PresignHTTP(ctx, credentials, req, unsigned, signingService, s.Region, s.now())
	if err != nil {
		return "", fmt.Errorf("bucket: presign %s: %w", key, err)
	}
	return address, nil
}

// origin is scheme and host of every address of the bucket.
func (s *s3) origin() string {
	if s.Endpoint == "" {
		return "https://" + s.Name + ".s3." + s.Region + ".amazonaws.com"
	}
	return strings.TrimRight(s.Endpoint, "/")
}

func (s *s3) address(key string, query url.Values) string {
	path := "/" + key
	if s.Endpoint != "" {
		path = "/" + s.Name + path
	}
	address := s.origin() + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return address
}

// request is one request, before it is signed.
type request struct {
	method string
	key    string // "" is the bucket itself
	query  url.Values
	header http.Header
	body   []byte
	max    int64 // most bytes of the answer
}

func (r request) String() string { return r.method + " " + cmp.Or(r.key, "list") }

type answer struct {
	status int
	header http.Header
	size   int64 // as declared
	body   []byte
}

// busy is a failure that may pass.
type busy struct{ error }

// do makes a request, again while S3 is busy or silent. What is then still unanswered is
// [fault.Unavailable]; it may have taken effect.
func (s *s3) do(ctx context.Context, r request) (answer, error) {
	start := time.Now()
	defer func() { telemetry.CountTime(ctx, "bucket", time.Since(start)) }()
	for try := 1; ; try++ {
		a, err := s.try(ctx, r)
		var passing busy
		if !errors.As(err, &passing) {
			return a, err
		}
		if try == tries || pause.For(ctx, s.Backoff(try)) != nil {
			return answer{}, fault.Wrap(fmt.Errorf("bucket: %s: %w", r, passing.error), fault.Unavailable, "photos are out of reach for now")
		}
	}
}

// try makes a request once.
func (s *s3) try(ctx context.Context, r request) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := s.sign(ctx, r)
	if err != nil {
		return answer{}, err
	}
	resp, err := s.HTTP.Do(req)
	if err != nil {
		return answer{}, busy{exchange.WithoutURL(err)}
	}
	defer resp.Body.Close()
	a := answer{status: resp.StatusCode, header: resp.Header, size: resp.ContentLength}
	limit := int64(maxListing)
	if resp.StatusCode < 300 {
		limit = r.max
	}
	if a.body, err = readUpTo(limit+1, resp); err != nil {
		return answer{}, busy{exchange.WithoutURL(err)}
	}
	if err := s.check(r, a); err != nil {
		return answer{}, err
	}
	if int64(len(a.body)) > limit {
		return answer{}, tooLarge(limit)
	}
	return a, nil
}

// check says what an answer means.
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
func (s *s3) check(r request, a answer) error {
	err := fmt.Errorf("status %d %s", a.status, errorCode(a.body))
	switch {
	case a.status >= 200 && a.status < 300:
		return nil
	case a.status == http.StatusNotFound && r.key != "" && errorCode(a.body) != "NoSuchBucket":
		return errMissing
	case a.status == http.StatusPreconditionFailed:
		return errExists
	case a.status >= 500, a.status == http.StatusTooManyRequests, a.status == http.StatusRequestTimeout,
		a.status == http.StatusConflict: // another writer of the same key is at work
		return busy{err}
	}
	return fmt.Errorf("bucket: %s: %w", r, err)
}

// errorCode is the code in S3's error document, for logs.
func errorCode(body []byte) string {
	var e struct{ Code string }
	if xml.Unmarshal(body, &e) != nil || strings.ContainsFunc(e.Code, func(r rune) bool { return r < 'A' || r > 'z' }) {
		return ""
	}
	return e.Code
}

func (s *s3) sign(ctx context.Context, r request) (*http.Request, error) {
	credentials, err := s.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, fmt.Errorf("bucket: credentials: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, s.address(r.key, r.query), bytes.NewReader(r.body))
	if err != nil {
		return nil, fmt.Errorf("bucket: %s: %w", r, err)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	sum := sha256.Sum256(r.body)
	hash := hex.EncodeToString(sum[:])
	req.Header.Set(contentHash, hash)
	if err := s.signer.SignHTTP(ctx, credentials, req, hash, signingService, s.Region, s.now()); err != nil {
		return nil, fmt.Errorf("bucket: sign %s: %w", r, err)
	}
	return req, nil
}
