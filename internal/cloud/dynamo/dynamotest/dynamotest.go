// Package dynamotest gives tests the real DynamoDB API: AWS's DynamoDB Local with the
// tables of the wiring, created once for a process. A test keeps to its own corner by
// using ids that nobody else has ([ID]), not by making tables of its own, which would
// slow the server down.
package dynamotest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	local "merve/infra/local/dynamodb"
	"merve/infra/wiring"
	"merve/internal/cloud/dynamo"
)

// EndpointEnv names the variable with the address of a server to share; without it
// the first test of a process starts one. Processes that share a server have databases of their
// own on it: one for each access key, which may be any.
const EndpointEnv = "MERVE_TEST_DYNAMODB"

var shared = sync.OnceValues(func() (aws.Config, error) {
	ctx := context.Background()
	cfg := local.Config(os.Getenv(EndpointEnv))
	if os.Getenv(EndpointEnv) == "" {
		cache, err := cacheDir()
		if err != nil {
			return cfg, err
		}
		server, err := local.Start(ctx, local.Options{CacheDir: cache})
		if err != nil {
			return cfg, err
		}
		cfg = server.Config() // ends with the process
	}
	cfg.Credentials = credentials.NewStaticCredentialsProvider(rand.Text(), "local", "")
	cfg.APIOptions = append(cfg.APIOptions, refuseUndeclared)
	return cfg, OwnTables(ctx, cfg, TableName(""))
})

// TableName is the name that a table of the wiring has in tests and locally.
func TableName(logical string) string { return "merve-" + logical }

// Config is the SDK configuration of the shared server.
func Config(t testing.TB) aws.Config {
	t.Helper()
	cfg, err := shared()
	if err != nil {
		t.Fatalf("dynamotest: %v", err)
	}
	return cfg
}

// Open returns a database on the shared server. A transport, if given, sits between
// the SDK and the server: it counts, delays, or fails requests.
func Open(t testing.TB, transport ...http.RoundTripper) *dynamo.DB {
	t.Helper()
	return dynamo.Open(Config(t), func(o *dynamodb.Options) {
		if len(transport) > 0 {
			o.HTTPClient = &http.Client{Transport: transport[0]}
		}
	})
}

// Once returns a database on the shared server over a transport, for which the SDK tries every
// request once: that of a process whose calls fail.
func Once(t testing.TB, transport http.RoundTripper) *dynamo.DB {
	t.Helper()
	db := dynamo.Open(Config(t), func(o *dynamodb.Options) {
		o.HTTPClient, o.RetryMaxAttempts = &http.Client{Transport: transport}, 1
	})
	db.Backoff = func(int) time.Duration { return time.Microsecond }
	return db
}

// ID returns an id with the given prefix that no other test uses.
func ID(prefix string) string {
	var b [8]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return prefix + "-" + hex.EncodeToString(b[:])
}

// cacheDir is .cache at the module's root.
func cacheDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".cache"), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("no go.mod above the working folder")
		}
		dir = parent
	}
}

// OwnTables makes all tables of the wiring, named by a prefix and their own name. They go with
// the server.
func OwnTables(ctx context.Context, cfg aws.Config, prefix string) error {
	return local.CreateTables(ctx, cfg, local.Streamless(wiring.Tables()), func(logical string) string { return prefix + logical })
}

// SameShard is an id that is due in the same shard as every other one it gives, so that each
// sweep looks at the same ones and makes the same calls.
func SameShard() string {
	for {
		if id := ID("t"); dynamo.DueShard("", id) == dynamo.DueShard("", "the same") {
			return id
		}
	}
}

// OwnTable makes a table like one of the wiring's that only this test uses, for what looks
// at a whole index, and returns its name. It goes with the test.
func OwnTable(t testing.TB, logical string) string {
	t.Helper()
	cfg, name := Config(t), TableName(ID(logical))
	var tables []wiring.Table
	for _, table := range local.Streamless(wiring.Tables()) {
		if table.Name == logical {
			tables = append(tables, table)
		}
	}
	if err := local.CreateTables(t.Context(), cfg, tables, func(string) string { return name }); err != nil {
		t.Fatalf("dynamotest: %v", err)
	}
	t.Cleanup(func() {
		in := &dynamodb.DeleteTableInput{TableName: &name}
		if _, err := dynamodb.NewFromConfig(cfg).DeleteTable(context.Background(), in); err != nil {
			t.Errorf("dynamotest: %v", err)
		}
	})
	return name
}

// Lapse does what DynamoDB does in its own time with items whose ttl is over: it deletes them
// from a table, as it is at a time. Where part is not empty, only in partitions whose key has it
// in it: a test's own.
func Lapse(t testing.TB, table, part string, at time.Time) {
	t.Helper()
	client := dynamodb.NewFromConfig(Config(t))
	in := &dynamodb.ScanInput{
		TableName: &table, ProjectionExpression: aws.String("pk, sk"),
		FilterExpression:         aws.String("#ttl <= :at AND contains(pk, :part)"),
		ExpressionAttributeNames: map[string]string{"#ttl": "ttl"},
		ExpressionAttributeValues: map[string]types.AttributeValue{
			":at":   &types.AttributeValueMemberN{Value: strconv.FormatInt(at.Unix(), 10)},
			":part": &types.AttributeValueMemberS{Value: part},
		},
	}
	for pages := dynamodb.NewScanPaginator(client, in); pages.HasMorePages(); {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatalf("dynamotest: %v", err)
		}
		for _, key := range page.Items {
			if _, err := client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &table, Key: key}); err != nil {
				t.Fatalf("dynamotest: %v", err)
			}
		}
	}
}

// Look is a transport that sees the operation ("PutItem") and the body of each request before
// it goes out, and sends the body that it returns.
type Look struct {
	See  func(op string, body []byte) ([]byte, error)
	Next http.RoundTripper // nil: the server
}

// wire bounds what the server is asked at once: DynamoDB Local gives up on what has waited
// for too long.
var wire = &http.Transport{MaxConnsPerHost: 32, MaxIdleConnsPerHost: 32}

// RoundTrip implements [http.RoundTripper].
func (l Look) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_, op, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	if body, err = l.See(op, body); err != nil {
		return nil, err
	}
	there := r.Clone(r.Context())
	there.Body, there.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if l.Next != nil {
		return l.Next.RoundTrip(there)
	}
	return wire.RoundTrip(there)
}

// Before is a transport that does something once, right before the first call of an
// operation goes out: what others do between a read and a write.
func Before(op string, do func()) Look {
	return once(do, func(call string, _ []byte) bool { return call == op })
}

// BeforeText is Before, for the first call that has a text in its body, whatever operation it is.
func BeforeText(text string, do func()) Look {
	return once(do, func(_ string, body []byte) bool { return bytes.Contains(body, []byte(text)) })
}

func once(do func(), when func(op string, body []byte) bool) Look {
	var o sync.Once
	return Look{See: func(op string, body []byte) ([]byte, error) {
		if when(op, body) {
			o.Do(do)
		}
		return body, nil
	}}
}

// Aside is a transport that keeps what all share apart, by a name, from everybody else's: the
// due work of a kind (`hold#\d\d`), a partition. Shared are regular expressions of whole strings.
func Aside(name string, shared ...string) Look {
	all, own := regexp.MustCompile(`"(`+strings.Join(shared, "|")+`)"`), []byte(`"${1}`+name+`"`)
	return Look{See: func(_ string, body []byte) ([]byte, error) { return all.ReplaceAll(body, own), nil }}
}
