package rulemodel

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"merve/internal/words/claim"
	"merve/internal/words/language"
)

// afterCalls are the phrases that are said only when a tool has just changed something.
var afterCalls = []string{"started", "moved", "noted", "photosOn", "noneOn", "complete", "done"}

// TestDeskVoices: the desk speaks every language of the product, all of it, and never says
// that something was done which nobody did.
func TestDeskVoices(t *testing.T) {
	t.Parallel()
	for _, tag := range language.Supported() {
		v := voices("desk")[tag]
		if v == nil {
			t.Errorf("%s: no voice", tag)
			continue
		}
		for name, want := range voices("desk")["en"] {
			if name == "tag" || strings.HasPrefix(name, "status ") {
				continue
			}
			phrase := v[name]
			if phrase == "" || strings.Count(phrase, "%") != strings.Count(want, "%") || strings.Count(phrase, "%d") != strings.Count(want, "%d") {
				t.Errorf("%s: %s is %q, want what %q says", tag, name, phrase, want)
			}
			var facts []string
			if slices.Contains(afterCalls, name) {
				facts = []string{string(claim.Done)}
			}
			for _, c := range claim.Unsupported(phrase, facts) {
				t.Errorf("%s: %s claims %s: %q", tag, name, c.Kind, c.Sentence)
			}
		}
		for _, status := range []string{"pending", "completed", "resolved"} {
			line := v.reports(v["mine"], []report{{address: "5 Oak Road", status: status}, {status: status}}, v["which"])
			if claims := claim.Find(line); len(claims) > 0 || !strings.Contains(line, v["status "+status]) || v["status "+status] == "" {
				t.Errorf("%s: %q claims %v", tag, line, claims)
			}
		}
	}
}

// TestDeskQuestions: a question is known again by its words, in each language.
func TestDeskQuestions(t *testing.T) {
	t.Parallel()
	for tag, v := range voices("desk") {
		for q, phrase := range map[question]string{deskAsksWhere: v["sorry"] + " " + v["where"], deskAsksAddress: v["address"], deskAsksPlace: v["places"] + "\n1. x\n" + v["place"],
			deskAsksPhotos: v["unclear"] + " " + v["photos"], deskAsksWhat: v["noted"] + " " + v["what"], deskAsksWhen: v["complete"] + " " + v["when"],
			deskAsksWhich: v["mine"] + "\n1. x\n" + v["which"] + " " + v["orNew"], asksNothing: v["canDo"]} {
			if got := askedFor("desk", phrase); got != q {
				t.Errorf("%s: %q is question %q, want %q", tag, phrase, got, q)
			}
		}
	}
}

// TestCueWords: each language has words for each cue, and what the desk tells customers to
// write is understood.
func TestCueWords(t *testing.T) {
	t.Parallel()
	for _, tag := range language.Supported() {
		for c := range lexica().desk["en"] {
			if lexica().desk[tag][c] == nil {
				t.Errorf("%s: no words for cue %q", tag, c)
			}
		}
	}
	for tag, words := range map[string][3]string{ // as the voices quote them: no photos, my reports, new
		"en": {"no photos", "my reports", "new"}, "tr": {"fotoğraf yok", "raporlarım", "yeni"}, "de": {"keine Fotos", "meine Meldungen", "neu"},
		"es": {"sin fotos", "mis partes", "nuevo"}, "fr": {"pas de photos", "mes signalements", "nouveau"}, "sw": {"sina picha", "ripoti zangu", "mpya"},
		"el": {"δεν έχω φωτογραφίες", "οι αναφορές μου", "νέα"}, "ru": {"нет фото", "мои заявки", "новая"}, "he": {"אין תמונות", "הדיווחים שלי", "חדש"},
		"ar": {"لا توجد صور", "بلاغاتي", "جديد"},
	} {
		e, v := earFor(tag), voices("desk")[tag]
		for i, phrase := range []string{v["photos"], v["canDo"], v["orNew"]} {
			if !strings.Contains(strings.ToLower(phrase), strings.ToLower(words[i])) {
				t.Errorf("%s: %q does not tell to write %q", tag, phrase, words[i])
			}
		}
		if s := e.listen(words[0], deskAsksPhotos); !s.noPhotos || s.aim != aimTell {
			t.Errorf("%s: %q is %+v, want that there are no photos", tag, words[0], s)
		}
		if s := e.listen(words[1], asksNothing); s.aim != aimList {
			t.Errorf("%s: %q is %+v, want the list", tag, words[1], s)
		}
		if s := e.listen(words[2], deskAsksWhich); !s.fresh {
			t.Errorf("%s: %q is %+v, want something new", tag, words[2], s)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tag, text, want string }{
		{"en", "the wall at 1 Elm Street is cracked, too", "1 Elm Street"}, {"en", "A leak at 12 Harbour St, Kyrenia. Come at 5", "12 Harbour St, Kyrenia"},
		{"en", "it broke on the street at 5 in the morning", ""}, {"en", "my kitchen is flooded", ""}, {"en", "at 7", ""}, {"en", "", ""},
		{"de", "In der Hafenstraße 12, Kyrenia ist ein Rohr geplatzt", "Hafenstraße 12, Kyrenia"}, {"es", "Se rompió una ventana en la calle Mayor 5", "la calle Mayor 5"},
		{"fr", "une fuite au 12 rue Victor Hugo, Paris", "12 rue Victor Hugo, Paris"}, {"ru", "Прорвало трубу на улице Ленина 5", "улице Ленина 5"},
		{"el", "Έσπασε σωλήνας στην οδό Λιμένος 12", "οδό Λιμένος 12"}, {"sw", "Bomba limepasuka kwenye Mtaa Uhuru 5", "Mtaa Uhuru 5"},
	} {
		if got := earFor(tt.tag).place(tt.text); got != tt.want {
			t.Errorf("%q names %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]section{
		"A pipe burst at 12.30 yesterday. Nobody was hurt! Call me: 555": {{"description", "A pipe burst at 12.30 yesterday."},
			{"cause", "A pipe burst at 12.30 yesterday."}, {"occurredAt", "A pipe burst at 12.30 yesterday."}, {"injuries", "Nobody was hurt!"}, {"contact", "Call me: 555"}},
		"The roof leaks. It is a nice roof.\nReally": {{"description", "The roof leaks.\nIt is a nice roof.\nReally"}},
		"a nice day": nil, "": nil,
	} {
		if got := earFor("en").sections(text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: sections %q, want %q", text, got, want)
		}
	}
}

func TestDeskAims(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text  string
		asked question
		want  aim
	}{
		{"someone shared a bad joke and nobody fixed the leak", deskAsksWhat, aimTell}, {"it was resolved by nobody", deskAsksWhen, aimMend},
		{"delete", asksNothing, aimRemove}, {"delete the second photo", asksNothing, aimUnclear}, {"the pipe was fixed but leaks again", asksNothing, aimTell},
		{"is it fixed?", asksNothing, aimUnclear}, {"the leak has been fixed", asksNothing, aimMend}, {"forget it", deskAsksWhat, aimLater},
		{"7qk2m4zx", asksNothing, aimJoin}, {"Abcd-efgh", asksNothing, aimUnclear}, {"I want to report something", asksNothing, aimTell},
		{"yes", deskAsksPhotos, aimUnclear}, {"no", deskAsksWhen, aimLater}, {"thank you so much", asksNothing, aimBow}, {"help", asksNothing, aimAssist},
		{"hello there", asksNothing, aimGreet}, {"[photo:ab]", deskAsksWhich, aimTell}, {"Share Street 5", deskAsksWhere, aimTell},
	} {
		if got := earFor("en").listen(tt.text, tt.asked).aim; got != tt.want {
			t.Errorf("%q to question %q is aim %d, want %d", tt.text, tt.asked, got, tt.want)
		}
	}
}
