package meta

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"merve/internal/spine/outbox"
)

// What each code means for sending again and for people, said a second time: a message that is
// given up at a limit of rates, or sent twice, is a code in the wrong list.
func TestWhatCodesMean(t *testing.T) {
	t.Parallel()
	got := map[outbox.Outcome][][2]int{}
	var alerts [][2]int
	waits := map[[2]int]time.Duration{}
	for _, c := range slices.SortedFunc(maps.Keys(meanings), func(a, b code) int { return cmp.Or(a.code-b.code, a.subcode-b.subcode) }) {
		m, both := meanings[c], [2]int{c.code, c.subcode}
		got[m.outcome] = append(got[m.outcome], both)
		if m.alert {
			alerts = append(alerts, both)
		}
		if m.wait > 0 {
			waits[both] = m.wait
		}
		if m.text == "" {
			t.Errorf("%v says nothing", c)
		}
	}
	want := map[outbox.Outcome][][2]int{
		outbox.Unclear: {{1, 0}, {2, 0}},
		outbox.Retry:   {{4, 0}, {17, 0}, {32, 0}, {613, 0}, {1200, 0}, {80001, 0}, {80006, 0}},
		outbox.Permanent: {
			{3, 0}, {4, 2018354}, {10, 0}, {10, 2018065}, {10, 2018108}, {10, 2018278}, {10, 2534022}, {100, 0}, {100, 33}, {100, 2018001}, {190, 0},
			{200, 0}, {200, 1545041}, {200, 2018028}, {230, 0}, {368, 0}, {551, 0}, {2022, 0}, {10903, 0}, {10904, 0},
		},
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	wantAlerts := [][2]int{{3, 0}, {10, 0}, {100, 0}, {190, 0}, {200, 0}, {200, 2018028}, {230, 0}, {368, 0}, {2022, 0}, {10904, 0}}
	if diff := gocmp.Diff(wantAlerts, alerts); diff != "" {
		t.Errorf("alerts (-want +got):\n%s", diff)
	}
	const minutes = 5 * time.Minute
	wantWaits := map[[2]int]time.Duration{{4, 0}: minutes, {17, 0}: minutes, {32, 0}: minutes, {613, 0}: time.Minute, {80001, 0}: minutes, {80006, 0}: minutes}
	if diff := gocmp.Diff(wantWaits, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}
