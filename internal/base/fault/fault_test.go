package fault

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestEdges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err       error
		kind      Kind
		status    int
		retry     bool
		forModel  string
		publicMsg string
	}{
		{Field("date", "want YYYY-MM-DD"), Invalid, 400, false,
			`{"error":{"field":"date","kind":"invalid","message":"want YYYY-MM-DD"}}`, "want YYYY-MM-DD"},
		{fmt.Errorf("hold: %w", New(Conflict, "slot taken")), Conflict, 409, false,
			`{"error":{"kind":"conflict","message":"slot taken"}}`, "slot taken"},
		{errors.New("dial tcp 10.0.0.1: secret"), Internal, 500, true,
			`{"error":{"kind":"internal","message":"internal error"}}`, "internal error"},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), Unavailable, 503, true,
			`{"error":{"kind":"unavailable","message":"temporarily unavailable, try again","retry":true}}`, "temporarily unavailable, try again"},
		{Wrap(errors.New("pg: password"), Unavailable, "search is away"), Unavailable, 503, true,
			`{"error":{"kind":"unavailable","message":"search is away","retry":true}}`, "search is away"},
	}
	for _, tt := range tests {
		if got := KindOf(tt.err); got != tt.kind {
			t.Errorf("KindOf(%v) = %v, want %v", tt.err, got, tt.kind)
		}
		if got := HTTPStatus(tt.err); got != tt.status {
			t.Errorf("HTTPStatus(%v) = %v, want %v", tt.err, got, tt.status)
		}
		if got := Retryable(tt.err); got != tt.retry {
			t.Errorf("Retryable(%v) = %v, want %v", tt.err, got, tt.retry)
		}
		if got := string(ForModel(tt.err)); got != tt.forModel {
			t.Errorf("ForModel(%v) = %s, want %s", tt.err, got, tt.forModel)
		}
		if got, _ := Public(tt.err); got != tt.publicMsg {
			t.Errorf("Public(%v) = %q, want %q", tt.err, got, tt.publicMsg)
		}
	}
}

func TestEveryKindHasAStatus(t *testing.T) {
	t.Parallel()
	for _, k := range []Kind{Invalid, Unauthenticated, Forbidden, NotFound, Conflict, Gone, TooLarge, Limited, Unavailable, Internal} {
		if HTTPStatus(New(k, "x")) == 0 {
			t.Errorf("kind %s has no status", k)
		}
	}
}

func TestSentinels(t *testing.T) {
	t.Parallel()
	taken, other := New(Conflict, "slot taken"), New(Conflict, "other")
	err := fmt.Errorf("hold: %w", taken)
	if !errors.Is(err, taken) || errors.Is(err, other) {
		t.Errorf("sentinels must match by identity")
	}
	if !errors.Is(err, &Error{Kind: Conflict}) || errors.Is(err, &Error{Kind: Gone}) {
		t.Errorf("a bare kind must match by kind")
	}
}

// A part's field is named as it is called in the whole; every other error stays as it is.
func TestUnder(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"offering": "offerings[2]", "offering.name": "offerings[2].name", "offerings": "offerings", "name": "name", "its.offering.name": "its.offering.name", "": "",
	} {
		err := fmt.Errorf("save: %w", Field(field, "want a name"))
		if message, got := Public(Under(err, "offering", "offerings[2]")); got != want || message != "want a name" {
			t.Errorf("%q is %q (%s), want %q", field, got, message, want)
		}
	}
	if _, field := Public(Under(Field("offering.hours.mon", "want spans"), "offering", "")); field != "hours.mon" {
		t.Errorf("a part that is the whole: %q", field)
	}
	if other := errors.New("no connection"); Under(other, "offering", "offerings[2]") != other || Under(nil, "offering", "offerings[2]") != nil {
		t.Error("what is no fault of a field has changed")
	}
}

// Each kind is either worth another try or for good, and the outermost kind counts.
func TestPermanent(t *testing.T) {
	t.Parallel()
	for kind := range status {
		err := fmt.Errorf("stream: %w", New(kind, "no"))
		var p interface{ Permanent() bool }
		if !errors.As(err, &p) || p.Permanent() == Retryable(err) {
			t.Errorf("%s is both or neither", kind)
		}
	}
	var p interface{ Permanent() bool }
	if err := Wrap(New(Invalid, "no"), Unavailable, "away"); !errors.As(err, &p) || p.Permanent() {
		t.Error("what was wrapped as unavailable counts as permanent")
	}
	if Retryable(nil) {
		t.Error("no error is to be tried again")
	}
}
