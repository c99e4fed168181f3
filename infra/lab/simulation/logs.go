package simulation

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// leaks returns the log lines of functions, at any level, that contain somebody's name, number,
// address or words. There must not be any: operators of the system read logs, and logs outlive data that is
// deleted.
func (w *World) leaks() (all []string) {
	w.t.Helper()
	private := w.private()
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	for _, line := range w.log.lines {
		var values map[string]any
		if err := json.Unmarshal([]byte(line), &values); err != nil {
			all = append(all, "not JSON: "+line)
			continue
		}
		said := flat(values)
		for what, pattern := range private {
			if pattern.MatchString(said) {
				all = append(all, what+": "+line)
			}
		}
	}
	return all
}

// private are what must not be logged, by what it is.
func (w *World) private() map[string]*regexp.Regexp {
	any := map[string][]string{}
	add := func(what string, s ...string) {
		for _, one := range s {
			if one != "" {
				any[what] = append(any[what], regexp.QuoteMeta(one))
			}
		}
	}
	for _, c := range w.people() {
		if c.Role != Business { // which is called as its listing is
			add("a name", c.Name, c.Canary, c.Profile)
		}
		add("a number", digits(c.Phone))
		add("a session", c.Session)
		if c.Role == "" {
			add("a number", digits(phoneFor(c)))
		}
		for _, s := range c.Said {
			add("what a customer wrote", sentences(s.Text)...)
		}
		for _, told := range c.Told {
			add("what a customer was told", sentences(told.Text)...)
		}
	}
	add("a number", digits(deskNumber), "15550337")
	add("an address", "Harbour Road")
	for _, m := range w.twilio.Messages() {
		add("what somebody was told", sentences(m.Body)...)
	}
	patterns := map[string]*regexp.Regexp{}
	for what, of := range any {
		patterns[what] = regexp.MustCompile(`(?i)(^|\W)(` + strings.Join(of, "|") + `)($|\W)`)
	}
	return patterns
}

// digits are a number as it stands in logs whatever stands before it.
func digits(phone string) string { return strings.TrimPrefix(phone, "+") }

// sentences are the lines of a text that are long enough to be nobody else's.
func sentences(text string) (long []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); len(line) >= 12 && strings.Contains(line, " ") {
			long = append(long, line)
		}
	}
	return long
}

// flat is all that a value says, without the escapes of JSON.
func flat(v any) string {
	switch v := v.(type) {
	case map[string]any:
		var all []string
		for name, value := range v {
			all = append(all, name+" "+flat(value))
		}
		return strings.Join(all, "\n")
	case []any:
		var all []string
		for _, value := range v {
			all = append(all, flat(value))
		}
		return strings.Join(all, "\n")
	}
	return fmt.Sprint(v)
}
