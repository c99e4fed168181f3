package standing

import (
	"maps"
	"strings"
	"sync"
	"unicode"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// Spoken is the language in which a text is contradicted: its own, when it is one of the thirty that the
// product does not speak otherwise, else the customer's.
func Spoken(text, customers string) string {
	if tag := byScript(text); tag != "" {
		return tag
	}
	if tag := byWords(text); tag != "" {
		return tag
	}
	return customers
}

// byScript knows languages by letters that only they write; "" is one that the product speaks, or a
// script that several share.
func byScript(text string) string {
	count := map[string]int{}
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Hangul, r):
			count["ko"]++
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			count["ja"]++
		case unicode.Is(unicode.Han, r):
			count["zh"]++
		case unicode.Is(unicode.Devanagari, r):
			count["hi"]++
		case strings.ContainsRune("پچژگی", r):
			count["fa"]++
		case strings.ContainsRune("іїєґІЇЄҐ", r):
			count["uk"]++
		case strings.ContainsRune("ыэёЫЭЁ", r):
			count["ru"]++
		case unicode.Is(unicode.Cyrillic, r):
			count["cyrillic"]++
		case unicode.Is(unicode.Arabic, r):
			count["arabic"]++
		case unicode.Is(unicode.Latin, r):
			count["latin"]++
		}
	}
	switch {
	case count["ja"] > 1: // along with Chinese characters, which Japanese has too
		return "ja"
	case count["ko"] > 1 && count["ko"] >= count["latin"]/3:
		return "ko"
	case count["zh"] > 1 && count["zh"] >= count["latin"]/6:
		return "zh"
	case count["hi"] > 1 && count["hi"] >= count["latin"]/3:
		return "hi"
	case count["fa"] > 1 && count["fa"]*15 >= count["arabic"]:
		return "fa"
	case count["uk"] > 0 && count["ru"] == 0:
		return "uk"
	}
	return ""
}

// byWords knows languages by their small words. One language has to have more of them in a text than any
// other, those that the product speaks counted too.
func byWords(text string) string {
	scores := map[string]int{}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' })
	for _, w := range words {
		for tag, list := range smallWords() {
			if strings.Contains(list, " "+w+" ") {
				scores[tag]++
			}
		}
	}
	best, top, second := "", 0, 0
	for tag, n := range scores {
		switch {
		case n > top:
			best, top, second = tag, n, top
		case n > second:
			second = n
		}
	}
	if top < 2 || top == second {
		return ""
	}
	if _, spoken := language.Normalize(best); spoken {
		return ""
	}
	return best
}

// smallWords are frequent words of languages in Latin and Cyrillic letters, each between spaces: of those that we speak, and
// of others.
var smallWords = sync.OnceValue(func() map[string]string {
	all := maps.Clone(unspoken)
	for tag, text := range lang.Detect().All() {
		all[tag] = " " + strings.Join(lang.Sections(text)["[frequent]"], " ") + " "
	}
	return all
})

// unspoken are such words of languages that we do not speak.
var unspoken = map[string]string{
	"it": " il lo la gli le è e per suo sua tuo tua ha stato stata ho una un con nel nella di del della che tavolo prenotazione prenotato confermata sono alle non si ",
	"pt": " o a os as é e para seu sua você foi uma um com em no na de do da que mesa reserva reservada está confirmada às não se já ",
	"nl": " de het een is en voor uw je jouw u heb hebt heeft werd van met op om in er wordt tafel geboekt gereserveerd bevestigd ik uur niet zijn bestelling ",
	"pl": " i w na dla jest został została zostało z o do że pana pani twój twoja się nie stolik rezerwacja zarezerwowany zarezerwowałem potwierdzona godzinie już twoje ",
	"ro": " și este pentru o un la de dumneavoastră dvs ta tău a fost am cu în pe că masa rezervarea rezervată rezervat confirmată ora nu ați sunt ",
	"cs": " a je pro váš vaše na v ve se s byl byla bylo jsem stůl rezervace rezervován rezervoval potvrzena na hodin ne že máte objednávka ",
	"hu": " a az és egy van hogy önnek ön az asztal foglalás foglalása lefoglaltam lefoglalva megerősítve órára nem is már meg számára ",
	"sv": " och är för ditt din dina har jag ett en med på till att det bord bokat bokad bokning bekräftad klockan inte har kl av den ",
	"da": " og er til dit din dine har jeg et en med på at det bord booket bestilt bestilling reservation bekræftet klokken ikke kl af den blevet ",
	"nb": " og er til ditt din dine har jeg et en med på at det bord booket bestilt bestilling reservasjon reservert bekreftet klokken ikke kl av den blitt ",
	"fi": " ja on sinun teidän teille varaus varaus varasin pöytä pöytäsi varattu vahvistettu kello olen ei että se klo varauksesi huomenna sinulle hänelle ovat ",
	"id": " yang dan untuk anda sudah telah di pada dengan ini itu meja pemesanan dipesan reservasi dikonfirmasi saya tidak jam pukul akan kami ",
	"vi": " và là của cho bạn đã được với lúc bàn đặt xác nhận tôi không có này người vào tại chỗ ",
	"bg": " и е за вашата вашият ви беше съм на в с да не че маса масата резервация резервацията резервирана потвърдена резервирах часа сте са вас по от ",
	"uk": " і й на для ви ваш ваша ваше було був була я не що стіл столик замовлення заброньовано підтверджено з вам це вже по у до ",
}
