package wiring

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden file anew")

// The table says once more what stands in testdata: a schedule that is slower, a threshold that is
// higher, a grant too many or a route without a sign-in is a change that somebody means, and reads.
func TestWiringIsAsItWasMeant(t *testing.T) {
	t.Parallel()
	var got bytes.Buffer
	lines := json.NewEncoder(&got)
	lines.SetEscapeHTML(false)
	for _, list := range []any{Functions(), Tables(), Queues(), Buses(), Rules(), Alarms(), Settings(), Media()} {
		for _, item := range itemsOf(t, list) {
			if err := lines.Encode(item); err != nil {
				t.Fatal(err)
			}
		}
	}
	golden := filepath.Join("testdata", "wiring.jsonl")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("%s differs; if the new wiring is meant, run the test with -update (-want +got):\n%s", golden, diff)
	}
}

// itemsOf are the items of a list, or what is no list, without the fields that are empty.
func itemsOf(t *testing.T, list any) []any {
	t.Helper()
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var items []any
	if raw[0] != '[' {
		raw = append(append([]byte{'['}, raw...), ']')
	}
	if err := json.Unmarshal(raw, &items); err != nil {
		t.Fatal(err)
	}
	for _, item := range items {
		withoutEmpty(item)
	}
	return items
}

func withoutEmpty(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			withoutEmpty(item)
		}
	case map[string]any:
		for name, field := range v {
			if field == nil || field == "" || field == false || field == 0.0 {
				delete(v, name)
			}
			withoutEmpty(field)
		}
	}
}
