package stripe

import (
	"testing"

	sdk "github.com/stripe/stripe-go/v85"

	"merve/internal/base/fault"
)

// What is worth another try, what is not, and what is ours to mend.
func TestWhatStatusesMean(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]fault.Kind{
		0: fault.Unavailable, 302: fault.Unavailable, 400: fault.Invalid, 401: fault.Internal, 402: fault.Invalid, 403: fault.Internal,
		404: fault.NotFound, 409: fault.Unavailable, 429: fault.Limited, 500: fault.Unavailable, 503: fault.Unavailable,
	} {
		if err := refusal(&sdk.Error{HTTPStatusCode: status}); fault.KindOf(err) != want {
			t.Errorf("status %d: %v, want %v", status, err, want)
		}
	}
}
