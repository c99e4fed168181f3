package turn

import (
	"context"
	"fmt"

	"merve/internal/gate"
	"merve/internal/thread"
	"merve/internal/tool"
)

// Command answers messages in fixed words that need no model, such as a driver's "YES K7P2",
// on threads of people who are no customers. What it does happens with the turn.
type Command interface {
	// Command returns what a message does and what is answered; ok is false for one that is no
	// command.
	Command(ctx context.Context, tc tool.Context, m thread.Message) (s gate.Settled, ok bool, err error)
}

// Commands asks one after the other.
type Commands []Command

// Command implements [Command].
func (cs Commands) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	for _, c := range cs {
		if s, ok, err := c.Command(ctx, tc, m); ok || err != nil {
			return s, ok, err
		}
	}
	return gate.Settled{}, false, nil
}

// command carries out a message that is a command. Such threads are answered message by
// message. What waits for YES or NO is settled by the gate.
func (w *work) command(ctx context.Context) (done bool, err error) {
	c := w.r.Commands[w.thread.Type]
	if c == nil || len(w.in) == 0 {
		return false, nil
	}
	m := w.in[0]
	if _, _, button := gate.ParseButton(m.Button); w.pending != nil && (button || gate.Read(m.Text) != gate.Unclear) {
		return false, nil
	}
	s, ok, err := c.Command(ctx, w.tc, m)
	if err != nil {
		return false, fmt.Errorf("command on thread %s: %w", w.thread.ID, err)
	}
	if !ok {
		return false, nil
	}
	w.text, w.cards = s.Text, s.Cards
	w.joins = append(w.joins, s)
	w.remind()
	return true, nil
}
