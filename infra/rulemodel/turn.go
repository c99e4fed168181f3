package rulemodel

import (
	"slices"
	"strings"
)

// turn is a conversation with the voice that answers in it.
type turn struct {
	*conversation
	v      voice
	absent string                 // the sentence that is said where a tool is not offered
	wrong  func(f *failure) reply // says why a call failed
}

func say(text string) reply { return reply{text: text} }

// put is a question, or a word that ends the search for what a call needs.
func put(text string) *reply { return &reply{text: text} }

// called returns the results of a tool in this turn.
func (c *conversation) called(tool string) []result {
	var out []result
	for _, r := range c.results {
		if r.tool == tool {
			out = append(out, r)
		}
	}
	return out
}

// done returns the latest result of a tool in this turn.
func (c *conversation) done(tool string) (result, bool) {
	all := c.called(tool)
	if len(all) == 0 {
		return result{}, false
	}
	return all[len(all)-1], true
}

// call asks for a tool, or returns nil where it is not offered or takes other arguments.
func (c *conversation) call(tool string, values map[string]any) *reply {
	raw, ok := c.offered[tool]
	if !ok {
		return nil
	}
	s := parseSchema(raw)
	if s == nil {
		return nil
	}
	args, ok := s.arguments(values)
	if !ok {
		return nil
	}
	return &reply{tool: tool, args: args}
}

// must asks for a tool, or says that it cannot be had.
func (t turn) must(tool string, values map[string]any) reply {
	if next := t.call(tool, values); next != nil {
		return *next
	}
	return say(t.v[t.absent])
}

// got returns what a tool gave in this turn, or the reply that gets it or says why not.
func (t turn) got(tool string, values map[string]any) (result, *reply) {
	r, done := t.done(tool)
	if done && r.failed == nil {
		return r, nil
	}
	next := t.must(tool, values)
	if done {
		next = t.wrong(r.failed)
	}
	return r, &next
}

// sentences are those of some names, one after the other.
func (v voice) sentences(names string) string {
	var all []string
	for name := range strings.FieldsSeq(names) {
		all = append(all, v[name])
	}
	return strings.Join(all, " ")
}

// beside joins the facts about something that are known.
func beside(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}
