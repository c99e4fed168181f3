package rulemodel

import (
	"slices"
	"strings"
)

// fillers are folded words that say nothing about what is looked for.
var fillers = strings.Fields(`
	a an the and or but so of for to in on at by with from near around within about into it its is are was be been am
	i i'd i'm i'll i've me my we we'd we're us our you your u he she they them this that these those there here one ones
	do does did can could would will shall should may might must let let's have has had get got go going want wanted need
	like looking look search find show recommend suggest please pls thanks thank hello hi hey good ok okay yes no not any
	some something anything somewhere place places option options book booking reserve reservation reservations table
	appointment available availability free time date day days night nights week evening morning afternoon tonight today
	tomorrow people person persons guests party us what which where when who how much many more less than under below up
	max maximum cheap cheaper cheapest euro euros eur € pounds pound dollars tl lira also just really very nice best great
	take try choose pick give make made change instead then well maybe tell details info open opening hours slots if as too
	ask see know help someone everybody all other another else want's there's that's what's where's it's i'd've
	ve veya ya ile icin de da ki mi mu bir bu su o ben biz sen siz bana bize beni bizi benim bizim sana var yok mi mi? ne
	nasil nerede neresi hangi hangisi kac kim istiyorum istiyoruz isterim isteriz istiyor lazim gerek gerekli ariyorum
	ariyoruz ara arar misin misiniz bul bulur bulabilir gosterir goster oner onerir onerebilir lutfen merhaba selam evet
	hayir tamam olur peki rezervasyon rezerve randevu masa yer yerler ayirt ayirtmak ayirir etmek yapmak olan olsun olarak
	bugun yarin aksam aksama sabah sabaha gece geceye ogleden sonra once saat saati gun gunu hafta sonu haftaya gelecek
	kisi kisilik kisiyiz kisi icin tane adet gibi kadar en cok daha az fazla ucuz altinda alti ustu euroya euro lira tl
	acaba fiyat fiyati fiyatlar fiyatlari ucret ucreti para adres adresi price prices address hmm hm mm uh um eh oh ah lol haha lot bilgi detay detayli hakkinda musait bos onu bunu sunu orasi burasi burada orada hem sadece biraz guzel iyi olabilir
	olacak bakar bakabilir tesekkurler tesekkur sagol deneyelim alalim secelim cost costs phone telephone contact number directions call ring located address far map closed close closes allowed isn't they're
	you're acik kapali telefon telefonu numarasi konumu tarifi yol gidilir giderim kacta acilir kapanir sec seciyorum alayim numara secenek`)

// filler reports whether a folded word says nothing by itself. Evening and noon are
// filler unless a meal follows.
func filler(plain, next string) bool {
	if (plain == "aksam" || plain == "ogle" || plain == "sabah") && strings.HasPrefix(next, "yeme") {
		return false
	}
	if plain == "ogle" || plain == "ogleden" {
		return true
	}
	return len(plain) == 1 && plain[0] >= 'a' && plain[0] <= 'z' || slices.Contains(fillers, plain)
}

// onlyTurkish and onlyEnglish are folded words that give a short message's language away.
var (
	onlyTurkish = strings.Fields(`sen siz kimsin nesin misin musun misiniz musunuz selam slm mrb ilk ilki birinci birincisi ikinci ikincisi ucuncu
		ucuncusu sonuncusu hangisi bul goster ara iptal et gece gun saat yarin bugun aksam sabah ogle kisi kisilik masa otel tekne gezi turu
		balik yemek kahvalti kuafor berber masaj randevum rezervasyonum rezervasyonlarim en ucuz ucuzu olsun vazgectim yardim
		odeme odemem odemek geldi hatirlat temsilci bitti tukendi kalmadi kapaliyiz kapali sor ertele tamam dakika pazartesileri musteri`)
	onlyEnglish = strings.Fields(`who what you are the first second third last one find show cancel nights night people for at on my bookings
		booking tomorrow today tonight monday tuesday wednesday thursday friday saturday sunday help dinner lunch breakfast boat trip cheapest in near under with to somewhere restaurant room stay haircut massage barber
		cancel can could would`)
)

// things are the stems of what a marketplace may hold, in both languages, by the domain
// that it is found in. A message with one of them is a search, also in the middle of
// something else.
var things = []struct {
	domain string
	stems  []string
}{
	{"food", strings.Fields(`restaurant dinner lunch breakfast brunch sushi pizza pasta kebab meze fish seafood steak burger cafe coffee bar wine
		winery vegan vegetarian food eat drink tapas thai italian restoran lokanta yemek yemegi kahvalti balik susi meyhane kebap doner kafe
		kahve sarap vejetaryen`)},
	{"tours", strings.Fields(`boat yacht trip tour cruise sail sailing diving dive snorkel kayak paragliding safari hike hiking excursion castle
		turtle horse jeep tekne yat yelken tur gezi dalis parasut kalesi kaplumbaga`)},
	{"stays", strings.Fields(`hotel room suite stay villa apartment hostel guesthouse bungalow accommodation resort otel pansiyon oda konaklama
		bungalov`)},
	{"wellness", strings.Fields(`massage spa hammam sauna haircut hairdresser hair barber shave nails manicure facial salon beauty yoga pilates
		masaj hamam kuafor berber sac manikur guzellik tirnak`)},
	{"services", strings.Fields(`cleaning cleaner plumber electrician repair photographer car rental scooter doctor dentist vet veterinary taxi
		transfer temizlik tesisat klima tamir fotograf araba arac kiralama kiralik disci doktor veteriner taksi`)},
	{"events", strings.Fields(`concert cinema film jazz golf padel tennis konser sinema caz tenis`)},
	{"", strings.Fields(`museum gym bike bicycle class lesson photo wedding muze spor bisiklet ders kursu dugun`)},
}

// isThing reports whether a folded word names something to look for.
func isThing(plain string) bool {
	for _, t := range things {
		if slices.ContainsFunc(t.stems, func(stem string) bool { return hasStem(plain, stem) }) {
			return true
		}
	}
	return false
}

// domainOf is the domain of the thing that a folded word names, "" for none.
func domainOf(plain string) string {
	for _, t := range things {
		if slices.ContainsFunc(t.stems, func(stem string) bool { return hasStem(plain, stem) }) {
			return t.domain
		}
	}
	return ""
}

// endings that a short stem may carry: English plural, Turkish possessive and plural.
var endings = []string{"", "s", "i", "u", "si", "su", "lar", "ler", "lari", "leri"}

// hasStem reports whether a folded word is stem with an ending. A longer stem may carry any.
func hasStem(plain, stem string) bool {
	rest, ok := strings.CutPrefix(plain, stem)
	return ok && (len(stem) > 4 || slices.Contains(endings, rest))
}

// otherWords says in a catalogue's words what a customer's stem means.
var otherWords = [][2]string{
	{"restoran", "restaurant"}, {"lokanta", "restaurant"}, {"aksam", ""}, {"ogle", ""},
	{"yemek", "restaurant"}, {"yemegi", "restaurant"}, {"dinner", "restaurant"}, {"lunch", "restaurant"},
	{"kahvalti", "breakfast"}, {"balik", "fish"}, {"susi", "sushi"}, {"sarap", "wine"}, {"kahve", "coffee"}, {"kafe", "cafe"},
	{"otel", "hotel"}, {"konaklama", "hotel"}, {"oda", "room"}, {"tekne", "boat"}, {"yat", "boat"}, {"gezi", "trip"},
	{"tur", "tour"}, {"dalis", "diving"}, {"muze", "museum"}, {"kalesi", "castle"}, {"masaj", "massage"},
	{"kuafor", "hairdresser"}, {"sac", "hair"}, {"berber", "barber"}, {"guzellik", "beauty"}, {"taksi", "taxi"},
	{"arac", "car"}, {"araba", "car"}, {"bisiklet", "bike"}, {"doktor", "doctor"}, {"disci", "dentist"},
	{"temizlik", "cleaning"}, {"girne", "Kyrenia"}, {"lefkosa", "Nicosia"}, {"magusa", "Famagusta"},
	{"gazimagusa", "Famagusta"}, {"cift", "double"}, {"aile", "family"}, {"suit", "suite"}, {"kiralamak", "rental"},
}

// translated returns words with those replaced that have another word.
func translated(words, plain []string) string {
	var out []string
	for i, word := range words {
		for _, pair := range otherWords {
			if hasStem(plain[i], pair[0]) {
				word = pair[1]
				break
			}
		}
		if word != "" && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return strings.Join(out, " ")
}
