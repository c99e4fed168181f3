package thread

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
)

const (
	// CodeFor is how long a code to link two threads is good.
	CodeFor = 10 * time.Minute
	// MaxLinked is how many threads of others one may be linked with.
	MaxLinked = 4
)

// What linking may meet.
var (
	ErrNoCode   = fault.New(fault.NotFound, "the code is wrong, was used or is older than ten minutes: make a new one in the other chat")
	ErrOwnCode  = fault.New(fault.Conflict, "the code was made in this very chat: it has to be written in the other one")
	ErrMaxLinks = fault.New(fault.Conflict, "at most %d chats can be linked with one", MaxLinked)
)

type linkCode struct {
	Thread    string    `dynamodbav:"thread"`
	UsedBy    string    `dynamodbav:"usedBy,omitempty"` // the thread that it linked
	ExpiresAt time.Time `dynamodbav:"expiresAt"`
	TTL       int64     `dynamodbav:"ttl"`
}

// codeForm has 40 bits, which live for minutes and are used once, in Crockford's alphabet.
var codeForm = ident.Code{Alphabet: "0123456789ABCDEFGHJKMNPQRSTVWXYZ", Length: 8}

func codeKey(code string) dynamo.Key {
	sum := sha256.Sum256([]byte("link:" + code))
	return dynamo.Key{PK: "code#" + hex.EncodeToString(sum[:16]), SK: "code"}
}

// cleanCode takes a code as people write it.
func cleanCode(s string) string {
	s = strings.NewReplacer("O", "0", "I", "1", "L", "1", "-", "", " ", "").Replace(strings.ToUpper(s))
	if !codeForm.Is(s) {
		return ""
	}
	return s
}

// LinkCode makes a code by which whoever writes on another thread shows to be the owner of
// this one. It is kept as a hash.
func (s *Store) LinkCode(ctx context.Context, id string) (code string, until time.Time, err error) {
	b := make([]byte, codeForm.Length)
	rand.Read(b) // never fails since Go 1.24
	code, until = codeForm.Of(b), s.Now().Add(CodeFor)
	c := linkCode{Thread: id, ExpiresAt: until, TTL: until.Add(time.Hour).Unix()}
	if err := s.Table.DB().Commit(ctx, s.Table.Put(codeKey(code), c).IfAbsent()); err != nil {
		return "", until, fmt.Errorf("link code of thread %s: %w", id, err)
	}
	return code[:4] + "-" + code[4:], until, nil
}

// LinkedBy returns the thread that a code would link with thread id, or why it links none:
// [ErrNoCode], [ErrOwnCode]. A code that has linked the two is as good as a fresh one while
// they are. 2 requests.
func (s *Store) LinkedBy(ctx context.Context, id, code string) (other string, err error) {
	_, b, _, err := s.readCode(ctx, id, code)
	return b.ID, err
}

// Link makes the owners of two threads one person for what they own: the thread and the one
// on which the code was made. Both have to be of one market and assistant. The code is used
// up by it; said again on the same thread, however late, it does nothing while they are
// linked.
func (s *Store) Link(ctx context.Context, id, code string) error {
	a, b, used, err := s.readCode(ctx, id, code)
	if err != nil || used {
		return err
	}
	use := s.Table.Update(codeKey(cleanCode(code)), "SET usedBy = :id", dynamo.V{":id": id}).
		If("attribute_not_exists(usedBy)", nil).Else(ErrNoCode)
	if err := s.Table.DB().Commit(ctx, use, s.linked(a.ID, b.Owner), s.linked(b.ID, a.Owner)); err != nil {
		return fmt.Errorf("link threads %s and %s: %w", a.ID, b.ID, err)
	}
	return nil
}

// readCode finds the heads that a code links, and whether it has linked them already. Who
// used it a moment ago may come again, after a crash, when its time is over.
func (s *Store) readCode(ctx context.Context, id, code string) (own, other Head, used bool, err error) {
	code = cleanCode(code)
	if code == "" {
		return own, other, false, ErrNoCode
	}
	it, err := s.Table.Get(ctx, codeKey(code))
	if err != nil {
		return own, other, false, fmt.Errorf("link thread %s: %w", id, err)
	}
	var c linkCode
	if it != nil {
		if err := it.Decode(&c); err != nil {
			return own, other, false, err
		}
	}
	switch {
	case it == nil, c.UsedBy != "" && c.UsedBy != id, c.UsedBy == "" && !c.ExpiresAt.After(s.Now()):
		return own, other, false, ErrNoCode
	case c.Thread == id:
		return own, other, false, ErrOwnCode
	}
	if own, other, err = s.heads(ctx, id, c.Thread); err != nil {
		return own, other, false, err
	}
	used = slices.Contains(own.Linked, other.Owner)
	switch {
	case own.Market != other.Market, own.Type != other.Type, own.Assistant != other.Assistant:
		err = ErrNoCode // of another tenant, who is not to know
	case c.UsedBy != "" && !used:
		err = ErrNoCode // used, and undone since
	}
	return own, other, c.UsedBy != "", err
}

// heads reads two heads. One request.
func (s *Store) heads(ctx context.Context, id, other string) (a, b Head, err error) {
	both, err := s.Heads(ctx, id, other)
	if err != nil {
		return a, b, err
	}
	if a, b = HeadOf(both, id), HeadOf(both, other); a.ID == "" || b.ID == "" {
		err = ErrNoThread
	}
	return a, b, err
}

func (s *Store) linked(id, owner string) dynamo.Write {
	return s.Table.Update(headKey(id), "ADD linked :owners", dynamo.V{":owners": dynamo.Set{owner}}).
		If("attribute_not_exists(linked) OR size(linked) < :max OR contains(linked, :owner)",
			dynamo.V{":max": MaxLinked, ":owner": owner}).Else(ErrMaxLinks)
}

// Unlink undoes every link of a thread, on both sides.
func (s *Store) Unlink(ctx context.Context, id string) error {
	h, err := s.Head(ctx, id)
	if err != nil {
		return err
	}
	return s.unlink(ctx, h)
}

func (s *Store) unlink(ctx context.Context, h Head) error {
	if len(h.Linked) == 0 {
		return nil
	}
	ws := []dynamo.Write{s.Table.Update(headKey(h.ID), "DELETE linked :owners", dynamo.V{":owners": dynamo.Set(h.Linked)})}
	for _, owner := range h.Linked {
		other := ID(h.Market, h.Type, h.Assistant, owner)
		ws = append(ws, s.Table.Update(headKey(other), "DELETE linked :owners", dynamo.V{":owners": dynamo.Set{h.Owner}}))
	}
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("unlink thread %s: %w", h.ID, err)
	}
	return nil
}
