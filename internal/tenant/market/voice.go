package market

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/words/language"
)

// Voice is how an assistant sounds in a market. What it may do, how it verifies a customer and what its tools take
// is not a market's to say, and so there is no place for it here.
type Voice struct {
	Greeting map[string]string `dynamodbav:"greeting,omitempty" json:"greeting,omitempty"` // by language; a language without one gets the product's own
	Tone     string            `dynamodbav:"tone,omitempty" json:"tone,omitempty"`         // told to the model: how to sound
}

// maxVoice is the most characters of a greeting, and of a tone.
const maxVoice = 400

func (m *Market) checkVoices() error {
	for _, name := range slices.Sorted(maps.Keys(m.Voices)) {
		v, field := m.Voices[name], "voices."+name
		for _, lang := range slices.Sorted(maps.Keys(v.Greeting)) {
			if !slices.Contains(language.Supported(), lang) {
				return fault.Field(field+".greeting."+lang, "no such language: want some of %v", language.Supported())
			}
			if err := checkVoice(v.Greeting[lang]); err != nil {
				return fault.Field(field+".greeting."+lang, "%v", err)
			}
		}
		if v.Tone == "" {
			continue
		}
		if err := checkVoice(v.Tone); err != nil {
			return fault.Field(field+".tone", "%v", err)
		}
	}
	return nil
}

func checkVoice(text string) error {
	unprintable := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("is empty: leave it out")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable):
		return fmt.Errorf("has characters that cannot be shown")
	case utf8.RuneCountInString(text) > maxVoice:
		return fmt.Errorf("at most %d characters", maxVoice)
	}
	return nil
}
