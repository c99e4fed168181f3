package calc

import (
	"math"
	"math/big"
)

// function is one that an expression may name.
type function struct {
	least, most int
	takes       string
	of          func(at token, args []*big.Rat) (r *big.Rat, exact bool, err error)
}

var functions = map[string]function{
	"sqrt":  {1, 1, "one number", func(at token, a []*big.Rat) (*big.Rat, bool, error) { return raise(at, a[0], big.NewRat(1, 2)) }},
	"abs":   {1, 1, "one number", exactly(func(a []*big.Rat) *big.Rat { return new(big.Rat).Abs(a[0]) })},
	"floor": {1, 1, "one number", exactly(func(a []*big.Rat) *big.Rat { return floor(a[0]) })},
	"ceil":  {1, 1, "one number", exactly(func(a []*big.Rat) *big.Rat { return negated(floor(negated(a[0]))) })},
	"round": {1, 2, "a number, and perhaps how many decimals", round},
	"min":   {1, 64, "up to 64 numbers", exactly(func(a []*big.Rat) *big.Rat { return best(a, -1) })},
	"max":   {1, 64, "up to 64 numbers", exactly(func(a []*big.Rat) *big.Rat { return best(a, 1) })},
}

func exactly(f func([]*big.Rat) *big.Rat) func(token, []*big.Rat) (*big.Rat, bool, error) {
	return func(_ token, args []*big.Rat) (*big.Rat, bool, error) { return f(args), true, nil }
}

func negated(r *big.Rat) *big.Rat { return new(big.Rat).Neg(r) }

func floor(r *big.Rat) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).Div(r.Num(), r.Denom())) // Euclidean: down, as the denominator is positive
}

// best is the number that compares to all others as sign does.
func best(of []*big.Rat, sign int) *big.Rat {
	found := of[0]
	for _, r := range of[1:] {
		if r.Cmp(found) == sign {
			found = r
		}
	}
	return found
}

// round rounds half away from zero, as people do.
func round(at token, args []*big.Rat) (*big.Rat, bool, error) {
	scale := big.NewRat(1, 1)
	if len(args) == 2 {
		if !args[1].IsInt() || args[1].Sign() < 0 || args[1].Cmp(big.NewRat(100, 1)) > 0 {
			return nil, false, &Error{at.at, "round takes 0 to 100 decimals"}
		}
		scale.SetInt(new(big.Int).Exp(big.NewInt(10), args[1].Num(), nil))
	}
	half := new(big.Rat).Abs(args[0])
	half.Mul(half, scale).Add(half, big.NewRat(1, 2))
	r := floor(half)
	r.Quo(r, scale)
	if args[0].Sign() < 0 {
		r.Neg(r)
	}
	return r, true, nil
}

// raise is base^exponent: exact where it is rational, else rounded.
func raise(at token, base, exponent *big.Rat) (r *big.Rat, exact bool, err error) {
	switch {
	case exponent.IsInt():
		r, err = raiseWhole(at, base, exponent.Num())
		return r, true, err
	case base.Sign() < 0:
		return nil, false, &Error{at.at, "a root of a negative number is no real number"}
	case base.Sign() == 0 && exponent.Sign() < 0:
		return nil, false, &Error{at.at, "division by zero"}
	case base.Sign() == 0:
		return new(big.Rat), true, nil
	}
	if n := exponent.Denom(); n.IsInt64() && n.Int64() == 2 { // take the square root, then the power
		root, exact := sqrt(base)
		r, err := raiseWhole(at, root, exponent.Num())
		return r, exact, err
	}
	b, _ := base.Float64()
	e, _ := exponent.Float64()
	f := math.Pow(b, e)
	if math.IsInf(f, 0) || math.IsNaN(f) || f == 0 {
		return nil, false, &Error{at.at, "the number becomes too large"}
	}
	if r := nearest(f); r != nil && sameRoot(base, exponent, r) {
		return r, true, nil
	}
	return new(big.Rat).SetFloat64(f), false, nil
}

// raiseWhole is base to a whole power.
func raiseWhole(at token, base *big.Rat, n *big.Int) (*big.Rat, error) {
	if !n.IsInt64() || n.Int64() > maxExponent || n.Int64() < -maxExponent {
		return nil, &Error{at.at, "the exponent is out of bounds: at most 1000"}
	}
	if n.Sign() < 0 {
		if base.Sign() == 0 {
			return nil, &Error{at.at, "division by zero"}
		}
		base, n = new(big.Rat).Inv(base), new(big.Int).Neg(n)
	}
	if max(base.Num().BitLen(), base.Denom().BitLen())*int(n.Int64()) > maxBits { // before it is computed
		return nil, &Error{at.at, "the number becomes too large"}
	}
	return new(big.Rat).SetFrac(new(big.Int).Exp(base.Num(), n, nil), new(big.Int).Exp(base.Denom(), n, nil)), nil
}

// sqrt is the square root, rounded to 30 digits where it is not rational.
func sqrt(r *big.Rat) (root *big.Rat, exact bool) {
	num, den := new(big.Int).Sqrt(r.Num()), new(big.Int).Sqrt(r.Denom())
	root = new(big.Rat).SetFrac(num, den)
	if new(big.Rat).Mul(root, root).Cmp(r) == 0 {
		return root, true
	}
	f := new(big.Float).SetPrec(uint(r.Num().BitLen()+r.Denom().BitLen()) + 100).SetRat(r) // 100 bits are 30 digits
	root, _ = f.Sqrt(f).Rat(nil)
	return root, false
}

// nearest is the whole number next to f when f is as good as one; nil otherwise.
func nearest(f float64) *big.Rat {
	whole := math.Round(f)
	if math.Abs(f-whole) > 1e-9*math.Max(1, math.Abs(f)) || math.Abs(whole) > 1<<53 {
		return nil
	}
	return new(big.Rat).SetFloat64(whole)
}

// sameRoot reports whether root is exactly base^exponent, as 3 is 27^(1/3): root^q = base^p.
func sameRoot(base, exponent, root *big.Rat) bool {
	left, err := raiseWhole(token{}, root, exponent.Denom())
	if err != nil {
		return false
	}
	right, err := raiseWhole(token{}, base, exponent.Num())
	return err == nil && left.Cmp(right) == 0
}
