package roster

import (
	"strings"
	"sync"

	"merve/internal/tenant/channel"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// switches are the words that somebody with a role writes to change to the customer's side and back, in addition to
// those that we tell them (package wording).
var switches = map[channel.Switch][]string{
	channel.ToCustomer: {
		"customer", "as customer", "as a customer", "customer mode", "i am a customer", "müşteri", "müşteri olarak", "müşteriyim", "πελάτης", "πελάτισσα", "ως πελάτης",
		"σαν πελάτης", "клиент", "как клиент", "я клиент", "לקוח", "לקוחה", "כלקוח", "כלקוחה", "زبون", "كزبون", "عميل", "كعميل", "kunde", "kundin", "als kunde", "als kundin",
		"cliente", "como cliente", "client", "cliente", "comme client", "en tant que client", "cliente", "mteja", "kama mteja",
	},
	channel.ToWork: {
		"work", "at work", "for work", "back to work", "work mode", "iş", "işe dön", "iş için", "δουλειά", "στη δουλειά", "για δουλειά", "работа", "по работе", "к работе",
		"עבודה", "לעבודה", "بعملي", "عمل", "العمل", "للعمل", "arbeit", "zur arbeit", "zurück zur arbeit", "trabajo", "al trabajo", "por trabajo", "travail", "au travail",
		"pour le travail", "kazi", "kazini", "kwa kazi",
	},
}

var switchWords = sync.OnceValue(func() map[string]channel.Switch {
	return wording.Vocabulary(map[wording.Key]channel.Switch{
		wording.RoleWordCustomer: channel.ToCustomer, wording.RoleWordWork: channel.ToWork,
	}, switches)
})

// maxSwitch bounds the bytes of a message that can be such a word.
const maxSwitch = 80

// SwitchOf reads a text as such a word; "" for any other.
func SwitchOf(text string) channel.Switch {
	if len(text) > maxSwitch {
		return ""
	}
	return switchWords()[language.Fold(strings.Join(strings.Fields(strings.Trim(text, " \t\n.!\"'“”«»*")), " "))]
}
