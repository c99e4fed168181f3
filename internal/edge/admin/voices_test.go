package admin_test

import (
	"net/http"
	"strings"
	"testing"

	"merve/internal/edge/api/apitest"
)

type previewedVoice struct{ Greeting, Reply string }

// A market words the greeting of a call, and what is fixed stays fixed.
func TestVoices(t *testing.T) {
	t.Parallel()
	s := start(t)
	_, target := s.NewMarket(t)
	preview := func(assistant, body string) apitest.Answer {
		return s.Call(t, "POST", target+"/assistants/"+assistant+"/preview", body, apitest.Staff()...)
	}
	var seen previewedVoice
	preview("pestcall", `{"voice":{"greeting":{"en":"Ahoy! <b>ZIP?</b>"},"tone":"As a sailor."},"language":"en","message":"Hello"}`).Wants(t, http.StatusOK, &seen)
	if seen.Greeting != "Ahoy! <b>ZIP?</b>" || seen.Reply == "" {
		t.Errorf("%+v", seen)
	}
	preview("pestcall", `{}`).Wants(t, http.StatusOK, &seen)
	if !strings.Contains(seen.Greeting, "5-digit ZIP code") {
		t.Errorf("the product's own is %q", seen.Greeting)
	}
	preview("nobody", `{}`).Refuses(t, http.StatusNotFound, "")
	for field, body := range map[string]string{
		"voices.pestcall.greeting.xx": `{"voice":{"greeting":{"xx":"Hi"}}}`,
		"voices.pestcall.greeting.en": `{"voice":{"greeting":{"en":"  "}}}`,
		"voices.pestcall.greeting.he": `{"voice":{"greeting":{"he":"` + strings.Repeat("ש", 401) + `"}}}`,
		"voices.pestcall.tone":        `{"voice":{"tone":"a\u0000b"}}`,
		"language":                    `{"language":"klingon"}`,
		"message":                     `{"message":"` + strings.Repeat("a", 501) + `"}`,
	} {
		preview("pestcall", body).Refuses(t, http.StatusBadRequest, field)
	}

	var all struct {
		Assistants []struct {
			Name     string
			Verifies bool
			Own      struct{ Tone string }
			Tools    []struct{ Name, Acknowledgement string }
		}
	}
	s.Call(t, "PUT", target, `{"name":"x","version":1,"voices":{"pestcall":{"tone":"Brief.","greeting":{"en":"Ahoy!"}}}}`, apitest.Staff()...).Wants(t, http.StatusOK, nil)
	s.Call(t, "GET", target+"/assistants", nil, apitest.Staff()...).Wants(t, http.StatusOK, &all)
	acknowledged := false
	for _, a := range all.Assistants {
		if a.Name != "pestcall" {
			continue
		}
		if !a.Verifies || a.Own.Tone != "Brief." {
			t.Errorf("%+v", a)
		}
		for _, tool := range a.Tools {
			acknowledged = acknowledged || tool.Acknowledgement != ""
		}
	}
	if !acknowledged {
		t.Errorf("no tool of pestcall says what is said while it runs: %+v", all)
	}
	for field, voices := range map[string]string{
		"voices.nobody":        `{"nobody":{"tone":"Brief."}}`,
		"voices.pestcall.tone": `{"pestcall":{"tone":" "}}`,
	} {
		s.Call(t, "PUT", target, `{"name":"x","version":2,"voices":`+voices+`}`, apitest.Staff()...).Refuses(t, http.StatusBadRequest, field)
	}
}
