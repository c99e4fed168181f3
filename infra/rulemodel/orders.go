package rulemodel

import (
	"fmt"
	"slices"
	"strings"
)

// placed is an order, a request or a viewing of the customer's, as a result tells of it.
type placed struct {
	id, code, kind, listing, status, when, expected string
	total                                           money
}

func parseOrders(data map[string]any) []placed {
	var out []placed
	for _, v := range list(data, "orders", maxListings) {
		p := placed{id: str(v, "orderId"), code: str(v, "code"), kind: str(v, "kind"), listing: str(v, "listing"), status: str(v, "status"),
			when: str(v, "when"), expected: str(v, "expectedAt")}
		if m, ok := v["total"].(map[string]any); ok {
			p.total = money{num(m, "amount"), str(m, "currency")}
		}
		out = append(out, p)
	}
	return out
}

// live reports whether an order may still be cancelled; the tool has the last word.
func (p placed) live() bool {
	return p.status == "placed" || p.status == "accepted" && p.kind != "food"
}

// orders shows the customer's own.
func (a *agent) orders() reply {
	r, next := a.mine()
	if next != nil {
		return *next
	}
	if len(r) == 0 && heard("bookings", newLine(a.last().text).whole) {
		return a.bookings(a.voice()) // the word may mean either
	}
	if len(r) == 0 {
		return say(a.v["noOrders"])
	}
	return say(strings.TrimSpace(a.v.placed(a.v["orders"], r, "")))
}

func (a *agent) mine() ([]placed, *reply) {
	r, done := a.done("getMyOrders")
	switch {
	case !done:
		next := a.must("getMyOrders", nil)
		return nil, &next
	case r.failed != nil:
		next := a.wrong(r.failed)
		return nil, &next
	}
	return parseOrders(r.data), nil
}

func (v voice) placed(head string, all []placed, tail string) string {
	return enumerate(head, min(len(all), 2*shownListings), func(i int) string {
		p := all[i]
		parts := []string{clean(p.listing, maxName), clean(p.code, 40)}
		for _, s := range []string{v["order "+p.status], p.total.String(), v.stamp(p.when), v.expects(p.expected)} {
			if s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, " · ")
	}, tail)
}

func (v voice) expects(stamp string) string {
	if s := v.stamp(stamp); s != "" {
		return fmt.Sprintf(v["expected"], s)
	}
	return ""
}

// revoke finds the order that is meant and asks for its cancellation.
func (a *agent) revoke() reply {
	if r, done := a.done("cancelOrder"); done {
		switch {
		case r.failed == nil:
			return say(a.v["cancelAsked"])
		case r.failed.kind == "conflict":
			return say(a.v["tooLate"])
		}
		return a.wrong(r.failed)
	}
	all, next := a.mine()
	if next != nil {
		return *next
	}
	open := slices.DeleteFunc(slices.Clone(all), func(p placed) bool { return !p.live() })
	switch chosen := a.meantOrder(open); {
	case len(open) == 0 && len(all) > 0:
		return say(a.v["tooLate"])
	case len(open) == 0:
		return say(a.v["noOrders"])
	case chosen == nil:
		return say(a.v.placed(a.v["orders"], open, a.v["cancelWhich"]))
	default:
		return a.must("cancelOrder", map[string]any{"orderId": chosen.id})
	}
}

// meantOrder is the one that the customer names by code, number or listing, or the only one.
func (a *agent) meantOrder(open []placed) *placed {
	said := newLine(a.last().text)
	for i, p := range open {
		if code := newLine(p.code).whole; code != "" && slices.Contains(said.plain, code) || strings.Contains(" "+said.whole+" ", " "+newLine(p.listing).whole+" ") {
			return &open[i]
		}
	}
	n := pickOf(newLine(westernDigits(a.last().text)))
	if n == 0 && a.last().asked == asksCancelWhich {
		n = lone(a.last().text)
	}
	if i, ok := index(n, len(open)); ok {
		return &open[i]
	}
	if len(open) == 1 {
		return &open[0]
	}
	return nil
}
