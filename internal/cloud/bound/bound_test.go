package bound_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"merve/internal/base/fault"
	"merve/internal/cloud/bound"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
)

// shelf is a book whose clock stands until a test moves it. Three bookings are the most of an owner.
type shelf struct {
	*bound.Book
	now time.Time
}

var noon = time.Date(2030, 6, 3, 12, 0, 0, 0, time.UTC)

func newShelf(t *testing.T) *shelf {
	s := &shelf{now: noon}
	s.Book = &bound.Book{
		Table: dynamotest.Open(t).Table(dynamotest.TableName("ledger")), Now: func() time.Time { return s.now },
		Limits: func(context.Context, string) (bound.Limits, error) {
			return bound.Limits{Most: map[bound.Matter]int{bound.Booking: 3, bound.Ride: 1}, Times: 20}, nil
		},
	}
	return s
}

func (s *shelf) take(ctx context.Context, c bound.Claim) (bound.Taken, error) {
	got, err := s.Take(ctx, c)
	if err != nil {
		return got, err
	}
	return got, s.Table.DB().Commit(ctx, got.Writes...)
}

// claim is one of an owner's bookings, said YES to, for an hour.
func claim(owner, id string) bound.Claim {
	return bound.Claim{Matter: bound.Booking, Market: "demo", Owner: owner, ID: id, Until: noon.Add(time.Hour)}
}

// refused reports whether err is the refusal of a bound.
func refused(err error) *bound.Refusal {
	r, _ := errors.AsType[*bound.Refusal](err)
	return r
}

func TestAnOwnerHasSoMany(t *testing.T) {
	t.Parallel()
	s, who := newShelf(t), dynamotest.ID("user:")
	var tokens [][]string
	for n := range 5 {
		got, err := s.take(t.Context(), claim(who, fmt.Sprint("tx", n)))
		if r := refused(err); (r != nil) != (n >= 3) || n < 3 && err != nil || n >= 3 && r.Most != 3 {
			t.Fatalf("%d: %v", n, err)
		}
		tokens = append(tokens, got.Tokens)
	}
	if _, err := s.take(t.Context(), claim(who, "tx1")); err != nil {
		t.Errorf("what has a token already: %v", err)
	}
	if _, err := s.take(t.Context(), claim(who+"2", "tx1")); err != nil {
		t.Errorf("somebody else: %v", err)
	}
	ride := claim(who, "ride")
	ride.Matter = bound.Ride
	if _, err := s.take(t.Context(), ride); err != nil {
		t.Errorf("another matter: %v", err)
	}
	ws, err := s.Free(tokens[1], "tx1", noon.Add(time.Hour), fault.New(fault.Conflict, "changed"))
	if err == nil {
		err = s.Table.DB().Commit(t.Context(), ws...)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.take(t.Context(), claim(who, "tx5")); err != nil {
		t.Errorf("after one was let go: %v", err)
	}
	s.now = noon.Add(time.Hour)
	late := claim(who, "tx6")
	late.Until = s.now.Add(time.Minute)
	if _, err := s.take(t.Context(), late); err != nil {
		t.Errorf("when all are over: %v", err)
	}
}

// Kept tokens end when what has them does, and nobody lets them go in another's name.
func TestKeep(t *testing.T) {
	t.Parallel()
	s, who := newShelf(t), dynamotest.ID("user:")
	gone := fault.New(fault.Gone, "gone")
	held := claim(who, "tx0")
	held.Chat = "th_1"
	got, err := s.take(t.Context(), held)
	if err != nil {
		t.Fatal(err)
	}
	commit := func(ws []dynamo.Write, err error) error {
		if err != nil {
			return err
		}
		return s.Table.DB().Commit(t.Context(), ws...)
	}
	if err := commit(s.Keep(got.Tokens, "tx0", noon.Add(48*time.Hour), gone)); err != nil {
		t.Fatal(err)
	}
	if err := commit(s.Keep(got.Tokens, "tx1", noon.Add(48*time.Hour), gone)); !errors.Is(err, gone) {
		t.Errorf("kept by another: %v", err)
	}
	if err := commit(s.Free(got.Tokens, "tx1", noon.Add(time.Hour), gone)); !errors.Is(err, gone) {
		t.Errorf("let go by another: %v", err)
	}
	s.now = noon.Add(24 * time.Hour)
	for n := range 3 {
		c := claim(who, fmt.Sprint("later", n))
		c.Until, c.Chat = noon.Add(48*time.Hour), "th_1"
		c.Chat += fmt.Sprint(n)
		if _, err := s.take(t.Context(), c); (refused(err) != nil) != (n == 2) || n < 2 && err != nil {
			t.Errorf("%d beside the one that was kept: %v", n, err)
		}
	}
	if ws, err := s.Free(got.Tokens, "tx0", noon, gone); len(ws) > 0 || err != nil {
		t.Errorf("after its end: %v, %v", ws, err)
	}
}

// What a chat asks for next takes the place of what it asked for before, and a booking that of the one which
// it replaces: neither counts. They are bounded all the same.
func TestWhatIsReplacedIsNotCounted(t *testing.T) {
	t.Parallel()
	s, who := newShelf(t), dynamotest.ID("user:")
	for n := range 3 {
		if _, err := s.take(t.Context(), claim(who, fmt.Sprint("tx", n))); err != nil {
			t.Fatal(err)
		}
	}
	move := claim(who, "moved")
	move.Replaces = "tx1"
	if _, err := s.take(t.Context(), move); err != nil {
		t.Errorf("to replace one of three: %v", err)
	}
	other, n := dynamotest.ID("user:"), 0
	for ; n < 100; n++ {
		c := claim(other, fmt.Sprint("tx", n))
		c.Chat = "th_1"
		if _, err := s.take(t.Context(), c); err != nil {
			if refused(err) == nil {
				t.Fatal(err)
			}
			break
		}
	}
	if n < 6 || n > 3+20 {
		t.Errorf("one chat holds %d at once", n)
	}
}

func TestOneOfAName(t *testing.T) {
	t.Parallel()
	s, who := newShelf(t), dynamotest.ID("user:")
	first := claim(who, "tx0")
	first.Single = "grill@7"
	if _, err := s.take(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		change  func(*bound.Claim)
		refused bool
	}{
		{"the same", func(*bound.Claim) {}, true},
		{"in its place", func(c *bound.Claim) { c.Replaces = "tx0" }, false},
		{"another time", func(c *bound.Claim) { c.Single = "grill@8" }, false},
	} {
		c := claim(who, "again")
		c.Single = first.Single
		tt.change(&c)
		_, err := s.Take(t.Context(), c)
		if r := refused(err); (r != nil && r.Single) != tt.refused || !tt.refused && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// However many customers one address has, and at once, no more than its bound get in, and all the others
// are told why.
func TestAnAddressHasTwentyTimesAsMuch(t *testing.T) {
	t.Parallel()
	s, from := newShelf(t), bound.Address("203.0.113.7")+dynamotest.ID("")
	var mu sync.Mutex
	in, out := 0, 0
	var all sync.WaitGroup
	who := make(chan string)
	for range 8 {
		all.Go(func() {
			for owner := range who {
				c := claim(owner, owner)
				c.Address = from
				var err error
				for range 200 {
					if _, err = s.take(t.Context(), c); !errors.Is(err, bound.ErrLost) {
						break
					}
				}
				mu.Lock()
				switch r := refused(err); {
				case err == nil:
					in++
				case r != nil && r.Address && r.Most == 60:
					out++
				default:
					t.Error(err)
				}
				mu.Unlock()
			}
		})
	}
	for range 90 {
		who <- dynamotest.ID("session:")
	}
	close(who)
	all.Wait()
	if in != 60 || out != 30 {
		t.Errorf("%d got in and %d were refused", in, out)
	}
}

// Of two claims of one owner at once, for the last token or the same thing, one is made.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	s, who := newShelf(t), dynamotest.ID("user:")
	a, b := claim(who, "a"), claim(who, "b")
	a.Single, b.Single = "grill@7", "grill@7"
	first, err := s.Take(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.Take(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Table.DB().Commit(t.Context(), first.Writes...); err != nil {
		t.Fatal(err)
	}
	if err := s.Table.DB().Commit(t.Context(), second.Writes...); !errors.Is(err, bound.ErrLost) {
		t.Fatalf("both were taken: %v", err)
	}
	if _, err := s.Take(t.Context(), b); refused(err) == nil {
		t.Errorf("the second, once more: %v", err)
	}
}

func TestNothingIsBoundedWithoutABook(t *testing.T) {
	t.Parallel()
	var none *bound.Book
	got, err := none.Take(t.Context(), claim("user:ann", "tx"))
	if len(got.Writes)+len(got.Tokens) > 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	if ws, err := none.Keep([]string{"x"}, "tx", noon, nil); len(ws) > 0 || err != nil {
		t.Errorf("%v, %v", ws, err)
	}
	if ws, err := none.Free([]string{"x"}, "tx", noon, nil); len(ws) > 0 || err != nil {
		t.Errorf("%v, %v", ws, err)
	}
}

// Who has a network of IPv6 has all its addresses.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for ip, want := range map[string]string{
		"203.0.113.7": "203.0.113.7", "::ffff:203.0.113.7": "203.0.113.7", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "": "", "nonsense": "",
	} {
		if got := bound.Network(ip); got != want {
			t.Errorf("%q: %q, want %q", ip, got, want)
		}
		if (bound.Address(ip) == "") != (want == "") {
			t.Errorf("%q: %q", ip, bound.Address(ip))
		}
	}
	if bound.Address("2001:db8::1") != bound.Address("2001:db8::2") || bound.Address("203.0.113.7") == bound.Address("203.0.113.8") {
		t.Error("networks are not told apart, or addresses of one are")
	}
}
