package wiring

import "merve/internal/plan/worker/kind"

// Bus is an event bus. It is useful even without a rule of ours: operators of Merve attach
// their own consumers, which read the events on it and change nothing here.
type Bus struct {
	Name string
	Env  string // variable with its real name, for functions that put events on it
}

// Buses lists every bus.
func Buses() []Bus {
	return []Bus{
		{Name: "conversation-events", Env: "BUS_CONVERSATION_EVENTS"},           // what happened in plans
		{Name: "tool-invocation-requests", Env: "BUS_TOOL_INVOCATION_REQUESTS"}, // commands to the workers
		{Name: "bot_output_events", Env: "BUS_BOT_OUTPUT_EVENTS"},               // answers, for pages that show them
	}
}

// Rule puts events of a bus on a queue. Its target is never a function, so that a function
// keeps the one trigger that it has.
type Rule struct {
	Name  string
	Bus   string
	Types []string // detail types that it accepts
	Tools []string // of these, only events whose detail.payload.toolName is listed; empty accepts all
	Queue string   // without order: a bus keeps none
}

// Takes reports whether r takes an event of a detail type, for the tool that its payload
// names ("" for none).
func (r Rule) Takes(detailType, tool string) bool {
	return has(r.Types, detailType) && (len(r.Tools) == 0 || has(r.Tools, tool))
}

// Rules lists every rule.
func Rules() []Rule { return planRules() }

// planRules are the rules of the plan engine. FinalAnswerSynthesized (on conversation-events) and
// BotResponseMessage (on bot_output_events) have none: nothing here waits for them on a
// queue, they are for consumers outside.
func planRules() []Rule {
	rules := []Rule{
		{
			Name: "plan-events", Bus: "conversation-events",
			Types: []string{"PlanGenerated", "ToolInvocationResulted", "PlanCompleted"}, Queue: "plan-events",
		},
		{Name: "plan-answers", Bus: "conversation-events", Types: []string{"SynthesizeFinalAnswerRequested"}, Queue: "plan-answers"},
	}
	for _, k := range kind.All() {
		rules = append(rules, Rule{
			Name: k.Name(), Bus: "tool-invocation-requests", Types: []string{"ToolInvocationRequested"}, Tools: []string{k.Tool}, Queue: k.Name(),
		})
	}
	return rules
}
