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
	// MaxLinked is how many other threads one may be linked with.
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

func codeKey(code string) dynamo.Key {
	sum := sha256.Sum256([]byte("link:" + code))
	return dynamo.Key{PK: "code#" + hex.EncodeToString(sum[:16]), SK: "code"}
}

// cleanCode reads a code as people write it.
func cleanCode(s string) string {
	s = strings.NewReplacer("O", "0", "I", "1", "L", "1", "-", "", " ", "").Replace(strings.ToUpper(s))
	if !ident.Link.Is(s) {
		return ""
	}
	return s
}

// Links makes the owners of two threads one person.
type Links struct{ *Store }

// Links returns the links between the store's threads.
func (s *Store) Links() Links { return Links{s} }

// Code makes a code that proves on another thread that its author owns this one. It is stored as a hash.
func (l Links) Code(ctx context.Context, id string) (code string, until time.Time, err error) {
	b := make([]byte, ident.Link.Length)
	rand.Read(b) // never fails since Go 1.24
	code, until = ident.Link.Of(b), l.Now().Add(CodeFor)
	c := linkCode{Thread: id, ExpiresAt: until, TTL: until.Add(time.Hour).Unix()}
	if err := l.Table.DB().Commit(ctx, l.Table.Put(codeKey(code), c).IfAbsent()); err != nil {
		return "", until, fmt.Errorf("link code of thread %s: %w", id, err)
	}
	return code[:4] + "-" + code[4:], until, nil
}

// LinkedBy returns the thread that a code would link with thread id, or why it links none: [ErrNoCode], [ErrOwnCode].
// While two threads are linked, the code that did it is as good as a fresh one. 2 requests.
func (l Links) LinkedBy(ctx context.Context, id, code string) (other string, err error) {
	_, b, _, err := l.readCode(ctx, id, code)
	return b.ID, err
}

// Link makes the owners of two threads one person for what they own: of this thread and of the one that the code was made
// on, which must be of the same market and assistant. This uses the code up. While the two are linked, calling it again on
// the same thread does nothing, however late.
func (l Links) Link(ctx context.Context, id, code string) error {
	a, b, used, err := l.readCode(ctx, id, code)
	if err != nil || used {
		return err
	}
	use := l.Table.Update(codeKey(cleanCode(code)), "SET usedBy = :id", dynamo.V{":id": id}).
		If("attribute_not_exists(usedBy)", nil).Else(ErrNoCode)
	if err := l.Table.DB().Commit(ctx, use, l.linked(a.ID, b.Owner), l.linked(b.ID, a.Owner)); err != nil {
		return fmt.Errorf("link threads %s and %s: %w", a.ID, b.ID, err)
	}
	return nil
}

// readCode finds the heads that a code links, and whether it has linked them already. After a crash the code may be used
// again on the same thread even if its time is over.
func (l Links) readCode(ctx context.Context, id, code string) (own, other Head, used bool, err error) {
	code = cleanCode(code)
	if code == "" {
		return own, other, false, ErrNoCode
	}
	it, err := l.Table.Get(ctx, codeKey(code))
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
	case it == nil, c.UsedBy != "" && c.UsedBy != id, c.UsedBy == "" && !c.ExpiresAt.After(l.Now()):
		return own, other, false, ErrNoCode
	case c.Thread == id:
		return own, other, false, ErrOwnCode
	}
	if own, other, err = l.heads(ctx, id, c.Thread); err != nil {
		return own, other, false, err
	}
	used = slices.Contains(own.Linked, other.Owner)
	switch {
	case own.Market != other.Market, own.Type != other.Type, own.Assistant != other.Assistant:
		err = ErrNoCode // another tenant must not learn of it
	case c.UsedBy != "" && !used:
		err = ErrNoCode // used, and undone since
	}
	return own, other, c.UsedBy != "", err
}

// heads reads two heads. One request.
func (l Links) heads(ctx context.Context, id, other string) (a, b Head, err error) {
	both, err := l.Heads(ctx, id, other)
	if err != nil {
		return a, b, err
	}
	if a, b = HeadOf(both, id), HeadOf(both, other); a.ID == "" || b.ID == "" {
		err = ErrNoThread
	}
	return a, b, err
}

func (l Links) linked(id, owner string) dynamo.Write {
	return l.Table.Update(headKey(id), "ADD linked :owners", dynamo.V{":owners": dynamo.Set{owner}}).
		If("attribute_not_exists(linked) OR size(linked) < :max OR contains(linked, :owner)",
			dynamo.V{":max": MaxLinked, ":owner": owner}).Else(ErrMaxLinks)
}

// Unlink undoes every link of a thread, on both sides.
func (l Links) Unlink(ctx context.Context, id string) error {
	h, err := l.Head(ctx, id)
	if err != nil {
		return err
	}
	return l.unlink(ctx, h)
}

func (l Links) unlink(ctx context.Context, h Head) error {
	if len(h.Linked) == 0 {
		return nil
	}
	ws := []dynamo.Write{l.Table.Update(headKey(h.ID), "DELETE linked :owners", dynamo.V{":owners": dynamo.Set(h.Linked)})}
	for _, owner := range h.Linked {
		other := ID(h.Market, h.Type, h.Assistant, owner)
		ws = append(ws, l.Table.Update(headKey(other), "DELETE linked :owners", dynamo.V{":owners": dynamo.Set{h.Owner}}))
	}
	if err := l.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("unlink thread %s: %w", h.ID, err)
	}
	return nil
}
