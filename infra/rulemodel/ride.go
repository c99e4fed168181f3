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

// route is where the ride begins and ends, if that was said.
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

// pickup is where the taxi is to come.
func pickup(a *agent, values map[string]any) *reply {
	from, _, _ := a.route()
	if !from.known() {
		return a.ask("pickup")
	}
	values["usePickupLocation"] = from.here
	if from.text == "" {
		return nil
	}
	values["pickup"] = from.text
	if town := townOf(newLine(from.text).whole); town != "" {
		values["district"] = town
	}
	return nil
}

// dropoff is where to go, unless the driver is told.
func dropoff(a *agent, values map[string]any) *reply {
	_, to, open := a.route()
	switch {
	case to != "":
		values["dropoff"] = to
	case !open:
		return a.ask("dropoff")
	}
	return nil
}

// passengers is how many go.
func passengers(a *agent, values map[string]any) *reply {
	for _, t := range a.said {
		if n := takeParty(newLine(westernDigits(t.text))); n > 0 && !t.asked.place() {
			values["passengers"] = n
		}
	}
	return nil
}

// tellRide tells how far the customer's taxi is.
func tellRide(a *agent, r result) reply {
	driver, _ := r.data["driver"].(map[string]any)
	parts := []string{clean(str(r.data, "code"), 100), clean(a.v["ride "+str(r.data, "status")], 100)}
	for _, key := range []string{"name", "vehicle", "plate", "phone"} {
		parts = append(parts, clean(str(driver, key), 60))
	}
	return say(fmt.Sprintf(a.v["yourRide"], beside(parts...)))
}

// ownRide is the customer's taxi.
func ownRide(a *agent, values map[string]any) *reply {
	r, done := a.done("getTaxiStatus")
	switch {
	case done && r.failed == nil:
		values["rideId"] = str(r.data, "rideId")
		return nil
	case done && r.failed.kind == "not_found":
		return a.ask("noRide")
	}
	_, next := a.got("getTaxiStatus", nil)
	return next
}
