package live

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"merve/internal/base/faulttest"
	"merve/internal/base/seedtest"
	"merve/internal/spine/thread"
)

// A tool's acknowledgement and the fallback come at the same moment, of one process or of two that both believe the
// turn is theirs: exactly one is told, written and heard. With TIMES=5 there are ten thousand such races.
func TestRace_AcknowledgementAndFallback(t *testing.T) {
	t.Parallel()
	const lanes = 8
	seedtest.Of(t)
	races := seedtest.Tries(t, 400/lanes, 2000/lanes)
	for lane := range lanes {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.socket(t, "s1", s.time())
			for turn := 1; turn <= races; turn++ {
				raceToTell(t, s, turn)
			}
			faulttest.Tried(t, races)
		})
	}
}

// raceToTell has a turn's two words for what it does race. Every other turn has two processes at work on it.
func raceToTell(t *testing.T, s *scene, turn int) {
	t.Helper()
	head := thread.Head{ID: s.thread, Epoch: turn, Frames: turn - 1} // each turn before has written one frame
	open := func() *Stream {
		st, err := s.Open(t.Context(), head, turn)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	one := open()
	other := one
	if turn%2 == 0 {
		other = open()
	}
	var told [2]bool
	var errs [2]error
	words := []string{fmt.Sprint("acknowledgement ", turn), fmt.Sprint("fallback ", turn)}
	var wg sync.WaitGroup
	for i, st := range []*Stream{one, other} {
		wg.Go(func() { told[i], errs[i] = st.Tell(t.Context(), words[i]) })
	}
	wg.Wait()
	one.Close(t.Context())
	other.Close(t.Context())
	if errs[0] != nil || errs[1] != nil || told[0] == told[1] {
		t.Fatalf("turn %d: told %v, %v", turn, told, errs)
	}
	want := words[slices.Index(told[:], true)]
	rows, _, err := s.after(t.Context(), s.thread, turn-1)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || len(rows[0].Frames) != 1 || rows[0].Frames[0] != (noted{Type: Status, Turn: turn, Text: want}) {
		t.Fatalf("turn %d: written %+v, want %q", turn, rows, want)
	}
	if heard := s.hears("s1"); len(heard) != turn || heard[turn-1] != want {
		t.Fatalf("turn %d: heard %q, want %q", turn, heard, want)
	}
}
