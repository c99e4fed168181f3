package calc_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"merve/internal/plan/calc"
)

func TestEval(t *testing.T) {
	t.Parallel()
	tests := []struct{ expression, want string }{
		{"15 % of 340", "51"}, {"15% * 340", "51"}, {"340 + 15%", "391"}, {"340-15 %", "289"}, {"10% + 5%", "0.15"}, {"50%", "0.5"}, {"200 + 10% of 50", "205"},
		{"0.1+0.2", "0.3"}, {"1/3*3", "1"}, {"7/2", "3.5"}, {"1/3", "≈0.3333333333"}, {"2/3", "≈0.6666666667"}, {"1/8", "0.125"}, {"0,125", "0.125"},
		{"2^10", "1024"}, {"-2^2", "-4"}, {"(-2)^2", "4"}, {"2^3^2", "512"}, {"2^-1", "0.5"}, {"0^0", "1"}, {"2**8", "256"}, {"5²", "25"}, {"3³+1", "28"},
		{"4^0.5", "2"}, {"2^0.5", "≈1.4142135624"}, {"27^(1/3)", "3"}, {"sqrt(2)", "≈1.4142135624"}, {"√144", "12"}, {"sqrt(9/16)", "0.75"}, {"9^1.5", "27"},
		{"2+3*4", "14"}, {"(2+3)*4", "20"}, {"2(3+4)", "14"}, {"(1+1)(2+2)", "8"}, {"8/2*4", "16"}, {"8/2(2+2)", "16"}, {"10-3-2", "5"}, {"--5", "5"}, {"3 - -2", "5"}, {"[1+2]*3", "9"},
		{"1,000.5", "1000.5"}, {"1.000,5", "1000.5"}, {"1,000", "1000"}, {"1.000", "1"}, {"1,5", "1.5"}, {"1.000.000", "1000000"}, {"12,34,567", "1234567"},
		{"1 000 000,25", "1000000.25"}, {"1'000.50", "1000.5"}, {"1 000", "1000"}, {"1\u202f000", "1000"}, {"1 000,500", "1000.5"}, {".5+,5", "1"}, {"1,234,567.89", "1234567.89"},
		{"٣ × ٤", "12"}, {"١٬٠٠٠٫٥", "1000.5"}, {"३+४", "7"}, {"３＋４", "7"}, {"6 ÷ 4", "1.5"}, {"7 − 9", "-2"}, {"١٥٪ of ٣٤٠", "51"},
		{"10 mod 3", "1"}, {"-7 mod 3", "2"}, {"7.5 mod 2", "1.5"}, {"abs(-3)", "3"}, {"round(2.5)", "3"}, {"round(-2.5)", "-3"}, {"round(3.14159; 2)", "3.14"}, {"floor(-1.2)", "-2"}, {"ceil(1.2)", "2"},
		{"min(3, 1, 2)", "1"}, {"max(1; 2,5)", "2.5"}, {"max(1,200)", "1200"}, {"1e3", "1000"}, {"2.5E-3", "0.0025"}, {"1e3+1", "1001"},
		{"0.1 ^ 20", "≈1e-20"}, {"100!", "error"}, {"9^1000/9^999", "9"}, {"1/7", "≈0.1428571429"}, {"\u200e2+2\u200f", "4"}, {"-0", "0"}, {"0.00000000001*0", "0"},
	}
	for _, tt := range tests {
		r, err := calc.Eval(tt.expression)
		got := "error"
		if err == nil {
			got = r.Text()
		}
		if got != tt.want {
			t.Errorf("%s: got %s (%v), want %s", tt.expression, got, err, tt.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct{ expression, want string }{
		{"", "missing at the end"}, {"2+", "missing at the end"}, {"(2", "never closed"}, {"2)", "does not belong"}, {"1/0", "division by zero"}, {"1 mod 0", "division by zero"}, {"0^-1", "division by zero"},
		{"10 % 3", "write mod"}, {"2 3", "operator is missing"}, {"2^1001", "at most 1000"}, {"1e1001", "at most 1000"}, {"9^999^9", "at most 1000"}, {"(9^1000)^1000", "too large"},
		{"sqrt(-1)", "negative"}, {"pi*2", `"pi" is not known`}, {"2;3", "does not belong"}, {"min()", "does not belong"}, {"round(1; 2; 3)", "round takes"}, {"round(1; 101)", "0 to 100"},
		{"1.2.3", "cannot be read as a number"}, {"1,2,3", "cannot be read as a number"}, {"$5", "means nothing"}, {"\xff", "UTF-8"}, {"__import__('os')", "means nothing"},
		{strings.Repeat("(", 101) + "1" + strings.Repeat(")", 101), "deeper than 100"}, {strings.Repeat("-", 500) + "1", "deeper than 100"}, {strings.Repeat("1+", 600) + "1", "longer than 1024"},
	}
	for _, tt := range tests {
		_, err := calc.Eval(tt.expression)
		var e *calc.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%.40s: got error %v, want one with %q", tt.expression, err, tt.want)
		}
	}
}

// What is computed is what math/big computes of the same tree, whatever the spelling.
func FuzzEval(f *testing.F) {
	for _, s := range []string{"15 % of 340", "1.000,5 × 2", "(2+3)^2/7", "2^0.5", "round(2,5; 1)", "9^999", "√√16", "1 000 000", "٣ × ٤", "1e-9", "((((", "5 mod -3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		start := time.Now()
		r, err := calc.Eval(s)
		if took := time.Since(start); took > time.Second {
			t.Errorf("took %s", took)
		}
		var e *calc.Error
		if err != nil && !errors.As(err, &e) {
			t.Errorf("error of another kind: %v", err)
		}
		if err == nil && r.Value == nil {
			t.Error("neither value nor error")
		}
		if err == nil {
			r.Text()
		}
	})
}

func TestSumsAreThoseOfRationals(t *testing.T) {
	t.Parallel()
	want := new(big.Rat)
	var expression strings.Builder
	for i := int64(1); i <= 100; i++ {
		want.Add(want, big.NewRat(1, i))
		expression.WriteString("+1/" + big.NewInt(i).String())
	}
	r, err := calc.Eval(expression.String())
	if err != nil || !r.Exact || r.Value.Cmp(want) != 0 {
		t.Errorf("got %v, %v, want %v", r, err, want)
	}
}

// The dearest expressions that the bounds allow: long fractions, added until the text is full.
func TestNothingTakesLong(t *testing.T) {
	t.Parallel()
	for _, term := range []string{"+7^-999", "*7/11^99", "+1/997^99", "+√7^999", "mod 7^9/"} {
		expression := "3" + strings.Repeat(term, 1000/len(term))
		start := time.Now()
		_, err := calc.Eval(strings.TrimSuffix(expression, "/"))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%.40s…: took %s (%v)", expression, took, err)
		}
	}
}
