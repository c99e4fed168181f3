package request_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"merve/internal/cloud/dynamo"
	"merve/internal/matter/callconsent"
	. "merve/internal/matter/request"
	"merve/internal/matter/vendor"
)

// judge looks at what stood outside and at what is stored: nothing went out twice, no budget was exceeded, nobody was called
// after a revocation, and each answer is where it belongs, or was asked about.
func (l *life) judge() {
	l.mail()
	replies := map[string][]vendor.Reply{} // by message
	for _, r := range l.requests {
		v := l.view(r.ID)
		events, err := l.Store.History(l.t.Context(), r.ID)
		l.fail(err)
		l.states(v, events)
		l.agreed(v, events)
		l.calledBy(v)
		all, err := dynamo.Collect[vendor.Reply](l.t.Context(), l.Store.Table, dynamo.Under("request#"+r.ID, "reply#"))
		l.fail(err)
		for _, p := range all {
			replies[p.Message] = append(replies[p.Message], p)
		}
		l.quoted(v, all)
	}
	for _, s := range l.said {
		l.bound(s, replies[s.form.Get("MessageSid")])
	}
	for post, n := range l.asked {
		if n > 2 {
			l.t.Errorf("%s was searched for %d times, and has 2", post, n)
		}
	}
	if l.seed%4 == 0 { // which is dear
		l.audit(l.requests[0].ID)
	}
}

// mail: each message went out once, and once that of each kind to an outreach.
func (l *life) mail() {
	out := map[string]int{}
	for _, m := range l.letters {
		if out[m.Thread+m.ID]++; out[m.Thread+m.ID] > 1 {
			l.t.Errorf("%s was sent %d times", m.ID, out[m.Thread+m.ID])
		}
	}
	for _, o := range l.everyone() {
		if n := out[o.Thread+o.Message]; n != 1 {
			l.t.Errorf("%s was asked %d times", o.Code, n)
		}
	}
}

// states: the request went from state to state as the table says. A question may take one more step, which has no event.
func (l *life) states(v View, events []Event) {
	leads := func(from, to State) bool { return from == to || slices.Contains(arrows[from], to) }
	at := New
	for _, e := range events {
		for _, to := range []State{e.From, e.To} {
			between := leads(at, Searching) && leads(Searching, to) || leads(at, Presented) && leads(Presented, to)
			if to != "" && !leads(at, to) && !between {
				l.t.Errorf("%s went from %s to %s (%s)", v.Code, at, to, e.ID)
			}
			at = cmp.Or(to, at)
		}
	}
	if !leads(at, v.State) && (at != Quoted || v.State != Presented) {
		l.t.Errorf("%s is %s after %s", v.Code, v.State, at)
	}
}

// agreed: vendors were asked and a quote was accepted by receipts, and vendors hear what the request came to.
func (l *life) agreed(v View, events []Event) {
	has := func(typ EventType, outreach string) bool {
		return slices.ContainsFunc(events, func(e Event) bool { return e.Type == typ && (outreach == "" || e.Outreach == outreach) })
	}
	sent := l.sent(v)
	for _, o := range v.Outreach {
		if o.Receipt.Answer != "yes" {
			l.t.Errorf("%s was asked by %+v", o.Code, o.Receipt)
		}
		if told := slices.Contains(sent, o.Vendor+" accepted"); told != has(AcceptedEvent, o.ID) || told && v.State != Cancelled && v.Accepted != o.ID {
			l.t.Errorf("%s: told of the acceptance %v, accepted is %q", o.Code, told, v.Accepted)
		}
		if slices.Contains(sent, o.Vendor+" thanks") && !has(AcceptedEvent, "") && !has(CancelledEvent, "") {
			l.t.Errorf("%s: its vendor was told that a request is over which is %s", o.Code, v.State)
		}
	}
	if has(AcceptedEvent, "") && (v.Receipt == nil || v.Receipt.Answer != "yes" || v.Quote == nil) || !has(AcceptedEvent, "") && v.Accepted != "" {
		l.t.Errorf("%s: accepted %q by %+v", v.Code, v.Accepted, v.Receipt)
	}
}

// calledBy: nobody was called after a revocation, and one call of a consent has connected at most. What rang then is ended.
func (l *life) calledBy(v View) {
	for _, k := range v.Consents {
		connected := 0
		for _, d := range l.dials {
			switch {
			case d.consent != k.ID:
			case d.late || k.Receipt == nil:
				l.t.Errorf("the client was called by %s, which is %s", k.ID, k.State)
			case d.answered:
				connected++
			}
		}
		if connected > 1 || l.revoked[k.ID] && k.State != callconsent.Revoked {
			l.t.Errorf("%s is %s and has connected %d times", k.ID, k.State, connected)
		}
		for _, a := range k.Attempts {
			legs := l.desk.leg(a.ProviderID)
			if a.ProviderID != "" && !a.Guessed && k.State == callconsent.Revoked && (legs[0] == "" || legs[1] == callconsent.LegRinging) {
				l.t.Errorf("%s was revoked, and its call is %v", k.ID, legs)
			}
		}
	}
}

// quoted: a quote is one of its outreach's answers, word for word, and its price a figure of that.
func (l *life) quoted(v View, replies []vendor.Reply) {
	for _, o := range v.Outreach {
		q := o.Quote
		if q != nil && !slices.Contains(replies, vendor.Reply{Message: q.Message, Outreach: o.ID, Text: q.Text, At: q.At}) {
			l.t.Errorf("the quote of %s is none of its answers: %+v", o.Code, *q)
		}
		if q != nil && q.PriceMinor != nil && *q.PriceMinor != 100 && !strings.Contains(q.Text, fmt.Sprint(*q.PriceMinor/100)) {
			l.t.Errorf("%s quotes %d for %q", o.Code, *q.PriceMinor, q.Text)
		}
	}
}

// bound: an answer is recorded once, with what it means. What may mean several is recorded nowhere, and asked about.
func (l *life) bound(s *saying, recorded []vendor.Reply) {
	words := s.form.Get("Body")
	switch {
	case len(recorded) > 1:
		l.t.Errorf("%q was recorded %d times", words, len(recorded))
	case len(recorded) == 0 && (s.means != "" && s.taken && !strings.Contains(s.answer, s.from.Code) || len(s.waited) > 1 && s.answer == ""):
		l.t.Errorf("%q of %s, meaning %q, was recorded nowhere and answered %q", words, s.from.Code, s.means, s.answer)
	case len(recorded) == 0:
	case s.means != "" && recorded[0].Outreach != s.means, s.means == "" && (len(s.waited) != 1 || recorded[0].Outreach != s.waited[0]):
		l.t.Errorf("%q was recorded with %s, and means %q of %v", words, recorded[0].Outreach, s.means, s.waited)
	default:
		l.count("bound")
	}
}
