package simulation

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"merve/infra/wiring"
	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/standing"
)

// Judge compares what people said and were told with what is stored, and reports all that
// breaks a promise. The world must have come to rest.
func (w *World) Judge() {
	w.t.Helper()
	j := w.gather()
	for _, s := range j.threads {
		j.messages(s)
		j.rest(s)
		j.told(s)
	}
	j.yeses()
	j.slots()
	j.sent()
	j.moved()
	j.placed()
	j.carried()
	j.freely()
	j.heardOfOrders()
	j.passedOn()
	j.heardOfRides()
	j.discreet()
	j.changed()
	j.counted()
	j.requests()
	j.quiet()
	j.lapsing()
	j.alerts()
}

// gather reads all that is stored.
func (w *World) gather() *judge {
	w.t.Helper()
	j := &judge{World: w, stored: map[string][]outbox.Message{}}
	for _, c := range w.people() {
		if c.Thread == "" {
			continue // never heard
		}
		head, err := w.healthy.Threads().Head(w.t.Context(), c.Thread)
		if err != nil {
			if len(c.taken()) > 0 {
				w.t.Errorf("%s's thread: %v", c.Name, err)
			}
			continue
		}
		c.Owner = head.Owner
		j.threads = append(j.threads, spine{c, head, w.turns(c.Thread)})
	}
	j.bookings()
	j.errands()
	j.sought = j.seek()
	return j
}

// Check is Judge with the trace of what led there, when something is wrong.
func (w *World) Check() {
	w.t.Helper()
	w.Judge()
	for _, leak := range w.leaks() {
		w.t.Errorf("logged: %s", leak)
	}
	if w.t.Failed() {
		w.t.Logf("seed %d:\n%s\nlog:\n%s", w.o.Seed, strings.Join(w.trace, "\n"), strings.Join(w.log.lines, "\n"))
	}
}

type judge struct {
	*World
	threads  []spine
	history  []ledger.History
	orders   []ordered
	rides    []driven
	free     []free
	sought   []sought
	outgoing []outbox.Message            // that were sent
	stored   map[string][]outbox.Message // by thread, whatever became of them
}

// spine is a thread as it is stored.
type spine struct {
	who   *Customer
	head  thread.Head
	turns []thread.Turn
}

// taken is what a customer has said that was acknowledged.
func (c *Customer) taken() []*Said {
	return slices.DeleteFunc(slices.Clone(c.Said), func(s *Said) bool { return s.Taken.IsZero() })
}

// turns are a thread's turns, oldest first.
func (w *World) turns(id string) []thread.Turn {
	w.t.Helper()
	var turns []thread.Turn
	for after := ""; ; {
		page, err := w.healthy.Threads().Table.Query(w.t.Context(), dynamo.Query{
			Where: "pk = :pk AND begins_with(sk, :turn)", Values: dynamo.V{":pk": id, ":turn": "turn#"}, After: after,
		})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			var turn thread.Turn
			if err := it.Decode(&turn); err != nil {
				w.t.Fatal(err)
			}
			turns = append(turns, turn)
		}
		if after = page.Next; after == "" {
			return turns
		}
	}
}

// Admin asks the admin API, as staff.
func (w *World) Admin(path string, into any) {
	w.t.Helper()
	a := w.Request("admin", http.MethodGet, "/admin/api/"+path, map[string]string{"Authorization": "Bearer " + adminToken}, nil)
	if a.Status != http.StatusOK {
		w.t.Fatalf("%s: %d %s", path, a.Status, a.Body)
	}
	if err := json.Unmarshal([]byte(a.Body), into); err != nil {
		w.t.Fatalf("%s: %v", path, err)
	}
}

// bookings reads all transactions that were ever held.
func (j *judge) bookings() {
	j.t.Helper()
	for _, l := range j.Listings {
		for after := ""; ; {
			var page struct {
				Transactions []ledger.Transaction
				Next         string
			}
			j.Admin("transactions?businessId="+l.Business+"&limit=100&after="+after, &page)
			for _, tx := range page.Transactions {
				h, err := j.healthy.Ledger().History(j.t.Context(), actor.Actor{Kind: actor.System}, tx.ID)
				if err != nil {
					j.t.Fatal(err)
				}
				j.history = append(j.history, h)
			}
			if after = page.Next; after == "" {
				break
			}
		}
	}
}

// messages: each accepted message is in exactly one turn, as it was said. If one was accepted before
// the next was first sent, they keep that order.
func (j *judge) messages(s spine) {
	j.t.Helper()
	place := map[string]int{} // by message id
	n := 0
	for _, turn := range s.turns {
		for _, m := range turn.In {
			n++
			if place[m.ID] != 0 {
				j.t.Errorf("%s: message %q was answered twice", s.who.Name, m.Text)
			}
			place[m.ID] = n
		}
	}
	if n > 0 && s.head.Turns != len(s.turns) {
		j.t.Errorf("%s: %d turns are counted, %d there", s.who.Name, s.head.Turns, len(s.turns))
	}
	byID := map[string]*Said{}
	var taken []*Said
	for _, said := range s.who.Said {
		id := j.messageID(s.who, said)
		byID[id] = said
		if said.Taken.IsZero() {
			continue
		}
		if place[id] == 0 {
			j.t.Errorf("%s: %q was taken and is in no turn", s.who.Name, said.Text)
		}
		taken = append(taken, said)
	}
	for _, turn := range s.turns {
		for _, m := range turn.In {
			if m.Notice == nil && byID[m.ID] == nil {
				j.t.Errorf("%s: nobody has said %q", s.who.Name, m.Text)
			}
		}
	}
	for _, a := range taken {
		for _, b := range taken {
			if a.Taken.Before(b.First) && place[j.messageID(s.who, a)] > place[j.messageID(s.who, b)] {
				j.t.Errorf("%s: %q was said before %q and answered after it", s.who.Name, a.Text, b.Text)
			}
		}
	}
}

func (j *judge) messageID(c *Customer, s *Said) string {
	return thread.MessageID(c.Thread, c.Channel, s.ID)
}

// rest: nothing waits on a thread that somebody should do.
func (j *judge) rest(s spine) {
	j.t.Helper()
	if len(s.head.Inbox) > 0 {
		j.t.Errorf("%s: %d messages wait", s.who.Name, len(s.head.Inbox))
	}
	if s.head.LeaseUntil.After(j.Now()) {
		j.t.Errorf("%s: somebody has the lease", s.who.Name)
	}
	if p := s.head.Pending; p != nil && p.Kind == booking.ConfirmKind && p.ExpiresAt.Add(15*time.Minute).Before(j.Now()) {
		j.t.Errorf("%s: an offer that has expired still waits: %s", s.who.Name, p.Summary)
	}
}

// told: nobody has read another's data, or a claim of the model that nothing bears out.
func (j *judge) told(s spine) {
	j.t.Helper()
	texts := map[string]bool{}
	for _, told := range s.who.Told {
		texts[told.Text] = true
	}
	for _, turn := range s.turns {
		for _, out := range turn.Out {
			texts[out.Text] = true
			if strings.Contains(out.Text, Lie) && !j.bornOut(s, turn, out) {
				j.t.Errorf("%s was told a lie: %q", s.who.Name, out.Text)
			}
		}
	}
	for _, m := range j.twilio.Messages() {
		if s.who.Phone != "" && m.To == s.who.Phone {
			texts[m.Body] = true
		}
	}
	for text := range texts {
		if s.who.Role != "" {
			break // what they may read is another question
		}
		for _, other := range j.Customers {
			if other != s.who && s.reads(text, other.Canary) {
				j.t.Errorf("%s has read what is %s's: %s", s.who.Name, other.Name, text)
			}
		}
		for _, h := range j.history {
			if tx := h.Transaction; tx.Owner != s.head.Owner && (s.reads(text, tx.Code) || s.reads(text, tx.ID)) {
				j.t.Errorf("%s has read of booking %s of %s: %s", s.who.Name, tx.Code, tx.Owner, text)
			}
		}
		for _, o := range j.orders {
			if o.Owner != s.head.Owner && s.reads(text, o.ID) {
				j.t.Errorf("%s has read of order %s of %s: %s", s.who.Name, o.Code, o.Owner, text)
			}
		}
		for _, r := range j.rides {
			if r.Owner != s.head.Owner && s.reads(text, r.ID) {
				j.t.Errorf("%s has read of ride %s of %s: %s", s.who.Name, r.Code, r.Owner, text)
			}
		}
	}
}

// reads reports whether a text tells a secret elsewhere than in words of the customer's own: who
// makes up an id reads it in those, as they are or in JSON.
func (s spine) reads(text, secret string) bool {
	for _, turn := range s.turns {
		for _, in := range turn.In {
			if !strings.Contains(text, secret) {
				return false
			}
			if strings.Contains(in.Text, secret) {
				text = strings.NewReplacer(in.Text, "", strings.Trim(strconv.Quote(in.Text), `"`), "").Replace(text)
			}
		}
	}
	return strings.Contains(text, secret)
}

// bornOut reports whether a claim may go out. It may if the backend's standing line follows it and the customer has
// said YES to something before. People other than customers may say what their tools have shown.
func (j *judge) bornOut(s spine, turn thread.Turn, out thread.Reply) bool {
	if s.who.Role != "" {
		shown := []string{"getMyBookings", "getMyOrders", "getTaxiStatus", "getBusinessDay"}
		return slices.ContainsFunc(turn.Calls, func(c thread.Call) bool { return slices.Contains(shown, c.Name) && c.Status == "ok" })
	}
	return out.Standing != nil && out.Standing.Kind != standing.Nothing && j.committed(s, turn.At)
}

// committed reports whether a customer had said YES to anything that came about before a time.
func (j *judge) committed(s spine, before time.Time) bool {
	owners := append([]string{s.head.Owner}, s.head.Linked...)
	mine := func(owner string, at time.Time) bool {
		return slices.Contains(owners, owner) && !at.IsZero() && !at.After(before)
	}
	return slices.ContainsFunc(j.history, func(h ledger.History) bool { return mine(h.Transaction.Owner, h.Transaction.ConfirmedAt) }) ||
		slices.ContainsFunc(j.orders, func(o ordered) bool { return o.Receipt != nil && mine(o.Owner, o.Receipt.At) }) ||
		slices.ContainsFunc(j.rides, func(r driven) bool { return r.Receipt != nil && mine(r.Owner, r.Receipt.At) })
}

// yeses: what was confirmed, and what was cancelled after that, was so on a YES of the
// thread's owner to exactly that pending action, made before and not yet over.
func (j *judge) yeses() {
	j.t.Helper()
	for _, h := range j.history {
		for _, e := range h.Events {
			switch {
			case e.Type == ledger.Confirmed && h.Transaction.Replaces != "":
				j.consent(h, e, "rescheduleBooking")
			case e.Type == ledger.Confirmed:
				j.consent(h, e, "initiateBooking")
			case e.Type == ledger.NoShow, e.Type == ledger.Came: // by its business, and not before it begins
				if !strings.HasPrefix(e.Actor, "system:person:whatsapp:") || e.At.Before(h.Transaction.Start) {
					j.t.Errorf("booking %s: %s by %q at %s, and it begins at %s", h.Transaction.Code, e.Type, e.Actor, e.At, h.Transaction.Start)
				}
			case e.Type == ledger.Cancelled && e.From == ledger.Confirmed:
				if _, moved := j.replacement(h.Transaction); !moved { // else that has the YES
					j.consent(h, e, "cancelBooking")
				}
			}
		}
		if r, tx := h.Receipt, h.Transaction; r != nil {
			if r.OfferHash != tx.OfferHash || ledger.OfferHash(tx) != r.OfferHash || !r.At.Before(tx.HoldExpiresAt) || r.Actor != tx.Owner {
				j.t.Errorf("booking %s: its receipt is for something else: %+v", tx.Code, *r)
			}
		} else if !tx.ConfirmedAt.IsZero() {
			j.t.Errorf("booking %s was confirmed without a receipt", tx.Code)
		}
	}
}

// consent finds the turn that settled a booking, and the YES in it.
func (j *judge) consent(h ledger.History, e ledger.Event, tool string) {
	j.t.Helper()
	tx := h.Transaction
	at := slices.IndexFunc(j.threads, func(s spine) bool { return s.who.Thread == tx.Thread && s.head.Owner == tx.Owner })
	if at < 0 {
		j.t.Errorf("booking %s belongs to no thread of its owner", tx.Code)
		return
	}
	s := j.threads[at]
	// The pending action's id is in the key of the operation; what shows it outside is the
	// turn that asked and the one that settled. The same question, asked again after nobody
	// answered it, has the same id: of several turns it is the nearest that settled it.
	asked, by, settled := -1, -1, -1
	for n, turn := range s.turns {
		if turn.Pending != "" && j.asks(turn, tx, tool) {
			asked = n
		}
		if asked < 0 || turn.Settled == "" || turn.Settled != s.turns[asked].Pending {
			continue
		}
		if tool != "cancelBooking" && (h.Receipt == nil || h.Receipt.PendingID != turn.Settled) {
			continue
		}
		absent := turn.At.Sub(e.At).Abs()
		if absent > 2*time.Minute+longestTurn || settled >= 0 && absent >= s.turns[settled].At.Sub(e.At).Abs() {
			continue
		}
		by, settled = asked, n
	}
	if settled < 0 {
		j.t.Errorf("booking %s is %s, and no turn of its owner's settled that", tx.Code, e.Type)
		return
	}
	expires := tx.HoldExpiresAt
	if !tx.ConfirmedAt.IsZero() {
		expires = time.Time{} // its receipt says so
	}
	j.saidYes(s, "booking "+tx.Code, expires, s.turns[by], s.turns[settled])
}

// longestTurn is how long a turn may be frozen in these runs.
const longestTurn = 31 * time.Hour

// asks reports whether a turn's reply asks about this booking, by a tool.
func (j *judge) asks(turn thread.Turn, tx ledger.Transaction, tool string) bool {
	return slices.ContainsFunc(turn.Calls, func(c thread.Call) bool { return c.Name == tool && c.Status == "proposed" }) &&
		strings.Contains(textOf(turn), strings.Fields(tx.ListingName)[0]) // names may hold anything
}

func textOf(turn thread.Turn) string {
	var texts []string
	for _, out := range turn.Out {
		texts = append(texts, out.Text)
	}
	return strings.Join(texts, "\n")
}

// saidYes: every message of the turn that settled is a YES of the owner to what the other
// turn asked, sent after it and before it was over (zero is never). On WhatsApp, one that does not
// name what it answers came after that was sent.
func (j *judge) saidYes(s spine, what string, expires time.Time, asked, settled thread.Turn) {
	j.t.Helper()
	if len(settled.In) == 0 {
		j.t.Errorf("%s was settled by nobody's word", what)
	}
	bare := s.who.Channel == channel.WhatsApp && !slices.ContainsFunc(settled.In, func(m thread.Message) bool { return m.Button != "" || m.ReplyTo != "" })
	for _, m := range settled.In {
		at := slices.IndexFunc(s.who.Said, func(said *Said) bool { return j.messageID(s.who, said) == m.ID })
		if at < 0 {
			j.t.Errorf("%s was settled by a message that its owner has not sent", what)
			continue
		}
		said := s.who.Said[at]
		switch {
		case said.Means != Yes:
			j.t.Errorf("%s was settled by %q", what, said.Text)
		case said.Button != "" && said.Button != "yes:"+asked.Pending:
			j.t.Errorf("%s was settled by the button %s, not by yes:%s", what, said.Button, asked.Pending)
		case said.Button == "" && !m.At.After(asked.At):
			j.t.Errorf("%s was settled by a YES of %s, and asked about at %s", what, m.At, asked.At)
		case bare && !j.asked(s, asked.Pending, m.At):
			j.t.Errorf("%s was settled by a YES of %s, before it was asked", what, m.At)
		case !expires.IsZero() && !m.At.Before(expires):
			j.t.Errorf("%s was settled by a YES of %s, after %s", what, m.At, expires)
		}
	}
}

// asked: a message that asks for the YES to a pending action had gone out by a time, in full: an approved
// template does not show what it asks.
func (j *judge) asked(s spine, pending string, at time.Time) bool {
	j.t.Helper()
	ms, err := j.healthy.Outbox().List(j.t.Context(), s.who.Thread, 0)
	if err != nil {
		j.t.Fatal(err)
	}
	return slices.ContainsFunc(ms, func(m outbox.Message) bool {
		return m.Pending == pending && m.Template == nil && m.ProviderID != "" && m.SentAt.Before(at)
	})
}

// slots: at no time were there more bookings in a slot than it takes.
func (j *judge) slots() {
	j.t.Helper()
	type span struct{ from, to time.Time }
	taken := map[string][]span{}
	capacity := map[string]int{}
	for _, l := range j.Listings {
		for _, o := range l.Offerings {
			capacity[l.ID+"/"+o.ID] = o.Capacity
		}
	}
	for _, h := range j.history {
		tx := h.Transaction
		if tx.State == ledger.Hold && !tx.HoldExpiresAt.After(j.Now().Add(-15*time.Minute)) {
			j.t.Errorf("booking %s is held although it has expired", tx.Code)
		}
		if tx.ConfirmedAt.IsZero() {
			continue
		}
		to := start.AddDate(1, 0, 0)
		if tx.State == ledger.Cancelled {
			to = tx.UpdatedAt
		}
		for _, slot := range tx.Slots {
			name := fmt.Sprintf("%s/%s %s", tx.Listing, tx.Offering, slot)
			taken[name] = append(taken[name], span{tx.ConfirmedAt, to})
		}
	}
	for name, spans := range taken {
		key, _, _ := strings.Cut(name, " ")
		for _, a := range spans {
			n := 0
			for _, b := range spans {
				if !b.from.After(a.from) && b.to.After(a.from) {
					n++
				}
			}
			if n > capacity[key] {
				j.t.Errorf("%s takes %d and has %d bookings at once", name, capacity[key], n)
			}
		}
	}
}

// sent: every message that was to go out did so once, and is known to have; or it was
// given up and the operators know. A second time is possible only when a sender slept for
// longer than its claim lasts, and then once at most.
func (j *judge) sent() {
	j.t.Helper()
	threads := map[string]bool{}
	for _, s := range j.threads {
		threads[s.who.Thread] = true
	}
	for _, l := range j.Listings {
		threads[addressOf(channel.Ops, l.Merve.WhatsApp)] = true
	}
	for _, c := range j.Others {
		threads[c.Thread] = true
	}
	threads[addressOf(channel.Ops, deskNumber)] = true
	want := map[string]int{} // by recipient and text
	told := map[string]int{} // businesses, by booking and event
	for id := range threads {
		ms, err := j.healthy.Outbox().List(j.t.Context(), id, 0)
		if err != nil {
			j.t.Fatal(err)
		}
		j.stored[id] = ms
		for _, m := range ms {
			if n, err := strconv.Atoi(m.ID[strings.LastIndex(m.ID, "-")+1:]); m.Kind == "reply" && (err != nil || n >= maxOutbound) {
				j.t.Errorf("message %s is one too many", m.ID)
			}
			switch m.Status {
			case outbox.Queued, outbox.Sending:
				j.t.Errorf("message %s to %s is still %s: %s", m.ID, j.who(id), m.Status, m.Error)
				continue
			case outbox.Failed:
				j.failed(m)
				continue
			}
			want[m.To+"\n"+as(m)]++
			j.outgoing = append(j.outgoing, m)
			if m.Template != nil && (m.Template.ContentSID == approvedConfirmed || m.Template.ContentSID == approvedCancelled) {
				told[m.Template.ContentSID+m.Template.Vars["1"]]++
			}
		}
	}
	got := map[string]int{}
	for _, m := range j.twilio.Messages() {
		got[m.To+"\n"+m.Body]++
	}
	twice := 0
	for name, n := range got {
		if extra := n - want[name]; extra > 0 {
			twice += extra
			if extra > want[name] {
				j.t.Errorf("sent %d times, wanted %d times: %s", n, want[name], name)
			}
		}
	}
	if twice > j.froze {
		j.t.Errorf("%d messages went out twice, and only %d senders slept: %s", twice, j.froze, surplus(got, want))
	}
	for name, n := range want {
		if got[name] < n {
			j.t.Errorf("said to be sent %d times, and Twilio has it %d times: %s", n, got[name], name)
		}
	}
	j.businesses(told)
}

// maxOutbound is how many messages may answer one, in these markets.
const maxOutbound = 3

func surplus(got, want map[string]int) string {
	var names []string
	for name, n := range got {
		if n > want[name] {
			names = append(names, fmt.Sprintf("%d for %d: %q", n, want[name], name))
		}
	}
	return strings.Join(names, "; ")
}

// as is the text of a message as Twilio words it.
func as(m outbox.Message) string {
	if m.Template == nil {
		return strings.TrimSpace(m.Text)
	}
	for _, a := range slices.Concat(approved, approvedToVendors) {
		if a.sid == m.Template.ContentSID {
			return slots.ReplaceAllStringFunc(a.text, func(name string) string { return m.Template.Vars[strings.Trim(name, "{}")] })
		}
	}
	return ""
}

var slots = regexp.MustCompile(`\{\{\d\}\}`)

// failed: a message is given up only if the recipient has opted out or may not be written to, if its question
// no longer waits, or if the gateway would not accept it; in that last case there is an
// alert.
func (j *judge) failed(m outbox.Message) {
	j.t.Helper()
	if m.Error == string(thread.OptedOut) || m.Error == string(thread.TakenOver) || m.Pending != "" && m.Error == string(thread.Unasked) {
		return
	}
	var page struct{ Alerts []alert.Alert }
	j.Admin("alerts?limit=100", &page)
	if !slices.ContainsFunc(page.Alerts, func(a alert.Alert) bool { return a.Subject == m.Thread+"/"+m.ID }) {
		j.t.Errorf("message %s was given up (%s), and nobody was told", m.ID, m.Error)
	}
}

// businesses: each is told once of every booking and of every cancellation, and of nothing
// else.
func (j *judge) businesses(told map[string]int) {
	j.t.Helper()
	want := map[string]int{}
	for _, h := range j.history {
		for _, e := range h.Events {
			switch {
			case e.Type == ledger.Confirmed:
				want[approvedConfirmed+h.Transaction.Code]++
			case e.Type == ledger.Cancelled && e.From == ledger.Confirmed:
				want[approvedCancelled+h.Transaction.Code]++
			}
		}
	}
	for name, n := range told {
		if n > want[name] {
			j.t.Errorf("a business was told %d times of %s, which happened %d times", n, name, want[name])
		}
	}
	for name, n := range want {
		if told[name] < n {
			j.t.Errorf("a business was told %d times of %s, which happened %d times", told[name], name, n)
		}
	}
}

// lapsing: what is not kept for ever says until when in seconds, as DynamoDB reads it, or would
// never be deleted.
func (j *judge) lapsing() {
	j.t.Helper()
	for _, table := range wiring.Tables() {
		for _, it := range j.items(table.Name) {
			if ttl := it.Int("ttl"); it["ttl"] != nil && (ttl < start.Unix() || ttl > j.Now().AddDate(10, 0, 0).Unix()) {
				j.t.Errorf("%s of table %s goes at %d", it.Key(), table.Name, ttl)
			}
		}
	}
}

// alerts: the checkers find nothing, now and all the way here. That a function stands still for so long that somebody was
// not told yet is an alert, and that a message was given up.
func (j *judge) alerts() {
	j.t.Helper()
	j.Pass(2 * time.Minute)
	if err := j.Tick("invariants"); err != nil {
		j.t.Errorf("invariants: %v", err)
	}
	var page struct{ Alerts []alert.Alert }
	j.Admin("alerts?limit=100", &page)
	for _, a := range page.Alerts {
		if a.Check != "outbox" && a.Check != "untold" && (j.vendors == nil || a.Check != "picture") {
			j.t.Errorf("%s %s: %s: %s", a.Severity, a.Check, a.Subject, a.Message)
		}
	}
}
