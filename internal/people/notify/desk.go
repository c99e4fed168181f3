package notify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"merve/internal/people/desk"
	"merve/internal/spine/outbox"
	"merve/internal/words/wording"
)

const deskWanted = "desk_wanted"

// TellDesk tells the people of a market's desk that a customer asks for one of them.
func (n *Notifier) TellDesk(ctx context.Context, e desk.Event) error {
	m, err := n.Markets.Get(ctx, e.Market)
	if err != nil {
		return fmt.Errorf("notify desk of %s: %w", e.Market, err)
	}
	vars := wording.Vars{
		"customer": cmp.Or(wording.Quote(m.Language, e.Name), e.Thread), "reason": wording.Quote(m.Language, e.Reason), "link": n.threadPage(e),
		"summary": e.LetGo,
	}
	var errs []error
	for _, number := range m.Desk.Numbers {
		errs = append(errs, n.toBusiness(ctx, m, outbox.Letter{
			To: number, ID: outbox.LetterID(number, e.Thread, fmt.Sprint(e.Turn), deskWanted), Language: m.Language, Key: wording.DeskWanted, Vars: vars,
			Event: deskWanted, Brief: true, Customer: e.Thread, Trace: e.Trace,
		}))
	}
	return errors.Join(errs...)
}

// threadPage is where the desk reads the conversation; without a site the thread itself.
func (n *Notifier) threadPage(e desk.Event) string {
	if n.SiteURL == "" {
		return e.Thread
	}
	return n.SiteURL + "/admin/threads?" + url.Values{"marketId": {e.Market}, "thread": {e.Thread}}.Encode()
}
