// Package typesensetest is a stand-in for a Typesense server over HTTP. A [Server] keeps
// collections, aliases and documents, refuses what Typesense would refuse, and fails when told
// to. Its searches know words and their beginnings and the filters of equality; typing
// mistakes, prices and places are for the real server.
//
// It is written from Typesense's documentation and shares no code with package typesense, so
// that a mistake in one shows in the other. https://typesense.org/docs/
package typesensetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"merve/internal/provider/providertest"
)

// Key is the one that servers take.
const Key = "test-key-not-real"

// Fault is how one request goes wrong. The zero Fault is a request that goes well.
type Fault struct {
	Status int    // not 0: an error with this status, in Typesense's form
	Body   string // not "": this, with status 200
	Drop   bool   // the connection ends without an answer, and nothing was done
	Lost   bool   // the connection ends without an answer, and it was done
	Page   bool   // the page of a proxy, with Status
}

// Server is the stand-in.
type Server struct {
	*providertest.Host

	mu          sync.Mutex
	collections map[string]*collection
	aliases     map[string]string
	each        func(n int, request string) Fault
	requests    []string
	searches    []map[string]any
}

type collection struct {
	Name      string           `json:"name"`
	Fields    []map[string]any `json:"fields"`
	documents map[string]map[string]any
}

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	s := &Server{collections: map[string]*collection{}, aliases: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /aliases", s.serve(s.listAliases))
	mux.HandleFunc("PUT /aliases/{name}", s.serve(s.putAlias))
	mux.HandleFunc("DELETE /aliases/{name}", s.serve(s.deleteAlias))
	mux.HandleFunc("GET /collections", s.serve(s.listCollections))
	mux.HandleFunc("POST /collections", s.serve(s.makeCollection))
	mux.HandleFunc("DELETE /collections/{name}", s.serve(s.dropCollection))
	mux.HandleFunc("POST /collections/{name}/documents", s.serve(s.upsert))
	mux.HandleFunc("DELETE /collections/{name}/documents", s.serve(s.remove))
	mux.HandleFunc("DELETE /collections/{name}/documents/{id}", s.serve(s.removeOne))
	mux.HandleFunc("POST /collections/{name}/documents/import", s.serve(s.importAll))
	mux.HandleFunc("POST /multi_search", s.serve(s.search))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		answer{status: http.StatusNotFound, message: "Not Found"}.write(w)
	})
	s.Host = providertest.Serve(mux)
	t.Cleanup(s.Close)
	return s
}

// Each has f see every request, counted from 1, before it is done, and say how it goes wrong.
// f may make requests of its own.
func (s *Server) Each(f func(n int, request string) Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.each, s.requests = f, nil
}

// Requests are the methods and paths that came in since the last [Server.Each].
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Searches are the parameters of all searches.
func (s *Server) Searches() []map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.searches)
}

// Collections are the names of all collections, and Aliases where aliases lead.
func (s *Server) Collections() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.collections))
}

// Aliases likewise.
func (s *Server) Aliases() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.aliases)
}

// Documents are what a collection, or the one that an alias leads to, has, by id; nil when
// there is no such collection.
func (s *Server) Documents(name string) map[string]map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.resolve(name)
	if c == nil {
		return nil
	}
	return maps.Clone(c.documents)
}

// answer is what a handler says: a body, or a message with its status.
type answer struct {
	status  int
	message string
	body    any
	lines   []any
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

func refuse(status int, format string, args ...any) answer {
	return answer{status: status, message: fmt.Sprintf(format, args...)}
}

func (a answer) write(w http.ResponseWriter) {
	const kind = "application/json; charset=utf-8"
	switch {
	case a.lines != nil:
		w.Header().Set("Content-Type", "text/plain; charset=utf8")
		enc := json.NewEncoder(w)
		for _, l := range a.lines {
			_ = enc.Encode(l) // a client that went away is the test's own doing
		}
	case a.body != nil:
		providertest.JSON(w, kind, a.status, a.body)
	default:
		providertest.JSON(w, kind, a.status, map[string]any{"message": a.message})
	}
}

// serve does a request, unless it is to go wrong.
func (s *Server) serve(do func(r *http.Request, body []byte) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client went away
		}
		fault := s.note(r)
		var a answer
		if !fault.Drop && (fault == Fault{} || fault.Lost) {
			a = s.do(do, r, body)
		}
		switch {
		case fault.Drop, fault.Lost:
			providertest.HangUp(w)
		case fault.Page:
			providertest.Page(w, fault.Status)
		case fault.Status != 0:
			refuse(fault.Status, "the message quotes what was asked: %s", body).write(w)
		case fault.Body != "":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(fault.Body)) // a client that went away is the test's own doing
		default:
			a.write(w)
		}
	}
}

func (s *Server) note(r *http.Request) Fault {
	s.mu.Lock()
	what := r.Method + " " + r.URL.Path
	s.requests = append(s.requests, what)
	each, n := s.each, len(s.requests)
	s.mu.Unlock()
	if each == nil {
		return Fault{}
	}
	return each(n, what)
}

func (s *Server) do(do func(r *http.Request, body []byte) answer, r *http.Request, body []byte) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if keys := r.Header.Values("X-TYPESENSE-API-KEY"); len(keys) != 1 || keys[0] != Key {
		return refuse(http.StatusUnauthorized, "Forbidden - a valid `x-typesense-api-key` header must be sent.")
	}
	return do(r, body)
}

func (s *Server) resolve(name string) *collection {
	if c := s.collections[name]; c != nil {
		return c
	}
	return s.collections[s.aliases[name]]
}

func (s *Server) listAliases(*http.Request, []byte) answer {
	all := []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.aliases)) {
		all = append(all, map[string]any{"name": name, "collection_name": s.aliases[name]})
	}
	return ok(map[string]any{"aliases": all})
}

func (s *Server) putAlias(r *http.Request, body []byte) answer {
	var in struct {
		Collection string `json:"collection_name"`
	}
	if err := read(body, &in); err != nil || in.Collection == "" {
		return refuse(http.StatusBadRequest, "Parameter `collection_name` is required.")
	}
	name := r.PathValue("name")
	if s.collections[name] != nil {
		return refuse(http.StatusInternalServerError, "Name `%s` conflicts with an existing collection name.", name)
	}
	s.aliases[name] = in.Collection // which need not exist
	return ok(map[string]any{"name": name, "collection_name": in.Collection})
}

func (s *Server) deleteAlias(r *http.Request, _ []byte) answer {
	name := r.PathValue("name")
	to, is := s.aliases[name]
	if !is {
		return refuse(http.StatusNotFound, "Not Found")
	}
	delete(s.aliases, name)
	return ok(map[string]any{"name": name, "collection_name": to})
}

func (s *Server) listCollections(*http.Request, []byte) answer {
	all := []*collection{}
	for _, name := range slices.Sorted(maps.Keys(s.collections)) {
		all = append(all, s.collections[name])
	}
	return ok(all)
}

// read takes JSON without fields that nobody knows.
func read(body []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

var types = []string{"string", "string[]", "int32", "int64", "int64[]", "float", "bool", "geopoint"}

func (s *Server) makeCollection(_ *http.Request, body []byte) answer {
	var in collection
	if err := read(body, &in); err != nil || in.Name == "" || len(in.Fields) == 0 {
		return refuse(http.StatusBadRequest, "The `fields` value should be a non-empty array.")
	}
	seen := map[any]bool{"id": true}
	for _, f := range in.Fields {
		kind, _ := f["type"].(string)
		if seen[f["name"]] || !slices.Contains(types, kind) {
			return refuse(http.StatusBadRequest, "Field `%v` has an invalid data type `%v`, or is there twice.", f["name"], kind)
		}
		seen[f["name"]] = true
	}
	if s.collections[in.Name] != nil {
		return refuse(http.StatusConflict, "A collection with name `%s` already exists.", in.Name)
	}
	in.documents = map[string]map[string]any{}
	s.collections[in.Name] = &in
	return answer{status: http.StatusCreated, body: in}
}

func (s *Server) dropCollection(r *http.Request, _ []byte) answer {
	c := s.resolve(r.PathValue("name"))
	if c == nil {
		return refuse(http.StatusNotFound, "No collection with name `%s` found.", r.PathValue("name"))
	}
	delete(s.collections, c.Name)
	return ok(c)
}

func (s *Server) upsert(r *http.Request, body []byte) answer {
	c := s.resolve(r.PathValue("name"))
	if c == nil {
		return refuse(http.StatusNotFound, "Not Found")
	}
	if r.URL.Query().Get("action") != "upsert" {
		return refuse(http.StatusConflict, "this stand-in wants action=upsert")
	}
	d, message := c.take(body)
	if message != "" {
		return refuse(http.StatusBadRequest, "%s", message)
	}
	return answer{status: http.StatusCreated, body: d}
}

// take puts a document in the place of the one with its id.
func (c *collection) take(body []byte) (map[string]any, string) {
	var d map[string]any
	if err := json.Unmarshal(body, &d); err != nil {
		return nil, "Bad JSON"
	}
	id, is := d["id"].(string)
	if !is || id == "" {
		return nil, "Document's `id` field should be a string."
	}
	for _, f := range c.Fields {
		name, kind := f["name"].(string), f["type"].(string)
		v, there := d[name]
		if !there && f["optional"] == true {
			continue
		}
		if !there {
			return nil, fmt.Sprintf("Field `%s` has been declared in the schema, but is not found in the document.", name)
		}
		if !fits(v, kind) {
			return nil, fmt.Sprintf("Field `%s` must be a %s.", name, kind)
		}
	}
	c.documents[id] = d
	return d, ""
}

func fits(v any, kind string) bool {
	if item, list := strings.CutSuffix(kind, "[]"); list {
		all, is := v.([]any)
		return is && !slices.ContainsFunc(all, func(v any) bool { return !fits(v, item) })
	}
	switch v := v.(type) {
	case string:
		return kind == "string"
	case bool:
		return kind == "bool"
	case float64:
		return kind == "float" || kind != "string" && kind != "bool" && kind != "geopoint" && v == float64(int64(v))
	case []any:
		return kind == "geopoint" && len(v) == 2 && fits(v[0], "float") && fits(v[1], "float")
	}
	return false
}

var oneID = regexp.MustCompile("^id:=`([^`]+)`$")

func (s *Server) remove(r *http.Request, _ []byte) answer {
	c := s.resolve(r.PathValue("name"))
	if c == nil {
		return refuse(http.StatusNotFound, "Not Found")
	}
	m := oneID.FindStringSubmatch(r.URL.Query().Get("filter_by"))
	if m == nil {
		return refuse(http.StatusBadRequest, "Parameter `filter_by` is not what this stand-in knows.")
	}
	n := 0
	if c.documents[m[1]] != nil {
		n = 1
	}
	delete(c.documents, m[1])
	return ok(map[string]any{"num_deleted": n})
}

func (s *Server) removeOne(r *http.Request, _ []byte) answer {
	c := s.resolve(r.PathValue("name"))
	if c == nil || c.documents[r.PathValue("id")] == nil {
		return refuse(http.StatusNotFound, "Could not find a document with id: %s", r.PathValue("id"))
	}
	d := c.documents[r.PathValue("id")]
	delete(c.documents, r.PathValue("id"))
	return ok(d)
}

func (s *Server) importAll(r *http.Request, body []byte) answer {
	c := s.resolve(r.PathValue("name"))
	if c == nil {
		return refuse(http.StatusNotFound, "Not Found")
	}
	if r.URL.Query().Get("action") != "upsert" {
		return refuse(http.StatusBadRequest, "this stand-in wants action=upsert")
	}
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<24)
	all := []any{}
	for lines.Scan() {
		if _, message := c.take(lines.Bytes()); message != "" {
			all = append(all, map[string]any{"success": false, "error": message, "code": 400, "document": lines.Text()})
			continue
		}
		all = append(all, map[string]any{"success": true})
	}
	if len(all) == 0 {
		return refuse(http.StatusBadRequest, "The request body was empty. So, no records were imported.")
	}
	return answer{status: http.StatusOK, lines: all}
}
