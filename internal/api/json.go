package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"merve/internal/fault"
)

var (
	errMedia    = wrongMedia("application/json", "send application/json, not compressed")
	errNoObject = fault.New(fault.Invalid, "the body must be one JSON object")
)

// mediaError refuses a body for the media type it was sent as.
type mediaError struct {
	error
	accept string // the media types that are taken
}

func (e *mediaError) Unwrap() error { return e.error }

// wrongMedia is the error for a body that was not sent as one of the media types in accept.
func wrongMedia(accept, detail string) error {
	return &mediaError{error: fault.New(fault.Invalid, "%s", detail), accept: accept}
}

// readJSON reads a body of exactly one JSON object into each of outs. Unknown fields are ignored, as
// clients may be newer than we are; a field that comes twice is refused, as readers differ
// on which one counts (RFC 8259 §4).
func readJSON(w http.ResponseWriter, r *http.Request, outs ...any) error {
	body, err := readBody(w, r, maxBody)
	if err != nil {
		return err
	}
	switch trimmed := bytes.TrimSpace(body); {
	case len(body) > 0 && !isJSON(r.Header):
		return errMedia
	case !utf8.Valid(body):
		return fault.New(fault.Invalid, "the body must be UTF-8")
	case len(trimmed) == 0 || trimmed[0] != '{', !json.Valid(body): // null, too, would be taken for an empty object
		return errNoObject
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if _, err := d.Token(); err != nil {
		return errNoObject
	}
	if err := checkObject(d); err != nil {
		return err
	}
	for _, out := range outs {
		if err := json.Unmarshal(body, out); err != nil {
			return wrongForm(err)
		}
	}
	return nil
}

func wrongForm(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fault.Field(wrong.Field, "want %s, not %s", wrong.Type, wrong.Value)
	}
	return fault.New(fault.Invalid, "the body holds a value of the wrong form")
}

// isJSON reports whether a body is sent as plain JSON.
func isJSON(h http.Header) bool {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	coding := h.Get("Content-Encoding")
	return err == nil && media == "application/json" && (coding == "" || strings.EqualFold(coding, "identity"))
}

// maxDepth is how deep a body may nest: several times as deep as any that has a meaning.
const maxDepth = 32

// checkObject reads d to the end of an object that has been opened, of valid JSON, and
// refuses names that come twice, whatever their case: fields are found without regard to it.
func checkObject(d *json.Decoder) error {
	names := []map[string]bool{{}} // of each open object; nil for an array
	for name := true; len(names) > 0; {
		token, err := d.Token()
		if err != nil && !errors.Is(err, io.EOF) {
			return errNoObject
		}
		within := names[len(names)-1]
		switch t := token.(type) {
		case json.Delim:
			switch t {
			case '{':
				names = append(names, map[string]bool{})
			case '[':
				names = append(names, nil)
			default:
				names = names[:len(names)-1]
			}
			if len(names) > maxDepth {
				return fault.New(fault.Invalid, "the body nests deeper than %d", maxDepth)
			}
		case string:
			if within != nil && name {
				if key := strings.ToLower(t); within[key] {
					return fault.New(fault.Invalid, "the body has a field twice")
				} else {
					within[key] = true
				}
				name = false
				continue
			}
		}
		name = len(names) > 0 && names[len(names)-1] != nil
	}
	return nil
}
