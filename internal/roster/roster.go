// Package roster knows who among those that write are no customers: the numbers that
// listings are dispatched to, the drivers, and the vendors.
//
//	contact#{market}#{number}   listing#{id}   the business, whose messages go to the number
//	contact#{market}#{number}   driver#{id}
//	contact#{market}#{number}   vendor#{id}
//	contact#{market}#{number}   ~              the ids of all entries of the number
//
// (table catalog). Whoever owns a listing, a driver or a vendor writes the entry in the transaction
// that changes it, with [Join] and [Leave]. These keep the ids in the last item up to date, too, so that
// [Book.ThreadTypes] reads many numbers at once. The item counts for nothing until [Complete] has taken in
// entries that are older than the item. It stays when the last entry goes.
//
// Cost: [Book.Of] 1 request for a number that was not asked for within a minute, [Book.Read] 1.
// [Book.ThreadTypes] 1 for each hundred numbers, and 1 for each that is not complete.
package roster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"merve/internal/channel"
	"merve/internal/dynamo"
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

// Businesses are those that the number speaks for, in order.
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
		if sk := it.Key().SK; sk != idsSK {
			role, id, _ := strings.Cut(sk, "#")
			roles = append(roles, Entry{Role(role), id, it.String("name")})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("roles of a number: %w", err)
	}
	return roles, nil
}

// ThreadTypes are those of the threads on which some numbers write for their work, in the order of the numbers.
func (b *Book) ThreadTypes(ctx context.Context, market string, numbers ...string) ([]channel.ThreadType, error) {
	places := make([]dynamo.Place, len(numbers))
	for i, n := range numbers {
		places[i] = dynamo.Place{Table: b.Table, Key: idsKey(market, n)}
	}
	items, err := b.Table.DB().BatchGet(ctx, places...)
	if err != nil {
		return nil, fmt.Errorf("roles of numbers: %w", err)
	}
	types := make([]channel.ThreadType, len(numbers))
	for i, it := range items {
		roles, complete, err := rolesIn(it)
		if err == nil && !complete {
			roles, err = b.Read(ctx, market, numbers[i])
		}
		if err != nil {
			return nil, err
		}
		types[i] = roles.ThreadType()
	}
	return types, nil
}

// Join are the writes that put a number on the roster.
func Join(t dynamo.Table, market, number string, e Entry) []dynamo.Write {
	return []dynamo.Write{t.Put(key(market, number, e), entry{e.Name}), changes(t, market, number, "ADD #role :id, #changes :one", e)}
}

// Leave are the writes that take it off again.
func Leave(t dynamo.Table, market, number string, e Entry) []dynamo.Write {
	return []dynamo.Write{t.Delete(key(market, number, e)), changes(t, market, number, "DELETE #role :id ADD #changes :one", e)}
}

type entry struct {
	Name string `dynamodbav:"name,omitempty"`
}

// ids are the entries of a number without their names.
type ids struct {
	Listings []string `dynamodbav:"listing,stringset,omitempty"`
	Drivers  []string `dynamodbav:"driver,stringset,omitempty"`
	Vendors  []string `dynamodbav:"vendor,stringset,omitempty"`
	Changes  int      `dynamodbav:"changes,omitempty"` // counts them
	Complete bool     `dynamodbav:"complete"`          // no older entry is missing
}

const idsSK = "~"

func idsKey(market, number string) dynamo.Key {
	return dynamo.Key{PK: partition(market, number), SK: idsSK}
}

// changes is the write by which an entry comes to the ids of a number or goes from them.
func changes(t dynamo.Table, market, number, update string, e Entry) dynamo.Write {
	return t.Update(idsKey(market, number), strings.ReplaceAll(update, "#role", "#"+string(e.Role)), dynamo.V{":id": dynamo.Set{e.ID}, ":one": 1})
}

// rolesIn are the roles that the ids of a number tell of, and whether these are all.
func rolesIn(it dynamo.Item) (r Roles, complete bool, err error) {
	var all ids
	if it == nil {
		return nil, false, nil
	}
	if err := it.Decode(&all); err != nil {
		return nil, false, err
	}
	for role, some := range map[Role][]string{Business: all.Listings, Driver: all.Drivers, Vendor: all.Vendors} {
		for _, id := range some {
			r = append(r, Entry{Role: role, ID: id})
		}
	}
	return r, all.Complete, nil
}

// Complete takes the entries of a number that are older than the item of its ids into that. Where others change the
// entries meanwhile, it leaves them incomplete. 1 request, 2 when there is something to take in.
func Complete(ctx context.Context, t dynamo.Table, market, number string) error {
	var all ids
	read := 0
	err := t.Each(ctx, dynamo.Under(partition(market, number), ""), func(it dynamo.Item) error {
		role, id, _ := strings.Cut(it.Key().SK, "#")
		switch Role(role) {
		case idsSK: // sorts last
			read = int(it.Int("changes"))
			_, complete, err := rolesIn(it)
			all.Complete = complete
			return err
		case Business:
			all.Listings = append(all.Listings, id)
		case Driver:
			all.Drivers = append(all.Drivers, id)
		case Vendor:
			all.Vendors = append(all.Vendors, id)
		}
		return nil
	})
	if err != nil || all.Complete {
		return err
	}
	all.Changes, all.Complete = read, true
	w := t.Put(idsKey(market, number), all).If("#changes = :read", dynamo.V{":read": read})
	if read == 0 {
		w = t.Put(idsKey(market, number), all).IfAbsent()
	}
	err = t.DB().Commit(ctx, w.Else(errMeanwhile))
	if err != nil && !errors.Is(err, errMeanwhile) {
		return fmt.Errorf("complete the roles of a number: %w", err)
	}
	return nil
}

var errMeanwhile = errors.New("the entries have changed meanwhile")

func partition(market, number string) string { return "contact#" + market + "#" + number }

func key(market, number string, e Entry) dynamo.Key {
	return dynamo.Key{PK: partition(market, number), SK: string(e.Role) + "#" + e.ID}
}
