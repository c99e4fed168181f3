package gate

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
)

// What a receipt says is stored under the same names wherever it is stored, and for good.
func TestReceipt(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	yes := Consent{Pending: thread.Pending{ID: "p1", Hash: "h1", Policy: 7}, MessageID: "m1", Actor: "app:ann", At: at}
	got := yes.Receipt("trace-1")
	want := Receipt{PendingID: "p1", OfferHash: "h1", MessageID: "m1", Answer: "yes", Actor: "app:ann", At: at, PolicyVersion: 7, Trace: "trace-1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("receipt (-want +got):\n%s", diff)
	}
	got.Payment = "pi_1"
	stored, err := dynamo.Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"actor", "answer", "at", "messageId", "offerHash", "payment", "pendingId", "policy", "trace"}
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(stored))); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	shown, err := json.Marshal(got)
	const wantShown = `{"pendingId":"p1","offerHash":"h1","messageId":"m1","answer":"yes","at":"2026-11-21T12:00:00Z","policyVersion":7,"traceId":"trace-1","payment":"pi_1"}`
	if err != nil || string(shown) != wantShown {
		t.Errorf("shown %s, %v", shown, err)
	}
}
