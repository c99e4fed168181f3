package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"merve/internal/base/pause"
)

// businesses is how many there are, and days how far ahead is booked: few enough that
// customers want the same tables.
const (
	businesses = 12
	days       = 4
)

// patience is how long a customer goes on sending what is not taken, and waits for an answer.
const patience = 4 * time.Minute

// talk is one conversation of one customer.
type talk struct {
	w      *world
	id     string
	phone  string // "" is a customer of the app
	chance *rand.Rand

	mu      sync.Mutex
	said    []said
	codes   []string // of bookings that were confirmed to this customer
	offered bool
}

// said is one message and what was answered.
type said struct {
	id, text, reply string
	took            time.Duration
}

func (w *world) newTalk(customer, visit int, chance *rand.Rand) *talk {
	t := &talk{w: w, id: fmt.Sprintf("%04d%05d", customer, visit), chance: chance}
	if customer%2 == 1 {
		t.phone = "+1555" + t.id
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.talks = append(w.talks, t)
	return t
}

// run says a few things, one after the other's answer.
func (t *talk) run(ctx context.Context) {
	for n := range 4 + t.chance.IntN(6) {
		text := t.next(n)
		if !t.say(ctx, n, text) {
			return
		}
		think := time.Duration(t.chance.ExpFloat64() * float64(t.w.think))
		if pause.For(ctx, min(think, 4*t.w.think)) != nil {
			return
		}
	}
}

// next is what the customer says: a wish, an answer to an offer, or talk.
func (t *talk) next(n int) string {
	token := fmt.Sprintf("tok%sn%dx", t.id, n)
	if t.offered {
		switch t.chance.IntN(5) {
		case 0:
			return "no"
		case 1:
			return "what was it again? " + token
		}
		return "yes"
	}
	if t.chance.IntN(2) == 0 {
		date := time.Now().UTC().AddDate(0, 0, 2+t.chance.IntN(days)).Format(time.DateOnly)
		return fmt.Sprintf("book soak-%d %s %02d:00 %s", t.chance.IntN(businesses), date, 10+t.chance.IntN(10), token)
	}
	return "hello " + token
}

// say delivers a message until it is taken, perhaps more often, and waits for the answer.
func (t *talk) say(ctx context.Context, n int, text string) bool {
	s := said{id: fmt.Sprintf("SM%s%022d", t.id, n), text: text}
	begin := time.Now()
	again := 0
	for t.chance.Float64() < t.w.repeats && again < 3 {
		again++
	}
	var copies sync.WaitGroup
	for range again {
		copies.Go(func() { _, _ = t.deliver(ctx, s) }) // one of them arrives
	}
	defer copies.Wait()
	reply, err := t.deliver(ctx, s)
	for err != nil && time.Since(begin) < patience && ctx.Err() == nil {
		if pause.For(ctx, 200*time.Millisecond) != nil {
			return false
		}
		reply, err = t.deliver(ctx, s)
	}
	if err == nil && t.phone != "" {
		reply, err = t.await(ctx, n+1)
	}
	s.reply, s.took = reply, time.Since(begin)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.said = append(t.said, s)
	if err != nil {
		return false
	}
	t.offered = strings.Contains(reply, "YES")
	if m := confirmed.FindStringSubmatch(reply); m != nil && text == "yes" && !t.offered {
		t.codes = append(t.codes, m[1])
	}
	return true
}

// confirmed is a booking's code in a confirmation.
var confirmed = regexp.MustCompile(`\b([A-Z0-9]{6})\b`)

func (t *talk) deliver(ctx context.Context, s said) (string, error) {
	if t.phone != "" {
		a, err := t.w.twilio.Post(ctx, t.w.url+"/webhooks/whatsapp", t.w.twilio.Inbound(s.id, t.phone, s.text))
		if err == nil && a.Status != http.StatusOK {
			err = fmt.Errorf("webhook answered %d", a.Status)
		}
		return "", err
	}
	return t.chat(ctx, s)
}

// chat is the app: what takes too long is asked for again under the same id.
func (t *talk) chat(ctx context.Context, s said) (string, error) {
	body, err := json.Marshal(map[string]string{"message": s.text, "sessionId": t.session(), "clientMessageId": s.id})
	if err != nil {
		return "", err
	}
	var a struct {
		Reply string `json:"reply"`
	}
	status, err := t.w.call(ctx, http.MethodPost, "/chat/message", body, "", &a)
	switch {
	case err != nil:
		return "", err
	case status != http.StatusOK:
		return "", fmt.Errorf("chat answered %d: %w", status, errGone)
	}
	return a.Reply, nil
}

func (t *talk) session() string { return "soak-session-" + t.id + "-not-a-secret" }

// call makes a request to Merve and reads a JSON answer.
func (w *world) call(ctx context.Context, method, path string, body []byte, bearer string, out any) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.url+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 8<<20))
	if err != nil {
		return 0, err
	}
	if resp.StatusCode/100 == 2 && out != nil {
		err = json.Unmarshal(b, out)
	}
	return resp.StatusCode, err
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}

// await waits for the n-th message to this customer.
func (t *talk) await(ctx context.Context, n int) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		if got := t.w.inbox.of(t.phone); len(got) >= n {
			return got[n-1], nil
		}
		if err := pause.For(ctx, 50*time.Millisecond); err != nil {
			return "", errGone
		}
	}
}

// stock makes the businesses, each with one kind of table.
func (w *world) stock(ctx context.Context) error {
	week := map[string]any{}
	for _, day := range []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		week[day] = []any{map[string]string{"from": "08:00", "to": "23:00"}}
	}
	for n := range businesses {
		id := fmt.Sprintf("soak-%d", n)
		body, err := json.Marshal(map[string]any{
			"businessId": "biz-" + id, "names": map[string]string{"en": "Soak House"}, "descriptions": map[string]string{"en": "A house for soaking."},
			"domain": "food", "category": "restaurant", "place": "Kyrenia",
			"offerings": []any{map[string]any{
				"id": "table", "name": "Table", "timeZone": "Asia/Nicosia", "hours": week, "slotMinutes": 60, "durationMinutes": 60,
				"capacity": capacity(n), "horizonDays": 30, "unit": "slot", "minParty": 1, "maxParty": 6, "currency": "EUR", "per": "booking",
			}},
			"merve": map[string]any{"enabled": true, "whatsappE164": merchant(n), "actions": []any{map[string]any{"type": "book", "enabled": true}}},
		})
		if err != nil {
			return err
		}
		path := "/admin/api/markets/demo/listings/" + url.PathEscape(id)
		if status, err := w.call(ctx, http.MethodPut, path, body, adminToken, nil); err != nil || status != http.StatusOK {
			return fmt.Errorf("save listing %s: status %d: %w", id, status, err)
		}
	}
	return nil
}

func capacity(n int) int    { return 1 + n%3 }
func merchant(n int) string { return fmt.Sprintf("+15559990%03d", n) }
