package rulemodel

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"merve/internal/words/language"
)

// conversation is a request as the rules see it.
type conversation struct {
	offered  map[string]json.RawMessage // schemas of the tools that may be called, by name
	now      time.Time                  // in the customer's zone
	calendar calendar
	tongue   string             // tag of the language the customer writes; "" if it cannot be told
	past     []entry            // what came before the messages to answer
	text     string             // the customer's messages that nobody has answered yet
	rest     string             // what they ask for besides, that comes next
	results  []result           // of the calls made for them, in order
	details  map[string]listing // by id, of the listings looked up for them
	honest   bool               // it was said before what answers here
	plain    bool               // the last reply was sent back: quote nobody this time
	pin      bool               // a location was shared with the messages to answer
	located  bool               // the customer's location is known
	fallback string             // tag of the customer's language as the system says it

	callsSelf, reached string // name and number, as the customer gave them when they were asked
	introduced         bool   // with the messages to answer

	profile  []report // of the customer, as the backend tells at the turn's beginning
	profiled bool     // it does
}

// entry is one thing of the past: a message of the customer, a result that was shown,
// or something that the assistant said.
type entry struct {
	user   string
	said   string
	result *result
	pin    bool // a location was shared with the customer's message
	errand bool // it was part of an errand: no booking was meant
}

// maxMessages bounds how much of a conversation is read: its end.
const maxMessages = 200

// read finds its way through the messages of a request. Data is taken from where
// results stand, never from a customer's message.
func read(req request, now time.Time) conversation {
	c := conversation{now: now.UTC(), offered: offered(req), details: map[string]listing{}}
	messages := req.Messages[max(0, len(req.Messages)-maxMessages):]
	system := ""
	for _, m := range req.Messages {
		if m.Role == "system" || m.Role == "developer" {
			system += outside(string(m.Content)) + "\n"
		}
	}
	messages = c.sentBack(messages)
	open := unanswered(messages)
	calls := map[string]called{} // by id
	for i, m := range messages {
		for _, call := range m.ToolCalls {
			calls[call.ID] = call
		}
		c.add(m, calls, i >= open)
	}
	for _, r := range c.results {
		if r.tool == "getListing" && r.failed == nil {
			c.details[r.listings[0].id] = r.listings[0]
		}
	}
	c.settle(system)
	c.meet()
	return c
}

// sentBack takes off a reply that the system answered instead of the customer: it did
// not go out and has to be written again.
func (c *conversation) sentBack(messages []message) []message {
	end := len(messages)
	for end > 0 && (messages[end-1].Role == "system" || messages[end-1].Role == "developer") {
		end--
	}
	if end == len(messages) || end == 0 || messages[end-1].Role != "assistant" || len(messages[end-1].ToolCalls) > 0 {
		return messages
	}
	c.plain = true
	return messages[:end-1]
}

// unanswered is where the messages begin that this turn answers: the customer's last
// ones, with nothing said by the assistant since.
func unanswered(messages []message) int {
	open := len(messages)
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role == "assistant" && len(m.ToolCalls) == 0 {
			break
		}
		if m.Role == "user" {
			open = i
		}
	}
	return open
}

// stamp stands in a message for what is no text.
var stamp = regexp.MustCompile(`\[(?:attachment: [^\]\n]{0,60}|shared a location|empty message)\]`)

const pinStamp = "[shared a location]"

func (c *conversation) add(m message, calls map[string]called, present bool) {
	text := string(m.Content)
	switch m.Role {
	case "user":
		pin := strings.Contains(text, pinStamp)
		text = strings.TrimSpace(stamp.ReplaceAllString(text, ""))
		if present {
			c.text, c.pin = strings.TrimSpace(c.text+"\n"+text), c.pin || pin
			return
		}
		c.past = append(c.past, entry{user: text, pin: pin})
	case "tool":
		call := calls[m.ToolCallID]
		r := parseResult(call.Function.Name, text)
		if json.Unmarshal([]byte(call.Function.Arguments), &r.args) != nil {
			r.args = nil
		}
		if present {
			c.results = append(c.results, r)
			return
		}
		c.past = append(c.past, entry{result: &r})
	default:
		c.addSaid(m.Role, text)
	}
}

func (c *conversation) addSaid(role, text string) {
	c.readProfile(text)
	data := blocks(text)
	for _, tool := range slices.Concat(known, ofReports, ofCalls, ofTrade) {
		if inner, ok := data[strings.ReplaceAll(tool, ".", "_")]; ok {
			r := parseResult(tool, inner)
			c.past = append(c.past, entry{result: &r})
		}
	}
	if said := outside(text); role == "assistant" && said != "" {
		c.honest = c.honest || inAnyVoice(func(v voice) bool { return strings.Contains(said, v["standIn"]) })
		c.past = append(c.past, entry{said: said})
	}
}

// known are the tools whose results are read.
var known = []string{"searchMarketplace", "getListing", "initiateBooking", "getMyBookings", "cancelBooking", "getMenu"}

var (
	nowLine      = regexp.MustCompile(`(?mi)^\s*now:\s*(\S+)(?:\s+\([A-Za-z]+\))?\s*$`)
	zoneLine     = regexp.MustCompile(`(?mi)^\s*time ?zone:\s*(\S+)\s*$`)
	locationLine = regexp.MustCompile(`(?mi)^\s*customer's location:\s*-?\d`)
	languageLine = regexp.MustCompile(`(?mi)^\s*language:\s*(\S+)\s*$`)
)

// settle reads what the system says of time and language.
func (c *conversation) settle(system string) {
	if m := nowLine.FindStringSubmatch(system); m != nil {
		if t, err := time.Parse(time.RFC3339, m[1]); err == nil {
			c.now = t
		}
	}
	if m := zoneLine.FindStringSubmatch(system); m != nil {
		if zone, err := time.LoadLocation(m[1]); err == nil {
			c.now = c.now.In(zone)
		}
	}
	c.calendar = newCalendar(c.now)
	c.located = c.pin || locationLine.MatchString(system)
	tag := ""
	if m := languageLine.FindStringSubmatch(system); m != nil {
		tag, _ = language.Normalize(m[1])
	}
	c.fallback = tag
	c.tongue = c.speaks(tag)
}

// speaks tells the customer's language: by what they write now, else by what they
// wrote last that shows it, else by what the system says.
func (c *conversation) speaks(fallback string) string {
	texts := []string{c.text}
	for i := len(c.past) - 1; i >= 0; i-- {
		texts = append(texts, c.past[i].user)
	}
	for _, text := range texts {
		if tag := detect(text); tag != "" {
			return tag
		}
	}
	return fallback
}

func detect(text string) string {
	if strings.ContainsAny(text, "ğĞşŞıİ") { // no other of our languages writes these
		return "tr"
	}
	if tag := language.Detect(text, ""); tag != "" {
		return tag
	}
	l := newLine(text) // too short for that: one word will do
	turkish := slices.ContainsFunc(l.plain, func(w string) bool { return isWord(w, "telling tr") || suffix.MatchString(w) })
	english := slices.ContainsFunc(l.plain, func(w string) bool { return isWord(w, "telling en") })
	switch {
	case turkish && !english:
		return "tr"
	case english && !turkish:
		return "en"
	}
	return ""
}

// tongueIn tells the customer's language to who speaks in a section: by what they wrote last that shows it, else by what the
// system says. Addresses tell where they are, not what they speak.
func (c *conversation) tongueIn(section string, isPlace func(q question) bool, detect func(text string) string) string {
	var texts []string
	q := asksNothing
	for _, e := range append(slices.Clone(c.past), entry{user: c.text}) {
		switch {
		case strings.TrimSpace(e.said) != "":
			q = askedFor(section, e.said)
		case e.user != "" && !isPlace(q):
			texts = append(texts, e.user)
		}
	}
	for _, text := range slices.Backward(texts) {
		if tag := detect(text); voices(speaker(section))[tag] != nil {
			return tag
		}
	}
	return voiceIn(speaker(section), c.fallback)["tag"]
}
