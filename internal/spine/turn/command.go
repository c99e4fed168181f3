package turn

import (
	"context"
	"fmt"

	"merve/internal/agent/tool"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// Command answers messages in fixed words that need no model, such as a driver's "YES K7P2",
// on threads of people who are no customers. What it does happens with the turn.
type Command interface {
	// Command returns what a message does and what is answered; ok is false for one that is no
	// command.
	Command(ctx context.Context, tc tool.Context, m thread.Message) (s gate.Settled, ok bool, err error)
}

// Commands asks one after the other: what one does not find, a later one may know. A bare YES or NO that
// two know has to say which is meant.
type Commands []Command

// Command implements [Command].
func (cs Commands) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	vague := bare(m) && answers(m)
	var first gate.Settled
	found := false
	for _, c := range cs {
		s, ok, err := c.Command(ctx, tc, m)
		switch {
		case err != nil:
			return gate.Settled{}, false, err
		case !ok || found && s.Nothing:
			continue
		case found && !first.Nothing:
			return which(tc), true, nil
		}
		if first, found = s, true; !vague && !s.Nothing {
			return first, true, nil
		}
	}
	return first, found, nil
}

// which asks what an answer is meant for.
func which(tc tool.Context) gate.Settled {
	return gate.Settled{Text: wording.Say(tc.Language, wording.OrderWhich, wording.Vars{"alternatives": ""})}
}

// Either asks all of some that share words, such as YES: a number may drive, and have a business. The one
// that knows what is meant is obeyed. When several do, the sender has to say which.
type Either []Command

// Command implements [Command].
func (e Either) Command(ctx context.Context, tc tool.Context, m thread.Message) (known gate.Settled, found bool, err error) {
	for _, c := range e {
		s, ok, err := c.Command(ctx, tc, m)
		switch {
		case err != nil:
			return gate.Settled{}, false, err
		case !ok:
		case !found || known.Nothing:
			known, found = s, true
		case !s.Nothing:
			return which(tc), true, nil
		}
	}
	return known, found, nil
}

// switchRole answers who begins or ends to write as a customer. What was written when that time had
// run out was meant for another thread, and is not obeyed.
func (w *work) switchRole(ctx context.Context, p *progress) (say reply, done bool, err error) {
	key, ok := map[channel.Switch]wording.Key{
		channel.ToCustomer: wording.RoleCustomer, channel.ToWork: wording.RoleWork, channel.Lapsed: wording.RoleLapsed,
	}[w.in[0].Switch]
	if !ok {
		return reply{}, false, nil
	}
	text := w.say(key, wording.Vars{"customer": w.say(wording.RoleWordCustomer, nil), "work": w.say(wording.RoleWordWork, nil)})
	return reply{text: text}, true, w.remind(ctx, p)
}

// command carries out a message that is a command. Such threads are answered message by
// message. What waits for YES or NO is settled by the gate, unless the answer quotes something else that
// was told. While a person has the thread all is theirs but what has a code, or quotes what was told.
func (w *work) command(ctx context.Context, p *progress) (say reply, done bool, err error) {
	c := w.r.Commands[w.thread.Type]
	if c == nil {
		return reply{}, false, nil
	}
	m, person := w.in[0], w.byPerson()
	if person && !w.coded(m) || !person && p.pending != nil && answers(m) {
		about, err := w.r.Outbox.AboutOf(ctx, w.thread.ID, m.ReplyTo)
		if about == "" || err != nil {
			return reply{}, false, err
		}
	}
	s, ok, err := c.Command(ctx, w.tc, m)
	if err != nil {
		return reply{}, false, fmt.Errorf("command on thread %s: %w", w.thread.ID, err)
	}
	if !ok {
		return reply{}, false, nil
	}
	p.cards = s.Cards
	p.joins = append(p.joins, joined{Settled: s})
	if !person { // to whom a YES would go
		err = w.remind(ctx, p)
	}
	return reply{text: s.Text}, true, err
}

// coded reports whether a message has the code of something of somebody's work.
func (w *work) coded(m thread.Message) bool {
	return w.r.Works.code(m.Text) || w.r.Works.code(m.Button)
}

// answers reports whether a message is a YES or NO.
func answers(m thread.Message) bool {
	_, _, button := gate.ParseButton(m.Button)
	return button || gate.Read(m.Text) != gate.Unclear
}
