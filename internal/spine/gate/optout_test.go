package gate

import (
	"testing"

	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
)

func TestOptOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		want  Keyword
		texts []string
	}{
		{Stop, []string{
			"STOP", "stop", "Stop.", " stop! ", "ＳＴＯＰ", "stop stop STOP", "STOPALL", "stop all", "Unsubscribe", "OPTOUT",
			"opt out", "Opt-out", "REVOKE", "quit", "stop please", "Please stop, thank you", "unsubscribe 🙏",
			"abonelikten çık", "ABONELİKTEN ÇIK", "abonelikten cik", "ΣΤΟΠ", "στοπ", "απεγγραφή", "ΑΠΕΓΓΡΑΦΗ", "стоп",
			"СТОП", "Отписаться", "הסר", "הסירו אותי בבקשה", "إلغاء الاشتراك", "الغاء الاشتراك", "Abmelden", "STOPP",
			"abbestellen", "BAJA", "darme de baja", "por favor, darme de baja", "désabonner", "DESABONNER", "arrêt", "ARRET",
			"jiondoe",
		}},
		{Start, []string{
			"START", "start!", "UNSTOP", "opt in", "subscribe", "start please", "abone ol", "старт", "ALTA", "s’abonner",
			"jiunge", "abonnieren", "اشترك", "הרשמה", "εγγραφή",
		}},
		{None, []string{
			"", " ", "please", "thanks", "yes", "no", "CANCEL", "END", "iptal", "ακύρωση", "отмена", "ביטול", "إلغاء",
			"stornieren", "cancelar", "annuler", "ghairi", "stop?", "stop start", "start stop", "\"stop\"", "stop 2", "don't stop",
			"dur", "hello", "starting", "nonstop", "stop no", "stop cancel", "stop yes", "s\u0336t\u0336o\u0336p\u0336",
		}},
	}
	for _, tt := range tests {
		for _, text := range tt.texts {
			if got := OptOut(text); got != tt.want {
				t.Errorf("OptOut(%q) = %v, want %v", text, got, tt.want)
			}
		}
	}
}

// A keyword counts as the whole message only.
func TestField35_StopInsideASentence(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"We have got to STOP this bill", "please stop at the pharmacy", "the bus stop is far", "can the taxi stop twice",
		"I quit smoking", "stop the booking", "do not stop", "when do you start", "start at 8", "STOP it now",
		"lütfen durakta dur", "стоп, а во сколько", "la planta baja", "habitación en planta baja", "arrêt de bus",
		"Abmelden um 8", "הסר את הבצל", "stop\nI mean the other hotel",
	} {
		if got := OptOut(text); got != None {
			t.Errorf("OptOut(%q) = %v, want none", text, got)
		}
	}
}

func TestKeywordWithAnotherWordIsNone(t *testing.T) {
	t.Parallel()
	listed := listedPhrases(t, keywords)
	other := unlistedWord(t)
	seedtest.Check(t, func(t *rapid.T) {
		text, word := rapid.SampledFrom(listed).Draw(t, "keyword"), other.Draw(t, "word")
		for _, sentence := range []string{text + " " + word, word + " " + text} {
			if got := OptOut(sentence); got != None {
				t.Fatalf("OptOut(%q) = %v, want none", sentence, got)
			}
		}
	})
}

func FuzzOptOut(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		if OptOut(text) == None {
			return
		}
		for _, more := range []string{" the bus", "?", " 2", " stop start"} {
			if after := OptOut(text + more); after != None {
				t.Errorf("OptOut(%q) = %v, want none", text+more, after)
			}
		}
	})
}
