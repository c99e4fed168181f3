package api

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/edge/httpapi"
	"merve/internal/provider/meta"
	"merve/internal/spine/outbox"
	"merve/internal/spine/turn"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
)

// Messenger handles Meta's webhooks: messages, taps on buttons, and echoes of messages that
// the page itself wrote. It ignores receipts and reactions.
//
// An echo of our own message names it, and so settles a send whose answer was lost. All
// other echoes are ignored: those of other apps, and those of messages that somebody wrote by hand in
// the page's inbox, which does not take the thread over.
type Messenger struct {
	Intake      turn.Intake
	Outbox      *outbox.Box
	AppSecret   func(ctx context.Context) (string, error)
	VerifyToken func(ctx context.Context) (string, error)
	// Markets finds the market that owns the page written to, "" if the page belongs to no market; nil
	// if no market has a page of its own.
	Markets interface {
		ByPage(ctx context.Context, page string) (string, error)
	}
	Market    string // the market of a page that belongs to no market
	Assistant string // who answers
	// Typing shows a person that an answer is being written; nil shows nothing.
	Typing func(ctx context.Context, psid string) error
	// UnsignedFromLoopback takes unsigned webhooks from this machine when there is no secret.
	UnsignedFromLoopback bool
	Log                  *slog.Logger
}

// Routes are the webhook's.
func (h *Messenger) Routes() httpapi.Routes {
	return httpapi.Routes{
		"GET /webhooks/messenger":  h.verify,
		"POST /webhooks/messenger": h.receive,
	}
}

const (
	atOnce       = 8           // people or photos
	typingWithin = time.Second // for all indicators of a webhook
)

// verify proves to Meta that the webhook is ours.
func (h *Messenger) verify(w http.ResponseWriter, r *http.Request) error {
	q, err := httpapi.Query(r, "hub.mode", "hub.verify_token", "hub.challenge")
	if err != nil {
		return err
	}
	token, err := h.VerifyToken(r.Context())
	if err != nil {
		return err
	}
	challenge, err := meta.Challenge(token, q["hub.mode"], q["hub.verify_token"], q["hub.challenge"])
	if errors.Is(err, meta.ErrVerifyToken) {
		h.Log.WarnContext(r.Context(), "verification with a wrong token", "path", r.URL.Path)
	}
	if err != nil {
		return err
	}
	return writeText(w, challenge)
}

func writeText(w http.ResponseWriter, text string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text) // a provider that has gone cannot be told
	return nil
}

// receive stores the events of a webhook and queues the turns. It answers at once, however
// slow the model is. Meta repeats a webhook as a whole unless it gets a 200; events that were
// stored before are not stored again.
func (h *Messenger) receive(w http.ResponseWriter, r *http.Request) error {
	body, err := h.signed(w, r)
	if err != nil {
		return err
	}
	events, err := meta.Parse(body)
	if err != nil && len(events) == 0 {
		return err
	}
	if err != nil { // a repeat would not make it better
		h.Log.WarnContext(r.Context(), "part of a webhook cannot be read", "error", err.Error())
	}
	fresh, err := h.takeIn(r.Context(), events)
	h.showTyping(r.Context(), fresh)
	if err != nil {
		return err
	}
	return writeText(w, "EVENT_RECEIVED")
}

// takeIn stores every event, those of one person in their order. The error reports events that could
// not be stored; fresh lists the people who have written something new.
func (h *Messenger) takeIn(ctx context.Context, events []meta.Event) (fresh []string, err error) {
	var mu sync.Mutex
	var failed []error
	eachAtOnce(byPerson(events), func(theirs []meta.Event) {
		news, err := h.takeInOf(ctx, theirs)
		mu.Lock()
		defer mu.Unlock()
		if news {
			fresh = append(fresh, theirs[0].PSID)
		}
		if err != nil {
			failed = append(failed, err)
		}
	})
	return fresh, errors.Join(failed...)
}

// eachAtOnce does something with each of all, a few at a time, and waits for the last.
func eachAtOnce[T any](all []T, do func(T)) {
	var wg sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for _, one := range all {
		free <- struct{}{}
		wg.Go(func() {
			do(one)
			<-free
		})
	}
	wg.Wait()
}

// byPerson returns the events to store, grouped by person and in their order.
func byPerson(events []meta.Event) [][]meta.Event {
	var people [][]meta.Event
	place := map[string]int{}
	for _, e := range events {
		_, _, ours := e.Sent()
		if e.Standby || e.Kind != meta.Message && e.Kind != meta.Postback && !ours {
			continue
		}
		i, known := place[e.PSID]
		if !known {
			i = len(people)
			place[e.PSID], people = i, append(people, nil)
		}
		people[i] = append(people[i], e)
	}
	return people
}

// takeInOf stores one person's events. After one that could not be stored the others wait
// for the repeat, so that they keep their order; one that never can be is passed over.
func (h *Messenger) takeInOf(ctx context.Context, events []meta.Event) (news bool, err error) {
	for _, e := range events {
		var added bool
		if e.Kind == meta.Echo {
			err = h.settle(ctx, e)
		} else {
			added, err = h.message(ctx, e)
		}
		news = news || added
		switch {
		case fault.Is(err, fault.Invalid):
			h.Log.WarnContext(ctx, "a message cannot be taken", "error", err.Error())
		case err != nil:
			return news, err
		}
	}
	return news, nil
}

// settle notes that Meta took a message of the outbox.
func (h *Messenger) settle(ctx context.Context, e meta.Event) error {
	thread, id, _ := e.Sent()
	err := h.Outbox.Note(ctx, outbox.StatusReport{Thread: thread, ID: id, ProviderID: e.ID, Status: outbox.Sent})
	if fault.Is(err, fault.NotFound) { // another app's metadata, or older than our outbox goes back
		return nil
	}
	return err
}

// message stores what a person wrote or tapped, and queues its turn.
func (h *Messenger) message(ctx context.Context, e meta.Event) (news bool, err error) {
	market := h.Market
	if h.Markets != nil {
		own, err := h.Markets.ByPage(ctx, e.Page)
		if err != nil {
			return false, err
		}
		if own != "" {
			market = own
		}
	}
	for _, in := range h.inbound(e, market) {
		stored, err := h.Intake.ProcessInbound(ctx, in)
		if err != nil {
			return news, err
		}
		news = news || !stored.Duplicate
	}
	return news, nil
}

// inbound converts an event to a message, with further messages if it has more attachments
// than one message may carry.
func (h *Messenger) inbound(e meta.Event, market string) []channel.Inbound {
	in := channel.Inbound{
		Market: market, Channel: channel.Messenger, ThreadType: channel.General, Assistant: h.Assistant,
		From:      person.ByID(channel.Messenger, e.PSID),
		ReplyAddr: e.PSID, MessageID: e.ID, Text: e.Text, Button: e.Button.Payload, ReplyTo: e.ReplyTo,
		SentAt: e.At,
	}
	if in.Text == "" {
		in.Text = e.Button.Title
	}
	if r := []rune(in.Text); len(r) > channel.MaxText {
		in.Text = string(r[:channel.MaxText])
	}
	if l := e.Location; l != nil {
		in.Location = geo.Location{Lat: l.Lat, Lng: l.Lng, Address: clip(l.Title, geo.MaxAddress)}.Kept()
	}
	all := []channel.Inbound{in}
	for i, a := range e.Media {
		if i > 0 && i%channel.MaxMedia == 0 {
			more := in
			more.MessageID, more.Text, more.Button, more.Location, more.Media = e.ID+"#"+strconv.Itoa(len(all)), "", "", nil, nil
			all = append(all, more)
		}
		last := &all[len(all)-1]
		last.Media = append(last.Media, channel.Media{URL: a.URL, Type: a.Type})
	}
	return all
}

// showTyping shows people that an answer is being written. If it fails or takes long, they lose
// nothing.
func (h *Messenger) showTyping(ctx context.Context, people []string) {
	if h.Typing == nil || len(people) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, typingWithin)
	defer cancel()
	eachAtOnce(people, func(psid string) {
		if err := h.Typing(ctx, psid); err != nil {
			h.Log.InfoContext(ctx, "no typing indicator", "error", err.Error())
		}
	})
}

// signed returns the body of a webhook whose signature is right.
func (h *Messenger) signed(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := httpapi.ReadBody(w, r, meta.MaxWebhook)
	if err != nil {
		return nil, err
	}
	secret, err := h.AppSecret(r.Context())
	if err != nil {
		return nil, err
	}
	if secret == "" && h.UnsignedFromLoopback && fromLoopback(r) {
		return body, nil
	}
	err = meta.Verify(secret, body, r.Header.Get(meta.SignatureHeader))
	if errors.Is(err, meta.ErrSignature) {
		h.Log.WarnContext(r.Context(), "webhook with a bad signature", "path", r.URL.Path)
	}
	return body, err
}
