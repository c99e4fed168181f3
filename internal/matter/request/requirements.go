package request

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/audit"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

// Requirements are what a client needs: one JSON object in canonical form. Anyone may add to it. The backend
// knows the names that stand below. The rest is worded as it is.
type Requirements string

// The requirements that the backend knows.
const (
	NeedField     = "need"     // what is needed, in the client's words
	PlaceField    = "place"    // where, as text
	LocationField = "location" // where, as {lat, lng}
	WhenField     = "when"     // when, as text
	BudgetField   = "budget"   // a decimal in the request's currency; no vendor is told
)

// known are the requirements in the order in which they are worded.
var known = []string{NeedField, PlaceField, WhenField}

// Limits of requirements.
const (
	maxRequirements = 30
	maxName         = 40
	maxBytes        = 8 << 10
)

// ParseRequirements reads an object, or says what is wrong with it.
func ParseRequirements(raw json.RawMessage) (Requirements, error) {
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	if len(raw) > maxBytes {
		return "", fault.Field("requirements", "at most %d bytes", maxBytes)
	}
	canonical, err := audit.Canonical(raw)
	if err != nil {
		message, _ := fault.Public(err)
		return "", fault.Field("requirements", "%s", message)
	}
	r := Requirements(canonical)
	all := map[string]any{}
	if canonical[0] != '{' || json.Unmarshal(canonical, &all) != nil {
		return "", fault.Field("requirements", "want one JSON object")
	}
	if len(all) > maxRequirements {
		return "", fault.Field("requirements", "at most %d", maxRequirements)
	}
	for name, v := range all {
		if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }) {
			return "", fault.Field("requirements", "want names of 1 to %d characters", maxName)
		}
		if err := check(name, v); err != nil {
			return "", err
		}
	}
	return r, nil
}

// check holds what the backend knows to its form.
func check(name string, v any) error {
	switch name {
	case NeedField, PlaceField, WhenField:
		if s, ok := v.(string); !ok || utf8.RuneCountInString(s) > MaxText {
			return fault.Field("requirements."+name, "want text of at most %d characters", MaxText)
		}
	case BudgetField:
		if n, ok := v.(float64); !ok || n < 0 {
			return fault.Field("requirements.budget", "want a number that is not negative")
		}
	case LocationField:
		at, ok := v.(map[string]any)
		lat, latOK := at["lat"].(float64)
		lng, lngOK := at["lng"].(float64)
		if !ok || !latOK || !lngOK || !geo.OnEarth(lat, lng) {
			return fault.Field("requirements.location", "want {lat, lng}, within ±90 and ±180 degrees")
		}
	}
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (r Requirements) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("{}"), nil
	}
	return []byte(r), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (r *Requirements) UnmarshalJSON(raw []byte) error {
	*r = Requirements(raw)
	return nil
}

// values are the requirements by name.
func (r Requirements) values() map[string]any {
	all := map[string]any{}
	_ = json.Unmarshal([]byte(r), &all) // they were read when they came in
	return all
}

// Text is a requirement that is text; "" is not said.
func (r Requirements) Text(name string) string {
	s, _ := r.values()[name].(string)
	return strings.TrimSpace(s)
}

// Location is where it is needed; nil is not known.
func (r Requirements) Location() *geo.Location {
	at, ok := r.values()[LocationField].(map[string]any)
	if !ok {
		return nil
	}
	lat, _ := at["lat"].(float64)
	lng, _ := at["lng"].(float64)
	return &geo.Location{Lat: lat, Lng: lng}
}

// With are the requirements with others in their place. A value of nil takes one away.
func (r Requirements) With(changes map[string]any) (Requirements, error) {
	all := r.values()
	for name, v := range changes {
		if all[name] = v; v == nil {
			delete(all, name)
		}
	}
	return ParseRequirements(mustJSON(all))
}

// Missing are the requirements without which nobody is asked.
func (r Requirements) Missing() []string {
	missing := []string{}
	for _, name := range known {
		if r.Text(name) == "" && (name != PlaceField || r.Location() == nil) {
			missing = append(missing, name)
		}
	}
	return missing
}

// maxWorded is the longest wording of a requirement that the backend does not know, in characters.
const maxWorded = 200

// Need is what is needed, in one line, as the client is shown it and vendors are told it. The budget is the
// client's own business.
func (r Request) Need(lang string) string {
	parts := []string{wording.Quote(lang, r.Category)}
	for _, name := range known {
		if s := r.Requirements.Text(name); s != "" {
			parts = append(parts, wording.Quote(lang, s))
		}
	}
	if at := r.Requirements.Location(); at != nil {
		parts = append(parts, fmt.Sprintf("%.5f, %.5f", at.Lat, at.Lng))
	}
	all := r.Requirements.values()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(known, name) || name == LocationField || name == BudgetField {
			continue
		}
		s, ok := all[name].(string)
		if !ok {
			s = string(mustJSON(all[name]))
		}
		parts = append(parts, wording.Quote(lang, name+": "+language.Clip(s, maxWorded)))
	}
	return strings.Join(parts, " · ")
}
