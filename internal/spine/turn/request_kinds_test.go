package turn_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/matter/request"
	"merve/internal/model/llm"
	"merve/internal/tenant/channel"
)

// requestKinds are the kinds of turn by which requests go on. What begins with a name is said by that vendor.
func requestKinds() []kind {
	asking := []string{"generator", "ask vendors"}
	asked, called := then(asking, "yes"), []string{"generator", "call me"}
	all := []kind{
		{name: "request", want: "{marketplace.create_request ok}", said: []string{"generator"}},
		{name: "request changed", want: "{marketplace.update_requirements ok}", before: []string{"generator"}, said: []string{"at nine"}},
		{name: "outreach", want: "{marketplace.propose_outreach proposed}", before: asking[:1], said: asking[1:]},
		{name: "outreach, yes", want: "Vendors asked: 2", before: asking, said: []string{"yes"}},
		{name: "outreach, no", want: "nobody is asked", before: asking, said: []string{"no"}},
		{name: "vendor answers", want: "has been noted", before: asked, said: []string{"v1: 280"}},
		{name: "vendor declines", want: "has been noted", before: asked, said: []string{"v1: none left"}},
		{name: "vendor told by the client", want: "{marketplace.send_vendor_message ok}", before: asked, prepare: (*world).quoted, said: []string{"are cables included?"}},
		{name: "words to a vendor", want: "{marketplace.send_vendor_message proposed}", before: asked, prepare: (*world).quoted, said: []string{"say we take it"}},
		{name: "words to a vendor, yes", want: "Sent to Power Hire in your name: “We accept 450 EUR, call +905330000000.”", before: asked,
			prepare: quotedAnd("say we take it"), said: []string{"yes"}},
		{name: "words to a vendor, no", want: "nothing is sent to the vendor", before: asked, prepare: quotedAnd("say we take it"), said: []string{"no"}},
		{name: "acceptance", want: "{marketplace.propose_acceptance proposed}", before: asked, prepare: (*world).quoted,
			said: []string{"take it"}},
		{name: "acceptance, yes", want: "You have accepted the quote of Power Hire", before: asked, prepare: quotedAnd("take it"),
			said: []string{"yes"}},
		{name: "acceptance, no", want: "nothing is accepted", before: asked, prepare: quotedAnd("take it"), said: []string{"no"}},
		{name: "request cancelled", want: "{marketplace.update_request_state ok}", before: asked, prepare: (*world).quoted,
			said: []string{"cancel the generator"}},
		{name: "deal off", want: "{marketplace.update_request_state proposed}", before: asked, prepare: quotedAnd("take it", "yes"),
			said: []string{"cancel the generator"}},
		{name: "deal off, yes", want: "What you had accepted from Power Hire has been cancelled", before: asked,
			prepare: quotedAnd("take it", "yes", "cancel the generator"), said: []string{"yes"}},
		{name: "deal off, no", want: "what you have accepted stays as it is", before: asked, prepare: quotedAnd("take it", "yes", "cancel the generator"),
			said: []string{"no"}},
		{name: "deal done, yes", want: "Your request is closed as done", before: asked, prepare: quotedAnd("take it", "yes", "it is here"), said: []string{"yes"}},
		{name: "winner withdraws", want: "stands until they answer", before: asked, prepare: saying("v1: 280", "take it", "yes"),
			said: []string{"v1: sorry, the machine broke down"}},
		{name: "consent", want: "{marketplace.request_call_consent proposed}", before: called[:1], said: called[1:]},
		{name: "consent, yes", want: "You have agreed to one call", before: called, said: []string{"yes"}},
		{name: "consent, no", want: "nobody calls you", before: called, said: []string{"no"}},
		{name: "consent revoked", want: "{marketplace.revoke_call_consent ok}", before: then(called, "yes"), said: []string{"do not call me"}},
		{name: "consent refused in words", want: "We won't call you.", before: then(called, "yes"), said: []string{"nobody should phone me"}},
		{name: "consent refused while asked", want: "We won't call you.", before: called, said: []string{"I'd rather you didn't call, write to me"}},
		{name: "consent and a stop", want: "no more messages", before: then(called, "yes"), said: []string{"STOP"}},
	}
	for i := range all {
		all[i].alone, all[i].seeks = true, true
		if strings.HasPrefix(all[i].name, "consent") { // to be called at the number of the conversation
			all[i].only = channel.WhatsApp
		}
	}
	return all
}

// quoted has both vendors answer, and the stream bring what follows from each answer.
func (w *world) quoted(id string) {
	w.t.Helper()
	for i, text := range []string{"v1: 280", "v2: 300"} {
		w.arrive(nil, w.spoken("", fmt.Sprint("quote", i), text))
		w.clock.add(time.Second)
		w.allIsTold(id)
	}
}

// quotedAnd has both vendors answer, and then the client say something, one after the other.
func quotedAnd(said ...string) func(w *world, id string) {
	return func(w *world, id string) {
		w.t.Helper()
		w.quoted(id)
		saying(said...)(w, id)
	}
}

// saying has vendors and the client say something, one after the other, each once what the one before brought about was told.
func saying(texts ...string) func(w *world, id string) {
	return func(w *world, id string) {
		w.t.Helper()
		for _, text := range texts {
			w.arrive(nil, w.spoken(w.last.Channel, text, text))
			w.clock.add(time.Second)
			w.allIsTold(id)
		}
	}
}

// readReply is what clerk reads in a vendor's answer.
func readReply(req llm.Request) llm.Response {
	var said struct{ Answer string }
	text := `{"has_stock":false,"price":null,"currency":null,"availability":null,"notes":null}`
	err := json.Unmarshal([]byte(req.Messages[len(req.Messages)-1].Text), &said)
	if price := regexp.MustCompile(`\d+`).FindString(said.Answer); err == nil && price != "" {
		text = fmt.Sprintf(`{"has_stock":true,"price":%s,"currency":null,"availability":null,"notes":null}`, price)
	}
	return llm.Response{Text: text, Finish: "stop"}
}

var (
	aRequest  = regexp.MustCompile(`rq_[0-9a-z]+`)
	aOutreach = regexp.MustCompile(`"outreach_id":"(\w+)","vendor_id":"v1"`)
)

// errandOfRequest is what clerk calls in a round for what was said of a request, by what it has been told.
func errandOfRequest(said string, round int, told []llm.Message) []llm.Call {
	request, outreach := "", ""
	for _, m := range told {
		if all := aRequest.FindAllString(m.Text, -1); all != nil {
			request = all[len(all)-1]
		}
		if found := aOutreach.FindStringSubmatch(m.Text); found != nil {
			outreach = found[1]
		}
	}
	call := func(name, args string, of ...any) []llm.Call {
		return []llm.Call{{Name: "marketplace_" + name, Args: json.RawMessage(fmt.Sprintf(args, of...))}}
	}
	switch fmt.Sprint(said, " ", round) {
	case "generator 0":
		return call("create_request", `{"category":"generator rental","need":"60 kVA generator","place":"Kyrenia","when":"Saturday","budget":300,"phone":"+15550300999"}`)
	case "at nine 0":
		return call("update_requirements", `{"request_id":%q,"need":null,"place":null,"when":"Saturday at nine","budget":null}`, request)
	case "ask vendors 0":
		return call("propose_outreach", `{"request_id":%q,"vendor_ids":["v1","v2"]}`, request)
	case "are cables included? 0":
		return call("send_vendor_message", `{"request_id":%q,"vendor_id":"v1","message":"are cables included?"}`, request)
	case "say we take it 0":
		return call("send_vendor_message", `{"request_id":%q,"vendor_id":"v1","message":"We accept 450 EUR, call +905330000000."}`, request)
	case "take it 0":
		return call("get_request_snapshot", `{"request_id":%q}`, request)
	case "take it 1":
		return call("propose_acceptance", `{"request_id":%q,"outreach_id":%q}`, request, outreach)
	case "cancel the generator 0":
		return call("update_request_state", `{"request_id":%q,"new_state":"cancelled","reason":null}`, request)
	case "it is here 0":
		return call("update_request_state", `{"request_id":%q,"new_state":"fulfilled","reason":null}`, request)
	case "call me 0":
		return call("request_call_consent", `{"request_id":%q,"scope":"concierge","reason":"the road is hard to find"}`, request)
	case "do not call me 0":
		return call("revoke_call_consent", `{"request_id":%q}`, request)
	}
	return nil
}

// stateOfRequests is what is left of requests, and what stands for their ids. Of the calls that were audited, each
// counts once: one that was given its answer again has a record more.
func (w *world) stateOfRequests(s *state) (ids []string) {
	w.t.Helper()
	for _, v := range w.allRequests() {
		ids = append(ids, v.ID, "REQUEST", v.Code, "RQCODE")
		for _, o := range v.Outreach {
			ids = append(ids, o.ID, "OUTREACH-"+o.Vendor, o.Code, "OUCODE-"+o.Vendor)
		}
	}
	known := strings.NewReplacer(ids...)
	for _, v := range w.allRequests() {
		text := fmt.Sprintf("%s, offer %v, accepted %s by %v", v.State, v.Offer != nil, known.Replace(v.Accepted), v.Receipt != nil)
		for _, o := range v.Outreach {
			text += fmt.Sprintf("; %s, %d questions, receipt %v", describeOutreach(o), o.Questions, o.Receipt.OfferHash != "")
		}
		for _, k := range v.Consents {
			text += fmt.Sprintf("; call %s, receipt %v", k.State, k.Receipt != nil)
		}
		s.Requests = append(s.Requests, text)
		var events []string // those of answers are not in the order in which they came
		page, err := w.vendors.broker.Store.Table.Query(w.t.Context(), dynamo.Under("request#"+v.ID, "event#"))
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			e, _, err := request.Events.Read(it)
			if err != nil {
				w.t.Fatal(err)
			}
			events = append(events, fmt.Sprintf("%s %s %s", e.Type, e.To, known.Replace(e.Outreach)))
		}
		slices.Sort(events)
		s.Requests = append(s.Requests, events...)
		t, err := w.vendors.broker.Store.Log().Trail(w.t.Context(), v.ID)
		if err == nil {
			err = t.Verify()
		}
		if err != nil {
			w.t.Error(err)
		}
		calls := map[string]bool{}
		for _, r := range t.Records {
			calls[fmt.Sprint(r.Tool, " ", r.Success)] = true
		}
		s.Requests = append(s.Requests, slices.Sorted(maps.Keys(calls))...)
	}
	return ids
}
