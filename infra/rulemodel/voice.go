package rulemodel

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// voice is how the rules speak one language. It never says that something is booked:
// that is for whoever booked it.
type voice struct {
	standIn  string // what this is; it tells, too, that it was said before
	proposed string // after a proposal; the question for YES or NO follows it
	instead  string // heads the times that are free instead

	hello, canDo, thanks, person, dropped, declined, unclear string
	bye, wellAndYou, nothingOpen                             string
	onlyThese                                                string // said to one who writes another language
	found, foundOne, nothing, which, tryThis                 string
	similar, noneOpen, noneSoCheap                           string // of a search that had to look further
	whichOffering, whichOf, whichTime                        string
	when, arrive, time, nights, days, party, from            string
	taken, refused, away, cannot, gone                       string
	free, what, contact                                      string
	per                                                      map[string]string // what a price is for
	weekdays                                                 []string          // from Monday on, short
	mine, noneOfMine, cancelWhich, cancelAsked, cancelled    string
	statuses                                                 map[string]string
	date                                                     func(d time.Time) string
}

var english = voice{
	standIn:  "I'm Merve's built-in rule-based stand-in, not a large language model",
	proposed: "Here is the offer; please check it.",
	instead:  "The nearest free times are:",

	hello:   "Hello!",
	canDo:   "I can find places and activities, and prepare a booking for you to confirm. Try “sushi in Kyrenia”, “boat trip under 100 euros” or “my bookings”.",
	thanks:  "You're welcome. Just write when you need something else.",
	person:  "I can't hand you over to a person from here; I can search, prepare bookings and show or cancel yours.",
	dropped: "All right, I've dropped that. What else can I find for you?",
	bye:     "Goodbye! Just write when you need something.", wellAndYou: "I'm fine, thank you! What can I do for you?",
	nothingOpen: "All right. Nothing is waiting for your answer at the moment. What can I do for you?",
	declined:    "All right. Tell me another day, time or place, or what else you're looking for.",
	unclear:     "Sorry, I didn't get that; I only follow simple rules.",

	onlyThese: "I only understand English, Turkish, Greek, Russian, Hebrew and Arabic. ",

	found:    "Here is what I found for “%s”:",
	foundOne: "I found %s.",
	nothing:  "Nothing came up for “%s”.",
	similar:  "Nothing fits “%s” exactly. Similar:", noneOpen: "Nothing that fits is open right now.", noneSoCheap: "Nothing that fits costs so little.",
	which:   "Which one would you like? Answer with its number or name.",
	tryThis: "Try other words, for example “restaurant in Kyrenia” or “boat trip”.",

	whichOffering: "%s offers:",
	whichOf:       "Which of these shall it be?",
	whichTime:     "Which time shall it be?",
	arrive:        "From which day? For example “24 November”.",
	when:          "When would you like to come? For example “tomorrow at 7pm”.",
	time:          "At what time on %s?",
	nights:        "For how many nights?",
	days:          "For how many days?",
	party:         "For how many people?",
	from:          "from %s",

	taken:   "That time can't be had.",
	refused: "That didn't work: %s",
	contact: "This business wants to know who comes: what are your name and phone number?",
	away:    "I can't reach that right now. Please try again in a moment.",
	cannot:  "I can't do that here right now.",
	gone:    "I can't find that any more.",

	free: "Next free:",
	what: "What are you looking for, and where?",
	per:  map[string]string{"person": "per person", "night": "per night"},

	weekdays: []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"},

	mine:        "Your bookings:",
	noneOfMine:  "You have no bookings yet.",
	cancelWhich: "Which one shall I cancel? Answer with its number.",
	cancelAsked: "Please check that this is the one you mean.",
	cancelled:   "The cancellation went through.",
	statuses:    map[string]string{"hold": "waiting for your answer"},
	date:        func(d time.Time) string { return d.Format("Mon 2 Jan") },
}

var turkish = voice{
	standIn:  "Ben Merve'nin yerleşik, kurallarla çalışan yedeğiyim; büyük bir dil modeli değilim",
	proposed: "Teklif şöyle; lütfen kontrol edin.",
	instead:  "En yakın boş saatler:",

	hello:   "Merhaba!",
	canDo:   "Mekân ve etkinlik bulabilir, onaylamanız için rezervasyon hazırlayabilirim. Örneğin “Girne'de akşam yemeği”, “100 euro altında tekne turu” veya “rezervasyonlarım” yazın.",
	thanks:  "Rica ederim. Başka bir şey gerekirse yazın.",
	person:  "Sizi buradan bir kişiye bağlayamıyorum; arama yapabilir, rezervasyon hazırlayabilir, rezervasyonlarınızı gösterebilir veya iptal edebilirim.",
	dropped: "Tamam, bıraktım. Sizin için başka ne bulabilirim?",
	bye:     "Hoşça kalın! Bir şey gerekirse yazın.", wellAndYou: "İyiyim, teşekkürler! Sizin için ne yapabilirim?",
	nothingOpen: "Tamam. Şu anda yanıtınızı bekleyen bir şey yok. Sizin için ne yapabilirim?",
	declined:    "Tamam. Başka bir gün, saat veya yer söyleyin ya da ne aradığınızı yazın.",
	unclear:     "Üzgünüm, anlayamadım; yalnızca basit kurallarla çalışıyorum.",

	onlyThese: "Yalnızca İngilizce, Türkçe, Yunanca, Rusça, İbranice ve Arapça anlıyorum. ",

	found:    "“%s” için bulduklarım:",
	foundOne: "Bulduğum: %s.",
	nothing:  "“%s” için sonuç çıkmadı.",
	similar:  "“%s” için tam uyan yok. Benzerleri:", noneOpen: "Uyanlardan şu an açık olan yok.", noneSoCheap: "Uyanlardan bu kadar ucuz olan yok.",
	which:   "Hangisini istersiniz? Numarasını veya adını yazın.",
	tryThis: "Başka sözcüklerle deneyin, örneğin “Girne'de restoran” veya “tekne turu”.",

	whichOffering: "%s seçenekleri:",
	whichOf:       "Bunlardan hangisi olsun?",
	whichTime:     "Hangi saat olsun?",
	arrive:        "Hangi günden itibaren? Örneğin “24 Kasım”.",
	when:          "Ne zaman gelmek istersiniz? Örneğin “yarın akşam 8'de”.",
	time:          "%s günü saat kaçta?",
	nights:        "Kaç gece kalacaksınız?",
	days:          "Kaç gün için?",
	party:         "Kaç kişisiniz?",
	from:          "başlangıç fiyatı %s",

	taken:   "O saat uygun değil.",
	refused: "Olmadı: %s",
	contact: "Bu işletme kimin geleceğini bilmek istiyor: adınız ve telefon numaranız nedir?",
	away:    "Şu anda ulaşamıyorum. Lütfen biraz sonra yeniden deneyin.",
	cannot:  "Bunu şu anda burada yapamıyorum.",
	gone:    "Onu artık bulamıyorum.",

	free: "Sıradaki boş saatler:",
	what: "Ne arıyorsunuz ve nerede?",
	per:  map[string]string{"person": "kişi başı", "night": "gecelik"},

	weekdays: []string{"Pzt", "Sal", "Çar", "Per", "Cum", "Cmt", "Paz"},

	mine:        "Rezervasyonlarınız:",
	noneOfMine:  "Henüz bir rezervasyonunuz yok.",
	cancelWhich: "Hangisini iptal edeyim? Numarasını yazın.",
	cancelAsked: "Lütfen kastettiğinizin bu olduğunu kontrol edin.",
	cancelled:   "İptal işlemi tamamlandı.",
	statuses: map[string]string{"hold": "yanıtınızı bekliyor", "confirmed": "onaylı", "cancelled": "iptal", "expired": "süresi doldu",
		"draft": "taslak"},
	date: func(d time.Time) string {
		months := []string{"Ocak", "Şubat", "Mart", "Nisan", "Mayıs", "Haziran", "Temmuz", "Ağustos", "Eylül", "Ekim", "Kasım", "Aralık"}
		days := []string{"Pazar", "Pazartesi", "Salı", "Çarşamba", "Perşembe", "Cuma", "Cumartesi"}
		return fmt.Sprintf("%d %s %s", d.Day(), months[d.Month()-1], days[d.Weekday()])
	},
}

// before is what a phrase says before what is put into it, after what it says behind.
func before(phrase string) string { s, _, _ := strings.Cut(phrase, "%s"); return s }
func after(phrase string) string  { _, s, _ := strings.Cut(phrase, "%s"); return s }

func longer(a, b string) string {
	if len(a) > len(b) {
		return a
	}
	return b
}

// showed reports whether a text of ours showed listings to choose from or go on with.
func (v *voice) showed(said string) bool {
	return strings.Contains(said, v.which) || strings.Contains(said, before(v.foundOne))
}

// asked returns what a text of ours asked for.
func (v *voice) asked(said string) question {
	for _, a := range []struct {
		phrase string
		q      question
	}{
		{v.whichOf, askOffering}, {v.whichTime, askSlot}, {v.when, askDate}, {v.arrive, askDate}, {longer(before(v.time), after(v.time)), askTime},
		{v.nights, askNights}, {v.days, askNights}, {v.party, askParty}, {v.which, askWhich},
	} {
		if strings.Contains(said, a.phrase) {
			return a.q
		}
	}
	return askNothing
}

// missed reports whether a text of ours says that nothing came up.
func (v *voice) missed(said string) bool {
	return slices.ContainsFunc([]string{v.nothing, v.similar}, func(phrase string) bool {
		return strings.Contains(said, before(phrase)) && strings.Contains(said, after(phrase))
	}) || strings.Contains(said, v.noneOpen) || strings.Contains(said, v.noneSoCheap)
}

func (v *voice) status(s string) string {
	if said, ok := v.statuses[s]; ok {
		return said
	}
	return s
}

// slot puts a free time into words that the rules can read again.
func (v *voice) slot(s slot) string {
	d, err := time.Parse(time.DateOnly, s.date)
	if err != nil {
		return strings.TrimSpace(s.date + " " + s.clock)
	}
	if end, err := time.Parse(time.DateOnly, s.end); err == nil {
		return v.date(d) + " – " + v.date(end)
	}
	return strings.TrimSpace(v.date(d) + " " + s.clock)
}

// money puts an amount into words: "€25", "12.50 SEK".
func (m money) String() string {
	if m.currency == "" || m.minor == 0 {
		return ""
	}
	amount := fmt.Sprint(m.minor / 100)
	if cents := m.minor % 100; cents != 0 {
		amount += fmt.Sprintf(".%02d", cents)
	}
	switch m.currency {
	case "EUR":
		return "€" + amount
	case "GBP":
		return "£" + amount
	case "USD":
		return "$" + amount
	case "TRY":
		return "₺" + amount
	}
	return amount + " " + m.currency
}

// most that is shown of each
const (
	shownListings = 5
	shownSlots    = 4
	maxName       = 80
)

// listing is one line about l.
func (v *voice) listing(l listing) string {
	parts := []string{clean(l.name, maxName)}
	if l.place != "" {
		parts = append(parts, clean(l.place, maxName))
	}
	if price := l.from.String(); price != "" {
		parts = append(parts, fmt.Sprintf(v.from, price))
	}
	return strings.Join(parts, " · ")
}

func (v *voice) offering(o offering) string {
	parts := []string{clean(o.name, maxName)}
	if price := o.price.String(); price != "" {
		parts = append(parts, price)
	}
	if len(parts) > 1 && v.per[o.per] != "" {
		parts[1] += " " + v.per[o.per]
	}
	if open := week(o.hours, v.weekdays); open != "" {
		parts = append(parts, open)
	}
	return strings.Join(parts, " · ")
}

// enumerate lists n things, one a line, with the question that follows them.
func enumerate(head string, n int, line func(i int) string, tail string) string {
	lines := []string{head}
	for i := range n {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, line(i)))
	}
	return strings.Join(append(lines, tail), "\n")
}

func (v *voice) listings(head string, ls []listing) string {
	return enumerate(head, min(len(ls), shownListings), func(i int) string { return v.listing(ls[i]) }, v.which)
}

func (v *voice) offerings(l listing) string {
	return enumerate(fmt.Sprintf(v.whichOffering, clean(l.name, maxName)), min(len(l.offerings), 2*shownListings),
		func(i int) string { return v.offering(l.offerings[i]) }, v.whichOf)
}

func (v *voice) slots(head string, slots []slot) string {
	return enumerate(head+" "+v.instead, min(len(slots), shownListings),
		func(i int) string { return v.slot(slots[i]) }, v.whichTime)
}
