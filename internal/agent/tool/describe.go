package tool

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Describe puts a call into words for a customer who must confirm it. It uses the tool's own summary if there is one,
// else the arguments, which for a reading tool say what it looks up. Nobody is shown JSON.
func (t Tool) Describe(ctx context.Context, tc Context, args json.RawMessage) (string, error) {
	if t.Summary != nil {
		return t.Summary(ctx, tc, args)
	}
	var given any
	if err := json.Unmarshal(args, &given); err != nil {
		return "", err
	}
	said := strings.Join(spoken(given), " · ")
	if t.Effect == Read {
		return wording.Say(tc.Language, wording.LookUp, wording.Vars{"text": said}), nil
	}
	return strings.TrimSuffix(t.Name+" · "+said, " · "), nil
}

// maxSpoken is how much of one argument a customer is shown, in characters.
const maxSpoken = 80

// spoken are the words and numbers in arguments, in the order of their names; words in quotation marks, as
// they are the model's. What is on or off, or not given, says nothing without its name.
func spoken(v any) []string {
	switch v := v.(type) {
	case string:
		if v = strings.Join(strings.Fields(v), " "); v != "" {
			return []string{"“" + language.Brief(v, maxSpoken) + "”"}
		}
	case float64:
		number, _ := json.Marshal(v) // numbers always marshal
		return []string{string(number)}
	case []any:
		var all []string
		for _, one := range v {
			all = append(all, spoken(one)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, spoken(v[name])...)
		}
		return all
	}
	return nil
}
