package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"golang.org/x/sync/errgroup"

	"merve/internal/provider/twilio/twiliotest"
)

// inbox is what Twilio took, by whom it went to.
type inbox struct {
	mu     sync.Mutex
	twilio *twiliotest.Server
	read   int
	by     map[string][]string
}

func (i *inbox) of(number string) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.look()
	return slices.Clone(i.by[number])
}

// count is how many messages there are.
func (i *inbox) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.look()
	return i.read
}

// look reads what is new. The lock is held.
func (i *inbox) look() {
	if i.by == nil {
		i.by = map[string][]string{}
	}
	for _, m := range i.twilio.Since(i.read) {
		i.by[m.To] = append(i.by[m.To], m.Body)
		i.read++
	}
}

// result is what a soak found.
type result struct {
	Talks, Said, Confirmed, Injected, Killed int
	Took                                     []time.Duration // from message to answer, as customers see it
	Turns                                    turns
	Memory                                   []memory
	Time                                     time.Duration
	GivenUp                                  int // turns that were poison
	Lost, Doubled                            int // messages, at the ends of those they were for
	Wrong                                    []string
}

// rate is how many messages were said in a second.
func (r *result) rate() float64 { return float64(r.Said) / r.Time.Seconds() }

// came wants from least to most of something.
func (r *result) came(got, least, most int, format string, args ...any) {
	r.Lost += max(0, least-got)
	r.Doubled += max(0, got-most)
	if got < least || got > most {
		r.wrong(format, args...)
	}
}

func (r *result) wrong(format string, args ...any) {
	r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...))
}

// booked is a transaction as the admin API tells it.
type booked struct {
	ID       string      `json:"transactionId"`
	Code     string      `json:"code"`
	State    string      `json:"state"`
	Offering string      `json:"offeringId"`
	Slots    []time.Time `json:"slots"`
	Start    time.Time   `json:"start"`
}

// check counts what was lost and what came twice.
func (w *world) check(ctx context.Context) *result {
	w.mu.Lock()
	talks := slices.Clone(w.talks)
	r := &result{Talks: len(talks), Injected: w.injected, Killed: w.killed, Memory: w.memory, Time: w.time, Turns: w.log.turns()}
	w.mu.Unlock()
	r.checkAll(ctx, talks)
	told := map[string]bool{} // codes of confirmations
	for _, t := range talks {
		for _, c := range t.codes {
			told[c] = true
		}
	}
	for n := range businesses {
		w.checkBusiness(ctx, r, n, told)
	}
	for code := range told {
		r.wrong("a customer was told of booking %s, which the ledger does not have", code)
	}
	var alerts struct {
		Alerts []struct {
			Check   string `json:"check"`
			Message string `json:"message"`
		} `json:"alerts"`
	}
	if status, err := w.call(ctx, http.MethodGet, "/admin/api/alerts", nil, adminToken, &alerts); err != nil || status != http.StatusOK {
		r.wrong("alerts: status %d, %v", status, err)
	}
	for _, a := range alerts.Alerts {
		r.wrong("alert of %s: %s", a.Check, a.Message)
	}
	w.checkPoison(ctx, r)
	for _, life := range processes(r.Memory) {
		r.Wrong = append(r.Wrong, leaks(life)...)
	}
	r.happened(w.options)
	return r
}

// checkAll checks several conversations at a time: what an app's customer was told is asked
// for, and thousands of them take a while.
func (r *result) checkAll(ctx context.Context, talks []*talk) {
	parts := make([]result, len(talks))
	var g errgroup.Group
	g.SetLimit(8)
	for i, t := range talks {
		g.Go(func() error {
			t.check(ctx, &parts[i])
			return nil
		})
	}
	_ = g.Wait() // what is wrong is in the parts
	for i := range parts {
		r.add(&parts[i])
	}
}

// add counts what another result found too.
func (r *result) add(part *result) {
	r.Said += part.Said
	r.Took = append(r.Took, part.Took...)
	r.Lost += part.Lost
	r.Doubled += part.Doubled
	r.Wrong = append(r.Wrong, part.Wrong...)
}

// happened wants what a soak is for: where nothing went on, nothing was proved.
func (r *result) happened(o options) {
	if r.Said == 0 {
		r.wrong("nobody said anything")
	}
	if r.Confirmed == 0 {
		r.wrong("nothing was booked")
	}
	if r.Injected == 0 && o.faults > 0 {
		r.wrong("no call failed")
	}
	if r.rate() < o.rate {
		r.wrong("%.1f messages a second were said in the place of %.1f", r.rate(), o.rate)
	}
	if r.Killed != o.kills {
		r.wrong("the process was killed %d times in the place of %d", r.Killed, o.kills)
	}
}

// check wants one answer for each message.
func (t *talk) check(ctx context.Context, r *result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.said {
		r.Said++
		r.Took = append(r.Took, s.took)
		if s.reply == "" {
			r.wrong("customer %s: %q was never answered", t.id, s.text)
		}
		if token := tokens.FindString(s.text); token != "" && !t.answersWith(s, token) {
			r.wrong("customer %s: %q was answered with %q", t.id, s.text, s.reply)
		}
	}
	more := 0 // is told when the time of the last offer is over
	if t.offered {
		more = 1
	}
	if t.phone != "" {
		got := t.w.inbox.of(t.phone)
		r.came(len(got), len(t.said), len(t.said)+more, "customer %s said %d things and got %d messages: %q", t.id, len(t.said), len(got), got)
		return
	}
	t.checkHistory(ctx, r, more)
}

// answersWith: talk is repeated; a wish is answered with an offer or with a refusal, a
// question in between with the offer.
func (t *talk) answersWith(s said, token string) bool {
	if strings.HasPrefix(s.text, "hello") {
		return strings.Contains(s.reply, token) || strings.Contains(s.reply, "again") || strings.Contains(s.reply, "moment")
	}
	return s.reply != ""
}

// checkHistory wants each message of an app's customer once, and one answer to each, but for
// what the backend tells of itself.
func (t *talk) checkHistory(ctx context.Context, r *result, more int) {
	if len(t.said) == 0 {
		return
	}
	var first struct {
		Thread string `json:"threadId"`
	}
	s := t.said[0]
	body := fmt.Appendf(nil, `{"message":%q,"sessionId":%q,"clientMessageId":%q}`, s.text, t.session(), s.id)
	if status, err := t.w.call(ctx, http.MethodPost, "/chat/message", body, "", &first); err != nil || status != http.StatusOK {
		r.wrong("customer %s: the first message again: status %d, %v", t.id, status, err)
		return
	}
	var list struct {
		Messages []struct {
			Direction string `json:"direction"`
			Text      string `json:"text"`
			Status    string `json:"status"`
		} `json:"messages"`
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.w.url+"/chat/threads/"+url.PathEscape(first.Thread)+"/messages?limit=100", nil)
	if err != nil {
		r.wrong("customer %s: %v", t.id, err)
		return
	}
	req.Header.Set("X-Session-Id", t.session())
	if err := getJSON(req, &list); err != nil {
		r.wrong("customer %s: history: %v", t.id, err)
		return
	}
	var in, out int
	for _, m := range list.Messages {
		if m.Direction == "inbound" {
			in++
			if m.Status != "answered" {
				r.wrong("customer %s: %q is %s", t.id, m.Text, m.Status)
			}
		} else {
			out++
		}
	}
	r.came(in, len(t.said), len(t.said), "customer %s said %d things; the history has %d", t.id, len(t.said), in)
	r.came(out, in, in+more, "customer %s: the history has %d messages, and %d answers", t.id, in, out)
}

// checkBusiness holds the ledger against what customers and the business were told.
func (w *world) checkBusiness(ctx context.Context, r *result, n int, told map[string]bool) {
	merchants := strings.Join(w.inbox.of(merchant(n)), "\n")
	slots := map[time.Time]int{}
	after := ""
	for {
		var page struct {
			Transactions []booked `json:"transactions"`
			Next         string   `json:"next"`
		}
		path := fmt.Sprintf("/admin/api/transactions?businessId=biz-soak-%d&limit=100&after=%s", n, url.QueryEscape(after))
		if after == "" {
			path = strings.TrimSuffix(path, "&after=")
		}
		if status, err := w.call(ctx, http.MethodGet, path, nil, adminToken, &page); err != nil || status != http.StatusOK {
			r.wrong("transactions of business %d: status %d, %v", n, status, err)
			return
		}
		for _, b := range page.Transactions {
			notes := strings.Count(merchants, b.Code)
			if b.State != "confirmed" {
				if notes > 0 || told[b.Code] {
					r.wrong("booking %s is %s, the business got %d messages, the customer was told %v", b.Code, b.State, notes, told[b.Code])
				}
				continue
			}
			r.Confirmed++
			slots[b.Start]++
			r.came(notes, 1, 1, "the business got %d messages of booking %s", notes, b.Code)
			if !told[b.Code] {
				r.wrong("no customer was told of booking %s", b.Code)
			}
			delete(told, b.Code)
		}
		if after = page.Next; after == "" {
			break
		}
	}
	for at, k := range slots {
		if k > capacity(n) {
			r.wrong("business %d: %d bookings at %s, capacity %d", n, k, at, capacity(n))
		}
	}
}

// all reports whether the businesses have been notified of every booking that customers
// know of.
func (w *world) all() bool {
	notes := 0
	for n := range businesses {
		notes += len(w.inbox.of(merchant(n)))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	codes := 0
	for _, t := range w.talks {
		codes += len(t.codes)
	}
	return notes >= codes
}

func getJSON(req *http.Request, out any) error {
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", resp.StatusCode, b)
	}
	return json.Unmarshal(b, out)
}

func (r *result) print(out io.Writer) {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	row := func(what string, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	row("conversations", "%d", r.Talks)
	row("messages said", "%d (%.1f/s)", r.Said, r.rate())
	row("bookings confirmed", "%d", r.Confirmed)
	row("calls that failed", "%d", r.Injected)
	row("times killed", "%d", r.Killed)
	slices.Sort(r.Took)
	row("from message to answer", "p50 %s, p99 %s", at(r.Took, 50), at(r.Took, 99))
	row("turns logged", "%d, of which failed and done again %d", r.Turns.n, r.Turns.failed)
	row("turns given up", "%d, all poison", r.GivenUp)
	row("a turn's own time", "p50 %s, p99 %s", at(r.Turns.own, 50), at(r.Turns.own, 99))
	row("of the store", "p50 %s, p99 %s", at(r.Turns.store, 50), at(r.Turns.store, 99))
	for _, p := range processes(r.Memory) {
		var cells []string
		for n := range 4 {
			q := quarter(p, n)
			cells = append(cells, fmt.Sprintf("%.1f MB, %.0f, %.0f MB", median(q, memory.heap)/(1<<20), median(q, memory.many), median(q, memory.resident)/1024))
		}
		row(fmt.Sprintf("process %d, by quarters", p[0].pid), "%s (heap, goroutines, resident)%s", strings.Join(cells, "; "), tooShort(p))
	}
	row("lost", "%d", r.Lost)
	row("doubled", "%d", r.Doubled)
	row("wrong in all", "%d", len(r.Wrong))
	_ = t.Flush() // of an output that is gone
	for i, w := range r.Wrong {
		if i == 20 {
			fmt.Fprintf(out, "… and %d more\n", len(r.Wrong)-i)
			break
		}
		fmt.Fprintln(out, " -", w)
	}
}

func at(sorted []time.Duration, percent int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)].Round(100 * time.Microsecond)
}
