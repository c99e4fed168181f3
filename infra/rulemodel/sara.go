package rulemodel

import (
	"fmt"
	"slices"
	"strings"

	"merve/internal/words/language"
)

// desk leads the turn of a conversation about damage, in the place of Sara.
type desk struct {
	*conversation
	v     voice
	i     *intake
	s     saying   // what the customer says now
	asked question // to which it may be the answer
}

// atDesk reports whether the conversation is about damage: the tools for it are offered, or
// the backend tells of the customer's reports.
func (c *conversation) atDesk() bool {
	offered := func(tool string) bool { return c.offered[tool] != nil }
	return c.profiled || offered("list_user_reports") || slices.ContainsFunc(ofReports, offered)
}

// attend comes to the next step of a turn at the desk: a call, or words.
func (c *conversation) attend() reply {
	tag := c.deskTongue()
	i := c.recall(earFor(tag))
	d := desk{conversation: c, v: voices("desk")[tag], i: i, asked: i.asked}
	d.s = i.hear(c.text)
	if r, ok := d.small(); ok {
		return say(r)
	}
	switch d.s.aim {
	case aimTell:
		return d.tell()
	case aimMove:
		return d.move()
	case aimList:
		return d.list()
	case aimShare, aimMend, aimRemove:
		return d.settle()
	}
	return d.account()
}

// small answers what needs no tool.
func (d *desk) small() (string, bool) {
	v := d.v
	switch d.s.aim {
	case aimGreet:
		if d.saidWhatItIs() {
			return v["hello"] + " " + v["canDo"], true
		}
		return v["hello"] + " " + v["standIn"] + ". " + v["canDo"], true
	case aimExplain:
		return v["standIn"] + ". " + v["canDo"], true
	case aimAssist:
		return v["canDo"], true
	case aimBow:
		return v["thanks"], true
	case aimPerson:
		return v["person"], true
	case aimLater:
		return v["declined"], true
	case aimUnclear:
		return v["unclear"] + " " + d.again(), true
	}
	return "", false
}

// again is the question that was not answered, or what can be asked for.
func (d *desk) again() string {
	v := d.v
	switch d.asked {
	case deskAsksWhere:
		return v["where"]
	case deskAsksAddress, deskAsksPlace:
		return v["address"]
	case deskAsksPhotos:
		return v["photos"]
	case deskAsksWhat:
		return v["what"]
	case deskAsksWhen:
		return v["when"]
	}
	return v["canDo"]
}

func (d *desk) saidWhatItIs() bool {
	for _, e := range d.past {
		for _, v := range voices("desk") {
			if strings.Contains(e.said, v["standIn"]) {
				return true
			}
		}
	}
	return false
}

// deskTongue tells the customer's language: by what they wrote last that shows it, else by
// what the system says. Addresses tell where they are, not what they speak.
func (c *conversation) deskTongue() string {
	var texts []string
	asked := asksNothing
	for _, e := range c.past {
		switch {
		case e.said != "":
			asked = askedFor("desk", e.said)
		case e.user != "" && !asksPlace(asked):
			texts = append(texts, e.user)
		}
	}
	if !asksPlace(asked) {
		texts = append(texts, c.text)
	}
	for _, text := range slices.Backward(texts) {
		if tag := tongueOf(photoLost.ReplaceAllString(photoMark.ReplaceAllString(text, ""), "")); tag != "" {
			return tag
		}
	}
	if voices("desk")[c.fallback] != nil {
		return c.fallback
	}
	return "en"
}

func asksPlace(q question) bool {
	return q == deskAsksWhere || q == deskAsksAddress || q == deskAsksPlace
}

// tongueOf tells the language of a text, if need be by the cues that it holds; "" if it
// cannot be told.
func tongueOf(text string) string {
	if strings.ContainsAny(text, "ğĞşŞıİ") { // no other of our languages writes these
		return "tr"
	}
	if tag := language.Detect(text, ""); voices("desk")[tag] != nil {
		return tag
	}
	folded, best, most := newLine(text).whole, "", 0
	for tag, patterns := range lexica().desk {
		n := 0
		for c, re := range patterns {
			if c != "yes" && c != "no" && c != "not" && c != "at" && re.MatchString(folded) { // those are short and shared
				n++
			}
		}
		switch {
		case n > most:
			best, most = tag, n
		case n == most:
			best = ""
		}
	}
	return best
}

// last returns the latest result of a tool in this turn.
func (d *desk) last(tool string) (result, bool) {
	done := d.called(tool)
	if len(done) == 0 {
		return result{}, false
	}
	return done[len(done)-1], true
}

// must asks for a tool, or says that it cannot be had.
func (d *desk) must(tool string, values map[string]any) reply {
	if next := d.call(tool, values); next != nil {
		return *next
	}
	return say(d.v["cannot"])
}

// maxSections bounds what is written down in one turn, whose rounds are counted.
const maxSections = 3

// tell puts what was told on a report, which is started when there is none about it.
func (d *desk) tell() reply {
	if r, done := d.last("start_damage_report"); done {
		return d.write(r.report)
	}
	about, next := d.about()
	switch {
	case next != nil:
		return *next
	case d.s.lost != "" && len(d.i.told)+len(d.i.photos) == 0:
		return say(d.alarm(true) + fmt.Sprintf(d.v["photoLost"], clean(d.s.lost, 200)) + " " + d.v["photos"])
	case about != nil:
		return d.write(*about)
	case d.s.place == "":
		return say(d.alarm(false) + d.v["where"])
	}
	return d.must("start_damage_report", map[string]any{"address": d.s.place})
}

// alarm is what comes before all else where there may be danger, or where damage is told
// that no report is about yet.
func (d *desk) alarm(reported bool) string {
	switch {
	case d.s.aim != aimTell:
		return ""
	case d.s.danger:
		return d.v["danger"] + " "
	case d.s.damage && !reported:
		return d.v["sorry"] + " "
	}
	return ""
}

// write puts what was told on a report, one call after the other, and says what came of it.
func (d *desk) write(r report) reply {
	if d.broken() {
		return d.conclude()
	}
	known := r
	if _, started := d.last("start_damage_report"); !started {
		read, done := d.last("get_report_details")
		if !done {
			return d.must("get_report_details", map[string]any{"reportId": r.id})
		}
		known = read.report
	}
	for _, t := range d.i.told[:min(len(d.i.told), maxSections)] {
		values := map[string]any{"reportId": r.id, "section": t.name, "content": joined(known.contents[t.name], t.content)}
		if next := d.call("update_damage_report_section", values); next != nil && !d.filed(t.name) {
			return *next
		}
	}
	if next := d.attach(r.id, known); next != nil {
		return *next
	}
	return d.conclude()
}

// broken reports whether a call of this turn went wrong.
func (d *desk) broken() bool {
	return slices.ContainsFunc(d.results, func(r result) bool { return r.failed != nil })
}

// filed reports whether a section was written in this turn.
func (d *desk) filed(name string) bool {
	return slices.ContainsFunc(d.called("update_damage_report_section"), func(r result) bool { return r.args["section"] == name })
}

// attach returns the call that puts the new photos behind those that a report has, or says
// that there are none; nil when there is nothing to do.
func (d *desk) attach(id string, known report) *reply {
	_, done := d.last("update_report_photos")
	all := slices.Clone(known.refs)
	for _, p := range d.i.photos {
		if !slices.ContainsFunc(all, func(ref string) bool { return photoID(ref) == photoID(p) }) {
			all = append(all, p)
		}
	}
	none := d.i.noPhotos && len(all) == 0 && known.photos == 0
	if done || len(all) == len(known.refs) && !none {
		return nil
	}
	values := map[string]any{"reportId": id, "photoUrls": append([]string{}, all...)}
	if none {
		values["noPhotos"] = true
	}
	return d.call("update_report_photos", values)
}

// photoID is the name of a photo without that of its thread.
func photoID(ref string) string {
	ref = strings.TrimPrefix(ref, "photo:")
	return ref[strings.LastIndex(ref, "/")+1:]
}

// conclude says what the calls of this turn came to, and asks for what is missing.
func (d *desk) conclude() reply {
	_, started := d.last("start_damage_report")
	said := []string{strings.TrimSpace(d.alarm(!started))}
	if d.s.lost != "" {
		said = append(said, fmt.Sprintf(d.v["photoLost"], clean(d.s.lost, 200)))
	}
	for n, r := range d.results {
		if r.failed != nil {
			return say(strings.TrimSpace(strings.Join(append(said, d.wrong(r)), " ")))
		}
		if w := d.words(r); n == 0 || d.results[n-1].tool != r.tool {
			said = append(said, w)
		}
	}
	if len(d.results) > 0 {
		said = append(said, d.ask(d.results[len(d.results)-1].report))
	}
	said = slices.DeleteFunc(said, func(s string) bool { return s == "" })
	if len(said) == 0 {
		return say(d.v["unclear"] + " " + d.v["canDo"])
	}
	return say(strings.Join(said, " "))
}

// words are what a result of this turn means; "" where that needs no words.
func (d *desk) words(r result) string {
	v, at := d.v, r.report
	switch r.tool {
	case "start_damage_report":
		return fmt.Sprintf(v["started"], d.quoted(at.address)) + d.unfound(at)
	case "update_report_address":
		return fmt.Sprintf(v["moved"], d.quoted(at.address)) + d.unfound(at) + d.completed(at)
	case "update_damage_report_section":
		return v["noted"]
	case "update_report_photos":
		if at.photos == 0 {
			return v["noneOn"] + d.completed(at)
		}
		return fmt.Sprintf(v["photosOn"], at.photos) + d.completed(at)
	case "mark_report_resolved":
		return fmt.Sprintf(v["done"], d.quoted(at.address))
	}
	return ""
}

// unfound says that an address has no place on the map.
func (d *desk) unfound(r report) string {
	if r.note != "" && len(r.candidates) == 0 {
		return " " + d.v["asText"]
	}
	return ""
}

func (d *desk) completed(r report) string {
	if r.status == "completed" {
		return " " + d.v["complete"]
	}
	return ""
}

// quoted is an address in our words, unless they were sent back for it.
func (d *desk) quoted(address string) string {
	switch {
	case d.plain:
		return d.v["thisOne"]
	case address == "":
		return d.v["noAddress"]
	}
	return clean(address, maxAddress)
}

// ask puts the next question about a report.
func (d *desk) ask(r report) string {
	v := d.v
	for _, called := range d.results { // of the address; what came after it says nothing of places
		if len(called.report.candidates) > 0 && !d.plain {
			places := called.report.candidates
			return "\n" + enumerate(v["places"], min(len(places), shownReports), func(i int) string { return clean(places[i], maxAddress) }, v["place"])
		}
	}
	switch {
	case r.status == "resolved":
		return ""
	case slices.Contains(r.missing, "address"):
		return v["address"]
	case slices.Contains(r.missing, "photos"):
		return v["photos"]
	case !slices.Contains(r.told, "description"):
		return v["what"]
	case !slices.Contains(r.told, "occurredAt"):
		return v["when"]
	}
	return v["more"]
}

// wrong says why a call failed.
func (d *desk) wrong(r result) string {
	v, f := d.v, r.failed
	changes := strings.HasPrefix(r.tool, "update_") || r.tool == "mark_report_resolved"
	switch {
	case f.kind == "unavailable" || f.kind == "internal" || f.kind == "limited" || f.message == "":
		return v["away"]
	case r.tool == "link_chats" && (f.kind == "not_found" || f.kind == "conflict"):
		return v["badCode"]
	case f.kind == "not_found":
		return v["gone"]
	case f.field == "ttlHours":
		return v["hours"]
	case f.kind == "conflict" && r.tool == "start_damage_report":
		return v["tooMany"]
	case f.kind == "conflict" && r.tool == "mark_report_resolved" && !strings.Contains(f.message, "is resolved"):
		return v["notComplete"]
	case f.kind == "conflict" && changes:
		return v["closed"]
	}
	return fmt.Sprintf(v["refused"], clean(f.message, 300))
}
