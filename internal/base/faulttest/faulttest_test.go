package faulttest_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/cloud/dynamo/dynamotest"
)

func TestMain(m *testing.M) {
	dynamotest.TakeAnything()
	m.Run()
}

// A fault before a call leaves nothing behind, one after it does; a dead process makes no
// call until it is started again.
func TestACallFails(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault   faulttest.Fault
		effects int32 // of two calls, the first of which meets the fault
		status  int   // of the first; 0 is an error
		dead    bool
	}{
		{faulttest.DiesBefore, 0, 0, true},
		{faulttest.DiesAfter, 1, 0, true},
		{faulttest.CallLost, 1, 0, false},
		{faulttest.AnswerLost, 2, 0, false},
		{faulttest.TimeOut, 2, 0, false},
		{faulttest.Throttled, 1, 429, false},
		{faulttest.ServerError, 1, 500, false},
		{faulttest.ErrorAfter, 2, 500, false},
		{faulttest.Conflict, 2, 200, false}, // nothing for a provider
	} {
		t.Run(string(tt.fault), func(t *testing.T) {
			t.Parallel()
			var effects atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { effects.Add(1) }))
			defer server.Close()
			calls := faulttest.With(faulttest.At{N: 1, Fault: tt.fault})
			client := &http.Client{Transport: calls}
			status := post(client, server.URL)
			post(client, server.URL)
			if effects.Load() != tt.effects || status != tt.status || calls.Dead() != tt.dead {
				t.Errorf("%d effects, status %d, dead %v", effects.Load(), status, calls.Dead())
			}
			calls.Restart()
			if got := post(client, server.URL); got != 200 || effects.Load() != tt.effects+1 {
				t.Errorf("after a restart: status %d, %d effects", got, effects.Load())
			}
		})
	}
}

func post(client *http.Client, url string) int {
	resp, err := client.Post(url, "text/plain", strings.NewReader("x"))
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// AWS's SDK takes the answers for what they say they are.
func TestAnswersOfDynamoDB(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault faulttest.Fault
		is    func(error) bool
	}{
		{faulttest.Throttled, is[*types.ProvisionedThroughputExceededException]},
		{faulttest.ServerError, is[*types.InternalServerError]},
		{faulttest.Conflict, cancelledFor("TransactionConflict")},
		{faulttest.Cancelled, cancelledFor("ThrottlingError")},
		{faulttest.Exceeded, cancelledFor("ProvisionedThroughputExceeded")},
		{faulttest.Invalid, cancelledFor("ValidationError")},
		{faulttest.InProgress, is[*types.TransactionInProgressException]},
		{faulttest.OtherPayload, is[*types.IdempotentParameterMismatchException]},
	} {
		client := dynamodb.NewFromConfig(dynamotest.Config(t), func(o *dynamodb.Options) {
			o.HTTPClient, o.RetryMaxAttempts = faulttest.With(faulttest.At{N: 1, Fault: tt.fault}), 1
		})
		_, err := client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{{
			Put: &types.Put{TableName: aws.String("any"), Item: map[string]types.AttributeValue{}},
		}}})
		if !tt.is(err) {
			t.Errorf("%s: %v", tt.fault, err)
		}
	}
}

// A test that tried nothing has not passed.
func TestNothingTriedFails(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{-1: true, 0: true, 1: false, 40: false} {
		sees := &heard{TB: t}
		if faulttest.Tried(sees, n); sees.failed != want {
			t.Errorf("%d tried: failed %v", n, sees.failed)
		}
	}
}

// heard is a test of which it is only noted whether it failed.
type heard struct {
	testing.TB
	failed bool
}

func (h *heard) Helper()               {}
func (h *heard) Attr(string, string)   {}
func (h *heard) Errorf(string, ...any) { h.failed = true }

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}

func cancelledFor(code string) func(error) bool {
	return func(err error) bool {
		var c *types.TransactionCanceledException
		return errors.As(err, &c) && len(c.CancellationReasons) == 1 && *c.CancellationReasons[0].Code == code
	}
}

// Every call meets every fault that can happen to it, alone and in pairs; while nobody has chosen SEED, the process
// dies at each call, other faults happen at some, and each first death has one second.
func TestEverywhereIsEverywhere(t *testing.T) {
	for seed, want := range map[string]int32{"": 1 + 2 + 1, "1": 1 + 2 + 2} {
		t.Setenv("SEED", seed)
		everywhereIsEverywhere(t, want)
	}
}

func everywhereIsEverywhere(t *testing.T, want int32) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	var runs atomic.Int32
	scenario := func(t *testing.T, calls *faulttest.Calls) string {
		runs.Add(1)
		client := &http.Client{Transport: calls}
		for range 2 {
			calls.Deliver(t, nil, func() error {
				if status := post(client, server.URL); status != 200 {
					return fmt.Errorf("status %d", status)
				}
				return nil
			})
		}
		return "done"
	}
	faults := []faulttest.Fault{faulttest.DiesAfter, faulttest.Throttled, faulttest.Conflict}
	t.Run("one", func(t *testing.T) { faulttest.Everywhere(t, faults, scenario) })
	if got := runs.Swap(0); seedtest.Times(t, 1) == 1 && got != want {
		t.Errorf("%d runs of 2 calls x 2 faults, want %d", got, want)
	}
	t.Run("quarter", func(t *testing.T) { faulttest.Quarter(t, faults, scenario) })
	if got := runs.Swap(0); seedtest.Times(t, 1) == 1 && got != 1+2 {
		t.Errorf("%d runs, want 1 and one of the 2 calls x 2 faults", got)
	}
	t.Run("two", func(t *testing.T) { faulttest.Pairs(t, faults, scenario) })
	// One fault: without; 2 first ones; after the 1st call's there are 2 more, after the 2nd's 1, of
	// each of which one is tried, though it is no third.
	if got := runs.Load(); seedtest.Times(t, 1) == 1 && got != 1+2+2 {
		t.Errorf("%d runs of pairs", got)
	}
	if seedtest.Times(t, 1) > 1 {
		return
	}
	tried, firsts := map[int]bool{}, 0
	t.Run("many", func(t *testing.T) {
		var mu sync.Mutex
		faulttest.Pairs(t, nil, func(t *testing.T, calls *faulttest.Calls) string {
			client := &http.Client{Transport: calls}
			for range 9 {
				calls.Deliver(t, nil, func() error { post(client, server.URL); return nil })
			}
			mu.Lock()
			defer mu.Unlock()
			if met := calls.Met(); len(met) == 2 {
				tried[met[1].N] = true
			} else {
				firsts += len(met)
			}
			return "done"
		})
	})
	if firsts < 9 || len(tried) < 4 {
		t.Errorf("%d first faults; second ones at %v", firsts, tried)
	}
}
