package request

import (
	"slices"
	"strings"
)

// State is how far a request has come.
type State string

const (
	New        State = "new"
	Clarifying State = "clarifying"
	Searching  State = "searching"
	Asking     State = "outreach"
	Quoted     State = "quoted"
	Presented  State = "presented"
	Accepted   State = "accepted"
	Fulfilled  State = "fulfilled"
	Cancelled  State = "cancelled"
	Error      State = "error"
)

// States are all states, in the order in which a request goes through them.
func States() []State {
	return []State{New, Clarifying, Searching, Asking, Quoted, Presented, Accepted, Fulfilled, Cancelled, Error}
}

// transitions are all changes of state that there are, except those that any open request may make until a quote is accepted.
var transitions = map[State][]State{
	New:        {Clarifying, Searching},
	Clarifying: {Searching},
	Searching:  {Clarifying, Asking},
	Asking:     {Quoted, Searching},
	Quoted:     {Presented, Asking},
	Presented:  {Accepted, Asking, Searching},
	Accepted:   {Fulfilled, Cancelled},
	Error:      {Clarifying, Searching},
}

// Open reports whether a request is not over.
func (s State) Open() bool { return s != Fulfilled && s != Cancelled }

// Next are the states that a request may go to from s.
func (s State) Next() []State {
	next := slices.Clone(transitions[s])
	if s.Open() && s != Accepted {
		next = append(next, Cancelled)
		if s != Error {
			next = append(next, Error)
		}
	}
	return next
}

// May reports whether a request may go from s to another state.
func (s State) May(to State) bool { return slices.Contains(s.Next(), to) }

// Gated are the states that only a YES leads to, no matter who asks for them. [Accepted] is also left by a YES only, or by the
// word of a named person at the desk, see [Store.changes].
func Gated() []State { return []State{Asking, Accepted} }

// Table is the table of states as clients read it.
type Table struct {
	States      []State           `json:"states"`
	Transitions map[State][]State `json:"transitions"`
	Gated       []State           `json:"gated"` // reached by a YES only
	Open        []State           `json:"open"`
}

// StateTable returns the table of states.
func StateTable() Table {
	t := Table{States: States(), Transitions: map[State][]State{}, Gated: Gated()}
	for _, s := range t.States {
		t.Transitions[s] = append([]State{}, s.Next()...)
		if s.Open() {
			t.Open = append(t.Open, s)
		}
	}
	return t
}

// names lists states for people.
func names(all []State) string {
	var words []string
	for _, s := range all {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}
