package thread_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/cloud/dynamo"
	"merve/internal/cloud/dynamo/dynamotest"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
)

// pair is two threads of one person, and one of somebody else.
type pair struct {
	*testing.T
	*thread.Store
	clock       *clock
	a, b, other string // threads
	aOwner      string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	c, who := newClock(), dynamotest.ID("who")
	p := &pair{T: t, Store: newStore(t, c), clock: c}
	for id, who := range map[*string]string{&p.a: who + "-a", &p.b: who + "-b", &p.other: who + "-other"} {
		*id = mustAppend(t, p.Store, message(who, "1", "hi"), false).Thread
	}
	p.aOwner = "session:" + who + "-a"
	return p
}

func (p *pair) code(id string) string {
	p.Helper()
	code, until, err := p.Links().Code(p.Context(), id)
	if err != nil || !until.Equal(p.clock.now().Add(thread.CodeFor)) {
		p.Fatalf("until %v, %v", until, err)
	}
	return code
}

func (p *pair) head(id string) thread.Head {
	p.Helper()
	h, err := p.Head(p.Context(), id)
	if err != nil {
		p.Fatal(err)
	}
	return h
}

func (p *pair) wantLinked(id string, want int) {
	p.Helper()
	if got := p.head(id).Linked; len(got) != want {
		p.Errorf("linked with %q, want %d", got, want)
	}
}

// Who may link what by which code, and what it costs.
func TestLink(t *testing.T) {
	t.Parallel()
	foreign := func(change func(*channel.Inbound)) func(*pair) string {
		return func(p *pair) string {
			in := message(dynamotest.ID("who"), "1", "hi")
			change(&in)
			return mustAppend(p.T, p.Store, in, false).Thread
		}
	}
	tests := []struct {
		name string
		from func(p *pair) string              // the thread on which it is said; nil is b
		code func(p *pair, code string) string // what is said of the code that was made on a
		want error
	}{
		{"as it was shown", nil, nil, nil},
		{"as people write", nil, func(_ *pair, c string) string { return " " + strings.ToLower(strings.ReplaceAll(c, "-", " ")) }, nil},
		{"with letters for digits", nil, func(_ *pair, c string) string { return strings.NewReplacer("0", "o", "1", "l").Replace(c) }, nil},
		{"empty", nil, func(*pair, string) string { return "" }, thread.ErrNoCode},
		{"no code", nil, func(*pair, string) string { return "hello" }, thread.ErrNoCode},
		{"another", nil, func(*pair, string) string { return "AAAA-AAAA" }, thread.ErrNoCode},
		{"cut short", nil, func(_ *pair, c string) string { return c[:8] }, thread.ErrNoCode},
		{"with more", nil, func(_ *pair, c string) string { return c + "A" }, thread.ErrNoCode},
		{"one's own", func(p *pair) string { return p.a }, nil, thread.ErrOwnCode},
		{"at the last moment", nil, func(p *pair, c string) string { p.clock.add(thread.CodeFor - time.Millisecond); return c }, nil},
		{"too late", nil, func(p *pair, c string) string { p.clock.add(thread.CodeFor); return c }, thread.ErrNoCode},
		{"of another market", foreign(func(in *channel.Inbound) { in.Market = "other" }), nil, thread.ErrNoCode},
		{"of another assistant", foreign(func(in *channel.Inbound) { in.Assistant = "sara" }), nil, thread.ErrNoCode},
		{"of another kind", foreign(func(in *channel.Inbound) { in.ThreadType = channel.Ops }), nil, thread.ErrNoCode},
		{"on no thread", func(*pair) string { return "th_none" }, nil, thread.ErrNoThread},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t)
			id, code := p.b, p.code(p.a)
			if tt.from != nil {
				id = tt.from(p)
			}
			if tt.code != nil {
				code = tt.code(p, code)
			}
			dynamotest.Lapse(t, dynamotest.TableName("conversations"), "code#", p.clock.now())
			other, asked := p.Links().LinkedBy(t.Context(), id, code)
			ctx, meter := telemetry.WithMeter(t.Context())
			err := p.Links().Link(ctx, id, code)
			if !errors.Is(err, tt.want) || !errors.Is(asked, tt.want) {
				t.Fatalf("asked %v, linked %v; want %v", asked, err, tt.want)
			}
			want := 0
			if tt.want == nil {
				if want = 1; other != p.a || meter.Cost().Requests != 3 {
					t.Errorf("with %s for %d requests", other, meter.Cost().Requests)
				}
			}
			p.wantLinked(p.a, want)
			p.wantLinked(p.b, want)
		})
	}
}

func TestWhatIsNoCodeCostsNothing(t *testing.T) {
	t.Parallel()
	ctx, meter := telemetry.WithMeter(t.Context())
	if _, err := newStore(t, newClock()).Links().LinkedBy(ctx, "th_1", "hello"); !errors.Is(err, thread.ErrNoCode) || meter.Cost().Requests != 0 {
		t.Errorf("%v, for %d requests", err, meter.Cost().Requests)
	}
}

// A code links one thread, however many say it, and once: undone, it is of no use.
func TestACodeIsUsedOnce(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	code := p.code(p.a)
	var linked atomic.Int32
	var all sync.WaitGroup
	for _, id := range []string{p.b, p.other} {
		all.Go(func() {
			switch err := p.Links().Link(context.Background(), id, code); {
			case err == nil:
				linked.Add(1)
			case !errors.Is(err, thread.ErrNoCode):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if linked.Load() != 1 {
		t.Errorf("%d were linked", linked.Load())
	}
	p.wantLinked(p.a, 1)
	if err := p.Links().Unlink(t.Context(), p.a); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{p.a, p.b, p.other} {
		p.wantLinked(id, 0)
	}
	for _, id := range []string{p.b, p.other} {
		if err := p.Links().Link(t.Context(), id, code); !errors.Is(err, thread.ErrNoCode) {
			t.Errorf("undone, and said again: %v", err)
		}
	}
	if err := p.Links().Unlink(t.Context(), p.a); err != nil {
		t.Errorf("undone twice: %v", err)
	}
}

// sameCode draws the same code each time. Other chance stays chance.
type sameCode struct {
	io.Reader
	code [8]byte
}

func (s *sameCode) Read(b []byte) (int, error) {
	if len(b) == len(s.code) {
		return copy(b, s.code[:]), nil
	}
	return s.Reader.Read(b)
}

// A code that is drawn twice stays the first one's. Not parallel: chance is everybody's.
func TestACodeDrawnTwice(t *testing.T) {
	p, chance := newPair(t), &sameCode{Reader: rand.Reader}
	rand.Read(chance.code[:])
	rand.Reader = chance
	t.Cleanup(func() { rand.Reader = chance.Reader })
	code := p.code(p.a)
	if _, _, err := p.Links().Code(t.Context(), p.b); err == nil {
		t.Error("it was given out twice")
	}
	if other, err := p.Links().LinkedBy(t.Context(), p.other, code); other != p.a || err != nil {
		t.Errorf("it links with %s, %v; want %s", other, err, p.a)
	}
}

// A thread is linked with a few others at most, on either side.
func TestMaxLinked(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for range thread.MaxLinked {
		other := mustAppend(t, p.Store, message(dynamotest.ID("who"), "1", "hi"), false).Thread
		if err := p.Links().Link(t.Context(), p.a, p.code(other)); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Links().Link(t.Context(), p.a, p.code(p.b)); !errors.Is(err, thread.ErrMaxLinks) {
		t.Errorf("one more: %v", err)
	}
	if err := p.Links().Link(t.Context(), p.b, p.code(p.a)); !errors.Is(err, thread.ErrMaxLinks) {
		t.Errorf("one more, from there: %v", err)
	}
	p.wantLinked(p.a, thread.MaxLinked)
	p.wantLinked(p.b, 0)
	if err := p.Links().Unlink(t.Context(), p.a); err != nil {
		t.Fatal(err)
	}
	if err := p.Links().Link(t.Context(), p.b, p.code(p.a)); err != nil {
		t.Errorf("after all was undone: %v", err)
	}
}

// What waits for a YES goes with what was said, unless a turn may be settling it.
func TestEraseLetsGoOfWhatWaits(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := newStore(t, c)
	offer := func(a thread.Appended, id string) {
		t.Helper()
		th, err := s.Open(t.Context(), a.Lease)
		if err != nil {
			t.Fatal(err)
		}
		o := ending(th, c.now())
		o.Pending = &thread.Pending{ID: id, Summary: "the secret offer", ExpiresAt: c.now().Add(time.Hour)}
		if err := s.Commit(t.Context(), a.Lease, th, o); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name  string
		then  func(in channel.Inbound)
		stays bool
	}{
		{"nothing runs", func(channel.Inbound) {}, false},
		{"a turn runs", func(in channel.Inbound) { mustAppend(t, s, in, true) }, true},
		{"a message waits", func(in channel.Inbound) { mustAppend(t, s, in, false) }, true},
		{"a turn died", func(in channel.Inbound) { mustAppend(t, s, in, true); c.add(thread.LeaseFor) }, true},
	} {
		in := whatsApp("+1555"+dynamotest.ID("")[1:8], "0")
		a := mustAppend(t, s, in, true)
		offer(a, "p_1")
		in.MessageID = "1"
		tt.then(in)
		for range 2 {
			if err := s.Erase(t.Context(), a.Thread); err != nil {
				t.Fatal(err)
			}
		}
		if h, err := s.Head(t.Context(), a.Thread); err != nil || (h.Pending != nil) != tt.stays || !tt.stays && h.State != "" {
			t.Errorf("%s: %+v, %v", tt.name, h, err)
		}
	}
	in := whatsApp("+1555"+dynamotest.ID("")[1:8], "0")
	a := mustAppend(t, s, in, true)
	offer(a, "p_1")
	between := *s
	between.Now = func() time.Time { // a whole turn, after the head was read
		if in.MessageID == "0" {
			in.MessageID = "1"
			offer(mustAppend(t, s, in, true), "p_2")
		}
		return c.now()
	}
	if err := between.Erase(t.Context(), a.Thread); err != nil {
		t.Fatal(err)
	}
	if h, err := s.Head(t.Context(), a.Thread); err != nil || h.Pending == nil || h.Pending.ID != "p_2" {
		t.Errorf("asked meanwhile: %+v, %v", h, err)
	}
}

// What Erase leaves: no word, photo, name, number or place, on a thread of several pages; the same
// message comes in once all the same, and who had opted out still has.
func TestErase(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, ctx := newStore(t, c), t.Context()
	in := whatsApp("+1555"+dynamotest.ID("")[1:8], "0")
	in.Location = &geo.Location{Lat: 35, Lng: 33}
	secret := "the secret " + strings.Repeat("long ", 200)
	var id string
	for n := range 40 {
		in.MessageID, in.Text, in.Media = fmt.Sprint(n), secret, []channel.Media{{URL: "https://example.com/secret.jpg", Type: "image/jpeg"}}
		a := mustAppend(t, s, in, true)
		id = a.Thread
		th, err := s.Open(ctx, a.Lease)
		if err != nil {
			t.Fatal(err)
		}
		turn := thread.Turn{N: th.Number(), In: th.Inbox, Out: []thread.Reply{{Text: "the secret answer"}}, Digest: "the secret digest", At: s.Now()}
		join := s.Table.Put(dynamo.Key{PK: id, SK: fmt.Sprintf("outbox#%d", n)}, map[string]string{"text": "the secret message"})
		if err := s.Commit(ctx, a.Lease, th, thread.Outcome{Turn: turn, Language: "tr", OptedOut: true}, join); err != nil {
			t.Fatal(err)
		}
		c.add(time.Second)
	}
	for turn := 40; turn <= 41; turn++ { // of the last turn, and of the one that runs
		if _, err := s.Record(ctx, id, turn, thread.Entry{Kind: "decision", Data: "the secret decision"}); err != nil {
			t.Fatal(err)
		}
	}
	in.MessageID, in.Text, in.Media = "waits", "this waits "+strings.Repeat("long ", 200), nil
	running := mustAppend(t, s, in, true)
	for n := range 2 {
		metered, meter := telemetry.WithMeter(ctx)
		if err := s.Erase(metered, id); err != nil {
			t.Fatal(err)
		}
		if got := meter.Cost(); got.Requests > 6 || n == 1 && got.WriteUnits > 1 { // of the head
			t.Errorf("erased, the %d. time, with %d requests and %g write units", n+1, got.Requests, got.WriteUnits)
		}
	}
	page, err := s.Table.Query(ctx, dynamo.Under(id, ""))
	if err != nil {
		t.Fatal(err)
	}
	journaled := false
	for _, it := range page.Items {
		sk := it.Key().SK
		if sk == "journal#00000041#0000" {
			journaled = true
			continue
		}
		for name := range it {
			if name == "name" || name == "phone" || name == "loc" || name == "locAt" || name == "lang" || name == "media" {
				t.Errorf("%s keeps %s", sk, name)
			}
		}
		if strings.Contains(it.String("text"), "secret") || !strings.HasPrefix(sk, "seen#") && sk != "~" {
			t.Errorf("left: %s", sk)
		}
	}
	if !journaled {
		t.Error("what the turn that runs has done is erased")
	}
	th, err := s.Open(ctx, running.Lease)
	if err != nil || len(th.Recent) != 0 || len(th.Inbox) != 1 || !strings.HasPrefix(th.Inbox[0].Text, "this waits") || !th.OptedOut || th.Turns != 40 {
		t.Fatalf("%+v, %v", th, err)
	}
	if err := s.Commit(ctx, running.Lease, th, ending(th, s.Now())); err != nil {
		t.Errorf("the turn that ran: %v", err)
	}
	in.MessageID = "3"
	if a := mustAppend(t, s, in, false); !a.Duplicate {
		t.Error("an erased message comes in again")
	}
	if err := s.Erase(ctx, "th_none"); !errors.Is(err, thread.ErrNoThread) {
		t.Errorf("no thread: %v", err)
	}
}

// A turn that has read what is erased does not end as it is: before the last step of the erasure
// it is erased as well, and after it the turn has to look again.
func TestEraseMeetsATurn(t *testing.T) {
	t.Parallel()
	for _, ends := range []bool{true, false} {
		c := newClock()
		s := newStore(t, c)
		a := mustAppend(t, s, whatsApp("+1555"+dynamotest.ID("")[1:8], "0"), true)
		th := open(t, s, a.Lease)
		commit := func() error { return s.Commit(t.Context(), a.Lease, th, ending(th, c.now())) }
		erasing := *s
		erasing.Table = dynamotest.Open(t, dynamotest.BeforeText("ADD epoch", func() {
			if !ends {
				return
			}
			if err := commit(); err != nil {
				t.Error(err)
			}
		})).Table(dynamotest.TableName("conversations"))
		if err := erasing.Erase(t.Context(), a.Thread); err != nil {
			t.Fatal(err)
		}
		if page, err := s.Table.Query(t.Context(), dynamo.Under(a.Thread, "turn#")); err != nil || len(page.Items) != 0 {
			t.Errorf("ends %t: left %v, %v", ends, page.Items, err)
		}
		if ends {
			continue
		}
		if err := commit(); !errors.Is(err, thread.ErrNewer) {
			t.Errorf("commits what it has read: %v", err)
		}
		if err := s.Refresh(t.Context(), a.Lease, th); err != nil {
			t.Error(err)
		}
		if err := commit(); err != nil {
			t.Errorf("having looked again: %v", err)
		}
	}
}

// The owners that a link gives are those of the other threads.
func TestLinkedOwners(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	if err := p.Links().Link(t.Context(), p.b, p.code(p.a)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{p.aOwner}, p.head(p.b).Linked); diff != "" {
		t.Error(diff)
	}
}
