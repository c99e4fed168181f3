package rulemodel

import (
	"encoding/json"
	"testing"
	"time"
)

// What goes to the planner, and what stays with Merve's own tools.
func TestInParts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"What is 15 % of 340, what is the weather in Kyrenia, and which laptop under $2000 do you have?": true,
		"340'ın %15'i kaç, Girne'de hava nasıl?":                                                         true,
		"Was sind 15 % von 340, und wie ist das Wetter in Kyrenia?":                                      true,
		"What is 15 % of 340?":                                               false, // one part
		"A table for two at Meze House tomorrow at 7, please":                false,
		"A table for 2-3 people, and will it rain in Kyrenia?":               false, // it is booked, not computed
		"Can somebody repair my laptop, and what is the weather in Kyrenia?": false,
		"I need a laptop and a monitor":                                      false, // the marketplace has those
		"Order a wrap, and what is the weather in Kyrenia like":              false,
		"": false,
	} {
		if got := inParts(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The parts of a question, by tool and input.
func TestPlanned(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]string{
		"What is 15 % of 340, what is the weather in Kyrenia, and which laptop under $2000 do you have?": `[["math","15 % of 340"],["weather","Kyrenia"],["rag","which laptop under $2000 do you have"]]`,
		"I need a laptop for gaming under $2000":                                                         `[["rag","I need a laptop for gaming under $2000"]]`,
		"340'ın %15'i kaç, Girne'de hava nasıl?":                                                         `[["math","15% of 340"],["weather","Girne"]]`,
		"Was sind 15 % von 340?":                                                                         `[["math","15 % of 340"]]`,
		"¿Qué tiempo hace en Madrid?":                                                                    `[["weather","Madrid"]]`,
		"(2+3)*4":                                                                                        `[["math","(2+3)*4"]]`,
		"Who are you?":                                                                                   `[["general_chat","Who are you?"]]`,
		"":                                                                                               `[["general_chat",""]]`,
	} {
		raw, _ := json.Marshal(planned(request{Messages: []message{{Role: "user", Content: content("Question: " + question)}}}, time.Time{}))
		var p struct{ Steps []planStep }
		if err := json.Unmarshal(raw, &p); err != nil {
			t.Fatal(err)
		}
		var got [][2]string
		for _, s := range p.Steps {
			got = append(got, [2]string{s.Tool, s.Input})
		}
		if g, _ := json.Marshal(got); string(g) != want {
			t.Errorf("%s\n got %s\nwant %s", question, g, want)
		}
	}
}
