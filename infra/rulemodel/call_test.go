package rulemodel_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"merve/infra/rulemodel"
)

// line is a call with the stand-in. It answers the tools as the backend does, as far as a model can see it.
type line struct {
	t        *testing.T
	language string
	verified bool
	visits   []string // the caller's
	history  []map[string]any
	called   []string
}

func newLine(t *testing.T, language string, visits ...string) *line {
	return &line{t: t, language: language, visits: visits}
}

// says gives the calls that follow what the caller says, and the words after them.
func (l *line) says(text string) (calls, words string) {
	l.t.Helper()
	l.called = nil
	l.history = append(l.history, map[string]any{"role": "user", "content": text})
	messages := append([]map[string]any{{"role": "system", "content": "now: 2026-11-23T10:00:00+02:00 (Monday)\ntime zone: Europe/Nicosia\nlanguage: " + l.language}}, l.history...)
	remembered := ""
	for range 6 {
		m := l.ask(messages)
		if len(m.ToolCalls) == 0 {
			if remembered != "" {
				l.history = append(l.history, map[string]any{"role": "assistant", "content": remembered})
			}
			l.history = append(l.history, map[string]any{"role": "assistant", "content": m.Content})
			return strings.Join(l.called, ", "), m.Content
		}
		call := m.ToolCalls[0].Function
		l.called = append(l.called, call.Name+" "+call.Arguments)
		result := l.run(call.Name, call.Arguments)
		messages = append(messages, map[string]any{"role": "assistant", "content": "", "tool_calls": m.ToolCalls},
			map[string]any{"role": "tool", "tool_call_id": m.ToolCalls[0].ID, "content": result})
		if strings.HasPrefix(call.Name, "crm_") && call.Name != "crm_verifyAccount" {
			remembered += fmt.Sprintf("<data tool=%q>%s</data>\n", strings.Replace(call.Name, "_", ".", 1), result)
		}
	}
	l.t.Fatalf("%q: calls and calls: %q", text, l.called)
	return "", ""
}

type spoken struct {
	Content   string `json:"content"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (l *line) ask(messages []map[string]any) spoken {
	l.t.Helper()
	names := []string{"crm_verifyAccount zip:string", "askForPerson reason:string"}
	if l.verified {
		names = append(names, "crm_listAppointments", "crm_listServices", "crm_findTimes service:string? appointment:integer? from:string?",
			"crm_scheduleAppointment option:integer note:string?", "crm_rescheduleAppointment option:integer", "crm_cancelAppointment option:integer", "agent_talk about:string")
	}
	var tools []any
	for _, n := range names {
		name, args, _ := strings.Cut(n, " ")
		properties, required := map[string]any{}, []string{}
		for arg := range strings.FieldsSeq(args) {
			field, kind, _ := strings.Cut(arg, ":")
			properties[field] = map[string]any{"type": kind}
			if base, null := strings.CutSuffix(kind, "?"); null {
				properties[field] = map[string]any{"type": []string{base, "null"}}
			}
			required = append(required, field)
		}
		tools = append(tools, map[string]any{"type": "function", "function": map[string]any{
			"name": name, "parameters": map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false},
		}})
	}
	body, err := json.Marshal(map[string]any{"model": rulemodel.Model, "messages": messages, "tools": tools})
	if err != nil {
		l.t.Fatal(err)
	}
	w := httptest.NewRecorder()
	rulemodel.New(func() time.Time { return now }).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", bytes.NewReader(body)))
	var answer struct {
		Choices []struct {
			Message spoken `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Choices) != 1 {
		l.t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return answer.Choices[0].Message
}

func (l *line) run(name, args string) string {
	switch name {
	case "crm_verifyAccount":
		if l.verified = strings.Contains(args, "94107") || strings.Contains(args, "nine four one oh seven"); l.verified {
			return `{"verified":true,"note":"go on"}`
		}
		return `{"verified":false,"note":"fit no account"}`
	case "crm_listAppointments":
		var all []string
		for i, v := range l.visits {
			all = append(all, fmt.Sprintf(`{"option":%d,"service":%q,"when":"Tue %d:00"}`, i+1, v, 9+i))
		}
		return `{"appointments":[` + strings.Join(all, ",") + `]}`
	case "crm_listServices":
		return `{"services":[{"service":"ants","name":"Ant treatment","price":"$120.00"},{"service":"bees","name":"Wasps and bees","price":"$90.00"}]}`
	case "crm_findTimes":
		purpose := "a new appointment"
		if !strings.Contains(args, `"appointment":null`) {
			purpose = "an appointment to be moved"
		}
		return `{"for":"` + purpose + `","times":[{"option":1,"when":"Wed 9:00"},{"option":2,"when":"Wed 10:00"}]}`
	case "agent_talk":
		return `{"note":"answer"}`
	}
	return `{"status":"awaiting_confirmation"}`
}

// wants plays lines of what the caller says, what is called for it and what is said then.
func (l *line) wants(lines ...[3]string) {
	l.t.Helper()
	for _, want := range lines {
		calls, words := l.says(want[0])
		if calls != want[1] || !strings.Contains(words, want[2]) {
			l.t.Errorf("%q: called %s and said %q, want %s and %q", want[0], calls, words, want[1], want[2])
		}
	}
}

const anyTimes = `crm_findTimes {"appointment":null,"from":null,"service":"ants"}`

// The stand-in leads a call: it verifies, goes on with the wish that came before, and acts by numbers.
func TestCalls(t *testing.T) {
	t.Parallel()
	newLine(t, "en").wants(
		[3]string{"hello", "", "5-digit ZIP code"},
		[3]string{"I have ants, can somebody come?", "", "5-digit ZIP code"},
		[3]string{"it is 94109", `crm_verifyAccount {"zip":"it is 94109"}`, "does not match"},
		[3]string{"nine four one oh seven", `crm_verifyAccount {"zip":"nine four one oh seven"}, crm_listServices {}, ` + anyTimes, "2. Wed 10:00"},
		[3]string{"the second one", `crm_scheduleAppointment {"note":null,"option":2}`, "All right."},
		[3]string{"thanks", `agent_talk {"about":"talk"}`, "You are welcome."},
		[3]string{"can somebody come for ants on friday?", `crm_listServices {}, crm_findTimes {"appointment":null,"from":"2026-11-27","service":"ants"}`, "Wed 9:00"},
		[3]string{"what is the capital of France?", `agent_talk {"about":"unclear"}`, "did not get that"},
		[3]string{"book a visit", `crm_listServices {}`, "1. Ant treatment, $120.00"},
		[3]string{"the wasps", `crm_findTimes {"appointment":null,"from":null,"service":"bees"}`, "Wed 9:00"},
		[3]string{"I want to talk to a human", `askForPerson {"reason":"I want to talk to a human"}`, ""},
	)
	newLine(t, "en", "Ants").wants(
		[3]string{"cancel my appointment", "", "ZIP"},
		[3]string{"94107", `crm_verifyAccount {"zip":"94107"}, crm_listAppointments {}, crm_cancelAppointment {"option":1}`, "All right."},
		[3]string{"can you move it?", `crm_listAppointments {}, crm_findTimes {"appointment":1,"from":null,"service":null}`, "free"},
		[3]string{"the first", `crm_rescheduleAppointment {"option":1}`, "All right."},
		[3]string{"what do I have coming up?", "crm_listAppointments {}", "1. Ants · Tue 9:00"},
	)
	newLine(t, "en", "Ants", "Bees").wants(
		[3]string{"94107", `crm_verifyAccount {"zip":"94107"}, agent_talk {"about":"talk"}`, "What would you like?"},
		[3]string{"cancel my visit", "crm_listAppointments {}", "Which one?"},
		[3]string{"number two", `crm_cancelAppointment {"option":2}`, "All right."},
	)
	newLine(t, "en").wants(
		[3]string{"94107", `crm_verifyAccount {"zip":"94107"}, agent_talk {"about":"talk"}`, "What would you like?"},
		[3]string{"move my appointment", "crm_listAppointments {}", "no upcoming visits"},
		[3]string{"who are you?", `agent_talk {"about":"talk"}`, "stand-in"},
	)
}

// It does so in each of the product's languages.
func TestCallsInAllLanguages(t *testing.T) {
	t.Parallel()
	for lang, said := range map[string][3]string{
		"tr": {"randevumu iptal et", "karınca var, randevu istiyorum", "ikincisi"}, "el": {"ακύρωσε το ραντεβού μου", "θέλω ραντεβού για μυρμήγκια", "το δεύτερο"},
		"ru": {"отмените визит", "запишите меня, муравьи", "второе"}, "he": {"לבטל את הביקור", "לקבוע ביקור", "השני"},
		"ar": {"إلغاء الموعد", "أريد موعدا", "الثاني"}, "de": {"Termin absagen bitte", "ich möchte einen Termin", "das zweite"},
		"es": {"cancelar mi cita", "quiero una cita", "la segunda"}, "fr": {"annuler mon rendez-vous", "je veux un rendez-vous", "le deuxième"},
		"sw": {"futa miadi yangu", "nataka miadi", "ya pili"},
	} {
		t.Run(lang, func(t *testing.T) {
			t.Parallel()
			l := newLine(t, lang, "Ants")
			if calls, words := l.says(said[0]); calls != "" || words == "" {
				t.Errorf("%s: called %q and said %q", said[0], calls, words)
			}
			if calls, _ := l.says("94107"); !strings.Contains(calls, `crm_cancelAppointment {"option":1}`) {
				t.Errorf("cancel: called %s", calls)
			}
			if calls, _ := l.says(said[1]); !strings.HasPrefix(calls, "crm_listServices {}") {
				t.Errorf("%s: called %s", said[1], calls)
			}
			if calls, words := l.says(said[2]); !strings.Contains(calls, "crm_findTimes") && !strings.Contains(calls, `"option":2`) {
				t.Errorf("%s: called %s and said %s", said[2], calls, words)
			}
		})
	}
}
