package wording

import (
	"testing"
	"time"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Istanbul")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := time.ParseInLocation("2006-01-02 15:04", s, zone)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestWhen(t *testing.T) {
	t.Parallel()
	tests := []struct{ lang, start, end, want string }{
		{"en", "2026-11-21 19:00", "2026-11-21 20:30", "Sat 21 Nov 2026, 19:00–20:30"},
		{"tr", "2026-11-21 19:00", "2026-11-21 20:30", "21 Kas 2026 Cmt, 19:00–20:30"},
		{"el", "2026-11-21 19:00", "2026-11-21 20:30", "Σάβ 21 Νοε 2026, 19:00–20:30"},
		{"ru", "2026-11-21 19:00", "2026-11-21 20:30", "сб, 21 нояб. 2026, 19:00–20:30"},
		{"he", "2026-11-21 19:00", "2026-11-21 20:30", "שבת, 21 בנובמבר 2026, 19:00–20:30"},
		{"ar", "2026-11-21 19:00", "2026-11-21 20:30", "السبت، 21 نوفمبر 2026، 19:00–20:30"},
		{"de", "2026-11-21 19:00", "2026-11-21 20:30", "Sa., 21. Nov. 2026, 19:00–20:30 Uhr"},
		{"es", "2026-11-21 19:00", "2026-11-21 20:30", "sáb, 21 nov 2026, 19:00–20:30"},
		{"fr", "2026-11-21 19:00", "2026-11-21 20:30", "sam. 21 nov. 2026, 19:00–20:30"},
		{"sw", "2026-11-21 19:00", "2026-11-21 20:30", "Jumamosi, 21 Nov 2026, 19:00–20:30"},
		{"en", "2026-11-21 09:05", "2026-11-21 09:05", "Sat 21 Nov 2026, 09:05"},
		{"en", "2026-11-21 09:05", "2026-11-20 09:05", "Sat 21 Nov 2026, 09:05"},
		{"en", "2026-11-21 19:00", "2026-11-22 00:00", "Sat 21 Nov 2026, 19:00–00:00"},
		{"en", "2026-11-21 22:00", "2026-11-22 01:00", "Sat 21 Nov 2026, 22:00 – Sun 22 Nov 2026, 01:00"},
		{"en", "2026-11-21 15:00", "2026-11-24 11:00", "21–24 Nov 2026, 3 nights"},
		{"en", "2026-11-21 15:00", "2026-11-22 11:00", "21–22 Nov 2026, 1 night"},
		{"en", "2026-11-28 15:00", "2026-12-02 11:00", "28 Nov – 2 Dec 2026, 4 nights"},
		{"en", "2026-12-30 15:00", "2027-01-02 11:00", "30 Dec 2026 – 2 Jan 2027, 3 nights"},
		{"en", "2026-11-21 15:00", "2027-11-21 11:00", "21 Nov 2026 – 21 Nov 2027, 365 nights"},
		{"de", "2026-11-28 15:00", "2026-12-02 11:00", "28. Nov. – 2. Dez. 2026, 4 Nächte"},
		{"ru", "2026-11-01 15:00", "2026-11-22 11:00", "1–22 нояб. 2026, 21 ночь"},
		{"ru", "2026-11-01 15:00", "2026-11-12 11:00", "1–12 нояб. 2026, 11 ночей"},
		{"ru", "2026-11-01 15:00", "2026-11-04 11:00", "1–4 нояб. 2026, 3 ночи"},
		{"ar", "2026-11-01 15:00", "2026-11-03 11:00", "1–3 نوفمبر 2026، ليلتان"},
		{"ar", "2026-11-01 15:00", "2026-11-04 11:00", "1–4 نوفمبر 2026، 3 ليالٍ"},
		{"ar", "2026-11-01 15:00", "2026-11-13 11:00", "1–13 نوفمبر 2026، 12 ليلة"},
		{"he", "2026-11-01 15:00", "2026-11-03 11:00", "1–3 בנובמבר 2026, שני לילות"},
		{"tr", "2026-11-01 15:00", "2026-11-04 11:00", "1–4 Kas 2026, 3 gece"},
	}
	for _, tt := range tests {
		if got := When(tt.lang, at(t, tt.start), at(t, tt.end)); got != tt.want {
			t.Errorf("When(%s, %s, %s) = %q, want %q", tt.lang, tt.start, tt.end, got, tt.want)
		}
	}
}

// Plural forms are those of the language (CLDR), also where texts of several are the same by now.
func TestNightsForm(t *testing.T) {
	t.Parallel()
	for lang, forms := range map[string]map[Key][]int{
		"en": {keyNightsOne: {1}, keyNightsTwo: {2}, keyNightsOther: {3, 11, 21, 100}},
		"ru": {keyNightsOne: {1, 21, 101}, keyNightsFew: {2, 4, 22, 104}, keyNightsMany: {5, 11, 12, 14, 20, 111, 114}},
		"ar": {keyNightsOne: {1}, keyNightsTwo: {2}, keyNightsFew: {3, 10, 103, 110}, keyNightsMany: {11, 99, 111}, keyNightsOther: {100, 102}},
	} {
		for want, numbers := range forms {
			for _, n := range numbers {
				if got := in(lang).nightsForm(n); got != want {
					t.Errorf("%s: %d is %s, want %s", lang, n, got, want)
				}
			}
		}
	}
}

func TestWhenAcrossAChangeOfClocks(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 10, 24, 15, 0, 0, 0, berlin) // clocks go back in the night after
	if got, want := When("en", start, time.Date(2026, 10, 26, 11, 0, 0, 0, berlin)), "24–26 Oct 2026, 2 nights"; got != want {
		t.Errorf("When = %q, want %q", got, want)
	}
}

func TestWhenZone(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 21, 19, 0, 0, 0, time.UTC)
	tests := []struct {
		zone *time.Location
		want string
	}{
		{time.UTC, "Sat 21 Nov 2026, 19:00 (UTC)"},
		{time.FixedZone("EET", 2*60*60), "Sat 21 Nov 2026, 21:00 (EET)"},
		{time.FixedZone("+03", 3*60*60), "Sat 21 Nov 2026, 22:00 (UTC+3)"},
		{time.FixedZone("", -9*60*60-30*60), "Sat 21 Nov 2026, 09:30 (UTC-9:30)"},
		{time.FixedZone("+0530", 5*60*60+30*60), "Sun 22 Nov 2026, 00:30 (UTC+5:30)"},
	}
	for _, tt := range tests {
		if got := WhenZone("en", start.In(tt.zone), time.Time{}); got != tt.want {
			t.Errorf("WhenZone = %q, want %q", got, tt.want)
		}
	}
	if got, want := WhenZone("he", start, time.Time{}), "שבת, 21 בנובמבר 2026, 19:00 (\u2068UTC\u2069)"; got != want {
		t.Errorf("WhenZone(he) = %q, want %q", got, want)
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	now := at(t, "2026-11-21 18:55")
	tests := []struct{ lang, until, want string }{
		{"en", "2026-11-21 19:05", "19:05"},
		{"de", "2026-11-21 19:05", "19:05 Uhr"},
		{"fr", "2026-11-21 19:05", "à 19:05"},
		{"en", "2026-11-22 00:05", "Sun 22 Nov 2026, 00:05"},
		{"en", "2027-11-21 19:05", "Sun 21 Nov 2027, 19:05"},
		{"fr", "2026-11-22 00:05", "au dim. 22 nov. 2026, 00:05"},
	}
	for _, tt := range tests {
		if got := Until(tt.lang, at(t, tt.until), now); got != tt.want {
			t.Errorf("Until(%s, %s) = %q, want %q", tt.lang, tt.until, got, tt.want)
		}
	}
	if got := Until("en", at(t, "2026-11-21 19:05"), now.UTC()); got != "19:05" {
		t.Errorf("Until with now in another zone = %q, want 19:05", got)
	}
}
