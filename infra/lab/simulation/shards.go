package simulation

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"merve/internal/base/faulttest"
)

// shards is the way to DynamoDB beneath everything that writes in a world. It answers for itself
// what is asked of shards of the due index into which nobody has written: nothing is there. Sweeps
// ask all the shards of every kind each minute, which is four in five of a world's requests.
type shards struct {
	named sync.Map // in requests that may write
}

// shard is the value of a dueShard in a request, see [dynamo.DueShard].
var shard = regexp.MustCompile(`"S":"[^"]+#\d\d"`)

func (s *shards) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := replay(r)
	if err != nil {
		return nil, err
	}
	names := shard.FindAllString(string(body), -1)
	switch {
	case !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".Query"):
		for _, name := range names {
			s.named.Store(name, true)
		}
	case bytes.Contains(body, []byte(`"IndexName":"due"`)) && len(names) == 1:
		if _, ok := s.named.Load(names[0]); !ok {
			return nothing(r), nil
		}
	}
	return faulttest.Transport.RoundTrip(r)
}

// nothing is what DynamoDB answers a query that finds nothing.
func nothing(r *http.Request) *http.Response {
	const body = `{"Count":0,"Items":[],"ScannedCount":0}`
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}
}
