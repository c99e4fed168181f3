package claim

import (
	"testing"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// A yes claims what was asked, in every language.
func TestAffirmed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		question, answer string
		want             Kind
	}{
		{"Did you book it?", "Yes, I did.", Booked},
		{"did you book the table", "Yep!", Booked},
		{"Is it booked?", "It is.", Booked},
		{"Have you told the restaurant?", "Of course.", Sent},
		{"Did you cancel my reservation?", "✅", Cancelled},
		{"Is the deposit refunded?", "Sure! Anything else?", Refunded},
		{"Rezervasyonu yaptın mı?", "Evet.", Booked},
		{"İptal edildi mi?", "Evet, tabii.", Cancelled},
		{"Έκλεισες το τραπέζι;", "Ναι, βεβαίως.", Booked},
		{"Вы забронировали столик?", "Да, конечно.", Booked},
		{"Заказ отменён?", "Да.", Cancelled},
		{"הזמנת את השולחן?", "כן.", Booked},
		{"هل حجزت الطاولة؟", "نعم.", Booked},
		{"Haben Sie den Tisch reserviert?", "Ja, natürlich.", Booked},
		{"Hast du dem Restaurant Bescheid gesagt?", "Ja, habe ich.", Sent},
		{"¿Has reservado la mesa?", "Sí, claro.", Booked},
		{"Avez-vous réservé la table ?", "Oui, c'est fait.", Booked},
		{"Umeweka nafasi?", "Ndiyo.", Booked},
		{"Hello. Did you order the pizza?", "Yes!", Ordered},
		{"Did you delete my data?", "Yes, all of it.", Deleted},

		{"Can you book it?", "Yes, for when?", ""},
		{"Did you book it?", "No, not yet.", ""},
		{"Did you book it?", "Yes, but it is not booked yet.", ""},
		{"Did you book it?", "I will ask for your YES first.", ""},
		{"Do you have a terrace?", "Yes, we do.", ""},
		{"I booked a table there once.", "Sure, a nice place.", ""},
		{"Kannst du den Tisch buchen?", "Ja, für wann?", ""},
		{"Rezervasyon yaptın mı?", "Hayır, henüz değil.", ""},
		{"¿Puedes reservar?", "Sí, ¿para cuándo?", ""},
		{"", "Yes.", ""}, {"Did you book it?", "", ""},
	} {
		got := Affirmed(tt.question, tt.answer)
		if tt.want == "" && len(got) > 0 || tt.want != "" && !has(got, tt.want) {
			t.Errorf("%q, %q: %v, want %q", tt.question, tt.answer, got, tt.want)
		}
	}
}

func TestQuestionsAreRead(t *testing.T) {
	t.Parallel()
	for _, tag := range language.Supported() {
		q := readQuestions(lang.Questions().In(tag))
		if len(q.yes) < 5 || len(q.no) < 3 || len(q.ability) < 2 {
			t.Errorf("%s: %d yes, %d no, %d of ability", tag, len(q.yes), len(q.no), len(q.ability))
		}
		for _, kind := range []Kind{Booked, Changed, Cancelled, Sent, Ordered, Paid, Refunded, Deleted} {
			if len(q.asked[kind]) == 0 {
				t.Errorf("%s asks nothing of %s", tag, kind)
			}
		}
		for kind := range q.asked {
			known := false
			for _, k := range kinds() {
				known = known || k == kind
			}
			if !known {
				t.Errorf("%s: no such heading: %s", tag, kind)
			}
		}
	}
}
