package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/pattern"
	"merve/internal/cloud/exchange"
	"merve/internal/matter/discovery"
)

// Searcher searches the web by the web_search tool of the Responses API. It is a [discovery.Engine].
// https://platform.openai.com/docs/guides/tools-web-search
//
// A search is one request, tried once: it costs money whether or not the answer arrives.
type Searcher struct {
	BaseURL string // ends in /v1
	Key     func(ctx context.Context) (string, error)
	Model   string
	HTTP    *http.Client  // nil is one with Go's defaults
	Timeout time.Duration // 0 is [searchTimeout]
}

// searchTimeout leaves room for a second engine in the time that a function has.
const searchTimeout = 14 * time.Second

const (
	maxSearchAnswer = 2 << 20
	maxSearchTokens = 2000
)

// Ready implements [discovery.Engine].
func (s *Searcher) Ready(ctx context.Context) (bool, error) {
	key, err := s.Key(ctx)
	return key != "", err
}

// searchRequest is the part of a request that is used.
type searchRequest struct {
	Model           string       `json:"model"`
	Instructions    string       `json:"instructions"`
	Input           string       `json:"input"`
	Tools           []searchTool `json:"tools"`
	ToolChoice      string       `json:"tool_choice"`
	Include         []string     `json:"include"`
	MaxToolCalls    int          `json:"max_tool_calls"`
	MaxOutputTokens int          `json:"max_output_tokens"`
	Store           bool         `json:"store"`
}

type searchTool struct {
	Type         string         `json:"type"`
	ContextSize  string         `json:"search_context_size"`
	UserLocation *userLocation  `json:"user_location,omitempty"`
	Filters      *searchFilters `json:"filters,omitempty"`
}

type userLocation struct {
	Type string `json:"type"`
	City string `json:"city"`
}

type searchFilters struct {
	AllowedDomains []string `json:"allowed_domains"`
}

// searchAnswer is the part of an answer that is read.
type searchAnswer struct {
	Status string `json:"status"`
	Output []struct {
		Type    string          `json:"type"`
		Content []searchContent `json:"content"`
	} `json:"output"`
}

type searchContent struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Refusal     string `json:"refusal"`
	Annotations []struct {
		Type  string `json:"type"`
		Start int    `json:"start_index"`
		End   int    `json:"end_index"`
		Title string `json:"title"`
		URL   string `json:"url"`
	} `json:"annotations"`
}

// Search implements [discovery.Engine]. Addresses and titles come from citations only: what the model writes itself
// may be made up.
func (s *Searcher) Search(ctx context.Context, q discovery.Query) (discovery.Found, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.Timeout, searchTimeout))
	defer cancel()
	key, err := s.Key(ctx)
	if err != nil {
		return discovery.Found{}, fault.Wrap(err, fault.Unavailable, "openai: the key")
	}
	tool := searchTool{Type: "web_search", ContextSize: "low"}
	if q.Place != "" {
		tool.UserLocation = &userLocation{"approximate", q.Place}
	}
	if q.Social {
		tool.Filters = &searchFilters{discovery.Networks()}
	}
	body, err := json.Marshal(searchRequest{
		Model: s.Model, Instructions: q.Instructions(), Input: q.Text(), Tools: []searchTool{tool}, ToolChoice: "required",
		Include: []string{"web_search_call.action.sources"}, MaxToolCalls: 1, MaxOutputTokens: maxSearchTokens,
	})
	if err != nil {
		return discovery.Found{}, fmt.Errorf("openai: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(s.BaseURL, "/")+"/responses", bytes.NewReader(body))
	if err != nil {
		return discovery.Found{}, fault.Wrap(err, fault.Internal, "openai: the address is not a URL")
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	got, err := exchange.Do(s.HTTP, req, maxSearchAnswer)
	if err != nil {
		return discovery.Found{}, fault.Wrap(err, fault.Unavailable, "openai does not answer")
	}
	if got.Status != http.StatusOK {
		return discovery.Found{}, refusedSearch(got)
	}
	var answer searchAnswer
	if err := json.Unmarshal(got.Body, &answer); err != nil {
		return discovery.Found{}, fault.New(fault.Unavailable, "openai: the answer cannot be read")
	}
	return answer.found()
}

// found returns the cited pages of an answer. The pages in a truncated answer still count.
func (a searchAnswer) found() (discovery.Found, error) {
	var found discovery.Found
	refused := false
	for _, out := range a.Output {
		if out.Type != "message" {
			continue
		}
		for _, c := range out.Content {
			refused = refused || c.Type == "refusal"
			text := []rune(c.Text)
			for _, n := range c.Annotations {
				if n.Type == "url_citation" {
					found.Items = append(found.Items, discovery.Item{Title: n.Title, URL: n.URL, Snippet: cited(text, n.Start)})
				}
			}
		}
	}
	switch {
	case len(found.Items) > 0:
	case refused:
		return found, fault.New(fault.Invalid, "openai refuses the search")
	case a.Status == "failed" || a.Status == "cancelled" || a.Status == "incomplete":
		return found, fault.New(fault.Unavailable, "openai: the search has %s", machineWord(a.Status))
	}
	return found, nil
}

var (
	// markdownLink is a link as models write it, within brackets of its own or not.
	markdownLink = pattern.New(`\(?\[([^\[\]]*)\]\([^()]*\)\)?`)
	// listMark begins a line of a list.
	listMark = pattern.New(`^\s*(?:[-*•]|\d+[.)])\s+`)
)

// cited is the line of a text in which a citation stands, without the citation itself.
func cited(text []rune, at int) string {
	if at < 0 || at > len(text) {
		return ""
	}
	before, after := string(text[:at]), string(text[at:])
	before = before[strings.LastIndexByte(before, '\n')+1:]
	after, _, _ = strings.Cut(after, "\n")
	line := markdownLink.Regexp().ReplaceAllString(before+after, "")
	line = listMark.Regexp().ReplaceAllString(line, "")
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "`", "").Replace(line))
}

// refusedSearch classifies an unsuccessful answer. It leaves out the provider's words: they may quote the key.
func refusedSearch(got exchange.Answer) error {
	var failure struct {
		Error struct {
			Type string `json:"type"`
			Code any    `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(got.Body, &failure) // without it, the status says enough
	cause := fmt.Errorf("status %d, type %s, code %s", got.Status, machineWord(failure.Error.Type), machineWord(fmt.Sprint(failure.Error.Code)))
	switch {
	case got.Status == http.StatusTooManyRequests:
		return fault.Wrap(cause, fault.Limited, "openai is asked too often")
	case got.Status >= 400 && got.Status < 500 && got.Status != http.StatusRequestTimeout:
		return fault.Wrap(cause, fault.Internal, "openai refuses the search")
	}
	return fault.Wrap(cause, fault.Unavailable, "openai is away")
}
