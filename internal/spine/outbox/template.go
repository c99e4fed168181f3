package outbox

import (
	"fmt"
	"strings"

	"merve/internal/tenant/market"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Approved fills the parameters of the market's approved template for an event; nil when it has
// none.
func Approved(m *market.Market, event string, vars map[string]string) *Template {
	a, ok := m.WhatsApp.Templates[event]
	if !ok {
		return nil
	}
	t := &Template{ContentSID: a.ContentSID, Vars: map[string]string{}}
	for i, name := range a.Params {
		t.Vars[fmt.Sprint(i+1)] = parameter(vars[name])
	}
	return t
}

// approvedWhole is the market's approved template for an event that says all of a text: what its parameters leave
// out stands at the end of the last. Nil when the market has none.
func approvedWhole(m *market.Market, event, lang string, key wording.Key, vars wording.Vars) *Template {
	t := Approved(m, event, vars)
	if t == nil {
		return nil
	}
	if left := wording.Left(lang, key, vars, m.WhatsApp.Templates[event].Params...); left != "" {
		t.Add(left)
	}
	return t
}

// Add appends text to the last parameter, because an approved template has no other place for it. A template
// without parameters stays as it is.
func (t *Template) Add(text string) {
	last := fmt.Sprint(len(t.Vars))
	if before, ok := t.Vars[last]; ok {
		t.Vars[last] = parameter(before + " · " + strings.ReplaceAll(text, "\n", " · "))
	}
}

// maxParameter is the longest parameter that Twilio takes, in characters.
// https://www.twilio.com/docs/api/errors/21658
const maxParameter = 1600

// parameter makes value fit for an approved template: WhatsApp takes none that is empty or
// has line breaks, tabs or more than four spaces in a row.
// https://www.twilio.com/docs/api/errors/63013
func parameter(value string) string {
	if value = strings.Join(strings.Fields(value), " "); value == "" {
		return "-"
	}
	return language.Brief(value, maxParameter)
}
