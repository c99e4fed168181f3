package trigger

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// FuzzQueueEvent checks that every message of a batch either was handled well or is named
// as failed, that none of a group is handled behind one that failed, and that the answer
// is in the form that AWS takes.
func FuzzQueueEvent(f *testing.F) {
	f.Add(sample(f, "queue"), 0)
	f.Add(queueEvent(f, "A/1 A/2 B/3 /4"), 1)
	f.Fuzz(func(t *testing.T, payload []byte, bad int) {
		var handled, done []Message
		stuck := map[string]bool{}
		out, err := Queue(func(_ context.Context, m Message) error {
			if m.Group != "" && stuck[m.Group] {
				t.Errorf("message %q was handled although one of group %q before it failed", m.ID, m.Group)
			}
			if handled = append(handled, m); len(handled) == bad {
				stuck[m.Group] = true
				return errors.New("no")
			}
			done = append(done, m)
			return nil
		}, quiet()).Invoke(context.Background(), payload)
		var e events.SQSEvent
		if json.Unmarshal(payload, &e) != nil || err != nil {
			if err == nil || len(handled) > 0 && bad == 0 {
				t.Errorf("error %v, %d messages handled", err, len(handled))
			}
			return
		}
		var failed []string
		if ids := failures(t, out); ids != "" {
			if failed, err = Failures(out); err != nil {
				t.Fatal(err)
			}
		}
		if len(done)+len(failed) != len(e.Records) {
			t.Errorf("%d done and %d failed of %d", len(done), len(failed), len(e.Records))
		}
	})
}

// FuzzRequest checks that a request reaches its handler as it was sent behind every
// gateway: what it says, path, query and body, and the answer its client.
func FuzzRequest(f *testing.F) {
	f.Add("POST", "/webhooks/whatsapp", "a=1&a=2", "application/x-www-form-urlencoded", "Body=hi")
	f.Fuzz(func(t *testing.T, method, path, query, kind, body string) {
		address, err := url.ParseRequestURI("/" + strings.TrimLeft(path, "/"))
		values, malformed := url.ParseQuery(query)
		if err != nil || address.RawQuery != "" || malformed != nil || strings.ContainsFunc(query, isControl) {
			return
		}
		if plain, err := url.QueryUnescape(query); err != nil || !json.Valid(quoted(address.Path, query, plain, kind, method)) {
			return
		}
		address.RawQuery = query
		r, err := http.NewRequest(method, "https://api.example.com"+address.RequestURI(), nil)
		if err != nil || method == "" || r.URL.RawQuery != query { // what is behind # stays with the client
			return
		}
		r.Header.Set("Content-Type", kind)
		for name, event := range map[string]map[string]any{
			"function URL": functionURLEvent(r, body), "HTTP API": httpAPIEvent(r, body), "REST API": restAPIEvent(r, body),
		} {
			got, _ := through(t, event)
			switch {
			case got.Method != method || got.Body != body || got.Length != int64(len(body)) || got.Host != "api.example.com":
				t.Errorf("%s: %+v", name, got)
			case got.Path != r.URL.Path:
				t.Errorf("%s: path %q, want %q", name, got.Path, r.URL.Path)
			case got.Values.Encode() != values.Encode():
				t.Errorf("%s: query %q, want %q", name, got.Values.Encode(), values.Encode())
			case name != "REST API" && got.Query != r.URL.RawQuery:
				t.Errorf("%s: query %q, want %q as sent", name, got.Query, r.URL.RawQuery)
			case !slices.Equal(got.Header["Content-Type"], []string{kind}):
				t.Errorf("%s: content type %q, want %q", name, got.Header["Content-Type"], kind)
			}
		}
	})
}

// FuzzAnswer checks that what a handler writes arrives, byte for byte.
func FuzzAnswer(f *testing.F) {
	f.Add(200, "text/plain", []byte("hello"))
	f.Fuzz(func(t *testing.T, status int, kind string, body []byte) {
		if status < 200 || status > 599 || status == http.StatusNoContent || status == http.StatusNotModified || !json.Valid(quoted(kind)) {
			return
		}
		for _, event := range []string{"httpapi", "restapi", "functionurl"} {
			out, err := HTTP(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", kind)
				w.WriteHeader(status)
				w.Write(body)
			}), quiet()).Invoke(context.Background(), sample(t, event))
			if err != nil {
				t.Fatal(err)
			}
			a := decode(t, out)
			got := []byte(a.Body)
			if a.IsBase64Encoded {
				if got, err = base64.StdEncoding.DecodeString(a.Body); err != nil {
					t.Fatal(err)
				}
			}
			if a.StatusCode != status || string(got) != string(body) {
				t.Errorf("%s: status %d, body %q; want %d, %q", event, a.StatusCode, got, status, body)
			}
		}
	})
}

// quoted is nil, and so no JSON, unless all texts are UTF-8, as the texts of an event are.
func quoted(texts ...string) []byte {
	for _, s := range texts {
		if strings.ToValidUTF8(s, "") != s {
			return nil
		}
	}
	return []byte("[]")
}
