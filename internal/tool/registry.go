package tool

import (
	"fmt"

	"merve/internal/llm"
	"merve/internal/pattern"
)

// Registry holds every tool there is, by name.
type Registry struct {
	tools map[string]Tool
	order []string
}

var legalName = pattern.New(`^[a-zA-Z0-9_-]{1,64}$`)

// NewRegistry returns a registry of tools, in this order. It refuses two of one name,
// an illegal name, and a tool without schema or description.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{tools: make(map[string]Tool, len(tools))}
	for _, t := range tools {
		switch {
		case t.err != nil:
			return nil, t.err
		case !legalName.MatchString(t.Name):
			return nil, fmt.Errorf("tool %q: want a name of letters, digits, - and _", t.Name)
		case t.Description == "":
			return nil, fmt.Errorf("tool %s: no description", t.Name)
		case t.Effect != Read && t.Effect != Propose && t.Effect != Commit:
			return nil, fmt.Errorf("tool %s: unknown effect %q", t.Name, t.Effect)
		}
		if _, twice := r.tools[t.Name]; twice {
			return nil, fmt.Errorf("tool %s: registered twice", t.Name)
		}
		r.tools[t.Name] = t
		r.order = append(r.order, t.Name)
	}
	return r, nil
}

// Get returns the tool called name.
func (r *Registry) Get(name string) (Tool, bool) {
	t, ok := r.tools[name]
	return t, ok
}

// Names returns all tools' names in order of registration.
func (r *Registry) Names() []string { return r.order }

// Spec is the declaration that a model sees.
func (t Tool) Spec() llm.Spec {
	return llm.Spec{Name: t.Name, Description: t.Description, Schema: t.Schema}
}
