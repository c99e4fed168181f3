package turn

import (
	"context"
	"fmt"
	"slices"
	"time"

	"merve/internal/spine/gate"
	"merve/internal/spine/outbox"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/roster"
)

// Roles finds the thread on which somebody writes. Who has no role is a customer, on the general
// thread. Who writes from the number of a business (or of a driver) has two threads: the one of
// its work, which is the number's, whoever writes from it, and as a customer the general one of
// their own. The head of the work's thread says since when they write as a customer, changed by the
// very write that takes in the word for it; that ends with the other word, or when nothing was
// written as a customer for [CustomerFor].
//
// Meanwhile the work still hears what names it: an answer with the code of a ride, an order or a
// talk, and what quotes one of its messages, if that is more than a YES or NO; those without a
// code are for the customer's own pending action only.
//
// STOP and START are for every thread on which the number is written to: also that of a work it has no
// longer, and that on which the market's desk is told, whose people write as customers.
//
// A message that is brought again after a change of roles is known on the thread that has it.
//
// Who has no role any more is still heard at work as long as they answer what they were told of when they had it.
//
// Requests: none for who has no role (the roster is asked once a minute), 1 for what reads like an answer to an order; else 1, and 1 for a
// quotation. STOP and START 1.
type Roles struct {
	Threads *thread.Store
	Markets interface {
		Get(ctx context.Context, id string) (*market.Market, error)
	}
	Outbox *outbox.Box
	Roster interface {
		Of(ctx context.Context, market, number string) (roster.Roles, error)
	}
	Works Works
	// Owed reports whether a number without a role is still to be heard as one that has it: it answers what it was
	// told of then.
	Owed func(ctx context.Context, in channel.Inbound) (bool, error)
	Now  func() time.Time
}

// Work is what people do by chat, and name by codes: a ride, an order.
type Work struct {
	Of    func(roster.Roles) bool // whether it is that of a number with these roles
	Coded func(text string) bool  // whether a text names something of it
}

// Works are all kinds of work that there are.
type Works []Work

// code reports whether a text names something of any work.
func (ws Works) code(text string) bool {
	return text != "" && slices.ContainsFunc(ws, func(w Work) bool { return w.Coded(text) })
}

// of are the works of a number with these roles.
func (ws Works) of(roles roster.Roles) Works {
	return slices.DeleteFunc(slices.Clone(ws), func(w Work) bool { return !w.Of(roles) })
}

// CustomerFor is how long after their last message as a customer somebody still writes as one.
const CustomerFor = 4 * time.Hour

// Route returns a message as the thread that it is for takes it in, or each of them.
func (r *Roles) Route(ctx context.Context, in channel.Inbound) ([]channel.Inbound, error) {
	in.ThreadType = channel.General
	roles, err := r.Roster.Of(ctx, in.Market, in.From.Phone)
	switch {
	case err != nil:
		return nil, err
	case in.From.Phone != "" && gate.OptOut(in.Text) != gate.None:
		return r.everywhere(ctx, in, roles)
	case len(roles) == 0:
		owed, err := r.Owed(ctx, in)
		if owed {
			in = workOf(in, channel.Ops)
		}
		return []channel.Inbound{in}, err
	}
	work, customer := workOf(in, roles.ThreadType()), in
	work.Beside, customer.Beside = thread.Of(customer), thread.Of(work)
	heads, err := r.Threads.Heads(ctx, customer.Beside, work.Beside)
	if err != nil {
		return nil, fmt.Errorf("role of a number: %w", err)
	}
	own, general := thread.HeadOf(heads, customer.Beside), thread.HeadOf(heads, work.Beside)
	if work.Switch = roster.SwitchOf(in.Text); work.Switch != "" || own.AsCustomer.IsZero() {
		return []channel.Inbound{work}, nil
	}
	named, err := r.named(ctx, roles, work, own.ID)
	last := own.AsCustomer
	if general.LastIn.After(last) {
		last = general.LastIn
	}
	switch {
	case err != nil:
		return nil, err
	case named:
		return []channel.Inbound{work}, nil
	case r.Now().Sub(last) < CustomerFor:
		return []channel.Inbound{customer}, nil
	}
	work.Switch = channel.Lapsed
	return []channel.Inbound{work}, nil
}

// everywhere returns a STOP or START as each thread takes it in on which its number is written to, or will
// be: who has a role may have another tomorrow.
func (r *Roles) everywhere(ctx context.Context, in channel.Inbound, roles roster.Roles) ([]channel.Inbound, error) {
	m, err := r.Markets.Get(ctx, in.Market)
	if err != nil {
		return nil, fmt.Errorf("role of a number: %w", err)
	}
	ids, works := []string{thread.Of(in)}, []channel.Inbound{}
	for _, typ := range []channel.ThreadType{channel.Ops, channel.Dispatch, channel.Vendor} {
		works = append(works, workOf(in, typ))
		ids = append(ids, thread.Of(works[len(works)-1]))
	}
	heads, err := r.Threads.Heads(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("role of a number: %w", err)
	}
	stop := gate.OptOut(in.Text) == gate.Stop
	asCustomer := len(roles) == 0 || thread.HeadOf(heads, thread.Of(in)).ID != ""
	var all []channel.Inbound
	for _, work := range works {
		head := thread.HeadOf(heads, thread.Of(work))
		theirs := len(roles) > 0 && work.ThreadType == roles.ThreadType()
		told := head.ID != "" || len(roles) > 0 || work.ThreadType == channel.Ops && slices.Contains(m.Desk.Numbers, in.From.Phone)
		if theirs || stop && told || stopped(head) {
			work.Quiet = asCustomer || !theirs // one of the threads answers
			all = append(all, work)
		}
	}
	if asCustomer {
		all = append(all, in)
	}
	return all, nil
}

// stopped reports whether a thread has stopped, or is about to.
func stopped(h thread.Head) bool {
	return h.OptedOut || slices.ContainsFunc(h.Inbox, func(m thread.Message) bool { return gate.OptOut(m.Text) == gate.Stop })
}

// workOf is a message as the thread of its number's work takes it in.
func workOf(in channel.Inbound, typ channel.ThreadType) channel.Inbound {
	in.From.ID, in.ThreadType = channel.OfNumber(in.From.Phone).ID, typ
	return in
}

// named reports whether a message names something of somebody's work.
func (r *Roles) named(ctx context.Context, roles roster.Roles, in channel.Inbound, threadID string) (bool, error) {
	if own := r.Works.of(roles); own.code(in.Text) || own.code(in.Button) {
		return true, nil
	}
	if in.ReplyTo == "" || gate.Read(in.Text) != gate.Unclear {
		return false, nil
	}
	return r.Outbox.Sent(ctx, threadID, in.ReplyTo)
}
