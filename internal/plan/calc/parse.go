package calc

import (
	"fmt"
	"math/big"
)

// parser computes while it reads: each method is a level of precedence.
type parser struct {
	tokens []token
	depth  int
	exact  bool
}

// value is a number, and whether it was written as a percentage.
type value struct {
	rat     *big.Rat
	percent bool
}

func (p *parser) peek() token { return p.tokens[0] }

func (p *parser) next() token {
	t := p.tokens[0]
	if t.kind != end {
		p.tokens = p.tokens[1:]
	}
	return t
}

// take takes the next token if it is k.
func (p *parser) take(k kind) bool {
	if p.peek().kind != k {
		return false
	}
	p.next()
	return true
}

// deeper is called by every rule that can nest.
func (p *parser) deeper() (func(), error) {
	if p.depth++; p.depth > maxDepth {
		return nil, &Error{p.peek().at, fmt.Sprintf("nested deeper than %d", maxDepth)}
	}
	return func() { p.depth-- }, nil
}

func (p *parser) unexpected(t token) error {
	switch t.kind {
	case end:
		return &Error{t.at, "something is missing at the end"}
	case number:
		return &Error{t.at, "an operator is missing before this number; for a remainder write mod, for a share of something write % of"}
	case name:
		return &Error{t.at, fmt.Sprintf("%q is not known: want one of sqrt, abs, round, floor, ceil, min, max, of, mod", t.text)}
	}
	return &Error{t.at, fmt.Sprintf("%q does not belong here", rune(t.kind))}
}

// sum adds and subtracts products. A percentage is taken of the value before it.
func (p *parser) sum() (value, error) {
	left, err := p.product()
	if err != nil {
		return value{}, err
	}
	for p.peek().kind == '+' || p.peek().kind == '-' {
		op := p.next()
		right, err := p.product()
		if err != nil {
			return value{}, err
		}
		by := right.rat
		if right.percent && !left.percent {
			by = new(big.Rat).Mul(left.rat, by)
		}
		if op.kind == '-' {
			by = new(big.Rat).Neg(by)
		}
		left = value{new(big.Rat).Add(left.rat, by), left.percent && right.percent}
		if err := bounded(op, left.rat); err != nil {
			return value{}, err
		}
	}
	return left, nil
}

// product is signed powers, multiplied and divided.
func (p *parser) product() (value, error) {
	left, err := p.signed()
	if err != nil {
		return value{}, err
	}
	for {
		op := p.peek()
		switch {
		case op.kind == '*', op.kind == '/', op.kind == name && (op.text == "of" || op.text == "mod"):
			p.next()
		case op.kind == '(':
			op = token{kind: '*', at: op.at} // 2(3+4)
		default:
			return left, nil
		}
		right, err := p.signed()
		if err != nil {
			return value{}, err
		}
		if left.rat, err = multiply(op, left.rat, right.rat); err != nil {
			return value{}, err
		}
		left.percent = false
	}
}

func multiply(op token, a, b *big.Rat) (*big.Rat, error) {
	divides := op.kind == '/' || op.text == "mod"
	if divides && b.Sign() == 0 {
		return nil, &Error{op.at, "division by zero"}
	}
	var r *big.Rat
	switch {
	case op.text == "mod":
		whole := floor(new(big.Rat).Quo(a, b))
		r = new(big.Rat).Sub(a, new(big.Rat).Mul(b, whole))
	case op.kind == '/':
		r = new(big.Rat).Quo(a, b)
	default:
		r = new(big.Rat).Mul(a, b)
	}
	return r, bounded(op, r)
}

// signed is a power with signs before it: they bind less than the power, so -2^2 is -4.
func (p *parser) signed() (value, error) {
	up, err := p.deeper()
	if err != nil {
		return value{}, err
	}
	defer up()
	switch {
	case p.take('+'):
		return p.signed()
	case p.take('-'):
		v, err := p.signed()
		if err != nil {
			return value{}, err
		}
		return value{new(big.Rat).Neg(v.rat), v.percent}, nil
	}
	return p.power()
}

// power is a primary to the power of a signed power: 2^3^2 is 2^(3^2).
func (p *parser) power() (value, error) {
	base, err := p.percentage()
	if err != nil {
		return value{}, err
	}
	op := p.peek()
	if !p.take('^') {
		return base, nil
	}
	exponent, err := p.signed()
	if err != nil {
		return value{}, err
	}
	r, exact, err := raise(op, base.rat, exponent.rat)
	p.exact = p.exact && exact
	return value{rat: r}, err
}

// percentage is a primary with percent signs behind it.
func (p *parser) percentage() (value, error) {
	v, err := p.primary()
	for err == nil && p.take('%') {
		v = value{new(big.Rat).Quo(v.rat, big.NewRat(100, 1)), true}
	}
	return v, err
}

// primary is a number, a bracket, or a function with what it is given.
func (p *parser) primary() (value, error) {
	t := p.next()
	switch t.kind {
	case number:
		return value{rat: t.rat}, bounded(t, t.rat)
	case '(':
		up, err := p.deeper()
		if err != nil {
			return value{}, err
		}
		defer up()
		v, err := p.sum()
		if err != nil {
			return value{}, err
		}
		if !p.take(')') {
			return value{}, p.missing(t)
		}
		return v, nil
	case name:
		return p.call(t)
	}
	return value{}, p.unexpected(t)
}

func (p *parser) missing(open token) error {
	if t := p.peek(); t.kind != end {
		return p.unexpected(t)
	}
	return &Error{open.at, "this bracket is never closed"}
}

// call is a function and its arguments. √9 and sqrt 9 need no brackets.
func (p *parser) call(t token) (value, error) {
	f, ok := functions[t.text]
	if !ok {
		return value{}, p.unexpected(t)
	}
	up, err := p.deeper()
	if err != nil {
		return value{}, err
	}
	defer up()
	var args []*big.Rat
	open := p.peek()
	if !p.take('(') {
		v, err := p.primary()
		if err != nil {
			return value{}, err
		}
		args = append(args, v.rat)
	} else {
		for {
			v, err := p.sum()
			if err != nil {
				return value{}, err
			}
			if args = append(args, v.rat); !p.take(';') && !p.take(',') {
				break
			}
		}
		if !p.take(')') {
			return value{}, p.missing(open)
		}
	}
	if len(args) < f.least || len(args) > f.most {
		return value{}, &Error{t.at, fmt.Sprintf("%s takes %s", t.text, f.takes)}
	}
	r, exact, err := f.of(t, args)
	p.exact = p.exact && exact
	return value{rat: r}, err
}

// bounded refuses what has grown beyond the bounds.
func bounded(at token, r *big.Rat) error {
	if r.Num().BitLen() > maxBits || r.Denom().BitLen() > maxBits {
		return &Error{at.at, "the number becomes too large"}
	}
	return nil
}
