package app_test

import (
	"encoding/json"
	"testing"

	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/cloud/bus"
	"merve/internal/cloud/bus/bustest"
)

// A function puts events where the environment says that EventBridge is, on the bus of that name,
// unless whoever made the base has other buses.
func TestBus(t *testing.T) {
	t.Parallel()
	s := bustest.Serve(t, []wiring.Rule{{Name: "r", Bus: "merve-prod-answers", Types: []string{"T"}, Queue: "q"}}, "merve-prod-answers")
	b := app.Process{Config: app.Config{BusNames: map[string]string{"answers": "merve-prod-answers"}}, AWS: bustest.Config(s.URL)}
	e := bus.Event{Source: "merve.test", Type: "T", Detail: json.RawMessage(`{}`)}
	if err := app.Bus(app.NewBase(b), "answers").Put(t.Context(), e); err != nil || len(s.On("q")) != 1 {
		t.Errorf("%v, %d events arrived", err, len(s.On("q")))
	}
	asked := ""
	b.Buses = func(name string) bus.Bus { asked = name; return s.Bus("merve-prod-answers") }
	if err := app.Bus(app.NewBase(b), "answers").Put(t.Context(), e); err != nil || asked != "answers" || len(s.On("q")) != 2 {
		t.Errorf("%v, asked for %q, %d events arrived", err, asked, len(s.On("q")))
	}
}
