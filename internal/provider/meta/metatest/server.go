// Package metatest is a stand-in for Meta's side of Messenger over HTTP. A [Server] refuses
// what Meta would refuse, answers in Meta's form, keeps what it took, lists it, fails when
// told to, and calls webhooks as Meta does, signed.
//
// It is written from Meta's documentation and shares no code with package meta, so that a
// mistake in one shows in the other.
package metatest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"merve/internal/provider/providertest"
)

// The app and page of a server that is not told otherwise.
const (
	Page      = "100000000000001"
	App       = "200000000000002"
	AppSecret = "test-secret-not-real"
	Token     = "test-page-token-not-real"
)

// Config is the page that a server keeps. Every field may be left zero.
type Config struct {
	Page, App    string
	AppSecret    string
	Token        string           // the page's access token
	RequireProof bool             // as the app's setting "Require App Secret"
	ListLag      time.Duration    // how long a message is missing from its conversation
	Now          func() time.Time // nil is time.Now
	NewID        func() string    // the end of a message's id, one call at a time; nil counts
}

// Server is the stand-in.
type Server struct {
	*providertest.Host
	config Config
	sends  providertest.Faults[Fault]
	lists  providertest.Faults[Fault]

	mu       sync.Mutex
	heard    map[string]time.Time // when a person wrote last
	said     map[string][]line    // conversations, oldest first
	messages []Message
	actions  []Action
	taken    chan struct{} // closed, and made anew, when messages grows
	requests int
}

// New starts a server that ends with the test.
func New(t testing.TB, c Config) *Server {
	s := Start(c)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server on a free port of this machine.
func Start(c Config) *Server {
	s := &Server{
		config: withDefaults(c), taken: make(chan struct{}),
		heard: map[string]time.Time{}, said: map[string][]line{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{version}/{page}/messages", s.authorized(s.create))
	mux.HandleFunc("GET /{version}/{page}/conversations", s.authorized(s.list))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, 2500, 0, "Unknown path components: "+r.URL.Path)
	})
	s.Host = providertest.Serve(mux)
	return s
}

func withDefaults(c Config) Config {
	for _, d := range []struct {
		value *string
		usual string
	}{{&c.Page, Page}, {&c.App, App}, {&c.AppSecret, AppSecret}, {&c.Token, Token}} {
		if *d.value == "" {
			*d.value = d.usual
		}
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		n := 0
		c.NewID = func() string { n++; return fmt.Sprintf("%024x", n) }
	}
	return c
}

// Messages returns what was taken so far, oldest first.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Actions returns the sender actions taken so far, such as typing_on, oldest first.
func (s *Server) Actions() []Action {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.actions)
}

// Wait returns what was taken once it is at least n messages.
func (s *Server) Wait(ctx context.Context, n int) ([]Message, error) {
	return providertest.Await(ctx, n, func() ([]Message, <-chan struct{}) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return slices.Clone(s.messages), s.taken
	})
}

// Requests counts the requests to the API so far, those that failed included.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

var version = regexp.MustCompile(`^v[0-9]{1,2}\.[0-9]$`)

// authorized lets requests with the page's token through, and with the right proof.
// https://developers.facebook.com/docs/graph-api/guides/secure-requests
func (s *Server) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests++
		s.mu.Unlock()
		token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer {
			token = r.URL.Query().Get("access_token")
		}
		proof := r.URL.Query().Get("appsecret_proof")
		page := r.PathValue("page")
		switch {
		case !version.MatchString(r.PathValue("version")):
			refuse(w, http.StatusBadRequest, 2635, 0, "You are calling an unknown version of the Graph API")
		case token == "":
			refuse(w, http.StatusBadRequest, 104, 0, "An access token is required to request this resource.")
		case token != s.config.Token:
			refuse(w, http.StatusUnauthorized, 190, 0, "Invalid OAuth access token - Cannot parse access token")
		case proof == "" && s.config.RequireProof:
			refuse(w, http.StatusBadRequest, 100, 0, "API calls from the server require an appsecret_proof argument")
		case proof != "" && proof != s.mac([]byte(token)):
			refuse(w, http.StatusBadRequest, 100, 0, "Invalid appsecret_proof provided in the API argument")
		case page != "me" && page != s.config.Page:
			refuse(w, http.StatusBadRequest, 100, 33, "Unsupported request. Object with ID '"+page+"' does not exist")
		default:
			next(w, r)
		}
	}
}

func (s *Server) mac(text []byte) string {
	mac := hmac.New(sha256.New, []byte(s.config.AppSecret))
	mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil))
}

// refuse answers with an error in the form of the Graph API.
// https://developers.facebook.com/docs/graph-api/guides/error-handling
func refuse(w http.ResponseWriter, status, code, subcode int, message string) {
	e := map[string]any{"message": fmt.Sprintf("(#%d) %s", code, message), "type": "OAuthException", "code": code, "fbtrace_id": "AtestTraceNotReal"}
	if subcode != 0 {
		e["error_subcode"] = subcode
	}
	write(w, status, map[string]any{"error": e})
}

func write(w http.ResponseWriter, status int, v any) {
	providertest.JSON(w, "application/json; charset=UTF-8", status, v)
}
