package agent

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"merve/internal/model/llm"
	"merve/internal/words/language"
)

// complete asks the model, and says its text while it comes where somebody listens.
func (r *run) complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	if r.Sink.Say == nil || r.Schema != nil {
		return r.Model.Complete(ctx, req)
	}
	r.refused = ""
	if r.Sink.Holds != nil && r.Sink.Holds() {
		resp, err := r.Model.Complete(ctx, req)
		r.held = true
		return resp, err
	}
	r.held = false
	hearing := ctx
	if r.Sink.Listening != nil {
		var stop context.CancelFunc
		hearing, stop = r.Sink.Listening(ctx)
		defer stop()
	}
	if errors.Is(context.Cause(hearing), ErrHushed) {
		return llm.Response{}, ErrHushed
	}
	var pieces cutter = &llm.Clauses{}
	if r.Sink.Whole != nil && r.Sink.Whole() {
		pieces = &sentences{}
	}
	between := "" // what stands between this round's text and that of the rounds before
	if r.Said != "" {
		between = "\n\n"
	}
	say := func(clause string) error {
		err := r.say(ctx, between+clause)
		between = ""
		return err
	}
	heard := ""
	resp, err := r.Model.Stream(hearing, req, func(delta string) error {
		heard += delta
		for _, piece := range pieces.Add(delta) {
			if err := say(piece); err != nil {
				return err
			}
		}
		return nil
	})
	if rest := pieces.Rest(); err == nil && rest != "" {
		err = say(rest)
	}
	switch {
	case errors.Is(err, errRefused):
		// The calls that might have followed are not known.
		return llm.Response{Text: heard, Usage: resp.Usage, Model: resp.Model}, nil
	case err != nil && errors.Is(context.Cause(hearing), ErrHushed):
		err = ErrHushed
	}
	return resp, err
}

// cutter cuts a text that arrives in pieces into the parts to say at a time. Joined, the parts are the text.
type cutter interface {
	Add(piece string) (whole []string)
	Rest() string
}

// sentences cuts after whole sentences. It knows that a sentence is whole only when text follows it. White space
// after one sentence begins the next.
type sentences struct{ held string }

func (s *sentences) Add(piece string) []string {
	s.held += piece
	all := language.Sentences(s.held)
	if len(all) < 2 {
		return nil
	}
	whole := strings.TrimRightFunc(strings.Join(all[:len(all)-1], ""), unicode.IsSpace)
	s.held = s.held[len(whole):]
	return []string{whole}
}

func (s *sentences) Rest() string { return s.held }

// errRefused ends a stream whose next clause may not be said.
var errRefused = errors.New("refused")

// say judges a clause joined to what was said, and says it.
func (r *run) say(ctx context.Context, clause string) error {
	if strings.TrimSpace(clause) == "" {
		return nil
	}
	v := r.judge(r.Said + clause)
	piece, goesOn := strings.CutPrefix(v.Text, r.Said)
	if v.Again != "" || v.Withheld != "" || !goesOn {
		r.refused = r.Said + clause
		return errRefused
	}
	if piece == "" {
		return nil
	}
	if err := r.Sink.Say(ctx, piece); err != nil {
		return err
	}
	r.Said = v.Text
	return nil
}

// answered takes what the model has said for its answer. A text that was said while it came has been judged;
// where it was refused after a part of it was said, the answer ends there and then says why.
func (r *run) answered(text string) (taken bool) {
	switch {
	case r.Sink.Say == nil || r.Schema != nil || r.Said == "":
		return r.accept(text)
	case r.held:
		r.refused = r.Said + "\n\n" + strings.TrimSpace(text)
	case r.refused == "":
		r.End, r.Text = Answered, r.Said
		return true
	}
	r.again++ // once something was said there is no other way to say it
	v := r.judge(r.refused)
	r.End, r.Text, r.Why = Answered, v.Text, v.Withheld
	if !strings.HasPrefix(v.Text, r.Said) {
		r.Text = strings.TrimSpace(r.Said + "\n\n" + v.Text)
	}
	return true
}
