// Package web serves Merve's pages from files that are part of the program: nothing is
// fetched from elsewhere, nothing is built, nothing runs before the first request. [Chat] is
// the chat page, [Sara] the page and the widget of the damage report assistant, [Report] a
// shared report, [Pay] the page of a payment, [Trace] that of a
// plan, [Live] that of a live session, [Admin] the controller's pages.
//
// A page may load only its own files: the Content-Security-Policy allows no inline
// script or style, no other origin but the photos', the map tiles' and the issuer's that staff
// sign in with, and no text that becomes markup. The widget keeps to this on the pages of others too.
package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/edge/httpapi"
	"merve/internal/words/wording"
)

// policy returns what a page may load and do: its own styles, plus what the directives allow.
// Trusted types (W3C) make every place where text could become markup or script throw;
// the pages need none.
func policy(directives ...string) string {
	return "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
		"require-trusted-types-for 'script'; trusted-types 'none'; " + strings.Join(directives, "; ")
}

// sources joins a directive with the origins it allows besides the page's own. Addresses
// without an origin are left out: browsers would read them as something else.
func sources(directive string, addresses ...string) string {
	for _, address := range addresses {
		if o := cmp.Or(origin(address), socketOrigin(address)); o != "" {
			directive += " " + o
		}
	}
	return directive
}

// socketOrigin returns the origin of a ws or wss address, or "".
func socketOrigin(address string) string {
	rest, ok := strings.CutPrefix(address, "ws")
	if o := origin("http" + rest); ok && o != "" {
		return "ws" + strings.TrimPrefix(o, "http")
	}
	return ""
}

// origin returns the origin of an http or https address, or "".
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || !host.MatchString(u.Host) {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// host matches the hosts a policy can name: no wildcard, and nothing that ends the directive.
var host = pattern.New(`^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?$`)

// A site is pages and files, each the same for everybody.
type site struct {
	files       fs.FS // each site has its own, so that a function carries no other's
	policy      string
	permissions string                   // what the page may ask its reader for; "" is nothing
	file        func(path string) string // the file for a URL path, or "" if there is no such file
	// shape turns a file into what is sent; nil leaves it as it is, and keeps the minifier out of the function.
	shape  func(name string, body []byte) ([]byte, error)
	assets sync.Map // file name to *asset, each made when it is first asked for
}

// An asset is a file as it is sent.
type asset struct {
	body []byte
	etag string
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header(), s.policy)
	if s.permissions != "" {
		w.Header().Set("Permissions-Policy", s.permissions)
	}
	name := s.file(r.URL.Path)
	a, err := s.asset(name)
	if err != nil || contentType(name) == "" {
		missing(w, r)
		return
	}
	if !reads(w, r) {
		return
	}
	w.Header().Set("ETag", a.etag)
	send(w, r, contentType(name), a.body)
}

// asset reads a file once.
func (s *site) asset(name string) (*asset, error) {
	if a, ok := s.assets.Load(name); ok {
		return a.(*asset), nil
	}
	body, err := content(s.files, name)
	if err != nil {
		return nil, err
	}
	if s.shape != nil {
		if body, err = s.shape(name, body); err != nil {
			return nil, err
		}
	}
	a := &asset{body, validator(body)}
	s.assets.Store(name, a)
	return a, nil
}

// content returns the content of a file. Two of those that pages load are generated here: the chat page's texts from the folders
// of languages, and the decimals of currencies, so that pages treat money as the backend does (those of browsers differ from
// ISO 4217 for some).
func content(files fs.FS, name string) ([]byte, error) {
	switch name {
	case "static/currencies.js", "admin/currencies.js":
		return currencies()
	case "static/texts.js":
		return chatTexts()
	}
	return fs.ReadFile(files, name)
}

func currencies() ([]byte, error) {
	known, err := json.Marshal(wording.Exponents())
	return fmt.Appendf(nil, `const known = new Map(Object.entries(%s));

/** How many decimals a currency has. */
export const decimals = (currency) => known.get(currency) ?? 2;
`, known), err
}

// protect sets the headers that every answer has.
func protect(header http.Header, policy string) {
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	// Asked for again each time and answered with 304 while unchanged, so that a page and its
	// files are always of one release.
	header.Set("Cache-Control", "no-cache")
}

// reads reports whether r only reads, and answers it when it does not.
func reads(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	httpapi.RefuseMethod(w, r, []string{http.MethodGet, http.MethodHead})
	return false
}

// missing answers that there is nothing at r's path.
func missing(w http.ResponseWriter, r *http.Request) {
	httpapi.Problem(w, r, fault.New(fault.NotFound, "no such page"))
}

// send answers with body, or with 304 when the client has it.
func send(w http.ResponseWriter, r *http.Request, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// validator returns a strong validator made of the content (RFC 9110 §8.8.3).
func validator(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// contentType names the few kinds that pages are made of; the system's own table differs
// from machine to machine.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html", ".md": // a document, rendered
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
