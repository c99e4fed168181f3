package agent

import (
	"encoding/json"
	"fmt"

	"merve/internal/model/llm"
)

const dataTag = "<data"

// Data tells a model what tools gave, and what else has no authority: never as the system, and in an envelope that
// ends where it ends, because JSON escapes < and >.
func Data(what string, v any) (llm.Message, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return llm.Message{}, fmt.Errorf("%s: %w", what, err)
	}
	return llm.Message{Role: llm.User, Text: fmt.Sprintf("%s %s>%s</data>", dataTag, what, raw)}, nil
}
