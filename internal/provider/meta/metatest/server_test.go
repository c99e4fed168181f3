package metatest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"merve/internal/provider/meta/metatest"
)

// Requests as other clients of Meta make them, and ones that Meta refuses.
func TestWire(t *testing.T) {
	t.Parallel()
	s := metatest.New(t, metatest.Config{})
	s.Heard("1", "m_in", "hello")
	const path, token, hi = "/v25.0/me/messages", "?access_token=" + metatest.Token, `{"recipient":{"id":"1"},"messaging_type":"RESPONSE","message":{"text":"hi"}}`
	for name, tt := range map[string]struct {
		method, target, body string
		code, subcode        int
	}{
		"token in the address":    {"POST", path + token, hi, 0, 0},
		"page by its id":          {"POST", "/v19.0/" + metatest.Page + "/messages" + token, hi, 0, 0},
		"action":                  {"POST", path + token, `{"recipient":{"id":"1"},"sender_action":"mark_seen"}`, 0, 0},
		"no token":                {"POST", path, hi, 104, 0},
		"another page":            {"POST", "/v25.0/7/messages" + token, hi, 100, 33},
		"no version":              {"POST", "/latest/me/messages" + token, hi, 2635, 0},
		"another path":            {"POST", "/v25.0/me/feed" + token, hi, 2500, 0},
		"wrong proof":             {"POST", path + token + "&appsecret_proof=00", hi, 100, 0},
		"no JSON":                 {"POST", path + token, "recipient=1", 100, 0},
		"a field that is none":    {"POST", path + token, strings.Replace(hi, "text", "txt", 1), 100, 0},
		"no recipient":            {"POST", path + token, `{"message":{"text":"hi"}}`, 100, 0},
		"stranger":                {"POST", path + token, strings.Replace(hi, `"1"`, `"2"`, 1), 100, 2018001},
		"no type":                 {"POST", path + token, `{"recipient":{"id":"1"},"message":{"text":"hi"}}`, 100, 0},
		"a tag without its type":  {"POST", path + token, strings.Replace(hi, `"message"`, `"tag":"HUMAN_AGENT","message"`, 1), 100, 0},
		"message and action":      {"POST", path + token, strings.Replace(hi, `"message"`, `"sender_action":"typing_on","message"`, 1), 100, 2018007},
		"no action":               {"POST", path + token, `{"recipient":{"id":"1"},"sender_action":"dance"}`, 100, 0},
		"too long":                {"POST", path + token, strings.Replace(hi, "hi", strings.Repeat("x", 2001), 1), 100, 0},
		"no quick replies":        {"POST", path + token, strings.Replace(hi, `"text"`, `"quick_replies":[],"text"`, 1), 100, 0},
		"no text":                 {"POST", path + token, strings.Replace(hi, "hi", " ", 1), 100, 0},
		"conversation of nobody":  {"GET", "/v25.0/me/conversations" + token + "&platform=messenger", "", 100, 0},
		"conversation, all of it": {"GET", "/v25.0/me/conversations" + token + "&platform=messenger&user_id=1&fields=messages", "", 100, 0},
	} {
		req, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL()+tt.target, strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := s.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		var told struct {
			Error struct {
				Code    int `json:"code"`
				Subcode int `json:"error_subcode"`
			} `json:"error"`
		}
		if err != nil || json.Unmarshal(text, &told) != nil || told.Error.Code != tt.code || told.Error.Subcode != tt.subcode || (resp.StatusCode == http.StatusOK) != (tt.code == 0) {
			t.Errorf("%s: %v, status %d: %s", name, err, resp.StatusCode, text)
		}
	}
	if len(s.Messages()) != 2 || len(s.Actions()) != 1 {
		t.Errorf("taken: %+v, %+v", s.Messages(), s.Actions())
	}
}

// Bodies are written as Meta writes them, and read as they were meant.
func TestBody(t *testing.T) {
	t.Parallel()
	body := metatest.Body(map[string]string{"text": "Çatı 👋 <a/b>"})
	if want := `{"text":"\u00c7at\u0131 \ud83d\udc4b <a\/b>"}`; string(body) != want {
		t.Errorf("%s, want %s", body, want)
	}
	var read map[string]string
	if err := json.Unmarshal(body, &read); err != nil || read["text"] != "Çatı 👋 <a/b>" {
		t.Errorf("%v: %v", err, read)
	}
}
