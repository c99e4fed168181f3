package outbox

import (
	"merve/internal/tenant/channel"
	"merve/internal/words/wording"
)

// Origin is the person whose words a message passes on. If the message is given up, for whatever
// reason, they are told.
type Origin struct {
	Thread   string `dynamodbav:"thread"`
	To       string `dynamodbav:"to"`
	Code     string `dynamodbav:"code"` // code of the matter it is about
	Language string `dynamodbav:"lang,omitempty"`
}

// Undelivered returns the message that tells them m did not arrive, the same one each time.
func (o Origin) Undelivered(m Message) Message {
	return Message{
		Thread: o.Thread, ID: "undelivered." + m.Thread + "." + m.ID, Market: m.Market, Channel: channel.WhatsApp, From: m.From, To: o.To,
		Text: wording.Say(o.Language, wording.RelayUndelivered, wording.Vars{"code": o.Code}), Kind: Notice, ByPerson: true, Trace: m.Trace, About: o.Code,
	}
}
