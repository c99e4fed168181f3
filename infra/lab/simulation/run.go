package simulation

import (
	"strings"
	"time"

	"merve/infra/wiring"
	"merve/internal/app"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/tenant/channel"
)

// Run lives through a world: steps of anything, then peace until all is quiet.
func (w *World) Run(steps int) {
	w.t.Helper()
	w.Begin()
	for range steps {
		w.Step()
	}
	w.Settle()
}

// Begin makes the world ready for steps.
func (w *World) Begin() {
	w.queue = queue{w: w, function: "turn", names: map[string]time.Time{}}
	w.pictures = queue{w: w, function: "ocr", unnamed: true, names: map[string]time.Time{}}
	w.notify = stream{function: "notify", table: "ledger", prefix: "event#"}
	w.outbox = stream{function: "sender", table: "conversations", prefix: "outbox#", lossy: true}
	w.records = stream{function: "records", table: "records", prefix: "event#"}
	if len(w.Customers) == 0 {
		for range 2 {
			w.Join(channel.App)
			w.Join(channel.WhatsApp)
		}
	}
}

// Step does one thing, picked by chance.
func (w *World) Step() {
	w.t.Helper()
	c := oneOf(w, w.Customers)
	if len(w.Others) > 0 && w.chance(0.1) {
		w.repeat(oneOf(w, w.Others))
		return
	}
	if w.vendors != nil && w.chance(0.4) {
		w.trade()
		return
	}
	switch n := w.pick(100); {
	case n < 32:
		w.speak(c)
	case n < 38:
		w.repeat(c)
	case n < 60:
		w.queue.Deliver()
	case n < 68:
		if len(w.Others) > 0 && w.chance(0.7) {
			w.Flow(&w.records)
			break
		}
		w.Flow(&w.notify)
	case n < 78:
		w.Flow(&w.outbox)
	case n < 81:
		w.callback()
	case n < 84:
		w.tick("sweep")
	case n < 86:
		w.tick("expiry")
	case n < 87:
		w.tick("invariants")
	case n < 90:
		w.Look(c)
	case n < 92:
		w.gateway()
	case n < 93:
		w.end(oneOf(w, []string{"chat", "whatsapp", "turn", "notify", "sender", "records"}), true) // as by a deployment
	case n < 97:
		w.jump(time.Duration(1+w.pick(25)) * time.Second)
	case n < 99:
		w.jump(time.Duration(1+w.pick(12)) * time.Minute)
	default:
		w.jump(time.Duration(1+w.pick(30)) * time.Hour)
	}
}

func (w *World) jump(d time.Duration) {
	w.Pass(d)
	w.note("%s pass", d)
}

// repeat sends something again that was sent before: an impatient app, or Twilio.
func (w *World) repeat(c *Customer) {
	if len(c.Said) > 0 {
		w.Send(c, oneOf(w, c.Said))
	}
}

// tick starts a scheduled function, sometimes twice.
func (w *World) tick(function string) {
	for range 1 + w.pick(2) {
		err := w.Tick(function)
		w.note("%s: failed %v", function, err != nil)
	}
}

// gateway makes Twilio's next answer go wrong.
func (w *World) gateway() {
	if !w.o.Faults || w.calm {
		return
	}
	f := oneOf(w, []twiliotest.Fault{twiliotest.Before(), twiliotest.After(), twiliotest.TooMany(2 * time.Second), twiliotest.Broken(true), twiliotest.Broken(false), {Cut: true, Taken: true}})
	if w.chance(0.3) {
		w.twilio.FailLists(twiliotest.Fault{Status: 503})
	}
	w.twilio.FailSends(f)
}

// rounds bounds how long a world may take to come to rest.
const rounds = 40

// Settle ends the faults and lets everything come to rest.
func (w *World) Settle() {
	w.t.Helper()
	w.calm = true
	for function := range app.Constructors(wiring.Elsewhere()) {
		w.end(function, true)
	}
	w.note("from now on all goes well")
	asked := 0 // of Twilio
	for n := range rounds {
		moved := w.retell() || w.twilio.Requests() > asked
		asked = w.twilio.Requests()
		for w.queue.Deliver() || w.pictures.Deliver() || w.Flow(&w.notify) || w.Flow(&w.records) || w.Flow(&w.outbox) {
			moved = true
		}
		if n > 3 && !moved {
			return
		}
		// Claims and holds run out first. Then it is the turn of the longest wait of all.
		w.jump([]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 2 * time.Hour}[min(n, 3)])
		scheduled := []string{"expiry", "sweep"}
		if w.vendors != nil {
			scheduled = append(scheduled, "outreach")
		}
		for _, function := range scheduled {
			// What was arranged with Twilio to fail still does, once.
			if err := w.Tick(function); err != nil && n > 4 {
				w.t.Errorf("%s, without faults: %v", function, err)
			}
		}
	}
	w.t.Errorf("no rest after %d rounds", rounds)
}

// retell sends again what was never acknowledged.
func (w *World) retell() (moved bool) {
	for _, c := range w.people() {
		for _, s := range c.Said {
			if s.Taken.IsZero() && !s.Refused {
				moved = true
				if a := w.Send(c, s); s.Taken.IsZero() {
					w.t.Errorf("%s says %q, without faults: %d %s", c.Name, s.Text, a.Status, strings.TrimSpace(a.Body))
				}
			}
		}
	}
	return moved
}
