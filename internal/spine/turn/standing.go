package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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

	// Read interprets what was found there, as of now; ok is false for what no longer counts or is not the customer's.
	Read(tc tool.Context, it dynamo.Item) (i standing.Item, ok bool, err error)

	// Coded finds the customer's own that a code names.
	Coded(ctx context.Context, tc tool.Context, code string) (i standing.Item, ok bool, err error)
}

// matters knows what stands of the conversation: bookings, orders, requests and so on. It reads them when somebody first
// asks, in one request, and again after forget.
type matters struct {
	*scene
	access  *access
	kinds   map[string]Matter
	threads *thread.Store

	snapshot snapshot
	unsure   bool // the thread may not know everything that stands: ask for its rows
}

// snapshot is what one look at the matters has found.
type snapshot struct {
	items  []standing.Item // nil before the look
	unread []string        // refs beyond the number that is read at once
	hidden []string        // refs that the speaker may not see yet
	asOf   int             // the head's count of rows then
}

// items returns what stands, the next first. It costs one request, and one more where rows were written since the thread
// was last asked for them. Conversations of staff, businesses and drivers have none.
func (m *matters) items(ctx context.Context) ([]standing.Item, error) {
	h := m.thread.Head
	if m.snapshot.items != nil || m.thread.Type != channel.General {
		return m.snapshot.items, nil
	}
	if m.access.closed() { // what is not shown stands all the same
		m.snapshot = snapshot{items: []standing.Item{}, hidden: slices.Concat(h.Known, h.Refs), asOf: h.Asked}
		return m.snapshot.items, nil
	}
	refs, err := m.refs(ctx)
	if err != nil {
		return nil, err
	}
	if len(refs) > 0 {
		err = m.read(ctx, refs)
	}
	return m.snapshot.items, err
}

// forget has the next look read again.
func (m *matters) forget() { m.snapshot = snapshot{} }

// refresh reads again after a tool that may have made something that the thread does not know of yet.
func (m *matters) refresh(ctx context.Context) error {
	m.forget()
	m.unsure = true
	_, err := m.items(ctx)
	return err
}

// refs lists what may stand: what the thread knows of, and its rows where it may not know everything.
func (m *matters) refs(ctx context.Context) ([]string, error) {
	h := m.thread.Head
	m.snapshot = snapshot{asOf: h.Stands}
	refs := slices.Concat(h.Known, h.Refs)
	if m.unsure || h.Asks() {
		rows, err := m.threads.Standing(ctx, h.ID, m.tc.Now)
		if err != nil {
			return nil, err
		}
		refs = slices.Concat(rows, refs)
	}
	var all []string
	for _, ref := range refs {
		kind, _, _ := strings.Cut(ref, ":")
		if m.kinds[kind] != nil && !slices.Contains(all, ref) {
			all = append(all, ref)
		}
	}
	return all[:min(len(all), thread.MaxStanding+1)], nil
}

// read reads the matters of refs, as many as one request may.
func (m *matters) read(ctx context.Context, refs []string) error {
	now := refs[:min(len(refs), thread.MaxStanding)]
	kinds, places := make([]Matter, len(now)), make([]dynamo.Place, len(now))
	for n, ref := range now {
		kind, id, _ := strings.Cut(ref, ":")
		kinds[n] = m.kinds[kind]
		places[n] = kinds[n].At(m.thread.Head, id)
	}
	items, err := m.threads.Table.DB().BatchGet(ctx, places...)
	if err != nil {
		return fmt.Errorf("what stands of thread %s: %w", m.thread.ID, err)
	}
	stand := []standing.Item{}
	for n, it := range items {
		if it == nil {
			continue // it was deleted
		}
		i, ok, err := kinds[n].Read(m.tc, it)
		if err != nil {
			return fmt.Errorf("what stands of thread %s: %w", m.thread.ID, err)
		}
		if ok {
			stand = append(stand, i)
		}
	}
	slices.SortStableFunc(stand, standing.Next)
	m.snapshot.items, m.snapshot.unread = stand, refs[len(now):]
	return nil
}

// waiting is the offer that waits for the customer, as one of the things that stand.
func waiting(p *thread.Pending) *standing.Item {
	if p == nil {
		return nil
	}
	i := standing.Offer(p.ID, p.Question())
	return &i
}

// describe adds to a reply how the conversation stands after the decision, and returns what the thread has to remember of
// it. Question is what the reply ends with when it asks for YES or NO. A nil reply gets nothing added.
func (m *matters) describe(ctx context.Context, d decision, r *thread.Reply, question string) (*thread.Stood, error) {
	if m.thread.Type != channel.General {
		return nil, nil
	}
	before, err := m.items(ctx)
	if err != nil {
		return nil, err
	}
	var did []standing.Item
	for _, j := range slices.Backward(d.joins) {
		did = append(did, j.Stands...)
	}
	items := standing.Merged(did, before)
	seen := m.snapshot
	known := thread.Stood{Refs: slices.Concat(standing.Refs(items), seen.unread, seen.hidden), AsOf: seen.asOf}
	known.Whole = len(seen.unread) == 0 || len(known.Refs) > thread.MaxStanding // else there may be more by now
	if d.session != nil {
		known.Whole = false // only the turns of the session that begins may see the caller's things
	}
	if r == nil || m.omitted(d, items, *r) {
		return &known, nil
	}
	lang := m.tc.Language
	if d.words {
		lang = standing.Spoken(d.text, lang)
	}
	s := standing.Now{Language: lang, Waits: waiting(d.pending), Question: question, Items: items, More: len(seen.unread) > 0}.Standing()
	s.Follows(m.lastShown())
	r.Standing = &s
	return &known, nil
}

// omitted reports whether the reply leaves out how the conversation stands, because nothing stands and nobody speaks of
// it. A thread that has forgotten what stood leaves it out too, because it cannot know that nothing stands.
func (m *matters) omitted(d decision, items []standing.Item, r thread.Reply) bool {
	if d.session != nil { // a greeting is the backend's own, and says nothing about the call session before
		return true
	}
	if d.pending != nil || len(items) > 0 {
		return false
	}
	return m.thread.Forgot() || m.thread.Pending == nil && !m.settledLately() && m.smallTalk() && standing.SmallTalk(r.Text)
}

// lastShown is what the latest reply showed of how the conversation stands, or nil.
func (m *matters) lastShown() *standing.Standing {
	for _, t := range slices.Backward(m.thread.Recent) {
		if len(t.Out) > 0 {
			return t.Out[len(t.Out)-1].Standing
		}
	}
	return nil
}

// maxLookUps bounds how many codes of one text are looked up.
const maxLookUps = 3

// nameable returns what a model's text may name of the customer's own: what stands, what waits, what this turn's tools have
// shown, and what codes in the text lead to. A code whose look-up fails stays as it is.
func (m *matters) nameable(ctx context.Context, pending *thread.Pending, text string, shown []standing.Item) []standing.Item {
	known := standing.Merged(shown, m.snapshot.items)
	if i := waiting(pending); i != nil {
		known = append(known, *i)
	}
	lookUps := 0
	for _, code := range standing.Codes(text) {
		if lookUps == maxLookUps || slices.ContainsFunc(known, func(i standing.Item) bool { return i.Code == code }) {
			continue
		}
		lookUps++
		if i, ok := m.ofCode(ctx, code); ok {
			known = append(known, i)
		}
	}
	return known
}

// ofCode finds the customer's own that a code names.
func (m *matters) ofCode(ctx context.Context, code string) (standing.Item, bool) {
	if m.thread.Type != channel.General {
		return standing.Item{}, false
	}
	for _, kind := range slices.Sorted(maps.Keys(m.kinds)) {
		i, ok, err := m.kinds[kind].Coded(ctx, m.tc, code)
		if err != nil {
			m.log.InfoContext(ctx, "code not looked up", "kind", kind, "error", err.Error())
		}
		if ok && err == nil {
			return i, true
		}
	}
	return standing.Item{}, false
}

// itemData is something that stands, as models read it.
type itemData struct {
	Kind  string `json:"kind"`
	Code  string `json:"code,omitempty"`
	State string `json:"state"`
	Text  string `json:"text"`
}

func dataOf(items []standing.Item) []itemData {
	all := []itemData{}
	for _, i := range items {
		all = append(all, itemData{i.Kind, i.Code, i.State, i.Summary})
	}
	return all
}

// forModel tells the model how the conversation stands.
func (m *matters) forModel(ctx context.Context, pending *thread.Pending) (string, error) {
	items, err := m.items(ctx)
	if err != nil || len(items) == 0 && pending == nil {
		return "", err
	}
	kind := standing.Nothing
	if offer := waiting(pending); offer != nil {
		kind, items = standing.Waiting, append([]standing.Item{*offer}, items...)
	} else if len(items) > 0 {
		kind = standing.Done
	}
	all := map[string]any{"kind": kind, "items": dataOf(items)}
	if len(m.snapshot.unread) > 0 {
		all["more"] = true
	}
	data, err := json.Marshal(all) // escapes < and >, so that nothing in it can close the tag
	if err != nil {
		return "", fmt.Errorf("what stands of thread %s: %w", m.thread.ID, err)
	}
	return fmt.Sprintf("<data standing>%s</data>\n", data), nil
}

// facts are what the things that stand bear out, and what was done lately without leaving anything that stands.
func (m *matters) facts() []string {
	var all []string
	for _, i := range m.snapshot.items {
		all = append(all, i.Bears...)
	}
	for _, t := range m.thread.Recent {
		for _, r := range t.Out {
			if r.Standing == nil {
				continue
			}
			for _, i := range r.Standing.Items {
				all = append(all, i.Bears...)
			}
		}
	}
	return all
}

// list puts what stands into lines, one for each.
func (m *matters) list() []string {
	var lines []string
	for _, i := range m.snapshot.items {
		lines = append(lines, i.Summary)
	}
	if len(m.snapshot.unread) > 0 {
		lines = append(lines, "+ "+standing.Say(m.tc.Language, standing.More))
	}
	return lines
}
