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

// Roles finds the thread that a message belongs to. Somebody without a role is a customer and writes on their general
// thread. The number of a business or a driver has two threads: one for its work, shared by everybody who writes from the
// number, and the sender's general one as a customer. The sender changes between them with a word. The head of the work's
// thread says since when they write as a customer, and the write that stores the word changes it. That time ends with the
// other word, or when they have written nothing as a customer for [CustomerFor].
//
// During that time the work's thread still gets messages that name it: an answer with the code of a ride, an order or a
// talk, and a quotation of one of its messages if it says more than YES or NO. A YES or NO without a code is only for the
// customer's own pending action.
//
// STOP and START are for every thread on which we write to the number. That includes work that the number no longer has, and
// the thread on which the market's desk is informed, whose people write as customers.
//
// A message that is delivered again after a change of roles is known on the thread that has it. People whose role has ended
// can still answer what they were told while they had it.
//
// Requests: none for a sender without a role, because the roster is asked once a minute, but 1 if the message reads like an
// answer to an order. For the others 1, and 1 more for a quotation. STOP and START cost 1.
type Roles struct {
	Threads *thread.Store
	Markets *market.Store
	Outbox  *outbox.Box
	Roster  *roster.Book
	Works   Works
	// Owed reports whether a number without a role answers something that it was told while it had one.
	Owed func(ctx context.Context, in channel.Inbound) (bool, error)
	Now  func() time.Time
}

// Work is a kind of work that people do by chat and name by codes: rides, orders.
type Work struct {
	Of    func(roster.Roles) bool // whether a number with these roles does it
	Coded func(text string) bool  // whether a text has one of its codes
}

// Works are all kinds of work.
type Works []Work

// code reports whether a text has a code of any of the works.
func (ws Works) code(text string) bool {
	return text != "" && slices.ContainsFunc(ws, func(w Work) bool { return w.Coded(text) })
}

// of returns the works of a number with these roles.
func (ws Works) of(roles roster.Roles) Works {
	return slices.DeleteFunc(slices.Clone(ws), func(w Work) bool { return !w.Of(roles) })
}

// CustomerFor is how long after their last message as a customer somebody still writes as one.
const CustomerFor = 4 * time.Hour

// Route addresses a message to the thread that it is for, or to each of several.
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

// everywhere addresses a STOP or START to each thread on which we write to its number, or may do so: a number with one role
// may get another tomorrow.
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

// workOf addresses a message to the thread of its number's work.
func workOf(in channel.Inbound, typ channel.ThreadType) channel.Inbound {
	in.From.ID, in.ThreadType = channel.OfNumber(in.From.Phone).ID, typ
	return in
}

// named reports whether a message names something of the sender's work, or quotes a message about it.
func (r *Roles) named(ctx context.Context, roles roster.Roles, in channel.Inbound, threadID string) (bool, error) {
	if own := r.Works.of(roles); own.code(in.Text) || own.code(in.Button) {
		return true, nil
	}
	if in.ReplyTo == "" || gate.Read(in.Text) != gate.Unclear {
		return false, nil
	}
	return r.Outbox.Sent(ctx, threadID, in.ReplyTo)
}
