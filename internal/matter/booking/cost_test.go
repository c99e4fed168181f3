package booking

import (
	"context"
	"testing"

	"merve/internal/base/telemetry"
)

// A tool call that makes an offer is two requests.
func TestCostOfAnOfferByTool(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	tools, _ := s.tools.Get("initiateBooking")
	ctx, meter := telemetry.WithMeter(context.Background())
	args, err := tools.Canonical([]byte(at("2030-06-04", "19:00")))
	if err != nil {
		t.Fatal(err)
	}
	tc := s.tc
	tc.Key = "k"
	if _, err := tools.Run(ctx, tc, args); err != nil || meter.Cost().Requests != 2 {
		t.Errorf("%d requests, want 2; %v", meter.Cost().Requests, err)
	}
}
