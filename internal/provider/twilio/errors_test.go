package twilio

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What each code means for sending again and for people, said a second time: a message that is
// given up at a limit of rates, or sent twice, is a code in the wrong list.
func TestWhatCodesMean(t *testing.T) {
	t.Parallel()
	got := map[Outcome][]int{}
	var alerts []int
	waits := map[int]time.Duration{}
	for _, code := range slices.Sorted(maps.Keys(meanings)) {
		m := meanings[code]
		got[m.outcome] = append(got[m.outcome], code)
		if m.alert {
			alerts = append(alerts, code)
		}
		if m.wait > 0 {
			waits[code] = m.wait
		}
		if m.text == "" {
			t.Errorf("%d says nothing", code)
		}
	}
	want := map[Outcome][]int{
		Retry:   {14107, 20429, 20503, 21611, 30001, 63012, 63017, 63018, 63038},
		Unclear: {20500},
		Permanent: {
			10001, 20001, 20003, 20005, 20403, 20404, 21205, 21210, 21211, 21212, 21215, 21408, 21602, 21603, 21604, 21606, 21608, 21609, 21610, 21612, 21614,
			21617, 21619, 21620, 21623, 21654, 21655, 21656, 21659, 21660, 21910, 30002, 37000, 37004, 37006, 37007, 37008, 63001, 63002, 63003, 63005, 63006, 63007, 63008,
			63013, 63014, 63015, 63016, 63019, 63020, 63021, 63022, 63024, 63027, 63028, 63030, 63031, 63032, 63033, 63049, 63051, 63112,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
	wantAlerts := []int{
		10001, 20003, 20005, 20403, 20404, 21205, 21210, 21212, 21215, 21408, 21603, 21606, 21608, 21609, 21655, 21659, 21660, 21910, 30002, 37007, 37008,
		63001, 63002, 63007, 63008, 63020, 63022, 63051, 63112,
	}
	if diff := cmp.Diff(wantAlerts, alerts); diff != "" {
		t.Errorf("alerts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[int]time.Duration{14107: 30 * time.Second, 63038: time.Hour}, waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}
