// Package bound limits what strangers may hold, book, order and send. It limits each customer, and each network
// address that customers write from without signing in.
//
// A bound is a number of tokens, and each token has an end, as a lock has. The transaction that holds or places
// something also takes one token of its owner, and one of their address if it is known. The thing keeps the names of
// its tokens and frees them when it ends early. A token past its end is free whether or not its item still exists, so
// nothing has to be swept.
//
//	bound#{owner}          {matter}#{NNN}   a token: what has it, and until when (table ledger)
//	bound#{address}        {matter}#{NNN}   the same, of a hashed address
//
// Promises: an owner never has more tokens than the bound, plus those that give way to the newest. What a chat holds
// without a YES gives way to what the same chat holds next, and a booking gives way to the one that replaces it, so
// neither is counted. A token's number is below the bound, so that two who come at once cannot both pass.
//
// Requests: 1 to take, and 1 more if there is an address. Keeping or freeing joins another transaction and needs no
// request of its own.
package bound

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/dynamo"
)

// Matter is what is bounded.
type Matter string

const (
	Booking Matter = "booking" // held or standing at one time
	Order   Matter = "order"   // a day
	Ride    Matter = "ride"    // a day
	Message Matter = "message" // to businesses, a day
)

// Day is how long a matter counts that is bounded by the day.
const Day = 24 * time.Hour

// Limits are the bounds of a market.
type Limits struct {
	Most  map[Matter]int // of one owner
	Times int            // an address has so many times as much
}

// Book keeps the bounds. Nil bounds nothing. Safe for concurrent use.
type Book struct {
	Table  dynamo.Table // ledger
	Now    func() time.Time
	Limits func(ctx context.Context, market string) (Limits, error)

	// Rand returns a number below n; it spreads those of one address over its tokens. Nil is math/rand.
	Rand func(n int) int
}

// Claim says what takes tokens, and whose.
type Claim struct {
	Matter   Matter
	Market   string
	Owner    string    // actor key
	Address  string    // of [Address]; "" if unknown
	ID       string    // what takes them
	Until    time.Time // their end
	Chat     string    // the thread that holds it, while nobody has said YES; "" is settled
	Replaces string    // ID of the thing that it replaces
	Single   string    // an owner has one at a time by this name; "" is any number
}

// Taken are the tokens of a claim.
type Taken struct {
	Tokens []string // their names, which whatever has them keeps
	Writes []dynamo.Write
}

// ErrLost is how a write of [Book.Take] fails when somebody else was faster: take again.
var ErrLost = errors.New("a token of a bound was lost to another")

// Refusal says which bound is reached.
type Refusal struct {
	Matter  Matter
	Most    int
	Address bool // it is the address's
	Single  bool // the owner has the same already
}

func (r *Refusal) Error() string { return r.Unwrap().Error() }

// Unwrap words the refusal for the model that has to explain it.
func (r *Refusal) Unwrap() error {
	what := map[Matter]string{
		Booking: "bookings and held times at one time", Order: "orders and requests in 24 hours", Ride: "taxi rides in 24 hours", Message: "messages to businesses in 24 hours",
	}[r.Matter]
	switch {
	case r.Single:
		return fault.New(fault.Conflict, "the customer has a booking or a held time there at just that time already: it can be changed, not taken twice")
	case r.Address:
		return fault.New(fault.Limited, "no more than %d %s are taken from one internet connection without signing in: "+
			"nothing was held or sent; the customer can sign in, write by WhatsApp or try again later", r.Most, what)
	}
	return fault.New(fault.Limited, "no more than %d %s are taken from one customer: nothing was held or sent; one has to be cancelled or be over first", r.Most, what)
}

// token is a token as stored.
type token struct {
	ID     string    `dynamodbav:"id"`
	Chat   string    `dynamodbav:"chat,omitempty"`
	Single string    `dynamodbav:"single,omitempty"`
	Until  time.Time `dynamodbav:"until"`
	TTL    int64     `dynamodbav:"ttl"`

	number int
}

// keptFor is how long the item of a token stays that is free.
const keptFor = 24 * time.Hour

// spare is how many tokens exist beyond the bound, for things that replace others. It is as many as one turn may hold
// before it lets go of all but the last.
const spare = 16

// The keys. They are part of the data model.

const prefix = "bound#"

func tokenKey(who string, m Matter, number int) dynamo.Key {
	return dynamo.Key{PK: prefix + who, SK: fmt.Sprintf("%s#%03d", m, number)}
}

func nameOf(k dynamo.Key) string { return k.PK + "#" + k.SK }

// keyOf reads what nameOf writes.
func keyOf(name string) (dynamo.Key, error) {
	rest, number, ok := cutLast(name)
	pk, matter, also := cutLast(rest)
	if !ok || !also || !strings.HasPrefix(pk, prefix) {
		return dynamo.Key{}, fault.New(fault.Internal, "no name of a token: %q", name)
	}
	return dynamo.Key{PK: pk, SK: matter + "#" + number}, nil
}

func cutLast(s string) (before, after string, ok bool) {
	i := strings.LastIndexByte(s, '#')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// Take finds the tokens for a claim and prepares to take them. The writes belong in the transaction that
// makes what takes them; they fail with [ErrLost]. A [Refusal] says that there are none.
func (b *Book) Take(ctx context.Context, c Claim) (Taken, error) {
	if b == nil {
		return Taken{}, nil
	}
	limits, err := b.Limits(ctx, c.Market)
	if err != nil {
		return Taken{}, fmt.Errorf("bound of %ss: %w", c.Matter, err)
	}
	var all Taken
	most := limits.Most[c.Matter]
	if err := b.take(ctx, c, c.Owner, most, &all); err != nil {
		return Taken{}, err
	}
	if c.Address != "" {
		c.Single = ""
		if err := b.take(ctx, c, c.Address, most*limits.Times, &all); err != nil {
			return Taken{}, err
		}
	}
	return all, nil
}

// take adds a token of one owner or address.
func (b *Book) take(ctx context.Context, c Claim, who string, most int, all *Taken) error {
	tokens, err := b.tokens(ctx, who, c.Matter)
	if err != nil {
		return fmt.Errorf("bound of %ss: %w", c.Matter, err)
	}
	now := b.Now()
	choice, refused := choose(tokens, c, most, now)
	if refused != nil {
		refused.Address = who == c.Address
		return refused
	}
	number := choice[0] // of one owner's two claims at once one must lose, and see the other
	if who == c.Address {
		number = choice[b.random(len(choice))]
	}
	key := tokenKey(who, c.Matter, number)
	t := token{ID: c.ID, Chat: c.Chat, Single: c.Single, Until: c.Until, TTL: c.Until.Add(keptFor).Unix()}
	all.Tokens = append(all.Tokens, nameOf(key))
	all.Writes = append(all.Writes, b.Table.Put(key, t).
		If("attribute_not_exists(pk) OR #until <= :now OR id = :id", dynamo.V{":now": now, ":id": c.ID}).Else(ErrLost))
	return nil
}

func (b *Book) random(n int) int {
	if b.Rand != nil {
		return b.Rand(n)
	}
	return rand.IntN(n)
}

func (b *Book) tokens(ctx context.Context, who string, m Matter) ([]token, error) {
	var all []token
	err := b.Table.Each(ctx, dynamo.Under(prefix+who, string(m)+"#"), func(it dynamo.Item) error {
		var t token
		if err := it.Decode(&t); err != nil {
			return err
		}
		_, number, _ := cutLast(it.Key().SK)
		var err error
		t.number, err = strconv.Atoi(number)
		all = append(all, t)
		return err
	})
	return all, err
}

// choose lists the numbers that a claim may take, the lowest first: the one that it has, or the free ones.
func choose(tokens []token, c Claim, most int, now time.Time) ([]int, *Refusal) {
	taken, counted, top := map[int]bool{}, 0, most
	for _, t := range tokens {
		switch {
		case !t.Until.After(now):
			continue
		case t.ID == c.ID:
			return []int{t.number}, nil
		case t.ID == c.Replaces, t.Chat != "" && t.Chat == c.Chat:
			top = most + spare
		case c.Single != "" && t.Single == c.Single:
			return nil, &Refusal{Matter: c.Matter, Single: true}
		default:
			counted++
		}
		taken[t.number] = true
	}
	var free []int
	for n := range top {
		if !taken[n] {
			free = append(free, n)
		}
	}
	if counted >= most || len(free) == 0 {
		return nil, &Refusal{Matter: c.Matter, Most: most}
	}
	return free, nil
}

// Keep prepares to keep the tokens of something that was said YES to until another time. The writes fail with gone if
// somebody else has one of the tokens by now.
func (b *Book) Keep(tokens []string, id string, until time.Time, gone error) ([]dynamo.Write, error) {
	return b.each(tokens, func(k dynamo.Key) dynamo.Write {
		return b.Table.Update(k, "SET #until = :until, #ttl = :ttl REMOVE chat", dynamo.V{":until": until, ":ttl": until.Add(keptFor).Unix()}).
			If("id = :id", dynamo.V{":id": id}).Else(gone)
	})
}

// Free prepares to let tokens go before their end; after it there is nothing to do. The writes fail with
// changed when somebody else has one by now.
func (b *Book) Free(tokens []string, id string, until time.Time, changed error) ([]dynamo.Write, error) {
	if b == nil || !until.After(b.Now()) {
		return nil, nil
	}
	return b.each(tokens, func(k dynamo.Key) dynamo.Write {
		return b.Table.Delete(k).If("attribute_not_exists(pk) OR id = :id", dynamo.V{":id": id}).Else(changed)
	})
}

func (b *Book) each(tokens []string, write func(dynamo.Key) dynamo.Write) ([]dynamo.Write, error) {
	if b == nil {
		return nil, nil
	}
	var ws []dynamo.Write
	for _, name := range tokens {
		k, err := keyOf(name)
		if err != nil {
			return nil, err
		}
		ws = append(ws, write(k))
	}
	return ws, nil
}

// Network is the part of an IP address that one customer has. For IPv6 it is the /64, because customers choose the
// rest themselves. It is "" if ip is not an address.
func Network(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return ""
	}
	if addr = addr.Unmap().WithZone(""); addr.Is4() {
		return addr.String()
	}
	net, _ := addr.Prefix(64) // 64 bits are there
	return net.String()
}

// Address is the name under which bounds know the network of an IP address; "" if ip has none. It is a hash, so that
// no address is stored.
func Address(ip string) string {
	network := Network(ip)
	if network == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("address:" + network))
	return "address:" + hex.EncodeToString(sum[:16])
}
