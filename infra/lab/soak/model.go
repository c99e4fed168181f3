package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// answer is the model: it repeats what it was told last, and books when it was told so.
// https://platform.openai.com/docs/api-reference/chat/create
func answer(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Messages []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) == 0 {
		http.Error(w, "want messages", http.StatusBadRequest)
		return
	}
	last := req.Messages[len(req.Messages)-1]
	said := fmt.Sprint(last.Content)
	message := map[string]any{"role": "assistant", "content": fmt.Sprint("You said: ", strings.Join(tokens.FindAllString(said, -1), " "))}
	finish := "stop"
	if strings.Contains(said, poison) {
		message["content"] = venom
	} else if last.Role == "tool" {
		message["content"] = "Here is what I found."
	} else if m := wish.FindStringSubmatch(said); m != nil {
		finish = "tool_calls"
		args := fmt.Sprintf(`{"listingId":%q,"offeringId":null,"date":%q,"time":%q,"endDate":null,"partySize":2,"note":null}`, m[1], m[2], m[3])
		message["content"] = nil
		message["tool_calls"] = []any{map[string]any{"id": "call_1", "type": "function", "function": map[string]string{"name": "initiateBooking", "arguments": args}}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // the client has gone
		"id": "chatcmpl-soak", "object": "chat.completion", "created": 1, "model": "soak",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage":   map[string]int{"prompt_tokens": 500, "completion_tokens": 20, "total_tokens": 520},
	})
}

var (
	tokens = regexp.MustCompile(`tok[0-9a-z]+x`)
	wish   = regexp.MustCompile(`book (\S+) (\d{4}-\d\d-\d\d) (\d\d:\d\d)`)
)
