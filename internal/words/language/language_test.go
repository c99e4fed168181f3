package language

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSupported(t *testing.T) {
	t.Parallel()
	want := []string{"en", "tr", "el", "ru", "he", "ar", "de", "es", "fr", "sw"}
	got := Supported()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("Supported() (-want +got):\n%s", diff)
	}
	got[0] = "xx"
	if Supported()[0] != "en" {
		t.Error("a caller changed the list of languages")
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in, tag, name string
		ok, rtl       bool
	}{
		{"en", "en", "English", true, false},
		{"tr-TR", "tr", "Turkish", true, false},
		{"TR", "tr", "Turkish", true, false},
		{" el_GR ", "el", "Greek", true, false},
		{"ru_RU.UTF-8", "ru", "Russian", true, false},
		{"he-IL", "he", "Hebrew", true, true},
		{"iw_IL", "he", "Hebrew", true, true},
		{"ar-EG", "ar", "Arabic", true, true},
		{"de@euro", "de", "German", true, false},
		{"es-419", "es", "Spanish", true, false},
		{"fr-CA", "fr", "French", true, false},
		{"sw-KE", "sw", "Swahili", true, false},
		{"ja-JP", "", "", false, false},
		{"english", "", "", false, false},
		{"-", "", "", false, false},
		{"", "", "", false, false},
	}
	for _, tt := range tests {
		if tag, ok := Normalize(tt.in); tag != tt.tag || ok != tt.ok {
			t.Errorf("Normalize(%q) = %q, %v, want %q, %v", tt.in, tag, ok, tt.tag, tt.ok)
		}
		if got := Name(tt.in); got != tt.name {
			t.Errorf("Name(%q) = %q, want %q", tt.in, got, tt.name)
		}
		if got := RTL(tt.in); got != tt.rtl {
			t.Errorf("RTL(%q) = %v, want %v", tt.in, got, tt.rtl)
		}
	}
}
