package vendor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
	"merve/internal/words/wording"
)

// Mail is what is written to vendors on their threads, and heard from them. Safe for concurrent use.
type Mail struct {
	Book    Book
	Outbox  *outbox.Box
	Threads interface {
		Head(ctx context.Context, id string) (thread.Head, error)
	}
	Roster *roster.Book
}

// The events of messages to vendors, which have approved templates.
const (
	AskedEvent    = "vendor_asked"
	questionEvent = "vendor_question"
	ReminderEvent = "vendor_reminder"
)

// Letter is a message to a vendor.
type Letter struct {
	Name  string // among those of the outreach: it exists once
	Event string // of the market's own text, and of its approved template; "" has neither
	Key   wording.Key
	Vars  wording.Vars
}

// Letter are the writes that put a message to a vendor on the outbox, once for its name. client is the thread of whose request it is.
func (b Mail) Letter(ctx context.Context, m *market.Market, client string, o Outreach, l Letter, trace string) []dynamo.Write {
	return b.Outbox.PutPieces(b.message(ctx, m, client, o, l, trace))
}

// Send puts a message to a vendor on the outbox, unless one of its name is there already.
func (b Mail) Send(ctx context.Context, m *market.Market, client string, o Outreach, l Letter, trace string) error {
	return b.Outbox.PutOnce(ctx, b.message(ctx, m, client, o, l, trace))
}

func (b Mail) message(ctx context.Context, m *market.Market, client string, o Outreach, l Letter, trace string) outbox.Message {
	how := ""
	if l.Event == AskedEvent {
		how = wording.Say(o.Language, wording.VendorHow, l.Vars)
	}
	return b.Outbox.Letter(ctx, m, outbox.Letter{
		Kind: outbox.ToVendor, Thread: o.Thread, To: o.Number, ID: o.ID + "." + l.Name, Language: o.Language, Key: l.Key, Vars: l.Vars, Event: l.Event,
		Below: how, About: o.Code, Customer: client, Trace: trace,
	})
}

// Head is the head of a vendor's thread; a vendor without a thread has an empty one.
func (b Mail) Head(ctx context.Context, id string) (thread.Head, error) {
	head, err := b.Threads.Head(ctx, id)
	if errors.Is(err, thread.ErrNoThread) {
		return thread.Head{Channel: channel.WhatsApp}, nil
	}
	return head, err
}

// Speaks are the writes that send a vendor words, with whose they are, and the outreach as it is after them.
func (b Mail) Speaks(
	ctx context.Context, m *market.Market, client string, o Outreach, from wording.Key, vars wording.Vars, trace string,
) (ws []dynamo.Write, after Outreach) {
	after = o
	after.Questions++
	said := Letter{
		"question-" + strconv.Itoa(after.Questions), questionEvent, wording.VendorQuestion,
		wording.Vars{"code": o.Code, "text": wording.Say(o.Language, from, vars)},
	}
	return b.Letter(ctx, m, client, o, said, trace), after
}

// Deaf says why a vendor cannot be written to; "" is no reason. 1 request.
func (b Mail) Deaf(ctx context.Context, m *market.Market, o Outreach, now time.Time) (why string, err error) {
	if o.Questions >= maxQuestions {
		return fmt.Sprintf("the client's YES covers %d messages to a vendor, and they have been sent", maxQuestions), nil
	}
	head, err := b.Head(ctx, o.Thread)
	switch {
	case err != nil:
		return "", err
	case head.OptedOut:
		return "the vendor has opted out of messages", nil
	case !head.Reachable(m, questionEvent, false, now):
		return "the vendor has not written for 24 hours, and the market has no approved template for " + questionEvent, nil
	}
	return "", nil
}

// Unreachable is the first of some vendors who cannot be written to on their threads; "" means that all can.
func Unreachable(m *market.Market, these []Vendor, threads []string, heads []thread.Head, now time.Time) string {
	for i, v := range these {
		head := thread.HeadOf(heads, threads[i])
		head.Channel = channel.WhatsApp // also for a vendor without a thread
		if !head.Reachable(m, AskedEvent, false, now) {
			return v.ID
		}
	}
	return ""
}

// ThreadsOf are the threads on which the messages of some vendors' numbers arrive, in the order of the vendors. 1 request
// for each number that was not looked up within a minute.
func (b Mail) ThreadsOf(ctx context.Context, market string, these []Vendor) ([]string, error) {
	threads := make([]string, len(these))
	for i, v := range these {
		roles, err := b.Roster.Of(ctx, market, v.Phone)
		if err != nil {
			return nil, err
		}
		threads[i] = thread.ID(market, roles.ThreadType(), "", channel.OfNumber(v.Phone).Key())
	}
	return threads, nil
}

// Delivered reads from the outbox how far the messages to vendors have come. 1 request.
func (b Mail) Delivered(ctx context.Context, all []Outreach) error {
	var places []dynamo.Place
	var at []int
	for i, o := range all {
		if o.State == Pending {
			places, at = append(places, b.Outbox.Place(o.Thread, o.Message)), append(at, i)
		}
	}
	if len(places) == 0 {
		return nil
	}
	items, err := b.Outbox.Table.DB().BatchGet(ctx, places...)
	if err != nil {
		return fmt.Errorf("messages to vendors: %w", err)
	}
	for n, it := range items {
		if it != nil {
			all[at[n]].State = deliveredBy(outbox.Status(it.String("status")))
		}
	}
	return nil
}

// deliveredBy is how far a vendor is asked whose message has come so far.
func deliveredBy(s outbox.Status) OutreachState {
	switch s {
	case outbox.Sent:
		return Sent
	case outbox.Delivered, outbox.Read:
		return Delivered
	case outbox.Failed:
		return Failed
	}
	return Pending
}

// Another says that a message on a vendor's thread is no answer to an outreach; "" is that it may be one.
func (b Mail) Another(ctx context.Context, o Outreach, m thread.Message) (why string, err error) {
	if m.At.Before(o.AskedAt) {
		return "the vendor wrote this before they were asked", nil
	}
	quoted, err := b.Outbox.Quoted(ctx, o.Thread, m.ReplyTo)
	if err != nil {
		return "", err
	}
	if quoted.About != "" && quoted.About != o.Code {
		return fmt.Sprintf("the message answers another request (%s)", quoted.About), nil
	}
	codes := codesIn(m.Text)
	if len(codes) == 0 || slices.Contains(codes, o.Code) {
		return "", nil
	}
	all, err := b.Book.Of(ctx, o.Market, o.Number)
	for _, other := range all {
		if slices.Contains(codes, other.Code) {
			return fmt.Sprintf("the message names another request (%s)", other.Code), nil
		}
	}
	return "", err
}
