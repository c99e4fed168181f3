package rulemodel

import (
	"encoding/json"
	"regexp"
	"strings"

	"merve/internal/words/language"
)

// report is what a result says of a damage report. Everything in it is data.
type report struct {
	id, status, address string
	missing             []string          // for completion
	told                []string          // sections
	contents            map[string]string // of the sections, told by get_report_details
	photos              int
	refs                []string // of the photos, in their order, told by get_report_details
	candidates          []string // places that its address may mean
	note                string
	deleted             bool
}

// bounds on what is taken from and shown of reports; the lengths are in characters
const (
	maxReports   = 60
	shownReports = 10
	maxAddress   = 256
	maxContent   = 2000
	maxStrings   = 30
)

// ofReports are the tools whose results say something of a report.
var ofReports = []string{
	"start_damage_report", "update_damage_report_section", "update_report_address", "update_report_photos", "get_report_details",
	"mark_report_resolved", "create_time_limited_report_link", "delete_report",
}

func parseReport(m map[string]any) report {
	r := report{id: str(m, "reportId"), status: str(m, "status"), address: str(m, "address"), missing: strs(m, "missing"),
		told: strs(m, "sections"), photos: int(num(m, "photos")), candidates: strs(m, "candidates"), note: str(m, "note")}
	if r.id == "" {
		r.id = str(m, "id") // as a profile has it
	}
	r.deleted, _ = m["deleted"].(bool)
	if contents, ok := m["contents"].(map[string]any); ok {
		r.contents = map[string]string{}
		for name, v := range contents {
			if s, ok := v.(string); ok {
				r.contents[name] = language.Clip(s, maxContent)
			}
		}
	}
	for _, p := range list(m, "photoRefs", maxReports) {
		r.refs = append(r.refs, str(p, "ref"))
	}
	return r
}

// readDesk reads what the tools of the damage desk tell.
func (r *result) readDesk(m map[string]any) {
	r.report = parseReport(m)
	for _, v := range list(m, "reports", maxReports) {
		r.reports = append(r.reports, parseReport(v))
	}
	r.url, r.code = str(m, "url"), str(m, "code")
	if r.until = str(m, "expiresAt"); r.until == "" {
		r.until = str(m, "goodUntil")
	}
}

var profileBlock = regexp.MustCompile(`(?s)<data profile>(.*?)</data>`)

// readProfile reads what the backend knows of the customer.
func (c *conversation) readProfile(text string) {
	m := profileBlock.FindStringSubmatch(text)
	var told map[string]any
	if m == nil || json.NewDecoder(strings.NewReader(m[1])).Decode(&told) != nil {
		return
	}
	if _, ok := told["reportIdsWithStatus"]; !ok {
		return
	}
	c.profiled, c.profile = true, nil
	for _, r := range list(told, "reportIdsWithStatus", maxReports) {
		c.profile = append(c.profile, parseReport(r))
	}
}

// strs returns the texts of an array.
func strs(m map[string]any, key string) []string {
	items, _ := m[key].([]any)
	var out []string
	for _, v := range items[:min(len(items), maxStrings)] {
		if s, ok := v.(string); ok {
			out = append(out, clean(s, maxAddress))
		}
	}
	return out
}
