// Package relay passes on to customers what businesses write to them besides the words that answer an order: as a
// quotation under the business's name, never as our own words.
//
// What a business writes belongs to a matter that it has with one customer: an order, a booking, or a talk, which a
// customer's message to it begins. The quoted message decides which matter it is, else the code in the text, else the
// talk that waits for an answer, if it is the only one. If several wait, the business is asked for the code. It is
// also asked if its words are older than the customer's question, or below a message that nobody knows. Words that
// belong to no matter, such as those below one of our messages about nobody, go to the business's assistant. So do
// words about a booking that has begun, since they may say who came. The assistant can propose to pass them on
// ([Post.Tools]).
//
//	talk#{market}#{business}   {code}                    a talk; by its latest message or answer in index listed
//	talk#{market}#{business}   day#{code}#{date}         how much was passed on that day
//	talk#{market}#{business}   event#said#{message}      what was passed on, once, for the stream
//
// (table records). The words join the turn that receives them. The stream puts them on the customer's thread as a
// notice ([Post.Tell]). If they cannot be delivered, the code that finds out reports it to the business
// ([outbox.Origin]).
//
// Nothing that is passed on can settle anything: a notice answers no pending action, a bare YES that follows it is
// asked about again (package turn), and a model reads it as data.
//
// Requests. To find the matter: 1 for the roster, 1 for a quoted message and 1 more if that is about nobody, 2 for
// each code and business (for a booking, 1 for each 200 that were held since). Without either: 2 for each business,
// and for each twenty talks of the last hours. To pass on: 1, and nothing more than the turn. Tell: 1, and the turn
// that tells it.
package relay

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode"

	"merve/internal/base/actor"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/event"
	"merve/internal/matter/order"
	"merve/internal/record/ledger"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/roster"
)

// Post passes words on. Safe for concurrent use.
type Post struct {
	Table  dynamo.Table // records
	Roster interface {
		Read(ctx context.Context, market, number string) (roster.Roles, error)
	}
	Orders interface {
		ByCode(ctx context.Context, market, business, code string) (order.Order, error)
		OpenOf(ctx context.Context, market, business string) (open []order.Order, more bool, err error)
	}
	Ledger interface {
		Booked(ctx context.Context, market, business string) iter.Seq2[ledger.Transaction, error]
	}
	Threads interface {
		Head(ctx context.Context, id string) (thread.Head, error)
		Tell(ctx context.Context, id, key string, n thread.Notice) error
	}
	Outbox *outbox.Box
	Now    func() time.Time
}

// Bounds of what is passed on.
const (
	MaxText = 1000 // characters
	MaxDay  = 20   // messages of one matter on one day (UTC)

	maxLines   = 20
	talkFor    = 7 * 24 * time.Hour // after the customer's latest message a talk is open
	waitFor    = 2 * time.Hour      // and that long it is what a business means that names none
	moreFor    = 10 * time.Minute   // and that long after an answer
	visitFor   = 24 * time.Hour     // after its end a booking is open
	keepTalk   = 30 * 24 * time.Hour
	maxWaiting = 20
	maxCodes   = 4 // of a text that are looked up
)

// matter is what a business and one customer have to do with each other.
type matter struct {
	Code, Business        string
	Thread, Customer      string // the customer's, and their name
	Listing, ListingName  string
	talk, closed, waiting bool
	begun                 bool // a booking: words about it may say who came, and are for the assistant
	asked                 time.Time
	doubt                 bool // nothing names it, so the business may mean another customer
}

// Talk is what a customer's message to a business begins.
type Talk struct {
	Code        string    `dynamodbav:"code"` // for the business; unique among its talks
	Market      string    `dynamodbav:"market"`
	Business    string    `dynamodbav:"business"`
	Thread      string    `dynamodbav:"thread"` // the customer's
	Customer    string    `dynamodbav:"customer,omitempty"`
	Listing     string    `dynamodbav:"listing"`
	ListingName string    `dynamodbav:"listingName"` // in the customer's language
	AskedAt     time.Time `dynamodbav:"askedAt"`     // the latest message of the customer
	AnsweredAt  time.Time `dynamodbav:"answeredAt"`  // when the business wrote what was passed on last
}

func (p *Post) now() time.Time { return p.Now().UTC().Truncate(time.Millisecond) }

func partition(market, business string) string { return "talk#" + market + "#" + business }

func talkKey(market, business, code string) dynamo.Key {
	return dynamo.Key{PK: partition(market, business), SK: code}
}

const saidPrefix = event.Prefix + "said#"

func saidKey(e Event) dynamo.Key {
	return dynamo.Key{PK: partition(e.Market, e.Business), SK: saidPrefix + e.ID}
}

func dayKey(e Event) dynamo.Key {
	return dynamo.Key{PK: partition(e.Market, e.Business), SK: "day#" + e.Code + "#" + e.At.Format(time.DateOnly)}
}

const listedIndex = "listed"

// IsTalk reports whether a code is that of a talk, which only the business knows.
func IsTalk(code string) bool { return len(code) == ident.Talk.Length }

// codeOf is the n-th code that a talk tries.
func codeOf(t Talk, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "talk\x00%s\x00%s\x00%d", t.Thread, t.Business, n))
	return ident.Talk.Of(sum[:])
}

var errCodeTaken = errors.New("the code is another talk's")

// Begin notes that a customer writes to a business, in one transaction with the message, which
// has the talk's code. A customer has one talk with a business. Errors of the message's writes
// are returned.
func (p *Post) Begin(ctx context.Context, t Talk, message func(code string) []dynamo.Write) error {
	now := p.now()
	for n := range 20 {
		t.Code = codeOf(t, n)
		talk := p.Table.Update(talkKey(t.Market, t.Business, t.Code), `SET code = :code, market = :market, business = :business, thread = :thread,
			customer = :customer, listing = :listing, listingName = :name, askedAt = :now, listed = :listed, listedAt = :at, #ttl = :ttl`,
			dynamo.V{
				":code": t.Code, ":market": t.Market, ":business": t.Business, ":thread": t.Thread, ":customer": t.Customer, ":listing": t.Listing,
				":name": t.ListingName, ":now": now, ":listed": partition(t.Market, t.Business), ":at": dynamo.Stamp(now), ":ttl": now.Add(keepTalk).Unix(),
			}).If("attribute_not_exists(pk) OR thread = :thread", nil).Else(errCodeTaken)
		trace := p.trace(t.Thread, talkKey(t.Market, t.Business, t.Code), now.Add(keepTalk).Unix())
		err := p.Table.DB().Commit(ctx, append(message(t.Code), talk, trace)...)
		if !errors.Is(err, errCodeTaken) {
			return err
		}
	}
	return fmt.Errorf("talk with %s: no free code", t.Business)
}

// matter is the talk as one, now.
func (t Talk) matter(now time.Time) matter {
	answered := !t.AnsweredAt.IsZero() && !t.AnsweredAt.Before(t.AskedAt)
	return matter{
		Code: t.Code, Business: t.Business, Thread: t.Thread, Customer: t.Customer, Listing: t.Listing, ListingName: t.ListingName, talk: true,
		asked:   t.AskedAt,
		closed:  now.Sub(t.AskedAt) > talkFor,
		waiting: !answered && now.Sub(t.AskedAt) <= waitFor || answered && now.Sub(t.AnsweredAt) <= moreFor,
	}
}

// find are the matters that businesses may mean by a code, by [order.MayMean]. It leaves out matters of others, and
// those that nobody said YES to.
func (p *Post) find(ctx context.Context, market string, businesses []string, code string) ([]matter, error) {
	code = strings.ToUpper(strings.TrimSpace(code))
	var all []matter
	for _, business := range businesses {
		var m *matter
		var err error
		switch len(code) {
		case ident.Order.Length:
			m, err = p.order(ctx, market, business, code)
		case ident.Talk.Length:
			m, err = p.talk(ctx, market, business, code)
		case ident.Booking.Length:
			m, err = p.booking(ctx, market, business, code)
		}
		if err != nil {
			return nil, err
		}
		if m != nil {
			all = append(all, *m)
		}
	}
	return order.MayMean(all, func(m matter) bool { return !m.closed }), nil
}

func (p *Post) order(ctx context.Context, market, business, code string) (*matter, error) {
	o, err := p.Orders.ByCode(ctx, market, business, code)
	if errors.Is(err, actor.ErrNotFound) {
		return nil, nil
	}
	m := ofOrder(o)
	return &m, err
}

func ofOrder(o order.Order) matter {
	return matter{
		Code: o.Code, Business: o.Business, Thread: o.Thread, Customer: o.CustomerName, Listing: o.Listing, ListingName: o.ListingName,
		closed: !o.Stands(),
	}
}

func (p *Post) talk(ctx context.Context, market, business, code string) (*matter, error) {
	it, err := p.Table.Get(ctx, talkKey(market, business, code))
	if it == nil || err != nil {
		return nil, err
	}
	var t Talk
	if err := it.Decode(&t); err != nil {
		return nil, err
	}
	m := t.matter(p.now())
	return &m, nil
}

func (p *Post) booking(ctx context.Context, market, business, code string) (*matter, error) {
	for tx, err := range p.Ledger.Booked(ctx, market, business) {
		if errors.Is(err, ledger.ErrMore) {
			break
		}
		if err != nil {
			return nil, err
		}
		if tx.Code != code {
			continue
		}
		return &matter{
			Code: tx.Code, Business: business, Thread: tx.Thread, Customer: tx.CustomerName, Listing: tx.Listing, ListingName: tx.ListingName,
			begun:  !p.now().Before(tx.Start),
			closed: tx.State != ledger.Confirmed || p.now().After(tx.End.Add(visitFor)),
		}, nil
	}
	return nil, nil
}

// waiting are the talks that a business which names none may mean: all, or the latest of very many. 2
// requests for each business, and for each [maxWaiting] talks in which something was said lately.
func (p *Post) waiting(ctx context.Context, market string, businesses []string) ([]matter, error) {
	var all []matter
	for _, business := range businesses {
		waiting, err := p.waitingFor(ctx, market, business)
		if err != nil {
			return nil, fmt.Errorf("talks of %s: %w", business, err)
		}
		all = append(all, waiting...)
	}
	slices.SortFunc(all, func(a, b matter) int { return strings.Compare(a.Code, b.Code) })
	return all, nil
}

func (p *Post) waitingFor(ctx context.Context, market, business string) (all []matter, err error) {
	lately := dynamo.Query{
		Index: listedIndex, Where: "listed = :listed AND listedAt >= :since",
		Values:   dynamo.V{":listed": partition(market, business), ":since": dynamo.Stamp(p.now().Add(-max(waitFor, moreFor)))},
		Backward: true, Limit: maxWaiting,
	}
	for more := true; more; more = lately.After != "" && len(all) < maxWaiting {
		page, err := p.Table.Query(ctx, lately)
		if err != nil {
			return nil, err
		}
		items, err := p.Table.BatchGet(ctx, page.Keys()...)
		if err != nil {
			return nil, err
		}
		talks, err := dynamo.Decode[Talk](items)
		if err != nil {
			return nil, err
		}
		for _, t := range talks {
			if m := t.matter(p.now()); m.waiting {
				all = append(all, m)
			}
		}
		lately.After = page.Next
	}
	return all, nil
}

// code is a word that may be a code; sure is one that can be nothing else.
type code struct {
	text string
	sure bool
}

// codesIn are the words of a text that may be codes, in order, each once.
func codesIn(text string) []code {
	var all []code
	for _, w := range wordsOf(text) {
		c, ok := asCode(w)
		switch i := slices.IndexFunc(all, func(o code) bool { return o.text == c.text }); {
		case ok && i >= 0: // in capitals the one time, in small letters the other
			all[i].sure = all[i].sure || c.sure
		case ok:
			all = append(all, c)
		}
	}
	return all
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

const digits = "23456789"

func asCode(w string) (code, bool) {
	up := strings.ToUpper(w)
	if len(w) < ident.Order.Length || len(w) > ident.Booking.Length || strings.Trim(up, ident.Readable) != "" || strings.Trim(up, digits) == "" {
		return code{}, false
	}
	number := strings.ContainsAny(w, digits)
	return code{up, number && w == up}, number || w == up
}

// Coded reports whether a text begins with the code of a talk: it is a business's answer to a
// customer, whatever else its number is used for.
func Coded(text string) bool {
	words := wordsOf(text)
	if len(words) == 0 {
		return false
	}
	c, ok := asCode(words[0])
	return ok && c.sure && len(c.text) == ident.Talk.Length
}

// breaks are all that breaks a line: none of them may lead out of a quotation.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// tidy makes a text fit for a quotation: valid, without empty lines, and in at most maxLines.
func tidy(text string) string {
	var lines []string
	for line := range strings.SplitSeq(breaks.Replace(strings.ToValidUTF8(text, "")), "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(lines) == maxLines {
			lines[maxLines-1] += " " + line
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// quoted marks every line of a text as another's. WhatsApp shows it as a quotation.
func quoted(text string) string { return "> " + strings.ReplaceAll(text, "\n", "\n> ") }

// nameOf is a customer's name for a business, without what looks like a number to call.
func nameOf(customer string) string {
	n := 0
	for _, r := range customer {
		if unicode.IsDigit(r) {
			n++
		}
	}
	if n >= 6 {
		return ""
	}
	return customer
}
