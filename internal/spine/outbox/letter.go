package outbox

import (
	"context"
	"errors"
	"strings"

	"merve/internal/base/telemetry"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/wording"
)

// Letter is a WhatsApp message to somebody about a customer's matter: a business, a driver, a vendor, the desk. It is worded in
// the recipient's language by the first template that there is: their own, the market's for the event, the market's for the
// tool. Without one it has the product's words.
type Letter struct {
	Kind   string
	Thread string // on which the recipient's own messages arrive, so that their STOP counts
	To     string // their number
	ID     string // the thread has one letter of it, see [LetterID]

	Language string
	Key      wording.Key
	Vars     wording.Vars
	Event    string // the name of the market's templates; "" has none
	Own      string // the recipient's template
	Tool     string // whose template in the market is the last choice
	Like     string // the event whose approved template serves where the market has none for Event
	Brief    bool   // a template may leave out what the product's words say
	Below    string // stands below the words of any template

	About    string // code of the matter
	Customer string // thread of the customer
	Trace    string
}

// LetterID makes a letter exist once for its parts, such as a matter, its event and the event's name in templates. The id is part
// of addresses and log lines, so it has a name for the recipient that does not give their number away.
func LetterID(recipient string, parts ...string) string {
	return strings.Join(append(parts, telemetry.Redact(recipient)), ".")
}

// Words words a letter without what stands below. They can be read even with an error, except for the part that it names.
func (l Letter) Words(m *market.Market) (string, error) {
	word := wording.Whole
	if l.Brief {
		word = wording.Word
	}
	return word(l.Language, l.Key, l.Vars, l.Own, m.Templates[l.Event], m.Tools[l.Tool].Template)
}

// approved is the market's approved template for a letter; nil when it has none.
func (l Letter) approved(m *market.Market) *Template {
	event := l.Event
	if _, ok := m.WhatsApp.Templates[event]; !ok {
		event = l.Like
	}
	if l.Brief {
		return Approved(m, event, l.Vars)
	}
	return approvedWhole(m, event, l.Language, l.Key, l.Vars)
}

// Letter is the message that brings a letter. A market's template that is wrong is logged: a letter is better sent as it is
// than lost.
func (b *Box) Letter(ctx context.Context, m *market.Market, l Letter) Message {
	text, err := l.Words(m)
	if err != nil {
		b.Log.WarnContext(ctx, "template", "type", l.Event, "market", m.ID, "to", telemetry.Redact(l.To), "error", err.Error())
	}
	if l.Below != "" {
		text += "\n" + l.Below
	}
	return Message{
		Thread: l.Thread, ID: l.ID, Market: m.ID, Channel: channel.WhatsApp, From: m.WhatsApp.From, To: l.To, Text: text,
		Kind: l.Kind, About: l.About, Customer: l.Customer, Trace: l.Trace, Template: l.approved(m),
	}
}

// PutOnce puts a message on the outbox in its pieces, unless it is there already.
func (b *Box) PutOnce(ctx context.Context, m Message) error {
	if err := b.Table.DB().Commit(ctx, b.PutPieces(m)...); err != nil && !errors.Is(err, ErrDuplicate) {
		return err
	}
	return nil
}
