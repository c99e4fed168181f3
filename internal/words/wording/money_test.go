package wording

import (
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/currency"
)

func TestMoney(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lang     string
		minor    int64
		currency string
		want     string
	}{
		{"en", 125000, "EUR", "€1,250.00"},
		{"de", 125000, "EUR", "1.250,00\u00a0€"},
		{"fr", 125000, "EUR", "1\u202f250,00\u00a0€"},
		{"ru", 125000000, "RUB", "1\u00a0250\u00a0000,00\u00a0₽"},
		{"es", 125000, "EUR", "1.250,00\u00a0€"},
		{"el", 99, "EUR", "0,99\u00a0€"},
		{"tr", 125000, "TRY", "₺1.250,00"},
		{"tr", 125000, "AED", "1.250,00\u00a0AED"},
		{"he", 4500, "ILS", "45.00\u00a0₪"},
		{"ar", 4500, "KWD", "4.500\u00a0KWD"},
		{"sw", 150000, "KES", "KES\u00a01,500.00"},
		{"en", 1234567, "JPY", "JPY\u00a01,234,567"},
		{"en", 4500, "kwd", "KWD\u00a04.500"},
		{"en", 5, "KWD", "KWD\u00a00.005"},
		{"en", 0, "USD", "$0.00"},
		{"en", -4500, "USD", "-$45.00"},
		{"de", -4500, "EUR", "-45,00\u00a0€"},
		{"en", 100, "CAD", "CAD\u00a01.00"},
		{"en", math.MinInt64, "CLF", "-CLF\u00a0922,337,203,685,477.5808"},
		{"pt", 100, "GBP", "£1.00"},
	}
	for _, tt := range tests {
		if got := Money(tt.lang, tt.minor, tt.currency); got != tt.want {
			t.Errorf("Money(%s, %d, %s) = %q, want %q", tt.lang, tt.minor, tt.currency, got, tt.want)
		}
	}
}

// writtenWhole are the currencies of today that CLDR writes without the decimals that they have
// by ISO 4217. An amount in them is counted in its minor unit all the same.
var writtenWhole = strings.Fields("AFN ALL AMD COP GYD IDR IRR KPW LAK LBP MGA MMK MNT MUR PKR RSD SOS SYP TZS UZS YER")

// The decimals are those that CLDR knows, but for the currencies that it writes without theirs.
func TestDecimalsAreThoseOfISO4217(t *testing.T) {
	t.Parallel()
	gone := strings.Fields("ADP BYR ESP ITL LUF MGF MRO SLL STD TMM TRL ZMK ZWD") // no money any more: nobody prices in them
	known := 0
	for n := range 26 * 26 * 26 {
		code := string([]byte{'A' + byte(n/676), 'A' + byte(n/26%26), 'A' + byte(n%26)})
		unit, err := currency.ParseISO(code)
		if err != nil || slices.Contains(gone, code) {
			continue
		}
		known++
		want, _ := currency.Standard.Rounding(unit)
		switch {
		case slices.Contains(writtenWhole, code):
			want = 2
		case code == "IQD": // written whole, too
			want = 3
		}
		if got := Decimals(code); got != want {
			t.Errorf("%s has %d decimals, want %d", code, got, want)
		}
	}
	if known < 250 {
		t.Errorf("only %d currencies were compared", known)
	}
}
