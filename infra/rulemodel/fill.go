package rulemodel

import "cmp"

// by are the names of sentences by the field or the kind of reason that they are about.
type by = map[string]string

// task is what the rules know of a tool that its schema does not say; who speaks is a T.
type task[T any] struct {
	tool    string
	asks    []string                       // parameters that are asked for, in this order; the others take what was said
	refused by                             // the sentences that are said where the tool refuses a field, or for a reason of that kind
	refuse  func(who T, f *failure) *reply // of a refusal that takes more words; nil for none
	done    string                         // the sentence that is said of what it did, where that is not to be checked by the customer
	tells   func(who T, r result) reply    // of what it found
}

// filler puts the value of a parameter among others, or comes to the reply that finds it or asks for it.
type filler[T any] func(who T, values map[string]any) *reply

// perform comes to the next step of a task: a call of its tool as soon as what it takes is known, and then what it gave. A filler is
// of a parameter, or of that of one tool.
func perform[T any](who T, t turn, of task[T], fillers map[string]filler[T]) reply {
	r, done := t.done(of.tool)
	switch {
	case !done:
		return fill(who, t, of, fillers)
	case r.failed == nil && of.tells != nil:
		return of.tells(who, r)
	case r.failed == nil:
		return say(t.v[cmp.Or(of.done, "proposed")])
	}
	if of.refuse != nil {
		if next := of.refuse(who, r.failed); next != nil {
			return *next
		}
	}
	if names := cmp.Or(of.refused[r.failed.field], of.refused[r.failed.kind]); names != "" {
		return say(t.v.sentences(names))
	}
	return t.wrong(r.failed)
}

// fill gathers what the tool's schema takes, and calls it.
func fill[T any](who T, t turn, of task[T], fillers map[string]filler[T]) reply {
	values := map[string]any{}
	s := parseSchema(t.offered[of.tool])
	if s == nil {
		return say(t.v[t.absent])
	}
	for _, name := range s.names(of.asks) {
		f := fillers[of.tool+" "+name]
		if f == nil {
			f = fillers[name]
		}
		if f == nil {
			continue
		}
		if next := f(who, values); next != nil {
			return *next
		}
	}
	return t.must(of.tool, values)
}

// ask is a question, by the name of its sentence.
func (t turn) ask(name string) *reply { return put(t.v[name]) }
