package wiring

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"merve/internal/app/settings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Each function of the table is a folder with a main, and the other way round.
func TestFunctionsAreFolders(t *testing.T) {
	t.Parallel()
	mains, err := filepath.Glob("../../functions/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var folders, names []string
	for _, m := range mains {
		folders = append(folders, filepath.Base(filepath.Dir(m)))
	}
	for _, f := range Functions() {
		names = append(names, f.Runs())
		if !slices.Contains(folders, f.Runs()) {
			t.Errorf("function %q is in the table, but there is no functions/%s/main.go", f.Name, f.Runs())
		}
	}
	for _, n := range folders {
		if !slices.Contains(names, n) {
			t.Errorf("functions/%s/main.go is there, but no function of the table runs it", n)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	kinds := map[string][]string{}
	add := func(kind, name string) {
		if slices.Contains(kinds[kind], name) {
			t.Errorf("%s %q is there twice", kind, name)
		}
		kinds[kind] = append(kinds[kind], name)
	}
	for _, f := range Functions() {
		add("function", f.Name)
		for _, r := range f.Routes {
			add("route", r.Key())
		}
		for _, g := range f.Tables {
			add("grant of "+f.Name, g.Table)
			for _, a := range g.Actions {
				add("action of "+f.Name+" on "+g.Table, string(a))
			}
		}
	}
	for _, tb := range Tables() {
		add("table", tb.Name)
		add("variable", tb.Env)
	}
	for _, q := range Queues() {
		add("queue", q.Name)
		if q.Env != "" {
			add("variable", q.Env)
		}
	}
	for _, b := range Buses() {
		add("bus", b.Name)
		add("variable", b.Env)
	}
	for _, r := range Rules() {
		add("rule", r.Name)
	}
	for _, s := range Settings() {
		add("variable", s.Name)
	}
	for _, a := range Alarms() {
		add("alarm", a.Name)
	}
}

// The function of the default route learns of the API's paths that it does not answer itself, and how:
// it can refuse their other methods, and knows nothing of pages.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	got := Elsewhere()
	want := map[string][]string{
		"/web-chat-api": {"POST", "OPTIONS"}, "/web-chat-api/me": {"GET", "DELETE", "OPTIONS"}, "/webhooks/messenger": {"GET", "POST"}, "/r/{reportId}/{token}": {"GET"},
		"/chat/message": nil, "/healthz": nil, "/sara": nil, "/admin/{page}": nil, "/admin/api/{proxy+}": nil, Default: nil,
	}
	for path, methods := range want {
		if diff := cmp.Diff(methods, got[path]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	for path := range got {
		if strings.Contains(path, "+}") {
			t.Errorf("%s is no pattern of http.ServeMux", path)
		}
	}
}

// A function is started in exactly one way, and can be told to stop.
func TestFunctionsHaveOneTrigger(t *testing.T) {
	t.Parallel()
	for _, f := range Functions() {
		started := 0
		for _, is := range []bool{len(f.Routes) > 0, f.Sockets, f.Queue != nil, f.Stream != nil, f.Schedule != nil} {
			if is {
				started++
			}
		}
		if started != 1 {
			t.Errorf("%s has %d kinds of trigger, want 1", f.Name, started)
		}
		for _, r := range f.Routes {
			if r.Path == Default && r.Method != "ANY" {
				t.Errorf("%s: the default route takes ANY method, not %s", f.Name, r.Method)
			}
		}
		if f.Timeout < 1 || f.Timeout > 900 {
			t.Errorf("%s: time-out of %d s, want 1 to 900", f.Name, f.Timeout)
		}
		if len(f.Routes) > 0 && f.Timeout >= 30 {
			t.Errorf("%s: time-out of %d s behind a gateway that waits 30 s", f.Name, f.Timeout)
		}
		if f.Schedule != nil && f.Schedule.Every%60 != 0 {
			t.Errorf("%s: every %d s, want whole minutes", f.Name, f.Schedule.Every)
		}
	}
}

func TestWhatIsNamedExists(t *testing.T) {
	t.Parallel()
	for _, f := range Functions() {
		for _, g := range f.Tables {
			wantTable(t, f.Name, g.Table)
		}
		for _, name := range f.Sends {
			if q := wantQueue(t, f.Name, name); q.Env == "" || q.DeadLetter == "" && !isDeadLetter(q.Name) {
				t.Errorf("%s sends to %s, which no variable leads to, or nobody reads", f.Name, name)
			}
		}
		for _, name := range f.Puts {
			wantBus(t, f.Name, name)
		}
		if f.Queue != nil {
			wantQueue(t, f.Name, f.Queue.Queue)
		}
		if f.Stream != nil {
			wantTable(t, f.Name, f.Stream.Table)
			wantQueue(t, f.Name, f.Stream.OnFailure)
		}
		if f.Schedule != nil {
			wantQueue(t, f.Name, f.Schedule.OnFailure)
		}
		for _, s := range f.Settings {
			if !slices.ContainsFunc(Settings(), func(x settings.Setting) bool { return x.Name == s }) {
				t.Errorf("%s reads setting %q, which is not in the table", f.Name, s)
			}
		}
	}
	for _, a := range Alarms() {
		if a.Of == OldestMessage {
			wantQueue(t, a.Name, a.Queue)
		}
	}
}

func wantTable(t *testing.T, who, name string) {
	t.Helper()
	if !slices.ContainsFunc(Tables(), func(x Table) bool { return x.Name == name }) {
		t.Errorf("%s names table %q, which is not there", who, name)
	}
}

func wantQueue(t *testing.T, who, name string) Queue {
	t.Helper()
	for _, q := range Queues() {
		if q.Name == name {
			return q
		}
	}
	t.Errorf("%s names queue %q, which is not there", who, name)
	return Queue{}
}

// isDeadLetter reports whether other queues leave there what failed.
func isDeadLetter(name string) bool {
	return slices.ContainsFunc(Queues(), func(q Queue) bool { return q.DeadLetter == name })
}

func wantBus(t *testing.T, who, name string) {
	t.Helper()
	if !slices.ContainsFunc(Buses(), func(b Bus) bool { return b.Name == name }) {
		t.Errorf("%s names bus %q, which is not there", who, name)
	}
}

// A rule joins a bus and a queue that there are, and the queue keeps no order: EventBridge would
// have to be told a group.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range Rules() {
		wantBus(t, r.Name, r.Bus)
		if q := wantQueue(t, r.Name, r.Queue); q.FIFO || q.DeadLetter == "" {
			t.Errorf("%s: %s has to be a queue without order and with a dead letter", r.Name, q.Name)
		}
		if len(r.Types) == 0 {
			t.Errorf("%s takes nothing", r.Name)
		}
	}
}

func TestRuleTakes(t *testing.T) {
	t.Parallel()
	all := Rule{Types: []string{"PlanGenerated", "PlanCompleted"}}
	weather := Rule{Types: []string{"ToolInvocationRequested"}, Tools: []string{"weather"}}
	for _, tt := range []struct {
		rule             Rule
		detailType, tool string
		want             bool
	}{
		{all, "PlanGenerated", "", true},
		{all, "PlanCompleted", "weather", true},
		{all, "Plan", "", false},
		{all, "", "", false},
		{weather, "ToolInvocationRequested", "weather", true},
		{weather, "ToolInvocationRequested", "math", false},
		{weather, "ToolInvocationRequested", "", false},
		{weather, "PlanGenerated", "weather", false},
	} {
		if got := tt.rule.Takes(tt.detailType, tt.tool); got != tt.want {
			t.Errorf("%v takes %q for %q: %v, want %v", tt.rule, tt.detailType, tt.tool, got, tt.want)
		}
	}
}

// Who is told of what: each event of the plan engine goes to one queue, or to consumers outside.
func TestWhereEventsGo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ bus, detailType, tool, want string }{
		{"conversation-events", "PlanGenerated", "", "plan-events"},
		{"conversation-events", "ToolInvocationResulted", "math", "plan-events"},
		{"conversation-events", "PlanCompleted", "", "plan-events"},
		{"conversation-events", "SynthesizeFinalAnswerRequested", "", "plan-answers"},
		{"conversation-events", "FinalAnswerSynthesized", "", ""},
		{"conversation-events", "ToolInvocationRequested", "math", ""},
		{"tool-invocation-requests", "ToolInvocationRequested", "math", "worker-math"},
		{"tool-invocation-requests", "ToolInvocationRequested", "weather", "worker-weather"},
		{"tool-invocation-requests", "ToolInvocationRequested", "rag", "worker-rag"},
		{"tool-invocation-requests", "ToolInvocationRequested", "general_chat", "worker-general-chat"},
		{"tool-invocation-requests", "ToolInvocationRequested", "no_such_tool", ""},
		{"bot_output_events", "BotResponseMessage", "", ""},
	} {
		var got []string
		for _, r := range Rules() {
			if r.Bus == tt.bus && r.Takes(tt.detailType, tt.tool) {
				got = append(got, r.Queue)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s %s on %s goes to %q, want %q", tt.detailType, tt.tool, tt.bus, got, tt.want)
		}
	}
}

// A function that puts events on a bus learns the bus's name.
func TestEnvOfBuses(t *testing.T) {
	t.Parallel()
	f := Function{Puts: []string{"bot_output_events", "conversation-events"}, Sends: []string{"plan-events"}}
	want := []string{"PLAN_EVENTS_QUEUE_URL", "BUS_CONVERSATION_EVENTS", "BUS_BOT_OUTPUT_EVENTS", "PUBLIC_URL", "LOG_LEVEL", "DEFAULT_MARKET"}
	if diff := cmp.Diff(want, f.Env()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A message must not show up again while a function may still be busy with it, and
// what fails must end where a person finds it.
func TestQueues(t *testing.T) {
	t.Parallel()
	for _, q := range Queues() {
		if q.DeadLetter == "" {
			continue
		}
		dead := wantQueue(t, q.Name, q.DeadLetter)
		if dead.FIFO != q.FIFO {
			t.Errorf("%s and its dead letter %s are not both FIFO or both not", q.Name, dead.Name)
		}
		if dead.DeadLetter != "" {
			t.Errorf("%s is the dead letter of %s and has one itself", dead.Name, q.Name)
		}
		if dead.Keep <= q.Keep {
			t.Errorf("%s keeps messages no longer than %s", dead.Name, q.Name)
		}
		if q.Receives < 3 {
			t.Errorf("%s gives up after %d receives, want at least 3", q.Name, q.Receives)
		}
	}
	readers := map[string]string{}
	for _, f := range Functions() {
		if f.Queue == nil {
			continue
		}
		q := wantQueue(t, f.Name, f.Queue.Queue)
		if other := readers[q.Name]; other != "" {
			t.Errorf("%s is read by %s and by %s: each message would go to either", q.Name, other, f.Name)
		}
		readers[q.Name] = f.Name
		// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
		if p := f.Queue.Parallel; p != 0 && (p < 2 || p > 1000) {
			t.Errorf("%s: %d invocations at a time, want 2 to 1000, or 0 for no bound", f.Name, p)
		}
		if f.Queue.Batch < 1 || f.Queue.Batch > 10 {
			t.Errorf("%s: batches of %d, want 1 to 10", f.Name, f.Queue.Batch)
		}
		// AWS advises six time-outs, for batches and for pollers that are throttled with messages
		// in hand. A message that is taken alone would wait for all that time when its function is
		// killed, and block its group on a queue in order.
		// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
		low, high := 6*f.Timeout, q.Visibility
		if f.Queue.Batch == 1 {
			low, high = f.Timeout+15, f.Timeout+60
		}
		if q.Visibility < low || q.Visibility > high {
			t.Errorf("%s hides a message of %s for %d s, want %d to %d", q.Name, f.Name, q.Visibility, low, high)
		}
		if q.DeadLetter == "" {
			t.Errorf("%s is read by %s and has no dead letter", q.Name, f.Name)
		}
		if !f.Queue.PartialFailures {
			t.Errorf("%s does not answer which messages failed", f.Name)
		}
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	readers := map[string]int{}
	for _, f := range Functions() {
		s := f.Stream
		if s == nil {
			continue
		}
		if readers[s.Table]++; readers[s.Table] > 2 {
			t.Errorf("more than two functions read the stream of %s: they would be throttled", s.Table)
		}
		if !s.Bisect || !s.PartialFailures || s.MaxAge < 1800 || s.MaxAge > 7200 || len(s.Filters) == 0 {
			t.Errorf("%s: a stream trigger needs bisect, partial failures, an age that outlasts a short outage and no more, and a filter: %+v", f.Name, *s)
		}
		if q := wantQueue(t, f.Name, s.OnFailure); q.FIFO || q.DeadLetter != "" {
			t.Errorf("%s: changes given up go to %s, want a plain queue that nothing reads", f.Name, q.Name)
		}
		for _, tb := range Tables() {
			if tb.Name == s.Table && !tb.Stream {
				t.Errorf("%s follows %s, which has no stream", f.Name, tb.Name)
			}
		}
	}
}

func TestFilterTakes(t *testing.T) {
	t.Parallel()
	f := Filter{Events: []string{"INSERT"}, SKPrefix: "event#"}
	tests := []struct {
		event, sk string
		want      bool
	}{
		{"INSERT", "event#000001", true},
		{"INSERT", "event#", true},
		{"MODIFY", "event#000001", false},
		{"REMOVE", "event#000001", false},
		{"INSERT", "event", false},
		{"INSERT", "head", false},
		{"INSERT", "", false},
		{"", "event#000001", false},
	}
	for _, tt := range tests {
		if got := f.Takes(tt.event, tt.sk, nil); got != tt.want {
			t.Errorf("Takes(%q, %q) = %v, want %v", tt.event, tt.sk, got, tt.want)
		}
	}
	f.Has = "dueShard"
	for _, is := range []bool{true, false} {
		if got := f.Takes("INSERT", "event#1", func(name string) bool { return is && name == "dueShard" }); got != is {
			t.Errorf("with the attribute: %v, taken: %v", is, got)
		}
	}
}

func TestEnv(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"chat": {
			"TABLE_CONVERSATIONS", "TABLE_LEDGER", "TABLE_ALERTS", "TABLE_CATALOG", "TABLE_RECORDS", "MEDIA_BUCKET", "TURN_QUEUE_URL", "PLAN_EVENTS_QUEUE_URL", "WORKER_RAG_QUEUE_URL", "SECRET_ID",
			"PUBLIC_URL", "LOG_LEVEL", "MERVE_VERSION", "DEFAULT_MARKET", "OPENAI_BASE_URL", "OPENAI_MODEL", "OPENMETEO_BASE_URL", "OPENMETEO_GEOCODING_BASE_URL", "TWILIO_ACCOUNT_SID", "TWILIO_BASE_URL",
			"AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL", "SARA_MODEL", "LIVE_URL", "GUARD_MODEL", "MAPBOX_BASE_URL", "TYPESENSE_URL", "STRIPE_BASE_URL",
			"EXTERNAL_DISCOVERY_ENABLED", "SOCIAL_DISCOVERY_ENABLED", "MAPS_ENRICHMENT_ENABLED", "DISCOVERY_MAX_CALLS_PER_REQUEST", "MAPS_MAX_CALLS_PER_REQUEST",
			"GEMINI_BASE_URL", "GEMINI_MODEL", "GOOGLE_PLACES_BASE_URL", "GATEWAY_TIMEOUT",
		},
		"expiry": {
			"TABLE_CONVERSATIONS", "TABLE_LEDGER", "TABLE_ALERTS", "TABLE_CATALOG", "TABLE_RECORDS", "TURN_QUEUE_URL", "SECRET_ID", "PUBLIC_URL", "LOG_LEVEL", "DEFAULT_MARKET",
			"STRIPE_BASE_URL",
		},
		"admin": {
			"TABLE_CONVERSATIONS", "TABLE_LEDGER", "TABLE_ALERTS", "TABLE_CATALOG", "TABLE_RECORDS", "MEDIA_BUCKET", "TURN_QUEUE_URL", "SECRET_ID",
			"PUBLIC_URL", "LOG_LEVEL", "DEFAULT_MARKET", "OPENAI_BASE_URL", "OPENAI_MODEL", "AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL", "AUTH_CLIENT_ID", "AUTH_SIGN_IN_ORIGINS",
			"SARA_MODEL", "GUARD_MODEL", "TYPESENSE_URL",
		},
		"sender": {
			"TABLE_CONVERSATIONS", "TABLE_ALERTS", "TURN_QUEUE_URL", "SECRET_ID",
			"PUBLIC_URL", "LOG_LEVEL", "DEFAULT_MARKET", "TWILIO_ACCOUNT_SID", "TWILIO_WHATSAPP_FROM", "TWILIO_BASE_URL", "META_BASE_URL",
		},
		"live": {
			"TABLE_CONVERSATIONS", "TABLE_CATALOG", "TABLE_RECORDS", "LIVE_ENDPOINT", "TURN_QUEUE_URL", "LIVE_QUEUE_URL",
			"PUBLIC_URL", "LOG_LEVEL", "DEFAULT_MARKET", "AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL",
		},
	}
	for _, f := range Functions() {
		if want[f.Name] == nil {
			continue
		}
		if diff := cmp.Diff(want[f.Name], f.Env(), cmpopts.SortSlices(strings.Compare)); diff != "" {
			t.Errorf("%s reads (-want +got):\n%s", f.Name, diff)
		}
		delete(want, f.Name)
	}
	for name := range want {
		t.Errorf("function %q is not in the table", name)
	}
}

// Every function has samples of what starts it, events/<function>.json and
// events/<function>-<case>.json, and those of HTTP are of its own routes.
func TestSamples(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../events/*.json")
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string][]string{}
	for _, file := range files {
		name := sampledBy(file)
		samples[name] = append(samples[name], file)
	}
	for _, f := range Functions() {
		if len(samples[f.Name]) == 0 {
			t.Errorf("events/ has no sample for %s", f.Name)
		}
		for _, file := range samples[f.Name] {
			wantSampleOf(t, f, file)
		}
		delete(samples, f.Name)
	}
	for _, files := range samples {
		t.Errorf("samples for no function of the table: %v", files)
	}
}

// sampledBy is the function that a sample is of, or the sample's own name when there is none.
func sampledBy(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	for _, f := range Functions() {
		if name == f.Name || strings.HasPrefix(name, f.Name+"-") {
			return f.Name
		}
	}
	return name
}

func wantSampleOf(t *testing.T, f Function, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		RouteKey   string `json:"routeKey"`
		DetailType string `json:"detail-type"`
		Context    struct {
			EventType string `json:"eventType"`
		} `json:"requestContext"`
		Records []struct {
			EventSource string `json:"eventSource"`
		}
	}
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	source := ""
	if len(e.Records) > 0 {
		source = e.Records[0].EventSource
	}
	switch {
	case len(f.Routes) > 0 && slices.ContainsFunc(f.Routes, func(r Route) bool { return r.Key() == e.RouteKey }):
	case f.Sockets && e.Context.EventType != "":
	case f.Queue != nil && source == "aws:sqs":
	case f.Stream != nil && source == "aws:dynamodb":
	case f.Schedule != nil && e.DetailType == "Scheduled Event":
	default:
		t.Errorf("%s is not what starts %s: route %q, source %q, detail type %q", file, f.Name, e.RouteKey, source, e.DetailType)
	}
}

// Settings end up readable in the function's configuration; secrets never do.
func TestSettingsAreNoSecrets(t *testing.T) {
	t.Parallel()
	for _, f := range Functions() {
		for _, key := range f.Secrets {
			if slices.Contains(f.Env(), key) {
				t.Errorf("%s: %s is a secret and among its settings", f.Name, key)
			}
		}
	}
	for _, s := range Settings() {
		for _, word := range []string{"TOKEN", "KEY", "SECRET", "PASSWORD"} {
			if strings.HasSuffix(s.Name, word) && s.Name != "STRIPE_PUBLISHABLE_KEY" { // it is on pages
				t.Errorf("setting %s looks like a secret", s.Name)
			}
		}
	}
}

// The table of settings that operators read has every variable that they may set, and what holds where it is not set.
func TestOperatorsReadOfEverySetting(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{} // by variable
	for line := range strings.Lines(string(text)) {
		if first, _, row := strings.Cut(strings.TrimPrefix(line, "| "), " | "); row && strings.HasPrefix(line, "| `") {
			for _, name := range regexp.MustCompile("`([A-Z0-9_]+)`").FindAllStringSubmatch(first, -1) {
				rows[name[1]] += first
			}
		}
	}
	for _, s := range settings.All() {
		row, ok := rows[s.Name]
		if !ok || s.Default != "" && !strings.Contains(row, s.Default) || s.Cloud != "" && !s.Machine && s.Cloud != s.Default && !strings.Contains(row, s.Cloud) {
			t.Errorf("%s (%q, in the cloud %q) is told of so: %q", s.Name, s.Default, s.Cloud, row)
		}
	}
	for _, f := range Functions() {
		for _, key := range f.Secrets {
			if rows[key] == "" && !strings.HasPrefix(key, "FACEBOOK_") && !strings.HasPrefix(key, "FB_") { // "`FACEBOOK_…` and `FB_…` are taken too"
				t.Errorf("nobody reads of %s", key)
			}
		}
	}
}

// The table is data: it can be read by anything, because it needs nothing but the list of workers, the settings and the
// standard library.
func TestImportsNothing(t *testing.T) {
	t.Parallel()
	may := []string{`"merve/internal/plan/worker/kind"`, `"merve/internal/app/settings"`}
	for _, dir := range []string{".", "../../internal/plan/worker/kind", "../../internal/app/settings"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%v, no files in %s", err, dir)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, imp := range file.Imports {
				if path := imp.Path.Value; strings.Contains(path, ".") || strings.Contains(path, "merve") && !slices.Contains(may, path) {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
}

// Each alarm has a page that says what it means, what the customer sees and what to do, and no page is without one.
func TestRunbook(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("runbook/*.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("runbook/README.md")
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]bool{}
	for _, page := range pages {
		left[strings.TrimSuffix(filepath.Base(page), ".md")] = true
	}
	delete(left, "README")
	for _, a := range Alarms() {
		delete(left, a.Name)
		text, err := os.ReadFile("runbook/" + a.Name + ".md")
		if err != nil {
			t.Error(err)
			continue
		}
		for _, part := range []string{"# " + a.Name + "\n", "\n## What it means\n\n", "\n## What the customer sees\n\n", "\n## What to do\n\n```\n"} {
			if !strings.Contains(string(text), part) {
				t.Errorf("runbook/%s.md has no %q", a.Name, part)
			}
		}
		if !strings.Contains(string(list), "("+a.Name+".md)") {
			t.Errorf("runbook/README.md does not list %s", a.Name)
		}
	}
	for name := range left {
		t.Errorf("runbook/%s.md is of no alarm", name)
	}
}
