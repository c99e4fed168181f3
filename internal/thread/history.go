package thread

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/fault"
)

// Line is one message as clients list it.
type Line struct {
	ID        string            `json:"id"`
	Direction string            `json:"direction"` // inbound or outbound
	Text      string            `json:"text"`
	Media     []channel.Media   `json:"media,omitempty"`
	Cards     []map[string]any  `json:"cards"`
	Map       *channel.Location `json:"mapLocation,omitempty"`
	CreatedAt time.Time         `json:"createdAt"`
	Status    string            `json:"status"` // received, answered; sent
}

// MaxLines is the most messages that one listing gives.
const MaxLines = 100

// Lines lists messages in order, after a cursor, at most limit of them, and the cursor
// to go on with ("" at the end). One request.
func (s *Store) Lines(ctx context.Context, id, after string, limit int) ([]Line, string, error) {
	if limit <= 0 || limit > MaxLines {
		limit = MaxLines
	}
	turn, skip, err := parseCursor(after)
	if err != nil {
		return nil, "", err
	}
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:  "pk = :pk AND sk BETWEEN :from AND :to",
		Values: dynamo.V{":pk": id, ":from": turnSK(turn), ":to": headSK},
		Limit:  limit + 2, // a turn has a line or more, and the head has none when all is answered
	})
	if err != nil {
		return nil, "", fmt.Errorf("messages of thread %s: %w", id, err)
	}
	lines := []Line{}
	for _, it := range page.Items {
		n, all, err := linesOf(it)
		if err != nil {
			return nil, "", err
		}
		for i, l := range all {
			if n == turn && i < skip {
				continue
			}
			if len(lines) == limit {
				return lines, fmt.Sprintf("%d.%d", n, i), nil
			}
			lines = append(lines, l)
		}
	}
	if page.Next != "" && len(page.Items) > 0 {
		n, all, err := linesOf(page.Items[len(page.Items)-1])
		if err != nil {
			return nil, "", err
		}
		return lines, fmt.Sprintf("%d.%d", n, len(all)), nil
	}
	return lines, "", nil
}

// Latest is the cursor behind the last message, for [Store.LinesBefore].
const Latest = "latest"

// LinesBefore lists the last messages before a cursor, in order, at most limit of them,
// and the cursor to go further back with ("" at the beginning). One request.
func (s *Store) LinesBefore(ctx context.Context, id, before string, limit int) ([]Line, string, error) {
	if limit <= 0 || limit > MaxLines {
		limit = MaxLines
	}
	turn, skip, to := 0, 0, headSK
	if before != Latest {
		var err error
		if turn, skip, err = parseCursor(before); err != nil {
			return nil, "", err
		}
		to = turnSK(turn)
	}
	page, err := s.Table.Query(ctx, dynamo.Query{
		Where:    "pk = :pk AND sk BETWEEN :from AND :to",
		Values:   dynamo.V{":pk": id, ":from": "turn#", ":to": to},
		Backward: true, Limit: limit + 2,
	})
	if err != nil {
		return nil, "", fmt.Errorf("messages of thread %s: %w", id, err)
	}
	lines, previous := []Line{}, ""
	for _, it := range page.Items {
		n, all, err := linesOf(it)
		if err != nil {
			return nil, "", err
		}
		for i := len(all) - 1; i >= 0 && len(lines) < limit; i-- {
			if before != Latest && n == turn && i >= skip {
				continue
			}
			lines = append(lines, all[i])
			if previous = fmt.Sprintf("%d.%d", n, i); n == 1 && i == 0 {
				previous = ""
			}
		}
	}
	slices.Reverse(lines)
	return lines, previous, nil
}

// LinesOf are the lines of one turn.
func LinesOf(t Turn) []Line {
	var lines []Line
	for _, m := range t.In {
		if m.Notice == nil {
			lines = append(lines, inboundLine(m, "answered"))
		}
	}
	for i, r := range t.Out {
		lines = append(lines, outboundLine(t, i, r))
	}
	return lines
}

// Cursor is where the lines of turn n begin.
func Cursor(n int) string { return fmt.Sprintf("%d.0", n) }

func parseCursor(s string) (turn, skip int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	a, b, _ := strings.Cut(s, ".")
	turn, err1 := strconv.Atoi(a)
	skip, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || turn < 0 || skip < 0 || turn > 99_999_999 {
		return 0, 0, fault.Field("after", "want a cursor as an earlier answer gave it")
	}
	return turn, skip, nil
}

// linesOf gives the lines of a turn item, or of a head: those that wait for an answer.
func linesOf(it dynamo.Item) (n int, lines []Line, err error) {
	if it.Key().SK == headSK {
		var h Head
		if err := it.Decode(&h); err != nil {
			return 0, nil, err
		}
		for _, m := range h.Inbox {
			if m.Notice == nil {
				lines = append(lines, inboundLine(m, "received"))
			}
		}
		return h.Turns + 1, lines, nil
	}
	var t Turn
	if err := it.Decode(&t); err != nil {
		return 0, nil, err
	}
	return t.N, LinesOf(t), nil
}

func inboundLine(m Message, status string) Line {
	return Line{ID: m.ID, Direction: "inbound", Text: m.Text, Media: m.Media, Cards: []map[string]any{}, CreatedAt: m.At, Status: status}
}

func outboundLine(t Turn, i int, r Reply) Line {
	cards := r.Cards
	if cards == nil {
		cards = []map[string]any{}
	}
	return Line{ID: ReplyID(t.N, i), Direction: "outbound", Text: r.Text, Cards: cards, Map: r.Map, CreatedAt: t.At, Status: "sent"}
}

// ReplyID is the id of a turn's i-th reply, unique on its thread.
func ReplyID(turn, i int) string { return fmt.Sprintf("r_%d_%d", turn, i) }

// Answer finds the turn that answered a message, looking back from the latest. A
// message that still waits gives ok false. One request for each 20 turns it looks at.
func (s *Store) Answer(ctx context.Context, id, messageID string) (turn Turn, h Head, ok bool, err error) {
	q := dynamo.Query{
		Where:    "pk = :pk AND sk BETWEEN :from AND :to",
		Values:   dynamo.V{":pk": id, ":from": "turn#", ":to": headSK},
		Backward: true,
		Limit:    20,
	}
	for {
		page, err := s.Table.Query(ctx, q)
		if err != nil {
			return Turn{}, Head{}, false, fmt.Errorf("answer on thread %s: %w", id, err)
		}
		for _, it := range page.Items {
			if it.Key().SK == headSK {
				if err := it.Decode(&h); err != nil {
					return Turn{}, Head{}, false, err
				}
				for _, m := range h.Inbox {
					if m.ID == messageID {
						return Turn{}, h, false, nil
					}
				}
				continue
			}
			var t Turn
			if err := it.Decode(&t); err != nil {
				return Turn{}, Head{}, false, err
			}
			for _, m := range t.In {
				if m.ID == messageID {
					return t, h, true, nil
				}
			}
		}
		if q.After = page.Next; q.After == "" {
			return Turn{}, h, false, nil
		}
	}
}
