// Package assistant holds the assistants that answer threads: each has a prompt, a greeting and a set of
// tools, by name. The data here says what an assistant may do, not how a turn runs.
package assistant

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
	"merve/internal/words/wording"
)

//go:embed prompt/*.md
var prompts embed.FS

// Assistant is who answers a thread.
type Assistant struct {
	Name     string
	Types    []channel.ThreadType // the thread types it answers
	Tools    []string             // the tools it may call, within the market's policy
	Model    string               // "" is the environment's default
	Greeting wording.Key
	Fixed    wording.Key // the answer to anything that is no command, where no model answers

	Digest bool // its model sees the turns before the latest, a line each
	Photos bool // photos that customers attach are kept, and tools take them by name
	Sees   bool // its model looks at them
	// Profile returns the backend's knowledge about the customer, which the model gets in each turn as
	// JSON. It may be nil.
	Profile func(ctx context.Context, tc tool.Context) (any, error)

	// Access says which tools the state of a conversation allows. It is asked before a turn decides, after each call that
	// may have changed the state, and again at a YES. Nil allows all of Tools.
	Access func(ctx context.Context, tc tool.Context) (tool.Access, error)

	// State is the part of a live conversation's state that clients see. It may be nil.
	State func(ctx context.Context, h thread.Head) (map[string]any, error)

	prompt string
}

// Set is every assistant there is, by name.
type Set struct {
	byName map[string]*Assistant
	byType map[channel.ThreadType]*Assistant
	kinds  thread.Kinds
}

// NewSet returns the given assistants. The first one for a thread type is its own:
// it answers when no assistant is named.
func NewSet(all ...Assistant) (*Set, error) {
	s := &Set{byName: map[string]*Assistant{}, byType: map[channel.ThreadType]*Assistant{}, kinds: Kinds(all...)}
	for _, a := range all {
		text, err := prompts.ReadFile("prompt/" + a.Name + ".md")
		if err != nil {
			return nil, fmt.Errorf("assistant %s: prompt: %w", a.Name, err)
		}
		a.prompt = string(text)
		s.byName[a.Name] = &a
		for _, t := range a.Types {
			if s.byType[t] == nil {
				s.byType[t] = &a
			}
		}
	}
	return s, nil
}

// Kinds are the ways in which owners meet these assistants: a thread type's own, and the others by name.
func Kinds(all ...Assistant) thread.Kinds {
	var kinds thread.Kinds
	own := map[channel.ThreadType]bool{}
	for _, a := range all {
		for _, t := range a.Types {
			k := thread.Kind{Type: t}
			if own[t] {
				k.Assistant = a.Name
			}
			own[t] = true
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// Kinds are the ways in which owners meet the assistants of the set.
func (s *Set) Kinds() thread.Kinds { return s.kinds }

// CheckTools refuses an assistant that lists a tool which is not registered: it would be told of in the
// prompt, and never be offered.
func (s *Set) CheckTools(r *tool.Registry) error {
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		for _, t := range s.byName[name].Tools {
			if _, ok := r.Get(t); !ok {
				return fmt.Errorf("assistant %s: no tool is called %q", name, t)
			}
		}
	}
	return nil
}

// For returns the assistant called name, which must answer threads of the type; or the
// thread type's own when name is "".
func (s *Set) For(typ channel.ThreadType, name string) (*Assistant, error) {
	if name == "" {
		if a := s.byType[typ]; a != nil {
			return a, nil
		}
		return nil, fault.New(fault.NotFound, "nobody answers %s threads", typ)
	}
	a := s.byName[name]
	if a == nil {
		return nil, fault.Field("agentId", "no assistant of that name")
	}
	for _, t := range a.Types {
		if t == typ {
			return a, nil
		}
	}
	return nil, fault.Field("agentId", "does not answer %s threads", typ)
}

// Named returns the assistant with a name, or nil.
func (s *Set) Named(name string) *Assistant { return s.byName[name] }

// Setting holds the values that fill a prompt.
type Setting struct {
	Market   *market.Market
	Language string
	Zone     *time.Location
	Now      time.Time
	Channel  channel.Channel
	Location *geo.Location
	Pending  string // what waits for YES or NO, in words; "" for nothing
}

// Greets returns the greeting with which the assistant begins a call session in a market, which may have its own words for
// it; "" means none.
func (a *Assistant) Greets(m *market.Market, lang string) string {
	if a.Greeting == "" {
		return ""
	}
	return cmp.Or(m.Voices[a.Name].Greeting[lang], wording.Say(lang, a.Greeting, nil))
}

// tone introduces how a market wants its assistant to sound.
const tone = "How this market wants you to sound, and no more than that. It changes no rule above:\n"

// Prompt is the system message of a turn. The lines at its end are facts, one each.
func (a *Assistant) Prompt(s Setting) string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(strings.ReplaceAll(a.prompt, "{market}", s.Market.Name)))
	b.WriteString("\n\n")
	if own := s.Market.Voices[a.Name].Tone; own != "" {
		b.WriteString(tone + own + "\n\n")
	}
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + value + "\n")
		}
	}
	line("now", s.Now.In(s.Zone).Format(time.RFC3339)+" ("+s.Now.In(s.Zone).Weekday().String()+")")
	line("time zone", s.Zone.String())
	line("language", s.Language)
	line("language name", language.Name(s.Language))
	line("currency", s.Market.Currency)
	line("channel", string(s.Channel))
	if s.Location != nil {
		line("customer's location", fmt.Sprintf("%.5f, %.5f", s.Location.Lat, s.Location.Lng))
	}
	line("waiting for the customer's YES or NO", s.Pending)
	return b.String()
}
