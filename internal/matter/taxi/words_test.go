package taxi_test

import (
	"strings"
	"testing"

	"merve/internal/matter/taxi"
	"merve/internal/spine/gate"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"YES K7PR": "yes K7PR", "yes k7pr": "yes K7PR", "YESK7PR": "yes K7PR", "yes-k7pr!": "yes K7PR", "K7PR yes": "yes K7PR", "yes k7 pr": "yes K7PR",
		"Yes, #K7PR.": "yes K7PR", "ok K7PR please": "yes K7PR", "👍": "yes ", "yes": "yes ", "NO K7PR": "no K7PR", "no": "no ", "no thanks": "no ",
		"evet k7pr": "yes K7PR", "ναι K7PR": "yes K7PR", "да К7РR": "yes K7PR", "כן K7PR": "yes K7PR", "نعم K٧PR": "yes K7PR", "sí k7pr": "yes K7PR", "oui K7PR": "yes K7PR",
		"ja K7PR": "yes K7PR", "ndiyo K7PR": "yes K7PR", "hayır K7PR": "no K7PR", "Нет, K7PR": "no K7PR",
		"ARRIVED K7PR": "arrived K7PR", "arrivedk7pr": "arrived K7PR", "I'm here": "arrived ", "geldim": "arrived ", "έφτασα K7PR": "arrived K7PR",
		"DONE": "done ", "done K7PR": "done K7PR", "bitti K7PR": "done K7PR", "terminé": "done ",
		"CANCEL K7PR": "cancel K7PR", "cancel": "cancel ", "iptal k7pr": "cancel K7PR", "Отмена K7PR": "cancel K7PR", "إلغاء": "cancel ",
		"AVAILABLE": "on ", "on": "on ", "Busy.": "off ", "OFF": "off ", "müsait değilim": "off ", "meşgul": "off ", "свободен": "on ",
		"K7PR": "code K7PR", "yes K7PR and K9PR": "", "yes K7PR K9PR": "code ", "K7PR K9PR": "code ",
		"": "", "   ": "", "hello": "", "yes?": "", "K7PR?": "", "where is K7PR": "", "yes, but in ten minutes": "", "on K7PR": "", "no problem, what is the fare": "",
		"'yes' K7PR": "", strings.Repeat("yes ", 20): "", "yes K0PR": "", "yes no K7PR": "", "1234": "", "3479": "code 3479", "\xff": "",
	} {
		verb, code, ok := taxi.Read(text)
		got := ""
		if ok {
			got = verb + " " + code
		}
		if got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// Each word means one thing, and none opts out or answers the gate as something else.
func TestWordsAreOne(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for verb, words := range taxi.OtherWords() {
		for _, w := range words {
			if other, ok := seen[language.Fold(w)]; ok && other != verb {
				t.Errorf("%q is %s and %s", w, verb, other)
			}
			seen[language.Fold(w)] = verb
		}
	}
	for w, verb := range taxi.Vocabulary() {
		if was, ok := seen[w]; ok && was != verb {
			t.Errorf("%q is %s in the catalogue and %s", w, verb, was)
		}
		answer := gate.Read(w)
		if verb == "cancel" && answer == gate.Yes || verb != "cancel" && answer != gate.Unclear {
			t.Errorf("%q is %s, and %s to the gate", w, verb, answer)
		}
		if gate.OptOut(w) != gate.None {
			t.Errorf("%q opts out or in", w)
		}
	}
}

// What drivers are told to write is understood, in every language.
func TestTheWordsToldAreUnderstood(t *testing.T) {
	t.Parallel()
	for _, lang := range language.Supported() {
		for key, want := range map[wording.Key]string{
			wording.TaxiWordArrived: "arrived", wording.TaxiWordDone: "done", wording.TaxiWordCancel: "cancel", wording.TaxiWordOn: "on",
			wording.TaxiWordOff: "off", wording.YesWord: "yes", wording.NoWord: "no",
		} {
			word := wording.Say(lang, key, nil)
			for _, text := range []string{word, strings.ToLower(word), word + " K7PR", word + "K7PR", "K7PR " + word} {
				verb, code, ok := taxi.Read(text)
				coded := strings.Contains(text, "K7PR")
				if coded && (want == "on" || want == "off") {
					continue
				}
				if !ok || verb != want || coded != (code == "K7PR") {
					t.Errorf("%s: %q is %q %q, %v", lang, text, verb, code, ok)
				}
			}
		}
	}
}

// Whatever is written, a reading is one of those there are, and a code one.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"YES K7PR", "да К7РR", "yes k7 pr", "\xff", "٣٤٧٩", "K7PRK7PR"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		verb, code, ok := taxi.Read(text)
		if ok && (verb == "" || code != "" && !taxi.IsCode(code)) || !ok && (verb != "" || code != "") {
			t.Errorf("%q: %q %q %v", text, verb, code, ok)
		}
	})
}
