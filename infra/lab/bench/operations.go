package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/oklog/ulid/v2"

	"merve/infra/local/demo"
	"merve/internal/base/actor"
	"merve/internal/cloud/trigger"
	"merve/internal/model/llm"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// Names of operations that the targets are about.
const (
	plainApp     = "plain turn, app"
	plainWeb     = "plain turn, web"
	plainPush    = "plain turn, WhatsApp: webhook, turn, delivery"
	plainPage    = "plain turn, Messenger: webhook, turn, delivery"
	oneTool      = "turn with one tool, app"
	threeTools   = "turn with three tools in one round, app"
	threeRounds  = "turn with three tools in three rounds, app"
	repeated     = "the same webhook again"
	statusReport = "delivery status from WhatsApp"
	proposal     = "proposal: draft, hold, question"
	reminder     = "reminder: neither YES nor NO"
	confirm      = "YES: confirm"
	notification = "notification of the business"
	delivery     = "delivery of one message"
	holdAlone    = "hold alone"
	expiryOf     = "expiry of"
	checkOf      = "invariants of"
)

const plainQuestion = "where can the two of us eat well tonight, near the harbour?"

// operations measures everything that Merve does, at each length of a thread.
func (b *bench) operations(ctx context.Context, r *Report) error {
	for _, h := range b.Histories {
		for _, part := range []func(context.Context, int) ([]Row, error){b.chats, b.webhooks, b.page} {
			rows, err := part(ctx, h)
			if err != nil {
				return fmt.Errorf("history %d: %w", h, err)
			}
			r.Rows = append(r.Rows, rows...)
		}
		b.tell("operations at history %d", h)
	}
	for _, part := range []func(context.Context) ([]Row, error){b.holds, b.schedules} {
		rows, err := part(ctx)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, rows...)
	}
	var err error
	r.Cold, err = b.cold(ctx)
	return err
}

// customer gives a session with a history: a new one each time when it has none.
func (b *bench) customer(ctx context.Context, history int) (func() string, error) {
	b.model.play()
	session := newSession()
	err := b.grow(ctx, history, func() (string, error) {
		got, err := b.say(ctx, session, plainQuestion)
		return got.ThreadID, err
	})
	if history == 0 {
		return newSession, err
	}
	return func() string { return session }, err
}

func newSession() string { return "bench-" + ulid.Make().String() }

// chatAnswer is what a client is told.
type chatAnswer struct {
	ThreadID  string
	MessageID string
	Reply     string
	State     thread.State
	Cards     []struct{ TransactionID string }
	ToolCalls []thread.Call
}

// say runs one turn of the app through the function's handler.
func (b *bench) say(ctx context.Context, session, text string) (chatAnswer, error) {
	var got chatAnswer
	payload, err := chatEvent(session, text)
	if err != nil {
		return got, err
	}
	body, err := invoke(ctx, b.chat, payload)
	if err != nil {
		return got, err
	}
	return got, json.Unmarshal(body, &got)
}

// chats measures the turns of clients that wait for their answer.
func (b *bench) chats(ctx context.Context, history int) ([]Row, error) {
	session, err := b.customer(ctx, history)
	if err != nil {
		return nil, err
	}
	boats, spa, sushi := search("c1", "boat trip"), search("c2", "massage"), search("c3", "sushi")
	var rows []Row
	for _, op := range []struct {
		name   string
		rounds [][]llm.Call
	}{
		{plainApp, nil},
		{oneTool, [][]llm.Call{{sushi}}},
		{threeTools, [][]llm.Call{{boats, spa, sushi}}},
		{threeRounds, [][]llm.Call{{boats}, {spa}, {sushi}}},
	} {
		b.model.play(op.rounds...)
		more, err := b.measure(ctx, scenario{history: history, run: func(ctx context.Context, record func(string) *meter) error {
			who := session()
			return record(op.name).step(byHTTP, func() error {
				got, err := b.say(ctx, who, plainQuestion)
				if err == nil && len(op.rounds) > 0 && (len(got.ToolCalls) == 0 || got.ToolCalls[0].Status != "ok") {
					err = fmt.Errorf("%s: no tool ran: %+v", op.name, got)
				}
				return err
			})
		}})
		if err != nil {
			return nil, err
		}
		if rows = append(rows, more...); op.name == plainApp {
			if more, err = b.web(ctx, history, session); err != nil {
				return nil, err
			}
			rows = append(rows, more...)
		}
	}
	more, err := b.booking(ctx, history, session)
	return append(rows, more...), err
}

// web measures the web channel, which has the same way in, without the HTTP handler.
func (b *bench) web(ctx context.Context, history int, session func() string) ([]Row, error) {
	return b.measure(ctx, scenario{history: history, run: func(ctx context.Context, record func(string) *meter) error {
		in := channel.Inbound{
			Market: demo.Market, Channel: channel.Web, ThreadType: channel.General, MessageID: ulid.Make().String(), Text: plainQuestion,
			From: actor.Actor{Kind: actor.Session, ID: session()},
		}
		return record(plainWeb).step(byHTTP, func() error {
			_, err := b.runner.Converse(ctx, in)
			return err
		})
	}})
}

// booking measures an offer from its proposal to the message that tells the business.
func (b *bench) booking(ctx context.Context, history int, session func() string) ([]Row, error) {
	return b.measure(ctx, scenario{history: history, runs: (b.Runs + 2) / 3, run: func(ctx context.Context, record func(string) *meter) error {
		who := session()
		var got chatAnswer
		for _, turn := range []struct {
			name, text string
			after      thread.State
		}{
			{proposal, "a table for two at Harbour Sushi, please", thread.AwaitingConfirmation},
			{reminder, "is it by the water?", thread.AwaitingConfirmation},
			{confirm, "yes", thread.Idle},
		} {
			if b.model.play(); turn.name == proposal {
				b.model.play([]llm.Call{b.initiate()})
			}
			err := record(turn.name).step(byHTTP, func() (err error) {
				got, err = b.say(ctx, who, turn.text)
				return err
			})
			if err == nil && got.State != turn.after {
				err = fmt.Errorf("%s: the thread is %s: %s", turn.name, got.State, got.Reply)
			}
			if err != nil {
				return err
			}
		}
		if len(got.Cards) == 0 {
			return errors.New("nothing was booked")
		}
		return b.follow(ctx, got.Cards[0].TransactionID, record)
	}})
}

// follow measures what a confirmation brings about.
func (b *bench) follow(ctx context.Context, txID string, record func(string) *meter) error {
	events, err := b.rows(ctx, "ledger", "tx#"+txID, "event#", 10)
	if err != nil {
		return err
	}
	for _, e := range events {
		if e.String("type") != "confirmed" {
			continue
		}
		payload, err := inserted("ledger", e)
		if err != nil {
			return err
		}
		if err := record(notification).step(byStream, func() error {
			_, err := invoke(ctx, b.notifier, payload)
			return err
		}); err != nil {
			return err
		}
	}
	business := actor.Actor{Kind: actor.Person, ID: string(channel.WhatsApp) + ":+15550101001"}
	_, err = b.send(ctx, thread.ID(demo.Market, channel.Ops, "", business.Key()), "outbox#"+txID, record(delivery))
	return err
}

// send measures the delivery of the newest message of a thread's outbox.
func (b *bench) send(ctx context.Context, threadID, prefix string, m *meter) (outbox.Message, error) {
	items, err := b.rows(ctx, "conversations", threadID, prefix, 1)
	if err != nil || len(items) == 0 {
		return outbox.Message{}, fmt.Errorf("nothing on the outbox of %s: %w", threadID, err)
	}
	payload, err := inserted("conversations", items...)
	if err != nil {
		return outbox.Message{}, err
	}
	if err := m.step(byStream, func() error {
		_, err := invoke(ctx, b.sender, payload)
		return err
	}); err != nil {
		return outbox.Message{}, err
	}
	msg, err := b.plain.Outbox().Get(ctx, threadID, items[0].String("id"))
	if err == nil && msg.Status != outbox.Sent {
		err = fmt.Errorf("the message is %s: %s", msg.Status, msg.Error)
	}
	return msg, err
}

// webhooks measures WhatsApp: what comes in, its turn, and what goes out.
func (b *bench) webhooks(ctx context.Context, history int) ([]Row, error) {
	b.model.play()
	phone := newPhone()
	err := b.grow(ctx, history, func() (string, error) {
		msg, err := b.overWhatsApp(ctx, phone, newSID(), &meter{b: b})
		return msg.Thread, err
	})
	if err != nil {
		return nil, err
	}
	return b.measure(ctx, scenario{history: history, run: func(ctx context.Context, record func(string) *meter) error {
		who, sid := phone, newSID()
		if history == 0 {
			who = newPhone()
		}
		msg, err := b.overWhatsApp(ctx, who, sid, record(plainPush))
		if err != nil {
			return err
		}
		again, err := whatsAppEvent(who, sid, plainQuestion)
		if err != nil {
			return err
		}
		status, err := statusEvent(msg)
		if err != nil {
			return err
		}
		if err := record(repeated).step(byHTTP, func() error {
			_, err := invoke(ctx, b.whatsapp, again)
			return err
		}); err != nil {
			return err
		}
		return record(statusReport).step(byHTTP, func() error {
			_, err := invoke(ctx, b.whatsapp, status)
			return err
		})
	}})
}

// page measures Messenger in the same way.
func (b *bench) page(ctx context.Context, history int) ([]Row, error) {
	b.model.play()
	psid := newPSID()
	err := b.grow(ctx, history, func() (string, error) {
		msg, err := b.overMessenger(ctx, psid, &meter{b: b})
		return msg.Thread, err
	})
	if err != nil {
		return nil, err
	}
	return b.measure(ctx, scenario{history: history, run: func(ctx context.Context, record func(string) *meter) error {
		if history == 0 {
			psid = newPSID()
		}
		_, err := b.overMessenger(ctx, psid, record(plainPage))
		return err
	}})
}

func (b *bench) overWhatsApp(ctx context.Context, phone, sid string, m *meter) (outbox.Message, error) {
	payload, err := whatsAppEvent(phone, sid, plainQuestion)
	if err != nil {
		return outbox.Message{}, err
	}
	return b.exchange(ctx, b.whatsapp, payload, m)
}

func (b *bench) overMessenger(ctx context.Context, psid string, m *meter) (outbox.Message, error) {
	payload, err := messengerEvent(psid, "m_"+ulid.Make().String(), plainQuestion)
	if err != nil {
		return outbox.Message{}, err
	}
	return b.exchange(ctx, b.messenger, payload, m)
}

// exchange is one message from its webhook to the delivery of its answer.
func (b *bench) exchange(ctx context.Context, webhook trigger.Handler, payload []byte, m *meter) (outbox.Message, error) {
	if err := m.step(byHTTP, func() error {
		_, err := invoke(ctx, webhook, payload)
		return err
	}); err != nil {
		return outbox.Message{}, err
	}
	id := b.queue.last
	if err := m.step(byQueue, func() error { return b.runner.Work(ctx, id) }); err != nil {
		return outbox.Message{}, err
	}
	return b.send(ctx, id, "outbox#turn", m)
}

func newPSID() string { return newPhone()[1:] }

func newSID() string { return "SM" + fmt.Sprintf("%032x", ulid.Make().Bytes()) }

// newPhone is a number that nobody has.
func newPhone() string {
	id := ulid.Make()
	n := uint64(0)
	for _, c := range id[8:] {
		n = n<<7 ^ uint64(c)
	}
	return fmt.Sprintf("+1555%08d", n%100_000_000)
}

// cold measures the first turn of a process, which reads what later ones remember.
func (b *bench) cold(ctx context.Context) ([]Row, error) {
	warm := b.process
	defer func() { b.process = warm }()
	b.model.play()
	return b.measure(ctx, scenario{history: 0, runs: 10, run: func(ctx context.Context, record func(string) *meter) error {
		var err error
		if b.process, err = b.start(); err != nil {
			return err
		}
		if err := record("first "+plainApp+", of a process").step(byHTTP, func() error {
			_, err := b.say(ctx, newSession(), plainQuestion)
			return err
		}); err != nil {
			return err
		}
		_, err = b.overWhatsApp(ctx, newPhone(), newSID(), record("first "+plainPush+", each of its processes"))
		return err
	}})
}
