package report

import (
	"context"
	"fmt"
	"strings"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/words/language"
	"merve/internal/words/standing"
)

// StandingKind is the kind of reports among what stands of a conversation.
const StandingKind = "report"

// maxStandingAddress bounds the characters of an address among what stands.
const maxStandingAddress = 60

// item is a report among what stands of a conversation: until it is resolved, which is told once.
func (r Report) item(lang string) standing.Item {
	i := standing.Item{
		Kind: StandingKind, Ref: r.ID, State: string(r.Status), Word: standing.Reported, At: r.CreatedAt,
		Figures: language.Clip(strings.Join(strings.Fields(r.Address), " "), maxStandingAddress),
	}
	if r.Status == Resolved {
		i.Word, i.Over = standing.Completed, true
	}
	i.Summary = strings.TrimPrefix(standing.Described(lang, i.Figures, i.Word, ""), " · ")
	return i
}

// stand is a report among what stands of its conversation; nil is not. Only a state ends it.
func (r Report) stand() *thread.Stand {
	if r.Status == Resolved {
		return nil
	}
	return &thread.Stand{Thread: r.Thread, Kind: StandingKind, ID: r.ID, Start: r.CreatedAt}
}

// Standing finds the reports of a conversation.
type Standing struct{ Store *Store }

// At is where the one with an id is kept.
func (s Standing) At(h thread.Head, id string) dynamo.Place {
	return dynamo.Place{Table: s.Store.Table, Key: reportKey(h.Owner, id)}
}

// Read turns a stored item into a standing one.
func (s Standing) Read(tc tool.Context, it dynamo.Item) (standing.Item, bool, error) {
	var r Report
	if err := it.Decode(&r); err != nil {
		return standing.Item{}, false, fmt.Errorf("report that stands: %w", err)
	}
	return r.item(tc.Language), true, nil
}

// Coded finds none: reports have no codes.
func (Standing) Coded(context.Context, tool.Context, string) (standing.Item, bool, error) {
	return standing.Item{}, false, nil
}
