package wording

import (
	"maps"
	"strconv"
	"strings"
)

// exponents are the currencies of ISO 4217 whose minor unit is not a hundredth. The table is our own
// because golang.org/x/text/currency has CLDR's, which says how amounts are usually written: of
// Pakistan's rupee, Indonesia's rupiah and twenty others without the decimals that ISO 4217 and
// Stripe count in. A test holds the two against each other.
var exponents = map[string]int{
	"BIF": 0, "CLP": 0, "DJF": 0, "GNF": 0, "ISK": 0, "JPY": 0, "KMF": 0, "KRW": 0, "PYG": 0, "RWF": 0,
	"UGX": 0, "UYI": 0, "VND": 0, "VUV": 0, "XAF": 0, "XOF": 0, "XPF": 0,
	"BHD": 3, "IQD": 3, "JOD": 3, "KWD": 3, "LYD": 3, "OMR": 3, "TND": 3,
	"CLF": 4, "UYW": 4,
}

// symbols are those that cannot be taken for another currency's; the rest are shown by code.
var symbols = map[string]string{
	"EUR": "€", "GBP": "£", "ILS": "₪", "INR": "₹", "RUB": "₽", "TRY": "₺", "USD": "$",
}

// Money words an amount in minor units of an ISO 4217 currency as lang writes it:
// "€1,250.00", "1.250,00 €", "KWD 4.500".
func Money(lang string, minor int64, currency string) string {
	c := in(lang)
	currency = strings.ToUpper(strings.TrimSpace(currency))
	sign, size := "", uint64(minor)
	if minor < 0 {
		sign, size = "-", -size
	}
	vars := Vars{"amount": c.amount(size, Decimals(currency)), "symbol": symbols[currency], "code": currency}
	if vars["symbol"] == "" {
		return sign + c.say(keyMoneyCode, vars)
	}
	return sign + c.say(keyMoneySymbol, vars)
}

// Exponents are how many decimals each currency of ISO 4217 has that has not two, for those who
// write or read amounts elsewhere.
func Exponents() map[string]int { return maps.Clone(exponents) }

// Decimals is how many a currency of ISO 4217 has, by its code in capitals; 2 of one that is not known.
func Decimals(currency string) int {
	if n, ok := exponents[currency]; ok {
		return n
	}
	return 2
}

// amount writes size with places decimals and the language's separators.
func (c catalogue) amount(size uint64, places int) string {
	digits := strconv.FormatUint(size, 10)
	if missing := places + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	whole, decimals := digits[:len(digits)-places], digits[len(digits)-places:]
	var b strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(c.plain(keyMoneyGroup))
		}
		b.WriteByte(whole[i])
	}
	if decimals != "" {
		b.WriteString(c.plain(keyMoneyDecimal) + decimals)
	}
	return b.String()
}
