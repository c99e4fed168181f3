package web

import (
	"bytes"
	"embed"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"merve/internal/base/pattern"
)

//go:embed sara static/socket.js
var saraFiles embed.FS

// SaraConfig says which addresses the page of the damage report assistant uses besides its own origin.
type SaraConfig struct {
	// ImageOrigin is where photos are put and shown from, such as the bucket's
	// "https://photos.s3.eu-central-1.amazonaws.com". "" is the page's own origin.
	ImageOrigin string
	// Sockets is where live conversations are: an address, or a path of the page's own origin. "" is nowhere.
	Sockets string
}

// Sara returns the handler of the damage report assistant's page "/sara", of the chat widget
// "/sara.js" that it shares with every site that embeds it, and of the files below "/sara/",
// which the report pages load too.
//
// The widget talks to POST /web-chat-api, GET /web-chat-api/messages and POST /web-chat-api/photos
// of the origin it was loaded from, puts photos where the last one says, and hears replies by the sockets.
func Sara(cfg SaraConfig) http.Handler {
	p := policy("script-src 'self'", sources("connect-src 'self'", cfg.ImageOrigin, cfg.Sockets), sources("img-src 'self'", cfg.ImageOrigin))
	mux := http.NewServeMux()
	mux.Handle("/sara", landing(p))
	mux.Handle("/sara.js", shared(p, func() ([]byte, error) { return widgetScript(cfg.Sockets) }))
	for _, name := range []string{"sara/live.js", "static/socket.js"} { // modules that it loads
		module := shared(p, func() ([]byte, error) {
			source, err := saraFiles.ReadFile(name)
			if err != nil {
				return nil, err
			}
			return minified(name, source)
		})
		mux.HandleFunc("/sara/"+path.Base(name), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*") // without it a browser loads no module of another origin
			module.ServeHTTP(w, r)
		})
	}
	mux.Handle("/", &site{files: saraFiles, policy: p, file: saraFile})
	return mux
}

func saraFile(path string) string {
	if strings.HasPrefix(path, "/sara/") && !strings.HasSuffix(path, ".js") {
		return path[1:]
	}
	return ""
}

// shared serves a script of the widget to any site (Fetch standard, Cross-Origin-Resource-Policy). It is on
// every page of these sites, so it may be an hour old.
func shared(policy string, source func() ([]byte, error)) http.Handler {
	script := sync.OnceValues(source)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header(), policy)
		if !reads(w, r) {
			return
		}
		body, err := script()
		if err != nil {
			fail(w, r, err)
			return
		}
		w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		w.Header().Set("ETag", validator(body))
		send(w, r, contentType("sara.js"), body)
	})
}

// widgetScript is the widget as it is sent, with its styles in it. sockets is a path or an address.
func widgetScript(sockets string) ([]byte, error) {
	if link(sockets) == "" && socketOrigin(sockets) == "" {
		sockets = ""
	}
	script, err := saraFiles.ReadFile("sara/sara.js")
	if err != nil {
		return nil, err
	}
	styles, err := saraFiles.ReadFile("sara/widget.css")
	if err != nil {
		return nil, err
	}
	if styles, err = minified("sara/widget.css", styles); err != nil {
		return nil, err
	}
	script = bytes.Replace(script, []byte("'{{sockets}}'"), []byte(strconv.Quote(sockets)), 1)
	texts, err := widgetTexts()
	if err != nil {
		return nil, err
	}
	script = bytes.Replace(script, []byte("'{{words}}'"), texts, 1)
	script = bytes.Replace(script, []byte("'{{styles}}'"), []byte(strconv.Quote(string(styles))), 1)
	return minified("sara/sara.js", script)
}

// marketID matches the ids of markets.
var marketID = pattern.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

// landing serves the page in the visitor's language, or in ?language=, for ?market=.
func landing(policy string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header(), policy)
		if !reads(w, r) {
			return
		}
		view := saraPage{say: wordsFor(r.URL.Query().Get("language"), r.Header.Get("Accept-Language"))}
		if market := r.URL.Query().Get("market"); marketID.MatchString(market) {
			view.market = market
		}
		var body bytes.Buffer
		if err := view.node().Render(&body); err != nil {
			fail(w, r, err)
			return
		}
		w.Header().Set("Vary", "Accept-Language")
		w.Header().Set("Content-Language", view.say.Tag)
		w.Header().Set("ETag", validator(body.Bytes()))
		send(w, r, contentType(".html"), body.Bytes())
	})
}
