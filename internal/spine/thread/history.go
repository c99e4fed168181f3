package thread

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
	"merve/internal/words/standing"
)

// Line is one message as clients list it.
type Line struct {
	ID        string             `json:"id"`
	Direction string             `json:"direction"` // [Inbound] or outbound
	Text      string             `json:"text"`
	Media     []channel.Media    `json:"media,omitempty"`
	Location  *geo.Location      `json:"location,omitempty"` // that the customer shared
	Cards     []map[string]any   `json:"cards"`
	Choices   []channel.Choice   `json:"choices,omitempty"`
	Map       *geo.Location      `json:"mapLocation,omitempty"`
	Standing  *standing.Standing `json:"standing,omitempty"`
	CreatedAt time.Time          `json:"createdAt"`
	Status    string             `json:"status"` // received, answered; sent
}

// Inbound is the direction of a message of the thread's owner.
const Inbound = "inbound"

// MaxLines is the most messages that one listing gives.
const MaxLines = 100

// history reads what was said on threads.
type history struct{ table dynamo.Table }

func (s *Store) history() history { return history{s.Table} }

// Lines lists messages in order, after a cursor, at most limit of them, with the cursor to go on ("" at the end). One
// request, and one more if long texts are stored apart.
func (s *Store) Lines(ctx context.Context, id, after string, limit int) ([]Line, string, error) {
	return s.history().lines(ctx, id, after, limit)
}

func (h history) lines(ctx context.Context, id, after string, limit int) ([]Line, string, error) {
	if limit <= 0 || limit > MaxLines {
		limit = MaxLines
	}
	turn, skip, err := parseCursor(after)
	if err != nil {
		return nil, "", err
	}
	page, err := h.table.Query(ctx, dynamo.Query{
		Where:  "pk = :pk AND sk BETWEEN :from AND :to",
		Values: dynamo.V{":pk": id, ":from": turnSK(turn), ":to": headSK},
		Limit:  limit + 2, // a turn has a line or more, and the head has none when all is answered
	})
	if err != nil {
		return nil, "", fmt.Errorf("messages of thread %s: %w", id, err)
	}
	sections, err := h.sections(ctx, id, page.Items)
	if err != nil {
		return nil, "", err
	}
	lines := []Line{}
	for _, sec := range sections {
		for i, l := range sec.lines() {
			switch {
			case skip > 0 && l.Direction == Inbound:
				skip--
			case len(lines) == limit:
				return lines, cursor(sec.N, i+skip), nil
			default:
				lines = append(lines, l)
			}
		}
	}
	if last := len(sections) - 1; page.Next != "" && last >= 0 && page.Items[last].Key().SK != headSK {
		return lines, cursor(sections[last].N+1, skip), nil
	}
	return lines, "", nil
}

// Latest is the cursor behind the last message, for [Store.LinesBefore].
const Latest = "latest"

// LinesBefore lists the last messages before a cursor, in order, at most limit of them, with the cursor to go further back
// ("" at the beginning). It costs as much as Lines, and twice that for a cursor among messages that waited for an answer.
func (s *Store) LinesBefore(ctx context.Context, id, before string, limit int) ([]Line, string, error) {
	return s.history().linesBefore(ctx, id, before, limit)
}

func (h history) linesBefore(ctx context.Context, id, before string, limit int) ([]Line, string, error) {
	if limit <= 0 || limit > MaxLines {
		limit = MaxLines
	}
	turn, skip, to := 0, 0, headSK // turns are counted from 1
	if before != Latest {
		var err error
		if turn, skip, err = parseCursor(before); err != nil {
			return nil, "", err
		}
		to = turnSK(turn)
	}
	sections, more, err := h.sectionsBefore(ctx, id, to, limit+2)
	if err != nil {
		return nil, "", err
	}
	var counted []Line
	if len(sections) > 0 && sections[0].N == turn {
		counted = messages(sections[0].lines())
	}
	if len(counted) < skip {
		if counted, err = h.messagesFrom(ctx, id, turn, skip); err != nil {
			return nil, "", err
		}
	}
	lines, previous := []Line{}, ""
	take := func(n int, some []Line) {
		for i := len(some) - 1; i >= 0 && len(lines) < limit; i-- {
			lines = append(lines, some[i])
			if previous = cursor(n, i); n == 1 && i == 0 {
				previous = ""
			}
		}
	}
	take(turn, counted[:min(skip, len(counted))])
	for _, sec := range sections {
		if sec.N != turn {
			take(sec.N, sec.lines())
		}
	}
	if len(lines) == 0 && more { // turns in which nothing was said
		previous = cursor(sections[len(sections)-1].N, 0)
	}
	slices.Reverse(lines)
	return lines, previous, nil
}

// messagesFrom lists the first n inbound messages from a turn on, whatever turns answer them.
func (h history) messagesFrom(ctx context.Context, id string, turn, n int) ([]Line, error) {
	var all []Line
	after := Cursor(turn)
	for n = min(n, maxInbox); len(all) < n; {
		lines, next, err := h.lines(ctx, id, after, MaxLines)
		if err != nil {
			return nil, err
		}
		all = append(all, messages(lines)...)
		if after = next; after == "" {
			break
		}
	}
	return all, nil
}

// messages are the inbound lines.
func messages(lines []Line) []Line {
	return slices.DeleteFunc(lines, func(l Line) bool { return l.Direction != Inbound })
}

// LinesOf are the lines of one turn.
func LinesOf(t Turn) []Line { return section{t, "answered"}.lines() }

// Cursor is where the lines of turn n begin.
func Cursor(n int) string { return cursor(n, 0) }

// cursor is the place after some messages of a turn and before its reply. Waiting messages count as those of the next
// turn. That turn may answer only the first of them, so both lists go on counting.
func cursor(turn, messages int) string { return fmt.Sprintf("%d.%d", turn, messages) }

func parseCursor(s string) (turn, skip int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, _ := strings.Cut(s, ".")
	turn, err1 := strconv.Atoi(a)
	skip, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || turn < 0 || skip < 0 || turn > 99_999_999 || cursor(turn, skip) != s {
		return 0, 0, fault.Field("after", "want a cursor as an earlier answer gave it")
	}
	return turn, skip, nil
}

// section has the lines of a turn, or of the messages that wait for the next one.
type section struct {
	Turn
	status string // of the inbound messages
}

func (sec section) lines() []Line {
	var lines []Line
	for _, m := range sec.In {
		if m.Notice == nil {
			lines = append(lines, inboundLine(m, sec.status))
		}
	}
	for i, r := range sec.Out {
		lines = append(lines, outboundLine(sec.Turn, i, r))
	}
	return lines
}

// sectionsBefore reads the last sections up to a sort key, latest first, and reports whether there are more.
func (h history) sectionsBefore(ctx context.Context, id, to string, limit int) ([]section, bool, error) {
	page, err := h.table.Query(ctx, dynamo.Query{
		Where:    "pk = :pk AND sk BETWEEN :from AND :to",
		Values:   dynamo.V{":pk": id, ":from": "turn#", ":to": to},
		Backward: true, Limit: limit,
	})
	if err != nil {
		return nil, false, fmt.Errorf("messages of thread %s: %w", id, err)
	}
	secs, err := h.sections(ctx, id, page.Items)
	return secs, page.Next != "", err
}

// sections decodes turn items and the head, and fetches the texts that are stored apart.
func (h history) sections(ctx context.Context, id string, items []dynamo.Item) ([]section, error) {
	secs := make([]section, len(items))
	said := make([][]Message, len(items))
	for i, it := range items {
		secs[i].status = "answered"
		if it.Key().SK == headSK {
			var head Head
			if err := it.Decode(&head); err != nil {
				return nil, err
			}
			secs[i] = section{Turn{N: head.Turns + 1, In: head.Inbox}, "received"}
		} else if err := it.Decode(&secs[i].Turn); err != nil {
			return nil, err
		}
		said[i] = secs[i].In
	}
	return secs, h.fill(ctx, id, said...)
}

func inboundLine(m Message, status string) Line {
	return Line{ID: m.ID, Direction: Inbound, Text: m.Text, Media: m.Media, Location: m.Location, Cards: []map[string]any{}, CreatedAt: m.At, Status: status}
}

func outboundLine(t Turn, i int, r Reply) Line {
	cards := r.Cards
	if cards == nil {
		cards = []map[string]any{}
	}
	return Line{
		ID: replyID(t.N, i), Direction: "outbound", Text: r.Text, Cards: cards, Choices: r.Choices, Map: r.Map,
		Standing: r.Standing.In(r.Text), CreatedAt: t.At, Status: "sent",
	}
}

// replyID is the id of a turn's i-th reply, unique on its thread.
func replyID(turn, i int) string { return fmt.Sprintf("r_%d_%d", turn, i) }

// HeadWith reads the head of a thread, and reports whether the thread has a message with an id as [Line] has them, of the
// customer or a reply. 1 request.
func (s *Store) HeadWith(ctx context.Context, id, message string) (h Head, ok bool, err error) {
	keys := []dynamo.Key{headKey(id), seenKey(id, message)}
	var turn, i int
	if _, err := fmt.Sscanf(message, "r_%d_%d", &turn, &i); err == nil && replyID(turn, i) == message {
		keys = append(keys, turnKey(id, turn))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return Head{}, false, fmt.Errorf("message on thread %s: %w", id, err)
	}
	for _, it := range items {
		switch it.Key() {
		case keys[0]:
			err = it.Decode(&h)
		case keys[1]:
			ok = true
		default:
			ok = ok || i < len(it.List("out"))
		}
	}
	return h, ok, err
}

// Answer finds the turn that answered a message. ok is false for a message that still waits or was never here. One request
// if it is among the latest 20 turns; otherwise 3 more and the logarithm of the number of turns, which are in order of
// time.
func (s *Store) Answer(ctx context.Context, id, messageID string) (turn Turn, h Head, ok bool, err error) {
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:    "pk = :pk AND sk BETWEEN :from AND :to",
		Values:   dynamo.V{":pk": id, ":from": "turn#", ":to": headSK},
		Backward: true,
		Limit:    1 + answerPage,
	})
	if err != nil {
		return Turn{}, Head{}, false, fmt.Errorf("answer on thread %s: %w", id, err)
	}
	if len(page.Items) == 0 {
		return Turn{}, Head{}, false, nil
	}
	if err := page.Items[0].Decode(&h); err != nil {
		return Turn{}, Head{}, false, err
	}
	if has(h.Inbox, messageID) {
		return Turn{}, h, false, nil
	}
	turn, ok, err = answering(page.Items[1:], messageID)
	if err != nil || ok || page.Next == "" {
		return turn, h, ok, err
	}
	turn, ok, err = s.history().oldAnswer(ctx, id, messageID, h.Turns)
	return turn, h, ok, err
}

const answerPage = 20

func has(ms []Message, id string) bool {
	return slices.ContainsFunc(ms, func(m Message) bool { return m.ID == id })
}

// answering finds the turn that has a message among turn items.
func answering(items []dynamo.Item, messageID string) (Turn, bool, error) {
	for _, it := range items {
		var t Turn
		if err := it.Decode(&t); err != nil {
			return Turn{}, false, err
		}
		if has(t.In, messageID) {
			return t, true, nil
		}
	}
	return Turn{}, false, nil
}

// Said reads a message that somebody wrote on a thread; ok is false if there is none with its id. Requests as
// [Store.Answer], and 1 more for a long one.
func (s *Store) Said(ctx context.Context, id, messageID string) (m Message, ok bool, err error) {
	turn, head, answered, err := s.Answer(ctx, id, messageID)
	among := head.Inbox
	if answered {
		among = turn.In
	}
	i := slices.IndexFunc(among, func(m Message) bool { return m.ID == messageID && m.Notice == nil })
	if err != nil || i < 0 {
		return Message{}, false, err
	}
	found := []Message{among[i]}
	err = s.history().fill(ctx, id, found)
	return found[0], err == nil, err
}

// oldAnswer searches from the first turn that ended after the message came.
func (h history) oldAnswer(ctx context.Context, id, messageID string, turns int) (Turn, bool, error) {
	seen, err := h.table.Get(ctx, seenKey(id, messageID))
	if err != nil || seen == nil {
		return Turn{}, false, err
	}
	came := seen.Time("at").Add(-clockSkew)
	n := 1 + sort.Search(turns, func(i int) bool {
		var it dynamo.Item
		if err == nil {
			it, err = h.table.Get(ctx, turnKey(id, i+1))
		}
		return !it.Time("at").Before(came)
	})
	q := dynamo.Query{
		Where:  "pk = :pk AND sk BETWEEN :from AND :to",
		Values: dynamo.V{":pk": id, ":from": turnSK(n), ":to": turnSK(turns)},
		Limit:  answerPage,
	}
	for err == nil && n <= turns {
		var page dynamo.Page
		if page, err = h.table.Query(ctx, q); err != nil {
			break
		}
		if t, ok, err := answering(page.Items, messageID); ok || err != nil {
			return t, ok, err
		}
		if q.After = page.Next; q.After == "" {
			return Turn{}, false, nil
		}
	}
	if err != nil {
		err = fmt.Errorf("answer on thread %s: %w", id, err)
	}
	return Turn{}, false, err
}

// clockSkew is more than the difference between the clocks of two processes.
const clockSkew = 5 * time.Second

// fill fetches the texts that were too long for the head or a turn.
func (h history) fill(ctx context.Context, id string, said ...[]Message) error {
	var keys []dynamo.Key
	for _, ms := range said {
		for _, m := range ms {
			if m.away() {
				keys = append(keys, seenKey(id, m.ID))
			}
		}
	}
	items, err := h.table.BatchGet(ctx, keys...)
	if err != nil {
		return fmt.Errorf("long messages of thread %s: %w", id, err)
	}
	bodies := map[string]seenItem{}
	for _, it := range items {
		var body seenItem
		if err := it.Decode(&body); err != nil {
			return err
		}
		bodies[it.Key().SK] = body
	}
	for _, ms := range said {
		for i, m := range ms {
			if body, ok := bodies[seenKey(id, m.ID).SK]; ok && m.away() {
				ms[i].Text, ms[i].Media = body.Text, body.Media
			}
		}
	}
	return nil
}

// away reports whether the text and media of m are only in its seen item.
func (m Message) away() bool { return m.Long && size(m) == 0 }
