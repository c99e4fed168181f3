package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"merve/internal/base/pattern"
)

var (
	nameKey = pattern.New(`(?i)^(?:(?:tool|function|recipient)_?)?name$|^(?:tool|function|action|recipient)$`)
	argsKey = pattern.New(`(?i)^(?:\w+_)?(?:arguments|parameters|args|params|kwargs|input)$`)

	parameter = pattern.New(`(?s)<parameter(?:=|\s+name\s*=\s*)"?([\w.-]+)"?\s*>(.*?)</parameter>`)
	word      = pattern.New(`[\pL_][\pL\pN_.▁-]*`)
	token     = pattern.New(`<[|｜][^|｜<>\s]+[|｜]>`)
	filler    = pattern.New(`(?i)tool|func|invoke|call|name|param|arg|^(?:json|xml|to|commentary|assistant|default_api|print)$`)
)

// looksLikeCall reports whether JSON has the form of a call, to a tool of the set or to one
// that there is not.
func looksLikeCall(raw json.RawMessage, tools []string) bool {
	_, _, form := callIn(raw, tools)
	return form
}

// callIn reads a call from JSON: an object with a tool's name in one member and the arguments in another, alone in
// any number of wrappers. The name is "" if the form is a call's but the tool is not of the set, or if there are
// several calls.
func callIn(raw json.RawMessage, tools []string) (name string, args json.RawMessage, form bool) {
	return callWithin(raw, tools, maxWrappers)
}

// maxWrappers is how many objects and lists may stand around a call.
const maxWrappers = 8

func callWithin(raw json.RawMessage, tools []string, wrappers int) (name string, args json.RawMessage, form bool) {
	if wrappers < 0 {
		return "", nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		if len(list) == 1 {
			return callWithin(list[0], tools, wrappers-1)
		}
		return "", nil, slices.ContainsFunc(list, func(v json.RawMessage) bool {
			_, _, form := callWithin(v, tools, wrappers-1)
			return form
		})
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return "", nil, false
	}
	var wrapped []json.RawMessage
	names, given := false, false
	for key, value := range members {
		var text string
		isText := json.Unmarshal(value, &text) == nil
		switch {
		case argsKey.MatchString(key):
			args, given = value, true
		case isText && known(text, tools) != "":
			name = known(text, tools)
		case isText:
			names = names || nameKey.MatchString(key)
		case known(key, tools) != "" && len(members) == 1:
			return known(key, tools), value, true
		default:
			wrapped = append(wrapped, value)
		}
	}
	switch {
	case name != "":
		return name, args, true
	case names && given:
		return "", nil, true
	case len(wrapped) == 1 && !given:
		return callWithin(wrapped[0], tools, wrappers-1)
	}
	return "", nil, false
}

// known is the tool that a name means, or "". Models write a tool's origin in front of its name, as in
// "functions.search".
func known(name string, tools []string) string {
	name = strings.Trim(name, ".:")
	if slices.Contains(tools, name) {
		return name
	}
	if name = name[strings.LastIndexByte(name, '.')+1:]; slices.Contains(tools, name) {
		return name
	}
	return ""
}

// readWritten reads a call that was written as text: as JSON, or as a tool's name with
// arguments in tags or in a channel. It reports false where that is not all that was
// written, and where the tool is not of the set.
func readWritten(written string, tools []string) (Call, bool) {
	args, rest, ok := argumentsIn(written)
	if name, inner, form := callIn(args, tools); form && ok {
		return callOf(name, inner, rest, tools, false)
	}
	return callOf("", args, rest, tools, true)
}

// argumentsIn takes the arguments out of what was written: JSON, or else named parameters.
func argumentsIn(written string) (args json.RawMessage, rest string, ok bool) {
	if i := strings.IndexAny(written, "{["); i >= 0 && !parameter.MatchString(written) {
		for ; i >= 0 && i < len(written); i = next(written, i) {
			d := json.NewDecoder(strings.NewReader(written[i:]))
			if d.Decode(&args) == nil && len(args) > 1 && (args[0] == '{' || bytes.HasPrefix(bytes.TrimSpace(args[1:]), []byte("{"))) {
				return args, written[:i] + " " + written[i+int(d.InputOffset()):], true
			}
		}
	}
	values := map[string]json.RawMessage{}
	rest = parameter.Regexp().ReplaceAllStringFunc(written, func(p string) string {
		m := parameter.Regexp().FindStringSubmatch(p)
		value := json.RawMessage(strings.TrimSpace(m[2]))
		if !json.Valid(value) {
			value, _ = json.Marshal(strings.TrimSpace(m[2])) // a string always marshals
		}
		values[m[1]] = value
		return " "
	})
	args, _ = json.Marshal(values) // raw JSON that was just checked
	return args, rest, true
}

// next is where the next JSON may begin behind i, -1 if nowhere.
func next(s string, i int) int {
	n := strings.IndexAny(s[i+1:], "{[")
	if n < 0 {
		return -1
	}
	return i + 1 + n
}

// callOf builds a call from its parts. The rest of the text may hold only markup and, if named, the name of one tool.
func callOf(name string, args json.RawMessage, rest string, tools []string, named bool) (Call, bool) {
	for _, w := range word.Regexp().FindAllString(token.Regexp().ReplaceAllString(rest, " "), -1) {
		tool := known(w, tools)
		switch {
		case tool != "" && named && (name == "" || name == tool):
			name = tool
		case tool != "" && tool == name, filler.MatchString(w):
		default:
			return Call{}, false
		}
	}
	var text string
	if json.Unmarshal(args, &text) == nil && text != "" { // some write the JSON of the arguments as a string
		args = json.RawMessage(text)
	}
	if args = bytes.TrimSpace(args); len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	if name == "" || args[0] != '{' || !json.Valid(args) {
		return Call{}, false
	}
	return Call{ID: "call_0", Name: name, Args: args}, true
}
