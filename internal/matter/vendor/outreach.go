package vendor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/quote"
	"merve/internal/matter/quote/price"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// OutreachState is how far the question to a vendor has come.
type OutreachState string

const (
	Pending   OutreachState = "pending" // on the outbox; Sent and Delivered are read from there
	Sent      OutreachState = "sent"
	Delivered OutreachState = "delivered"
	Replied   OutreachState = "replied"
	Declined  OutreachState = "declined"
	TimedOut  OutreachState = "timed_out"
	Failed    OutreachState = "failed"
)

// Open reports whether the vendor has still to answer.
func (s OutreachState) Open() bool { return s == Pending || s == Sent || s == Delivered }

// Outreach is the question to one vendor.
type Outreach struct {
	ID        string        `dynamodbav:"id"`
	Request   string        `dynamodbav:"request"`
	Code      string        `dynamodbav:"code"` // for the vendor
	N         int           `dynamodbav:"n"`    // its place among those of the request
	Vendor    string        `dynamodbav:"vendor"`
	Name      string        `dynamodbav:"name"`
	Market    string        `dynamodbav:"market"`
	Number    string        `dynamodbav:"number"` // E.164; no model sees it
	Thread    string        `dynamodbav:"thread"` // the vendor's
	Language  string        `dynamodbav:"lang"`
	State     OutreachState `dynamodbav:"state"`
	Message   string        `dynamodbav:"message"`   // id on the outbox of what asked first
	Questions int           `dynamodbav:"questions"` // asked since
	Reminders int           `dynamodbav:"reminders"`
	Quote     *quote.Quote  `dynamodbav:"quote,omitempty"`
	Late      bool          `dynamodbav:"late,omitempty"` // its time was over before it was answered
	Receipt   gate.Receipt  `dynamodbav:"receipt"`        // that allows the question
	AskedAt   time.Time     `dynamodbav:"askedAt"`
	RemindAt  time.Time     `dynamodbav:"remindAt"`
	Until     time.Time     `dynamodbav:"until"` // then it times out
	RepliedAt time.Time     `dynamodbav:"repliedAt"`
}

// The keys. They are part of the data model.
const (
	ofRequests     = "request#"
	outreachPrefix = "ou_"
	outreachSK     = "~outreach#"
)

func outreachKey(request, outreach string) dynamo.Key {
	return dynamo.Key{PK: ofRequests + request, SK: outreachSK + outreach}
}

func replyKey(request, message string) dynamo.Key {
	return dynamo.Key{PK: ofRequests + request, SK: "reply#" + ident.Digest(message)}
}

func askedKey(market, number, code string) dynamo.Key {
	return dynamo.Key{PK: "asked#" + market + "#" + number, SK: code}
}

func newOutreachID(request, vendor string) string {
	return ident.New(outreachPrefix, "outreach", request, vendor)
}

// Next is when something becomes of a vendor who does not answer.
func (o Outreach) Next() time.Time {
	if o.Reminders < MaxReminders {
		return o.RemindAt
	}
	return o.Until
}

// MessageIDs are the ids under which an answer may be recorded: that of the message on the vendor's thread, whose own id or the provider's is
// given, and that of something heard by telephone.
func (o Outreach) MessageIDs(message string) (onThread, heard string) {
	if thread.IsMessageID(message) {
		return message, message
	}
	return thread.MessageID(o.Thread, channel.WhatsApp, message), message
}

// Book keeps who was asked, and what they answered.
type Book struct{ Table dynamo.Table } // records

// ErrAsked says that a vendor was asked before.
var ErrAsked = fault.New(fault.Conflict, "the vendor has been asked already")

// pointer is what leads from a vendor's code to their outreach.
type pointer struct {
	Request  string `dynamodbav:"request"`
	Outreach string `dynamodbav:"outreach"`
	TTL      int64  `dynamodbav:"ttl"`
}

// Puts are the writes that ask a vendor the first time. They fail with ErrAsked.
func (s Book) Puts(o Outreach) []dynamo.Write {
	return []dynamo.Write{
		s.Table.Put(outreachKey(o.Request, o.ID), o).IfAbsent().Else(ErrAsked),
		s.Table.Put(askedKey(o.Market, o.Number, o.Code), pointer{o.Request, o.ID, o.AskedAt.Add(codeFor).Unix()}).IfAbsent().Else(ErrAsked),
	}
}

// Forget is the write that makes a vendor's code lead nowhere.
func (s Book) Forget(o Outreach) dynamo.Write {
	return s.Table.Delete(askedKey(o.Market, o.Number, o.Code))
}

// Saves is the write that changes how far an outreach is, on condition that it is as it was read. It leaves the quote
// alone, which may be another by now. A time-out marks the answer that may follow as late, because an answer that is being
// read meanwhile does not know of the time-out.
func (s Book) Saves(before, after Outreach) dynamo.Write {
	set := "SET #state = :state, questions = :questions, reminders = :reminders"
	vals := dynamo.V{":state": after.State, ":questions": after.Questions, ":reminders": after.Reminders}
	if after.State == TimedOut {
		set += ", late = :late"
		vals[":late"] = true
	}
	return s.Table.Update(outreachKey(after.Request, after.ID), set, vals).
		If("#state = :was AND questions = :asked AND reminders = :reminded",
			dynamo.V{":was": before.State, ":asked": before.Questions, ":reminded": before.Reminders})
}

// StillQuotes is the check that the quote of an outreach is still the one that was read.
func (s Book) StillQuotes(o Outreach) dynamo.Write {
	return s.Table.Check(outreachKey(o.Request, o.ID), "quote.message = :message", dynamo.V{":message": o.Quote.Message})
}

// Of are the outreach that a vendor's number knows by their codes, the latest known last. 1 request, 1 more
// for each hundred.
func (s Book) Of(ctx context.Context, market, number string) ([]Outreach, error) {
	var keys []dynamo.Key
	err := s.Table.Each(ctx, dynamo.Under(askedKey(market, number, "").PK, ""), func(it dynamo.Item) error {
		keys = append(keys, outreachKey(it.String("request"), it.String("outreach")))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("what a vendor was asked: %w", err)
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, fmt.Errorf("what a vendor was asked: %w", err)
	}
	all, err := dynamo.Decode[Outreach](items)
	slices.SortFunc(all, func(a, b Outreach) int { return a.AskedAt.Compare(b.AskedAt) })
	return all, err
}

// Reply is a vendor's answer, word for word.
type Reply struct {
	Message  string    `dynamodbav:"message" json:"provider_message_id"`
	Outreach string    `dynamodbav:"outreach" json:"outreach_id"`
	Text     string    `dynamodbav:"text" json:"text"`
	At       time.Time `dynamodbav:"at" json:"at"`
}

// ErrRecorded says that a message was recorded as an answer before.
var ErrRecorded = fault.New(fault.Conflict, "this answer has been recorded already")

// Replied reports whether a message was recorded as an answer, by any of the ids that it may have, and to which outreach. 1 request.
func (s Book) Replied(ctx context.Context, request string, ids ...string) (r Reply, ok bool, err error) {
	var keys []dynamo.Key
	for _, id := range ids {
		if key := replyKey(request, id); !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil || len(items) == 0 {
		return Reply{}, false, err
	}
	return r, true, items[0].Decode(&r)
}

// Awaited reports whether an answer that names nothing may be meant for an outreach: it is open, or was answered
// and may be put right.
func (o Outreach) Awaited() bool { return o.State.Open() || o.State == Replied }

// AnsweredBy is the state of an outreach that a quote answers.
func AnsweredBy(q quote.Quote) OutreachState {
	if q.Declines() {
		return Declined
	}
	return Replied
}

// Replies are the writes that record a vendor's answer, once for its message, and change the outreach that it belongs to. Only
// where the caller can commit again, the change of one without a price is on condition that no other has come since o was read.
func (s Book) Replies(o Outreach, q quote.Quote, again bool) (record, change dynamo.Write) {
	state := AnsweredBy(q)
	set, vals := "SET #state = :state, repliedAt = :at", dynamo.V{":state": state, ":at": q.At}
	if !q.Keeps(o.Quote) {
		set += ", quote = :quote"
		vals[":quote"] = q
	}
	still, read := "attribute_exists(pk)", dynamo.V(nil)
	switch {
	case !again || q.Status != price.None:
	case o.Quote == nil:
		still += " AND attribute_not_exists(quote)"
	default:
		still += " AND quote.message = :read"
		read = dynamo.V{":read": o.Quote.Message}
	}
	if o.State == TimedOut { // before time-outs marked the answers that follow
		set += ", late = :late"
		vals[":late"] = true
	}
	record = s.Table.Put(replyKey(o.Request, q.Message), Reply{q.Message, o.ID, q.Text, q.At}).IfAbsent().Else(ErrRecorded)
	return record, s.Table.Update(outreachKey(o.Request, o.ID), set, vals).If(still, read)
}

// How long we wait for a vendor.
const (
	remindAfter  = 2 * time.Hour
	timeOutAfter = 24 * time.Hour
	codeFor      = 400 * 24 * time.Hour // a vendor's code leads to what they were asked
)

// Limits of what one vendor is written.
const (
	maxQuestions = 3 // besides the first message
	MaxReminders = 1
)

// Ask is the outreach that asks a vendor, the n-th of a request, after the YES that the receipt proves.
func (v Vendor) Ask(m *market.Market, request, onThread string, n int, receipt gate.Receipt, now time.Time) Outreach {
	from := v.from(now)
	o := Outreach{
		ID: newOutreachID(request, v.ID), N: n, Request: request, Vendor: v.ID, Name: v.Name, Market: m.ID,
		Number: v.Phone, Thread: onThread, Language: v.language(m),
		State: Pending, Receipt: receipt, AskedAt: now, RemindAt: from.Add(remindAfter), Until: from.Add(timeOutAfter),
	}
	o.Code, o.Message = NewCode(o.ID), o.ID+".asked"
	return o
}

// Summary counts the vendors who were asked by how far they are, and lists them.
type Summary struct {
	Total     int     `json:"total"`
	Pending   int     `json:"pending"`
	Sent      int     `json:"sent"`
	Delivered int     `json:"delivered"`
	Replied   int     `json:"replied"`
	Declined  int     `json:"declined"`
	TimedOut  int     `json:"timed_out"`
	Failed    int     `json:"failed"`
	Outreach  []Asked `json:"outreach"`
}

// Asked is one vendor who was asked.
type Asked struct {
	ID     string        `json:"outreach_id"`
	Vendor string        `json:"vendor_id"`
	Name   string        `json:"vendor_name"`
	State  OutreachState `json:"state"`
	Quote  *quote.Shown  `json:"quote,omitempty"`
}

// Summarize counts the vendors who were asked, by the currency of the request.
func Summarize(all []Outreach, currency string, now time.Time) Summary {
	s := Summary{Total: len(all), Outreach: []Asked{}}
	counts := map[OutreachState]*int{
		Pending: &s.Pending, Sent: &s.Sent, Delivered: &s.Delivered, Replied: &s.Replied, Declined: &s.Declined, TimedOut: &s.TimedOut, Failed: &s.Failed,
	}
	for _, o := range all {
		*counts[o.State]++
		s.Outreach = append(s.Outreach, Asked{o.ID, o.Vendor, o.Name, o.State, o.Quote.Shown(currency, now)})
	}
	return s
}
