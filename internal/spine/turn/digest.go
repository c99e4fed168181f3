package turn

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"merve/internal/spine/thread"
	"merve/internal/words/language"
)

// A model sees the latest turns word for word, and a digest of those before them: one line a turn, from which the oldest
// go first when it grows too long. Every digestEvery-th turn carries the digest of all turns before it. So the latest turns
// always hold one that reaches back to where they begin, and no turn reads or writes more than another.
//
// A turn that carries out a YES leaves the digest to the next one: what it did may have been to erase what was said.
const (
	digestEvery = 8    // and one more is less than [thread.Recent]
	maxDigest   = 1800 // characters: more than a line for each turn that the latest turns hold as well
	maxGist     = 100  // characters of what was said in a turn
	maxDone     = 60   // characters of what was done in it
)

// digestBefore is what the model is told of the turns before the latest ones.
func digestBefore(recent []thread.Turn) string {
	if len(recent) == 0 || recent[0].N == 1 {
		return "" // there are none
	}
	for _, t := range recent {
		if t.Digest != "" {
			return "<data earlier>\n" + t.Digest + "</data>\n"
		}
	}
	return ""
}

// digested is the digest that a turn carries; "" for most. Recent are the turns before it.
func digested(recent []thread.Turn) string {
	var lines []string
	since := 1 // turns after the last that carries one, this one too
	for _, t := range recent {
		since++
		if t.Digest != "" { // of all before t
			lines, since = strings.SplitAfter(t.Digest, "\n"), 1
		}
		lines = append(lines, gist(t))
	}
	if since < digestEvery {
		return ""
	}
	size := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if size += utf8.RuneCountInString(lines[i]); size > maxDigest {
			return strings.Join(lines[i+1:], "")
		}
	}
	return strings.Join(lines, "")
}

// gist is a turn in one line: when, what the customer said, what was done.
func gist(t thread.Turn) string {
	var said, did []string
	for _, m := range t.In {
		if m.Notice == nil && m.Text != "" {
			said = append(said, strings.Join(strings.Fields(m.Text), " "))
		}
	}
	for _, c := range t.Calls {
		if (c.Status == "ok" || c.Status == "proposed") && !slices.Contains(did, c.Name) {
			did = append(did, c.Name)
		}
	}
	if len(said)+len(did) == 0 {
		return ""
	}
	line := t.At.UTC().Format(time.DateOnly) + " customer: " + language.Brief(noTags.Replace(strings.Join(said, " / ")), maxGist)
	if len(did) > 0 {
		line += fmt.Sprintf(" [%s]", language.Brief(strings.Join(did, ", "), maxDone))
	}
	return line + "\n"
}

// noTags keeps words from looking like the end of the data that they are in.
var noTags = strings.NewReplacer("<", "‹", ">", "›")
