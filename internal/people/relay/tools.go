package relay

import (
	"context"
	"strings"
	"unicode/utf8"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/words/wording"
)

// Tools returns the tool that a business's assistant uses to pass something on. The business sees the words and their
// recipient before its YES.
func (p *Post) Tools() []tool.Tool {
	t := tool.New("writeToCustomer",
		"Pass on what the business wants to tell the customer of one of its open orders, requests, bookings or messages, such as that the courier is at the gate. "+
			"Take the code from getBusinessDay or from the business, and the words from the business as they are: add nothing and leave nothing out.", tool.Commit, p.write)
	t.Summary = tool.SummaryOf(p.summary)
	return []tool.Tool{t}
}

type writeArgs struct {
	Code string `json:"code" jsonschema:"code of the order, booking or message whose customer is meant"`
	Text string `json:"text" jsonschema:"the business's own words, as they are to be passed on"`
}

// matter is the one that is written about.
func (p *Post) matter(ctx context.Context, tc tool.Context, a writeArgs) (matter, error) {
	if n := utf8.RuneCountInString(strings.TrimSpace(a.Text)); n == 0 || n > MaxText {
		return matter{}, fault.Field("text", "want 1 to %d characters", MaxText)
	}
	roles, err := p.Roster.Read(ctx, tc.Market.ID, tc.Actor.Phone)
	if err != nil {
		return matter{}, err
	}
	businesses := roles.Businesses()
	if len(businesses) == 0 {
		return matter{}, fault.New(fault.Forbidden, "this number belongs to no business here")
	}
	these, err := p.find(ctx, tc.Market.ID, businesses, a.Code)
	switch {
	case err != nil:
		return matter{}, err
	case len(these) == 1:
		return these[0], nil
	case len(these) > 1:
		return matter{}, fault.Field("code", "is that of several, which it cannot tell apart: %s", strings.Join(labels(tc.Language, these), ", "))
	}
	open, err := p.waiting(ctx, tc.Market.ID, businesses)
	if err != nil {
		return matter{}, err
	}
	for _, business := range businesses {
		orders, _, err := p.Orders.OpenOf(ctx, tc.Market.ID, business)
		if err != nil {
			return matter{}, err
		}
		for _, o := range orders {
			open = append(open, ofOrder(o))
		}
	}
	if len(open) == 0 {
		return matter{}, fault.Field("code", "no such order, booking or message of theirs: take a code from getBusinessDay")
	}
	return matter{}, fault.Field("code", "no such order, booking or message of theirs; open are %s", strings.Join(labels(tc.Language, open), ", "))
}

func (p *Post) summary(ctx context.Context, tc tool.Context, a writeArgs) (string, error) {
	m, err := p.matter(ctx, tc, a)
	if err != nil {
		return "", err
	}
	if m.closed {
		return "", fault.New(fault.Conflict, "%s is over: nothing is passed on about it any more", m.Code)
	}
	return wording.Say(tc.Language, wording.RelayTo, wording.Vars{
		"code": m.Code, "customer": wording.Quote(tc.Language, nameOf(m.Customer)), "text": wording.Quote(tc.Language, a.Text),
	}), nil
}

// write passes the words on, once for the YES.
func (p *Post) write(ctx context.Context, tc tool.Context, a writeArgs) (tool.Result, error) {
	m, err := p.matter(ctx, tc, a)
	if err != nil {
		return tool.Result{}, err
	}
	s, err := p.pass(ctx, tc, m, a.Text, tc.Key, p.now())
	if err != nil {
		return tool.Result{}, err
	}
	done := s.Text
	if len(s.Writes) > 0 {
		err := p.Table.DB().Commit(ctx, s.Writes...)
		if why, ok := s.Refused(err); ok {
			done, err = why, nil
		}
		if err != nil {
			return tool.Result{}, err
		}
	}
	return tool.Result{Data: map[string]string{"result": done}, Done: done}, nil
}
