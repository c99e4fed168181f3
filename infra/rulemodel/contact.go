package rulemodel

import (
	"regexp"
	"strings"
)

// meet reads who the customer is, where they were asked for it: their answer is about nothing else.
func (c *conversation) meet() {
	asked := false
	for i, e := range c.past {
		switch {
		case e.said != "":
			asked = inAnyVoice(func(v voice) bool { return strings.Contains(e.said, v["contact"]) })
		case e.user != "" && asked && c.introduce(e.user):
			c.past[i].user = ""
		}
	}
	if asked && c.introduce(c.text) {
		c.text, c.introduced = "", true
	}
}

// ofName are words before a name.
var ofName = regexp.MustCompile(`(?i)^(my name is|i am|i'm|this is|name|adım|ben|με λένε|είμαι|меня зовут|я|שמי|אני|اسمي|أنا)[ :]+`)

// introduce reads a name and a number, if there is a number.
func (c *conversation) introduce(text string) bool {
	western := westernDigits(text)
	number := phoneNumber.FindString(western)
	if number == "" {
		return false
	}
	before, _, _ := strings.Cut(western, number)
	c.callsSelf = strings.Trim(ofName.ReplaceAllString(strings.TrimSpace(before), ""), " ,;:.\n")
	if first, _, more := strings.Cut(c.callsSelf, ","); more {
		c.callsSelf = first
	}
	c.reached = number
	return true
}

// proposal is what to book, and for whom if that was said.
func (c *conversation) proposal(m *memory) map[string]any {
	args := m.proposal()
	if c.reached != "" {
		args["phone"] = c.reached
	}
	if c.callsSelf != "" {
		args["name"] = c.callsSelf
	}
	return args
}
