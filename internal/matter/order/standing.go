package order

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/schedule"
	"merve/internal/words/claim"
	"merve/internal/words/standing"
)

// StandingKind is the kind of orders among what stands of a conversation.
const StandingKind = "order"

// Item is an order among what stands of a conversation; ok is false for one that was never placed.
func Item(lang string, o Order) (i standing.Item, ok bool) {
	i = standing.Item{Kind: StandingKind, Ref: o.ID, Code: o.Code, State: string(o.Status), Figures: figures(o), At: o.start()}
	told := string(claim.Sent) + ":" + o.ListingName
	switch o.Status {
	case Placed:
		i.Word, i.Bears = standing.Ordered, []string{string(claim.Ordered), told}
		if o.Kind != Food {
			i.Word = standing.Requested
		}
	case Accepted:
		i.Word, i.Bears = standing.Accepted, []string{string(claim.Ordered), string(claim.Booked), told}
	case Done:
		i.Word, i.Over, i.Bears = standing.Completed, true, []string{string(claim.Ordered), string(claim.Booked), told}
	case Cancelled:
		i.Word, i.Over, i.Bears = standing.Cancelled, true, []string{string(claim.Cancelled)}
	case Refused, Unanswered:
		i.Word, i.Over = standing.Refused, true
	default:
		return standing.Item{}, false
	}
	summary := strings.ReplaceAll(Summary(lang, o), "\n", " · ")
	i.Summary = standing.Described(lang, summary, i.Word, o.Code)
	return i, true
}

// stand is an order among what stands of its conversation; nil is not. Only a state ends it.
func (o Order) stand() *thread.Stand {
	if !o.Stands() {
		return nil
	}
	return &thread.Stand{Thread: o.Thread, Kind: StandingKind, ID: o.ID, Start: o.start()}
}

// start is when an order is for, or was asked for where that is as soon as can be.
func (o Order) start() time.Time {
	if o.When.IsZero() {
		return o.CreatedAt
	}
	return o.When
}

// figures are when an order is for, and how many pieces it has.
func figures(o Order) string {
	var parts []string
	if !o.When.IsZero() {
		parts = append(parts, o.When.In(schedule.Zone(o.TimeZone)).Format("2006-01-02 15:04"))
	}
	pieces := 0
	for _, l := range o.Lines {
		pieces += l.Quantity
	}
	if pieces > 0 {
		parts = append(parts, "× "+strconv.Itoa(pieces))
	}
	return strings.Join(parts, " · ")
}

// stands returns the items that an order adds to the state of a conversation.
func stands(tc tool.Context, o Order) []standing.Item {
	return standing.Only(Item(tc.Language, o))
}

// Standing finds the orders of a conversation.
type Standing struct{ Store *Store }

// At is where the one with an id is kept.
func (s Standing) At(h thread.Head, id string) dynamo.Place {
	return dynamo.Place{Table: s.Store.Table, Key: orderKey(h.Owner, id)}
}

// Read turns a stored item into a standing one.
func (s Standing) Read(tc tool.Context, it dynamo.Item) (standing.Item, bool, error) {
	var o Order
	if err := it.Decode(&o); err != nil {
		return standing.Item{}, false, fmt.Errorf("order that stands: %w", err)
	}
	i, ok := Item(tc.Language, o)
	return i, ok, nil
}

// Coded finds the order with the customer's code, among those listed. Requests as [Store.Of].
func (s Standing) Coded(ctx context.Context, tc tool.Context, code string) (standing.Item, bool, error) {
	all, err := s.Store.Of(ctx, tc.Actor, tc.Market.ID)
	if err != nil {
		return standing.Item{}, false, err
	}
	for _, o := range all {
		if i, ok := Item(tc.Language, o); ok && o.Code == code {
			return i, true, nil
		}
	}
	return standing.Item{}, false, nil
}
