package customer

import (
	"context"
	"slices"

	"merve/internal/agent/tool"
)

// The tools that a caller has before their account is verified.
const (
	verifyTool = "crm.verifyAccount"
	personTool = "askForPerson"
)

// offerAfter is after how many failures in a call a person is offered.
const offerAfter = 2

// Desk has the tool that verifies callers.
type Desk struct {
	Verifier *Verifier

	// OfferPerson offers to hand over to a person and gives them the reason.
	OfferPerson func(tc tool.Context, reason string) *tool.Proposal
}

// Tools returns the declaration with its resolver.
func (d Desk) Tools() []tool.Tool {
	t := tool.New(verifyTool,
		"Verify whose account the call is about, by the ZIP code that the caller said. The phone number of the call is known to the system. "+
			"Pass on what they said, as digits or as words; never make one up and never try others.", tool.Propose, d.verify)
	t.Draft = true // of the call itself
	t.Acknowledgement = "say that you are looking up their account"
	return []tool.Tool{t}
}

const noAccount = "ZIP code and phone number fit no account"

type verifyArgs struct {
	ZIP string `json:"zip" jsonschema:"the ZIP code as the caller said it, such as 94107, 94107-1234 or nine four one oh seven"`
}

func (d Desk) verify(ctx context.Context, tc tool.Context, a verifyArgs) (tool.Result, error) {
	answer, err := d.Verifier.Verify(ctx, tc, a.ZIP)
	switch {
	case err != nil:
		return tool.Result{}, err
	case answer.Customer != "":
		return tool.Result{Data: map[string]any{
			"verified": true,
			"note":     "go on at once with what the caller has asked for; ask how you can help only if they have asked for nothing yet",
		}}, nil
	case answer.Locked:
		return d.failed(tc, "too many attempts: nobody can be verified on this call for now; the system offers a person", true), nil
	case answer.Person:
		return d.failed(tc, "a person has to find out who the caller is: the system offers one; do not ask for the ZIP code again", true), nil
	case answer.Failures >= offerAfter:
		return d.failed(tc, noAccount+"; the system offers a person, and the caller may also say the ZIP code again", true), nil
	}
	return d.failed(tc, noAccount+": ask the caller to say the ZIP code again, and say nothing of what is known of the number", false), nil
}

func (d Desk) failed(tc tool.Context, note string, offers bool) tool.Result {
	r := tool.Result{Data: map[string]any{"verified": false, "note": note}}
	if offers && d.OfferPerson != nil {
		r.Proposal = d.OfferPerson(tc, "The caller's account could not be verified.")
	}
	return r
}

// Access says which of an assistant's tools a call may use. Before the account is verified it may only verify it or
// ask for a person. From the next turn on it may do everything except verify, so that nobody goes on as somebody else. In
// the turn that verifies, the verifying call may be repeated, as by a turn that takes over from one that died. 1 request.
func (v *Verifier) Access(tools []string) func(ctx context.Context, tc tool.Context) (tool.Access, error) {
	return func(ctx context.Context, tc tool.Context) (tool.Access, error) {
		s, err := v.session(ctx, tc)
		if err != nil {
			return tool.Access{}, err
		}
		id := s.proven(v.Now())
		if id == "" {
			return tool.Access{Only: []string{verifyTool, personTool}, Why: unverified}, nil
		}
		open := slices.Clone(tools)
		if s.Turn != tc.Turn {
			open = slices.DeleteFunc(open, func(name string) bool { return name == verifyTool })
		}
		return tool.Access{
			Only: open, Why: "the caller's account is verified already, for the whole of this call",
			As: []string{Customer{ID: id}.Actor().Key()}, Acts: true,
		}, nil
	}
}
