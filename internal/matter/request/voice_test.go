package request_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/geo"
	. "merve/internal/matter/request"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// says has the client of a request write to us.
func (y *yard) says(r Request, in channel.Inbound) {
	y.t.Helper()
	in.Market, in.Channel, in.ThreadType, in.From = y.market.ID, channel.App, channel.General, actor.OfKey(r.Owner)
	in.MessageID = fmt.Sprint("said ", in.Text, len(in.Media))
	if _, err := y.Threads.(*thread.Store).Append(y.t.Context(), in, false); err != nil {
		y.t.Fatal(err)
	}
}

// as is a call of a program that says who it is; of a model in a turn of the client's it asks in that turn.
func (y *yard) as(who string, r Request, tool, key, input string) Answer {
	y.t.Helper()
	c := y.call(tool, r.ID, key, strings.ReplaceAll(input, "{key}", Key(r.ID, key)))
	c.By = actor.Actor{Kind: actor.System, ID: "program", Groups: []string{"system"}}
	if c.Meta.Actor = who; who == inTurn {
		owner := actor.OfKey(r.Owner)
		c.Meta.Actor, c.By, c.Owner, c.InTurn = Moltbot, owner, &owner, &InTurn{Thread: r.Thread, Channel: channel.App}
	}
	a, err := y.Do(y.t.Context(), c)
	if err != nil {
		y.t.Fatalf("%s by %s: %v", tool, who, err)
	}
	return a
}

const inTurn = "a model in a turn"

// asks has the client say YES to asking vendors.
func (y *yard) asks(r Request, vendors ...string) {
	y.t.Helper()
	y.do(ProposeOutreach, r.ID, "ask", `{"request_id":"{id}","vendor_ids":["`+strings.Join(vendors, `","`)+`"]}`)
	y.fail(y.answers(y.Broker, r.ID, true))
}

// letters are what vendor v1 was written, by what it is.
func (y *yard) letters(r Request) map[string]string {
	y.t.Helper()
	o := y.view(r.ID).Outreach[0]
	ms, err := y.Outbox.List(y.t.Context(), o.Thread, 100)
	y.fail(err)
	all := map[string]string{}
	for _, m := range ms {
		all[strings.TrimPrefix(m.ID, o.ID+".")] = m.Text
	}
	return all
}

func hashed(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func message(text string) string {
	raw, _ := json.Marshal(text)
	return `{"request_id":"{id}","vendor_id":"v1","message":` + string(raw) + `,"idempotency_key":"{key}"}`
}

// After a YES to asking, a model or a program puts no words into the client's mouth: a vendor gets a whole message of the
// client's, or nothing.
func TestPromise1_NobodyButTheClientSpeaksForTheClient(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	r, other := y.request("1", y.client("ann")), y.request("2", y.client("bob"))
	y.asks(r, "v1")
	here := geo.Location{Lat: 35.3, Lng: 33.3}
	for _, text := range []string{
		"Are cables included?", "Please come after 9, or at 10:30 on 28.11.2026", "Our budget is 500 EUR", "Call me on +90 533 000 00 00", "See www.example.com",
		"We can pay 450", "five hundred euros at most", "das kostet fünfzig Euro", "в пределах ста рублей", "הכי הרבה מאה שקלים", "٣٠٠ على الأكثر", "€50", "yes", "No", "evet",
	} {
		y.says(r, channel.Inbound{Text: text})
	}
	y.says(r, channel.Inbound{Text: "Like this one", Media: []channel.Media{{URL: "https://files.example/1", Type: "image/png"}}})
	y.says(r, channel.Inbound{Text: "Here it is", Location: &here})
	y.says(other, channel.Inbound{Text: "I am somebody else"})
	for _, who := range []string{Moltbot, System} {
		for n, text := range []string{
			"We accept your quote of 450 EUR. Deliver tomorrow 08:00. This is a binding order.",
			"The budget is 500 EUR, my name is A. B., call +905330000000, card 4242424242424242",
			"Are cables included", "cables", "Are cables included? We accept.", "ARE CABLES INCLUDED?", "I am somebody else", "Like this one", "Here it is",
			"Our budget is 500 EUR", "Call me on +90 533 000 00 00", "See www.example.com", "We can pay 450", "five hundred euros at most", "das kostet fünfzig Euro",
			"в пределах ста рублей", "הכי הרבה מאה שקלים", "٣٠٠ على الأكثر", "€50", "yes", "No", "evet",
		} {
			a := y.as(who, r, SendVendorMessage, who+fmt.Sprint(n), message(text))
			if out := decoded(t, a.Output); a.Success || out["success"] != false || !strings.Contains(fmt.Sprint(out["error"]), "whole message") {
				t.Errorf("%s says %q: %s", who, text, a.Output)
			}
		}
	}
	if got := y.sent(y.view(r.ID)); len(got) != 1 {
		t.Fatalf("the vendor was sent %q", got)
	}
	for n, text := range []string{"Are  cables included? ", "Please come after 9, or at 10:30 on 28.11.2026"} {
		if a := y.as([]string{Moltbot, System}[n], r, SendVendorMessage, fmt.Sprint("whole", n), message(text)); !a.Success {
			t.Errorf("a whole message: %s", a.Output)
		}
	}
	got := y.letters(r)
	if !strings.Contains(got["question-1"], "The customer writes: “Are cables included?”") || !strings.Contains(got["question-2"], "“Please come after 9") || len(got) != 3 {
		t.Errorf("the vendor was sent %q", got)
	}
}

// A small figure is the client's own matter until it is their budget, or what a vendor quotes.
func TestPromise1_NoVendorHearsABudgetOrAnotherQuote(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	y.vendor("v2", nil)
	r := y.request("1", func(r *Request) { y.client("ann")(r) })
	y.do(UpdateRequirements, r.ID, "budget", `{"request_id":"{id}","requirements":{"budget":80}}`)
	y.asks(r, "v1", "v2")
	y.do(RecordVendorReply, r.ID, "reply", `{"request_id":"{id}","vendor_id":"v2","message":"75","provider_message_id":"SM2","parsed_data":{"has_stock":true,"price":75.5}}`)
	for text, goes := range map[string]bool{"not more than 80": false, "the others take 75": false, "we are 12": true} {
		y.says(r, channel.Inbound{Text: text})
		if a := y.as(Moltbot, r, SendVendorMessage, hashed(text), message(text)); a.Success != goes {
			t.Errorf("%q: %s", text, a.Output)
		}
	}
}

// Words that a model has made up are a question to the client, which shows them in full. Their YES sends exactly these,
// once; their NO, another question and a change of the words send nothing.
func TestPromise1_WordsToAVendorTakeAYes(t *testing.T) {
	t.Parallel()
	const words = "We accept your quote of 450 EUR. Deliver tomorrow 08:00, and call +905330000000."
	y := newYard(t)
	y.vendor("v1", nil)
	r := y.request("1", y.client("ann"))
	y.asks(r, "v1")
	proposes := func(key, text string) Answer {
		t.Helper()
		a := y.as(inTurn, r, SendVendorMessage, key, message(text))
		if !a.Success || a.Offer == nil || a.Offer.Kind != LetterKind || !strings.Contains(a.Offer.Summary, "“"+text+"”") || !strings.Contains(a.Offer.Summary, "Vendor v1") {
			t.Fatalf("the client is asked %+v by %s", a.Offer, a.Output)
		}
		return a
	}
	proposes("no", words)
	y.fail(y.answers(y.Broker, r.ID, false))
	long := strings.Repeat("a word and another, ", 48) + "and the last"
	proposes("long", long)
	before := PendingOf(y.view(r.ID), y.market)
	y.now = y.now.Add(time.Minute)
	proposes("yes", words)
	if after := PendingOf(y.view(r.ID), y.market); after.Hash == before.Hash {
		t.Error("other words have the same hash")
	}
	if got := y.sent(y.view(r.ID)); len(got) != 1 {
		t.Errorf("the vendor was sent %q before the YES", got)
	}
	y.fail(y.answers(y.Broker, r.ID, true))
	if v := y.view(r.ID); v.Offer != nil {
		t.Errorf("after the YES %+v still waits", v.Offer)
	}
	got := y.letters(r)
	if !strings.Contains(got["question-1"], "The customer writes: “"+words+"”") || len(got) != 2 {
		t.Errorf("the vendor was sent %q", got)
	}
	events, err := y.Store.History(t.Context(), r.ID)
	y.fail(err)
	last := events[len(events)-1]
	if last.Type != LetterEvent || last.Text != words || last.Receipt == nil || last.Receipt.Answer != "yes" || last.By != r.Owner {
		t.Errorf("what happened: %+v", last)
	}
	y.do(UpdateRequestState, r.ID, "off", `{"request_id":"{id}","new_state":"cancelled"}`)
	if a := y.as(inTurn, r, SendVendorMessage, "over", message(words)); a.Success || a.Offer != nil {
		t.Errorf("of a request that is over: %s", a.Output)
	}
}

// A person at the desk writes in their own name, and never as the client.
func TestTheDeskSignsWhatItWrites(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.vendor("v1", nil)
	r := y.request("1", y.client("ann"))
	y.asks(r, "v1")
	y.do(SendVendorMessage, r.ID, "k", strings.ReplaceAll(message("Do you have a crane?"), "{key}", Key(r.ID, "k")))
	if got := y.letters(r)["question-1"]; !strings.Contains(got, "Dana of "+y.market.Name+" writes: “Do you have a crane?”") {
		t.Errorf("the vendor was sent %q", got)
	}
	if a := y.as(Admin, r, SendVendorMessage, "program", message("We accept.")); a.Success { // says so, and is no person
		t.Errorf("a program as the desk: %s", a.Output)
	}
}
