package openai

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"

	openai "github.com/sashabaranov/go-openai"

	"merve/internal/model/llm"
)

// maxCalls bounds the calls that one streamed answer may hold.
const maxCalls = 128

// Stream requests an answer and passes its text to say piece by piece, as it arrives, including
// thoughts.
// Once a piece was passed on, Stream does not retry after a failure: it then returns the response
// received so far together with the error. A stream is bounded by ctx and by the time-out
// between two of its pieces.
func (e *endpoint) Stream(ctx context.Context, req llm.Request, say func(delta string) error) (llm.Response, error) {
	body, err := e.request(req)
	if err != nil {
		return llm.Response{}, err
	}
	body.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	var out llm.Response
	err = e.try(ctx, func(ctx context.Context, alive func()) error {
		a := assembly{say: say, calls: map[int]*llm.Call{}}
		if err := e.read(ctx, body, &a, alive); err != nil {
			out = a.response
			if a.response.Text != "" {
				return llm.Final(err)
			}
			return err
		}
		var err error
		out, err = finish(req, a.whole(), a.refusal)
		return err
	})
	return out, err
}

// read feeds a stream into a until the stream ends.
func (e *endpoint) read(ctx context.Context, body openai.ChatCompletionRequest, a *assembly, alive func()) error {
	stream, err := e.api.CreateChatCompletionStream(ctx, body)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF) && a.response.Finish != "":
			return nil
		case errors.Is(err, io.EOF): // a connection that closes looks like the end
			return llm.Fail(llm.Unavailable, "stream: ended in the middle")
		case err != nil:
			return err
		}
		alive()
		if err := a.add(chunk); err != nil {
			return err
		}
	}
}

// assembly puts the pieces of a streamed answer together.
type assembly struct {
	say      func(delta string) error
	response llm.Response
	refusal  string
	calls    map[int]*llm.Call
	last     int // index of the call that grew last
}

func (a *assembly) add(chunk openai.ChatCompletionStreamResponse) error {
	if chunk.Model != "" {
		a.response.Model = chunk.Model
	}
	if chunk.Usage != nil { // comes last, in a chunk without choices
		a.response.Usage = usage(*chunk.Usage)
	}
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	if choice.FinishReason != "" {
		a.response.Finish = string(choice.FinishReason)
	}
	a.refusal += choice.Delta.Refusal
	if text := choice.Delta.Content; text != "" {
		a.response.Text += text
		if err := a.say(text); err != nil {
			return err
		}
	}
	for _, piece := range choice.Delta.ToolCalls {
		if err := a.grow(piece); err != nil {
			return err
		}
	}
	return nil
}

// grow adds a piece to the call it belongs to. Id and name count once, however often
// they are repeated.
func (a *assembly) grow(piece openai.ToolCall) error {
	i := a.index(piece)
	call, ok := a.calls[i]
	if !ok {
		if len(a.calls) == maxCalls {
			return llm.Fail(llm.Malformed, "stream: more than %d calls", maxCalls)
		}
		call = new(llm.Call)
		a.calls[i] = call
	}
	if call.ID == "" {
		call.ID = piece.ID
	}
	if call.Name == "" {
		call.Name = piece.Function.Name
	}
	call.Args = append(call.Args, piece.Function.Arguments...)
	a.last = i
	return nil
}

// index finds the call of a piece. Where an endpoint sends no index, a new id begins a
// new call and anything else belongs to the last one.
func (a *assembly) index(piece openai.ToolCall) int {
	if piece.Index != nil {
		return *piece.Index
	}
	if call, ok := a.calls[a.last]; ok && piece.ID != "" && piece.ID != call.ID {
		return a.last + 1
	}
	return a.last
}

// whole returns the answer with its calls in their order.
func (a *assembly) whole() llm.Response {
	r := a.response
	for _, i := range slices.Sorted(maps.Keys(a.calls)) {
		r.Calls = append(r.Calls, *a.calls[i])
	}
	return r
}
