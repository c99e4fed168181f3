package listing_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/record/listing"
)

// Catalogues of the older form, and with the names that others have for the same, become
// actions; what was made of them is written as actions only.
func TestOlderForms(t *testing.T) {
	t.Parallel()
	food := listing.Action{Type: listing.FoodAction, Enabled: true, DataKind: listing.MenuItems}
	table := listing.Action{Type: listing.BookAction, Enabled: true}
	with := func(a listing.Action, d listing.Dispatch) listing.Action { a.Dispatch = d; return a }
	tests := []struct {
		name, merve string
		want        []listing.Action
	}{
		{"none", `{"enabled":true}`, nil},
		{"restaurant", `{"toolType":"restaurant","dispatchTemplate":"New: {lines}"}`, []listing.Action{with(food, listing.Dispatch{Template: "New: {lines}"}), table}},
		{"provider", `{"toolType":"provider"}`, []listing.Action{{Type: listing.ServiceAction, Enabled: true, DataKind: listing.Services}}},
		{"activity", `{"toolType":"activity"}`, []listing.Action{{Type: listing.BookAction, Enabled: true, DataKind: listing.Tickets}}},
		{"stay", `{"toolType":"stay"}`, []listing.Action{{Type: listing.BookAction, Enabled: true, DataKind: listing.RoomTypes}, {Type: listing.ViewingAction, Enabled: true}}},
		{"actions win", `{"toolType":"restaurant","dispatchTemplate":"x","actions":[{"type":"book","enabled":true}]}`, []listing.Action{table}},
		{"other names", `{"actions":[{"actionType":"reserve_table","enabled":true,"toE164":"+15550100","template":"t"},{"type":"order_food"}]}`,
			[]listing.Action{with(table, listing.Dispatch{ToE164: "+15550100", Template: "t"}), {Type: listing.FoodAction}}},
		{"dispatch", `{"actions":[{"type":"book","enabled":true,"dispatch":{"toE164":"+15550100","templates":{"merchant_booking_cancelled":"c"}}}]}`,
			[]listing.Action{with(table, listing.Dispatch{ToE164: "+15550100", Templates: map[string]string{"merchant_booking_cancelled": "c"}})}},
	}
	for _, tt := range tests {
		var in, again listing.Integration
		if err := json.Unmarshal([]byte(tt.merve), &in); err != nil {
			t.Fatal(tt.name, err)
		}
		if d := cmp.Diff(tt.want, in.Actions); d != "" || in.ToolType+in.DispatchTemplate != "" {
			t.Errorf("%s: %s", tt.name, d)
		}
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &again); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(in, again); d != "" {
			t.Errorf("%s, written and read: %s", tt.name, d)
		}
	}
	var in listing.Integration
	if err := json.Unmarshal([]byte(`{"toolType":"spaceport"}`), &in); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unknown type: %v", err)
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal([]byte(`{"actions":[{"type":7}]}`), &in); !errors.As(err, &wrong) || wrong.Field != "actions.type" {
		t.Errorf("a number for a type: %v", err)
	}
}

// The first message of an action has a template beside those by event.
func TestTemplate(t *testing.T) {
	t.Parallel()
	a := listing.Action{Type: listing.BookAction, Dispatch: listing.Dispatch{
		Template: "new", Templates: map[string]string{"merchant_booking_cancelled": "gone"},
	}}
	for event, want := range map[string]string{"merchant_booking_confirmed": "new", "merchant_booking_cancelled": "gone", "merchant_order_placed": ""} {
		if got := a.Template(event); got != want {
			t.Errorf("%s: %q, want %q", event, got, want)
		}
	}
	a.Dispatch.Templates["merchant_booking_confirmed"] = "by event"
	if got := a.Template("merchant_booking_confirmed"); got != "by event" {
		t.Errorf("by event: %q", got)
	}
}
