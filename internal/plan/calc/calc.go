// Package calc evaluates arithmetic exactly.
//
// [Eval] takes what a person may write ("15 % of 340", "1.000,5 × 2", "(2+3)^2/7") and computes it over
// rationals, so that 0.1+0.2 is 0.3 and 1/3×3 is 1. It runs no code and knows no names but its own few
// functions. What it decides where people differ:
//
//   - Precedence: brackets, percent, powers, signs, products, sums. -2^2 is -4, 2^3^2 is 2^9, 2^-1 is 1/2.
//   - Percent: 15% is 0.15; "15% of 340" is 51. Added to or taken from something it is a part of that, as
//     on a pocket calculator: 340+15% is 391. The remainder is "mod", never %.
//   - 0^0 is 1, as in every programming language. Division by zero is an error.
//   - A number before a bracket multiplies: 2(3+4) is 14.
//   - Grouping and decimal marks: where a number has both, the last is the decimal mark (1,000.5 and
//     1.000,5 are the same). One that comes more than once groups. A single comma groups when exactly three
//     digits follow one to three others that do not begin with 0 (1,000 is a thousand, 0,125 an eighth,
//     2,5 two and a half); a single point is a decimal mark (1.000 is one). Spaces and apostrophes group.
//   - Digits and signs of other scripts are read: ٣, ३, ３, ×, ÷, −, ٪.
//   - Arguments of functions are parted by a semicolon, or a comma with a space behind it.
//
// Roots and powers that are not rational are rounded to 30 digits, and the result says so.
//
// Input is bounded in bytes, depth, exponents and in the size of what is computed, so that no expression
// costs more than a fraction of a second.
package calc

import (
	"fmt"
	"math/big"
	"strings"
)

// Bounds of an expression.
const (
	MaxBytes    = 1024
	maxDepth    = 100
	maxExponent = 1000
	maxBits     = 1 << 14 // of a numerator or denominator
)

// Result is the value of an expression.
type Result struct {
	Value *big.Rat
	Exact bool // false when a root or a power was rounded on the way
}

// An Error says what is wrong with an expression, and where, in words that a person or a model can act on.
type Error struct {
	At  int // byte of the expression
	Why string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at %d)", e.Why, e.At+1) }

// Eval computes an expression. Its errors are *[Error].
func Eval(expression string) (Result, error) {
	if len(expression) > MaxBytes {
		return Result{}, &Error{MaxBytes, fmt.Sprintf("the expression is longer than %d bytes", MaxBytes)}
	}
	tokens, err := scan(expression)
	if err != nil {
		return Result{}, err
	}
	p := parser{tokens: tokens, exact: true}
	v, err := p.sum()
	if err != nil {
		return Result{}, err
	}
	if t := p.peek(); t.kind != end {
		return Result{}, p.unexpected(t)
	}
	return Result{v.rat, p.exact}, nil
}

// digits is how many a text of a result has behind the point, at most.
const digits = 10

// Text is the result for people: whole, or as a decimal of at most ten places. What is rounded begins
// with ≈.
func (r Result) Text() string {
	if r.Value.IsInt() && r.Exact {
		return r.Value.Num().String()
	}
	s := r.Value.FloatString(digits)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "" || s == "-" || s == "-0" {
		s = "0"
	}
	shown, ok := new(big.Rat).SetString(s)
	if r.Exact && ok && shown.Cmp(r.Value) == 0 {
		return s
	}
	if ok && shown.Sign() == 0 { // too small for so many places
		return "≈" + new(big.Float).SetRat(r.Value).Text('g', digits)
	}
	return "≈" + s
}
