package appointment_test

import (
	"encoding/json"
	"testing"
	"time"

	"merve/internal/matter/appointment"
	"merve/internal/record/customer"
	"merve/internal/spine/thread"
)

// Clients of a call are told by the names that they know what is proven, shown and waiting.
func TestCallState(t *testing.T) {
	t.Parallel()
	nine := time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)
	for want, got := range map[string]map[string]any{
		`{"appointments":[],"availableSlots":[],"conversation":{"verification":{"verified":false,"failures":2}}}`: appointment.CallState(
			customer.State{Failures: 2}, appointment.State{Appointments: []string{}, Times: []time.Time{}}, &thread.Pending{ID: "p", Kind: appointment.ConfirmKind}),
		`{"appointments":["tx"],"availableSlots":["2026-11-24T09:00:00Z"],"conversation":{"verification":{"verified":true,"customerId":"ann"}},"rescheduleWorkflowId":"p"}`: appointment.CallState(
			customer.State{Verified: true, Customer: "ann"}, appointment.State{Appointments: []string{"tx"}, Times: []time.Time{nine}}, &thread.Pending{ID: "p", Kind: appointment.MoveKind}),
	} {
		if text, err := json.Marshal(got); string(text) != want || err != nil {
			t.Errorf("got %s, %v; want %s", text, err, want)
		}
	}
}
