// Package web serves Merve's pages from files that are part of the program: nothing is
// fetched from elsewhere, nothing is built, nothing runs before the first request.
//
// A page may load only its own files: the Content-Security-Policy allows no inline
// script or style, no other origin but pictures, and no text that becomes markup.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"merve/internal/fault"
	"merve/internal/telemetry"
)

//go:embed chat.html static
var files embed.FS

// Chat returns the handler of the chat page: "/" and the files it loads from "/static/".
// The page talks to POST /chat/message, GET /chat/threads/{threadId}/messages and GET /healthz.
func Chat() http.Handler { return &site{files: files, index: "chat.html"} }

// policy is what a page may load and do. Trusted types (W3C) make every place where text
// could become markup or script throw; the pages need none.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// A site is one page at "/" with its files below "/static/".
type site struct {
	files fs.FS
	index string
	etags sync.Map // file name to ETag, each hashed when it is first asked for
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")

	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		problem(w, fault.Problem{
			Type: "about:blank", Title: "method not allowed", Status: http.StatusMethodNotAllowed,
			Detail: "want GET or HEAD", TraceID: telemetry.TraceID(r.Context()),
		})
		return
	}
	name := s.name(r.URL.Path)
	kind := contentType(name)
	body, err := fs.ReadFile(s.files, name)
	if err != nil || kind == "" {
		problem(w, fault.ProblemOf(fault.New(fault.NotFound, "no such page"), telemetry.TraceID(r.Context())))
		return
	}
	// Asked for again each time and answered with 304 while unchanged, so that the page and its
	// files are always of one release.
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", kind)
	header.Set("ETag", s.etag(name, body))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}

// name returns the file for a URL path, or "" when there is none.
func (s *site) name(urlPath string) string {
	switch name := strings.TrimPrefix(urlPath, "/"); {
	case name == "":
		return s.index
	case strings.HasPrefix(name, "static/"):
		return name
	}
	return ""
}

// etag returns a strong validator made of the content (RFC 9110 §8.8.3).
func (s *site) etag(name string, body []byte) string {
	if tag, ok := s.etags.Load(name); ok {
		return tag.(string)
	}
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	s.etags.Store(name, tag)
	return tag
}

// contentType names the few kinds that pages are made of; the system's own table differs
// from machine to machine.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return ""
}

// problem answers with an RFC 9457 document. That the reader has gone is all that can go
// wrong with writing it, and then nobody is left to tell.
func problem(w http.ResponseWriter, p fault.Problem) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}
