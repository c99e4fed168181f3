package web

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"merve/internal/words/lang"
)

// Texts that pages show without asking the backend, from the folders of languages.

// textsOf reads the texts of one use: by language, then by key. T is a text, or what else a key may have.
func textsOf[T any](use lang.Words) (map[string]map[string]T, error) {
	all := map[string]map[string]T{}
	for tag, text := range use.All() {
		texts := map[string]T{}
		if err := json.Unmarshal([]byte(text), &texts); err != nil {
			return nil, fmt.Errorf("%s: %w", use.Name(tag), err)
		}
		all[tag] = texts
	}
	return all, nil
}

// rightToLeft returns the tags of the languages that run from right to left.
func rightToLeft() []string {
	var tags []string
	for _, l := range lang.Languages() {
		if l.RightToLeft {
			tags = append(tags, l.Tag)
		}
	}
	return tags
}

// chatTexts is the module with the texts of the chat page. The page offers the languages that have them.
func chatTexts() ([]byte, error) {
	texts, err := textsOf[any](lang.Chat())
	if err != nil {
		return nil, err
	}
	var body []byte
	body = append(body, "/** The languages to choose from, each by its own name. */\nexport const languages = {\n"...)
	for tag := range lang.Chat().All() {
		body = fmt.Appendf(body, "  %s: %q,\n", tag, wordsIn(tag).Name)
	}
	return fmt.Appendf(body, "};\n\nexport const rightToLeft = %s;\n\nexport const words = %s;\n", encode(rightToLeft()), encode(texts)), nil
}

// widgetTexts is what Sara's widget gets: the keys, the texts of each language in their order, and which languages run from right
// to left. It is on every page of the sites that embed it, so the keys are in it once.
func widgetTexts() ([]byte, error) {
	texts, err := textsOf[string](lang.Widget())
	if err != nil {
		return nil, err
	}
	keys, words := slices.Sorted(maps.Keys(texts["en"])), map[string][]string{}
	for tag, of := range texts {
		for _, key := range keys {
			words[tag] = append(words[tag], of[key])
		}
	}
	return encode(map[string]any{"keys": keys, "words": words, "rightToLeft": rightToLeft()}), nil
}

// encode is what always marshals: texts by texts.
func encode(v any) []byte {
	body, _ := json.Marshal(v)
	return body
}
