package plan

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"merve/internal/base/fault"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

const flow = "0193a1c0-0000-7000-8000-000000000001"

// logOf is the log of a whole plan of four steps, of which the second fails and the third needs it.
func logOf(t testing.TB) []Event {
	t.Helper()
	at := noon
	var all []Event
	add := func(typ Type, step int, payload any) {
		e, err := newEvent(flow, typ, step, at, payload)
		if err != nil {
			t.Fatal(err)
		}
		all, at = append(all, e), at.Add(40*time.Millisecond)
	}
	p := Plan{PlanID: planID(flow), TotalSteps: 4, Steps: []Step{
		{0, "math", "15% of 340", []int{}}, {1, "weather", "Kyrenia", []int{}}, {2, "general_chat", "what to wear", []int{1}}, {3, "rag", "laptop under $2000", []int{}},
	}}
	add(UserQueryReceived, noStep, Query{publicID("session:x"), "the question", "c"})
	add(PlanGenerated, noStep, Generated{"c", "the question", p})
	for _, i := range []int{0, 1, 3} {
		add(ToolInvocationRequested, i, Requested{p.PlanID, i, p.Steps[i].Tool, Input{p.Steps[i].Input, []Earlier{}}, "c"})
	}
	add(ToolInvocationResulted, 0, Resulted{p.PlanID, 0, "math", pack("51"), true, 3})
	add(ToolInvocationResulted, 1, Resulted{p.PlanID, 1, "weather", pack("no answer in time"), false, 3000})
	add(ToolInvocationResulted, 3, Resulted{p.PlanID, 3, "rag", pack(map[string]any{"chunks": []string{"TechPro"}}), true, 40})
	s := Fold(all)
	add(PlanCompleted, noStep, Completed{p.PlanID, "c", "the question", s.results(), 3100})
	add(SynthesizeFinalAnswerRequested, noStep, Synthesize{p.PlanID, "c", "the question", s.results()})
	add(FinalAnswerSynthesized, noStep, Final{ConversationID: "c", FinalAnswer: "the answer"})
	return all
}

// The order of events, their repetition and copies that lie about them change nothing.
func TestFoldIsOfASet(t *testing.T) {
	t.Parallel()
	all := logOf(t)
	rapid.Check(t, func(t *rapid.T) {
		some := slices.Clone(all[:rapid.IntRange(0, len(all)).Draw(t, "prefix")])
		want := Fold(some)
		for range rapid.IntRange(0, 5).Draw(t, "gone") { // a subset
			if len(some) > 0 {
				i := rapid.IntRange(0, len(some)-1).Draw(t, "which")
				some = slices.Delete(some, i, i+1)
				want = Fold(some)
			}
		}
		mixed := slices.Clone(some)
		for range rapid.IntRange(0, 2*len(some)).Draw(t, "again") {
			e := some[rapid.IntRange(0, len(some)-1).Draw(t, "copy")]
			if rapid.Bool().Draw(t, "later") { // the same identity with another payload
				e.At, e.Payload = e.At.Add(time.Second), json.RawMessage(strings.Replace(string(e.Payload), "true", "false", 1))
			}
			mixed = append(mixed, e)
		}
		seed := rapid.Uint64().Draw(t, "order")
		rand.New(rand.NewPCG(seed, 1)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		if got := Fold(mixed); !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v\nwant %+v", got, want)
		}
	})
}

// What is to be done at each prefix of a log, and after each step's time.
func TestDecide(t *testing.T) {
	t.Parallel()
	all := logOf(t)
	decide := func(n int, after time.Duration) string {
		s := Fold(all[:n])
		d := Decide(s, noon.Add(after))
		d.Wake = time.Time{}
		return strings.TrimSpace(strings.NewReplacer("Done:false", "", "Collect:false", "", "Plan:false", "", "Dispatch:[]", "", "Retry:[]", "", "Expire:[]", "", "Complete:false", "", "Synthesize:false", "", "Wake:0001-01-01 00:00:00 +0000 UTC", "", " ", "", "{", "", "}", "").Replace(fmt.Sprintf("%+v", d)))
	}
	for _, tt := range []struct {
		events int
		after  time.Duration
		want   string
	}{
		{0, 0, ""},
		{1, 0, "Plan:true"},
		{2, time.Second, "Dispatch:[013]"},
		{3, time.Second, "Dispatch:[13]"},
		{5, time.Second, ""},
		{5, 16 * time.Second, "Retry:[013]"},
		{5, 31 * time.Second, "Expire:[013]"},
		{6, 16 * time.Second, "Retry:[13]"},
		{7, time.Second, ""}, // the third step is skipped, the fourth is awaited
		{8, time.Second, "Complete:true"},
		{9, time.Second, "Complete:true"},
		{10, time.Second, "Synthesize:true"},
		{10, PlanTime, "Collect:true"},
		{1, PlanTime, "Collect:true"},
		{11, PlanTime, "Done:true"},
	} {
		if got := decide(tt.events, tt.after); got != tt.want {
			t.Errorf("after %d events and %v: %s, want %s", tt.events, tt.after, got, tt.want)
		}
	}
}

// A log whose beginning has expired is understood as far as it goes.
func TestFoldWithoutItsBeginning(t *testing.T) {
	t.Parallel()
	all := logOf(t)
	for gone := range all {
		s := Fold(all[gone:])
		if s.Answer == nil || !Decide(s, noon.Add(time.Hour)).Done {
			t.Errorf("without the first %d: %+v", gone, s)
		}
	}
	s := Fold(all[5:10]) // results, and the answer is wanted
	if s.asked() != "the question" || !Decide(s, noon.Add(time.Second)).Synthesize {
		t.Errorf("%+v", s)
	}
}

// What does not belong to the plan is counted and changes nothing.
func TestStrayEvents(t *testing.T) {
	t.Parallel()
	all := logOf(t)[:5]
	want := Fold(all)
	for name, p := range map[string]Resulted{
		"another plan":  {"plan_other", 0, "math", pack("1"), true, 1},
		"another tool":  {planID(flow), 0, "rag", pack("1"), true, 1},
		"no such step":  {planID(flow), 9, "math", pack("1"), true, 1},
		"another again": {"plan_other", 3, "rag", pack("1"), true, 1},
	} {
		e, err := newEvent(flow, ToolInvocationResulted, p.StepIndex, noon, p)
		if err != nil {
			t.Fatal(err)
		}
		s := Fold(append(slices.Clone(all), e))
		if s.Stray != 1 || !reflect.DeepEqual(s.Steps, want.Steps) {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// The schemas take what the engine writes and refuse what differs from it.
func TestSchemas(t *testing.T) {
	t.Parallel()
	cases := 0
	for _, e := range logOf(t) {
		raw, err := json.Marshal(e.Wire())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadWire(raw); err != nil {
			t.Errorf("%s: %v", e.Type, err)
		}
		cases++
		for what, change := range map[string]func(m, payload map[string]any){
			"no type":           func(m, _ map[string]any) { delete(m, "eventType") },
			"unknown type":      func(m, _ map[string]any) { m["eventType"] = "PlanForgotten" },
			"no correlation":    func(m, _ map[string]any) { delete(m, "correlationId") },
			"odd correlation":   func(m, _ map[string]any) { m["correlationId"] = "42" },
			"time as text":      func(m, _ map[string]any) { m["timestamp"] = "2026-11-26" },
			"no payload":        func(m, _ map[string]any) { delete(m, "payload") },
			"one field too few": func(_, p map[string]any) { delete(p, slices.Sorted(maps.Keys(p))[0]) },
			"one too many":      func(_, p map[string]any) { p["extra"] = true },
			"a field of null":   func(_, p map[string]any) { p[slices.Sorted(maps.Keys(p))[0]] = nil },
		} {
			var m map[string]any
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			change(m, m["payload"].(map[string]any))
			wrong, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ReadWire(wrong); !fault.Is(err, fault.Invalid) {
				t.Errorf("%s with %s: %v", e.Type, what, err)
			}
			cases++
		}
	}
	if cases < 15 {
		t.Errorf("%d cases", cases)
	}
	if _, err := ReadWire([]byte(`{"eventType":"FinalAnswerSynthesized","payload":"` + strings.Repeat("x", MaxEvent) + `"}`)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("an event that is too large: %v", err)
	}
}

var update = flag.Bool("update", false, "write the log of this release")

// Logs of earlier releases fold as they did. Each file holds the items of one plan and what they come to.
func TestLogsOfEarlierReleases(t *testing.T) {
	t.Parallel()
	type file struct {
		Events  []kept
		Answer  string
		Results []StepResult
	}
	path := filepath.Join("testdata", "log-v1.json")
	if *update {
		s := Fold(logOf(t))
		f := file{Answer: "the answer", Results: s.results()}
		for _, e := range logOf(t) {
			f.Events = append(f.Events, e.item())
		}
		raw, err := json.MarshalIndent(f, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(raw, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var f file
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	var events []Event
	for _, k := range f.Events {
		step, err := stepOf(k.Type, json.RawMessage(k.Payload))
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, Event{ID: identity(k.Correlation, k.Type, step), Type: k.Type, Correlation: k.Correlation, At: k.At, Payload: json.RawMessage(k.Payload), Note: k.Note})
	}
	s := Fold(events)
	if s.Answer == nil || s.Answer.FinalAnswer != f.Answer || s.Stray != 0 {
		t.Errorf("%+v", s)
	}
	got, _ := json.Marshal(s.results())
	want, _ := json.Marshal(f.Results)
	if string(got) != string(want) {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A million events are folded within 5 s of one processor's time.
func BenchmarkFold(b *testing.B) {
	all := logOf(b)
	raw := make([][]byte, len(all))
	for i, e := range all {
		var err error
		if raw[i], err = json.Marshal(e.Wire()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Fold(all)
	}
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "events/s")
}
