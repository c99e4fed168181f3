package outbox_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/faulttest"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/twilio"
	"merve/internal/provider/twilio/twiliotest"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/person"
)

// clock is a time that tests move.
type clock struct{ ms atomic.Int64 }

func (c *clock) now() time.Time      { return time.UnixMilli(c.ms.Load()).UTC() }
func (c *clock) add(d time.Duration) { c.ms.Add(d.Milliseconds()) }

// corner is a test's own recipient, with a sender, a provider and a clock.
type corner struct {
	t testing.TB
	*outbox.Box
	table     string
	look      *outbox.Box // with nothing between it and the store
	clock     *clock
	twilio    *twiliotest.Server
	callbacks *httptest.Server
	sender    *outbox.Sender
	threads   *thread.Store
	thread    string
	to        string

	deaf   atomic.Bool // callbacks are lost
	mu     sync.Mutex
	alerts []string
	untold []string // ids of messages to businesses of which their customers were told that they did not arrive
}

func newCorner(t testing.TB) *corner { return newCornerWith(t, twiliotest.Config{}) }

// newCornerWith is newCorner with a provider as in config.
func newCornerWith(t testing.TB, config twiliotest.Config) *corner {
	return newCornerOn(t, dynamotest.TableName("conversations"), config)
}

func newCornerOn(t testing.TB, table string, config twiliotest.Config) *corner {
	t.Helper()
	c := &corner{t: t, table: table, clock: &clock{}}
	c.clock.ms.Store(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).UnixMilli())
	config.Now, config.Templates = c.clock.now, map[string]string{bookedSID: "New booking {{1}} at {{2}}"}
	c.twilio = twiliotest.New(t, config)
	c.callbacks = httptest.NewServer(http.HandlerFunc(c.callback))
	t.Cleanup(c.callbacks.Close)
	c.open()
	c.look = c.Box
	c.somebody()
	return c
}

// somebody makes the recipient somebody new, who has just written, so that their window
// is open.
func (c *corner) somebody() {
	c.t.Helper()
	digits := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'f' {
			return r - 'a' + '1'
		}
		return r
	}, dynamotest.ID("")[1:12])
	c.to = "+1" + digits
	c.thread = c.writes(c.to)
}

const bookedSID = "HX00000000000000000000000000000001"

// open makes box, sender and threads anew, with nothing between them and their servers.
func (c *corner) open() { c.start(dynamotest.Open(c.t), c.twilio.Client()) }

// over does so with calls between, to both, and without the SDK's own retries.
func (c *corner) over(calls *faulttest.Calls) {
	db := dynamotest.Once(c.t, calls)
	c.start(db, &http.Client{Transport: calls})
}

func (c *corner) start(db *dynamo.DB, toTwilio *http.Client) {
	table := db.Table(c.table)
	c.Box = &outbox.Box{Table: table, Now: c.clock.now}
	c.threads = &thread.Store{Table: table, Now: c.clock.now, NewID: func() string { return dynamotest.ID("lease") }}
	provider := &twilio.Provider{
		Client: &twilio.Client{
			BaseURL: c.twilio.URL(), AccountSID: twiliotest.AccountSID, AuthToken: twiliotest.AuthToken, From: twiliotest.From,
			HTTP: toTwilio, Now: c.clock.now,
		},
		StatusURL: func(m outbox.Message) string {
			return c.callbacks.URL + "/?" + url.Values{"message": {m.ID}, "thread": {m.Thread}}.Encode()
		},
	}
	c.sender = &outbox.Sender{
		Box: c.Box, Providers: map[channel.Channel]outbox.Provider{channel.WhatsApp: provider},
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
		Threads: c.threads, People: &person.Book{Table: table},
		TellUntold: func(ctx context.Context, m outbox.Message) error {
			if err := db.Commit(ctx, table.Put(dynamo.Key{PK: m.Customer, SK: "test#untold#" + m.Whole()}, struct{}{})); err != nil {
				return err
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.untold = append(c.untold, m.Whole())
			return nil
		},
		Alert: func(ctx context.Context, m outbox.Message) error {
			alert := table.Put(dynamo.Key{PK: c.thread, SK: "test#alert#" + m.ID}, struct{}{})
			if err := db.Commit(ctx, alert); err != nil {
				return err
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			c.alerts = append(c.alerts, m.ID+": "+m.Error)
			return nil
		},
	}
}

// callback takes in the provider's reports.
func (c *corner) callback(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s, err := twilio.ParseStatus(r.PostForm)
	if err == nil && !c.deaf.Load() {
		q := r.URL.Query()
		err = c.Note(r.Context(), outbox.StatusReport{
			Thread: q.Get("thread"), ID: q.Get("message"), ProviderID: s.SID, Status: outbox.Status(s.State), Error: s.Reason(),
		})
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// writes is an inbound message of somebody; it returns their thread.
func (c *corner) writes(from string) string {
	c.t.Helper()
	a, err := c.threads.Append(context.Background(), channel.Inbound{
		Market: "demo", Channel: channel.WhatsApp, ThreadType: channel.General, ReplyAddr: from,
		From: actor.Actor{Kind: actor.Person, ID: "whatsapp:" + from}, MessageID: dynamotest.ID("SM"), Text: "hi",
	}, false)
	if err != nil {
		c.t.Fatal(err)
	}
	return a.Thread
}

func (c *corner) text(id, text string) outbox.Message {
	return outbox.Message{Thread: c.thread, ID: id, Market: "demo", Channel: channel.WhatsApp, To: c.to, Text: text, Kind: "reply"}
}

func (c *corner) template(id, code string) outbox.Message {
	m := c.text(id, "New booking "+code)
	m.Kind, m.Template = "merchant", &outbox.Template{ContentSID: bookedSID, Vars: map[string]string{"1": code, "2": "Sushi Bar"}}
	return m
}

// put puts m on the outbox and returns it as stored.
func (c *corner) put(m outbox.Message) outbox.Message {
	c.t.Helper()
	if err := c.Table.DB().Commit(context.Background(), c.Put(m)); err != nil {
		c.t.Fatal(err)
	}
	return c.get(m.ID)
}

func (c *corner) get(id string) outbox.Message {
	c.t.Helper()
	m, err := c.Get(context.Background(), c.thread, id)
	if err != nil {
		c.t.Fatal(err)
	}
	return m
}

// deliver brings a message one step further and returns what became of it.
func (c *corner) deliver(id string) outbox.Message {
	c.t.Helper()
	if err := c.sender.Deliver(context.Background(), c.get(id)); err != nil {
		c.t.Fatal(err)
	}
	return c.get(id)
}

// later is deliver after a time.
func (c *corner) later(d time.Duration, id string) outbox.Message {
	c.t.Helper()
	c.clock.add(d)
	return c.deliver(id)
}

// mark changes the recipient's head, as a turn would.
func (c *corner) mark(attribute string, value any) {
	c.t.Helper()
	w := c.Table.Update(dynamo.Key{PK: c.thread, SK: "~"}, "SET #"+attribute+" = :v", dynamo.V{":v": value})
	if err := c.Table.DB().Commit(context.Background(), w); err != nil {
		c.t.Fatal(err)
	}
}

// unmark takes back what mark has set.
func (c *corner) unmark(attribute string) {
	c.t.Helper()
	w := c.Table.Update(dynamo.Key{PK: c.thread, SK: "~"}, "REMOVE #"+attribute, nil)
	if err := c.Table.DB().Commit(context.Background(), w); err != nil {
		c.t.Fatal(err)
	}
}

func (c *corner) told() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string{}, c.alerts...)
}

// wantTaken fails unless the provider took exactly these texts.
// taken are the texts that the provider took.
func (c *corner) taken() (texts []string) {
	for _, m := range c.twilio.Messages() {
		texts = append(texts, m.Body)
	}
	return texts
}

func (c *corner) wantTaken(texts ...string) {
	c.t.Helper()
	if got := c.taken(); strings.Join(got, "|") != strings.Join(texts, "|") {
		c.t.Errorf("the provider took %q, want %q", got, texts)
	}
}

func (c *corner) wantStatus(m outbox.Message, want outbox.Status) {
	c.t.Helper()
	if m.Status != want {
		c.t.Errorf("%s is %s (%s), want %s", m.ID, m.Status, m.Error, want)
	}
}
