package simulation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"merve/internal/base/seedtest"
	"merve/internal/tenant/channel"
)

// What a town does is logged at INFO, turn by turn and message by message, and nobody's name, number,
// address or words are in any line.
func TestNobodyIsInTheLogs(t *testing.T) {
	t.Parallel()
	w := New(t, Options{Seed: seedtest.Of(t), Faults: true, Frozen: true})
	w.Town()
	w.Model, w.talk = Waiter, errand
	for _, ch := range []channel.Channel{channel.App, channel.WhatsApp, channel.WhatsApp} {
		w.Join(ch)
	}
	w.Run(110)
	for _, leak := range w.leaks() {
		t.Error(leak)
	}
	for _, what := range []string{"turn", "outbox", "expiry", "rides", "threads"} {
		if !slices.ContainsFunc(w.log.lines, func(line string) bool { return strings.Contains(line, fmt.Sprintf(`"level":"INFO","msg":%q`, what)) }) {
			t.Errorf("no line of %s, so what it logs was not looked at", what)
		}
	}

	app, phone, told := w.Customers[0], w.Customers[1], w.twilio.Messages()
	if len(app.Told) == 0 || len(told) == 0 {
		t.Fatalf("%d and %d messages: nothing to leak", len(app.Told), len(told))
	}
	quiet := w.log.lines
	for what, secret := range map[string]string{
		"a customer's name": phone.Name, "a profile's name": app.Canary, "a driver's name": "Dina", "a customer's number": phone.Phone,
		"a number without its sign": digits(phone.Phone), "a number to call": phoneFor(app), "a business's number": w.Others[0].Phone,
		"the desk's number": deskNumber, "a session": app.Session, "an address": "5, Harbour Road", "a reply in the app": app.Told[0].Text,
		"a message": told[0].Body, "what was said": app.Said[0].Text + " " + app.Canary,
	} {
		line, err := json.Marshal(map[string]any{"level": "INFO", "msg": "turn", "deep": []any{map[string]string{"x": "of " + secret + ", and so on"}}})
		if err != nil {
			t.Fatal(err)
		}
		w.log.lines = []string{string(line)}
		if len(w.leaks()) == 0 {
			t.Errorf("%s was not found in %s", what, line)
		}
	}
	w.log.lines = quiet
}
