package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Clean returns a model whose answers are fit to be shown to people and kept in a history,
// whatever raw sends. Every provider's model is behind it.
//
//   - A thought never leaves it, in a piece of a stream as little as in the whole.
//   - A text that is as a whole one call to a tool of the request is that call. Other calls
//     written as text are withheld.
//   - The same call twice is one.
//   - An answer that was cut off is finished by one more round, or ends at its last whole
//     sentence.
//   - An answer of nothing is asked for once more, with room and low effort. One that still
//     has nothing is [Malformed], and so is an answer that is not of the schema it was to have.
//
// The usage of both rounds is added up. Text is streamed as it comes where the model is
// known to keep its thoughts apart from its text. The thoughts of others may turn out to be
// such only at their end, and their text is given when it is whole.
func Clean(raw Model) Model { return cleaned{raw} }

type cleaned struct{ raw Model }

// Complete returns the answer when it is whole.
func (c cleaned) Complete(ctx context.Context, req Request) (Response, error) {
	return c.answer(ctx, req, nil)
}

// Stream gives the answer's text as soon as it is certain.
func (c cleaned) Stream(ctx context.Context, req Request, say func(delta string) error) (Response, error) {
	return c.answer(ctx, req, say)
}

// Reasons why an answer ended.
const (
	finishStop   = "stop"
	finishLength = "length"         // no tokens were left
	finishFilter = "content_filter" // a filter took it
	finishCalls  = "tool_calls"
)

// moreRoom is how many times the tokens are allowed of an answer that had none left to begin with.
const moreRoom = 4

func (c cleaned) answer(ctx context.Context, req Request, say func(delta string) error) (Response, error) {
	first, err := c.round(ctx, req, say)
	switch {
	case err != nil:
		return first.Response, err
	case first.empty() && first.Finish != finishFilter:
		return c.again(ctx, req, first, say)
	case first.cut():
		return c.goOn(ctx, req, first, say)
	}
	return first.tell(say)
}

// again asks once more for an answer that had nothing in it.
func (c cleaned) again(ctx context.Context, req Request, first round, say func(delta string) error) (Response, error) {
	req.Effort, req.MaxTokens = LowEffort, req.MaxTokens*moreRoom
	second, err := c.round(ctx, req, say)
	second.Usage = first.Usage.Add(second.Usage)
	second.Model = cmp.Or(second.Model, first.Model)
	if err != nil {
		return second.Response, err
	}
	return ended(second).tell(say)
}

// round is one answer of the raw model with the machinery taken off.
type round struct {
	Response
	said       int    // bytes of its text that are out
	lead, tail string // white space before and behind it
}

func (r round) empty() bool { return r.Text == "" && len(r.Calls) == 0 }

// cut reports whether a text was cut off in the middle.
func (r round) cut() bool { return r.Finish == finishLength && r.Text != "" && len(r.Calls) == 0 }

// tell says what is not out yet. Nothing at all to say or to call is a failure.
func (r round) tell(say func(delta string) error) (Response, error) {
	if r.empty() {
		return r.Response, Fail(Malformed, "no text and no call (finish reason %s)", reason(r.Finish))
	}
	if rest := r.Text[r.said:]; say != nil && rest != "" {
		if err := say(rest); err != nil {
			r.Text = r.Text[:r.said]
			return r.Response, err
		}
	}
	return r.Response, nil
}

// reason is a finish reason fit for an error: providers may write anything there.
func reason(finish string) string {
	switch finish {
	case finishStop, finishLength, finishFilter, finishCalls:
		return finish
	}
	return "unknown"
}

// round asks the raw model once. With a say it streams, and if it fails the response holds the text that is already
// out.
func (c cleaned) round(ctx context.Context, req Request, say func(delta string) error) (round, error) {
	s := &scanner{tools: callable(req)}
	resp, err := c.ask(ctx, req, s, say)
	if err != nil {
		resp.Text, resp.Calls = string(s.text[:s.given]), nil
		return round{Response: resp, said: s.given}, err
	}
	written := resp.Text
	s.end()
	if s.takenBack {
		resp.Text, resp.Calls = string(s.text[:s.given]), nil
		return round{Response: resp, said: s.given}, errTakenBack
	}
	resp.Text, resp.Calls = string(s.text), once(resp.Calls)
	switch {
	case req.Schema != nil:
		if resp.Text = object(written, resp.Text); resp.Text != "" {
			resp.Finish = finishStop
		}
	case resp.Text == "" && len(resp.Calls) == 0 && len(s.calls) == 1:
		if call, ok := readWritten(s.calls[0], s.tools); ok {
			resp.Calls, resp.Finish = []Call{call}, finishCalls
		}
	}
	return round{Response: resp, said: s.given, lead: s.lead, tail: s.space}, nil
}

// errTakenBack ends a stream whose model is said to keep its thoughts apart, and did not.
var errTakenBack = Fail(Malformed, "stream: the end of a thought, and the thought was said")

// ask puts an answer through s as it comes, and says what is certain if that can be told
// before the end.
func (c cleaned) ask(ctx context.Context, req Request, s *scanner, say func(delta string) error) (Response, error) {
	if say == nil || req.Schema != nil || !keepsThoughtsApart(req.Model) {
		resp, err := c.raw.Complete(ctx, req)
		if err == nil {
			s.write(resp.Text)
		}
		return resp, err
	}
	var stopped error
	resp, err := c.raw.Stream(ctx, req, func(delta string) error {
		s.write(delta)
		if s.takenBack {
			stopped = errTakenBack
		} else if fresh := s.fresh(); fresh != "" {
			stopped = say(fresh)
		}
		return stopped
	})
	if stopped != nil {
		return resp, stopped // as say put it, not as raw wrapped it
	}
	if err == nil && !s.began {
		s.write(resp.Text) // what is no text on the wire, such as a refusal
	}
	return resp, err
}

// callable are the tools that an answer may call.
func callable(req Request) []string {
	if req.ToolChoice == ToolNone {
		return nil
	}
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return names
}

// once leaves out calls that are made again, with the same arguments in any form.
func once(calls []Call) []Call {
	seen := map[string]bool{}
	var out []Call
	for _, c := range calls {
		args := string(c.Args)
		var v any
		if d := json.NewDecoder(bytes.NewReader(c.Args)); json.Valid(c.Args) {
			d.UseNumber()
			_ = d.Decode(&v)                // valid JSON
			canonical, _ := json.Marshal(v) // what was just decoded
			args = string(canonical)
		}
		if key := c.Name + "\x00" + args; !seen[key] {
			seen[key] = true
			out = append(out, c)
		}
	}
	return out
}

// object is the JSON object that an answer must be: the answer as written, or without thoughts and a fence. It is ""
// if neither is an object.
func object(written, cleaned string) string {
	for _, text := range []string{written, cleaned} {
		text = strings.TrimSpace(text)
		if fence := fenceStart.Regexp().FindString(text); fence != "" {
			text = strings.TrimSpace(strings.TrimSuffix(text[len(fence):], "```"))
		}
		if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			return text
		}
	}
	return ""
}

const carryOn = "Your last message was cut off. Go on exactly where it ends, repeat nothing of it, and come to an end soon."

// goOn asks for the rest of an answer that was cut off. Where none comes, or that is cut off
// too, the answer ends at its last whole sentence.
func (c cleaned) goOn(ctx context.Context, req Request, first round, say func(delta string) error) (Response, error) {
	more := req
	more.Messages = append(slices.Clone(req.Messages), Message{Role: Assistant, Text: first.Text}, Message{Role: System, Text: carryOn})
	more.ToolChoice = ToolNone
	second, err := c.round(ctx, more, nil)
	first.Usage = first.Usage.Add(second.Usage)
	if err == nil && second.Text != "" {
		first.Text, first.Finish = join(first.Text, first.tail+second.lead, second.Text), second.Finish
	}
	return ended(first).tell(say)
}

// ended cuts a text that was cut off back to its last whole sentence.
func ended(r round) round {
	if r.cut() {
		r.Text = wholeSentences(r.Text, r.said)
	}
	return r
}
