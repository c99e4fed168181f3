package turn

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/spine/assistant"
	"merve/internal/spine/thread"
	"merve/internal/tenant/market"
	"merve/internal/words/language"
	"merve/internal/words/standing"
	"merve/internal/words/wording"
)

// scene is what a turn answers, and where. Every part of the turn reads it. Three of them change it: work adds newer messages,
// access widens whose things the customer may see, and recheck replaces the market by a fresher copy.
type scene struct {
	thread    *thread.Thread
	market    *market.Market
	assistant *assistant.Assistant
	in        []thread.Message // what the turn answers; never empty, or nobody would hold the lease
	tc        tool.Context
	trace     string

	now func() time.Time
	log *slog.Logger
}

// toolContext describes the turn to the tools that it calls.
func (s *scene) toolContext() tool.Context {
	now, t := s.now(), s.thread
	tc := tool.Context{
		Actor: t.Customer(), Market: s.market, Thread: t.ID, ThreadType: t.Type,
		Channel: t.Channel, Language: s.language(), Address: t.Address,
		Contact: tool.Contact{Name: t.Name, Phone: cmp.Or(t.Contact, t.Phone)}, Location: t.Where(now), TimeZone: s.market.Location(),
		Now: now, TraceID: s.trace, Turn: t.Number(),
	}
	session := t.Session
	if n := s.in[0].Notice; n != nil && n.Session != nil {
		session = n.Session // what was proven in the previous session no longer counts
	}
	if session != nil {
		tc.Session = tool.Session{ID: session.ID, Phone: session.Phone}
	}
	return tc
}

// language is the customer's: the one that the client names, else the one of the text, else the one used before.
func (s *scene) language() string {
	lang := cmp.Or(s.thread.Language, s.market.Language)
	for _, m := range s.in {
		if tag, ok := language.Normalize(m.Language); ok {
			lang = tag
		}
		lang = language.Detect(m.Text, lang)
	}
	return lang
}

// say returns the backend's own words, in the customer's language.
func (s *scene) say(key wording.Key, vars wording.Vars) string {
	return wording.Say(s.tc.Language, key, vars)
}

// personWillAnswer tells a customer that a person will answer, and when the desk opens if it is closed now.
func (s *scene) personWillAnswer() string {
	text := s.say(wording.PersonWillAnswer, nil)
	hours := s.market.Desk.Hours
	if hours == nil || hours.OpenAt(s.tc.Now) {
		return text
	}
	opens, ok := hours.Opens(s.tc.Now)
	if !ok {
		return text
	}
	when := wording.When(s.tc.Language, opens.In(s.tc.TimeZone), opens.In(s.tc.TimeZone))
	return text + " " + s.say(wording.PersonLater, wording.Vars{"when": when})
}

// yesBegun is the id of the message whose YES this turn has begun to carry out, or "".
func (s *scene) yesBegun() string {
	for _, e := range s.thread.Journal {
		if e.Kind == yesKind && s.thread.Pending != nil {
			return e.Data
		}
	}
	return ""
}

// byPerson reports whether a person has the thread.
func (s *scene) byPerson() bool { return s.thread.Handler == thread.ByPerson }

// answersSomebody reports whether the turn answers a message. Otherwise it only reports events.
func (s *scene) answersSomebody() bool {
	return slices.ContainsFunc(s.in, func(m thread.Message) bool { return m.Notice == nil })
}

// customerText is all that the customer has written in the messages that the turn answers.
func (s *scene) customerText() string {
	var all []string
	for _, m := range s.in {
		if m.Notice == nil {
			all = append(all, m.Text)
		}
	}
	return strings.Join(all, "\n")
}

// smallTalk reports whether the customer has written nothing but small talk.
func (s *scene) smallTalk() bool {
	return !slices.ContainsFunc(s.in, func(m thread.Message) bool {
		return m.Notice != nil || len(m.Media) > 0 || m.Location != nil || m.Button != "" || !standing.SmallTalk(m.Text)
	})
}

// lately is how long after something was settled a reply to small talk still says how things stand.
const lately = 24 * time.Hour

// settledLately reports whether something was settled or done on the thread not long ago.
func (s *scene) settledLately() bool {
	return slices.ContainsFunc(s.thread.Recent, func(t thread.Turn) bool {
		did := slices.ContainsFunc(t.Out, func(r thread.Reply) bool { return r.Standing != nil && r.Standing.Kind != standing.Nothing })
		return s.tc.Now.Sub(t.At) < lately && (t.Settled != "" || did)
	})
}

// quotes reports whether a message is a notice that quotes somebody.
func quotes(m thread.Message) bool { return m.Notice != nil && m.Notice.Quote != nil }

// onlyByPerson reports whether messages report nothing but what people have done.
func onlyByPerson(in []thread.Message) bool {
	return !slices.ContainsFunc(in, func(m thread.Message) bool { return m.Notice == nil || !m.Notice.ByPerson })
}
