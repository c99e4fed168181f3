package marketplace

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"merve/internal/matter/quote"

	"merve/internal/spine/thread"
)

// answered finds what a call records: a message on the vendor's thread, as it stands there, or what a named person at the desk has heard.
// why says that it is neither.
func (b *Broker) answered(ctx context.Context, c *call, o Outreach, in VendorReply) (a quote.Words, why string, err error) {
	onThread, _ := o.ids(in.ID)
	m, ok, err := b.Threads.Said(ctx, o.Thread, onThread)
	switch {
	case err != nil:
		return quote.Words{}, "", fmt.Errorf("message of a vendor: %w", err)
	case ok:
		a := quote.Words{Text: without(m.Text, o.Code), Message: m.ID}
		why, err := b.another(ctx, o, m)
		if said := strings.TrimSpace(in.Message); why == "" && said != strings.TrimSpace(m.Text) && said != a.Text {
			why = "the vendor wrote something else in this message: give its text as it stands on their thread"
		}
		return a, why, err
	case c.Meta.Actor == Admin && c.By.IsStaff() && strings.TrimSpace(c.By.Name) != "":
		return quote.Words{Text: in.Message, Message: in.ID, NotedBy: clip(c.By.Name, maxVendorName)}, "", nil
	}
	why = "the vendor has written no such message: only one on their thread is recorded, or what a named person at the desk has heard"
	return quote.Words{}, why, nil
}

// another says that a message on a vendor's thread is no answer to an outreach; "" is that it may be one.
func (b *Broker) another(ctx context.Context, o Outreach, m thread.Message) (why string, err error) {
	if m.At.Before(o.AskedAt) {
		return "the vendor wrote this before they were asked", nil
	}
	quoted, err := b.Outbox.Quoted(ctx, o.Thread, m.ReplyTo)
	if err != nil {
		return "", err
	}
	if quoted.About != "" && quoted.About != o.Code {
		return fmt.Sprintf("the message answers another request (%s)", quoted.About), nil
	}
	codes := codesIn(m.Text)
	if len(codes) == 0 || slices.Contains(codes, o.Code) {
		return "", nil
	}
	all, err := b.Store.askedOf(ctx, o.Market, o.Number)
	for _, other := range all {
		if slices.Contains(codes, other.Code) {
			return fmt.Sprintf("the message names another request (%s)", other.Code), nil
		}
	}
	return "", err
}

// about is what an answer to an outreach is an answer to.
func (v View) about(o Outreach) quote.About {
	return quote.About{Request: v.ID, Need: v.Need("en"), Currency: v.Currency, Code: o.Code}
}
