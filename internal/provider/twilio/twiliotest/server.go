// Package twiliotest is a stand-in for Twilio's messages and calls over HTTP. A [Server] refuses
// what Twilio would refuse, answers in Twilio's form, keeps what it took, lists it, fails
// when told to, and calls webhooks as Twilio does, signed.
//
// It is written from Twilio's documentation and shares no code with package twilio, so
// that a mistake in one shows in the other.
package twiliotest

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"merve/internal/provider/providertest"
)

// The account of a server that is not told otherwise.
const (
	AccountSID = "AC00000000000000000000000000000000"
	AuthToken  = "test-token-not-real"
	From       = "+15005550006"
)

// Config is the account that a server keeps. Every field may be left zero.
type Config struct {
	AccountSID string
	AuthToken  string
	From       string // the account's one WhatsApp sender, E.164

	// Templates are the account's approved templates: content SID (HX and 32 hex digits)
	// and text with {{1}}, {{2}}, …. Nil takes any well-formed SID, of a text of its parameters alone.
	Templates map[string]string

	MaxPage int              // most messages of a page of the list; 0 is 1000
	ListLag time.Duration    // how long a message is missing from the list
	Now     func() time.Time // nil is time.Now
	NewID   func() string    // 32 hex digits of a SID, one call at a time; nil counts
}

// Server is the stand-in.
type Server struct {
	*providertest.Host
	config Config
	sends  providertest.Faults[Fault]
	lists  providertest.Faults[Fault]
	rings  providertest.Faults[Fault]
	ends   providertest.Faults[Fault]

	mu       sync.Mutex
	messages []Message
	calls    []Call
	taken    chan struct{} // closed, and made anew, when messages grows
	requests int
	posts    int
}

// New starts a server that ends with the test.
func New(t testing.TB, c Config) *Server {
	s := Start(c)
	t.Cleanup(s.Close)
	return s
}

// Start starts a server on a free port of this machine.
func Start(c Config) *Server {
	s := &Server{config: withDefaults(c), taken: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /2010-04-01/Accounts/{account}/Messages.json", s.authorized(s.create))
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Messages.json", s.authorized(s.list))
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Messages/{file}", s.authorized(s.fetch))
	mux.HandleFunc("POST /2010-04-01/Accounts/{account}/Calls.json", s.authorized(s.createCall))
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Calls.json", s.authorized(s.listCalls))
	mux.HandleFunc("GET /2010-04-01/Accounts/{account}/Calls/{file}", s.authorized(s.fetchCall))
	mux.HandleFunc("POST /2010-04-01/Accounts/{account}/Calls/{file}", s.authorized(s.updateCall))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, 20404, "The requested resource "+r.URL.Path+" was not found")
	})
	s.Host = providertest.Serve(mux)
	return s
}

func withDefaults(c Config) Config {
	if c.AccountSID == "" {
		c.AccountSID = AccountSID
	}
	if c.AuthToken == "" {
		c.AuthToken = AuthToken
	}
	if c.From == "" {
		c.From = From
	}
	if c.MaxPage == 0 {
		c.MaxPage = 1000
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		n := 0
		c.NewID = func() string { n++; return fmt.Sprintf("%032x", n) }
	}
	return c
}

// Messages returns what was taken so far, oldest first.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Since returns what was taken after the first n messages, oldest first.
func (s *Server) Since(n int) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages[min(n, len(s.messages)):])
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

// authorized lets requests with the account's key through.
func (s *Server) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests++
		s.mu.Unlock()
		user, password, _ := r.BasicAuth()
		if user != s.config.AccountSID || password != s.config.AuthToken {
			w.Header().Set("WWW-Authenticate", `Basic realm="Twilio API"`)
			refuse(w, http.StatusUnauthorized, 20003, "Authenticate")
			return
		}
		if r.PathValue("account") != s.config.AccountSID {
			refuse(w, http.StatusNotFound, 20404, "The requested resource "+r.URL.Path+" was not found")
			return
		}
		next(w, r)
	}
}

// refuse answers with an error in Twilio's form.
// https://www.twilio.com/docs/usage/twilios-response#response-formats-exceptions
func refuse(w http.ResponseWriter, status, code int, message string) {
	write(w, status, map[string]any{
		"code": code, "message": message, "status": status,
		"more_info": fmt.Sprintf("https://www.twilio.com/docs/errors/%d", code),
	})
}

func write(w http.ResponseWriter, status int, v any) {
	providertest.JSON(w, "application/json", status, v)
}
