package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"merve/internal/matter/callconsent"
	"merve/internal/matter/quote"
	"merve/internal/matter/request"
	"merve/internal/matter/vendor"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/words/wording"
)

// sought is a request with all that is kept of it.
type sought struct {
	request.View
	events  []request.Event
	replies []vendor.Reply
}

// seek reads all requests.
func (j *judge) seek() (found []sought) {
	j.t.Helper()
	if j.vendors == nil {
		return nil
	}
	for _, id := range j.requestIDs() {
		v, err := j.healthy.Requests().View(j.t.Context(), id)
		if err != nil {
			j.t.Fatal(err)
		}
		found = append(found, sought{v, all[request.Event](j, "request#"+id, "event#"), all[vendor.Reply](j, "request#"+id, "reply#")})
	}
	return found
}

// awaited reports whether a vendor could always answer an outreach, from when they were asked until now: they have neither
// said no nor let the time pass.
func (r sought) awaited(o vendor.Outreach) bool {
	declined := slices.ContainsFunc(r.events, func(e request.Event) bool {
		return e.Outreach == o.ID && e.Quote != nil && e.Quote.HasStock != nil && !*e.Quote.HasStock
	})
	return !declined && !o.Late && (o.State.Open() || o.State == vendor.Replied)
}

// wasAsked reports whether a vendor was asked on behalf of a customer, who has said YES to that.
func (j *judge) wasAsked(who, c *Customer) bool {
	return slices.ContainsFunc(j.sought, func(r sought) bool {
		return r.Owner == c.Owner && slices.ContainsFunc(r.Outreach, func(o vendor.Outreach) bool { return o.Number == who.Phone })
	})
}

// requests: vendors and clients hear of a request what its state table and the client's YES allow, once, and what vendors
// answer is where it belongs.
func (j *judge) requests() {
	j.t.Helper()
	for _, r := range j.sought {
		j.arrowsOf(r)
		j.agreed(r)
		j.letters(r)
		j.audited(r)
		j.shownAs(r)
		j.called(r)
	}
	if j.vendors == nil {
		return
	}
	for _, s := range j.threads {
		if s.who.Role == Seller {
			j.bound(s)
		}
	}
	j.budgets()
	j.said()
}

// arrowsOfRequests are the transitions of a request's state.
var arrowsOfRequests = map[request.State]string{
	"new": "clarifying searching cancelled error", "clarifying": "searching cancelled error",
	"searching": "clarifying outreach cancelled error",
	"outreach":  "quoted searching cancelled error", "quoted": "presented outreach cancelled error",
	"presented": "accepted outreach searching cancelled error", "accepted": "fulfilled cancelled",
	"error": "clarifying searching cancelled",
}

// leads reports whether a state may follow another, or is the same.
func leads(from, to request.State) bool {
	return from == to || slices.Contains(strings.Fields(arrowsOfRequests[from]), string(to))
}

// arrowsOf: a request went from state to state as the table says. A question may take one more step, which has no event.
func (j *judge) arrowsOf(r sought) {
	j.t.Helper()
	at := request.New
	step := func(to request.State, what string) {
		between := slices.ContainsFunc([]request.State{request.Searching, request.Presented},
			func(s request.State) bool { return leads(at, s) && leads(s, to) })
		if !leads(at, to) && !between {
			j.t.Errorf("request %s went from %s to %s (%s)", r.Code, at, to, what)
		}
		at = to
	}
	for _, e := range r.events { // those of changes first, by the version that each made
		if e.From != "" {
			step(e.From, "before "+e.ID)
		}
		if e.To != "" {
			step(e.To, e.ID)
		}
	}
	step(r.State, "now")
	if r.State == request.Error && r.Fallback == "" {
		j.t.Errorf("request %s is in error, and its client was told nothing", r.Code)
	}
}

// agreed: who was asked, what was accepted and who may be called is what the client has said YES to, as it was shown. Of a
// request without a client somebody at the desk has.
func (j *judge) agreed(r sought) {
	j.t.Helper()
	for _, o := range r.Outreach {
		j.saidYesTo(fmt.Sprintf("outreach %s of request %s", o.Code, r.Code), r, o.Receipt, o.Name)
	}
	for _, k := range r.Consents {
		if k.State == callconsent.Granted && k.Receipt == nil {
			j.t.Errorf("consent %s was granted by nobody", k.ID)
		}
		if k.Receipt != nil {
			j.saidYesTo("consent "+k.ID, r, *k.Receipt, k.Scope, k.Reason)
		}
	}
	accepted := slices.ContainsFunc(r.events, func(e request.Event) bool { return e.Type == request.AcceptedEvent })
	switch {
	case !accepted && (r.State == request.Accepted || r.State == request.Fulfilled || r.Accepted != "" || r.Receipt != nil):
		j.t.Errorf("request %s is %s, and no quote was accepted", r.Code, r.State)
	case !accepted:
		return
	case r.Receipt == nil:
		j.t.Errorf("request %s was accepted without a receipt", r.Code)
		return
	}
	for _, e := range r.events {
		if e.From == request.Accepted && e.To != request.Accepted {
			j.leftBy(r, e)
		}
	}
	at := slices.IndexFunc(r.Outreach, func(o vendor.Outreach) bool { return o.ID == r.Accepted })
	if at < 0 || r.Quote == nil {
		j.t.Errorf("request %s: nothing was quoted of what was accepted", r.Code)
		return
	}
	o := r.Outreach[at]
	shows := []string{o.Name}
	if p := r.Quote.PriceMinor; p != nil {
		shows = append(shows, wording.Money(r.Language, *p, r.Currency))
	}
	j.saidYesTo("acceptance of request "+r.Code, r, *r.Receipt, append(shows, wording.Quote(r.Language, r.Quote.Text))...)
}

// leftBy: what was accepted came to an end by the YES of the request's client, or at the word of a person at the desk.
func (j *judge) leftBy(r sought, e request.Event) {
	j.t.Helper()
	what := fmt.Sprintf("request %s, from accepted to %s", r.Code, e.To)
	switch {
	case e.Receipt == nil || e.Receipt.Answer != "yes" || e.By != e.Receipt.Actor:
		j.t.Errorf("%s: by %q, whose receipt is %+v", what, e.By, e.Receipt)
	case !strings.HasPrefix(e.By, "staff:"):
		j.saidYesTo(what, r, *e.Receipt)
	}
}

// saidYesTo: a receipt is of a YES of the request's client to a question that showed some words.
func (j *judge) saidYesTo(what string, r sought, receipt gate.Receipt, shows ...string) {
	j.t.Helper()
	if r.Owner == "" {
		if !strings.HasPrefix(receipt.Actor, "staff:") || receipt.Answer != "yes" {
			j.t.Errorf("%s was answered by nobody at the desk: %+v", what, receipt)
		}
		return
	}
	s, ok := j.spineOf(r.Thread, r.Owner)
	asked := slices.IndexFunc(s.turns, func(t thread.Turn) bool { return t.Pending == receipt.PendingID })
	settled := slices.IndexFunc(s.turns, func(t thread.Turn) bool {
		return t.Settled == receipt.PendingID && slices.ContainsFunc(t.In, func(m thread.Message) bool { return m.ID == receipt.MessageID })
	})
	if !ok || asked < 0 || settled < asked || receipt.Actor != r.Owner {
		j.t.Errorf("%s: no turn of its client's asked and settled %+v", what, receipt)
		return
	}
	for _, words := range shows {
		if text := textOf(s.turns[asked]); !strings.Contains(flatText(text), flatText(words)) {
			j.t.Errorf("%s was said YES to, and %q was not shown: %q", what, words, text)
		}
	}
	j.saidYes(s, what, time.Time{}, s.turns[asked], s.turns[settled])
}

// flatText is a text on one line.
func flatText(s string) string { return strings.Join(strings.Fields(s), " ") }

// letters: each vendor has each message about an outreach once at most. Only whose quote was accepted is told so. The
// others hear that it is over when it is, and not before.
func (j *judge) letters(r sought) {
	j.t.Helper()
	over := r.State == request.Accepted || r.State == request.Fulfilled || r.State == request.Cancelled
	happened := func(typ request.EventType, outreach string) bool {
		return slices.ContainsFunc(r.events, func(e request.Event) bool {
			return e.Type == typ && (outreach == "" || e.Outreach == outreach)
		})
	}
	for _, o := range r.Outreach {
		got := map[string]int{}
		for _, m := range j.stored[o.Thread] {
			if name, ours := strings.CutPrefix(m.ID, o.ID+"."); ours && m.To == o.Number {
				name, _, _ = strings.Cut(name, ".")
				got[name]++
			}
		}
		for name, n := range got {
			if n > 1 {
				j.t.Errorf("%s has %q %d times", o.Code, name, n)
			}
		}
		if got["asked"] != 1 {
			j.t.Errorf("%s was asked %d times", o.Code, got["asked"])
		}
		if told := happened(request.AcceptedEvent, o.ID); told != (got["accepted"] == 1) {
			j.t.Errorf("%s: accepted %v, and its vendor was told so %d times", o.Code, told, got["accepted"])
		}
		waits := r.awaited(o) && (o.ID != r.Accepted || r.State == request.Cancelled)
		switch {
		case over && waits && got["thanks"] != 1:
			j.t.Errorf("request %s is %s, and the vendor of %s (%s) was not told so", r.Code, r.State, o.Code, o.State)
		case got["thanks"] > 0 && !happened(request.AcceptedEvent, "") && !happened(request.CancelledEvent, ""):
			j.t.Errorf("request %s is %s, and the vendor of %s was told that it is over", r.Code, r.State, o.Code)
		}
	}
}

// audited: the audit of a request is a chain in which nothing is missing.
func (j *judge) audited(r sought) {
	j.t.Helper()
	t, err := j.healthy.Requests().Log().Trail(j.t.Context(), r.ID)
	if err == nil {
		err = t.Verify()
	}
	if err != nil || len(t.Records) == 0 {
		j.t.Errorf("request %s: %d records, %v", r.Code, len(t.Records), err)
	}
}

// shownAs: a program sees the request as it is stored, and nothing of it waits that should be done.
func (j *judge) shownAs(r sought) {
	j.t.Helper()
	a := j.Request("marketplace", http.MethodGet, "/marketplace/requests/"+r.ID, j.asStaff(), nil)
	var s request.Snapshot
	if err := json.Unmarshal([]byte(a.Body), &s); err != nil || a.Status != http.StatusOK {
		j.t.Errorf("snapshot of %s: %d %s", r.Code, a.Status, a.Body)
		return
	}
	o := s.Outreach
	n := o.Pending + o.Sent + o.Delivered + o.Replied + o.Declined + o.TimedOut + o.Failed
	if s.State != r.State || o.Total != len(r.Outreach) || n != o.Total {
		j.t.Errorf("snapshot of %s, which is %s: %+v", r.Code, r.State, s)
	}
	for _, job := range r.Jobs {
		if job.Status != quote.JobCompleted && job.Status != quote.JobFailed {
			j.t.Errorf("picture %s of request %s is still %s after %d tries", job.ID, r.Code, job.Status, job.Tries)
		}
	}
}

// bound: what a vendor has said is recorded once, with the outreach that is meant, word for word; what may be meant for
// several is with none. Prices are figures of what was said or was to be seen.
func (j *judge) bound(s spine) {
	j.t.Helper()
	for _, said := range s.who.taken() {
		id := j.messageID(s.who, said)
		var with []vendor.Outreach
		var words string
		for _, r := range j.sought {
			for _, reply := range r.replies {
				if reply.Message != id {
					continue
				}
				at := slices.IndexFunc(r.Outreach, func(o vendor.Outreach) bool { return o.ID == reply.Outreach })
				if at < 0 || r.Outreach[at].Number != s.who.Phone {
					j.t.Errorf("%q of %s was recorded with request %s, of which they were not asked", said.Text, s.who.Name, r.Code)
					continue
				}
				with, words = append(with, r.Outreach[at]), reply.Text
			}
		}
		switch {
		case len(with) > 1:
			j.t.Errorf("%q of %s was recorded %d times", said.Text, s.who.Name, len(with))
		case len(with) == 0 && said.Of != "" && said.Photo == 0 && strings.TrimSpace(strings.ReplaceAll(said.Text, said.Of, "")) != "" &&
			!strings.Contains(j.answerTo(s, id), said.Of): // what was quoted may not be known yet: then the vendor is asked
			j.t.Errorf("%q of %s, which means %s, was recorded nowhere: %s", said.Text, s.who.Name, said.Of, j.answerTo(s, id))
		case len(with) == 0:
		case said.Of != "" && with[0].Code != said.Of:
			j.t.Errorf("%q of %s means %s, and was recorded with %s", said.Text, s.who.Name, said.Of, with[0].Code)
		case said.Of == "" && j.several(s, said, with[0]):
			j.t.Errorf("%q of %s may mean several, and was recorded with %s", said.Text, s.who.Name, with[0].Code)
		case said.Photo == 0 && !strings.Contains(flatText(said.Text), flatText(words)):
			j.t.Errorf("%q of %s was recorded as %q", said.Text, s.who.Name, words)
		}
	}
	for _, r := range j.sought {
		for _, o := range r.Outreach {
			if o.Number == s.who.Phone && o.Quote != nil {
				j.quoted(s, r, o)
			}
		}
	}
}

// answerTo is what a message was answered.
func (j *judge) answerTo(s spine, id string) string {
	for _, turn := range s.turns {
		if slices.ContainsFunc(turn.In, func(m thread.Message) bool { return m.ID == id }) {
			return fmt.Sprintf("%q", textOf(turn))
		}
	}
	return "nothing"
}

// several reports whether a vendor certainly had another open outreach when they said something that names none: one that
// waited for their answer, and is not the one their words were recorded with.
func (j *judge) several(s spine, said *Said, with vendor.Outreach) bool {
	for _, r := range j.sought {
		for _, o := range r.Outreach {
			if o.ID == with.ID || o.Number != s.who.Phone || !r.awaited(o) {
				continue
			}
			for _, m := range j.stored[o.Thread] {
				if m.ID == o.Message && !m.SentAt.IsZero() && m.SentAt.Before(said.First) {
					return true
				}
			}
		}
	}
	return false
}

// quoted: the quote of an outreach is one of its answers, and its price a figure of that.
func (j *judge) quoted(s spine, r sought, o vendor.Outreach) {
	j.t.Helper()
	at := slices.IndexFunc(r.replies, func(p vendor.Reply) bool { return p.Message == o.Quote.Message && p.Outreach == o.ID })
	if at < 0 || r.replies[at].Text != o.Quote.Text {
		j.t.Errorf("the quote of %s is none of its answers: %+v", o.Code, *o.Quote)
		return
	}
	price := o.Quote.PriceMinor
	if price == nil {
		return
	}
	figures := figure.FindAllString(o.Quote.Text, -1)
	for _, said := range s.who.Said {
		if said.Photo > 0 && j.messageID(s.who, said) == o.Quote.Message {
			if blurred(said.Photo) && !strings.Contains(said.Text, fmt.Sprint(*price/100)) {
				j.t.Errorf("the price of %s was read in a blurred picture", o.Code)
			}
			figures = append(figures, fmt.Sprint(said.Photo))
		}
	}
	if !slices.Contains(figures, fmt.Sprint(*price/100)) {
		j.t.Errorf("%s quotes %d, and its vendor has said %q", o.Code, *price, o.Quote.Text)
	}
}

// called: the client was called by a consent that stood, and never after it was revoked; one call has connected at most.
func (j *judge) called(r sought) {
	j.t.Helper()
	for _, k := range r.Consents {
		connected := 0
		for _, a := range k.Attempts {
			if a.Client == callconsent.LegAnswered || a.Client == callconsent.LegCompleted {
				connected++
			}
			for _, c := range j.twilio.Calls() {
				if c.Parent == "" || c.Parent != a.ProviderID {
					continue
				}
				revoked := slices.IndexFunc(r.events, func(e request.Event) bool {
					return e.Consent == k.ID && e.Text == string(callconsent.Revoked)
				})
				switch {
				case k.Receipt == nil || c.Created.Before(k.GrantedAt.Truncate(time.Second)) || c.Created.After(k.Until):
					j.t.Errorf("the client of request %s was called at %s, by the consent %+v", r.Code, c.Created, k)
				case revoked >= 0 && c.Created.After(r.events[revoked].At):
					j.t.Errorf("the client of request %s was called at %s, and has revoked that at %s", r.Code, c.Created, r.events[revoked].At)
				case c.To != k.Number:
					j.t.Errorf("%s was called by a consent of %s", c.To, k.Number)
				}
			}
		}
		if connected > 1 {
			j.t.Errorf("%d calls were connected by one consent of request %s", connected, r.Code)
		}
	}
}

// budgets: no post has cost more searches than it has, and nobody was called by whom no attempt was written down.
func (j *judge) budgets() {
	j.t.Helper()
	for _, r := range j.sought {
		about := func(bodies []string) (n int) {
			for _, b := range bodies {
				if strings.Contains(b, trail(r.ID)) {
					n++
				}
			}
			return n
		}
		if web, atlas := about(j.vendors.web.Asked()), about(j.vendors.atlas.Asked()); web > 2 || atlas > 2 {
			j.t.Errorf("request %s has cost %d searches of the web and %d of the map", r.Code, web, atlas)
		}
	}
	for _, c := range j.twilio.Calls() {
		known := slices.ContainsFunc(j.sought, func(r sought) bool {
			return slices.ContainsFunc(r.Consents, func(k callconsent.Consent) bool {
				return slices.ContainsFunc(k.Attempts, func(a callconsent.Attempt) bool { return a.ProviderID == c.Parent })
			})
		})
		if c.Parent != "" && !known {
			j.t.Errorf("%s was called, and no attempt is written down", c.To)
		}
	}
}

// said: what was called for once or several times under one key was said once at most.
func (j *judge) said() {
	j.t.Helper()
	for _, word := range j.vendors.questions {
		n := 0
		for _, ms := range j.stored {
			n += len(slices.DeleteFunc(slices.Clone(ms), func(m outbox.Message) bool { return !strings.Contains(m.Text, word) }))
		}
		if n > 1 {
			j.t.Errorf("a question of one key went out %d times: %s", n, word)
		}
	}
	for _, word := range j.vendors.news {
		n := 0
		for _, s := range j.threads {
			for _, turn := range s.turns {
				for _, m := range turn.In {
					if m.Notice != nil && strings.Contains(m.Notice.Text, word) {
						n++
					}
				}
			}
		}
		if n > 1 {
			j.t.Errorf("a client was told %d times of what one key said: %s", n, word)
		}
	}
}
