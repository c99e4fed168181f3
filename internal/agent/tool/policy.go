package tool

import (
	"slices"

	"merve/internal/tenant/market"
)

// Verdict says how a tool may run now.
type Verdict string

const (
	Allow   Verdict = "allow"
	Confirm Verdict = "confirm" // freeze the arguments and ask the customer first
	Deny    Verdict = "deny"
)

// Access is what the state of a conversation opens to its assistant, such as that a caller's account is verified.
type Access struct {
	Only []string // of the assistant's tools, those that may run; nil is all
	Why  string   // the others may not, for the model

	// As are keys under which the customer owns things in this state, besides their own.
	As []string

	// Acts says that the model's first answer to a message, and its first in a new state, has to call a tool.
	Acts bool
}

// Situation is what, besides the tool itself, the answer depends on.
type Situation struct {
	Set      []string // the assistant's tools
	Access   Access   // what the state of the conversation opens of them
	Market   *market.Market
	ReadOnly bool // the customer has opted out, and would not hear a question
	Waits    bool // something is pending, which a new proposal would replace
}

// May answers "may this tool run now?", for every channel: the assistant's set, the state of the
// conversation, the market's switches and the effect's rules must all agree.
// The reason is for the model and the audit.
func May(t Tool, s Situation) (Verdict, string) {
	policy := s.Market.Tools[t.Name]
	switch {
	case !slices.Contains(s.Set, t.Name):
		return Deny, "not a tool of this assistant"
	case s.Access.Only != nil && !slices.Contains(s.Access.Only, t.Name):
		return Deny, s.Access.Why
	case !s.Market.Enabled:
		return Deny, "the assistant is switched off in this market"
	case policy.Enabled != nil && !*policy.Enabled:
		return Deny, "switched off in this market"
	case s.ReadOnly && t.Effect != Read:
		return Deny, "the customer has opted out of messages, and cannot be asked for YES or NO"
	case s.Waits && t.Effect == Commit:
		return Deny, "something already waits for the customer's YES or NO"
	}
	if confirm(t, s.Market) {
		return Confirm, "needs the customer's YES"
	}
	return Allow, ""
}

// confirm reports whether a call must be frozen and put to the customer. A proposing
// tool asks by itself, unless it changes a draft: what it does is the proposal.
func confirm(t Tool, m *market.Market) bool {
	if t.Effect == Propose && !t.Draft {
		return false
	}
	if slices.Contains(m.Safety.RequireConfirmFor, t.Name) || t.Effect == Commit {
		return true
	}
	policy := m.Tools[t.Name]
	return policy.RequireConfirmation != nil && *policy.RequireConfirmation
}
