package turn

import (
	"context"
	"fmt"
	"time"

	"merve/internal/channel"
	"merve/internal/gate"
	"merve/internal/outbox"
	"merve/internal/roster"
	"merve/internal/thread"
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
// code are for the customer's own pending action only. STOP and START are for both.
//
// A message that is brought again after a change of roles is known on the thread that has it.
//
// Requests: none for who has no role (the roster is asked once a minute); else 1, and 1 for a
// quotation.
type Roles struct {
	Threads *thread.Store
	Outbox  *outbox.Box
	Roster  interface {
		Of(ctx context.Context, market, number string) (roster.Roles, error)
	}
	// Coded reports whether a text names, by its code, something of somebody's work.
	Coded func(roles roster.Roles, text string) bool
	Now   func() time.Time
}

// CustomerFor is how long after their last message as a customer somebody still writes as one.
const CustomerFor = 4 * time.Hour

// Route returns a message as the thread that it is for takes it in, or each of them.
func (r *Roles) Route(ctx context.Context, in channel.Inbound) ([]channel.Inbound, error) {
	in.ThreadType = channel.General
	roles, err := r.Roster.Of(ctx, in.Market, in.From.Phone)
	if err != nil || len(roles) == 0 {
		return []channel.Inbound{in}, err
	}
	work, customer := in, in
	work.From.ID, work.ThreadType = channel.OfNumber(in.From.Phone).ID, roles.ThreadType()
	id := func(in channel.Inbound) string {
		return thread.ID(in.Market, in.ThreadType, in.Assistant, in.From.Key())
	}
	work.Beside, customer.Beside = id(customer), id(work)
	own, general, err := r.Threads.Pair(ctx, customer.Beside, work.Beside)
	if err != nil {
		return nil, fmt.Errorf("role of a number: %w", err)
	}
	if gate.OptOut(in.Text) != gate.None {
		work.Beside, customer.Beside = "", ""
		if general.ID == "" {
			return []channel.Inbound{work}, nil
		}
		return []channel.Inbound{work, customer}, nil
	}
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

// named reports whether a message names something of somebody's work.
func (r *Roles) named(ctx context.Context, roles roster.Roles, in channel.Inbound, threadID string) (bool, error) {
	if r.Coded(roles, in.Text) || in.Button != "" && r.Coded(roles, in.Button) {
		return true, nil
	}
	if in.ReplyTo == "" || gate.Read(in.Text) != gate.Unclear {
		return false, nil
	}
	return r.Outbox.Sent(ctx, threadID, in.ReplyTo)
}
