package notify

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/people/relay"
	"merve/internal/record/listing"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// Writer has the tool that customers use to write to a business on WhatsApp.
type Writer struct {
	Notifier *Notifier
	Talks    *relay.Post // for the business's answers
	Bounds   *bound.Book // on how many messages one customer may send; nil sets no bound
}

// messageTool is the tool that customers use to write to a business.
const messageTool = "sendWhatsAppMessage"

// MaxMessage is the longest message to a business, in characters.
const MaxMessage = 1000

// Tools returns the declaration with its resolver. It touches the world: the customer sees the
// recipient and the whole text before a YES.
func (w Writer) Tools() []tool.Tool {
	t := tool.New(messageTool,
		"Send the customer's message to a listing's business on WhatsApp, such as a question that no tool answers. The customer is shown recipient and text first. "+
			"Not for bookings, orders, services or viewings: those have tools of their own.", tool.Commit, w.send)
	t.Summary, t.Listings = tool.SummaryOf(w.summary), true
	return []tool.Tool{t}
}

type messageArgs struct {
	ListingID string `json:"listingId" jsonschema:"id of the listing whose business is written to, as a search gave it"`
	Text      string `json:"text" jsonschema:"the message, in the customer's name, as they want it said"`
}

func (w Writer) summary(ctx context.Context, tc tool.Context, a messageArgs) (string, error) {
	l, err := w.reachable(ctx, tc, a)
	if err != nil {
		return "", err
	}
	if _, err := w.bounded(ctx, tc); err != nil {
		return "", err
	}
	return a.said(tc, l, wording.MessageTo), nil
}

// said names the message, which is to be sent or was.
func (a messageArgs) said(tc tool.Context, l *listing.Listing, key wording.Key) string {
	return wording.Say(tc.Language, key, wording.Vars{"listing": l.Name(tc.Language), "text": wording.Quote(tc.Language, a.Text)})
}

// bounded takes a token of the customer's bound on messages.
func (w Writer) bounded(ctx context.Context, tc tool.Context) (bound.Taken, error) {
	return w.Bounds.Take(ctx, bound.Claim{
		Matter: bound.Message, Market: tc.Market.ID, Owner: tc.Actor.Key(), Address: tc.Address, ID: "message." + tc.Key, Until: tc.Now.Add(bound.Day),
	})
}

// errUnreachable is the answer about a business that has no number or wants no messages. It is also the answer about
// one that has not written for so long that only an approved template would reach it, if there is no such template.
var errUnreachable = fault.New(fault.Conflict, "this business cannot be written to here")

// reachable is the listing whose business can be written to. 2 requests.
func (w Writer) reachable(ctx context.Context, tc tool.Context, a messageArgs) (*listing.Listing, error) {
	if n := utf8.RuneCountInString(strings.TrimSpace(a.Text)); n == 0 || n > MaxMessage || !utf8.ValidString(a.Text) {
		return nil, fault.Field("text", "want 1 to %d characters", MaxMessage)
	}
	l, err := w.Notifier.Listings.Get(ctx, tc.Market.ID, a.ListingID)
	switch {
	case err != nil:
		return nil, err
	case !l.Merve.Enabled:
		return nil, listing.ErrNotFound
	case !l.Allowed(tc.Market.Tools[messageTool], "", tc.Location):
		return nil, listing.ErrNotAllowed
	case l.Merve.WhatsApp == "":
		return nil, errUnreachable
	}
	head, err := w.Notifier.Threads.Head(ctx, businessThread(tc.Market, l.Merve.WhatsApp))
	switch {
	case errors.Is(err, thread.ErrNoThread):
		head = thread.Head{Channel: channel.WhatsApp} // it has never written
	case err != nil:
		return nil, err
	}
	if !head.Reachable(tc.Market, merchantMessage, false, tc.Now) {
		return nil, errUnreachable
	}
	return l, nil
}

// send puts the message on the outbox, once for the YES, and begins the talk that lets the business answer.
func (w Writer) send(ctx context.Context, tc tool.Context, a messageArgs) (tool.Result, error) {
	l, err := w.reachable(ctx, tc, a)
	if err != nil {
		return tool.Result{}, err
	}
	lang := l.Merve.Language
	if lang == "" {
		lang = tc.Market.Language
	}
	talk := relay.Talk{
		Market: tc.Market.ID, Business: l.Business, Thread: tc.Thread, Customer: tc.Actor.Name, Listing: l.ID, ListingName: l.Name(tc.Language),
	}
	err = w.begin(ctx, tc, talk, func(code string) []dynamo.Write {
		letter := outbox.Letter{
			To: l.Merve.WhatsApp, ID: "message." + tc.Key, Language: lang, Key: wording.MerchantMessage, Event: merchantMessage,
			Vars: wording.Vars{
				"listing": l.Name(lang), "customer": wording.Quote(lang, tc.Actor.Name), "phone": tc.Actor.Phone, "text": wording.Quote(lang, a.Text), "code": code,
			},
			Below: wording.Say(lang, wording.MerchantMessageAnswer, wording.Vars{"code": code}),
			About: code, Customer: tc.Thread, Trace: tc.TraceID,
		}
		return w.Notifier.Outbox.PutPieces(w.Notifier.message(ctx, tc.Market, letter))
	})
	if err != nil && !errors.Is(err, outbox.ErrDuplicate) {
		return tool.Result{}, fmt.Errorf("message to %s: %w", l.ID, err)
	}
	return tool.Result{Data: map[string]string{"status": "on its way"}, Facts: []string{"sent:" + l.Name(tc.Language)}, Done: a.said(tc, l, wording.MessageSent)}, nil
}

// begin begins the talk with the message, which takes a token of its customer's bound.
func (w Writer) begin(ctx context.Context, tc tool.Context, talk relay.Talk, message func(code string) []dynamo.Write) error {
	_, err := dynamo.Retry(ctx, w.Talks.Table.DB(), bound.ErrLost, func() (struct{}, error) {
		tokens, err := w.bounded(ctx, tc)
		if err != nil {
			return struct{}{}, err
		}
		return struct{}{}, w.Talks.Begin(ctx, talk, func(code string) []dynamo.Write { return append(message(code), tokens.Writes...) })
	})
	return err
}

const merchantMessage = "merchant_message"
