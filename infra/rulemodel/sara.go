package rulemodel

import (
	"fmt"
	"slices"
	"strings"

	"merve/internal/words/language"
)

// desk leads the turn of a conversation about damage, as Sara does.
type desk struct {
	turn
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

// deskSmall are the sentences that answer what needs no tool.
var deskSmall = map[aim]string{aimAssist: "canDo", aimBow: "thanks", aimPerson: "person", aimLater: "declined"}

// attend comes to the next step of a turn at the desk: a call, or words.
func (c *conversation) attend() reply {
	tag := c.deskTongue()
	i := c.recall(earFor(tag))
	d := desk{turn: turn{conversation: c, v: voiceIn("desk", tag), absent: "cannot"}, i: i, asked: i.asked}
	d.wrong = func(f *failure) reply { return say(d.wrongly(result{failed: f})) }
	d.s = i.hear(c.text)
	if names := deskSmall[d.s.aim]; names != "" {
		return say(d.v.sentences(names))
	}
	switch d.s.aim {
	case aimGreet, aimExplain:
		return say(d.introduced())
	case aimUnclear:
		return say(d.v["unclear"] + " " + d.again())
	case aimTell:
		return d.tell()
	case aimMove:
		return d.move()
	case aimList:
		return d.list()
	}
	return d.do(deskTools[d.s.aim])
}

// introduced is a greeting, with what answers here where that was not said before.
func (d *desk) introduced() string {
	said := slices.ContainsFunc(d.past, func(e entry) bool {
		for _, v := range voices("desk") {
			if strings.Contains(e.said, v["standIn"]) {
				return true
			}
		}
		return false
	})
	switch {
	case d.s.aim == aimExplain:
		return d.v["standIn"] + ". " + d.v["canDo"]
	case said:
		return d.v["hello"] + " " + d.v["canDo"]
	}
	return d.v["hello"] + " " + d.v["standIn"] + ". " + d.v["canDo"]
}

// again is the question that was not answered, or what can be asked for.
func (d *desk) again() string {
	switch d.asked {
	case deskAsksPlace:
		return d.v[string(deskAsksAddress)]
	case asksNothing, deskAsksWhich:
		return d.v["canDo"]
	}
	return d.v[string(d.asked)]
}

// deskTools do what needs no more telling.
var deskTools = map[aim]string{aimShare: "create_time_limited_report_link", aimMend: "mark_report_resolved", aimRemove: "delete_report",
	aimCode: "create_link_code", aimJoin: "link_chats", aimPart: "unlink_chats", aimErase: "delete_my_data"}

// do calls a tool with what its schema takes, and says what came of it.
func (d *desk) do(tool string) reply {
	if r, done := d.done(tool); done {
		return say(d.settled(r))
	}
	values := map[string]any{"code": d.s.code}
	if d.s.hours > 0 {
		values["ttlHours"] = d.s.hours
	}
	if s := parseSchema(d.offered[tool]); s != nil && s.properties["reportId"] != nil {
		r, next := d.which(func(r report) bool { return d.s.aim != aimMend || r.status != "resolved" })
		if next != nil {
			return *next
		}
		values["reportId"] = r.id
	}
	return d.must(tool, values)
}

func (d *desk) settled(r result) string {
	switch {
	case r.failed != nil:
		return d.wrongly(r)
	case r.url != "":
		return d.v.hasLink(r.until, r.url)
	case r.tool == "create_link_code":
		return fmt.Sprintf(d.v["code"], clean(r.code, 40), inFigures(r.until))
	case r.tool == "unlink_chats":
		return d.v["unlinked"]
	case r.tool == "delete_report", r.tool == "link_chats", r.tool == "delete_my_data":
		return d.v["check"] // the rest is asked and told by the backend
	}
	return d.words(r)
}

// deskTongue tells the customer's language at the desk.
func (c *conversation) deskTongue() string {
	return c.tongueIn("desk", asksPlace, func(text string) string {
		return tongueOf(photoLost.ReplaceAllString(photoMark.ReplaceAllString(text, ""), ""))
	})
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

// maxSections bounds what is written down in one turn, whose rounds are counted.
const maxSections = 3

// tell puts what was told on a report, and starts one when no report is about it.
func (d *desk) tell() reply {
	if r, done := d.done("start_damage_report"); done {
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
	if _, started := d.done("start_damage_report"); !started {
		read, done := d.done("get_report_details")
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
	_, done := d.done("update_report_photos")
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
	_, started := d.done("start_damage_report")
	said := []string{strings.TrimSpace(d.alarm(!started))}
	if d.s.lost != "" {
		said = append(said, fmt.Sprintf(d.v["photoLost"], clean(d.s.lost, 200)))
	}
	for n, r := range d.results {
		if r.failed != nil {
			return say(strings.TrimSpace(strings.Join(append(said, d.wrongly(r)), " ")))
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

// wrongly says why a call failed.
func (d *desk) wrongly(r result) string {
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
