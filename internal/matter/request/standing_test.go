package request_test

import (
	"slices"
	"testing"

	. "merve/internal/matter/request"
	"merve/internal/spine/thread"
)

// A request stands of its client's conversation from when vendors are asked until it is over, or deleted.
func TestPromise2_ARequestStands(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]func(y *yard, id string) error{
		"cancelled": func(y *yard, id string) error {
			y.do(UpdateRequestState, id, "off", `{"request_id":"{id}","new_state":"cancelled"}`)
			return nil
		},
		"deleted": func(y *yard, id string) error { return y.Store.Erase(y.t.Context(), y.view(id)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.vendor("v1", nil)
			r := y.request("1", y.client("ann"))
			stands := func(step string, want ...string) {
				t.Helper()
				if got, err := y.Threads.(*thread.Store).Standing(t.Context(), r.Thread, y.now); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %q, %v", step, got, err)
				}
			}
			y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["v1"]}`)
			stands("proposed")
			if err := y.answers(y.Broker, r.ID, true); err != nil {
				t.Fatal(err)
			}
			stands("asked", "request:"+r.ID)
			y.quotes(r.ID, "1", "280")
			stands("quoted", "request:"+r.ID)
			if err := ends(y, r.ID); err != nil {
				t.Fatal(err)
			}
			stands("over")
		})
	}
}
