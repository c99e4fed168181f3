package relay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/roster"
	"merve/internal/words/wording"
)

// Kind is the kind of the notice that tells a customer, and the event of its templates.
const Kind = "business_message"

// Event says that a business's words are to be passed on.
type Event struct {
	ID          string    `dynamodbav:"id"` // of what was said
	Market      string    `dynamodbav:"market"`
	Code        string    `dynamodbav:"code"`
	Talk        bool      `dynamodbav:"talk,omitempty"` // the customer does not know the code
	Business    string    `dynamodbav:"business"`
	Listing     string    `dynamodbav:"listing"`
	ListingName string    `dynamodbav:"listingName"`
	Words       string    `dynamodbav:"words"`
	Thread      string    `dynamodbav:"thread"` // the customer's
	Language    string    `dynamodbav:"lang"`   // the customer's
	From        string    `dynamodbav:"from"`   // the business's thread
	Phone       string    `dynamodbav:"phone"`  // and number
	Speaks      string    `dynamodbav:"speaks"` // its language
	Trace       string    `dynamodbav:"trace,omitempty"`
	At          time.Time `dynamodbav:"at"`
	Written     time.Time `dynamodbav:"written"` // by the business; no later than at
	TTL         int64     `dynamodbav:"ttl"`
}

// Events are the events of the relay.
var Events = event.Kind[Event]{Name: "relay", Earlier: dynamo.Key{PK: "talk#", SK: saidPrefix}}

var (
	errSaid = errors.New("it was passed on before")
	errFull = errors.New("no more is passed on today")
	errGone = errors.New("the talk is gone")
)

// pass prepares to pass words on, once for their id, or says why they are not.
func (p *Post) pass(ctx context.Context, tc tool.Context, m matter, text, id string, written time.Time) (gate.Settled, error) {
	say := func(key wording.Key) gate.Settled {
		return gate.Settled{Text: wording.Say(tc.Language, key, wording.Vars{
			"code": m.Code, "customer": wording.Quote(tc.Language, nameOf(m.Customer)), "listing": m.ListingName, "max": fmt.Sprint(MaxText),
		})}
	}
	words := tidy(text)
	switch {
	case m.closed:
		return say(wording.RelayClosed), nil
	case utf8.RuneCountInString(words) > MaxText:
		return say(wording.RelayTooLong), nil
	}
	head, err := p.Threads.Head(ctx, m.Thread)
	switch {
	case errors.Is(err, thread.ErrNoThread):
		return say(wording.RelayUnreachable), nil
	case err != nil:
		return gate.Settled{}, err
	case !head.Reachable(tc.Market, Kind, true, p.now()):
		return say(wording.RelayUnreachable), nil
	}
	lang := head.Language
	if lang == "" {
		lang = tc.Market.Language
	}
	now := p.now()
	if written.After(now) {
		written = now
	}
	s := say(wording.RelayPassed)
	s.Writes = p.writes(Event{
		ID: id, Market: tc.Market.ID, Code: m.Code, Talk: m.talk, Business: m.Business, Listing: m.Listing, ListingName: m.ListingName,
		Words: words, Thread: m.Thread, Language: lang, From: tc.Thread, Phone: tc.Actor.Phone, Speaks: tc.Language, Trace: tc.TraceID, At: now, Written: written,
	})
	s.Refused = func(err error) (string, bool) {
		switch {
		case errors.Is(err, errSaid):
			return s.Text, true
		case errors.Is(err, errFull):
			return say(wording.RelayEnough).Text, true
		case errors.Is(err, errGone):
			return say(wording.RelayClosed).Text, true
		}
		return "", false
	}
	return s, nil
}

func (p *Post) writes(e Event) []dynamo.Write {
	e.TTL = e.At.Add(keepTalk).Unix()
	said := saidKey(e)
	ws := []dynamo.Write{
		Events.Put(p.Table, said, e).IfAbsent().Else(errSaid),
		p.trace(e.Thread, said, e.TTL),
		p.Table.Count(dayKey(e), "passed", MaxDay, time.Unix(e.TTL, 0)).Else(errFull),
	}
	if e.Talk {
		ws = append(ws, p.Table.Update(talkKey(e.Market, e.Business, e.Code), "SET answeredAt = :written, listedAt = :at",
			dynamo.V{":written": e.Written, ":at": dynamo.Stamp(e.At)}).If("attribute_exists(pk)", nil).Else(errGone))
	}
	return ws
}

// Tell puts words on the customer's thread, as a quotation. It may be called any number of times.
func (p *Post) Tell(ctx context.Context, e Event) error {
	shown := e.Code
	if e.Talk {
		shown = ""
	}
	vars := wording.Vars{"listing": e.ListingName, "code": shown, "lines": quoted(e.Words), "text": wording.Quote(e.Language, e.Words)}
	err := p.Threads.Tell(ctx, e.Thread, "relay."+e.ID, thread.Notice{
		Kind: Kind, Text: wording.Say(e.Language, wording.BusinessMessage, vars), ByPerson: true, Vars: vars,
		Quote: &thread.Quote{Listing: e.Listing, Name: e.ListingName, Code: e.Code, Text: e.Words, Thread: e.From, To: e.Phone, Language: e.Speaks},
	})
	if err != nil {
		return fmt.Errorf("relay %s: %w", e.ID, err)
	}
	return nil
}

// Command handles a business's message that belongs to a matter of one of its customers. ok is false if it belongs to
// no matter, or if the sender is not a business.
func (p *Post) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	return p.hear(ctx, tc, m, false)
}

// Quotes handles a business's answer to a customer's message that it quotes. It runs before any word of that answer
// can be taken for the answer to an order: a "yes" below a question is meant for the customer who asked.
type Quotes struct{ *Post }

// Command implements turn.Command.
func (q Quotes) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	if m.ReplyTo == "" {
		return gate.Settled{}, false, nil
	}
	return q.hear(ctx, tc, m, true)
}

func (p *Post) hear(ctx context.Context, tc tool.Context, m thread.Message, quotesOnly bool) (gate.Settled, bool, error) {
	text, more := strings.TrimSpace(m.Text), len(m.Media) > 0 || m.Location != nil
	if text == "" && !more {
		return gate.Settled{}, false, nil
	}
	roles, err := p.Roster.Read(ctx, tc.Market.ID, tc.Actor.Phone)
	if err != nil || len(roles.Businesses()) == 0 {
		return gate.Settled{}, false, err
	}
	these, err := p.meant(ctx, tc, roles, m, quotesOnly)
	switch {
	case err != nil || len(these) == 0:
		return gate.Settled{}, false, err
	case len(these) > 1 || these[0].doubt:
		return gate.Settled{Text: wording.Say(tc.Language, wording.RelayWhich, wording.Vars{"alternatives": wording.List(tc.Language, labels(tc.Language, these))})}, true, nil
	}
	one := these[0]
	textOnly := wording.Say(tc.Language, wording.RelayTextOnly, nil)
	if text = ident.Without(text, one.Code); text == "" {
		return gate.Settled{Text: textOnly}, more, nil // a code alone is a question to the assistant
	}
	s, err := p.pass(ctx, tc, one, text, m.ID, m.Written())
	if more && len(s.Writes) > 0 {
		s.Text += "\n" + textOnly
	}
	return s, err == nil, err
}

// labels name the first of several matters. Two businesses may have given the same code.
func labels(lang string, these []matter) []string {
	var all []string
	for _, m := range these[:min(len(these), 8)] {
		about := m.ListingName
		if customer := wording.Quote(lang, nameOf(m.Customer)); customer != "" {
			about = customer + ", " + about
		}
		all = append(all, fmt.Sprintf("%s (%s)", m.Code, about))
	}
	return all
}

// meant are the matters that a message may belong to: one, none, or several to choose from.
func (p *Post) meant(ctx context.Context, tc tool.Context, roles roster.Roles, m thread.Message, quotesOnly bool) ([]matter, error) {
	businesses := roles.Businesses()
	if m.ReplyTo != "" {
		about, err := p.Outbox.AboutOf(ctx, tc.Thread, m.ReplyTo)
		if err != nil {
			return nil, err
		}
		if about != "" && (!quotesOnly || IsTalk(about)) {
			these, err := p.find(ctx, tc.Market.ID, businesses, about)
			if len(these) == 0 {
				these = []matter{{Code: about, closed: true}} // gone since: its words are for nobody else
			}
			return notBegun(these), err
		}
	}
	if quotesOnly {
		return nil, nil
	}
	var named []matter
	sure := false
	for i, c := range codesIn(m.Text) {
		if i == maxCodes {
			break
		}
		these, err := p.find(ctx, tc.Market.ID, businesses, c.text)
		if err != nil {
			return nil, err
		}
		sure = sure || c.sure || len(these) > 0
		named = append(named, notBegun(these)...)
	}
	if len(named) > 0 || sure { // the business has no such code, so the text is not about another customer either
		return named, nil
	}
	if m.ReplyTo != "" {
		if ours, err := p.Outbox.Sent(ctx, tc.Thread, m.ReplyTo); ours || err != nil { // and about nobody
			return nil, err
		}
	}
	waiting, err := p.waiting(ctx, tc.Market.ID, businesses)
	for i, w := range waiting {
		waiting[i].doubt = m.ReplyTo != "" || !m.Written().After(w.asked)
	}
	return waiting, err
}

// notBegun are the matters about which is written to their customers, without what may be meant for us.
func notBegun(all []matter) []matter {
	return slices.DeleteFunc(all, func(m matter) bool { return m.begun })
}
