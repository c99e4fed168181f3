// Package roster knows which senders are not customers: the numbers that listings are dispatched to, the drivers, and
// the vendors.
//
//	contact#{market}#{number}   listing#{id}   the business, whose messages go to the number
//	contact#{market}#{number}   driver#{id}
//	contact#{market}#{number}   vendor#{id}
//
// (table catalog). The package that owns a listing, a driver or a vendor writes the entry in the transaction that
// changes it, with [Join] and [Leave].
//
// Cost: [Book.Of] 1 request for a number that was not asked for within a minute, [Book.Read] 1.
package roster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/cloud/dynamo"
	"merve/internal/tenant/channel"
)

// Role is what somebody is on the roster for.
type Role string

const (
	Business Role = "listing"
	Driver   Role = "driver"
	Vendor   Role = "vendor"
)

// Entry is one role of a number.
type Entry struct {
	Role Role
	ID   string // of the listing, the driver or the vendor
	Name string // the business of a listing
}

// Roles are all roles of a number.
type Roles []Entry

// Drives returns the driver whose number it is.
func (r Roles) Drives() (id string, ok bool) {
	for _, e := range r {
		if e.Role == Driver {
			return e.ID, true
		}
	}
	return "", false
}

// Sells reports whether the number is a vendor's.
func (r Roles) Sells() bool {
	return slices.ContainsFunc(r, func(e Entry) bool { return e.Role == Vendor })
}

// Businesses returns the businesses that the number speaks for, in order.
func (r Roles) Businesses() []string {
	var all []string
	for _, e := range r {
		if e.Role == Business {
			all = append(all, e.Name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// ThreadType is that of the thread on which the number writes for its work, and is written to: one for
// all that it does.
func (r Roles) ThreadType() channel.ThreadType {
	_, drives := r.Drives()
	switch {
	case len(r.Businesses()) > 0:
		return channel.Ops
	case drives || !r.Sells():
		return channel.Dispatch
	}
	return channel.Vendor
}

// Listings are those whose messages go to the number, in order.
func (r Roles) Listings() []string {
	var all []string
	for _, e := range r {
		if e.Role == Business {
			all = append(all, e.ID)
		}
	}
	return all
}

// Book finds roles. Safe for concurrent use.
type Book struct {
	Table dynamo.Table // catalog
	Now   func() time.Time

	mu    sync.Mutex
	known map[string]remembered
}

type remembered struct {
	roles Roles
	until time.Time
}

const (
	freshFor = time.Minute
	maxKnown = 4096 // numbers remembered
)

// Of returns the roles of a number (E.164), at most a minute old.
func (b *Book) Of(ctx context.Context, market, number string) (Roles, error) {
	key, now := market+"#"+number, b.Now()
	b.mu.Lock()
	r, ok := b.known[key]
	b.mu.Unlock()
	if ok && now.Before(r.until) {
		return r.roles, nil
	}
	roles, err := b.Read(ctx, market, number)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil || len(b.known) >= maxKnown {
		b.known = map[string]remembered{}
	}
	b.known[key] = remembered{roles, now.Add(freshFor)}
	return roles, nil
}

// Read returns the roles of a number as they are stored now.
func (b *Book) Read(ctx context.Context, market, number string) (Roles, error) {
	if number == "" {
		return nil, nil
	}
	var roles Roles
	err := b.Table.Each(ctx, dynamo.Under(partition(market, number), ""), func(it dynamo.Item) error {
		role, id, _ := strings.Cut(it.Key().SK, "#")
		roles = append(roles, Entry{Role(role), id, it.String("name")})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("roles of a number: %w", err)
	}
	return roles, nil
}

// Join is the write that puts a number on the roster.
func Join(t dynamo.Table, market, number string, e Entry) dynamo.Write {
	return t.Put(key(market, number, e), entry{e.Name})
}

// Leave is the write that takes it off again.
func Leave(t dynamo.Table, market, number string, e Entry) dynamo.Write {
	return t.Delete(key(market, number, e))
}

type entry struct {
	Name string `dynamodbav:"name,omitempty"`
}

func partition(market, number string) string { return "contact#" + market + "#" + number }

func key(market, number string, e Entry) dynamo.Key {
	return dynamo.Key{PK: partition(market, number), SK: string(e.Role) + "#" + e.ID}
}
