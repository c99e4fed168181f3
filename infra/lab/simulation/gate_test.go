package simulation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/edge/api"
	"merve/internal/edge/threadapi"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/record/ledger"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// offered is a world in which two customers of the app, and nobody else, have been made an
// offer each.
type offered struct {
	*World
	ann, bob       *Customer
	annHas, bobHas threadapi.PendingAction
}

func makeOffers(t *testing.T) *offered {
	t.Helper()
	w := New(t, Options{Seed: 1})
	w.Model = Waiter
	o := &offered{World: w, ann: w.Join(channel.App), bob: w.Join(channel.App)}
	w.Begin()
	o.annHas = o.offer(o.ann, "book cruise 2026-11-24 18:00 for 1")
	o.bobHas = o.offer(o.bob, "book meze 2026-11-24 19:00 for 2")
	o.Pass(time.Second)
	return o
}

// offer has a customer ask for something and gives what waits for their YES.
func (o *offered) offer(c *Customer, text string) threadapi.PendingAction {
	o.t.Helper()
	res := o.reply(o.Say(c, &Said{Text: text}))
	if res.PendingAction == nil {
		o.t.Fatalf("no offer: %q", res.Reply)
	}
	return *res.PendingAction
}

func (o *offered) reply(a Answer) api.ChatResponse {
	o.t.Helper()
	var res api.ChatResponse
	if err := json.Unmarshal([]byte(a.Body), &res); err != nil || a.Status != 200 {
		o.t.Fatalf("%d %s", a.Status, a.Body)
	}
	return res
}

// booked lists the listings of the bookings that are confirmed.
func (w *World) booked() []string {
	w.t.Helper()
	var names []string
	for _, l := range w.Listings {
		for range w.in(l.ID, ledger.Confirmed) {
			names = append(names, l.ID)
		}
	}
	return names
}

// in lists the transactions of a listing that are in a state.
func (w *World) in(listing string, state ledger.State) []ledger.Transaction {
	w.t.Helper()
	var page struct{ Transactions []ledger.Transaction }
	w.Admin("transactions?limit=100&businessId=biz-"+listing, &page)
	return slices.DeleteFunc(page.Transactions, func(tx ledger.Transaction) bool { return tx.State != state })
}

// A commitment needs the owner's YES to exactly the offer that waits, in time: anything
// else does nothing.
func TestPromise1_NothingIsConfirmedWithoutTheOwnersYesToThatOffer(t *testing.T) {
	t.Parallel()
	yes := func(s *Said) *Said { s.Text, s.Means = "yes", Yes; return s }
	for _, tt := range []struct {
		name   string
		do     func(o *offered)
		booked string // what is confirmed afterwards
	}{
		{"the owner says yes", func(o *offered) { o.Say(o.ann, yes(&Said{})) }, "cruise"},
		{"by the button", func(o *offered) { o.Say(o.ann, yes(&Said{Button: "yes:" + o.annHas.ID})) }, "cruise"},
		{"as a reply to it", func(o *offered) { o.Say(o.ann, yes(&Said{ReplyTo: o.annHas.ID})) }, "cruise"},
		{"the button of another customer's offer", func(o *offered) { o.Say(o.ann, yes(&Said{Button: "yes:" + o.bobHas.ID})) }, ""},
		{"a reply to another customer's offer", func(o *offered) { o.Say(o.ann, yes(&Said{ReplyTo: o.bobHas.ID})) }, ""},
		{"an offer that does not exist", func(o *offered) { o.Say(o.ann, yes(&Said{Button: "yes:p_0000000000000000"})) }, ""},
		{"the transaction's id on the button", func(o *offered) { o.Say(o.ann, yes(&Said{Button: "yes:" + o.transaction(o.annHas)})) }, ""},
		{"the button with other words", func(o *offered) {
			o.Say(o.ann, &Said{Text: "No, never", Button: "yes:" + o.annHas.ID, Means: Yes})
		}, "cruise"},
		{"yes, with a condition", func(o *offered) { o.Say(o.ann, &Said{Text: "yes, but for two"}) }, ""},
		{"no", func(o *offered) { o.Say(o.ann, &Said{Text: "no", Means: No}) }, ""},
		{"no, then yes", func(o *offered) {
			o.Say(o.ann, &Said{Text: "no", Means: No})
			o.Pass(time.Second)
			o.Say(o.ann, yes(&Said{}))
			o.Say(o.ann, yes(&Said{Button: "yes:" + o.annHas.ID}))
		}, ""},
		{"after it has expired", func(o *offered) { o.Pass(11 * time.Minute); o.Say(o.ann, yes(&Said{})) }, ""},
		{"after it was swept", func(o *offered) {
			o.Pass(11 * time.Minute)
			o.must("expiry")
			o.Say(o.ann, yes(&Said{Button: "yes:" + o.annHas.ID}))
		}, ""},
		{"29 s before it expires", func(o *offered) {
			o.Pass(o.annHas.ExpiresAt.Sub(o.Now()) - 29*time.Second)
			o.Say(o.ann, yes(&Said{}))
		}, ""},
		{"31 s before it expires", func(o *offered) {
			o.Pass(o.annHas.ExpiresAt.Sub(o.Now()) - 31*time.Second)
			o.Say(o.ann, yes(&Said{}))
		}, "cruise"},
		{"the button of an earlier offer", func(o *offered) {
			o.Say(o.ann, &Said{Text: "no", Means: No})
			o.Pass(time.Second)
			o.offer(o.ann, "book cruise 2026-11-25 18:00 for 1")
			o.Pass(time.Second)
			o.Say(o.ann, yes(&Said{Button: "yes:" + o.annHas.ID}))
		}, ""},
		{"a reply to an earlier offer", func(o *offered) {
			o.Say(o.ann, &Said{Text: "no", Means: No})
			o.Pass(time.Second)
			o.offer(o.ann, "book cruise 2026-11-25 18:00 for 1")
			o.Pass(time.Second)
			o.Say(o.ann, yes(&Said{ReplyTo: o.annHas.ID}))
		}, ""},
		{"the price changed since", func(o *offered) { o.reprice(); o.Say(o.ann, yes(&Said{})) }, ""},
		{"yes twice", func(o *offered) { o.Say(o.ann, yes(&Said{})); o.Pass(time.Second); o.Say(o.ann, yes(&Said{})) }, "cruise"},
		{"the same yes again", func(o *offered) { s := yes(&Said{}); o.Say(o.ann, s); o.Send(o.ann, s); o.Send(o.ann, s) }, "cruise"},
		{"the same yes again after a cancellation", func(o *offered) {
			s := yes(&Said{})
			o.Say(o.ann, s)
			o.Pass(time.Second)
			o.cancel(o.ann)
			o.Send(o.ann, s)
			o.Say(o.ann, yes(&Said{Button: "yes:" + o.annHas.ID}))
		}, ""},
		{"a yes from before the offer, again", func(o *offered) {
			s := yes(&Said{})
			o.Say(o.bob, &Said{Text: "no", Means: No})
			o.Pass(time.Second)
			o.Say(o.bob, s)
			o.Pass(time.Second)
			o.offer(o.bob, "book meze 2026-11-25 19:00 for 2")
			o.Pass(time.Second)
			o.Send(o.bob, s)
		}, ""},
		{"both say yes", func(o *offered) { o.Say(o.ann, yes(&Said{})); o.Say(o.bob, yes(&Said{})) }, "meze cruise"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := makeOffers(t)
			tt.do(o)
			if got := strings.Join(o.booked(), " "); got != tt.booked {
				t.Errorf("booked %q, want %q", got, tt.booked)
			}
			o.gather().yeses()
		})
	}
}

// Whoever looks is shown an offer until its time is over, and not until the next turn.
func TestAnOfferThatRanOutIsNotShown(t *testing.T) {
	t.Parallel()
	o := makeOffers(t)
	for _, want := range []string{`"pendingAction":{"id":"` + o.annHas.ID, `"state":"idle"}`} {
		if a := o.Look(o.ann); !strings.Contains(a.Body, want) {
			t.Errorf("want %s in %s", want, a.Body)
		}
		o.Pass(o.annHas.ExpiresAt.Sub(o.Now()))
	}
}

// must runs a scheduled function.
func (o *offered) must(function string) {
	o.t.Helper()
	if err := o.Tick(function); err != nil {
		o.t.Fatal(err)
	}
}

// transaction finds what a pending action is about.
func (o *offered) transaction(p threadapi.PendingAction) string {
	o.t.Helper()
	txs, _, err := o.healthy.Ledger().ByOwner(o.t.Context(), o.actorOf(o.ann), 1, "")
	if err != nil || len(txs) != 1 {
		o.t.Fatalf("%v: %v", err, txs)
	}
	return txs[0].ID
}

// actorOf is a customer as the product knows them.
func (o *offered) actorOf(c *Customer) actor.Actor {
	o.t.Helper()
	head, err := o.healthy.Threads().Head(o.t.Context(), c.Thread)
	if err != nil {
		o.t.Fatal(err)
	}
	kind, id, _ := strings.Cut(head.Owner, ":")
	return actor.Actor{Kind: actor.Kind(kind), ID: id}
}

// reprice makes everything dearer.
func (o *offered) reprice() {
	for _, l := range o.Listings {
		l.Offerings[0].PriceMinor *= 3
		o.Put(l)
	}
}

// cancel cancels a customer's booking.
func (o *offered) cancel(c *Customer) {
	o.t.Helper()
	o.offer(c, "can I cancel a booking?")
	o.Pass(time.Second)
	o.Say(c, &Said{Text: "yes", Means: Yes})
}

// A price that has changed since it was shown binds nobody: the YES books nothing, at neither price, and says so.
func TestTheReceiptIsForThePriceThatWasShown(t *testing.T) {
	t.Parallel()
	o := makeOffers(t)
	o.reprice()
	if res := o.reply(o.Say(o.ann, &Said{Text: "yes", Means: Yes})); !strings.Contains(res.Reply, "price") || !strings.Contains(res.Reply, "nothing was booked") {
		t.Errorf("%q", res.Reply)
	}
	if booked := o.booked(); len(booked) != 0 {
		t.Errorf("booked %v", booked)
	}
}

// A YES from two devices at once, a YES against the expiry, a YES and a NO, and
// one to an offer that another takes the place of: one effect each, and nobody is told otherwise.
func TestYesesRace(t *testing.T) {
	t.Parallel()
	races := []struct {
		name    string
		prepare func(o *offered)
		at      []func(o *offered)
		may     []string // what may be booked afterwards
	}{
		{"two devices", nil, []func(*offered){sayYes, sayYes, sayYes}, []string{"cruise"}},
		{"the button twice", nil, []func(*offered){tap, tap}, []string{"cruise"}},
		{"yes and no", nil, []func(*offered){sayYes, sayNo}, []string{"", "cruise"}},
		{"yes and the expiry", func(o *offered) { o.Pass(o.annHas.ExpiresAt.Sub(o.Now()) - 31*time.Second) }, []func(*offered){
			sayYes, func(o *offered) { o.Pass(time.Minute); o.aside("expiry", []byte(`{}`)) },
		}, []string{"", "cruise"}},
		{"yes and a new offer", nil, []func(*offered){sayYes, func(o *offered) {
			o.post(o.ann, map[string]any{"message": "book cruise 2026-11-25 19:00 for 1"})
		}}, []string{"", "cruise"}},
	}
	seedtest.Of(t)
	n := 0
	for _, tt := range races {
		for round := range 3 {
			n++
			t.Run(fmt.Sprint(tt.name, round), func(t *testing.T) {
				t.Parallel()
				o := makeOffers(t)
				if tt.prepare != nil {
					tt.prepare(o)
				}
				var all sync.WaitGroup
				for _, f := range tt.at {
					all.Go(func() { f(o) })
				}
				all.Wait()
				got := strings.Join(o.booked(), " ")
				if !slices.Contains(tt.may, got) {
					t.Errorf("booked %q, want one of %q", got, tt.may)
				}
				texts := strings.Join(o.texts(), "\n")
				if confirmed := strings.Contains(texts, codeOf(t, o)); confirmed != (got == "cruise") {
					t.Errorf("booked %q, and told:\n%s", got, texts)
				}
			})
		}
	}
	faulttest.Tried(t, n)
}

func sayYes(o *offered) { o.post(o.ann, map[string]any{"message": "yes"}) }
func sayNo(o *offered)  { o.post(o.ann, map[string]any{"message": "no"}) }
func tap(o *offered) {
	o.post(o.ann, map[string]any{"message": "Yes", "button": "yes:" + o.annHas.ID})
}

// post sends a message from a device of its own, beside whatever else happens.
func (o *offered) post(c *Customer, body map[string]any) {
	body["sessionId"] = c.Session
	body["clientMessageId"] = fmt.Sprintf("device-%d", o.newNumber())
	header := map[string]string{"Content-Type": "application/json"}
	if a := o.answer(o.aside("chat", o.request("POST", "/chat/message", header, o.marshal(body)))); a.Status != 200 {
		o.t.Errorf("%d %s", a.Status, a.Body)
	}
}

// texts is all that ann's thread says.
func (o *offered) texts() []string {
	var texts []string
	for _, turn := range o.turns(o.ann.Thread) {
		texts = append(texts, textOf(turn))
	}
	return texts
}

// codeOf is what ann's first booking is told by when it is confirmed.
func codeOf(t *testing.T, o *offered) string {
	t.Helper()
	txs, _, err := o.healthy.Ledger().ByOwner(t.Context(), o.actorOf(o.ann), 10, "")
	if err != nil || len(txs) == 0 {
		t.Fatalf("%v: nothing was offered", err)
	}
	return txs[len(txs)-1].Code
}

// A reply never says what has not happened, whatever language it says it in and however it
// is disguised; and what has happened is told by the product.
func TestPromise2_AClaimThatNothingBearsOutIsNotSent(t *testing.T) {
	t.Parallel()
	w := New(t, Options{Seed: 1})
	c := w.Join(channel.App)
	w.Begin()
	n := 0
	for _, claim := range claims {
		for name, disguise := range disguises {
			n++
			w.Model = func(*World, openaitest.Request) openaitest.Answer {
				return openaitest.Answer{Text: disguise(claim)}
			}
			a := w.Say(c, &Said{Text: "is there parking?"})
			var res api.ChatResponse
			if err := json.Unmarshal([]byte(a.Body), &res); err != nil {
				t.Fatal(err)
			}
			if res.Reply != wording.Say("en", wording.ClaimWithheld, nil) {
				t.Errorf("sent, %s: %q", name, res.Reply)
			}
			w.Pass(time.Second)
		}
	}
	faulttest.Tried(t, n)
}
