package roster_test

import (
	"strings"
	"testing"

	"merve/internal/spine/gate"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/roster"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// The words that people are told are read in every language, and settle or stop nothing.
func TestSwitchWords(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		for key, want := range map[wording.Key]channel.Switch{wording.RoleWordCustomer: channel.ToCustomer, wording.RoleWordWork: channel.ToWork} {
			word := wording.Say(lang, key, nil)
			if got := roster.SwitchOf(" " + word + "!"); got != want {
				t.Errorf("%s: %q is %q, want %q", lang, word, got, want)
			}
			if gate.Read(word) != gate.Unclear || gate.OptOut(word) != gate.None {
				t.Errorf("%s: %q is an answer, too", lang, word)
			}
		}
	}
	for text, want := range map[string]channel.Switch{
		"As a  customer.": channel.ToCustomer, "als Kunde": channel.ToCustomer, "back to work": channel.ToWork, "müşteri olarak": channel.ToCustomer,
		"a customer is here": "", "does it work?": "", "": "", "customer work": "",
		"customer" + strings.Repeat(" ", 72): channel.ToCustomer, "customer" + strings.Repeat(" ", 73): "", // so long is no word
	} {
		if got := roster.SwitchOf(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
