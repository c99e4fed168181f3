package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// document is a text in Markdown with commands.
type document struct {
	file   string
	lines  []string
	blocks []*block
}

// block are commands and what they print.
type block struct {
	line     int // of its first command, from 1
	commands []string
	from, to int  // lines of what is shown, without the fences
	shown    bool // something is
}

const (
	fence    = "```"
	commands = fence + "sh"
	output   = fence + "text"
)

// looksLikeOne begins lines that want to be in a block of commands.
var looksLikeOne = regexp.MustCompile(`^(\$ |make |curl |say |sam |aws |export |go run |bash )`)

func readDocument(file string) (*document, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	d := &document{file: file, lines: strings.Split(string(raw), "\n")}
	return d, d.parse()
}

func (d *document) parse() error {
	last := -2 // the line with which the last block of commands ended
	for i := 0; i < len(d.lines); i++ {
		open := d.lines[i]
		if !strings.HasPrefix(open, fence) {
			continue
		}
		end := i + 1
		for ; end < len(d.lines) && d.lines[end] != fence; end++ {
		}
		if end == len(d.lines) {
			return fmt.Errorf("line %d: the block does not end", i+1)
		}
		inside := d.lines[i+1 : end]
		switch {
		case open == commands:
			d.blocks = append(d.blocks, &block{line: i + 2, commands: inside})
			last = end
		case open == output:
			if last < 0 || strings.TrimSpace(strings.Join(d.lines[last+1:i], "")) != "" {
				return fmt.Errorf("line %d: output without commands right before it", i+1)
			}
			b := d.blocks[len(d.blocks)-1]
			b.from, b.to, b.shown = i+1, end, true
			last = -2
		default:
			if at := slices.IndexFunc(inside, looksLikeOne.MatchString); at >= 0 {
				return fmt.Errorf("line %d: commands stand in a block of %q, so that they are run", i+2+at, commands)
			}
		}
		i = end
	}
	return nil
}

// show has a document show what was printed, in lines that are not too long.
func (d *document) show(b *block, printed string) {
	lines := wrapped(printed)
	more := len(lines) - (b.to - b.from)
	d.lines = slices.Concat(d.lines[:b.from], lines, d.lines[b.to:])
	for _, other := range d.blocks {
		if other.from > b.from {
			other.from, other.to = other.from+more, other.to+more
		}
	}
	b.to += more
}

func (d *document) write() error {
	return os.WriteFile(d.file, []byte(strings.Join(d.lines, "\n")), 0o644)
}

// widest is how long a line of a document is.
const widest = 140

// wrapped are the lines of a text, those that are too long broken between words.
func wrapped(text string) []string {
	var lines []string
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, " \n")
		for len([]rune(line)) > widest {
			at := strings.LastIndex(string([]rune(line)[:widest]), " ")
			if at <= 0 {
				break
			}
			lines, line = append(lines, line[:at]), line[at+1:]
		}
		lines = append(lines, line)
	}
	return lines
}

// varying is what differs with every run, and what stands for it when two runs are compared.
var varying = []struct {
	form    *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?`), "‹date›"},
	{regexp.MustCompile(`(\pL{3} )?\b\d{1,2} \pL{3} \d{4}( \p{Lu}\pL{2}\b)?`), "‹date›"},
	{regexp.MustCompile(`\buntil (‹date›, )?\d\d:\d\d`), "until ‹time›"},
	{regexp.MustCompile(`\b[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[a-z]{1,3}_[0-9a-z_]{12,}|\b[0-9A-HJKMNP-TV-Z]{26}\b|\b[0-9a-f]{32,}\b`), "‹id›"},
	{regexp.MustCompile(`\b\d+(\.\d+)? ?m?s\b`), "‹duration›"},
	{regexp.MustCompile(`\b(?:[0-9A-Z]{6,7}|[0-9]*[A-Z][0-9A-Z]*)\b`), ""}, // codes, see alike
}

// alike is a text as it is compared with others: without what differs with every run, and however its lines are broken.
func alike(text string) string {
	for _, v := range varying {
		text = v.form.ReplaceAllStringFunc(text, func(found string) string {
			if v.instead != "" {
				return v.instead
			}
			if n := len(found); (n == 4 || n == 6 || n == 7) && strings.ContainsFunc(found, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
				return "‹code›"
			}
			return found
		})
	}
	return strings.Join(strings.Fields(text), " ")
}
