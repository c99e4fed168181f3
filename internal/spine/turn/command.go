package turn

import (
	"context"
	"fmt"

	"merve/internal/agent/tool"
	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// Command answers messages in fixed words that need no model, such as a driver's "YES K7P2", on threads of people who are
// not customers. What it does happens with the turn.
type Command interface {
	// Command returns what a message does and what is answered; ok is false for one that is not a command.
	Command(ctx context.Context, tc tool.Context, m thread.Message) (s gate.Settled, ok bool, err error)
}

// Commands asks one after the other: a later one may know what an earlier one does not find. When two know a bare YES or
// NO, the sender has to say which is meant.
type Commands []Command

// Command implements [Command].
func (cs Commands) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	vague := bare(m) && isAnswer(m)
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
			return askWhich(tc), true, nil
		}
		if first, found = s, true; !vague && !s.Nothing {
			return first, true, nil
		}
	}
	return first, found, nil
}

// askWhich asks what an answer is meant for.
func askWhich(tc tool.Context) gate.Settled {
	return gate.Settled{Text: wording.Say(tc.Language, wording.OrderWhich, wording.Vars{"alternatives": ""})}
}

// Either asks all of several commands that share words such as YES: a number may belong to a driver who also has a
// business. The one that knows what is meant is obeyed. When several do, the sender has to say which.
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
			return askWhich(tc), true, nil
		}
	}
	return known, found, nil
}

// workCommands obeys the commands of people who work with us by chat: drivers, businesses, the market's own staff. Their
// threads are answered message by message.
type workCommands struct {
	*scene
	offers *offers
	known  map[channel.ThreadType]Command
	outbox *outbox.Box
	works  Works
}

// switchRole answers somebody who begins or stops writing as a customer. What they wrote after that time had run out was
// meant for their other thread, and is not obeyed.
func (c *workCommands) switchRole(ctx context.Context, p *progress) (say reply, done bool, err error) {
	key, ok := map[channel.Switch]wording.Key{
		channel.ToCustomer: wording.RoleCustomer, channel.ToWork: wording.RoleWork, channel.Lapsed: wording.RoleLapsed,
	}[c.in[0].Switch]
	if !ok {
		return reply{}, false, nil
	}
	text := c.say(key, wording.Vars{"customer": c.say(wording.RoleWordCustomer, nil), "work": c.say(wording.RoleWordWork, nil)})
	return reply{text: text}, true, c.offers.remind(ctx, p)
}

// obey carries out a message that is a command. A YES or NO to what waits is left to consent, unless the message quotes
// something else that was told. While a person has the thread, only a message that has a code or quotes what was told is a
// command, and everything else is for the person.
func (c *workCommands) obey(ctx context.Context, p *progress) (say reply, done bool, err error) {
	known := c.known[c.thread.Type]
	if known == nil {
		return reply{}, false, nil
	}
	m, person := c.in[0], c.byPerson()
	if person && !c.hasCode(m) || !person && p.pending != nil && isAnswer(m) {
		about, err := c.outbox.AboutOf(ctx, c.thread.ID, m.ReplyTo)
		if about == "" || err != nil {
			return reply{}, false, err
		}
	}
	s, ok, err := known.Command(ctx, c.tc, m)
	if err != nil {
		return reply{}, false, fmt.Errorf("command on thread %s: %w", c.thread.ID, err)
	}
	if !ok {
		return reply{}, false, nil
	}
	p.cards = s.Cards
	p.joins = append(p.joins, joined{Settled: s})
	if !person { // who would get the YES
		err = c.offers.remind(ctx, p)
	}
	return reply{text: s.Text}, true, err
}

// hasCode reports whether a message has the code of something that people work on.
func (c *workCommands) hasCode(m thread.Message) bool {
	return c.works.code(m.Text) || c.works.code(m.Button)
}

// isAnswer reports whether a message is a YES or NO.
func isAnswer(m thread.Message) bool {
	_, _, button := gate.ParseButton(m.Button)
	return button || gate.Read(m.Text) != gate.Unclear
}
