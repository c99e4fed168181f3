package simulation

import (
	"fmt"
	"testing"

	"merve/internal/base/actor"
	"merve/internal/record/ledger"
	"merve/internal/tenant/channel"
)

// WhatsApp tells of a person by their number, by an id of ours for them, or by both, as it pleases:
// that is one person, on one thread, whose offer waits for their YES whichever way it comes.
func TestField36_AYesComesAnotherWay(t *testing.T) {
	t.Parallel()
	const phone, id = "+15550260001", "US.13491208655302741918"
	type way struct{ from, alias string }
	both, byID := way{phone, id}, way{id, ""}
	for name, ways := range map[string][]way{
		"first without a number": {byID, both},
		"then without a number":  {both, byID},
		"and back":               {byID, both, byID},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t, Options{Seed: 1})
			w.calm, w.Model = true, Waiter
			w.Begin()
			says := []string{"book meze 2026-11-24 19:00 for 2 canary0001q", "hello", "yes"}
			for n, text := range says[len(says)-len(ways):] {
				if n == 0 {
					text = says[0]
				}
				form := w.twilio.Inbound(fmt.Sprintf("SM%032x", w.newNumber()), ways[n].from, text)
				if ways[n].alias != "" {
					form.Set("ExternalUserId", "whatsapp:"+ways[n].alias)
				}
				if a := w.Webhook(inboundPath, form); a.Status != 200 {
					t.Fatalf("%d: %s", a.Status, a.Body)
				}
				w.flow()
			}
			txs, _, err := w.healthy.Ledger().ByBusiness(t.Context(), actor.Actor{Kind: actor.System}, "biz-meze", 20, "")
			if err != nil || len(txs) != 1 || txs[0].State != ledger.Confirmed {
				t.Fatalf("%+v, %v", txs, err)
			}
			if turns := w.turns(txs[0].Thread); len(turns) < len(ways) {
				t.Errorf("%d turns on the thread of %s, want %d", len(turns), channel.WhatsApp, len(ways))
			}
		})
	}
}
