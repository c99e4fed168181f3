package main

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"time"

	"merve/infra/rulemodel"
)

// model is the rule-based one, which can be made to think about a message for as long as one wants.
type model struct {
	http.Handler

	mu    sync.Mutex
	about string        // a word of the message
	met   chan struct{} // closed when it was asked
	end   chan struct{} // closed when it may go on
}

func newModel() *model { return &model{Handler: rulemodel.New(time.Now)} }

// hold makes the model hang on requests that contain a text. The channel is closed once it does.
func (m *model) hold(about string) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.about, m.met, m.end = about, make(chan struct{}), make(chan struct{})
	return m.met
}

// release lets it answer, from now on.
func (m *model) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.end)
	m.about = ""
}

// thinks returns what a question has to wait for; nil is nothing.
func (m *model) thinks(question []byte) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.about == "" || !bytes.Contains(question, []byte(m.about)) {
		return nil
	}
	select {
	case <-m.met:
	default:
		close(m.met)
	}
	return m.end
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	question, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if end := m.thinks(question); end != nil {
		select {
		case <-end:
		case <-r.Context().Done():
			return
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(question))
	m.Handler.ServeHTTP(w, r)
}
