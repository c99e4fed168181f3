package request

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"merve/internal/base/actor"
	"merve/internal/cloud/alert"
	"merve/internal/matter/quote/price"
	"merve/internal/matter/vendor"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Teller tells clients and vendors what becomes of requests, as the stream of events brings it. Each message
// exists once for its event. A call that rings is ended when its consent is revoked.
//
// Cost: the request and the market 2 requests, and 1 for each who is told; an answer of a vendor 1 more.
type Teller struct {
	Broker  *Broker
	Threads interface {
		Head(ctx context.Context, id string) (thread.Head, error)
		Tell(ctx context.Context, id, key string, n thread.Notice) error
	}
	Read func(ctx context.Context, request, job string) error // has a picture read
}

// Tell does what an event calls for. It may be called any number of times.
func (t *Teller) Tell(ctx context.Context, e Event) error {
	v, err := t.Broker.Store.View(ctx, e.Request)
	if errors.Is(err, actor.ErrNotFound) {
		return nil // erased
	}
	if err != nil {
		return fmt.Errorf("tell of request %s: %w", e.Request, err)
	}
	m, err := t.Broker.Markets.Get(ctx, v.Market)
	if err != nil {
		return fmt.Errorf("tell of request %s: %w", e.Request, err)
	}
	if err := t.tell(ctx, news{e, v, m}); err != nil {
		return fmt.Errorf("tell of request %s: %w", e.Request, err)
	}
	return nil
}

// news is an event about to be told.
type news struct {
	event  Event
	view   View // as it is now
	market *market.Market
}

func (t *Teller) tell(ctx context.Context, n news) error {
	e, v := n.event, n.view
	about := wording.Vars{"code": v.Code, "need": v.Need(v.Language)}
	switch e.Type {
	case OfferedEvent:
		return t.Ask(ctx, v, n.market)
	case WrittenEvent:
		return t.written(ctx, n)
	case RepliedEvent:
		return t.replied(ctx, n)
	case PresentedEvent:
		return t.presented(ctx, n)
	case FoundEvent:
		return t.found(ctx, n)
	case AcceptedEvent:
		return t.thank(ctx, n, e.Outreach)
	case ConsentEvent:
		if k := v.consent(e.Consent); k != nil {
			return t.Broker.Calls().HangUp(ctx, *k)
		}
	case PictureEvent:
		return t.Read(ctx, v.ID, e.Picture)
	case SilentEvent:
		return t.client(ctx, n, "request_silent", wording.Say(v.Language, wording.RequestSilent, about), about, nil)
	case ChangedEvent:
		if e.To == Fulfilled {
			return t.thank(ctx, n, "")
		}
	case CancelledEvent:
		var said error
		if !e.Told {
			said = t.client(ctx, n, "request_off", wording.Say(v.Language, wording.RequestOff, about), about, nil)
		}
		return errors.Join(said, t.thank(ctx, n, ""))
	case ErrorEvent:
		text := wording.Say(v.Language, wording.RequestFailed, about)
		if e.Text != "" {
			text = e.Text
		}
		return t.client(ctx, n, "request_failed", text, about, nil)
	}
	return nil
}

// client tells the client on their thread, once for the event.
func (t *Teller) client(ctx context.Context, n news, kind, text string, vars wording.Vars, cards []map[string]any) error {
	if n.view.Thread == "" {
		return nil
	}
	return t.Threads.Tell(ctx, n.view.Thread, n.view.ID+"."+n.event.ID, thread.Notice{
		Kind: kind, Text: text, Vars: vars, Cards: cards, ByPerson: byPerson(n.event.By),
	})
}

// byPerson reports whether a person at the desk has brought an event about.
func byPerson(by string) bool { return by == Admin || strings.HasPrefix(by, string(actor.Staff)+":") }

// Ask puts the offer of a request on the client's thread, after whatever waits there. A sweep asks again when it
// had to wait.
func (t *Teller) Ask(ctx context.Context, v View, m *market.Market) error {
	if v.Offer == nil || v.Thread == "" {
		return nil
	}
	q := v.question()
	vars := wording.Vars{"code": v.Code, "summary": q.Summary}
	key := strings.Join([]string{v.ID, "offer", strconv.FormatInt(v.Offer.ExpiresAt.UnixMilli(), 36), strconv.Itoa(v.Offer.Asked)}, ".")
	return t.Threads.Tell(ctx, v.Thread, key, thread.Notice{
		Kind: "request_news", Ref: v.ID, Text: wording.Say(v.Language, wording.RequestNews, vars), Vars: vars, Offer: q.pending(m),
	})
}

// written tells the client what a caller has written. Options are quick replies: on WhatsApp a numbered list.
func (t *Teller) written(ctx context.Context, n news) error {
	e := n.event
	text, cards := e.Text, []map[string]any(nil)
	if len(e.Options) > 0 {
		head, err := t.Threads.Head(ctx, n.view.Thread)
		if err != nil && !errors.Is(err, thread.ErrNoThread) {
			return err
		}
		if head.Channel.Pushes() {
			for i, o := range e.Options {
				text += fmt.Sprintf("\n%d. %s", i+1, o)
			}
		} else {
			cards = []map[string]any{{"type": "options", "title": wording.Say(n.view.Language, wording.RequestOptions, nil), "options": e.Options}}
		}
	}
	vars := wording.Vars{"code": n.view.Code, "lines": text}
	return t.client(ctx, n, clientEvent, wording.Say(n.view.Language, wording.RequestMessage, vars), vars, cards)
}

// replied presents what a vendor has quoted. Where the answer quotes nothing, the client is told the vendor's words.
func (t *Teller) replied(ctx context.Context, n news) error {
	o := n.view.outreach(n.event.Outreach)
	switch {
	case o == nil || !n.view.State.Open():
		return nil
	case n.view.State == Accepted:
		return t.winner(ctx, n, *o)
	}
	q := n.event.Quote
	stays := o.Quote != nil && o.Quote.Message != q.Message && q.Keeps(o.Quote) // the quote that was shown before
	switch {
	case q.Declines():
		return t.silence(ctx, n)
	case stays || !q.Offers(q.At):
		lang, key := n.view.Language, wording.RequestAnswered
		if q.Status == price.Unclear {
			key = wording.RequestUnclear
		}
		vars := wording.Vars{"vendor": o.Name, "code": n.view.Code, "words": q.Worded(lang)}
		return t.client(ctx, n, "request_answered", wording.Say(lang, key, vars), vars, nil)
	}
	return t.present(ctx, n)
}

// winner passes on at once what the vendor whose quote was accepted has written since, to the client and to the desk. It may
// be that they withdraw, so nobody waits until somebody has understood it. The request stays as it is.
func (t *Teller) winner(ctx context.Context, n news, o vendor.Outreach) error {
	v, q := n.view, n.event.Quote
	if !v.won(o) || v.Quote != nil && !q.At.After(v.Quote.At) { // what was accepted, or came before it
		return nil
	}
	a := alert.Alert{
		Check: "request", Severity: alert.Warning, Subject: v.ID, Of: o.ID,
		Message: fmt.Sprintf("%s, whose quote for request %s was accepted, has written: %s", o.Name, v.Code, wording.Quote("en", clip(q.Text, MaxText))),
	}
	if q.HasStock != nil && !*q.HasStock {
		a.Severity = alert.Error
	}
	if err := t.Broker.Alerts.Raise(ctx, a); err != nil {
		return err
	}
	lang := v.Language
	vars := wording.Vars{"vendor": o.Name, "code": v.Code, "words": wording.Quote(lang, q.Text)}
	return t.client(ctx, n, "request_winner", wording.Say(lang, wording.RequestWinner, vars), vars, nil)
}

// present takes the request to where its quotes are shown, which the client is told by the event of that.
func (t *Teller) present(ctx context.Context, n news) error {
	_, err := latest(ctx, t.Broker.Store, &n.view, func() (struct{}, error) { return struct{}{}, t.advance(ctx, n) })
	return err
}

// advance takes the request on from the state that it was read in.
func (t *Teller) advance(ctx context.Context, n news) error {
	s := t.Broker.Store
	for {
		v := n.view
		e := Event{Type: PresentedEvent, From: v.State, To: Presented, Outreach: n.event.Outreach, By: System, Trace: n.event.Trace}
		switch v.State {
		case Asking:
			v.State = Quoted
			e = Event{Type: ChangedEvent, From: Asking, To: Quoted, By: System, Trace: n.event.Trace}
		case Quoted:
			if v.Thread == "" { // the desk presents
				return nil
			}
			v.State = Presented
		case Presented: // one more quote
			return t.presented(ctx, n)
		default:
			return nil
		}
		if err := s.Table.DB().Commit(ctx, s.changes(&v, e)...); err != nil {
			return err
		}
		n.view = v
		if v.State == Presented {
			return nil
		}
	}
}

// presented shows all quotes side by side.
func (t *Teller) presented(ctx context.Context, n news) error {
	v, lang := n.view, n.view.Language
	lines, cards := v.Quotes(lang, t.Broker.Store.now())
	if len(lines) == 0 {
		return nil
	}
	vars := wording.Vars{"code": v.Code, "need": v.Need(lang), "lines": strings.Join(lines, "\n")}
	return t.client(ctx, n, "request_quotes", wording.Say(lang, wording.RequestQuotes, vars), vars, cards)
}

// silence tells the client once nobody who was asked has it.
func (t *Teller) silence(ctx context.Context, n news) error {
	v := n.view
	if v.State != Asking || v.waits() || v.quoted() {
		return nil
	}
	s := t.Broker.Store
	from := v.State
	err := s.Table.DB().Commit(ctx, s.changes(v.to(Searching), Event{Type: SilentEvent, From: from, To: Searching, By: System, Trace: n.event.Trace})...)
	if errors.Is(err, ErrChanged) {
		return nil // the sweep looks again
	}
	return err
}

// quoted reports whether a vendor has answered with more than a no.
func (v View) quoted() bool {
	for _, o := range v.Outreach {
		if o.State == vendor.Replied {
			return true
		}
	}
	return false
}

// thank tells vendors that the request is over: those whose quotes were not taken, and when it came to an end (winner is "")
// the one whose quote was, too.
func (t *Teller) thank(ctx context.Context, n news, winner string) error {
	var errs []error
	for _, o := range n.view.Outreach {
		taken := winner != "" && (o.ID == winner || o.ID == n.view.Accepted)
		accepted := o.ID == n.view.Accepted // whatever they have written since
		if taken || !accepted && (o.State == vendor.Declined || o.State == vendor.Failed || o.State == vendor.TimedOut) {
			continue
		}
		thanks := vendor.Letter{Name: "thanks", Event: "", Key: wording.VendorThanks, Vars: wording.Vars{"code": o.Code}}
		if accepted && n.event.Type == CancelledEvent {
			thanks.Key = wording.VendorCancelled
		}
		errs = append(errs, t.Broker.mail().Send(ctx, n.market, n.view.Thread, o, thanks, n.event.Trace))
	}
	return errors.Join(errs...)
}
