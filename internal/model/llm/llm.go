// Package llm holds the words that every part uses to talk to a model: messages, the calls that a model asks for,
// what an answer costs, and what its failures mean.
//
// A [Model] answers one request and keeps nothing. The caller keeps the history and must follow one rule, which
// [Check] enforces: every call has exactly one tool message, right after the message that made it.
//
// Every provider's model stands behind [Clean], so that what a model sends is fit to be shown and kept. [Retry] is
// how any provider is asked, [Cost] what any answer costs.
package llm

import (
	"context"
	"encoding/json"
)

// Model answers a conversation with text, or with calls it wants run.
// An error is an [*Error] and says whether asking again may help. The usage of the
// response counts even then.
type Model interface {
	// Complete returns the answer when it is whole.
	Complete(ctx context.Context, req Request) (Response, error)

	// Stream passes the answer's text to say piece by piece as it arrives, and returns the same whole answer: its
	// text is what was said. If Stream fails, the answer holds what was said before the failure. An error of say ends
	// the stream and is returned.
	Stream(ctx context.Context, req Request, say func(delta string) error) (Response, error)
}

// Whole is a model that only knows whole answers: it streams their text as one piece.
type Whole func(ctx context.Context, req Request) (Response, error)

// Complete calls f.
func (f Whole) Complete(ctx context.Context, req Request) (Response, error) { return f(ctx, req) }

// Stream calls f and says its text at once.
func (f Whole) Stream(ctx context.Context, req Request, say func(delta string) error) (Response, error) {
	r, err := f(ctx, req)
	if err != nil {
		return Response{Usage: r.Usage, Model: r.Model}, err
	}
	if r.Text != "" {
		err = say(r.Text)
	}
	return r, err
}

// Role is who a message is from.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	ToolRole  Role = "tool" // the result of one call
)

// Message is one entry of a conversation.
type Message struct {
	Role   Role
	Text   string
	Images []string // addresses or data: URLs; of a user only
	Calls  []Call   // of an assistant only
	CallID string   // of a tool only: the call it answers
}

// Call is something that the model wants run.
type Call struct {
	ID   string
	Name string
	Args json.RawMessage // exactly what the model sent, maybe not valid JSON
}

// Spec declares a tool to a model.
type Spec struct {
	Name        string // letters, digits, - and _, at most 64
	Description string
	Schema      json.RawMessage // strict JSON schema: every property required, no others
}

// Schema makes the answer's text one JSON object of its form.
type Schema struct {
	Name string          // letters, digits, - and _, at most 64
	JSON json.RawMessage // strict, as a [Spec]'s, and at most [MaxDepth] objects deep
}

// MaxDepth is how deep objects may nest in the schema of an answer. The published limit is
// twice as high, but endpoints have refused what goes deeper.
const MaxDepth = 5

// ToolChoice says whether a model calls a tool. Any value other than the constants is the name of the one tool to
// call.
type ToolChoice string

const (
	ToolAuto     ToolChoice = "" // as the model likes
	ToolNone     ToolChoice = "none"
	ToolRequired ToolChoice = "required"
)

// Effort is how much a model reasons before it answers: none, minimal, low, medium, high.
type Effort string

// LowEffort leaves most of an answer's tokens to the answer.
const LowEffort Effort = "low"

// Request is what a model is asked.
type Request struct {
	Model         string // "" is the model's own default
	Messages      []Message
	Tools         []Spec
	ToolChoice    ToolChoice
	ParallelCalls bool    // may the answer hold several calls; no meaning without tools
	Schema        *Schema // nil for an answer in words
	Effort        Effort  // "" leaves it to the model
	MaxTokens     int     // most tokens of the answer; 0 leaves it to the model
	Seed          string  // who or what asks, the same when a step is asked again; leaves only as a hash
}

// Usage counts tokens. Cached is the part of Input that the provider had in its cache.
type Usage struct{ Input, Cached, Output int }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{Input: u.Input + v.Input, Cached: u.Cached + v.Cached, Output: u.Output + v.Output}
}

// Response is what a model answered.
type Response struct {
	Text   string
	Calls  []Call
	Usage  Usage
	Model  string // the one that answered, for the price
	Finish string // why it stopped: stop, tool_calls, length, content_filter
}
