package report

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// How long a link may be good for.
const (
	minTTL     = time.Hour
	maxTTL     = 168 * time.Hour
	defaultTTL = 24 * time.Hour

	remembered = 90 * 24 * time.Hour // how long an expired link is known to have been one
	tokenSize  = 16                  // bytes
)

// Why a link that was once valid no longer works.
var (
	ErrExpired = fault.New(fault.Gone, "the link has expired")
	ErrRevoked = fault.New(fault.Gone, "the link has been withdrawn")
)

// Link lets anybody who has its address read a report for some time.
type Link struct {
	ID        string    `dynamodbav:"id" json:"id"` // SHA-256 of the token, in hex
	Report    string    `dynamodbav:"report" json:"reportId"`
	Owner     string    `dynamodbav:"owner" json:"-"` // of the report
	CreatedAt time.Time `dynamodbav:"createdAt" json:"createdAt"`
	ExpiresAt time.Time `dynamodbav:"expiresAt" json:"expiresAt"`
	RevokedAt time.Time `dynamodbav:"revokedAt" json:"revokedAt,omitzero"`
	Opened    int       `dynamodbav:"opened" json:"opened"` // how often
	TTL       int64     `dynamodbav:"ttl" json:"-"`
}

// good returns the reason why a link no longer opens anything.
func (l Link) good(now time.Time) error {
	switch {
	case !l.RevokedAt.IsZero():
		return ErrRevoked
	case !now.Before(l.ExpiresAt):
		return ErrExpired
	}
	return nil
}

// Shared is a new link with its address, which nobody can be told again but the caller with
// the same key.
type Shared struct {
	Link
	URL string
}

// Share makes a link to a report of the caller's own.
func (s *Store) Share(ctx context.Context, by By, id string, ttl time.Duration) (Shared, error) {
	if ttl < minTTL || ttl > maxTTL {
		return Shared{}, fault.Field("ttlHours", "want %d to %d", minTTL/time.Hour, maxTTL/time.Hour)
	}
	token, err := s.token(ctx, id, by.Key)
	if err != nil {
		return Shared{}, err
	}
	var l Link
	d, err := s.once(ctx, by, id, change{
		typ: LinkMadeEvent, asked: ttl, detail: idOf(token), quiet: true,
		rule: func(r *stored, _ time.Time) error {
			if r.Links >= MaxLinks {
				return fault.New(fault.Conflict, "%d links to this report have been made, which is the most", MaxLinks)
			}
			r.Links++
			return nil
		},
		fields: func(r stored) fields { return fields{"links": r.Links} },
		also: func(_ context.Context, r stored, now time.Time) ([]dynamo.Write, error) {
			expires := now.Add(ttl)
			l = Link{ID: idOf(token), Report: id, Owner: r.Owner, CreatedAt: now, ExpiresAt: expires, TTL: expires.Add(remembered).Unix()}
			return []dynamo.Write{s.Table.Put(linkKey(id, l.ID), l)}, nil
		},
	})
	switch {
	case err != nil:
		return Shared{}, err
	case d.report == nil: // deleted since
		return Shared{}, actor.ErrNotFound
	case d.before != nil:
		if l, err = s.link(ctx, id, token); err != nil {
			return Shared{}, err
		}
	}
	return Shared{l, strings.TrimRight(s.PublicURL, "/") + "/r/" + id + "/" + base64.RawURLEncoding.EncodeToString(token)}, nil
}

// token derives a link's token from a key. Nobody can compute it without the secret.
func (s *Store) token(ctx context.Context, id, key string) ([]byte, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	secret, err := s.linkSecret(ctx)
	if err != nil {
		return nil, fmt.Errorf("report: secret of links: %w", err)
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(id + "\x00" + key)) // never fails; an id has no zero byte
	return mac.Sum(nil)[:tokenSize], nil
}

// linkSecret returns the secret of links. The first caller that needs it creates it.
func (s *Store) linkSecret(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.secret != nil {
		return s.secret, nil
	}
	key := dynamo.Key{PK: "secret#links", SK: "key"}
	type kept struct {
		Secret []byte `dynamodbav:"secret"`
	}
	it, err := s.Secrets.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	if it == nil {
		fresh := make([]byte, 32)
		if _, err := io.ReadFull(s.Random, fresh); err != nil {
			return nil, err
		}
		err := s.Secrets.DB().Commit(ctx, s.Secrets.Put(key, kept{fresh}).IfAbsent().Else(errMoved))
		if err != nil && !errors.Is(err, errMoved) {
			return nil, err
		}
		if it, err = s.Secrets.Get(ctx, key); err != nil { // one's own, or that of who was faster
			return nil, err
		}
	}
	var k kept
	if err := it.Decode(&k); err != nil {
		return nil, err
	}
	if len(k.Secret) < 32 {
		return nil, errors.New("it is too short")
	}
	s.secret = k.Secret
	return s.secret, nil
}

// idOf is the name under which a link is stored.
func idOf(token []byte) string {
	sum := sha256.Sum256(token)
	return hex.EncodeToString(sum[:])
}

// link finds a link by its token. One that expired long ago is [actor.ErrNotFound].
func (s *Store) link(ctx context.Context, id string, token []byte) (Link, error) {
	it, err := s.Table.Get(ctx, linkKey(id, idOf(token)))
	if err != nil {
		return Link{}, fmt.Errorf("report: link: %w", err)
	}
	var l Link
	if it == nil || it.Expired(s.now()) {
		return Link{}, actor.ErrNotFound
	}
	if err := it.Decode(&l); err != nil {
		return Link{}, err
	}
	if subtle.ConstantTimeCompare([]byte(l.ID), []byte(idOf(token))) != 1 {
		return Link{}, actor.ErrNotFound
	}
	return l, nil
}

// Open returns the report that a link leads to, and when the link expires, and counts
// the opening. An invalid token, or one of a deleted report, is
// [actor.ErrNotFound]; [ErrExpired] and [ErrRevoked] mean gone. 3 requests, none for a string that
// cannot be a token.
func (s *Store) Open(ctx context.Context, id, token string) (Report, time.Time, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != tokenSize || !isID(id) {
		return Report{}, time.Time{}, actor.ErrNotFound
	}
	l, err := s.link(ctx, id, raw)
	if err != nil {
		return Report{}, time.Time{}, err
	}
	r, _, err := s.read(ctx, "", []string{l.Owner}, id, "")
	switch {
	case err != nil:
		return Report{}, time.Time{}, err
	case r == nil:
		return Report{}, time.Time{}, actor.ErrNotFound
	}
	if err := l.good(s.now()); err != nil {
		return Report{}, time.Time{}, err
	}
	if err := s.count(ctx, l, r.Report); err != nil {
		return Report{}, time.Time{}, fmt.Errorf("report: open %s: %w", id, err)
	}
	return r.Report, l.ExpiresAt, nil
}

// count counts an opening in a transaction, which an answer that is lost does not count
// twice. The first one leaves an event.
func (s *Store) count(ctx context.Context, l Link, r Report) error {
	opened := s.Table.Update(linkKey(l.Report, l.ID), "ADD #opened :one", dynamo.V{":one": 1}).
		If("attribute_exists(pk) AND attribute_not_exists(#revokedAt)", nil).ElseOld(func(old dynamo.Item) error {
		if old == nil { // DynamoDB has deleted it
			return actor.ErrNotFound
		}
		return ErrRevoked
	})
	there := s.Table.Check(reportKey(r.Owner, r.ID), "attribute_exists(pk)", nil).Else(actor.ErrNotFound)
	if l.Opened == 0 {
		e := happened(By{}, LinkOpenedEvent, r, s.now(), traceOf(ctx))
		e.ID, e.Detail, e.Actor = "opened#"+l.ID, l.ID, ""
		err := s.Table.DB().Commit(ctx, opened, there, s.put(e))
		if !errors.Is(err, errMoved) { // else somebody else was the first
			return err
		}
	}
	return s.Table.DB().Commit(ctx, opened, there)
}

// Links lists the links to a report, newest first, to its owner and to staff. 2 requests,
// for staff 3.
func (s *Store) Links(ctx context.Context, by By, id string) ([]Link, error) {
	if _, err := s.Get(ctx, by, id); err != nil {
		return nil, err
	}
	return s.links(ctx, id)
}

func (s *Store) links(ctx context.Context, id string) ([]Link, error) {
	links := []Link{}
	err := s.Table.Each(ctx, dynamo.Under("report#"+id, "link#"), func(it dynamo.Item) error {
		var l Link
		err := it.Decode(&l)
		if !it.Expired(s.now()) {
			links = append(links, l)
		}
		return err
	})
	slices.SortFunc(links, func(a, b Link) int { return b.CreatedAt.Compare(a.CreatedAt) })
	return links, err
}

// Revoke withdraws one link to a report, or all of them when linkID is "": the owner of its
// own, staff of anybody's. A link made at the same time is withdrawn or makes it look again.
func (s *Store) Revoke(ctx context.Context, by By, id, linkID string) error {
	_, err := s.once(ctx, by, id, change{
		typ: LinkRevokedEvent, asked: linkID, detail: linkID, quiet: true, staff: true,
		also: func(ctx context.Context, r stored, now time.Time) ([]dynamo.Write, error) {
			links, err := s.links(ctx, id)
			if err != nil {
				return nil, err
			}
			if linkID != "" && !slices.ContainsFunc(links, func(l Link) bool { return l.ID == linkID }) {
				return nil, actor.ErrNotFound
			}
			var ws []dynamo.Write
			for _, l := range links {
				if l.RevokedAt.IsZero() && (linkID == "" || l.ID == linkID) {
					w := s.Table.Update(linkKey(id, l.ID), "SET #revokedAt = :now", dynamo.V{":now": now})
					ws = append(ws, w.If("attribute_exists(pk)", nil).Else(errMoved)) // DynamoDB may have deleted it
				}
			}
			return ws, nil
		},
	})
	return err
}
