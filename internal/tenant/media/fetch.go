package media

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/exchange"
)

const (
	maxRedirects = 3
	fetchTimeout = 15 * time.Second // for all of a fetch
)

// fetcher gets what an address of a stranger's choice points at.
//
// Redirects are followed by hand: each hop is checked as the first was, and nothing that
// one host was told, credentials above all, goes on to the next.
type fetcher struct {
	client    *http.Client
	own       *http.Client // for trusted hosts, wherever they are
	trusted   []string
	plain     bool // http: is taken too
	authorize map[string]func(*http.Request)
	timeout   time.Duration
	max       int64
}

// newFetcher returns one that connects only where permits lets it, without a proxy: a
// proxy would look names up where nothing is checked.
func newFetcher(permits func(netip.AddrPort) bool, dialer net.Dialer, roots *tls.Config) *fetcher {
	dialer.Timeout = 5 * time.Second
	guarded := dialer
	guarded.Control = exchange.OnlyTo(permits)
	return &fetcher{timeout: fetchTimeout, max: MaxBytes, client: clientOf(guarded, roots), own: clientOf(dialer, roots)}
}

func clientOf(dialer net.Dialer, roots *tls.Config) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: roots, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			DisableCompression: true, // a photo is packed already; nothing is to grow here
			MaxIdleConns:       4, IdleConnTimeout: 30 * time.Second,
		},
	}
}

// fetch returns the bytes behind an address. Its errors can be said to the customer; the
// address is in none of them.
func (f *fetcher) fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	to, err := url.Parse(address)
	if err != nil {
		return nil, fault.Field("media", "want an https: address")
	}
	for range maxRedirects + 1 {
		if err := f.allowed(to); err != nil {
			return nil, err
		}
		resp, err := f.ask(ctx, to)
		if err != nil {
			return nil, err
		}
		if next := redirect(resp); next != nil {
			resp.Body.Close()
			to = next
			continue
		}
		defer resp.Body.Close()
		return f.read(resp)
	}
	return nil, fault.New(fault.Invalid, "the photo's address leads on more than %d times", maxRedirects)
}

func (f *fetcher) allowed(to *url.URL) error {
	switch {
	case to.Scheme != "https" && !(f.plain && to.Scheme == "http") && !f.trusts(to), to.Hostname() == "":
		return fault.Field("media", "want an https: address")
	case to.User != nil:
		return fault.Field("media", "want an address without credentials")
	}
	return nil
}

func (f *fetcher) trusts(to *url.URL) bool {
	return slices.Contains(f.trusted, to.Scheme+"://"+to.Host)
}

// ask makes one request.
func (f *fetcher) ask(ctx context.Context, to *url.URL) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, fault.Field("media", "want an https: address")
	}
	req.Header.Set("Accept", "image/*")
	req.Header.Set("User-Agent", "merve")
	if add := f.authorize[to.Host]; add != nil && to.Scheme == "https" {
		add(req)
	}
	client := f.client
	if f.trusts(to) {
		client = f.own
	}
	resp, err := client.Do(req)
	switch {
	case errors.Is(err, exchange.ErrPrivate):
		return nil, fault.Wrap(exchange.ErrPrivate, fault.Invalid, "the photo's address is not public")
	case err != nil:
		return nil, unreachable(err)
	}
	return resp, nil
}

// redirect returns where an answer leads on to; nil when it does not.
func redirect(resp *http.Response) *url.URL {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if next, err := resp.Location(); err == nil {
			return next
		}
	}
	return nil
}

// read takes the body of an answer, and stops where a photo would be too large: what is
// declared is a hint that saves the reading.
func (f *fetcher) read(resp *http.Response) ([]byte, error) {
	status := fmt.Errorf("status %d", resp.StatusCode)
	switch {
	case resp.StatusCode == http.StatusForbidden, resp.StatusCode == http.StatusNotFound, resp.StatusCode == http.StatusGone:
		return nil, fault.Wrap(status, fault.Gone, "the photo is no longer at its address")
	case resp.StatusCode >= 500, resp.StatusCode == http.StatusTooManyRequests, resp.StatusCode == http.StatusRequestTimeout:
		return nil, unreachable(status)
	case resp.StatusCode != http.StatusOK:
		return nil, fault.Wrap(status, fault.Invalid, "the photo's host does not give it out")
	case resp.ContentLength > f.max:
		return nil, tooLarge(f.max)
	}
	data, err := readUpTo(f.max+1, resp)
	switch {
	case err != nil:
		return nil, unreachable(err)
	case int64(len(data)) > f.max:
		return nil, tooLarge(f.max)
	}
	return data, nil
}

// readUpTo reads a body to its end or to max bytes, with memory for as many as are declared.
func readUpTo(max int64, resp *http.Response) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(resp.ContentLength+1, max)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(resp.Body, max))
	return b.Bytes(), err
}

func unreachable(err error) error {
	var lookup *net.DNSError
	if errors.As(err, &lookup) && lookup.IsNotFound {
		return fault.Wrap(exchange.WithoutURL(err), fault.Invalid, "the photo's address leads nowhere")
	}
	return fault.Wrap(exchange.WithoutURL(err), fault.Unavailable, "the photo's host cannot be reached")
}

func tooLarge(max int64) error {
	return fault.New(fault.TooLarge, "the photo is larger than %d MB", max>>20)
}
