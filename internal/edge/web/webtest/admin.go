package webtest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
)

// A Report is a damage report as the admin API gives it.
type Report struct {
	ID         string     `json:"id"`
	Status     string     `json:"status"`
	Address    string     `json:"address"`
	Lat        *float64   `json:"lat,omitempty"`
	Lng        *float64   `json:"lng,omitempty"`
	Owner      Owner      `json:"owner"`
	ThreadID   string     `json:"threadId"`
	PhotoCount int        `json:"photoCount"`
	CreatedAt  time.Time  `json:"createdAt"`
	UpdatedAt  time.Time  `json:"updatedAt"`
	Photos     []Captured `json:"photos,omitempty"`
	Sections   []Section  `json:"sections,omitempty"`
	Events     []Event    `json:"events,omitempty"`
	Links      []Link     `json:"links,omitempty"`
}

// The parts of a [Report].
type (
	Owner struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		Channel string `json:"channel"`
	}
	Captured struct {
		URL     string `json:"url"`
		Caption string `json:"caption"`
	}
	Section struct {
		Name string `json:"name"`
		Text string `json:"text"`
	}
	Event struct {
		At   time.Time `json:"at"`
		Type string    `json:"type"`
		By   string    `json:"by"`
	}
	Link struct {
		ID        string    `json:"id"`
		ExpiresAt time.Time `json:"expiresAt"`
		Opened    int       `json:"opened"`
		Revoked   bool      `json:"revoked"`
	}
)

// AdminToken is the one that [Admin] lets in, and ClientID who its issuer knows.
const (
	AdminToken = "admin-token-not-real"
	ClientID   = "merve-test"
)

// Admin is the server side of the controller's pages, and an OpenID Connect issuer for them.
type Admin struct {
	markets []string
	issuer  string

	mu       sync.Mutex
	reports  []Report // of the first market
	posts    []string
	refusal  *fault.Problem
	tokens   []string // good ones
	begun    url.Values
	nonce    string // in the place of the one asked for, when not ""
	faults   []string
	prompted []string
}

// NewAdmin returns a backend with reports of the first of its markets.
func NewAdmin(markets []string, reports ...Report) *Admin {
	return &Admin{markets: markets, reports: reports, tokens: []string{AdminToken}}
}

// Refuse answers everything with p, or as usual again when it is nil.
func (a *Admin) Refuse(p *fault.Problem) { a.do(func() { a.refusal = p }) }

// Forge has the issuer put this nonce into its tokens.
func (a *Admin) Forge(nonce string) { a.do(func() { a.nonce = nonce }) }

// SignOutAll makes every token worthless.
func (a *Admin) SignOutAll() { a.do(func() { a.tokens = nil }) }

// Posts returns the paths that something was posted to.
func (a *Admin) Posts() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.posts)
}

// Prompts returns what each sign-in asked the issuer to prompt for.
func (a *Admin) Prompts() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.prompted)
}

// Faults returns what no page may ask.
func (a *Admin) Faults() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.faults)
}

// Handler serves the API, and page for everything else.
func (a *Admin) Handler(page http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", page)
	for pattern, h := range map[string]func(*http.Request) (any, error){
		"GET /admin/api/markets":                           func(*http.Request) (any, error) { return map[string]any{"markets": a.markets}, nil },
		"GET /admin/api/markets/{market}":                  a.empty("name", "Girne"),
		"GET /admin/api/markets/{market}/days":             a.empty("days", []any{}),
		"GET /admin/api/markets/{market}/waiting":          a.empty("threads", []any{}),
		"GET /admin/api/alerts":                            a.empty("alerts", []any{}),
		"GET /admin/api/outbox":                            a.empty("messages", []any{}),
		"GET /admin/api/reports":                           a.list,
		"GET /admin/api/reports/{id}":                      a.show,
		"POST /admin/api/reports/{id}/resolve":             a.resolve,
		"POST /admin/api/reports/{id}/links/{link}/revoke": a.revoke,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			a.mu.Lock()
			defer a.mu.Unlock()
			body, err := a.allow(r)
			if err == nil {
				body, err = h(r)
			}
			a.answer(w, body, err)
		})
	}
	return mux
}

func (a *Admin) allow(r *http.Request) (any, error) {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !ok || !slices.Contains(a.tokens, bearer):
		return nil, fault.New(fault.Unauthenticated, "the bearer token is not valid")
	case r.Header.Get("Cookie") != "":
		a.faults = append(a.faults, r.URL.Path+" carries a cookie")
	case r.Method == http.MethodPost:
		a.posts = append(a.posts, r.URL.Path)
	}
	return nil, nil
}

func (a *Admin) answer(w http.ResponseWriter, body any, err error) {
	w.Header().Set("Content-Type", "application/json")
	status := http.StatusOK
	switch {
	case a.refusal != nil && err == nil:
		status, body = a.refusal.Status, a.refusal
	case err != nil:
		p := fault.ProblemOf(err, traceID)
		status, body = p.Status, p
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the page has gone: nobody to tell
}

// empty answers with nothing at a name: what the overview asks for.
func (a *Admin) empty(name string, value any) func(*http.Request) (any, error) {
	return func(*http.Request) (any, error) { return map[string]any{name: value}, nil }
}

func (a *Admin) list(r *http.Request) (any, error) {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"marketId", "status", "after", "limit"}, name) {
			return nil, a.wrong(r, name)
		}
	}
	limit, err := strconv.Atoi(q.Get("limit"))
	start, startErr := number(r, "after", 0)
	switch {
	case err != nil || limit < 1 || limit > 100 || startErr != nil:
		return nil, a.wrong(r, "limit")
	case !slices.Contains(a.markets, q.Get("marketId")):
		return nil, a.wrong(r, "marketId")
	case !slices.Contains([]string{"pending", "completed", "resolved"}, q.Get("status")):
		return nil, a.wrong(r, "status")
	}
	found := []Report{}
	for _, report := range a.reports {
		if report.Status == q.Get("status") && q.Get("marketId") == a.markets[0] {
			report.Photos, report.Sections, report.Events, report.Links = nil, nil, nil, nil
			found = append(found, report)
		}
	}
	end := min(start+limit, len(found))
	body := map[string]any{"reports": found[start:end]}
	if end < len(found) {
		body["next"] = strconv.Itoa(end)
	}
	return body, nil
}

func (a *Admin) wrong(r *http.Request, field string) error {
	a.faults = append(a.faults, fmt.Sprintf("%s %s: %s", r.Method, r.URL, field))
	return fault.Field(field, "not as it must be")
}

func (a *Admin) find(r *http.Request) (*Report, error) {
	for i := range a.reports {
		if a.reports[i].ID == r.PathValue("id") {
			return &a.reports[i], nil
		}
	}
	return nil, fault.New(fault.NotFound, "no such report")
}

func (a *Admin) show(r *http.Request) (any, error) { return a.find(r) }

func (a *Admin) resolve(r *http.Request) (any, error) {
	report, err := a.find(r)
	if err != nil {
		return nil, err
	}
	if report.Status != "completed" {
		return nil, fault.New(fault.Conflict, "only a completed report can be resolved")
	}
	report.Status = "resolved"
	return report, nil
}

func (a *Admin) revoke(r *http.Request) (any, error) {
	report, err := a.find(r)
	if err != nil {
		return nil, err
	}
	for i := range report.Links {
		if report.Links[i].ID == r.PathValue("link") {
			report.Links[i].Revoked = true
			return report, nil
		}
	}
	return nil, fault.New(fault.NotFound, "no such link")
}

// Issuer serves the issuer at address for the page at origin. It lets everybody in without asking.
func (a *Admin) Issuer(address, origin string) http.Handler {
	a.do(func() { a.issuer = address })
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		a.answer(w, map[string]string{"issuer": address, "authorization_endpoint": address + "/authorize", "token_endpoint": address + "/token"}, nil)
	})
	mux.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		q := r.URL.Query()
		back := origin + "/admin/signed-in"
		if q.Get("response_type") != "code" || q.Get("client_id") != ClientID || q.Get("redirect_uri") != back || q.Get("code_challenge_method") != "S256" ||
			len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 43 || len(q.Get("nonce")) < 43 || !slices.Contains(strings.Fields(q.Get("scope")), "openid") {
			a.faults = append(a.faults, "authorize?"+r.URL.RawQuery)
		}
		a.begun, a.prompted = q, append(a.prompted, q.Get("prompt"))
		http.Redirect(w, r, back+"?"+url.Values{"code": {"code-not-real"}, "state": {q.Get("state")}, "iss": {address}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		a.mu.Lock()
		defer a.mu.Unlock()
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if a.begun == nil || r.FormValue("grant_type") != "authorization_code" || r.FormValue("code") != "code-not-real" || r.FormValue("client_id") != ClientID ||
			r.FormValue("redirect_uri") != origin+"/admin/signed-in" || base64.RawURLEncoding.EncodeToString(sum[:]) != a.begun.Get("code_challenge") {
			a.faults = append(a.faults, "token: "+r.Form.Encode())
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		token := a.token()
		a.begun, a.tokens = nil, append(a.tokens, token)
		a.answer(w, map[string]string{"id_token": token, "token_type": "Bearer"}, nil)
	})
	return mux
}

// token returns an ID token that nobody has signed.
func (a *Admin) token() string {
	nonce := a.begun.Get("nonce")
	if a.nonce != "" {
		nonce = a.nonce
	}
	claims, _ := json.Marshal(map[string]any{"iss": a.issuer, "aud": ClientID, "nonce": nonce, "sub": "staff-1", "name": "Ayşe"}) // strings always marshal
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"none"}`)) + "." + encode(claims) + "." + encode([]byte("not-a-signature"))
}

func (a *Admin) do(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}
