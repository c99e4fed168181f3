package rulemodel

import (
	"encoding/json"
	"strings"

	"merve/internal/words/language"
)

// How the prompts of live conversations begin that are not turns.
const (
	acknowledgeBegins = "You are on the phone with a customer."
	summarizeBegins   = "You are given the lines of a call"
)

// besideTurns answers what live conversations ask outside their turns.
func besideTurns(req request) (reply, bool) {
	prompt := string(req.Messages[0].Content)
	last := string(req.Messages[len(req.Messages)-1].Content)
	switch {
	case strings.HasPrefix(prompt, acknowledgeBegins):
		for lang, text := range voices("plan") {
			if text["looking"] != "" && strings.Contains(prompt, "in the language "+language.Name(lang)) {
				return reply{text: text["looking"]}, true
			}
		}
		return reply{text: acknowledged(last)}, true
	case strings.HasPrefix(prompt, summarizeBegins):
		return reply{text: summarized(last)}, true
	}
	return reply{}, false
}

// acknowledged makes sentences of what a tool asks to be told: "say that you are looking up their account".
func acknowledged(prompts string) string {
	var doing []string
	for line := range strings.Lines(prompts) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "say that you are ")
		doing = append(doing, strings.NewReplacer("their ", "your ", "the caller's ", "your ").Replace(line))
	}
	return "I am " + strings.Join(doing, ", and ") + "."
}

// summarized tells what was asked for last, and what the answer was.
func summarized(lines string) string {
	var said []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	if json.Unmarshal([]byte(lines), &said) != nil {
		return ""
	}
	wish, answer := "", ""
	for _, l := range said {
		if l.Role == "user" {
			wish, answer = l.Content, ""
		} else {
			answer, _, _ = strings.Cut(l.Content, "\n")
		}
	}
	return strings.TrimSpace(wish + " → " + answer)
}
