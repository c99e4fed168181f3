// Package gemini searches the web through Gemini's grounding with Google Search.
// https://ai.google.dev/gemini-api/docs/google-search
//
// A [Client] is a [discovery.Engine]. A search is one request, tried once. The addresses in its answer are
// Google redirects; they are resolved, so that one page has one address. The content that Google requires
// with the results comes as plain links.
package gemini

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/cloud/exchange"
	"merve/internal/matter/discovery"
)

// DefaultBaseURL is Google's API.
const DefaultBaseURL = "https://generativelanguage.googleapis.com"

// DefaultModel answers where no other is named.
const DefaultModel = "gemini-2.5-flash"

// redirects is the host of the addresses in answers.
const redirects = "vertexaisearch.cloud.google.com"

const (
	defaultTimeout = 9 * time.Second
	resolveTimeout = 3 * time.Second
	maxAnswer      = 2 << 20 // bytes of an answer that are read
	maxHeads       = 20      // redirects that are resolved
)

// Client asks Gemini. Its methods may be called at the same time.
type Client struct {
	BaseURL string // "" is [DefaultBaseURL]
	Key     func(ctx context.Context) (string, error)
	Model   string        // "" is [DefaultModel]
	HTTP    *http.Client  // nil is one with Go's defaults
	Public  *http.Client  // asks where redirects lead; see [exchange.Public]
	Timeout time.Duration // of a search without its redirects; 0 is 9 s
}

// Ready implements [discovery.Engine].
func (c *Client) Ready(ctx context.Context) (bool, error) {
	key, err := c.Key(ctx)
	return key != "", err
}

type part struct {
	Text string `json:"text"`
}

type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type request struct {
	System   content             `json:"systemInstruction"`
	Contents []content           `json:"contents"`
	Tools    []map[string]object `json:"tools"`
}

type object struct{}

// answer is the part of an answer that is read.
type answer struct {
	Candidates []struct {
		FinishReason string    `json:"finishReason"`
		Grounding    grounding `json:"groundingMetadata"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
}

type grounding struct {
	EntryPoint struct {
		Rendered string `json:"renderedContent"`
	} `json:"searchEntryPoint"`
	Chunks []struct {
		Web struct {
			URI   string `json:"uri"`
			Title string `json:"title"`
		} `json:"web"`
	} `json:"groundingChunks"`
	Supports []struct {
		Segment struct {
			Text string `json:"text"`
		} `json:"segment"`
		Chunks     []int     `json:"groundingChunkIndices"`
		Confidence []float64 `json:"confidenceScores"`
	} `json:"groundingSupports"`
}

// refusals are the reasons to end for which there is no answer.
var refusals = []string{"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"}

// Search implements [discovery.Engine].
func (c *Client) Search(ctx context.Context, q discovery.Query) (discovery.Found, error) {
	a, err := c.ask(ctx, request{
		System:   content{Parts: []part{{q.Instructions()}}},
		Contents: []content{{Role: "user", Parts: []part{{q.Text()}}}},
		Tools:    []map[string]object{{"google_search": {}}},
	})
	switch {
	case err != nil:
		return discovery.Found{}, err
	case a.PromptFeedback.BlockReason != "":
		return discovery.Found{}, fault.New(fault.Invalid, "gemini refuses the search")
	case len(a.Candidates) == 0:
		return discovery.Found{}, fault.New(fault.Unavailable, "gemini: the answer has nothing in it")
	}
	first := a.Candidates[0]
	if len(first.Grounding.Chunks) == 0 && slices.Contains(refusals, first.FinishReason) {
		return discovery.Found{}, fault.New(fault.Invalid, "gemini refuses the search")
	}
	items := c.resolved(ctx, first.Grounding.items())
	return discovery.Found{Items: items, Searches: searches(first.Grounding.EntryPoint.Rendered)}, nil
}

// ask makes the request.
func (c *Client) ask(ctx context.Context, r request) (a answer, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, defaultTimeout))
	defer cancel()
	key, err := c.Key(ctx)
	if err != nil {
		return a, fault.Wrap(err, fault.Unavailable, "gemini: the key")
	}
	body, err := json.Marshal(r)
	if err != nil {
		return a, fmt.Errorf("gemini: %w", err)
	}
	address := strings.TrimRight(cmp.Or(c.BaseURL, DefaultBaseURL), "/") + "/v1beta/models/" + url.PathEscape(cmp.Or(c.Model, DefaultModel)) + ":generateContent"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return a, fault.Wrap(err, fault.Internal, "gemini: the address is not a URL")
	}
	req.Header.Set("x-goog-api-key", key)
	req.Header.Set("Content-Type", "application/json")
	got, err := exchange.Do(c.HTTP, req, maxAnswer)
	switch {
	case err != nil:
		return a, fault.Wrap(err, fault.Unavailable, "gemini does not answer")
	case got.Status != http.StatusOK:
		return a, refused(got.Status)
	case json.Unmarshal(got.Body, &a) != nil:
		return a, fault.New(fault.Unavailable, "gemini: the answer cannot be read")
	}
	return a, nil
}

// refused says what an answer that is no success means.
func refused(status int) error {
	cause := fmt.Errorf("status %d", status)
	switch {
	case status == http.StatusTooManyRequests:
		return fault.Wrap(cause, fault.Limited, "gemini is asked too often")
	case status >= 400 && status < 500 && status != http.StatusRequestTimeout:
		return fault.Wrap(cause, fault.Internal, "gemini refuses the search")
	}
	return fault.Wrap(cause, fault.Unavailable, "gemini is away")
}

// items returns the pages that the answer cites, each with the first sentence that it supports.
func (g grounding) items() []discovery.Item {
	items := make([]discovery.Item, len(g.Chunks))
	for i, c := range g.Chunks {
		items[i] = discovery.Item{Title: c.Web.Title, URL: c.Web.URI}
	}
	for _, s := range g.Supports {
		for n, i := range s.Chunks {
			if i < 0 || i >= len(items) || items[i].Snippet != "" {
				continue
			}
			items[i].Snippet = s.Segment.Text
			if n < len(s.Confidence) {
				items[i].Confidence = &s.Confidence[n]
			}
		}
	}
	return items
}

// resolved returns the items with the addresses that Google's redirects lead to. A redirect that leads nowhere is dropped.
func (c *Client) resolved(ctx context.Context, items []discovery.Item) []discovery.Item {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	items = items[:min(len(items), maxHeads)]
	var all sync.WaitGroup
	for i := range items {
		to, err := url.Parse(items[i].URL)
		if err != nil {
			continue // it is refused like any other
		}
		if by := c.resolver(to); by != nil {
			all.Go(func() { items[i].URL = resolve(ctx, by, to) })
		}
	}
	all.Wait()
	return slices.DeleteFunc(items, func(it discovery.Item) bool { return it.URL == "" })
}

// resolver returns the client that may resolve an address, if that is a Google redirect. A host that the configuration
// sets instead of Google's may be anywhere; all others are reached by HTTPS at public addresses only.
func (c *Client) resolver(to *url.URL) *http.Client {
	own, err := url.Parse(c.BaseURL)
	switch {
	case to.User != nil:
		return nil
	case err == nil && c.BaseURL != "" && to.Scheme == own.Scheme && to.Host == own.Host:
		return cmp.Or(c.HTTP, http.DefaultClient)
	case strings.EqualFold(to.Host, redirects) && to.Scheme == "https":
		return c.Public
	}
	return nil
}

// resolve asks where a redirect leads, and does not go there; "" is nowhere.
func resolve(ctx context.Context, by *http.Client, to *url.URL) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, to.String(), nil)
	if err != nil {
		return ""
	}
	got, err := exchange.Do(by, req, 0)
	if err != nil || got.Status < 300 || got.Status >= 400 {
		return ""
	}
	next, err := to.Parse(got.Header.Get("Location"))
	if err != nil || strings.EqualFold(next.Hostname(), redirects) {
		return ""
	}
	return next.String()
}

var (
	anchor = pattern.New(`(?is)<a\b[^>]*?\bhref\s*=\s*"([^"]*)"[^>]*>(.*?)</a>`)
	tag    = pattern.New(`<[^>]*>`)
)

// searches are the links in the piece of HTML that Google wants to be shown. Only those to Google are.
func searches(rendered string) []discovery.Link {
	var all []discovery.Link
	for _, m := range anchor.Regexp().FindAllStringSubmatch(rendered, discovery.MaxResults) {
		to, err := url.Parse(html.UnescapeString(m[1]))
		if err != nil || to.Scheme != "https" || to.User != nil {
			continue
		}
		host := strings.ToLower(to.Host)
		if host == "google.com" || strings.HasSuffix(host, ".google.com") {
			all = append(all, discovery.Link{Title: html.UnescapeString(tag.Regexp().ReplaceAllString(m[2], "")), URL: to.String()})
		}
	}
	return all
}
