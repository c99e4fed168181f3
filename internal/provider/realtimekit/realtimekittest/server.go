// Package realtimekittest is a stand-in for RealtimeKit's REST API over HTTP. A [Server] refuses what RealtimeKit
// would refuse, and fails when told to. It shares no code with package realtimekit.
// https://docs.realtime.cloudflare.com/api
package realtimekittest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"merve/internal/provider/providertest"
)

// What a client has to name.
const (
	Account = "0000000000000000000000000000acct"
	App     = "app-not-real"
	Token   = "token-not-real"
	Preset  = "group_call_participant"
)

// Server is the stand-in.
type Server struct {
	*providertest.Host

	mu       sync.Mutex
	n        int
	meetings map[string]map[string]string // meeting: participant's id by our name of them
	fail     int                          // the next answer has this status
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{meetings: map[string]map[string]string{}}
	const base = "POST /accounts/" + Account + "/realtime/kit/" + App
	mux := http.NewServeMux()
	mux.HandleFunc(base+"/meetings", s.serve(s.create))
	mux.HandleFunc(base+"/meetings/{meeting}/participants", s.serve(s.join))
	mux.HandleFunc(base+"/meetings/{meeting}/participants/{participant}/token", s.serve(s.renew))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, http.StatusNotFound, "no such route") })
	s.Host = providertest.Serve(mux)
	t.Cleanup(s.Close)
	return s
}

// Fail makes the next answer one with a status.
func (s *Server) Fail(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = status
}

// Participants is how many have joined a meeting.
func (s *Server) Participants(meeting string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.meetings[meeting])
}

// Meetings is how many there are.
func (s *Server) Meetings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.meetings)
}

func (s *Server) serve(answer func(r *http.Request, body map[string]string) (data map[string]any, status int)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if status := s.fail; status != 0 {
			s.fail = 0
			refuse(w, status, "told to fail")
			return
		}
		if r.Header.Get("Authorization") != "Bearer "+Token {
			refuse(w, http.StatusUnauthorized, "unauthorized")
			return
		}
		var body map[string]string
		if r.Header.Get("Content-Type") != "application/json" || json.NewDecoder(r.Body).Decode(&body) != nil {
			refuse(w, http.StatusUnprocessableEntity, "want JSON")
			return
		}
		data, status := answer(r, body)
		if status != http.StatusOK && status != http.StatusCreated {
			refuse(w, status, fmt.Sprint(data["reason"]))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "data": data}) // the client may have left
	}
}

func (s *Server) next(kind string) string {
	s.n++
	return fmt.Sprintf("%s-%d", kind, s.n)
}

func (s *Server) create(*http.Request, map[string]string) (map[string]any, int) {
	id := s.next("meeting")
	s.meetings[id] = map[string]string{}
	return map[string]any{"id": id, "status": "ACTIVE"}, http.StatusCreated
}

func (s *Server) join(r *http.Request, body map[string]string) (map[string]any, int) {
	m := s.meetings[r.PathValue("meeting")]
	switch {
	case m == nil:
		return map[string]any{"reason": "no such meeting"}, http.StatusNotFound
	case body["custom_participant_id"] == "" || body["preset_name"] != Preset:
		return map[string]any{"reason": "custom_participant_id and preset_name are needed"}, http.StatusUnprocessableEntity
	}
	id := s.next("participant")
	m[body["custom_participant_id"]] = id
	return map[string]any{"id": id, "token": s.next("token"), "preset_name": Preset}, http.StatusCreated
}

func (s *Server) renew(r *http.Request, _ map[string]string) (map[string]any, int) {
	for _, id := range s.meetings[r.PathValue("meeting")] {
		if id == r.PathValue("participant") {
			return map[string]any{"token": s.next("token")}, http.StatusOK
		}
	}
	return map[string]any{"reason": "no such participant"}, http.StatusNotFound
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"success": false, "errors": []map[string]any{{"message": message}}}) // as above
}
