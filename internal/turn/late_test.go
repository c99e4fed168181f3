package turn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"merve/internal/channel"
	"merve/internal/ledger"
	"merve/internal/market"
	"merve/internal/outbox"
	"merve/internal/thread"
)

// busy is a provider that takes no text with certain words for now.
type busy struct {
	*world
	words string
}

func (b *busy) Send(ctx context.Context, m outbox.Message) (string, error) {
	if b.words != "" && strings.Contains(m.Text, b.words) {
		return "", &outbox.SendError{Outcome: outbox.Retry, Reason: "20429"}
	}
	return b.world.Send(ctx, m)
}

// sends brings everything of a thread's outbox one step further, oldest first.
func (w *world) sends(id string) {
	w.t.Helper()
	for _, m := range w.outboxesOf([]string{id}) {
		if err := w.sender.Deliver(w.t.Context(), m); err != nil {
			w.t.Fatal(err)
		}
	}
}

// writes has a customer write, and their turn run; what it says is delivered with the next
// [world.sends].
func (w *world) writes(id, text string) string {
	w.t.Helper()
	w.clock.add(time.Second)
	in := w.from("ann", channel.WhatsApp, id, text)
	w.comes(in)
	w.work()
	return threadOf(in)
}

func (w *world) texts() string {
	var all []string
	for _, m := range w.sent {
		all = append(all, m.Text)
	}
	return strings.Join(all, "\n---\n")
}

// newReminded is a thread that was offered a booking and reminded of it, by messages of which those
// with the words are late.
func newReminded(t *testing.T, words string) (*world, *busy, string) {
	w, provider := newBusy(t, words)
	id := w.writes("m1", "book")
	w.sends(id)
	w.writes("m2", "is it nice?")
	w.sends(id)
	return w, provider, id
}

func newBusy(t *testing.T, words string) (*world, *busy) {
	w := newWorld(t, func(m *market.Market) { m.Gate = market.Converse })
	w.stock(nil)
	w.model = clerkModel()
	b := &busy{world: w, words: words}
	w.sender.Providers[channel.WhatsApp] = b
	return w, b
}

// A question that the provider would not take comes too late below a newer one: a bare YES
// would confirm the newer, which was not asked last.
func TestAnOlderQuestionNeverFollowsANewer(t *testing.T) {
	t.Parallel()
	w, provider := newBusy(t, "19:00")
	id := w.writes("m1", "book")
	w.sends(id)
	w.writes("m2", "no")
	w.writes("m3", "book again")
	newest := w.outboxesOf([]string{id})[2]
	if err := w.sender.Deliver(t.Context(), newest); err != nil || !strings.Contains(w.texts(), "20:00") {
		t.Fatalf("%v; sent: %s", err, w.texts())
	}
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	if got := w.texts(); strings.Contains(got, "19:00 for") || strings.Count(got, "YES") != 1 {
		t.Errorf("sent: %s", got)
	}
	older := w.outboxesOf([]string{id})[0]
	if older.Status != outbox.Failed || older.Error != string(thread.Unasked) || !strings.HasPrefix(older.DueShard, "dead#") {
		t.Errorf("the older question: %+v", older)
	}
}

// A bare YES to what was never asked, because it could not be sent, settles nothing before it was asked
// about.
func TestField17_YesToWhatNeverWentOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.model = says("Hello.")
	id := w.writes("m1", "hi")
	w.clock.add(25 * time.Hour)
	offer := &thread.Pending{Kind: ledger.ConfirmKind, Ref: "A", Summary: "place A", ExpiresAt: w.clock.now().Add(30 * time.Minute)}
	if err := w.teller().Tell(t.Context(), id, "1", thread.Notice{Kind: "free", Text: "A place is free.", Offer: offer}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if m := w.outboxesOf([]string{id})[1]; m.Status != outbox.Failed || m.Pending == "" {
		t.Fatalf("the offer: %+v", m)
	}
	for n, settles := range []bool{false, true} {
		w.writes(fmt.Sprint("yes", n), "yes")
		turns := w.turnsOf(id)
		if last := turns[len(turns)-1]; (last.Settled != "") != settles || !settles && !strings.Contains(textOf(last), "place A") {
			t.Errorf("YES %d settles %q: %s", n+1, last.Settled, textOf(last))
		}
	}
}

// What is still waited for is asked, however late, and by a reminder too.
func TestAQuestionThatWaitsIsAskedLate(t *testing.T) {
	t.Parallel()
	w, provider, id := newReminded(t, "19:00")
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	if got := w.texts(); len(w.sent) != 2 || strings.Count(got, "YES") != 2 {
		t.Errorf("%d sent: %s", len(w.sent), got)
	}
}

// Of an answer that reminds of what was settled meanwhile, all but the reminder is said.
func TestAReminderOfWhatIsOver(t *testing.T) {
	t.Parallel()
	w, provider, id := newReminded(t, "You said")
	w.writes("m3", "yes")
	provider.words = ""
	w.clock.add(time.Minute)
	w.sends(id)
	late := w.outboxesOf([]string{id})[1]
	if late.Status != outbox.Sent || late.Text != "You said is it nice?." || late.Pending != "" {
		t.Errorf("late: %+v", late)
	}
	if last := w.turnsOf(id)[2]; last.Settled == "" {
		t.Errorf("the YES: %+v", last)
	}
}
