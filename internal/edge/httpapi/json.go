package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
)

// maxBody is the largest JSON body taken, in bytes.
const maxBody = 64 << 10

var (
	errMedia    = WrongMedia("application/json", "send application/json, not compressed")
	errNoObject = fault.New(fault.Invalid, "the body must be one JSON object")
)

// ReadJSON reads a body of exactly one JSON object into each of outs. Unknown fields are ignored:
// clients may be newer than we are. A field that comes twice is refused, because readers differ on
// which one counts (RFC 8259 §4).
func ReadJSON(w http.ResponseWriter, r *http.Request, outs ...any) error {
	body, err := ReadBody(w, r, maxBody)
	if err != nil {
		return err
	}
	switch trimmed := bytes.TrimSpace(body); {
	case len(body) > 0 && !isJSON(r.Header):
		return errMedia
	case !utf8.Valid(body):
		return fault.New(fault.Invalid, "the body must be UTF-8")
	case len(trimmed) == 0 || trimmed[0] != '{', !json.Valid(body): // null would decode as an empty object
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
			return fault.WrongForm(err)
		}
	}
	return nil
}

// ReadBody reads a body of at most limit bytes.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fault.New(fault.TooLarge, "the body is larger than %d bytes", limit)
	case err != nil:
		return nil, fault.New(fault.Invalid, "the body could not be read")
	}
	return body, nil
}

// isJSON reports whether a body was sent as JSON, not compressed.
func isJSON(h http.Header) bool {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	coding := h.Get("Content-Encoding")
	return err == nil && media == "application/json" && (coding == "" || strings.EqualFold(coding, "identity"))
}

// maxDepth is how deep a body may nest, several times deeper than any valid one.
const maxDepth = 32

// checkObject reads valid JSON from d, whose first object has been opened, to the end of that
// object. It refuses names that come twice. Their case does not matter, as it does not when
// encoding/json looks up fields.
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

// WriteJSON answers with body as JSON.
func WriteJSON(w http.ResponseWriter, status int, body any) error {
	return WriteBody(w, status, "application/json", body)
}

// WriteBody answers with body in a media type that is a form of JSON.
func WriteBody(w http.ResponseWriter, status int, media string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that has gone cannot be told
	return nil
}
