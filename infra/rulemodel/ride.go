package rulemodel

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	// fromTo are the two ends of a ride.
	fromTo = []*regexp.Regexp{
		regexp.MustCompile(`(?i)(?:^|\s)(?:from|από(?: το| τη| την| τον)?|от|из|с|من|von|desde|de|kutoka)\s+(.+?)\s+(?:to|στο|στη|στην|στον|προς|до|в|на|к|إلى|الى|nach|zum|zur|a|hasta|à|hadi|hadi kwa)\s+(.+)`),
		regexp.MustCompile(`(?i)(?:^|\s)מ-?(.+?)\s+ל-?(.+)`),
		regexp.MustCompile(`(?i)(?:^|,|\s)([\p{L}0-9 ]+?)['’]?(?:n?[dt][ae]n)\s+([\p{L}0-9 ]+?)['’]?(?:[yn]?[ae])(?:\s|$|[,.])`),
	}
	// toOnly is where to, with nothing said of from where.
	toOnly = regexp.MustCompile(`(?i)(?:^|\s)(?:to|to the|στο|στη|στην|στον|προς|до|в|на|إلى|الى|nach|zum|zur)\s+(.+)`)
	// fromOnly is from where, with nothing said of where to.
	fromOnly = regexp.MustCompile(`(?i)(?:^|\s)(?:from|at|από(?: το| τη| την| τον)?|от|из|من|von|desde)\s+(.+)`)
	// toSuffix is a Turkish destination.
	toSuffix = regexp.MustCompile(`(?i)(?:^|\s)([\p{L}0-9]+)['’][yn]?[ae](?:\s|$)`)

	// theTaxi is no place: in Hebrew its first letter means "from", in Turkish it stands before one.
	theTaxi = regexp.MustCompile(`(?i)(^|\s)(?:(?:ב|ה)?מונית|(?:bir )?taksi)(?:\s|$)`)

	rideEnd = regexp.MustCompile(`(?i)[.!?;\n]|,?\s+(?:на\s+|for\s+|για\s+)?(?:please|for \d|for (?:one|two|three|four|five|six|me|us)|at \d[\d:.]*(?: ?[ap]m|h)?|at (?:noon|midnight|half|quarter|a quarter|around|about)|around \d[\d:.]*|in (?:\d+|an?|one|two|three|four|five|half) ?\w*|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|the day after|instead|as soon as|tomorrow|today|tonight|now|lütfen|istiyorum|taksi|παρακαλώ|αύριο|τώρα|пожалуйста|завтра|сейчас|בבקשה|מחר|עכשיו|من فضلك|غدا|الآن)(?:\s|$|[,.])`)
)

func cutRide(s string) string {
	if end := rideEnd.FindStringIndex(s); end != nil {
		s = s[:end[0]]
	}
	return clean(strings.Trim(s, " ,"), maxAddress)
}

// route is from where to where, as far as it was said.
func (a *agent) route() (from where, to string, open bool) {
	for _, t := range a.said {
		h := newLine(t.text).whole
		switch {
		case t.asked == asksPickup:
			if t.pin && h == "" || onlyHeard("here", h) {
				from = where{here: true}
			} else if h != "" {
				from = where{text: clean(t.text, maxAddress)}
			}
		case t.asked == asksDropoff && heard("driver knows", h), t.asked == asksDropoff && onlyHeard("refusal", h):
			open = true
		case t.asked == asksDropoff && h != "":
			to = clean(t.text, maxAddress)
		case t.asked == asksNothing, t.asked == asksOtherwise:
			f, g := ends(t.text)
			if heard("here", newLine(f).whole) || f == "" && heard("here", h) || t.pin {
				from = where{here: true}
			} else if f != "" {
				from = where{text: f}
			}
			if g != "" {
				to = g
			}
		}
	}
	return from, to, open
}

// ends are the two ends of a ride that a text names.
func ends(text string) (from, to string) {
	text = theTaxi.ReplaceAllString(text, "$1")
	for i, re := range fromTo {
		if i == 2 && detect(text) != "tr" {
			continue
		}
		if m := re.FindStringSubmatch(text); m != nil {
			return cutRide(m[1]), cutRide(m[2])
		}
	}
	if detect(text) == "tr" {
		if m := toSuffix.FindStringSubmatch(text); m != nil {
			return "", cutRide(m[1])
		}
		return "", ""
	}
	if m := fromOnly.FindStringSubmatch(text); m != nil && !startsWithHour.MatchString(m[1]+" ") {
		return cutRide(m[1]), ""
	}
	if m := toOnly.FindStringSubmatch(text); m != nil {
		return "", cutRide(m[1])
	}
	return "", ""
}

// ride leads a request for a taxi: from where, where to, then the proposal.
func (a *agent) ride() reply {
	if r, done := a.done("requestTaxi"); done {
		return a.riding(r)
	}
	from, to, open := a.route()
	switch {
	case !from.known():
		return say(a.v["pickup"])
	case to == "" && !open:
		return say(a.v["dropoff"])
	case a.dayOnly(a.said):
		return say(a.v["moment"])
	}
	values := map[string]any{"usePickupLocation": from.here}
	if from.text != "" {
		values["pickup"] = from.text
		if town := townOf(newLine(from.text).whole); town != "" {
			values["district"] = town
		}
	}
	if to != "" {
		values["dropoff"] = to
	}
	for _, t := range a.said {
		if n := takeParty(newLine(westernDigits(t.text))); n > 0 && !t.asked.place() {
			values["passengers"] = n
		}
	}
	if when, _ := a.moment(a.said); when != "" {
		values["when"] = when
	}
	if phone := a.phone(); strings.HasPrefix(phone, "+") {
		values["phone"] = phone
	}
	return a.must("requestTaxi", values)
}

// riding answers the proposal of a ride, or asks for what the tool wants.
func (a *agent) riding(r result) reply {
	f := r.failed
	if f == nil {
		return say(a.v["proposed"])
	}
	switch f.field {
	case "pickup", "usePickupLocation":
		return say(a.v["pickup"])
	case "dropoff":
		return say(a.v["dropoff"])
	case "when":
		return say(a.v["badTime"] + " " + a.v["moment"])
	case "phone":
		return say(a.v["phone"])
	}
	return a.wrong(f)
}

// rideStatus tells how far the customer's taxi is.
func (a *agent) rideStatus() reply {
	r, done := a.done("getTaxiStatus")
	switch {
	case !done:
		return a.must("getTaxiStatus", nil)
	case r.failed != nil && r.failed.kind == "not_found":
		return say(a.v["noRide"])
	case r.failed != nil:
		return a.wrong(r.failed)
	}
	parts := []string{}
	for _, s := range []string{str(r.data, "code"), a.v["ride "+str(r.data, "status")]} {
		if s != "" {
			parts = append(parts, clean(s, 100))
		}
	}
	if d, ok := r.data["driver"].(map[string]any); ok {
		for _, key := range []string{"name", "vehicle", "plate", "phone"} {
			if s := str(d, key); s != "" {
				parts = append(parts, clean(s, 60))
			}
		}
	}
	return say(fmt.Sprintf(a.v["yourRide"], strings.Join(parts, " · ")))
}

// revokeRide asks for the cancellation of the customer's taxi.
func (a *agent) revokeRide() reply {
	if r, done := a.done("cancelTaxi"); done {
		switch {
		case r.failed == nil:
			return say(a.v["cancelAsked"])
		case r.failed.kind == "not_found":
			return say(a.v["noRide"])
		case r.failed.kind == "conflict":
			return say(a.v["tooLate"])
		}
		return a.wrong(r.failed)
	}
	r, done := a.done("getTaxiStatus")
	switch {
	case !done:
		return a.must("getTaxiStatus", nil)
	case r.failed != nil && r.failed.kind == "not_found":
		return say(a.v["noRide"])
	case r.failed != nil:
		return a.wrong(r.failed)
	}
	return a.must("cancelTaxi", map[string]any{"rideId": str(r.data, "rideId")})
}
