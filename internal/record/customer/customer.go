// Package customer keeps the customers of a market that calls are about, and which of them a caller has proven
// to be.
//
// A caller claims a phone number, which proves nothing, and says a ZIP code. Together they must match one
// customer. The proof holds for that call session only: the caller has the key customer:{id} until the session ends.
//
// Promises:
//
//   - Nobody can find out whether a phone number is known: a look-up uses number and ZIP code at once, makes the same
//     requests whatever is stored, and gives the same answer for anything that does not match.
//   - Wrong attempts are counted across sessions, in the transaction that answers: of several attempts at once, none gets an
//     answer beyond the bound. Five in a day lock a conversation for a day, and a number for those at the same network
//     address (a signed-in caller counts as a place of their own); twenty in an hour lock an address for an hour. A stranger
//     locks nobody else out: after twenty in a day for a number, from anywhere, callers who claim it are handed to a person
//     for a day, except those whose channel proves the number. A right answer takes nothing back, and no answer counts
//     during a lock.
//   - A call repeated under its idempotency key gives the first answer and counts once.
//
// Table catalog:
//
//	customer#{id}       customer                        a customer; an id is one customer's in all markets
//	customers#{market}  {id}                            that a market has the customer
//	caller#{market}     {hash of phone and ZIP}#{id}    by what they are known by; one for each phone
//
// Table conversations:
//
//	{thread}            account#{hash of call session}  what the session has proven and how often it failed; gone with the thread
//	failed#{market}     phone#{hash}                    how often a number was wrong lately, and until when that counts
//	failed#{market}     address#{…}                     the same of a network address
//	failed#{market}     pair#{hash}                     of a number from one place
//	failed#{market}     thread#{hash}                   of a conversation
//
// Requests: [Verifier.Verify] 3; [Verifier.Access] 1; [Verifier.Caller] 2.
package customer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
	"merve/internal/words/language"
)

// Customer is somebody with an account.
type Customer struct {
	Market   string   `dynamodbav:"market" json:"-"`
	ID       string   `dynamodbav:"id" json:"id"`
	Name     string   `dynamodbav:"name" json:"name"`
	Phones   []string `dynamodbav:"phones" json:"phones"` // E.164
	ZIP      string   `dynamodbav:"zip" json:"zip"`       // five digits
	Address  string   `dynamodbav:"address" json:"address"`
	Language string   `dynamodbav:"lang,omitempty" json:"language,omitempty"`
	Version  int      `dynamodbav:"version" json:"version"` // counts changes
}

// Actor returns the actor that owns the customer's data.
func (c Customer) Actor() actor.Actor {
	return actor.Actor{Kind: actor.Caller, ID: c.ID, Name: c.Name}
}

// The longest texts, in characters.
const (
	maxName    = 80
	maxAddress = 200
	maxPhones  = 5
)

// Check returns an error that names the first field that is wrong.
func (c Customer) Check() error {
	zip, err := ParseZIP(c.ZIP)
	switch {
	case !ident.Legal.MatchString(c.ID):
		return fault.Field("id", ident.WantLegal)
	case strings.TrimSpace(c.Name) == "" || utf8.RuneCountInString(c.Name) > maxName:
		return fault.Field("name", "want 1 to %d characters", maxName)
	case err != nil || zip != c.ZIP:
		return fault.Field("zip", "want five digits")
	case strings.TrimSpace(c.Address) == "" || utf8.RuneCountInString(c.Address) > maxAddress:
		return fault.Field("address", "want 1 to %d characters", maxAddress)
	case len(c.Phones) == 0 || len(c.Phones) > maxPhones:
		return fault.Field("phones", "want 1 to %d", maxPhones)
	case slices.ContainsFunc(c.Phones, func(p string) bool { return phoneOf(p) == "" }):
		return fault.Field("phones", "want numbers with their country code, such as +14155550100")
	case c.Language != "" && !slices.Contains(language.Supported(), c.Language):
		return fault.Field("language", "want one of %v", language.Supported())
	}
	return nil
}

// Store keeps customers. Safe for concurrent use.
type Store struct{ Table dynamo.Table } // catalog

// ErrChanged says that a customer was changed by somebody else meanwhile.
var ErrChanged = fault.New(fault.Conflict, "the customer has changed meanwhile")

// errTaken keeps ids apart, because an id owns the same things in every market.
var errTaken = fault.New(fault.Conflict, "the id is that of a customer elsewhere")

// The keys. They are part of the data model.

func customerKey(id string) dynamo.Key { return dynamo.Key{PK: "customer#" + id, SK: "customer"} }

func callersKey(market string) string { return "caller#" + market }

func callerKey(market, phone, zip, id string) dynamo.Key {
	return dynamo.Key{PK: callersKey(market), SK: knownBy(phone, zip) + "#" + id}
}

// knownBy names a phone number and a ZIP code together, so that neither is looked up alone.
func knownBy(phone, zip string) string { return ident.New("", "caller", phone, zip) }

func listedKey(market, id string) dynamo.Key { return dynamo.Key{PK: "customers#" + market, SK: id} }

// Put makes a customer, or changes one: that of c's version, if it has one. 2 requests.
func (s *Store) Put(ctx context.Context, c Customer) (Customer, error) {
	if err := c.Check(); err != nil {
		return Customer{}, err
	}
	before, err := s.read(ctx, c.ID)
	switch {
	case err != nil && !fault.Is(err, fault.NotFound):
		return Customer{}, err
	case err == nil && before.Market != c.Market:
		return Customer{}, errTaken
	}
	if c.Version, err = dynamo.NextVersion(c.Version, before.Version, ErrChanged); err != nil {
		return Customer{}, err
	}
	ws := []dynamo.Write{s.Table.Put(customerKey(c.ID), c).AtVersion(before.Version).Else(ErrChanged), s.Table.Put(listedKey(c.Market, c.ID), caller{c.ID})}
	known := c.known()
	for _, k := range before.known() {
		if !slices.Contains(known, k) {
			ws = append(ws, s.Table.Delete(k))
		}
	}
	for _, k := range known {
		ws = append(ws, s.Table.Put(k, caller{c.ID}))
	}
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return Customer{}, fmt.Errorf("put customer %s: %w", c.ID, err)
	}
	return c, nil
}

// Delete deletes a customer from a market, with the phone numbers they are known by: no call can prove to be theirs any
// more. Their appointments stay. Repeating it finds nothing. 2 requests.
func (s *Store) Delete(ctx context.Context, market, id string) error {
	c, err := s.Get(ctx, market, id)
	switch {
	case errors.Is(err, actor.ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	ws := []dynamo.Write{
		s.Table.Delete(customerKey(id)).AtVersionOrGone(c.Version).Else(ErrChanged),
		s.Table.Delete(listedKey(market, id)),
	}
	for _, k := range c.known() {
		ws = append(ws, s.Table.Delete(k))
	}
	if err := s.Table.DB().Commit(ctx, ws...); err != nil {
		return fmt.Errorf("delete customer %s: %w", id, err)
	}
	return nil
}

// Import stores customers after checking all of them. Each replaces the customer with its id. Repeating an import that
// ended halfway completes it. 2 requests for each.
func (s *Store) Import(ctx context.Context, all []Customer) error {
	for i, c := range all {
		if err := c.Check(); err != nil {
			return fmt.Errorf("customers[%d]: %w", i, err)
		}
	}
	for _, c := range all {
		c.Version = 0
		if _, err := s.Put(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Page returns customers of a market by id, and where the next page begins. 2 requests.
func (s *Store) Page(ctx context.Context, market, after string, limit int) ([]Customer, string, error) {
	q := dynamo.Under(listedKey(market, "").PK, "")
	q.Limit, q.After = limit, after
	page, err := s.Table.Query(ctx, q)
	if err != nil {
		return nil, "", fmt.Errorf("customers of %s: %w", market, err)
	}
	keys := make([]dynamo.Key, len(page.Items))
	for i, it := range page.Items {
		keys[i] = customerKey(it.String("id"))
	}
	items, err := s.Table.BatchGet(ctx, keys...)
	if err != nil {
		return nil, "", fmt.Errorf("customers of %s: %w", market, err)
	}
	all, err := dynamo.Decode[Customer](items)
	return all, page.Next, err
}

// caller is an item that points to a customer: from a phone and ZIP code, or from the list of a market.
type caller struct {
	ID string `dynamodbav:"id"`
}

// known returns the keys that find a customer.
func (c Customer) known() []dynamo.Key {
	var keys []dynamo.Key
	for _, phone := range c.Phones {
		if k := callerKey(c.Market, phoneOf(phone), c.ZIP, c.ID); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// Get returns a customer of a market. 1 request.
func (s *Store) Get(ctx context.Context, market, id string) (Customer, error) {
	c, err := s.read(ctx, id)
	if err == nil && c.Market != market {
		return Customer{}, actor.ErrNotFound
	}
	return c, err
}

func (s *Store) read(ctx context.Context, id string) (c Customer, err error) {
	it, err := s.Table.Get(ctx, customerKey(id))
	switch {
	case err != nil:
		return Customer{}, fmt.Errorf("customer %s: %w", id, err)
	case it == nil:
		return Customer{}, actor.ErrNotFound
	}
	return c, it.Decode(&c)
}

// find returns the id of the only customer with a phone number and a ZIP code. It returns "" if nobody has both, or
// several do. 1 request.
func (s *Store) find(ctx context.Context, market, phone, zip string) (string, error) {
	page, err := s.Table.Query(ctx, dynamo.Under(callersKey(market), knownBy(phone, zip)+"#"))
	if err != nil {
		return "", fmt.Errorf("find customer: %w", err)
	}
	if len(page.Items) != 1 {
		return "", nil
	}
	return page.Items[0].String("id"), nil
}

// phoneOf returns a number in one form, however it is written: its digits with the country code. "" is no number. A number
// of ten digits has no country code; it gets that of the ZIP codes, +1.
func phoneOf(s string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, language.Digits(s))
	if digits = strings.TrimPrefix(digits, "00"); len(digits) == 10 && !strings.HasPrefix(strings.TrimSpace(s), "+") {
		digits = "1" + digits
	}
	if len(digits) < 8 || len(digits) > 15 {
		return ""
	}
	return digits
}
