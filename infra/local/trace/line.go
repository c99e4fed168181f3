package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"merve/internal/plan"
)

// look is how events of a type are shown.
type look struct{ sign, colour string }

// Colours are those that every terminal has (ECMA-48, SGR).
var looks = map[plan.Type]look{
	plan.UserQueryReceived:              {"💬", "36"},
	plan.PlanGenerated:                  {"🧭", "35"},
	plan.ToolInvocationRequested:        {"🔧", "33"},
	plan.ToolInvocationResulted:         {"✅", "32"},
	plan.PlanCompleted:                  {"🏁", "34"},
	plan.SynthesizeFinalAnswerRequested: {"📝", "33"},
	plan.FinalAnswerSynthesized:         {"💡", "1;32"},
}

var failed = look{"❌", "31"}

// width is the most characters of one text in a line.
const width = 100

// line is an event in one line: when, what, and what matters of it.
func line(e event, since time.Duration, colour bool) string {
	l, ok := looks[e.EventType]
	if !ok {
		l = look{"•", "37"}
	}
	what, success := summary(e)
	if !success {
		l = failed
	}
	name := fmt.Sprintf("%-30s", oneLine(string(e.EventType), width))
	if colour {
		name = "\x1b[" + l.colour + "m" + name + "\x1b[0m"
	}
	return fmt.Sprintf("%8.3fs %s %s %s", since.Seconds(), l.sign, name, what)
}

// summary returns the essence of an event, and whether it reports success.
func summary(e event) (what string, success bool) {
	switch e.EventType {
	case plan.UserQueryReceived:
		p, ok := read[plan.Query](e)
		return quoted(p.Query), ok
	case plan.PlanGenerated:
		p, ok := read[plan.Generated](e)
		return steps(p.Plan.Steps, e.Note), ok
	case plan.ToolInvocationRequested:
		p, ok := read[plan.Requested](e)
		return fmt.Sprintf("%d %s %s", p.StepIndex, oneLine(p.ToolName, width), quoted(p.ToolInput.Input)), ok
	case plan.ToolInvocationResulted:
		p, ok := read[plan.Resulted](e)
		return fmt.Sprintf("%d %s %d ms %s", p.StepIndex, oneLine(p.ToolName, width), p.DurationMs, oneLine(string(p.Result), width)), ok && p.Success
	case plan.PlanCompleted:
		p, ok := read[plan.Completed](e)
		return fmt.Sprintf("%s in %d ms", tally(p.Results), p.TotalDurationMs), ok
	case plan.SynthesizeFinalAnswerRequested:
		p, ok := read[plan.Synthesize](e)
		return tally(p.ToolResults), ok
	case plan.FinalAnswerSynthesized:
		p, ok := read[plan.Final](e)
		return oneLine(p.FinalAnswer, 0), ok
	}
	return oneLine(string(e.Payload), width), true
}

func read[P any](e event) (p P, ok bool) { return p, json.Unmarshal(e.Payload, &p) == nil }

// steps describes the steps of a plan, such as `2 steps: 0 math "1 + 1" · 1 weather "Kyrenia" (after 0)`.
func steps(all []plan.Step, note string) string {
	each := make([]string, len(all))
	for i, s := range all {
		each[i] = fmt.Sprintf("%d %s %s", s.StepIndex, oneLine(s.Tool, width), quoted(s.Input))
		if len(s.DependsOn) > 0 {
			each[i] += " (after " + strings.Trim(fmt.Sprint(s.DependsOn), "[]") + ")"
		}
	}
	text := fmt.Sprintf("%d steps: %s", len(all), strings.Join(each, " · "))
	if len(all) == 1 {
		text = "1 step: " + each[0]
	}
	if note != "" {
		text += " – " + oneLine(note, width)
	}
	return text
}

// tally counts results by the outcome of their steps, in the order in which each outcome first occurred.
func tally(results []plan.StepResult) string {
	var order []plan.Status
	counts := map[plan.Status]int{}
	for _, r := range results {
		if counts[r.Status]++; counts[r.Status] == 1 {
			order = append(order, r.Status)
		}
	}
	parts := make([]string, len(order))
	for i, s := range order {
		parts[i] = fmt.Sprintf("%d %s", counts[s], oneLine(string(s), width))
	}
	return strings.Join(parts, ", ")
}

func quoted(s string) string { return `"` + oneLine(s, width) + `"` }

// oneLine returns a text without characters a terminal would act on, and with at most that many characters; 0 is no bound.
func oneLine(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsGraphic(r): // controls, and what turns the direction of text
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); most > 0 && len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
