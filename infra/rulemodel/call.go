package rulemodel

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/record/customer"
)

// caller leads a call of a pest control company: the account is verified, and then appointments are listed, made, moved
// and cancelled.
type caller struct {
	turn
	folded string // what the caller says now
}

// ofCalls are the tools of calls whose results are remembered, in the order in which a turn calls them.
var ofCalls = []string{
	"crm.listAppointments", "crm.listServices", "crm.findTimes", "crm.scheduleAppointment", "crm.rescheduleAppointment", "crm.cancelAppointment",
}

// The tools of calls that are called from several places, as models know them.
const (
	verifyTool = "crm_verifyAccount"
	listTool   = "crm_listAppointments"
	talkTool   = "agent_talk"
)

// onCall reports whether who writes is on a call.
func (c *conversation) onCall() bool {
	return c.offered[verifyTool] != nil || c.offered[talkTool] != nil
}

// pickUp comes to the next step of a call's turn: a call of a tool, or words.
func (c *conversation) pickUp() reply {
	k := &caller{turn: turn{conversation: c, v: voiceIn("call", c.tongue, c.fallback), absent: "away"}, folded: newLine(c.text).whole}
	switch {
	case len(k.called("askForPerson")) > 0:
		return say(k.v["done"])
	case isForPerson(k.folded):
		return k.must("askForPerson", map[string]any{"reason": reasonOf(c.text)})
	case k.offered[talkTool] == nil:
		return k.verify()
	}
	return k.serve()
}

// verify has the caller say their ZIP code.
func (k *caller) verify() reply {
	r, done := k.done(verifyTool)
	_, err := customer.ParseZIP(k.text)
	switch figures := strings.Count(k.folded, "") - len(strings.Map(notDigit, k.folded)); {
	case done && r.failed != nil:
		return say(k.v["away"])
	case done && strings.Contains(str(r.data, "note"), "too many"):
		return say(k.v["locked"])
	case done:
		return say(k.v["noMatch"])
	case err == nil, figures > 2:
		return k.must(verifyTool, map[string]any{"zip": k.text})
	case k.asksWho():
		return say(k.v.sentences("standIn askZIP"))
	}
	return say(k.v["askZIP"])
}

// asksWho reports whether the caller asks what answers here.
func (k *caller) asksWho() bool {
	return whoAre.MatchString(k.folded) || heard("who are you", k.folded)
}

func notDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}

// serve does what a verified caller wants. It calls a tool before it says anything.
func (k *caller) serve() reply {
	if n := len(k.results); n > 0 && k.results[n-1].tool != verifyTool {
		return k.goOn(k.results[n-1])
	}
	if shown, n := k.picked(); n > 0 {
		return k.take(shown, n)
	}
	switch k.wish() {
	case "list", "move", "cancel":
		return k.must(listTool, nil)
	case "visit":
		return k.must("crm_listServices", nil)
	}
	about := "unclear"
	if k.small() != "unclear" {
		about = "talk"
	}
	if next := k.call(talkTool, map[string]any{"about": about}); next != nil {
		return *next
	}
	return say(k.v["howCan"])
}

// small are the sentences that answer what asks for no tool.
func (k *caller) small() string {
	switch {
	case k.asksWho():
		return "standIn howCan"
	case heard("gratitude", k.folded):
		return "welcome"
	case len(k.called(verifyTool)) > 0, heard("greeting", k.folded), k.text == "":
		return "howCan"
	}
	return "unclear"
}

// wish is what the caller says that they want now; in the turn in which they are verified, what they have wanted before.
func (k *caller) wish() string {
	if w := callWish(k.folded); w != "" || len(k.called(verifyTool)) == 0 {
		return w
	}
	return k.wished()
}

// wished is the latest wish of the call so far.
func (k *caller) wished() string {
	w := callWish(k.folded)
	for _, e := range slices.Backward(k.past) {
		if w == "" {
			w = callWish(newLine(e.user).whole)
		}
	}
	return w
}

// callWish is what a folded text wants of a call: to "cancel" or "move" a visit, to "list" them, or a new "visit".
func callWish(folded string) string {
	name, _ := kindOf("call", folded)
	return name
}

// picked is the list that the caller was shown last, and the number of what they pick of it; 0 is nothing.
func (k *caller) picked() (shown map[string]any, n int) {
	for _, e := range k.past {
		if e.result != nil && e.result.failed == nil && optionsOf(e.result.data) != "" {
			shown = e.result.data
		}
	}
	if shown == nil || len(k.called(verifyTool)) > 0 {
		return nil, 0
	}
	options := list(shown, optionsOf(shown), maxListings)
	for i, o := range options { // as it was shown to choose from
		for _, words := range []string{str(o, "when"), str(o, "name")} {
			if label := newLine(words).whole; label != "" && strings.HasSuffix(k.folded, label) {
				return shown, i + 1
			}
		}
	}
	if n := placeOf(k.folded); n > 0 && n <= len(options) {
		return shown, n
	}
	for i, o := range options { // by its name
		if first := firstWord(o); len(first) > 3 && strings.Contains(k.folded, strings.TrimSuffix(first, "s")) {
			return shown, i + 1
		}
	}
	if len(options) == 1 && heard("consent", k.folded) {
		return shown, 1
	}
	return nil, 0
}

// firstWord is that of the name of something, folded.
func firstWord(o map[string]any) string {
	first, _, _ := strings.Cut(newLine(str(o, "name")).whole, " ")
	return first
}

// optionsOf is what a result lists; "" is nothing.
func optionsOf(data map[string]any) string {
	for _, name := range []string{"times", "appointments", "services"} {
		if len(list(data, name, 1)) > 0 {
			return name
		}
	}
	return ""
}

// take goes on with what was picked.
func (k *caller) take(shown map[string]any, n int) reply {
	option := map[string]any{"option": n}
	switch of := optionsOf(shown); {
	case of == "times" && strings.Contains(str(shown, "for"), "moved"):
		return k.must("crm_rescheduleAppointment", option)
	case of == "times":
		return k.must("crm_scheduleAppointment", option)
	case of == "services":
		return k.find("service", str(list(shown, "services", maxListings)[n-1], "service"))
	case k.wished() == "cancel":
		return k.must("crm_cancelAppointment", option)
	}
	return k.find("appointment", n)
}

// find looks for times of what was picked, from the day on that was named.
func (k *caller) find(of string, value any) reply {
	values := map[string]any{of: value}
	if day := k.calendar.read(newLine(k.text), false).date; !day.IsZero() {
		values["from"] = day.Format(time.DateOnly)
	}
	return k.must("crm_findTimes", values)
}

// goOn answers the latest result of this turn, or makes the next call.
func (k *caller) goOn(r result) reply {
	switch {
	case r.failed != nil:
		return say(k.v["away"])
	case r.tool == talkTool:
		return say(k.v.sentences(k.small()))
	case r.tool == listTool:
		return k.listed(list(r.data, "appointments", maxListings))
	case r.tool == "crm_listServices":
		return k.offers(list(r.data, "services", maxListings))
	case r.tool == "crm_findTimes":
		return k.times("", r.data)
	case r.data["times"] != nil:
		return k.times(k.v["taken"]+" ", r.data)
	}
	return say(k.v["done"])
}

// listed goes on with the caller's appointments: the only one is the one that they mean.
func (k *caller) listed(all []map[string]any) reply {
	tail := "which"
	switch w := k.wish(); {
	case len(all) == 0:
		return say(k.v["none"])
	case w == "list":
		tail = "howCan"
	case len(all) > 1:
	case w == "cancel":
		return k.must("crm_cancelAppointment", map[string]any{"option": 1})
	default:
		return k.find("appointment", 1)
	}
	return say(enumerate(k.v["yours"], len(all), func(i int) string { return str(all[i], "service") + " · " + str(all[i], "when") }, k.v[tail]))
}

// offers goes on with a service: the only one, or the one that was named.
func (k *caller) offers(all []map[string]any) reply {
	said := k.folded
	for _, e := range k.past {
		if len(k.called(verifyTool)) > 0 { // with the wish that came before
			said += " " + newLine(e.user).whole
		}
	}
	meant := slices.DeleteFunc(slices.Clone(all), func(s map[string]any) bool { return !strings.Contains(said, firstWord(s)) })
	if len(meant) != 1 {
		meant = all
	}
	switch len(meant) {
	case 0:
		return say(k.v["noTimes"])
	case 1:
		return k.find("service", str(meant[0], "service"))
	}
	priced := func(i int) string { return fmt.Sprintf("%s, %s", str(all[i], "name"), str(all[i], "price")) }
	return say(enumerate(k.v["services"], len(all), priced, k.v["which"]))
}

// times reads free times out.
func (k *caller) times(first string, data map[string]any) reply {
	all := list(data, "times", maxSlots)
	if len(all) == 0 {
		return say(first + k.v["noTimes"])
	}
	return say(enumerate(first+k.v["times"], len(all), func(i int) string { return str(all[i], "when") }, k.v["which"]))
}

// placeOf is the place of a list that a folded text names; 0 means no place. Numbers mean one in few words only.
func placeOf(folded string) int {
	name, _ := kindOf("ordinal", folded)
	if n := 1 + slices.Index([]string{"first", "second", "third", "fourth", "fifth"}, name); n > 0 {
		return n
	}
	if len(strings.Fields(folded)) > fewWords {
		return 0
	}
	name, _ = kindOf("number", folded)
	return atoi(name)
}
