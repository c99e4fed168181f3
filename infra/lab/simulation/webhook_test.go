package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/tenant/channel"
)

// Messages that Twilio delivers many times, in any order, on many connections at once, and
// again after minutes and days, come in once, are answered once and sent once, in order.
func TestPromise3_AMessageDeliveredManyTimesIsOneMessage(t *testing.T) {
	t.Parallel()
	const people, each, atOnce, few, many = 5, 3, 32, 30, 1005 // each of a round comes before the next is said
	chance, n := seedtest.Rand(t), seedtest.Times(t, few)
	if n > few {
		n = max(n, many)
	}
	w := New(t, Options{Seed: 1})
	w.Model = func(*World, openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "What would you like?"}
	}
	for range people {
		w.Join(channel.WhatsApp)
	}
	w.Begin()
	w.outbox.lossy = false
	deliveries := 0
	for said := range n / people {
		var events [][]byte
		for _, c := range w.Customers {
			c.Said = append(c.Said, &Said{ID: fmt.Sprintf("SM%032x", w.newNumber()), Text: fmt.Sprint("message ", said), First: w.Now(), Taken: w.Now()})
			for _, s := range c.Said[said-said%each:] { // those of the round before it come again
				form := w.form(c, s)
				for range 1 + chance.IntN(10) {
					events = append(events, w.request("POST", inboundPath, w.signed(inboundPath, form), []byte(form.Encode())))
				}
			}
		}
		deliveries += len(events)
		deliver(w, chance, events, atOnce)
		if said%each < each-1 {
			continue
		}
		w.Pass(time.Minute)
		for w.queue.Deliver() || w.Flow(&w.outbox) {
		}
	}
	w.calm = true
	for _, later := range []time.Duration{6 * time.Minute, 7 * 24 * time.Hour} {
		w.Pass(later)
		for _, c := range w.Customers {
			w.Send(c, c.Said[chance.IntN(len(c.Said))])
			deliveries++
		}
	}
	w.Settle()
	w.Check()
	answers := 0
	for _, c := range w.Customers {
		var in []string
		for _, turn := range w.turns(c.Thread) {
			answers++
			for _, m := range turn.In {
				in = append(in, m.Text)
			}
		}
		said := make([]string, len(c.Said))
		for i, s := range c.Said {
			said[i] = s.Text
		}
		if !slices.Equal(in, said) {
			t.Errorf("%s said %q, and %q was answered", c.Name, said, in)
		}
	}
	if got := len(w.twilio.Messages()); got != answers {
		t.Errorf("%d turns have answered and %d messages were sent", answers, got)
	}
	faulttest.Tried(t, deliveries)
}

// deliver gives events to the webhook in any order, so many at once.
func deliver(w *World, chance *rand.Rand, events [][]byte, atOnce int) {
	chance.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	next := make(chan []byte)
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for e := range next {
				if a := w.answer(w.aside("whatsapp", e)); a.Status != 200 {
					w.t.Errorf("%d %s", a.Status, a.Body)
				}
			}
		})
	}
	for _, e := range events {
		next <- e
	}
	close(next)
	all.Wait()
}
