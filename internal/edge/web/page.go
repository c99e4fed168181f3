package web

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"merve/internal/edge/httpapi"
)

// document is a whole page. Text and attribute values are escaped as they are written; an
// address that we did not make goes through [link] first.
func document(say words, title, viewport string, meta g.Node, body ...g.Node) g.Node {
	return h.Doctype(h.HTML(h.Lang(say.Tag), h.Dir(say.Dir()),
		h.Head(
			h.Meta(h.Charset("utf-8")),
			h.Meta(h.Name("viewport"), h.Content(viewport)),
			meta,
			h.Meta(h.Name("color-scheme"), h.Content("light dark")),
			h.TitleEl(g.Text(title)),
			h.Link(h.Rel("icon"), h.Href("/sara/sara.svg"), h.Type("image/svg+xml")),
			h.Link(h.Rel("stylesheet"), h.Href("/sara/page.css")),
		),
		h.Body(body...),
	))
}

// link returns address if an element's href or src may have it: an http or https address, or a
// path of the page's own origin. Otherwise it returns "", because other schemes can be script (URL standard §4.4,
// HTML standard §7.4.2.3).
func link(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	// Browsers take a backslash for a slash, and two of them for the beginning of a host.
	own := u.Scheme == "" && u.Host == "" && strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") && !strings.Contains(address, `\`)
	if own || origin(address) != "" {
		return address
	}
	return ""
}

// page answers with a page, made before the first byte of it is sent.
func page(w http.ResponseWriter, r *http.Request, status int, say words, node g.Node) {
	var body bytes.Buffer
	if err := node.Render(&body); err != nil {
		fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", contentType(".html"))
	w.Header().Set("Content-Language", say.Tag)
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = body.WriteTo(w) // the reader has gone: nobody to tell
	}
}

// fail answers that a page could not be made.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	httpapi.Problem(w, r, fmt.Errorf("page %s: %w", r.URL.Path, err))
}
