// Package wording holds every sentence that the product itself says to people, in every language that it speaks:
// confirmations and receipts come from here, filled from stored state, and never from a model.
//
// The texts are texts.json in the folders of package lang, flat files of key and text that a translator can edit.
// {name} in a text is a variable, {{ and }} are braces, and {yes} and {no} are the language's own words for an
// answer. A part of a text whose variables are all empty is left out. A part is a piece between " · ", or any line
// but the first.
//
// [Say] never fails and never panics: what is missing renders as nothing, and the package's tests see to it that
// nothing is missing. In and next to right-to-left text, runs of the other direction are set in Unicode isolates (UAX
// #9), so that "Rotana 19:00" keeps its order.
//
// Messages that a market words for itself go through [Render] and [Validate].
package wording

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// fallback is the language for people whose own language we do not support.
const fallback = "en"

// A catalogue is one language's texts, parsed.
type catalogue struct {
	lang  string
	rtl   bool
	texts map[Key]text
}

// catalogues parses each language when it is first spoken, so that starting costs nothing.
var catalogues = sync.OnceValue(func() map[string]func() catalogue {
	m := make(map[string]func() catalogue)
	for _, tag := range language.Supported() {
		m[tag] = sync.OnceValue(func() catalogue {
			c, _ := readCatalogue(tag) // embedded: a test reads every one of them
			return c
		})
	}
	return m
})

func readCatalogue(tag string) (catalogue, error) {
	c := catalogue{lang: tag, rtl: language.RTL(tag), texts: make(map[Key]text)}
	var sentences map[Key]string
	if err := json.Unmarshal([]byte(lang.Texts().In(tag)), &sentences); err != nil {
		return c, fmt.Errorf("parse catalogue %s: %w", tag, err)
	}
	for key, s := range sentences {
		t, err := parseText(s)
		if err != nil {
			return c, fmt.Errorf("catalogue %s: %s: %w", tag, key, err)
		}
		c.texts[key] = t
	}
	return c, nil
}

// in returns the catalogue of a wanted language, a locale such as "tr-TR", or English.
func in(wanted string) catalogue {
	tag, ok := language.Normalize(wanted)
	if !ok {
		tag = fallback
	}
	return catalogues()[tag]()
}

// Vars are the values of a text's variables, by name.
type Vars map[string]string

// Say returns the text of key in lang (a tag or locale; English if we do not support it), with vars filled in for its
// variables. Values are shown as they are and never expanded again. Line breaks in them become spaces, except in
// {alternatives}, {details} and {lines}, which are lists.
func Say(lang string, key Key, vars Vars) string {
	c := in(lang)
	return c.say(key, c.prepare(vars))
}

// List joins items to a value for {alternatives}; items may themselves have commas.
func List(lang string, items []string) string {
	c := in(lang)
	shown := make([]string, 0, len(items))
	for _, item := range items {
		shown = append(shown, isolate(oneLine(item), c.rtl))
	}
	return strings.Join(shown, separator)
}

// lists names the variables whose values may have several lines.
var lists = map[string]bool{"alternatives": true, "details": true, "lines": true}

// prepare makes values safe to show inside a text of c and adds the words for an answer.
func (c catalogue) prepare(vars Vars) Vars {
	out := Vars{"yes": c.plain(YesWord), "no": c.plain(NoWord)}
	for name, value := range vars {
		if lists[name] {
			value = clean(value)
		} else {
			value = oneLine(value)
		}
		out[name] = isolateLines(value, c.rtl)
	}
	return out
}

// about is what a text says of some of its variables: their parts of it, with all values.
func (c catalogue) about(key Key, vars, some Vars) string {
	return c.show(c.texts[key].naming(some), c.prepare(vars))
}

func (c catalogue) say(key Key, vars Vars) string { return c.show(c.texts[key], vars) }

func (c catalogue) show(t text, vars Vars) string {
	s := t.render(func(name string) string { return vars[name] })
	if c.rtl {
		return startRight(s)
	}
	return s
}

// plain is the text of a key without variables.
func (c catalogue) plain(key Key) string { return c.say(key, nil) }
