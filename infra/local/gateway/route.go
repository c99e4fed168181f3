package gateway

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// route is a route that can be matched.
type route struct {
	Route
	segments []string
	shape    string // the path without the names of its parameters
}

func parseRoute(r Route) (route, error) {
	if r.Method == "" || strings.ToUpper(r.Method) != r.Method {
		return route{}, fmt.Errorf("method: want it in capital letters, or ANY")
	}
	if r.Path == Default && r.Method == "ANY" && r.Function != nil {
		return route{Route: r, shape: Default}, nil
	}
	rest, ok := strings.CutPrefix(r.Path, "/")
	if !ok || r.Function == nil {
		return route{}, fmt.Errorf("want a path that begins with /, and a function")
	}
	segments := strings.Split(rest, "/")
	shape := slices.Clone(segments)
	for i, s := range segments {
		switch kindOf(s) {
		case greedy:
			if i < len(segments)-1 {
				return route{}, fmt.Errorf("path: %s must be the last segment", s)
			}
			shape[i] = "{+}"
		case parameter:
			shape[i] = "{}"
		default:
			if strings.ContainsAny(s, "{}") {
				return route{}, fmt.Errorf("path: %s is neither a name nor a parameter", s)
			}
		}
	}
	return route{Route: r, segments: segments, shape: strings.Join(shape, "/")}, nil
}

// The kinds of segments; of two routes that match, the one with the lesser kind at the
// first difference is taken.
const (
	literal = iota
	parameter
	greedy
)

func kindOf(segment string) int {
	name, ok := strings.CutPrefix(segment, "{")
	name, end := strings.CutSuffix(name, "}")
	bare, plus := strings.CutSuffix(name, "+")
	switch {
	case !ok || !end || bare == "" || strings.ContainsAny(bare, "{}+"):
		return literal
	case plus:
		return greedy
	}
	return parameter
}

// match returns the parameters of a path, if it is the route's.
func (r *route) match(path string) (map[string]string, bool) {
	parts := strings.Split(strings.TrimPrefix(path, "/"), "/")
	params := map[string]string{}
	for i, s := range r.segments {
		if i >= len(parts) {
			return nil, false
		}
		name := strings.Trim(s, "{+}")
		switch kindOf(s) {
		case greedy:
			params[name] = strings.Join(parts[i:], "/")
			return params, params[name] != ""
		case parameter:
			if params[name] = parts[i]; parts[i] == "" {
				return nil, false
			}
		default:
			if s != parts[i] {
				return nil, false
			}
		}
	}
	return params, len(parts) == len(r.segments)
}

// before reports whether r is the better match of two: by path, then by method.
func (r *route) before(other *route) bool {
	for i := range min(len(r.segments), len(other.segments)) {
		if a, b := kindOf(r.segments[i]), kindOf(other.segments[i]); a != b {
			return a < b
		}
	}
	return r.Method != "ANY" && other.Method == "ANY"
}

// errNoRoute means that the gateway has to answer by itself.
var errNoRoute = errors.New("gateway: no route")

// find returns the best route for a request and the parameters in its path.
func (g *gateway) find(method, path string) (*route, map[string]string, error) {
	var best, byDefault *route
	var found map[string]string
	for i := range g.routes {
		r := &g.routes[i]
		if r.Path == Default {
			byDefault = r
			continue
		}
		params, ok := r.match(path)
		if ok && (r.Method == method || r.Method == "ANY") && (best == nil || r.before(best)) {
			best, found = r, params
		}
	}
	switch {
	case best != nil:
		return best, found, nil
	case byDefault != nil:
		return byDefault, nil, nil
	}
	return nil, nil, errNoRoute
}

// key is the route's name in events.
func (r *route) key() string {
	if r.Path == Default {
		return Default
	}
	return r.Method + " " + r.Path
}
