package vendor

import (
	"context"
	"slices"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/base/ident"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Answers reads what vendors write. It is a command of their threads: no model has a say in it.
//
// An answer belongs to the outreach of the message that it quotes, else to the one whose code it names, else to the one
// whose code stands in the message that it quotes, else to the only one that is open. Of several the vendor is asked for
// the code; so they are where it is not known what they quote.
type Answers struct {
	Mail     Mail
	Requests interface {
		// Answered takes an answer in: words, or pictures alone.
		Answered(ctx context.Context, tc tool.Context, o Outreach, m thread.Message, said string) (gate.Settled, bool, error)
		// Category says what an outreach was about; [actor.ErrNotFound].
		Category(ctx context.Context, request string) (string, error)
	}
	Named bool // only what quotes a message about an outreach, or names its code
}

// Command reads a message of a vendor and prepares what it does; the writes belong in the transaction of the
// reply. ok is false for a message that is no answer. 2 requests, what a look at the outbox takes for a quotation,
// and 1 more for the request, whose answer a model is asked to read.
func (a Answers) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	said := strings.TrimSpace(m.Text)
	if said == "" && len(m.Media) == 0 || tc.Actor.Phone == "" || a.Named && m.ReplyTo == "" && !Coded(said) {
		return gate.Settled{}, false, nil
	}
	if tc.ThreadType != channel.Vendor { // of a number that has other work, too
		roles, err := a.Mail.Roster.Of(ctx, tc.Market.ID, tc.Actor.Phone)
		if err != nil || !roles.Sells() {
			return gate.Settled{}, false, err
		}
	}
	all, err := a.Mail.Book.Of(ctx, tc.Market.ID, tc.Actor.Phone)
	if err != nil || len(all) == 0 {
		return gate.Settled{}, false, err
	}
	if gate.OptOut(said) == gate.Start { // without a STOP before it, which would have been obeyed
		return gate.Settled{Text: wording.Say(tc.Language, wording.OptedIn, nil)}, true, nil
	}
	these, named, err := a.meant(ctx, tc, m, all)
	switch {
	case err != nil || len(these) == 0 || a.Named && !named:
		return gate.Settled{}, false, err
	case len(these) > 1:
		which := wording.Vars{"alternatives": wording.List(tc.Language, a.labels(ctx, these))}
		return gate.Settled{Text: wording.Say(tc.Language, wording.VendorWhich, which)}, true, nil
	case ident.Without(said, these[0].Code) == "" && len(m.Media) == 0:
		return gate.Settled{Text: wording.Say(tc.Language, wording.VendorTextOnly, nil)}, true, nil
	}
	return a.Requests.Answered(ctx, tc, these[0], m, ident.Without(said, these[0].Code))
}

// meant are the outreach that a message may belong to, and whether it names one.
func (a Answers) meant(ctx context.Context, tc tool.Context, m thread.Message, all []Outreach) (these []Outreach, named bool, err error) {
	by := func(code string) []Outreach {
		return slices.DeleteFunc(slices.Clone(all), func(o Outreach) bool { return o.Code != code })
	}
	quoted, err := a.Mail.Outbox.Quoted(ctx, tc.Thread, m.ReplyTo)
	if err != nil {
		return nil, false, err
	}
	if quoted.About != "" { // of another matter it is no answer
		these = by(quoted.About)
		return these, len(these) > 0, nil
	}
	for _, text := range []string{m.Text, quoted.Text} { // what we answered a vendor names its codes
		for _, code := range codesIn(text) {
			these = append(these, by(code)...)
		}
		if len(these) > 0 {
			return these, true, nil
		}
	}
	if m.ReplyTo != "" && quoted.ID == "" { // their own, or ours but not known to have gone out
		return all[max(0, len(all)-mostLabels):], false, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(o Outreach) bool { return !o.Awaited() }), false, nil
}

// mostLabels is how many outreach a vendor is asked about at once.
const mostLabels = 8

// labels name what a vendor was asked several times.
func (a Answers) labels(ctx context.Context, these []Outreach) []string {
	var all []string
	for _, o := range these[:min(len(these), mostLabels)] {
		label := o.Code
		if category, err := a.Requests.Category(ctx, o.Request); err == nil {
			label += " (" + language.Clip(category, 40) + ")"
		}
		all = append(all, label)
	}
	return all
}
