package rulemodel

import (
	"fmt"
	"strings"
)

// pay asks for the payment of what is held for the customer; the backend puts the amount to
// them.
func (a *agent) pay() reply {
	r, done := a.done("createPaymentIntent")
	switch {
	case !done:
		return a.must("createPaymentIntent", nil)
	case r.failed == nil && str(r.data, "link") != "":
		return say(fmt.Sprintf(a.v["pay"], str(r.data, "link")))
	case r.failed == nil:
		return say(a.v["proposed"])
	case r.failed.kind == "not_found", r.failed.kind == "conflict":
		return say(a.v["nothingToPay"])
	}
	return a.wrong(r.failed)
}

// paid tells how the customer's latest payment stands.
func (a *agent) paid() reply {
	r, done := a.done("getPaymentStatus")
	switch {
	case !done:
		return a.must("getPaymentStatus", nil)
	case r.failed != nil && r.failed.kind == "not_found":
		return say(a.v["nothingToPay"])
	case r.failed != nil:
		return a.wrong(r.failed)
	}
	var parts []string
	for _, s := range []string{clean(str(r.data, "code"), 40), (money{num(r.data, "amountMinor"), str(r.data, "currency")}).String(), a.v["payment "+str(r.data, "status")]} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if link := str(r.data, "link"); link != "" {
		parts = append(parts, fmt.Sprintf(a.v["payLink"], link))
	}
	return say(fmt.Sprintf(a.v["payment"], strings.Join(parts, " · ")))
}
