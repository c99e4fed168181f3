package ops

import (
	"context"
	"errors"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/matter/booking"
	"merve/internal/record/ledger"
	"merve/internal/words/wording"
)

type noShowArgs struct {
	Code   string `json:"code" jsonschema:"code of the booking, as getBusinessDay gave it"`
	NoShow bool   `json:"noShow" jsonschema:"true: nobody came; false: that is taken back, they came after all"`
}

func (o *Office) noShowTool() tool.Tool {
	t := tool.New("markNoShow",
		"Note that nobody came to one of the business's bookings that has begun, or take that back within a day. The customer is told, and what they paid ahead "+
			"is kept or given back as the booking's terms say. Take the code from getBusinessDay.", tool.Commit, o.noShow)
	t.Summary = tool.SummaryOf(o.noShowSummary)
	return t
}

// booked is one of the business's bookings in this market, by its code.
func (o *Office) booked(ctx context.Context, tc tool.Context, code string) (ledger.Transaction, error) {
	roles, err := o.roles(ctx, tc)
	if err != nil {
		return ledger.Transaction{}, err
	}
	code = strings.ToUpper(strings.TrimSpace(code))
	for _, business := range roles.Businesses() {
		for tx, err := range o.Ledger.Booked(ctx, tc.Market.ID, business) {
			switch {
			case errors.Is(err, ledger.ErrMore): // not among those that are looked through
			case err != nil:
				return ledger.Transaction{}, err
			case tx.Code == code:
				return tx, nil
			}
		}
	}
	return ledger.Transaction{}, fault.Field("code", "no such booking: take a code from getBusinessDay")
}

func (o *Office) noShowSummary(ctx context.Context, tc tool.Context, a noShowArgs) (string, error) {
	tx, err := o.booked(ctx, tc, a.Code)
	if err != nil {
		return "", err
	}
	key, may := wording.OpsCame, tx.MayTakeBack
	if a.NoShow {
		key, may = wording.OpsNoShow, tx.MayMark
	}
	if err := may(tc.Now); err != nil {
		return "", err
	}
	return wording.Say(tc.Language, key, wording.Vars{"summary": tx.Code + " · " + booking.Summary(tc.Language, tx) + name(tc.Language, tx.CustomerName)}), nil
}

func (o *Office) noShow(ctx context.Context, tc tool.Context, a noShowArgs) (tool.Result, error) {
	tx, err := o.booked(ctx, tc, a.Code)
	if err != nil {
		return tool.Result{}, err
	}
	by := actor.Actor{Kind: actor.System, ID: tc.Actor.Key()} // whose booking it is was looked up above
	mark, done := o.Ledger.TakeBack, ledger.ErrCame
	if a.NoShow {
		mark, done = o.Ledger.Mark, ledger.ErrNoShow
	}
	if _, err := mark(ctx, by, tx.ID, tc.Key); err != nil && !errors.Is(err, done) { // somebody else was faster
		return tool.Result{}, err
	}
	return tool.Result{Data: map[string]any{"code": tx.Code, "noShow": a.NoShow}}, nil
}
