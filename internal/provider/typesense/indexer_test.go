package typesense_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/fault"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/provider/typesense"
	"merve/internal/provider/typesense/typesensetest"
	"merve/internal/record/listing"
)

// same holds an index to the listings as they are stored.
func same(t *testing.T, s *typesensetest.Server, x *typesense.Indexer, market string) {
	t.Helper()
	all, err := x.Store.Documents(t.Context(), market)
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	for _, d := range all {
		want[d.ID] = fmt.Sprint(d.Version, " ", d.UpdatedAt.UnixMilli())
	}
	docs := s.Documents("merve-" + market)
	if docs == nil {
		t.Fatal("the market cannot be searched")
	}
	for id, d := range docs {
		got[id] = fmt.Sprint(int(d["version"].(float64)), " ", int64(d["updatedAt"].(float64)))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the index (-stored +indexed):\n%s", d)
	}
}

// edit changes a listing, or deletes it when f is nil, and tells the indexer as the stream does.
func edit(t *testing.T, x *typesense.Indexer, market, id string, f func(*listing.Listing)) {
	t.Helper()
	_, err := x.Store.Change(context.Background(), market, id, "test", func(before *listing.Listing) (*listing.Listing, error) {
		if f == nil {
			return nil, nil
		}
		after := simple(id, "Place")
		if before != nil {
			after = before
		}
		f(after)
		return after, nil
	})
	if err == nil {
		err = x.Changed(context.Background(), market, id)
	}
	if err != nil {
		t.Errorf("change of %s: %v", id, err)
	}
}

func tag(name string) func(*listing.Listing) {
	return func(l *listing.Listing) { l.Tags = append(l.Tags, name) }
}

func TestChanged(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"), simple("A_b-c.D", "Odd"), simple("a..", "Dots"))
	for _, id := range []string{"a", "A_b-c.D", "a.."} {
		edit(t, x, market, id, tag("new"))
		same(t, s, x, market)
		edit(t, x, market, id, nil)
		same(t, s, x, market)
		edit(t, x, market, id, tag("again"))
	}
	edit(t, x, market, "b", tag("new"))
	same(t, s, x, market)
	for range 2 {
		if err := x.Changed(t.Context(), market, "nowhere"); err != nil {
			t.Errorf("one that there never was: %v", err)
		}
	}
	same(t, s, x, market)
}

// An id that no filter can quote is taken out by its address: in a filter it would be another's.
func TestChangedWithAnIDThatCannotBeQuoted(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	const id = "a`b"
	s.Each(nil)
	if err := x.Changed(t.Context(), market, id); err != nil {
		t.Errorf("one that is not there: %v", err)
	}
	if d := cmp.Diff([]string{"GET /aliases", "DELETE /collections/merve-" + market + "/documents/" + id}, s.Requests()); d != "" {
		t.Error(d)
	}
	s.Each(func(_ int, request string) typesensetest.Fault {
		if strings.HasSuffix(request, id) {
			return typesensetest.Fault{Status: 403}
		}
		return typesensetest.Fault{}
	})
	if err := x.Changed(t.Context(), market, id); !fault.Is(err, fault.Internal) {
		t.Errorf("one that may not be taken out: %v", err)
	}
}

// A change does not fail for a collection that a re-index, given up meanwhile, has taken away.
func TestChangeWhileReindexIsGivenUp(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	s.Each(func(_ int, request string) typesensetest.Fault {
		switch {
		case strings.HasSuffix(request, "/import"):
			edit(t, x, market, "a", tag("new"))
			return typesensetest.Fault{Status: 400}
		case strings.Contains(request, "@") && strings.HasSuffix(request, "/documents"):
			return typesensetest.Fault{Status: 404}
		}
		return typesensetest.Fault{}
	})
	if _, err := x.Reindex(t.Context(), market); err == nil {
		t.Error("a re-index of which nothing was taken succeeds")
	}
	same(t, s, x, market)
}

// An alias without a name is nobody's.
func TestAliasWithoutName(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	s.Each(func(_ int, request string) typesensetest.Fault {
		if request != "GET /aliases" {
			return typesensetest.Fault{}
		}
		return typesensetest.Fault{Body: `{"aliases":[{"collection_name":"x"}]}`}
	})
	if _, err := x.Reindex(t.Context(), market); err != nil {
		t.Error(err)
	}
	same(t, s, x, market)
}

// A change costs two reads, and two requests of Typesense.
func TestChangedCost(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	s.Each(nil)
	ctx, meter := telemetry.WithMeter(t.Context())
	if err := x.Changed(ctx, market, "a"); err != nil {
		t.Fatal(err)
	}
	if n := meter.Cost().Requests; n != 2 {
		t.Errorf("%d requests of DynamoDB", n)
	}
	if d := cmp.Diff([]string{"GET /aliases", "POST /collections/merve-" + market + "/documents"}, s.Requests()); d != "" {
		t.Error(d)
	}
}

// What is written between a listing's reading and its writing is not overwritten by what was
// read.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	once := atomic.Bool{}
	s.Each(func(_ int, request string) typesensetest.Fault {
		if strings.HasPrefix(request, "POST") && once.CompareAndSwap(false, true) {
			edit(t, x, market, "a", tag("newer")) // all of it, while the older waits
		}
		return typesensetest.Fault{}
	})
	edit(t, x, market, "a", tag("older"))
	same(t, s, x, market)
	if l, err := x.Store.Get(t.Context(), market, "a"); err != nil || len(l.Tags) != 2 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() { edit(t, x, market, "a", tag(fmt.Sprint(i))) })
	}
	wg.Wait()
	same(t, s, x, market)
}

// A market's first change makes its index.
func TestFirstChange(t *testing.T) {
	t.Parallel()
	s := typesensetest.New(t)
	store, market := stored(t, simple("a", "Place"), simple("b", "Place"))
	x := indexer(clientOf(s), store)
	edit(t, x, market, "a", tag("new"))
	same(t, s, x, market)
}

// A change that cannot be written is an error that says: later.
func TestChangedAway(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	s.Each(func(n int, _ string) typesensetest.Fault { return typesensetest.Fault{Status: 503} })
	if err := x.Changed(t.Context(), market, "a"); !fault.Retryable(err) {
		t.Errorf("got %v", err)
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d attempts", n)
	}
}

// The documents of a listing have what filters and words ask for.
func TestRecord(t *testing.T) {
	t.Parallel()
	b := bar()
	b.Place, b.Location = "Kyrenia", harbour
	s, _, market := indexed(t, b)
	got := s.Documents("merve-" + market)["halloumi-bar"]
	want := map[string]any{
		"id": "halloumi-bar", "key": "halloumi-bar", "enabled": true, "domain": "food & drink", "category": "bar pub", "subCategory": "",
		"actions": []any{"order_food"}, "tags": []any{}, "prices": []any{99_000_000.}, "version": 1., "updatedAt": float64(noon.UnixMilli()),
		"names": "χαλουμι μπαρ בר חלומי", "kinds": "bar pub", "location": []any{35.3364, 33.3182}, "about": "kyrenia food drink", "offerings": "", "descriptions": "",
		"items":    "gulcicegi serbeti zivania عصير ليمون",
		"synonyms": "girne κερυνεια кирения כיריניה קירניה كيرينيا",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestReindexReport(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"), simple("b", "Place"))
	old := s.Collections()
	s.Each(nil)
	ctx, meter := telemetry.WithMeter(t.Context())
	r, err := x.Reindex(ctx, market)
	if err != nil || r.Listings != 2 || len(r.Failed) != 0 || cmp.Diff(old, r.Dropped) != "" || cmp.Diff([]string{r.Collection}, s.Collections()) != "" {
		t.Errorf("%+v, %v, collections %v, before %v", r, err, s.Collections(), old)
	}
	if d := cmp.Diff(map[string]string{"merve-" + market: r.Collection}, s.Aliases()); d != "" {
		t.Error(d)
	}
	if n, asked := meter.Cost().Requests, len(s.Requests()); n != 2 || asked != 12 {
		t.Errorf("%d requests of DynamoDB, %d of Typesense: %v", n, asked, s.Requests())
	}
	if _, err := x.Reindex(t.Context(), dynamotest.ID("empty")); err != nil {
		t.Errorf("a market without listings: %v", err)
	}
}

// Documents that Typesense does not take are told of; when they are many, the old index stays.
func TestReindexRefused(t *testing.T) {
	t.Parallel()
	var all []*listing.Listing
	for i := range 20 {
		all = append(all, simple(fmt.Sprintf("l%02d", i), "Place"))
	}
	s, x, market := indexed(t, all...)
	refuse := func(n int) {
		s.Each(func(_ int, request string) typesensetest.Fault {
			if !strings.HasSuffix(request, "/import") {
				return typesensetest.Fault{}
			}
			lines := strings.Repeat(`{"success":false,"error":"Field is odd.","code":400,"document":"{}"}`+"\n", n) + strings.Repeat(`{"success":true}`+"\n", len(all)-n)
			return typesensetest.Fault{Body: lines}
		})
	}
	refuse(2)
	r, err := x.Reindex(t.Context(), market)
	if err != nil || cmp.Diff([]typesense.Failure{{ID: "l00", Reason: "Field is odd."}, {ID: "l01", Reason: "Field is odd."}}, r.Failed) != "" || r.Listings != 20 {
		t.Errorf("%+v, %v", r, err)
	}
	live := s.Aliases()
	for _, tt := range []struct {
		name  string
		spoil func()
		want  fault.Kind
	}{
		{"too many", func() { refuse(3) }, fault.Internal},
		{"an answer too short", func() { all = all[:19]; refuse(0) }, fault.Unavailable},
	} {
		tt.spoil()
		if _, err := x.Reindex(t.Context(), market); !fault.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if d := cmp.Diff(live, s.Aliases()); d != "" || len(s.Collections()) != 1 {
			t.Errorf("%s: %s %v", tt.name, d, s.Collections())
		}
	}
}

// A re-index that has taken too long does not become what is searched: others may take it away.
func TestReindexTooLong(t *testing.T) {
	t.Parallel()
	for took, late := range map[time.Duration]bool{10 * time.Minute: false, 10*time.Minute + time.Second: true} {
		s, x, market := indexed(t, simple("a", "Place"))
		before, began := s.Aliases(), time.Now().Add(time.Hour)
		now := began
		x.Now = func() time.Time {
			defer func() { now = began.Add(took) }()
			return now
		}
		_, err := x.Reindex(t.Context(), market)
		stays := cmp.Equal(before, s.Aliases())
		if late != (err != nil) || late != fault.Is(err, fault.Unavailable) || late != stays || len(s.Collections()) != 1 {
			t.Errorf("after %s: %v, the old one stays: %v, collections %v", took, err, stays, s.Collections())
		}
	}
}

// requests is how many a re-index makes, of the same market.
func requests(t *testing.T) int {
	s, x, market := indexed(t, simple("a", "Place"), simple("b", "Place"))
	s.Each(nil)
	if _, err := x.Reindex(t.Context(), market); err != nil {
		t.Fatal(err)
	}
	return len(s.Requests())
}

// Changes that come between any two requests of a re-index are in the index when it ends.
func TestChangesDuringReindex(t *testing.T) {
	t.Parallel()
	for at := range requests(t) {
		s, x, market := indexed(t, simple("a", "Place"), simple("b", "Place"))
		var nested atomic.Bool
		s.Each(func(n int, _ string) typesensetest.Fault {
			if n == at+1 && nested.CompareAndSwap(false, true) {
				edit(t, x, market, "a", tag("new"))
				edit(t, x, market, "b", nil)
				edit(t, x, market, "c", tag("new"))
			}
			return typesensetest.Fault{}
		})
		if _, err := x.Reindex(t.Context(), market); err != nil {
			t.Errorf("at request %d: %v", at+1, err)
		}
		if same(t, s, x, market); len(s.Collections()) != 1 || len(s.Aliases()) != 1 {
			t.Errorf("at request %d: collections %v, aliases %v", at+1, s.Collections(), s.Aliases())
		}
	}
}

// A change that read the aliases before a re-index began, and goes on after any of its steps,
// is not lost either: it was stored before.
func TestChangeBegunBeforeReindex(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	var once atomic.Bool
	s.Each(func(_ int, request string) typesensetest.Fault {
		if strings.HasSuffix(request, "/documents") && once.CompareAndSwap(false, true) {
			if _, err := x.Reindex(context.Background(), market); err != nil {
				t.Error(err)
			}
		}
		return typesensetest.Fault{}
	})
	edit(t, x, market, "a", tag("new"))
	same(t, s, x, market)
}

// A re-index that is killed at any request, whether that one was done or not, leaves an index
// that misses nothing, changes included; the next one leaves nothing of it.
func TestReindexKilled(t *testing.T) {
	t.Parallel()
	for at := range requests(t) {
		for _, done := range []bool{false, true} {
			s, x, market := indexed(t, simple("a", "Place"), simple("b", "Place"))
			ctx, kill := context.WithCancel(t.Context())
			s.Each(func(n int, _ string) typesensetest.Fault {
				switch {
				case n == at+1:
					kill()
					return typesensetest.Fault{Drop: !done, Lost: done}
				case n > at+1:
					return typesensetest.Fault{Drop: true}
				}
				return typesensetest.Fault{}
			})
			if _, err := x.Reindex(ctx, market); err == nil {
				t.Errorf("killed at request %d, it succeeds", at+1)
			}
			s.Each(nil)
			edit(t, x, market, "a", tag("new"))
			edit(t, x, market, "b", nil)
			same(t, s, x, market)
			for _, later := range []time.Duration{0, time.Hour} {
				x.Now = func() time.Time { return time.Now().Add(later) }
				if _, err := x.Reindex(t.Context(), market); err != nil {
					t.Errorf("after one that was killed at request %d: %v", at+1, err)
				}
				same(t, s, x, market)
			}
			if len(s.Collections()) != 1 || len(s.Aliases()) != 1 {
				t.Errorf("killed at request %d: collections %v, aliases %v", at+1, s.Collections(), s.Aliases())
			}
		}
	}
}

// A re-index that never hears of what it asked for gives up, and takes nothing with it that is
// searched.
func TestReindexAnswersLost(t *testing.T) {
	t.Parallel()
	for at := range requests(t) {
		s, x, market := indexed(t, simple("a", "Place"))
		asked, other := "", false
		s.Each(func(n int, request string) typesensetest.Fault {
			if n == at+1 {
				asked = request
			}
			other = other || n > at && request != asked
			return typesensetest.Fault{Lost: n > at && !other} // every attempt at the same request
		})
		if _, err := x.Reindex(t.Context(), market); err == nil {
			t.Errorf("without an answer to request %d, it succeeds", at+1)
		}
		s.Each(nil)
		edit(t, x, market, "a", tag("new"))
		same(t, s, x, market)
	}
}

// One that hears of it in the end succeeds, but for the alias that lets it end, which looks as
// if somebody else had removed it.
func TestReindexAnswersLate(t *testing.T) {
	t.Parallel()
	for at := range requests(t) {
		s, x, market := indexed(t, simple("a", "Place"))
		var taking bool
		s.Each(func(n int, request string) typesensetest.Fault {
			if n == at+1 {
				taking = strings.HasPrefix(request, "DELETE") && strings.HasSuffix(request, ".run")
			}
			return typesensetest.Fault{Lost: n == at+1}
		})
		_, err := x.Reindex(t.Context(), market)
		if (err == nil) == taking || taking && !errors.Is(err, typesense.ErrOvertaken) {
			t.Errorf("an answer to request %d that was lost once: %v", at+1, err)
		}
		if same(t, s, x, market); len(s.Collections()) != 1 || len(s.Aliases()) != 1 {
			t.Errorf("request %d: collections %v, aliases %v", at+1, s.Collections(), s.Aliases())
		}
	}
}

// A re-index that begins, and ends, between any two requests of another leaves one index, whole.
func TestReindexTwice(t *testing.T) {
	t.Parallel()
	for at := range requests(t) {
		s, x, market := indexed(t, simple("a", "Place"), simple("b", "Place"))
		var nested atomic.Bool
		s.Each(func(n int, _ string) typesensetest.Fault {
			if n == at+1 && nested.CompareAndSwap(false, true) {
				if _, err := x.Reindex(context.Background(), market); err != nil {
					t.Errorf("at request %d: the later one: %v", at+1, err)
				}
				edit(t, x, market, "a", tag("new"))
			}
			return typesensetest.Fault{}
		})
		if _, err := x.Reindex(t.Context(), market); err != nil && !errors.Is(err, typesense.ErrOvertaken) {
			t.Errorf("at request %d: the earlier one: %v", at+1, err)
		}
		same(t, s, x, market)
		s.Each(nil)
		x.Now = func() time.Time { return time.Now().Add(time.Hour) }
		if _, err := x.Reindex(t.Context(), market); err != nil || len(s.Collections()) != 1 || len(s.Aliases()) != 1 {
			t.Errorf("at request %d: %v, collections %v, aliases %v", at+1, err, s.Collections(), s.Aliases())
		}
	}
}

// Of two that look for others at the same moment, one goes on.
func TestReindexAtOnce(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	var here atomic.Int32
	both := make(chan struct{})
	s.Each(func(_ int, request string) typesensetest.Fault {
		if request == "GET /aliases" {
			if here.Add(1) == 2 {
				close(both)
			}
			<-both
		}
		return typesensetest.Fault{}
	})
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := x.Reindex(context.Background(), market)
			errs <- err
		}()
	}
	one, other := <-errs, <-errs
	if one != nil && other != nil {
		t.Errorf("%v, and %v", one, other)
	}
	same(t, s, x, market)
}

// Markets on one server keep out of each other's way, also when the name of one begins as the
// other's.
func TestMarketsApart(t *testing.T) {
	t.Parallel()
	s, x, market := indexed(t, simple("a", "Place"))
	other := &listing.Listing{}
	*other = *simple("z", "Other")
	other.Market, other.Business = market+"-2", "other"
	if err := x.Store.Put(t.Context(), other, "test"); err != nil {
		t.Fatal(err)
	}
	for _, m := range []string{other.Market, market} {
		if _, err := x.Reindex(t.Context(), m); err != nil {
			t.Fatal(err)
		}
	}
	same(t, s, x, market)
	same(t, s, x, other.Market)
	if all := s.Collections(); len(all) != 2 || slices.Contains(all, "merve-"+market) {
		t.Errorf("collections %v", all)
	}
}
