package telemetry_test

import (
	"fmt"
	"strings"
	"testing"

	"merve/internal/base/telemetry"
)

// What callers outside give as a trace id is kept when it is fit for one, else there is another.
func TestCleanTraceID(t *testing.T) {
	t.Parallel()
	for id, kept := range map[string]bool{
		"a": true, "Root=1-5759e988": false, "1-5759e988_bd862e3f.A": true, strings.Repeat("x", 64): true,
		"": false, strings.Repeat("x", 65): false, "two words": false, "line\n": false, "é": false,
	} {
		got := telemetry.CleanTraceID(id)
		if (got == id) != kept || !kept && len(got) != len(telemetry.NewTraceID()) {
			t.Errorf("%q becomes %q", id, got)
		}
	}
	if one, other := telemetry.CleanTraceID(""), telemetry.CleanTraceID(""); one == other {
		t.Error("two have one")
	}
}

// A name in logs gives nothing of a number away, not even its last digits. It stays what it is: ids of
// stored messages are made of it.
func TestRedact(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"+905550001122": "abd4cf8a14d0", "+905550001123": "65f2452690e4", "person:whatsapp:+905550001122": "2958d019fb07", "": "55211ac5ef09",
	} {
		if got := telemetry.Redact(id); got != want {
			t.Errorf("%q is called %q, want %q", id, got, want)
		}
	}
	names, shared := map[string]bool{}, 0
	for n := range 1000 {
		id := fmt.Sprintf("+9055587%05d", 10_000+77*n)
		name := telemetry.Redact(id)
		for i := range len(id) - 3 {
			if strings.Contains(name, id[i:i+4]) {
				shared++
			}
		}
		names[name] = true
	}
	if len(names) != 1000 {
		t.Errorf("1000 numbers have %d names", len(names))
	}
	if shared > 5 { // a few share four digits by chance: about 1.4 of 1000
		t.Errorf("%d times a name has four digits of its number", shared)
	}
}
