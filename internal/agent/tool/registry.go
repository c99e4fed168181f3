package tool

import (
	"fmt"
	"strings"

	"merve/internal/base/pattern"
	"merve/internal/model/llm"
)

// Registry holds every tool there is, by its name and by its wire name.
type Registry struct {
	tools map[string]Tool
	order []string
}

// legalName is a name, or several with dots between: marketplace.search_vendors. Models take 64
// characters, and no dots: see [Tool.WireName].
var legalName = pattern.New(`^[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*$`)

const maxName = 64

// NewRegistry returns a registry of tools, in this order. It refuses two of one name, two that a model
// could not tell apart, an illegal name, and a tool without schema or description.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{tools: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		switch {
		case t.err != nil:
			return nil, t.err
		case !legalName.MatchString(t.Name) || len(t.Name) > maxName:
			return nil, fmt.Errorf("tool %q: want a name of letters, digits, - and _, with dots between parts, of at most %d characters", t.Name, maxName)
		case t.Description == "":
			return nil, fmt.Errorf("tool %s: no description", t.Name)
		case t.Effect != Read && t.Effect != Propose && t.Effect != Commit:
			return nil, fmt.Errorf("tool %s: unknown effect %q", t.Name, t.Effect)
		}
		for _, name := range []string{t.Name, t.WireName()} {
			switch other, taken := r.tools[name]; {
			case taken && other.Name == t.Name:
				return nil, fmt.Errorf("tool %s: registered twice", t.Name)
			case taken:
				return nil, fmt.Errorf("tool %s: a model cannot tell it from %s", t.Name, other.Name)
			}
		}
		r.tools[t.Name], r.tools[t.WireName()] = t, t
		r.order = append(r.order, t.Name)
	}
	return r, nil
}

// Get returns the tool of a name, or of a wire name: no two tools share either.
func (r *Registry) Get(name string) (Tool, bool) {
	t, ok := r.tools[name]
	return t, ok
}

// Names returns all tools' names in order of registration.
func (r *Registry) Names() []string { return r.order }

// WireName is what models call the tool: providers take no dots in a name.
// https://platform.openai.com/docs/api-reference/chat/create
func (t Tool) WireName() string { return strings.ReplaceAll(t.Name, ".", "_") }

// Spec is the declaration that a model sees.
func (t Tool) Spec() llm.Spec {
	return llm.Spec{Name: t.WireName(), Description: t.Description, Schema: t.Schema}
}
