// Package openai is a model and an embedder behind OpenAI's API, at OpenAI or at any
// endpoint that speaks the same.
//
// A [Client] sends only what the published schema allows, retries failures that are worth
// it while the context lasts, and turns every failure into an [llm.Error]
// whose text holds neither the conversation nor the key.
// https://platform.openai.com/docs/api-reference
package openai

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"merve/internal/model/llm"
)

// Config says where the model is and how long to try. Zero values are usable except for BaseURL.
type Config struct {
	BaseURL string // ends in /v1
	Key     string
	Model   string // answers a request that names none

	HTTP  *http.Client // without a time-out of its own
	Retry llm.Retry
}

// Client asks one endpoint and cleans its answers. It is safe for concurrent use.
type Client struct {
	cleaned  llm.Model
	endpoint *endpoint
}

// endpoint is where the requests go.
type endpoint struct {
	api    *openai.Client
	config Config
}

// New returns a client of the endpoint in c.
func New(c Config) (*Client, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("OPENAI_BASE_URL: want an address such as https://api.openai.com/v1, got %q", c.BaseURL)
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{}
	}
	if c.Retry.Now == nil {
		c.Retry.Now = time.Now
	}
	conf := openai.DefaultConfig(c.Key)
	conf.BaseURL = strings.TrimRight(c.BaseURL, "/")
	conf.HTTPClient = doer{c.HTTP, c.Retry.Now}
	e := &endpoint{api: openai.NewClientWithConfig(conf), config: c}
	return &Client{cleaned: llm.Clean(e), endpoint: e}, nil
}

// Complete asks for a whole answer.
func (c *Client) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	req.Model = cmp.Or(req.Model, c.endpoint.config.Model)
	return c.cleaned.Complete(ctx, req)
}

// Stream asks for an answer and gives its text to say piece by piece.
func (c *Client) Stream(ctx context.Context, req llm.Request, say func(delta string) error) (llm.Response, error) {
	req.Model = cmp.Or(req.Model, c.endpoint.config.Model)
	return c.cleaned.Stream(ctx, req, say)
}

// Complete asks for a whole answer, as it comes.
func (e *endpoint) Complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	body, err := e.request(req)
	if err != nil {
		return llm.Response{}, err
	}
	var out llm.Response
	err = e.try(ctx, func(ctx context.Context, _ func()) error {
		resp, err := e.api.CreateChatCompletion(ctx, body)
		if err != nil {
			return err
		}
		out, err = response(req, resp)
		return err
	})
	return out, err
}

// response reads the first choice of an answer.
func response(req llm.Request, resp openai.ChatCompletionResponse) (llm.Response, error) {
	out := llm.Response{Model: resp.Model, Usage: usage(resp.Usage)}
	if len(resp.Choices) == 0 {
		return out, llm.Fail(llm.Malformed, "no choices")
	}
	choice := resp.Choices[0]
	out.Text, out.Finish = choice.Message.Content, string(choice.FinishReason)
	for _, call := range choice.Message.ToolCalls {
		out.Calls = append(out.Calls, llm.Call{ID: call.ID, Name: call.Function.Name, Args: []byte(call.Function.Arguments)})
	}
	return finish(req, out, choice.Message.Refusal)
}

// finish fills in what an endpoint may leave out. A refusal is the model's own words for no,
// and no object of a schema.
func finish(req llm.Request, r llm.Response, refusal string) (llm.Response, error) {
	r.Model = cmp.Or(r.Model, req.Model)
	seen := map[string]bool{}
	for i := range r.Calls {
		id := r.Calls[i].ID
		for n := i; id == "" || seen[id]; n++ { // a result must find its call
			id = fmt.Sprintf("call_%d", n)
		}
		r.Calls[i].ID, seen[id] = id, true
	}
	refused := r.Text == "" && refusal != ""
	if refused {
		r.Text = refusal
	}
	if r.Usage == (llm.Usage{}) {
		r.Usage = estimate(req, r)
	}
	if refused && req.Schema != nil {
		return r, llm.Fail(llm.Malformed, "the model refuses to fill in %s", req.Schema.Name)
	}
	return r, nil
}

func usage(u openai.Usage) llm.Usage {
	out := llm.Usage{Input: max(u.PromptTokens, 0), Output: max(u.CompletionTokens, 0)} // a budget never grows
	if u.PromptTokensDetails != nil {
		out.Cached = max(u.PromptTokensDetails.CachedTokens, 0)
	}
	return out
}

// estimate stands in for an endpoint that counts nothing, so that budgets hold there
// too: about four characters make a token.
func estimate(req llm.Request, r llm.Response) llm.Usage {
	input, output := 0, len(r.Text)
	for _, m := range req.Messages {
		input += len(m.Text)
		for _, call := range m.Calls {
			input += len(call.Args)
		}
	}
	for _, spec := range req.Tools {
		input += len(spec.Description) + len(spec.Schema)
	}
	for _, call := range r.Calls {
		output += len(call.Name) + len(call.Args)
	}
	return llm.Usage{Input: input/4 + 1, Output: output/4 + 1}
}
