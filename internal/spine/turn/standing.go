package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"merve/internal/agent/tool"
	"merve/internal/cloud/dynamo"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/words/standing"
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

// finds are what stands of the conversation as a turn has found it.
type finds struct {
	items  []standing.Item // nil is not looked for yet
	rest   []string        // that were not read; of very many
	hidden []string        // that who speaks may not see
	asOf   int             // the head's count of rows then
}

// stood are the things that stand of the conversation as the turn finds it, the next first. They are read once, in
// one request, and again when something newer has come in. Where rows were written since the thread was last asked,
// one request more asks it.
func (w *work) stood(ctx context.Context) ([]standing.Item, error) {
	h := w.thread.Head
	if w.found.items != nil || w.thread.Type != channel.General {
		return w.found.items, nil
	}
	if w.closed() { // what is not seen stands all the same
		w.found = finds{items: []standing.Item{}, hidden: slices.Concat(h.Known, h.Refs), asOf: h.Asked}
		return w.found.items, nil
	}
	refs, err := w.refs(ctx)
	if err != nil {
		return nil, err
	}
	if len(refs) > 0 {
		err = w.readAll(ctx, refs)
	}
	return w.found.items, err
}

// refs are the things that may stand: those that the thread knows of, and its rows where it may not know of all.
func (w *work) refs(ctx context.Context) ([]string, error) {
	h := w.thread.Head
	w.found = finds{asOf: h.Stands}
	refs := slices.Concat(h.Known, h.Refs)
	if w.unsure || h.Asks() {
		rows, err := w.r.Threads.Standing(ctx, h.ID, w.tc.Now)
		if err != nil {
			return nil, err
		}
		refs = slices.Concat(rows, refs)
	}
	var all []string
	for _, ref := range refs {
		kind, _, _ := strings.Cut(ref, ":")
		if w.r.Matters[kind] != nil && !slices.Contains(all, ref) {
			all = append(all, ref)
		}
	}
	return all[:min(len(all), thread.MaxStanding+1)], nil
}

// readAll reads things that may stand.
func (w *work) readAll(ctx context.Context, refs []string) error {
	read := refs[:min(len(refs), thread.MaxStanding)]
	matters, places := make([]Matter, len(read)), make([]dynamo.Place, len(read))
	for n, ref := range read {
		kind, id, _ := strings.Cut(ref, ":")
		matters[n] = w.r.Matters[kind]
		places[n] = matters[n].At(w.thread.Head, id)
	}
	items, err := w.r.Threads.Table.DB().BatchGet(ctx, places...)
	if err != nil {
		return fmt.Errorf("what stands of thread %s: %w", w.thread.ID, err)
	}
	found := []standing.Item{}
	for n, it := range items {
		if it == nil {
			continue // it was deleted
		}
		i, ok, err := matters[n].Read(w.tc, it)
		if err != nil {
			return fmt.Errorf("what stands of thread %s: %w", w.thread.ID, err)
		}
		if ok {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, standing.Next)
	w.found.items, w.found.rest = found, refs[len(read):]
	return nil
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
func (w *work) stands(ctx context.Context, d decision, r *thread.Reply, question string) (*thread.Stood, error) {
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
	known := thread.Stood{Refs: slices.Concat(standing.Refs(items), w.found.rest, w.found.hidden), AsOf: w.found.asOf}
	known.Whole = len(w.found.rest) == 0 || len(known.Refs) > thread.MaxStanding // else there may be more by now
	if d.session != nil {
		known.Whole = false // what is the caller's is seen by the turns of the session that begins
	}
	if r == nil || w.leftOut(d, items, *r) {
		return &known, nil
	}
	lang := w.tc.Language
	if d.words {
		lang = standing.Spoken(d.text, lang)
	}
	s := standing.Now{Language: lang, Waits: waits(d.pending), Question: question, Items: items, More: len(w.found.rest) > 0}.Standing()
	s.Follows(w.standingBefore())
	r.Standing = &s
	return &known, nil
}

// leftOut reports whether nothing is said of how the conversation stands: there is nothing to say, and nobody
// speaks of it. On threads that have forgotten what stood, nothing is not known to be true.
func (w *work) leftOut(d decision, items []standing.Item, r thread.Reply) bool {
	if d.session != nil { // a greeting is the backend's own, and tells nothing of the call session before
		return true
	}
	if d.pending != nil || len(items) > 0 {
		return false
	}
	return w.thread.Forgot() || w.thread.Pending == nil && !w.settledLately() && w.smallTalk() && standing.SmallTalk(r.Text)
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

// known is what a model's text may name of the customer's own: what stands, waits or was shown by this turn's tools,
// and what codes of theirs lead to. A look-up that fails leaves a code as it is.
func (w *work) known(ctx context.Context, p *progress, text string, named []standing.Item) []standing.Item {
	known := standing.Merged(named, w.found.items)
	if i := waits(p.pending); i != nil {
		known = append(known, *i)
	}
	looked := 0
	for _, code := range standing.Codes(text) {
		if looked == maxLookUps || slices.ContainsFunc(known, func(i standing.Item) bool { return i.Code == code }) {
			continue
		}
		looked++
		if i, ok := w.owned(ctx, code); ok {
			known = append(known, i)
		}
	}
	return known
}

// maxLookUps bounds the codes of a text that are looked up.
const maxLookUps = 3

// owned finds what a code of the customer's own names.
func (w *work) owned(ctx context.Context, code string) (standing.Item, bool) {
	if w.thread.Type != channel.General {
		return standing.Item{}, false
	}
	for _, kind := range slices.Sorted(maps.Keys(w.r.Matters)) {
		i, ok, err := w.r.Matters[kind].Coded(ctx, w.tc, code)
		if err != nil {
			w.r.Log.InfoContext(ctx, "code not looked up", "kind", kind, "error", err.Error())
		}
		if ok && err == nil {
			return i, true
		}
	}
	return standing.Item{}, false
}

// toldItem is something that stands, as models are told of it.
type toldItem struct {
	Kind  string `json:"kind"`
	Code  string `json:"code,omitempty"`
	State string `json:"state"`
	Text  string `json:"text"`
}

func told(items []standing.Item) []toldItem {
	all := []toldItem{}
	for _, i := range items {
		all = append(all, toldItem{i.Kind, i.Code, i.State, i.Summary})
	}
	return all
}

// standingData is what the model is told of how the conversation stands.
func (w *work) standingData(ctx context.Context, pending *thread.Pending) (string, error) {
	stood, err := w.stood(ctx)
	if err != nil || len(stood) == 0 && pending == nil {
		return "", err
	}
	kind := standing.Nothing
	if waiting := waits(pending); waiting != nil {
		kind, stood = standing.Waiting, append([]standing.Item{*waiting}, stood...)
	} else if len(stood) > 0 {
		kind = standing.Done
	}
	all := map[string]any{"kind": kind, "items": told(stood)}
	if len(w.found.rest) > 0 {
		all["more"] = true
	}
	data, err := json.Marshal(all) // escapes < and >, so that it ends where it ends
	if err != nil {
		return "", fmt.Errorf("what stands of thread %s: %w", w.thread.ID, err)
	}
	return fmt.Sprintf("<data standing>%s</data>\n", data), nil
}
