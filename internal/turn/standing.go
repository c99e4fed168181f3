package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/standing"
	"merve/internal/thread"
	"merve/internal/tool"
)

// Matter looks up one kind of what stands of conversations.
type Matter interface {
	// At is where the one with an id is kept.
	At(h thread.Head, id string) dynamo.Place

	// Read is what was found there, as it is now; ok is false for what is of no account any more, or is not the
	// customer's.
	Read(tc tool.Context, it dynamo.Item) (i standing.Item, ok bool, err error)

	// Coded finds the customer's own that a code names.
	Coded(ctx context.Context, tc tool.Context, code string) (i standing.Item, ok bool, err error)
}

// lately is for how long what was settled is spoken of below small talk, too.
const lately = 24 * time.Hour

// stood are the things that stand of the conversation as the turn finds it. They are read once, in one
// request, and again when something newer has come in.
func (w *work) stood(ctx context.Context) ([]standing.Item, error) {
	if w.found != nil || len(w.thread.Refs) == 0 {
		return w.found, nil
	}
	var matters []Matter
	var places []dynamo.Place
	for _, ref := range w.thread.Refs {
		kind, id, _ := strings.Cut(ref, ":")
		if m := w.r.Matters[kind]; m != nil {
			matters, places = append(matters, m), append(places, m.At(w.thread.Head, id))
		}
	}
	items, err := w.r.Threads.Table.DB().BatchGet(ctx, places...)
	if err != nil {
		return nil, fmt.Errorf("what stands of thread %s: %w", w.thread.ID, err)
	}
	w.found = []standing.Item{}
	for n, it := range items {
		if it == nil {
			continue // it was deleted
		}
		i, ok, err := matters[n].Read(w.tc, it)
		if err != nil {
			return nil, fmt.Errorf("what stands of thread %s: %w", w.thread.ID, err)
		}
		if ok {
			w.found = append(w.found, i)
		}
	}
	return w.found, nil
}

// waits is what waits for the customer, among what stands.
func waits(p *thread.Pending) *standing.Item {
	if p == nil {
		return nil
	}
	i := standing.Offer(p.ID, p.Question())
	return &i
}

// stands adds to a reply how the conversation stands, and gives what the thread has to keep for that. Question
// is what the reply ends with, when it asks for a YES or NO.
func (w *work) stands(ctx context.Context, d decision, r *thread.Reply, question string) (refs []string, err error) {
	if w.thread.Type != channel.General { // they are of staff, businesses and drivers
		return nil, nil
	}
	stood, err := w.stood(ctx)
	if err != nil {
		return nil, err
	}
	var did []standing.Item
	for _, j := range slices.Backward(d.joins) {
		did = append(did, j.Stands...)
	}
	items := standing.Merged(did, stood)
	refs = standing.Refs(items)
	if w.thread.Refs == nil && w.thread.Turns > 0 && len(refs) == 0 {
		refs = nil // what was done before references were kept is not known
	}
	if r == nil || w.leftOut(d, items, refs, *r) {
		return refs, nil
	}
	lang := w.tc.Language
	if d.words {
		lang = standing.Spoken(d.text, lang)
	}
	s := standing.Now{Language: lang, Waits: waits(d.pending), Question: question, Items: items}.Standing()
	s.Follows(w.standingBefore())
	r.Standing = &s
	return refs, nil
}

// leftOut reports whether nothing is said of how the conversation stands: there is nothing to say, and nobody
// speaks of it. On threads from before references were kept, nothing is not known to be true.
func (w *work) leftOut(d decision, items []standing.Item, refs []string, r thread.Reply) bool {
	if d.pending != nil || len(items) > 0 {
		return false
	}
	return refs == nil || w.thread.Pending == nil && !w.settledLately() && w.smallTalk() && standing.SmallTalk(r.Text)
}

// smallTalk reports whether the customer has said nothing but small talk.
func (w *work) smallTalk() bool {
	return !slices.ContainsFunc(w.in, func(m thread.Message) bool {
		return m.Notice != nil || len(m.Media) > 0 || m.Location != nil || m.Button != "" || !standing.SmallTalk(m.Text)
	})
}

// settledLately reports whether something was settled or done on the thread not long ago.
func (w *work) settledLately() bool {
	return slices.ContainsFunc(w.thread.Recent, func(t thread.Turn) bool {
		did := slices.ContainsFunc(t.Out, func(r thread.Reply) bool { return r.Standing != nil && r.Standing.Kind != standing.Nothing })
		return w.tc.Now.Sub(t.At) < lately && (t.Settled != "" || did)
	})
}

// standingBefore is what was shown beside the reply before, if it was anything.
func (w *work) standingBefore() *standing.Standing {
	for _, t := range slices.Backward(w.thread.Recent) {
		if len(t.Out) > 0 {
			return t.Out[len(t.Out)-1].Standing
		}
	}
	return nil
}

// standingData is what the model is told of how the conversation stands.
func (w *work) standingData(ctx context.Context, pending *thread.Pending) (string, error) {
	stood, err := w.stood(ctx)
	if err != nil || len(stood) == 0 && pending == nil {
		return "", err
	}
	s := standing.Now{Language: w.tc.Language, Waits: waits(pending), Items: stood}.Standing()
	data, err := json.Marshal(map[string]any{"kind": s.Kind, "items": s.Items}) // escapes < and >, so that it ends where it ends
	if err != nil {
		return "", fmt.Errorf("what stands of thread %s: %w", w.thread.ID, err)
	}
	return fmt.Sprintf("<data standing>%s</data>\n", data), nil
}
