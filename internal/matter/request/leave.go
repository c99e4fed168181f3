package request

import (
	"context"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// ends are the kinds of questions whether what was accepted comes to an end, by the state that this is.
var ends = map[State]string{Cancelled: DropKind, Fulfilled: DoneKind}

// leave takes a request whose quote was accepted to its end: at the word of a person at the desk, whose name the receipt
// has. A model in a turn of the client's has the client asked. Nobody else ends what the client has agreed to.
func (x moves) leave(ctx context.Context, c *call, in StateInput) (outcome, error) {
	from := c.view.State
	if c.InTurn == nil && (c.Meta.Actor != Admin || !c.By.IsStaff()) {
		const why = "what was accepted is ended by the client's YES, or by a person at the desk"
		return outcome{output: StateAnswer{Previous: from, Current: from, Error: why}, failed: why}, nil
	}
	c.view.Offer = &Offer{Kind: ends[in.State]}
	if c.InTurn != nil {
		head, err := x.b.clientHead(ctx, c)
		if err != nil {
			return outcome{}, err
		}
		return x.b.offers().propose(c, head, nil)
	}
	out, err := x.b.offers().atDesk(c, func(receipt gate.Receipt) ([]dynamo.Write, error) {
		return x.left(&c.view, in.State, Event{Text: clip(in.Reason, maxReason), Receipt: &receipt, Trace: c.trace}), nil
	})
	out.output = StateAnswer{Success: true, Previous: from, Current: in.State}
	return out, err
}

// left are the writes that end what was accepted, on the word that the receipt of the event proves.
func (x moves) left(v *View, to State, e Event) []dynamo.Write {
	e.Type, e.From, e.To, e.Outreach, e.By = ChangedEvent, v.State, to, v.Accepted, e.Receipt.Actor
	if to == Cancelled {
		e.Type = CancelledEvent
	}
	v.Offer = nil
	return x.b.Store.changes(v.to(to), e)
}

// Leaving settles whether what was accepted comes to an end.
type Leaving struct {
	Broker *Broker
	To     State
}

// Describe asks for the YES.
func (l Leaving) Describe(tc tool.Context, p thread.Pending) string {
	if l.To == Cancelled {
		return prompt(tc, p, wording.RequestDropPrompt)
	}
	return prompt(tc, p, wording.RequestDonePrompt)
}

// Does implements [gate.Commitment].
func (l Leaving) Does() gate.Deed {
	if l.To == Cancelled {
		return gate.Cancels
	}
	return gate.Other
}

// Commit ends it. The stream tells the vendor.
func (l Leaving) Commit(ctx context.Context, tc tool.Context, c gate.Consent) (gate.Settled, error) {
	v, ok, err := l.Broker.offers().offered(ctx, tc, c.Pending)
	if err != nil || !ok {
		return changed(tc), err
	}
	receipt, said := c.Receipt(tc.TraceID), wording.RequestDone
	if l.To == Cancelled {
		said = wording.RequestDropped
	}
	vars := wording.Vars{"vendor": v.outreach(v.Accepted).Name, "code": v.Code}
	ws := l.Broker.moves().left(&v, l.To, Event{Receipt: &receipt, Told: true, Trace: tc.TraceID})
	return gate.Settled{
		Text: wording.Say(tc.Language, said, vars), Writes: ws, Stands: standing.Only(Item(tc.Language, v)),
		Refused: meanwhile(tc),
	}, nil
}

// Release leaves what was accepted as it is.
func (l Leaving) Release(_ context.Context, tc tool.Context, p thread.Pending) (gate.Settled, error) {
	return l.Broker.offers().release(tc, p, wording.RequestKept), nil
}
