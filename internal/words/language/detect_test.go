package language

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"merve/internal/base/seedtest"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{"I would like to book a table for two tonight", "en"},
		{"thanks, what about parking?", "en"},
		{"Is the room near the beach?", "en"},
		{"Merhaba", "tr"},
		{"Bu akşam iki kişilik masa istiyorum", "tr"},
		{"yarin saat 8 icin rezervasyon", "tr"},
		{"Θέλω ένα τραπέζι για δύο", "el"},
		{"Χρειάζομαι taxi", "el"},
		{"ναι", "el"},
		{"Привет! Нужен столик на двоих", "ru"},
		{"хочу Mercedes Vito на завтра", "ru"},
		{"да", "ru"},
		{"אני רוצה להזמין שולחן", "he"},
		{"כן", "he"},
		{"أريد حجز طاولة لشخصين", "ar"},
		{"حجز في Girne Marina Hotel", "ar"},
		{"Ich möchte einen Tisch für zwei Personen", "de"},
		{"guten Abend, ist morgen noch was frei", "de"},
		{"Hola, quiero reservar una mesa para dos personas", "es"},
		{"necesito un taxi al aeropuerto mañana", "es"},
		{"Bonjour, je voudrais une table pour deux", "fr"},
		{"est-ce que vous avez une chambre", "fr"},
		{"Habari, nataka meza kwa watu wawili", "sw"},
		{"naomba teksi kesho", "sw"},
		// Too little to tell, or equally much for two.
		{"", "xx"},
		{"ok", "xx"},
		{"12:30", "xx"},
		{"👍", "xx"},
		{"Hilton", "xx"},
		{"no", "xx"},
		{"merci danke", "xx"},
		{"hotel in Buenos Aires", "xx"},
		{"accept AU2A", "xx"}, // a code, which is made by chance
		{"π", "xx"},
	}
	for _, tt := range tests {
		if got := Detect(tt.text, "xx"); got != tt.want {
			t.Errorf("Detect(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestDetectAnything(t *testing.T) {
	t.Parallel()
	seedtest.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		got := Detect(text, "fallback")
		if got != "fallback" && !slices.Contains(Supported(), got) {
			t.Fatalf("Detect(%q) = %q, which is not supported", text, got)
		}
		if again := Detect(text, "fallback"); again != got {
			t.Fatalf("Detect(%q) = %q and then %q", text, got, again)
		}
	})
}

func TestDetectReadsTheBeginning(t *testing.T) {
	t.Parallel()
	text := "Merhaba, " + strings.Repeat("hello what which when ", 1<<16)
	if got := Detect(strings.Repeat("x", detectWindow)+" merhaba", "en"); got != "en" {
		t.Errorf("looked beyond the window: %q", got)
	}
	if got := Detect(text, "de"); got != "en" {
		t.Errorf("Detect(long text) = %q, want en", got)
	}
}
