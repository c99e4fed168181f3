package tool_test

import (
	"testing"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
)

// What the customer gives now counts before what they gave earlier and what their channel says. Where it is
// required, neither part may be missing.
func TestWithContact(t *testing.T) {
	t.Parallel()
	said := func(s string) *string { return &s }
	for _, tt := range []struct {
		name              string
		before            tool.Contact
		who               actor.Actor
		givenName, number *string
		required          bool
		want              tool.Contact
		refused           bool
	}{
		{name: "nothing is wanted"},
		{name: "the channel knows both", who: actor.Actor{Name: "Ann", Phone: "+15550100"}, required: true, want: tool.Contact{Name: "Ann", Phone: "+15550100"}},
		{name: "given before", before: tool.Contact{Name: "Ann", Phone: "05331234567"}, required: true, want: tool.Contact{Name: "Ann", Phone: "05331234567"}},
		{
			name: "given now", before: tool.Contact{Name: "Ann", Phone: "1234567"}, who: actor.Actor{Name: "A"}, givenName: said(" Deniz "), number: said("+90 (533) 123-45-67"),
			required: true, want: tool.Contact{Name: "Deniz", Phone: "+905331234567"},
		},
		{name: "digits of another script", number: said("٠٥٣٣١٢٣٤٥٦٧"), want: tool.Contact{Phone: "05331234567"}},
		{name: "no name", number: said("05331234567"), required: true, refused: true},
		{name: "no number", givenName: said("Ann"), required: true, refused: true},
		{name: "no number at all", number: said("call me"), refused: true},
	} {
		tc, err := tool.Context{Actor: tt.who, Contact: tt.before}.WithContact(tt.givenName, tt.number, tt.required)
		if fault.Is(err, fault.Invalid) != tt.refused || !tt.refused && (err != nil || tc.Contact != tt.want) {
			t.Errorf("%s: %+v, %v", tt.name, tc.Contact, err)
		}
	}
}
