package web

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"merve/internal/words/lang"
	"merve/internal/words/language"
)

// words holds the texts, in one language, of the pages that the backend renders.
type words struct {
	Tag, Name string // the language's tag, and its own name for itself

	// The report page.
	Report, Status, Pending, Completed, Resolved string
	Address, NoAddress, Coordinates              string
	Map, Sketch, OpenMap                         string
	Photos, Photo, NoPhotos                      string
	Created, Updated, Expires, Shared            string
	Gone, GoneText, Missing, MissingText         string

	// The page of the damage report assistant.
	Sara, Lead, How, Begin, Computer, Device, NoScript, Languages string
	Steps                                                         [4]string
}

// Dir is the direction in which the language runs.
func (w words) Dir() string {
	if language.RTL(w.Tag) {
		return "rtl"
	}
	return "ltr"
}

// StatusOf returns the word for a report's status; an unknown status stays as it is.
func (w words) StatusOf(status string) string {
	switch status {
	case "pending":
		return w.Pending
	case "completed":
		return w.Completed
	case "resolved":
		return w.Resolved
	}
	return status
}

// wordsFor returns the words of the wanted language, or of the best that a browser accepts, or
// English.
func wordsFor(wanted, accept string) words {
	for _, tag := range append([]string{wanted}, accepted(accept)...) {
		if known, ok := language.Normalize(tag); ok {
			return wordsIn(known)
		}
	}
	return wordsIn("en")
}

func wordsIn(tag string) words {
	all := allWords()
	return all[max(0, slices.IndexFunc(all, func(w words) bool { return w.Tag == tag }))]
}

// mostAccepted is how many languages of a header are looked at: browsers send a handful.
const mostAccepted = 20

// accepted returns the tags of an Accept-Language header, the best first (RFC 9110 §12.5.4).
func accepted(header string) []string {
	type choice struct {
		tag     string
		quality float64
	}
	var choices []choice
	for _, part := range strings.SplitN(header, ",", mostAccepted+1)[:min(mostAccepted, strings.Count(header, ",")+1)] {
		tag, weight, weighted := strings.Cut(part, ";")
		c := choice{strings.TrimSpace(tag), 1}
		if weighted {
			var err error
			q, _ := strings.CutPrefix(strings.TrimSpace(weight), "q=")
			if c.quality, err = strconv.ParseFloat(q, 64); err != nil {
				continue
			}
		}
		if c.quality > 0 {
			choices = append(choices, c)
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.quality, a.quality) })
	tags := make([]string, len(choices))
	for i, c := range choices {
		tags[i] = c.tag
	}
	return tags
}

// allWords are the words of every language, English first.
var allWords = sync.OnceValue(func() []words {
	var all []words
	for tag, text := range lang.Page().All() {
		w := words{Tag: tag}
		if json.Unmarshal([]byte(text), &w) == nil { // a test reads every one of them
			all = append(all, w)
		}
	}
	return all
})
