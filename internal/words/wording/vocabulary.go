package wording

import "merve/internal/words/language"

// Vocabulary is what people may write, folded, with what it means: the words of the catalogue,
// in every language, and others.
func Vocabulary[M comparable](own map[Key]M, others map[M][]string) map[string]M {
	all := map[string]M{}
	for meaning, words := range others {
		for _, w := range words {
			all[language.Fold(w)] = meaning
		}
	}
	for _, lang := range language.Supported() {
		for key, meaning := range own {
			all[language.Fold(Say(lang, key, nil))] = meaning
		}
	}
	return all
}
