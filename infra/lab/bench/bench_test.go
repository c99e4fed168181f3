package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"merve/infra/local/dynamodb"
	"merve/internal/base/seedtest"
)

// TestMain lets the tests' program be the process that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == holdPlans {
		main()
		return
	}
	os.Exit(m.Run())
}

// known are the targets that are not met today, each with its reason. One that is met
// again has to go from here.
var known = map[string]string{
	"plain turn, WhatsApp: webhook, turn, delivery, first on its thread, ≤ 6 requests": "in which role a number writes is looked up once a minute",
	"plain turn, app, first on its thread, ≤ 8 WU":                                     "the thread enters the indexes of what waits and of its market",
	plainPush + ", ≤ 8 WU":                            "lease, outbox, claim and record of the delivery",
	plainPush + ", first on its thread, ≤ 8 WU":       "and the indexes",
	plainPage + ", ≤ 8 WU":                            "the same",
	plainPage + ", first on its thread, ≤ 8 WU":       "the same",
	plainPage + ", ≤ 6 requests":                      "what they have reported",
	plainPage + ", first on its thread, ≤ 6 requests": "the same",
	"live turn beyond a plain one, ≤ 10 WU":           "what a socket and a conversation send at a time is counted in the store",
}

// today is what each operation takes of the store: requests, and write units as billed. It
// is a bound from above: what takes more has to say why here, what takes less may lower it.
var today = map[string]struct {
	requests int
	writes   float64
}{
	plainApp: {3, 8}, plainWeb: {3, 8}, plainPush: {6, 18}, plainPage: {7, 18}, repeated: {1, 4}, statusReport: {1, 1},
	oneTool: {3, 10}, threeTools: {3, 14}, threeRounds: {3, 14},
	proposal: {9, 34}, // 1 to count what the customer has, 1 for what stands, and events are due until they are told
	reminder: {4, 8}, delivery: {2, 8},
	holdAlone:    {4, 16}, // 1 to count what the customer has, and the token of it
	confirm:      {8, 51}, // 3 to look again at market, offer and listing, 4 units to hold the commit to each, the tokens of what the customer has, and the row of what stands
	notification: {3, 6},  // 1 for the list by which it is found when its customer has all of theirs deleted, and 1 to say that the event was told
}

// Every function has an event to start with.
func TestEveryFunctionCanBeStarted(t *testing.T) {
	t.Parallel()
	o := defaults()
	o.Root = filepath.Join("..", "..", "..")
	events, err := o.samples()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range o.Functions {
		if len(events[name]) == 0 {
			t.Errorf("%s has none", name)
		}
	}
}

// TestTargets holds what is counted to what is promised: requests, units, growth, what
// becomes of twenty messages at once, and, in the long form, that functions start without
// asking anybody and answer. Times are not looked at; sizes are where functions are built for
// the cloud (make synth).
func TestTargets(t *testing.T) {
	o := defaults().quick()
	o.Log, o.Root, o.Parts, o.Python, o.Sizes = t.Output(), filepath.Join("..", "..", ".."), "operations,plans,live,requests,peers", "", false
	o.Functions = nil
	started := 0
	if seedtest.Times(t, 1) > 1 { // to build functions takes minutes
		o.Parts, o.Functions = o.Parts+",starts", []string{"chat", "whatsapp", "expiry"}
		started = len(o.Functions) + 1 // and the empty one
	}
	r, err := measure(t.Context(), ownServer(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Targets) < 15 {
		t.Errorf("%d targets were looked at: %+v", len(r.Targets), r.Targets)
	}
	missed := map[string]bool{}
	for _, target := range r.Targets {
		name := target.Name + ", " + target.Want
		if !target.Counted || target.Met {
			continue
		}
		if missed[name] = true; known[name] == "" {
			t.Errorf("%s: measured %s", name, target.Measured)
		}
	}
	for name := range known {
		if !missed[name] {
			t.Errorf("%s is met: take it off the list of those that are not", name)
		}
	}
	checkToday(t, r.Rows)
	if len(r.Starts) != started {
		t.Errorf("%d functions were started, want %d", len(r.Starts), started)
	}
	checkReport(t, r)
	checkCosts(t, o.Root, r)
}

// checkToday fails on one request or unit more. The first turn of a thread may write two
// index entries: of what waits, and of the market's threads.
func checkToday(t *testing.T, rows []Row) {
	t.Helper()
	seen := map[string]bool{}
	for _, row := range rows {
		most, ok := today[row.Name]
		if !ok {
			continue
		}
		if seen[row.Name] = true; row.History == 0 {
			most.writes += 2
			if row.Name == plainPush {
				most.requests++ // in which role the number writes, looked up once a minute
			}
		}
		if row.Count.Requests > most.requests || row.Count.BilledWrites > most.writes {
			t.Errorf("%s, history %d: %d requests and %g write units, want at most %d and %g",
				row.Name, row.History, row.Count.Requests, row.Count.BilledWrites, most.requests, most.writes)
		}
	}
	for name := range today {
		if !seen[name] {
			t.Errorf("%s was not measured", name)
		}
	}
}

// ownServer starts a store that no other test uses: schedules look at all there is.
func ownServer(t *testing.T) string {
	t.Helper()
	server, err := dynamodb.Start(t.Context(), dynamodb.Options{CacheDir: filepath.Join("..", "..", "..", ".cache")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	return server.URL
}

// checkReport wants the bench to have counted, and to say so in both forms.
func checkReport(t *testing.T, r *Report) {
	t.Helper()
	for _, row := range append(r.Rows, r.Cold...) {
		c := row.Count
		if c.Requests == 0 || c.Bytes == 0 || c.BilledWrites+c.BilledReads == 0 || row.P50 <= 0 || row.Own <= 0 || row.Own > row.P50 || row.Allocs == 0 {
			t.Errorf("%s, history %d: nothing was measured: %+v", row.Name, row.History, row)
		}
		if c.BilledWrites > 2*c.Writes && row.Name != repeated { // as it has started, it counts indexes once or twice
			t.Errorf("%s: AWS bills %g write units, and DynamoDB Local counts %g only", row.Name, c.BilledWrites, c.Writes)
		}
	}
	printed := r.markdown()
	for _, want := range []string{plainApp, plainPush, holdAlone, confirm, "Merve | tool", "LEFT OUT", "≤ 4 requests"} {
		if !strings.Contains(printed, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Report
	if err := json.Unmarshal(b, &again); err != nil || len(again.Rows) != len(r.Rows) || again.Rows[0].Count != r.Rows[0].Count {
		t.Errorf("JSON does not come back: %v", err)
	}
}

// checkCosts holds the table of costs.md to what is measured: requests and write units, which are
// the same for threads of any length, and on any machine.
func checkCosts(t *testing.T, root string, r *Report) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "infra", "lab", "bench", "costs.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := &page{}
	r.briefTable(p)
	told := figures(string(text))
	for name, want := range figures(p.String()) {
		if strings.HasPrefix(name, expiryOf) || strings.HasPrefix(name, checkOf) {
			continue // of fewer
		}
		if got := told[name]; got != want {
			t.Errorf("%s: costs.md says %q requests and write units, and it is %q", name, got, want)
		}
	}
	for _, prefix := range brief {
		if !strings.Contains(string(text), "\n| "+prefix) {
			t.Errorf("costs.md says nothing of %s", prefix)
		}
	}
}

// figures are the first two of each operation in Markdown.
func figures(text string) map[string][2]string {
	found := map[string][2]string{}
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, " | "); len(cells) > 8 && strings.HasPrefix(line, "| ") {
			found[strings.TrimPrefix(cells[0], "| ")] = [2]string{cells[1], cells[2]}
		}
	}
	return found
}
