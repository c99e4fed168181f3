package llm

import (
	"errors"
	"fmt"
)

// Check reports the first place where messages break the rules that every provider
// holds a history to: a call is answered by exactly one tool message before anything
// else is said, a tool message answers a call, and nobody says nothing.
func Check(messages []Message) error {
	if len(messages) == 0 {
		return errors.New("history: no messages")
	}
	open := map[string]bool{} // calls of the last assistant message that wait for their result
	for i, m := range messages {
		if m.Role != ToolRole && len(open) > 0 {
			return fmt.Errorf("history: message %d (%s): a call before it has no tool message", i, m.Role)
		}
		if err := m.check(open); err != nil {
			return fmt.Errorf("history: message %d (%s): %w", i, m.Role, err)
		}
	}
	if len(open) > 0 {
		return errors.New("history: the last call has no tool message")
	}
	return nil
}

// check holds one message against its role. It opens the calls that m makes and closes the one it answers.
func (m Message) check(open map[string]bool) error {
	switch m.Role {
	case System:
		if m.Text == "" || len(m.Images) > 0 || len(m.Calls) > 0 || m.CallID != "" {
			return errors.New("want text and nothing else")
		}
	case User:
		if len(m.Calls) > 0 || m.CallID != "" {
			return errors.New("a user neither calls nor answers a call")
		}
		if m.Text == "" && len(m.Images) == 0 {
			return errors.New("no text and no image")
		}
	case Assistant:
		if m.Text == "" && len(m.Calls) == 0 {
			return errors.New("no text and no call")
		}
		if len(m.Images) > 0 || m.CallID != "" {
			return errors.New("an assistant shows no image and answers no call")
		}
		return openCalls(m.Calls, open)
	case ToolRole:
		if !open[m.CallID] {
			return fmt.Errorf("answers call %q, which is not open", m.CallID)
		}
		delete(open, m.CallID)
		if len(m.Images) > 0 || len(m.Calls) > 0 {
			return errors.New("a result is text only")
		}
	default:
		return fmt.Errorf("unknown role %q", m.Role)
	}
	return nil
}

func openCalls(calls []Call, open map[string]bool) error {
	for _, c := range calls {
		switch {
		case c.ID == "":
			return fmt.Errorf("call of %q has no id", c.Name)
		case open[c.ID]:
			return fmt.Errorf("two calls have the id %q", c.ID)
		}
		open[c.ID] = true
	}
	return nil
}
