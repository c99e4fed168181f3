package media

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
)

// What a stranger may send as the address of a photo, and is not even asked.
func TestAddressesRefused(t *testing.T) {
	t.Parallel()
	server, asked := host(t, func(w http.ResponseWriter, _ *http.Request) {})
	f := newFetcher(exchange.PublicHTTPS, net.Dialer{Resolver: names(t, func(name string) string {
		return map[string]string{"rebound.example.": "169.254.169.254", "0x7f000001.": "127.0.0.1", "2130706433.": "127.0.0.1"}[name]
	})}, nil)
	for _, address := range []string{
		"", "photo.jpg", "/etc/passwd", "file:///etc/passwd", "ftp://example.com/a.jpg", "data:image/png;base64,AAAA", "gopher://example.com/",
		"http://example.com/a.jpg", "https://", "https:///a.jpg", "https://u:p@example.com/a.jpg", "https://example.com:x/", "https://[::1", "https://a b/",
		server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "https://127.0.0.1/", "https://localhost/",
		"https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/", "https://10.1.2.3/", "https://169.254.169.254/latest/meta-data/",
		"https://[fd00:ec2::254]/latest/meta-data/", "https://[64:ff9b::a9fe:a9fe]/", "https://100.64.0.1/", "https://8.8.8.8:8443/",
		"https://rebound.example/", "https://0x7f000001/", "https://2130706433/", "https://nowhere.example/",
	} {
		if _, err := f.fetch(t.Context(), address); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v, want invalid", address, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("the private host was asked %d times", n)
	}
}

// What the configuration names is asked wherever it is, and nothing beside it: not over another scheme or
// port, nor where it leads on to.
func TestTrustedHosts(t *testing.T) {
	t.Parallel()
	inside, insideAsked := host(t, givePhoto)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/on" {
			http.Redirect(w, r, inside.URL, http.StatusFound)
			return
		}
		givePhoto(w, r)
	}))
	t.Cleanup(plain.Close)
	f := newFetcher(exchange.PublicHTTPS, net.Dialer{}, rootsOf(inside))
	f.trusted = []string{plain.URL}
	if _, err := f.fetch(t.Context(), plain.URL+"/photo.jpg"); err != nil {
		t.Error(err)
	}
	for _, address := range []string{plain.URL + "/on", inside.URL, strings.Replace(plain.URL, "http:", "https:", 1), "http://127.0.0.1/"} {
		if _, err := f.fetch(t.Context(), address); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, want invalid", address, err)
		}
	}
	if n := insideAsked.Load(); n != 0 {
		t.Errorf("another private host was asked %d times", n)
	}
}

// A name that is looked up anew, and now leads inside, is refused where it is dialled.
func TestRebinding(t *testing.T) {
	t.Parallel()
	server, asked := host(t, givePhoto)
	var looked atomic.Int32
	resolver := names(t, func(string) string {
		if looked.Add(1) == 1 {
			return "127.0.0.1"
		}
		return "127.0.0.2"
	})
	f := newFetcher(permitsOf(server), net.Dialer{Resolver: resolver}, rootsOf(server))
	address := "https://example.com:" + portOf(t, server) + "/"
	if _, err := f.fetch(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	f.client.CloseIdleConnections()
	if _, err := f.fetch(t.Context(), address); !errors.Is(err, exchange.ErrPrivate) {
		t.Errorf("%v, want refused", err)
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	inside, insideAsked := host(t, givePhoto)
	plain := httptest.NewServer(http.HandlerFunc(givePhoto))
	t.Cleanup(plain.Close)
	var server *httptest.Server
	server, _ = host(t, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{
			"/1": "/0", "/2": "/1", "/3": "/2", "/4": "/3", "/round": "/round",
			"/inside": inside.URL, "/plain": plain.URL, "/file": "file:///etc/passwd", "/as": strings.Replace(server.URL, "://", "://user:pass@", 1),
		}[r.URL.Path]
		if to == "" {
			givePhoto(w, r)
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	f := reaching(t, server)
	for path, want := range map[string]fault.Kind{
		"/0": "", "/1": "", "/3": "", "/4": fault.Invalid, "/round": fault.Invalid,
		"/inside": fault.Invalid, "/plain": fault.Invalid, "/file": fault.Invalid, "/as": fault.Invalid,
	} {
		_, err := f.fetch(t.Context(), server.URL+path)
		if want == "" && err != nil || want != "" && !fault.Is(err, want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if n := insideAsked.Load(); n != 0 {
		t.Errorf("the private host was asked %d times", n)
	}
}

// Credentials go to the host they are for, each time, and to no other.
func TestCredentialsStay(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]string{}
	note := func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen[r.URL.Path] = r.Header.Get("Authorization") + r.Header.Get("Cookie") + r.Header.Get("Referer")
	}
	var first, second *httptest.Server
	second, _ = host(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		http.Redirect(w, r, first.URL+"/back", http.StatusTemporaryRedirect)
	})
	first, _ = host(t, func(w http.ResponseWriter, r *http.Request) {
		note(r)
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "test-cookie-not-real"})
		if r.URL.Path == "/start" {
			http.Redirect(w, r, second.URL+"/elsewhere", http.StatusTemporaryRedirect)
			return
		}
		givePhoto(w, r)
	})
	f := reaching(t, first, second)
	f.authorize = map[string]func(*http.Request){
		strings.TrimPrefix(first.URL, "https://"): func(r *http.Request) { r.Header.Set("Authorization", "test-token-not-real") },
	}
	if _, err := f.fetch(t.Context(), first.URL+"/start"); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"/start": "test-token-not-real", "/elsewhere": "", "/back": "test-token-not-real"}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

// Without TLS nobody gets credentials, even where plain addresses are taken.
func TestNoCredentialsInTheClear(t *testing.T) {
	t.Parallel()
	var got string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Get("Authorization")
		givePhoto(w, r)
	}))
	t.Cleanup(server.Close)
	f := reaching(t, server)
	f.plain = true
	f.authorize = map[string]func(*http.Request){
		strings.TrimPrefix(server.URL, "http://"): func(r *http.Request) { r.Header.Set("Authorization", "test-token-not-real") },
	}
	if _, err := f.fetch(t.Context(), server.URL); err != nil || got != "" {
		t.Errorf("sent %q, %v", got, err)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	status := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(n) }
	}
	tests := map[string]struct {
		answer http.HandlerFunc
		want   fault.Kind
	}{
		"photo":        {givePhoto, ""},
		"expired":      {status(403), fault.Gone},
		"not there":    {status(404), fault.Gone},
		"gone":         {status(410), fault.Gone},
		"credentials":  {status(401), fault.Invalid},
		"teapot":       {status(418), fault.Invalid},
		"not modified": {status(304), fault.Invalid},
		"partial":      {status(206), fault.Invalid},
		"lost":         {status(302), fault.Invalid},
		"busy":         {status(429), fault.Unavailable},
		"broken":       {status(500), fault.Unavailable},
		"away":         {status(503), fault.Unavailable},
		"cut off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		}, fault.Unavailable},
		"declared too large": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(MaxBytes+1))
		}, fault.TooLarge},
		"endless": {func(w http.ResponseWriter, _ *http.Request) {
			for block := make([]byte, 1<<20); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}, fault.TooLarge},
		"endless headers": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Fill", strings.Repeat("x", 1<<20))
		}, fault.Unavailable},
		"slow": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, "\xFF")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, fault.Unavailable},
		"silent": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, fault.Unavailable},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, _ := host(t, tt.answer)
			f := reaching(t, server)
			if name == "slow" || name == "silent" {
				f.timeout = 100 * time.Millisecond
			}
			_, err := f.fetch(t.Context(), server.URL+"/secret-path?token=test-token-not-real")
			if tt.want == "" && err != nil || tt.want != "" && !fault.Is(err, tt.want) {
				t.Fatalf("%v, want %q", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret-path") {
				t.Errorf("the address is in the error: %v", err)
			}
		})
	}
}

// A body that says it is packed stays packed: it is no photo, and grows nowhere.
func TestPackedBodyStaysPacked(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(z, zeros{}, 50<<20); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	server, _ := host(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bomb.Bytes()) // a client that went away is the client's affair
	})
	data, err := reaching(t, server).fetch(t.Context(), server.URL)
	if err != nil || len(data) != bomb.Len() {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	if _, err := examine(data); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

// A host that nobody vouches for is not listened to.
func TestCertificate(t *testing.T) {
	t.Parallel()
	server, asked := host(t, givePhoto)
	f := newFetcher(permitsOf(server), net.Dialer{}, nil)
	if _, err := f.fetch(t.Context(), server.URL); !fault.Is(err, fault.Unavailable) || asked.Load() != 0 {
		t.Errorf("%v, asked %d times", err, asked.Load())
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// givePhoto answers with a photo of a few bytes.
func givePhoto(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html") // nobody is believed
	_, _ = io.WriteString(w, onePixel)          // a client that went away is the client's affair
}

// onePixel is a GIF.
const onePixel = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// host is an HTTPS server that counts its requests.
func host(t *testing.T, answer http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	asked := new(atomic.Int32)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of handshakes that fail as they should
	server.StartTLS()
	t.Cleanup(server.Close)
	return server, asked
}

// reaching returns a fetcher that may connect to these servers and nowhere else.
func reaching(t *testing.T, servers ...*httptest.Server) *fetcher {
	t.Helper()
	f := newFetcher(permitsOf(servers...), net.Dialer{}, rootsOf(servers...))
	t.Cleanup(f.client.CloseIdleConnections)
	return f
}

func permitsOf(servers ...*httptest.Server) func(netip.AddrPort) bool {
	return func(to netip.AddrPort) bool {
		for _, s := range servers {
			if s.Listener.Addr().String() == to.String() {
				return true
			}
		}
		return false
	}
}

func rootsOf(servers ...*httptest.Server) *tls.Config {
	roots := x509.NewCertPool()
	for _, s := range servers {
		if s.Certificate() != nil {
			roots.AddCert(s.Certificate())
		}
	}
	return &tls.Config{RootCAs: roots}
}

func portOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// names is a resolver that asks a name server of our own. An empty address is no such name.
func names(t *testing.T, address func(name string) string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		for b := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			if _, err := conn.WriteTo(answerTo(b[:n], address), from); err != nil {
				return
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answerTo answers a question of DNS: A with the address, anything else with nothing.
// RFC 1035, 4.1
func answerTo(question []byte, address func(string) string) []byte {
	var name strings.Builder
	at := 12
	for question[at] != 0 {
		n := int(question[at])
		name.Write(question[at+1 : at+1+n])
		name.WriteByte('.')
		at += 1 + n
	}
	at++
	isA, end := question[at+1] == 1, at+4
	var ip netip.Addr
	if isA {
		if s := address(name.String()); s != "" {
			ip = netip.MustParseAddr(s)
		}
	}
	out := append([]byte{}, question[:end]...)
	out[2], out[3] = 0x84, 0x00
	copy(out[6:12], make([]byte, 6))
	switch {
	case ip.IsValid():
		out[7] = 1
		out = append(out, 0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		out = append(out, ip.AsSlice()...)
	case isA:
		out[3] = 3 // no such name
	}
	return out
}
