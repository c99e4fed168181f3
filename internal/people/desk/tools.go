package desk

import (
	"context"

	"merve/internal/agent/tool"
	"merve/internal/words/language"
)

// Tools returns the tool that hands over the conversation when a customer wishes for a person.
func Tools() []tool.Tool {
	t := tool.New("askForPerson",
		"Hand the conversation over to a person of the team. Use it when the customer asks for a human, is very upset, or needs what you cannot do. "+
			"From then on you are silent until they hand it back; the customer is told by the system.", tool.Propose, ask)
	t.Draft = true // of the conversation itself: nobody outside is told what was not said to them
	return []tool.Tool{t}
}

type askArgs struct {
	Reason string `json:"reason" jsonschema:"what the customer needs a person for, in one sentence, for the team"`
}

func ask(_ context.Context, _ tool.Context, a askArgs) (tool.Result, error) {
	return tool.Result{
		Data:     map[string]string{"status": "handed over", "note": "the system tells the customer that a person will answer; add nothing"},
		HandOver: &tool.HandOver{Reason: language.Clip(a.Reason, maxReason)},
	}, nil
}
