package apitest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"merve/infra/local/demo"
	"merve/infra/local/dynamodb"
	"merve/infra/local/queue"
	"merve/internal/provider/meta/metatest"
	"merve/internal/provider/stripe/stripetest"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/tenant/market"
)

// Shelf answers DynamoDB's wire format in process, so that a fuzz target runs thousands of times a
// second. It keeps what is put and finds it by its key. It knows no conditions and lists nothing.
type Shelf struct {
	mu     sync.Mutex
	items  map[string]json.RawMessage // by table and key
	writes [][]Stored                 // each write's
	Refuse bool                       // takes no writes: a request that gets this far ends here
}

// Stored is an item, or a key, of a write.
type Stored map[string]struct{ S, N string }

type write struct {
	TableName, ReturnValues string
	Item, Key               json.RawMessage
	TransactItems           []map[string]write
	RequestItems            map[string]struct{ Keys []json.RawMessage }
}

// RoundTrip answers a call to the store.
func (s *Shelf) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var w write
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, err
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	answer, status := `{}`, http.StatusOK
	switch op {
	case "GetItem":
		if item := s.items[w.TableName+keyOf(w.Key)]; item != nil {
			answer = `{"Item":` + string(item) + `}`
		}
	case "BatchGetItem":
		found := map[string][]json.RawMessage{}
		for table, asked := range w.RequestItems {
			for _, key := range asked.Keys {
				if item := s.items[table+keyOf(key)]; item != nil {
					found[table] = append(found[table], item)
				}
			}
		}
		raw, err := json.Marshal(map[string]any{"Responses": found})
		if err != nil {
			return nil, err
		}
		answer = string(raw)
	case "Query":
		answer = `{"Items":[],"Count":0,"ScannedCount":0}`
	default:
		s.keep(w)
		if s.Refuse {
			answer, status = `{"__type":"com.amazon.coral.validate#ValidationException","message":"nothing is taken"}`, http.StatusBadRequest
		}
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body: io.NopCloser(strings.NewReader(answer)), Request: r, ContentLength: int64(len(answer)),
	}, nil
}

// Do is [Shelf.RoundTrip] for the SDK.
func (s *Shelf) Do(r *http.Request) (*http.Response, error) { return s.RoundTrip(r) }

func (s *Shelf) keep(w write) {
	var all []Stored
	for _, part := range append(w.TransactItems, map[string]write{"": w}) {
		for op, one := range part {
			var it Stored
			if one.Item != nil {
				_ = json.Unmarshal(one.Item, &it) // lists and maps are not looked at
				if !s.Refuse {
					s.items[one.TableName+keyOf(one.Item)] = one.Item
				}
			} else if one.Key != nil {
				_ = json.Unmarshal(one.Key, &it)
				if op == "Delete" {
					delete(s.items, one.TableName+keyOf(one.Key))
				}
			}
			if it != nil {
				all = append(all, it)
			}
		}
	}
	s.writes = append(s.writes, all)
}

func keyOf(item json.RawMessage) string {
	var k struct{ PK, SK struct{ S string } }
	_ = json.Unmarshal(item, &k) // what has no key is found by none
	return "|" + k.PK.S + "|" + k.SK.S
}

// Took returns the writes since it was last called.
func (s *Shelf) Took() [][]Stored {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.writes
	s.writes = nil
	return w
}

// Fuzzed returns a service whose store is a shelf.
func Fuzzed(f *testing.F) (*Service, *Shelf) {
	f.Helper()
	kept := &Shelf{items: map[string]json.RawMessage{}}
	cfg := dynamodb.Config("http://dynamodb.test")
	cfg.HTTPClient = kept
	cfg.RetryMaxAttempts = 1
	s := &Service{
		cfg: cfg, URL: "http://merve.test", Twilio: twiliotest.New(f, twiliotest.Config{Now: Now}),
		Meta:   metatest.New(f, metatest.Config{Now: Now}),
		Bucket: "http://bucket.test", Issuer: newIssuer(), Stripe: stripetest.New(f, Now),
	}
	f.Cleanup(s.Issuer.server.Close)
	s.turns = queue.New(queue.Options{Name: "turns", FIFO: true, Receives: 5, Now: Now})
	f.Cleanup(s.turns.Close)
	s.Base = s.newBase("fuzz-", "http://model.test/v1")
	if _, err := s.Base.Markets().Save(f.Context(), *market.Default(demo.Market), "test"); err != nil {
		f.Fatal(err)
	}
	handlers, err := build(s.Base)
	if err != nil {
		f.Fatal(err)
	}
	if s.Front, err = front(handlers); err != nil {
		f.Fatal(err)
	}
	kept.Took()
	return s, kept
}
