package ops

import (
	"context"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/matter/booking"
	"merve/internal/matter/order"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// todays are the words that a business writes to ask for its day, without a model.
var todays = []string{
	"today", "today's bookings", "bookings today", "orders", "bugün", "σήμερα", "сегодня", "היום", "اليوم", "heute", "hoy", "aujourd'hui", "leo",
}

// Command answers a business that asks for its day in one word.
func (o *Office) Command(ctx context.Context, tc tool.Context, m thread.Message) (gate.Settled, bool, error) {
	asked := language.Fold(strings.Trim(m.Text, " .!?"))
	found := false
	for _, w := range todays {
		found = found || asked == language.Fold(w)
	}
	if !found {
		return gate.Settled{}, false, nil
	}
	roles, err := o.Roster.Read(ctx, tc.Market.ID, tc.Actor.Phone)
	if err != nil || len(roles.Businesses()) == 0 {
		return gate.Settled{}, false, err
	}
	var lines []string
	incomplete := false
	for _, business := range roles.Businesses() {
		txs, more, err := o.bookings(ctx, tc.Market.ID, business, tc.Now.In(tc.TimeZone).Format("2006-01-02"))
		if err != nil {
			return gate.Settled{}, false, err
		}
		incomplete = incomplete || more
		for _, tx := range txs {
			lines = append(lines, tx.Code+" · "+booking.Summary(tc.Language, tx)+name(tc.Language, tx.CustomerName))
		}
		open, more, err := o.open(ctx, tc.Market.ID, business)
		if err != nil {
			return gate.Settled{}, false, err
		}
		incomplete = incomplete || more
		for _, one := range open {
			lines = append(lines, one.Code+" · "+order.Summary(tc.Language, one)+name(tc.Language, one.CustomerName))
		}
	}
	text := wording.Say(tc.Language, wording.OpsNothing, nil)
	if len(lines) > 0 {
		text = wording.Say(tc.Language, wording.OpsToday, wording.Vars{"lines": strings.Join(lines, "\n")})
	}
	if incomplete {
		text += "\n" + wording.Say(tc.Language, wording.OpsMore, nil)
	}
	return gate.Settled{Text: text}, true, nil
}

func name(lang, customer string) string {
	if customer = wording.Quote(lang, customer); customer == "" {
		return ""
	}
	return " · " + customer
}
