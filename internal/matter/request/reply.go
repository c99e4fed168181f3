package request

import (
	"context"
	"fmt"
	"strings"

	"merve/internal/base/ident"
	"merve/internal/matter/quote"
	"merve/internal/matter/vendor"
)

// answered finds what a call records: a message on the vendor's thread, as it stands there, or what a named person at the desk has heard.
// why says that it is neither.
func (x replies) answered(ctx context.Context, c *call, o vendor.Outreach, in VendorReply) (a quote.Words, why string, err error) {
	onThread, _ := o.MessageIDs(in.ID)
	m, ok, err := x.b.Threads.Said(ctx, o.Thread, onThread)
	switch {
	case err != nil:
		return quote.Words{}, "", fmt.Errorf("message of a vendor: %w", err)
	case ok:
		a := quote.Words{Text: ident.Without(m.Text, o.Code), Message: m.ID}
		why, err := x.b.mail().Another(ctx, o, m)
		if said := strings.TrimSpace(in.Message); why == "" && said != strings.TrimSpace(m.Text) && said != a.Text {
			why = "the vendor wrote something else in this message: give its text as it stands on their thread"
		}
		return a, why, err
	case c.Meta.Actor == Admin && c.By.IsStaff() && strings.TrimSpace(c.By.Name) != "":
		return quote.Words{Text: in.Message, Message: in.ID, NotedBy: clip(c.By.Name, vendor.MaxName)}, "", nil
	}
	why = "the vendor has written no such message: only one on their thread is recorded, or what a named person at the desk has heard"
	return quote.Words{}, why, nil
}

// about is what an answer to an outreach is an answer to.
func (v View) about(o vendor.Outreach) quote.About {
	return quote.About{Request: v.ID, Need: v.Need("en"), Currency: v.Currency, Code: o.Code}
}
