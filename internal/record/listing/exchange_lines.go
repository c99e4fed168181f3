package listing

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
)

func readLines(r io.Reader, take func(int, *Listing, error)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for row := 1; lines.Scan(); row++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		l, err := decodeLine(line)
		take(row, l, err)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fault.New(fault.Invalid, "a line is longer than a megabyte")
	}
	return lines.Err()
}

func decodeLine(line []byte) (*Listing, error) {
	if !utf8.Valid(line) || line[0] != '{' {
		return nil, fault.New(fault.Invalid, "want one JSON object on the line")
	}
	l := &Listing{}
	row := struct {
		*Listing
		Location *geo.Input       `json:"location"`
		Merve    integrationInput `json:"merve"`
	}{Listing: l}
	if err := strictly(line, &row); err != nil {
		return nil, err
	}
	var err error
	if l.Location, err = row.Location.Read(); err != nil {
		return nil, err
	}
	l.Merve, err = row.Merve.read()
	return l, err
}

// strictly reads one JSON value: a name in it that is misspelt would be lost unseen.
func strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return readable(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fault.New(fault.Invalid, "want one JSON value, and nothing after it")
	}
	return nil
}

// readable says in words what JSON could not be read for.
func readable(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(unembedded(err), &wrong):
		return fault.Field(wrong.Field, "want %s, not %s", wrong.Type, wrong.Value)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return fault.Field(strings.Trim(strings.TrimPrefix(err.Error(), "json: unknown field "), `"`), "no such field")
	}
	return fault.New(fault.Invalid, "the JSON cannot be read")
}

// embedded are structs that JSON has no name for, though a path of an error's has.
var embedded = strings.NewReplacer("Listing.", "", "plainIntegration.", "", "plainAction.", "")

func unembedded(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		wrong.Field = embedded.Replace(wrong.Field)
	}
	return err
}

func writeLines(w io.Writer, all []*Listing) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, l := range all {
		if err := e.Encode(bare(l)); err != nil {
			return err
		}
	}
	return nil
}

// bare is a listing without what the store adds.
func bare(l *Listing) *exchanged {
	c := *l
	c.Market, c.Left = "", nil // remaining counts are not part of a catalogue: they would be wrong when it is imported later
	return &exchanged{Listing: &c}
}

// exchanged omits who changed a listing and when, and which market it belongs to.
type exchanged struct {
	*Listing
	Market    string `json:"marketId,omitempty"`
	Version   int    `json:"version,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
	UpdatedBy string `json:"updatedBy,omitempty"`
}
