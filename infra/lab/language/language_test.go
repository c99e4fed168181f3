package language_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"merve/internal/app"
	"merve/internal/edge/api"
	"merve/internal/edge/api/apitest"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/words/lang"
	"merve/internal/words/language"
)

var update = flag.Bool("update", false, "make the texts of the language anew from the English ones")

// zed is the made-up language: English with a z before each word.
const zed = "zz"

func TestMain(m *testing.M) {
	lang.Add(os.DirFS("testdata"))
	apitest.Main(m)
}

// The texts are the English ones in the made-up language.
func TestTexts(t *testing.T) {
	for name, words := range map[string]lang.Words{"texts.json": lang.Texts(), "standing.json": lang.Standing(), "page.json": lang.Page()} {
		var english map[string]any
		if err := json.Unmarshal([]byte(words.In("en")), &english); err != nil {
			t.Fatal(err)
		}
		want, err := json.MarshalIndent(inZed(english), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("testdata", zed, name), append(want, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if strings.TrimSpace(words.In(zed)) != string(want) {
			t.Errorf("%s is not the English one; make it anew with -update", name)
		}
	}
}

// variable is a part of a text that stays as it is: what is filled in, and a file's line break.
var variable = regexp.MustCompile(`\{[^}]*\}|\pL[\pL'’]*`)

func inZed(v any) any {
	switch v := v.(type) {
	case string:
		return variable.ReplaceAllStringFunc(v, func(s string) string {
			if strings.HasPrefix(s, "{") {
				return s
			}
			if s == strings.ToUpper(s) {
				return "Z" + s
			}
			return "z" + strings.ToLower(s)
		})
	case []any:
		all := make([]any, len(v))
		for i, one := range v {
			all[i] = inZed(one)
		}
		return all
	case map[string]any:
		all := map[string]any{}
		for k, one := range v {
			all[k] = inZed(one)
		}
		return all
	}
	return v
}

// A customer who writes in the new language is asked, understood and answered in it: its folder is all that it takes.
func TestAConversationInANewLanguage(t *testing.T) {
	if !slices.Contains(language.Supported(), zed) || language.Detect("zhello zplease", "en") != zed {
		t.Fatalf("the language is not spoken: %v", language.Supported())
	}
	s := apitest.Start(t)
	model := openaitest.New(t, openaitest.Answer{Calls: []openaitest.Call{{
		ID: "a", Name: "initiateBooking", Args: `{"listingId":"sushi-harbour","offeringId":"table","date":"2026-12-01","time":"19:00","endDate":null,"partySize":2,"note":null,"name":null,"phone":null}`,
	}}})
	front := s.With(t, func(b *app.Process) { b.Config.OpenAIBaseURL = model.URL() })
	session := apitest.SessionID()
	say := func(text string) string {
		var got api.ChatResponse
		s.CallTo(t, front, "POST", "/chat/message", map[string]any{"message": text, "sessionId": session}).Wants(t, 200, &got)
		t.Logf("%s → %s", text, got.Reply)
		return got.Reply
	}
	asked := say("zhello, zplease zbook za ztable")
	if !strings.Contains(asked, "ZYES") || !strings.Contains(asked, "ZNO") || english(asked) {
		t.Errorf("asked: %s", asked)
	}
	if booked := say("ZYES"); !strings.Contains(booked, "zbooking") || !strings.Contains(booked, "zconfirmed") || english(booked) {
		t.Errorf("booked: %s", booked)
	}
	model.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "zyour ztable zis zbooked."}
	}
	session = apitest.SessionID()
	if claimed := say("zhello, zplease zbook za ztable"); strings.Contains(claimed, "zyour ztable zis zbooked") || english(claimed) {
		t.Errorf("a model's claim that nothing bears out: %s", claimed)
	}
}

// english reports whether a text has words of ours that are not in the new language.
func english(text string) bool {
	words := regexp.MustCompile(`\pL+`).FindAllString(strings.ToLower(text), -1)
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(slices.Collect(maps.Keys(ours)), w) })
}

// ours are words that stand in the English texts of the conversation.
var ours = map[string]bool{"reply": true, "answer": true, "yes": true, "no": true, "booking": true, "confirmed": true, "your": true, "until": true, "messages": true}
