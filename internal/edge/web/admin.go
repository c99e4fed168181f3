package web

import (
	"embed"
	"encoding/json"
	"net/http"
	"strings"

	"merve/internal/base/pattern"
)

//go:embed admin.html admin
var adminFiles embed.FS

// AdminConfig says how the people who run a market sign in, and where photos are.
type AdminConfig struct {
	// Issuer and ClientID are those of the OpenID Connect issuer that staff sign in with; "" if there
	// is no issuer. The pages send the ID token, whose audience is the client, to /admin/api/.
	Issuer, ClientID string
	// SignInOrigins are the origins of the issuer's endpoints, if they differ from the issuer's own:
	// with Amazon Cognito the user pool's domain.
	SignInOrigins []string
	// Local lets staff sign in with the token that the runner prints.
	Local bool
	// ImageOrigin is where photos are shown from; "" is the pages' own origin.
	ImageOrigin string
}

// Admin returns the handler of the controller's pages: "/admin" and every address below it that
// is not the API's, with the files they load from "/admin/static/". The pages talk to
// /admin/api/ and, to sign in, to the issuer, which sends people back to "/admin/signed-in".
func Admin(cfg AdminConfig) http.Handler {
	p := policy("script-src 'self'", sources("img-src 'self'", cfg.ImageOrigin),
		sources("connect-src 'self'", append([]string{cfg.Issuer}, cfg.SignInOrigins...)...))
	mux := http.NewServeMux()
	mux.Handle("/admin/config.json", adminConfig(p, cfg))
	mux.Handle("/", &site{files: adminFiles, policy: p, file: adminFile, shape: minified})
	return mux
}

// adminPage matches the addresses of pages: a name, and for a report its id.
var adminPage = pattern.New(`^/admin(/[a-z-]{1,40}|/reports/[^/]+)?/?$`)

func adminFile(at string) string {
	switch {
	case at == "/admin/api", strings.HasPrefix(at, "/admin/api/"):
		return ""
	case strings.HasPrefix(at, "/admin/static/"):
		return "admin/" + strings.TrimPrefix(at, "/admin/static/")
	case adminPage.MatchString(at):
		return "admin.html" // which page it is, the browser finds out
	}
	return ""
}

func adminConfig(policy string, cfg AdminConfig) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header(), policy)
		if !reads(w, r) {
			return
		}
		body, err := json.Marshal(struct {
			Issuer   string `json:"issuer"`
			ClientID string `json:"clientId"`
			Local    bool   `json:"local"`
		}{cfg.Issuer, cfg.ClientID, cfg.Local})
		if err != nil {
			fail(w, r, err)
			return
		}
		w.Header().Set("ETag", validator(body))
		send(w, r, "application/json", body)
	})
}
