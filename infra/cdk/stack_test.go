package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"
	"github.com/google/go-cmp/cmp"

	"merve/infra/wiring"
	"merve/internal/app/settings"
)

func TestMain(m *testing.M) {
	code := m.Run()
	closeBridge()
	os.Exit(code)
}

// template is a synthesised stack, both as the assertions library has it and decoded.
type template struct {
	assert    assertions.Template
	data      assertions.Template // the stack of what is stored
	text      string
	Room      int `json:"-"` // resources of the functions' stack
	Resources map[string]resource
	Outputs   map[string]struct{ Value any }
}

type resource struct {
	Type           string
	Properties     map[string]any
	DeletionPolicy string
}

// plain is the stack without any context value, production everything: made once.
var plain = sync.OnceValues(func() (template, error) { return synthesise(nil) })

// full has every context value that adds something.
var full = sync.OnceValues(func() (template, error) {
	return synthesise(map[string]any{
		"stage": "prod", "alarmEmail": "ops@example.com", "tracing": "true",
		"AUTH_ISSUER": "https://issuer.example.com", "AUTH_AUDIENCE": "merve",
		"PUBLIC_URL": "https://merve.example.com", "OPENAI_MODEL": "some-model",
	})
})

func get(t *testing.T, made func() (template, error)) template {
	t.Helper()
	tm, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return tm
}

// synthesise makes the stack with stand-ins for the built functions.
func synthesise(context map[string]any) (tm template, err error) {
	defer recovered(func(p any) { err = fmt.Errorf("synthesis: %v", p) })
	dir, err := os.MkdirTemp("", "merve-cdk")
	if err != nil {
		return tm, err
	}
	defer os.RemoveAll(dir)
	context = maps.Clone(context)
	if context == nil {
		context = map[string]any{}
	}
	context["dist"] = filepath.Join(dir, "dist")
	for _, f := range wiring.Functions() {
		if err := standIn(filepath.Join(dir, "dist", f.Runs())); err != nil {
			return tm, err
		}
	}
	o, err := readOptions(context)
	if err != nil {
		return tm, err
	}
	made := newStack(newApp(jsii.String(filepath.Join(dir, "out"))), o)
	tm.data = assertions.Template_FromStack(made.Node().FindChild(jsii.String("Data")).(awscdk.NestedStack), nil)
	tm.assert = assertions.Template_FromStack(made, nil)
	return tm, tm.decode()
}

// decode reads both stacks as one: what the functions' refers to by an output of the data's is what that output is.
func (tm *template) decode() error {
	data, err := json.Marshal(tm.data.ToJSON())
	if err != nil {
		return err
	}
	var stored template
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	whole := *tm.assert.ToJSON()
	text, err := json.Marshal(joined(whole, stored.Outputs))
	if err != nil {
		return err
	}
	tm.text = string(text) + string(data)
	if err := json.Unmarshal(text, tm); err != nil {
		return err
	}
	tm.Room = len(tm.Resources)
	for name, r := range stored.Resources {
		tm.Resources[name] = r
	}
	return nil
}

// joined is v with the outputs of a nested stack in the place of the references to them.
func joined(v any, outputs map[string]struct{ Value any }) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = joined(v[i], outputs)
		}
	case map[string]any:
		if at, ok := v["Fn::GetAtt"].([]any); ok && len(at) == 2 {
			if name, ok := strings.CutPrefix(fmt.Sprint(at[1]), "Outputs."); ok {
				return outputs[name].Value
			}
		}
		for k := range v {
			v[k] = joined(v[k], outputs)
		}
	}
	return v
}

func standIn(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "bootstrap"), []byte(dir), 0o755)
}

// recovered hands on what was panicked with: the bridge to the CDK panics on every
// error, a failed assertion included.
func recovered(tell func(p any)) {
	if p := recover(); p != nil {
		tell(p)
	}
}

func (tm template) has(t *testing.T, kind string, props map[string]any) {
	t.Helper()
	defer recovered(func(p any) { t.Errorf("%v", p) })
	tm.of(kind).HasResourceProperties(jsii.String(kind), props)
}

// of is the stack that has resources of a kind.
func (tm template) of(kind string) assertions.Template {
	if kind == "AWS::DynamoDB::GlobalTable" {
		return tm.data
	}
	return tm.assert
}

func (tm template) counts(t *testing.T, kind string, want int) {
	t.Helper()
	defer recovered(func(p any) { t.Errorf("%v", p) })
	tm.of(kind).ResourceCountIs(jsii.String(kind), jsii.Number(want))
}

// all returns the resources of a kind by logical id.
func (tm template) all(kind string) map[string]resource {
	found := map[string]resource{}
	for name, r := range tm.Resources {
		if r.Type == kind {
			found[name] = r
		}
	}
	return found
}

// one returns the resource of a kind whose logical id is name and CDK's eight digits.
func (tm template) one(t *testing.T, kind, name string) (string, resource) {
	t.Helper()
	for logical, r := range tm.all(kind) {
		if logical == name || len(logical) == len(name)+8 && strings.HasPrefix(logical, name) {
			return logical, r
		}
	}
	t.Fatalf("the template has no %s called %s", kind, name)
	return "", resource{}
}

// at follows a path of keys and indexes; nil when it ends early.
func at(v any, path ...any) any {
	for _, step := range path {
		switch x := v.(type) {
		case map[string]any:
			key, ok := step.(string)
			if !ok {
				return nil
			}
			v = x[key]
		case []any:
			i, ok := step.(int)
			if !ok || i >= len(x) {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// refers reports whether the value names the resource with that logical id.
func refers(v any, logical string) bool {
	switch x := v.(type) {
	case map[string]any:
		if x["Ref"] == logical || at(x, "Fn::GetAtt", 0) == logical {
			return true
		}
		for _, sub := range x {
			if refers(sub, logical) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(x, func(sub any) bool { return refers(sub, logical) })
	}
	return false
}

func sorted(names []string) []string {
	slices.Sort(names)
	return names
}

// Folders, table and template name the same functions.
func TestFunctionsAgree(t *testing.T) {
	tm := get(t, plain)
	mains, err := filepath.Glob("../../functions/*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	var folders, programs, ids, made []string
	for _, m := range mains {
		folders = append(folders, filepath.Base(filepath.Dir(m)))
	}
	for _, f := range wiring.Functions() {
		programs, ids = append(programs, f.Runs()), append(ids, *id(f.Name, ""))
	}
	for logical := range tm.all("AWS::Lambda::Function") {
		made = append(made, logical[:strings.Index(logical, "Function")])
	}
	if diff := cmp.Diff(sorted(ids), sorted(made)); diff != "" {
		t.Errorf("functions of the wiring and of the template (-wiring +template):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Compact(sorted(programs)), sorted(folders)); diff != "" {
		t.Errorf("programs of the wiring and in functions/ (-wiring +folders):\n%s", diff)
	}
}

func TestFunctionsAreAsWired(t *testing.T) {
	for _, made := range []func() (template, error){plain, full} {
		tm := get(t, made)
		roles := map[any]string{}
		for _, f := range wiring.Functions() {
			_, r := tm.one(t, "AWS::Lambda::Function", *id(f.Name, "Function"))
			p := r.Properties
			for _, c := range []struct {
				what      string
				got, want any
			}{
				{"runtime", p["Runtime"], "provided.al2023"},
				{"architecture", at(p, "Architectures", 0), "arm64"},
				{"handler", p["Handler"], "bootstrap"},
				{"memory", p["MemorySize"], float64(f.Memory)},
				{"time-out", p["Timeout"], float64(f.Timeout)},
				{"reserved concurrency", p["ReservedConcurrentExecutions"], nil},
			} {
				if c.got != c.want {
					t.Errorf("%s: %s is %v, want %v", f.Name, c.what, c.got, c.want)
				}
			}
			if at(p, "LoggingConfig", "LogGroup") == nil {
				t.Errorf("%s has no log group of its own", f.Name)
			}
			role := at(p, "Role", "Fn::GetAtt", 0)
			if other := roles[role]; other != "" {
				t.Errorf("%s and %s share a role", f.Name, other)
			}
			roles[role] = f.Name
			wantEnv(t, f, p)
		}
		for name, r := range tm.all("AWS::Logs::LogGroup") {
			if r.Properties["RetentionInDays"] == nil {
				t.Errorf("log group %s keeps lines for ever", name)
			}
		}
	}
}

// wantEnv demands the variables of the wiring, less the settings nobody set.
func wantEnv(t *testing.T, f wiring.Function, props map[string]any) {
	t.Helper()
	vars, _ := at(props, "Environment", "Variables").(map[string]any)
	for name := range vars {
		if !slices.Contains(f.Env(), name) {
			t.Errorf("%s is given %s, which it does not read", f.Name, name)
		}
	}
	for _, name := range f.Env() {
		optional := slices.ContainsFunc(wiring.Settings(), func(s settings.Setting) bool {
			return s.Name == name && s.Cloud == "" && name != "PUBLIC_URL"
		})
		if vars[name] == nil && !optional {
			t.Errorf("%s is not given %s", f.Name, name)
		}
	}
}

func TestSettingsReachFunctions(t *testing.T) {
	tm := get(t, full)
	_, chat := tm.one(t, "AWS::Lambda::Function", "ChatFunction")
	vars := at(chat.Properties, "Environment", "Variables")
	for name, want := range map[string]string{
		"AUTH_ISSUER": "https://issuer.example.com", "AUTH_AUDIENCE": "merve", "PUBLIC_URL": "https://merve.example.com",
		"OPENAI_MODEL": "some-model", "SECRET_ID": "merve/prod", "GATEWAY_TIMEOUT": "25s",
	} {
		if got := at(vars, name); got != want {
			t.Errorf("%s is %v, want %q", name, got, want)
		}
	}
	if got := tm.Outputs["WhatsappWebhookUrl"].Value; got != "https://merve.example.com/webhooks/whatsapp" {
		t.Errorf("WhatsappWebhookUrl is %v", got)
	}
	if got := at(chat.Properties, "TracingConfig", "Mode"); got != "Active" {
		t.Errorf("tracing=true gives tracing %v", got)
	}
	_, chat = get(t, plain).one(t, "AWS::Lambda::Function", "ChatFunction")
	if got := at(chat.Properties, "TracingConfig", "Mode"); got != nil && got != "PassThrough" {
		t.Errorf("without tracing=true tracing is %v", got)
	}
}

func TestRoutes(t *testing.T) {
	for _, made := range []func() (template, error){plain, full} {
		tm := get(t, made)
		var want []string
		for _, f := range wiring.Functions() {
			function, _ := tm.one(t, "AWS::Lambda::Function", *id(f.Name, "Function"))
			for _, r := range f.Routes {
				want = append(want, r.Key())
				wantRoute(t, tm, r.Key(), function)
			}
		}
		tm.counts(t, "AWS::ApiGatewayV2::Route", len(want)+len(socketRoutes))
		tm.counts(t, "AWS::ApiGatewayV2::Authorizer", 0)
		if !slices.Contains(want, wiring.Default) {
			t.Error("the gateway answers by itself what no route takes")
		}
	}
}

func wantRoute(t *testing.T, tm template, key, function string) {
	t.Helper()
	api, _ := tm.one(t, "AWS::ApiGatewayV2::Api", "Api")
	for _, r := range tm.all("AWS::ApiGatewayV2::Route") {
		if r.Properties["RouteKey"] != key || !refers(r.Properties["ApiId"], api) {
			continue
		}
		for integration, i := range tm.all("AWS::ApiGatewayV2::Integration") {
			if refers(r.Properties["Target"], integration) {
				if !refers(i.Properties["IntegrationUri"], function) || i.Properties["PayloadFormatVersion"] != "2.0" {
					t.Errorf("%s goes to %v", key, i.Properties)
				}
				return
			}
		}
	}
	t.Errorf("the template has no route %s", key)
}

// socketRoutes are those of the WebSocket API.
var socketRoutes = []string{"$connect", "$disconnect", "$default"}

// All that happens on sockets goes to one function, which alone may be invoked by them; the stage is bounded as the
// other gateway is, and its address is told.
func TestSockets(t *testing.T) {
	tm := get(t, full)
	api, made := tm.one(t, "AWS::ApiGatewayV2::Api", "Sockets")
	if made.Properties["ProtocolType"] != "WEBSOCKET" || made.Properties["Name"] != "merve-prod-live" {
		t.Errorf("the API is %v", made.Properties)
	}
	stage, st := tm.one(t, "AWS::ApiGatewayV2::Stage", "SocketsStage")
	if !refers(st.Properties["ApiId"], api) || st.Properties["StageName"] != "live" || st.Properties["AutoDeploy"] != true ||
		at(st.Properties, "DefaultRouteSettings", "ThrottlingRateLimit") != float64(requestsPerSecond) ||
		at(st.Properties, "DefaultRouteSettings", "ThrottlingBurstLimit") != float64(requestsAtOnce) {
		t.Errorf("the stage is %v", st.Properties)
	}
	for _, f := range wiring.Functions() {
		function, made := tm.one(t, "AWS::Lambda::Function", *id(f.Name, "Function"))
		vars, _ := at(made.Properties, "Environment", "Variables").(map[string]any)
		if f.Posts != refers(vars[wiring.PostsEnv], api) || slices.Contains(f.Settings, "LIVE_URL") != refers(vars["LIVE_URL"], api) {
			t.Errorf("%s writes to sockets at %v and tells clients %v", f.Name, vars[wiring.PostsEnv], vars["LIVE_URL"])
		}
		if got, want := tm.invokes(api, function), map[bool]int{true: len(socketRoutes)}[f.Sockets]; got != want {
			t.Errorf("%s may be invoked by %d routes of sockets, want %d", f.Name, got, want)
		}
	}
	var keys []string
	for _, r := range tm.all("AWS::ApiGatewayV2::Route") {
		if refers(r.Properties["ApiId"], api) {
			keys = append(keys, fmt.Sprint(r.Properties["RouteKey"]))
		}
	}
	if diff := cmp.Diff(sorted(slices.Clone(socketRoutes)), sorted(keys)); diff != "" {
		t.Errorf("routes (-want +got):\n%s", diff)
	}
	if out := tm.Outputs["LiveUrl"].Value; !refers(out, api) || !refers(out, stage) && !strings.Contains(fmt.Sprint(out), "/live") || !strings.Contains(fmt.Sprint(out), "wss://") {
		t.Errorf("LiveUrl is %v", out)
	}
}

// invokes counts the permissions of an API to invoke a function.
func (tm template) invokes(api, function string) (n int) {
	for _, p := range tm.all("AWS::Lambda::Permission") {
		if refers(p.Properties["FunctionName"], function) && refers(p.Properties["SourceArn"], api) && p.Properties["Principal"] == "apigateway.amazonaws.com" {
			n++
		}
	}
	return n
}

// What is stored is in a stack of its own, under names that are given, so that functions made anew find it.
func TestTablesAreApart(t *testing.T) {
	tm, err := synthesise(map[string]any{"tables": "merve-prod-"})
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, r := range tm.all("AWS::DynamoDB::GlobalTable") {
		named[fmt.Sprint(r.Properties["TableName"])] = true
		if r.DeletionPolicy != "Retain" {
			t.Errorf("a table goes with its stack: %v", r)
		}
	}
	for _, table := range wiring.Tables() {
		if !named["merve-prod-"+table.Name] {
			t.Errorf("no table is named merve-prod-%s: %v", table.Name, named)
		}
	}
	if nested := tm.all("AWS::CloudFormation::Stack"); len(nested) != 1 {
		t.Errorf("stacks: %v", nested)
	}
	if _, err := readOptions(map[string]any{"tables": "a table/"}); err == nil || !strings.Contains(err.Error(), "context tables") {
		t.Errorf("a name that no table may have: %v", err)
	}
}

// CloudFormation refuses a stack of more than 500 resources, so there must be room for the next functions.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
func TestRoomInTheStack(t *testing.T) {
	const most = 400
	tm := get(t, full)
	if got := tm.Room; got > most {
		kinds := map[string]int{}
		for _, r := range tm.Resources {
			kinds[r.Type]++
		}
		t.Errorf("%d resources, want at most %d: %v", got, most, kinds)
	}
	api, _ := tm.one(t, "AWS::ApiGatewayV2::Api", "Api")
	for _, f := range wiring.Functions() {
		logical, _ := tm.one(t, "AWS::Lambda::Function", *id(f.Name, "Function"))
		if got, want := tm.invokes(api, logical), min(len(f.Routes), 1); got != want {
			t.Errorf("%s: %d permissions of the API, want %d", f.Name, got, want)
		}
	}
}

// Only functions that write to sockets may, and to those of this stage alone.
func TestPosts(t *testing.T) {
	tm := get(t, full)
	api, _ := tm.one(t, "AWS::ApiGatewayV2::Api", "Sockets")
	for _, f := range wiring.Functions() {
		posts := 0
		for _, p := range tm.all("AWS::IAM::Policy") {
			if !refers(p.Properties["Roles"], tm.role(t, f)) {
				continue
			}
			for _, s := range list(at(p.Properties, "PolicyDocument", "Statement")) {
				if !slices.Contains(list(at(s, "Action")), any("execute-api:ManageConnections")) {
					continue
				}
				posts++
				if resource := at(s, "Resource"); !refers(resource, api) || resourceName(resource) != connectionsOfStage {
					t.Errorf("%s may write to %v", f.Name, resource)
				}
			}
		}
		if want := map[bool]int{true: 1}[f.Posts]; posts != want {
			t.Errorf("%s may write to sockets by %d statements, want %d", f.Name, posts, want)
		}
	}
}

// connectionsOfStage is how the connections of the stage are named behind the API's own name.
const connectionsOfStage = "/live/*/@connections/*"

func TestGatewayIsBoundedAndLogged(t *testing.T) {
	tm := get(t, plain)
	tm.has(t, "AWS::ApiGatewayV2::Stage", map[string]any{
		"DefaultRouteSettings": map[string]any{"ThrottlingRateLimit": requestsPerSecond, "ThrottlingBurstLimit": requestsAtOnce},
	})
	_, stage := tm.one(t, "AWS::ApiGatewayV2::Stage", "ApiStage")
	format, _ := at(stage.Properties, "AccessLogSettings", "Format").(string)
	var line map[string]string
	if err := json.Unmarshal([]byte(format), &line); err != nil {
		t.Fatalf("the access log is not JSON: %v", err)
	}
	if line["traceId"] == "" || line["requestId"] == "" {
		t.Error("the access log has no trace id")
	}
	for _, personal := range []string{"sourceIp", "userAgent", "context.path", "claims", "querystring", "caller", "user"} {
		if strings.Contains(format, personal) {
			t.Errorf("the access log has %s, which is personal", personal)
		}
	}
}

// mapping returns the one event source mapping of a function.
func (tm template) mapping(t *testing.T, function string) map[string]any {
	t.Helper()
	logical, _ := tm.one(t, "AWS::Lambda::Function", *id(function, "Function"))
	var found []map[string]any
	for _, m := range tm.all("AWS::Lambda::EventSourceMapping") {
		if refers(m.Properties["FunctionName"], logical) {
			found = append(found, m.Properties)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d event source mappings, want 1", function, len(found))
	}
	return found[0]
}

func TestQueueTriggers(t *testing.T) {
	tm := get(t, plain)
	for _, f := range wiring.Functions() {
		if f.Queue == nil {
			continue
		}
		m := tm.mapping(t, f.Name)
		queue, _ := tm.one(t, "AWS::SQS::Queue", *id(f.Queue.Queue, "Queue"))
		if !refers(m["EventSourceArn"], queue) || m["BatchSize"] != float64(f.Queue.Batch) ||
			at(m, "FunctionResponseTypes", 0) != "ReportBatchItemFailures" {
			t.Errorf("%s: %v", f.Name, m)
		}
		var most any
		if f.Queue.Parallel > 0 {
			most = float64(f.Queue.Parallel)
		}
		if got := at(m, "ScalingConfig", "MaximumConcurrency"); got != most {
			t.Errorf("%s: %v at a time, want %v", f.Name, got, most)
		}
	}
}

func TestStreamTriggers(t *testing.T) {
	tm := get(t, plain)
	for _, f := range wiring.Functions() {
		if f.Stream == nil {
			continue
		}
		m := tm.mapping(t, f.Name)
		table, _ := tm.one(t, "AWS::DynamoDB::GlobalTable", *id(f.Stream.Table, "Table"))
		failed, _ := tm.one(t, "AWS::SQS::Queue", *id(f.Stream.OnFailure, "Queue"))
		for _, c := range []struct {
			what      string
			got, want any
		}{
			{"stream", at(m, "EventSourceArn", "Fn::GetAtt", 0), table},
			{"on failure", at(m, "DestinationConfig", "OnFailure", "Destination", "Fn::GetAtt", 0), failed},
			{"partial failures", at(m, "FunctionResponseTypes", 0), "ReportBatchItemFailures"},
			{"bisect", m["BisectBatchOnFunctionError"], true},
			{"retries", m["MaximumRetryAttempts"], nil}, // no bound
			{"age", m["MaximumRecordAgeInSeconds"], float64(f.Stream.MaxAge)},
			{"batch", m["BatchSize"], float64(f.Stream.Batch)},
			{"parallel", m["ParallelizationFactor"], float64(f.Stream.Parallel)},
			{"start", m["StartingPosition"], "TRIM_HORIZON"},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s is %v, want %v", f.Name, c.what, c.got, c.want)
			}
		}
	}
}

// A pattern in the cloud must take exactly what the wiring's filter takes.
func TestPatternsAgreeWithFilters(t *testing.T) {
	tm := get(t, plain)
	for _, f := range wiring.Functions() {
		if f.Stream == nil {
			continue
		}
		patterns := decodePatterns(t, tm.mapping(t, f.Name))
		for _, event := range []string{"INSERT", "MODIFY", "REMOVE"} {
			for _, sk := range []string{"", "head", "event#", "event#1", "event", "xevent#1", "outbox#", "outbox#1", "OUTBOX#1", "lock#1"} {
				for _, due := range []bool{false, true} {
					after := map[string]any{"at": map[string]any{"N": "1"}}
					if due {
						after["dueShard"] = map[string]any{"S": "untold#01"}
					}
					record := map[string]any{
						"eventName": event,
						"dynamodb": map[string]any{
							"Keys": map[string]any{"pk": map[string]any{"S": "x"}, "sk": map[string]any{"S": sk}}, "NewImage": after,
						},
					}
					want := slices.ContainsFunc(f.Stream.Filters, func(w wiring.Filter) bool {
						return w.Takes(event, sk, func(name string) bool { return after[name] != nil })
					})
					if got := matchesAny(patterns, record); got != want {
						t.Errorf("%s: %s of %q, due %v, is delivered: %v, want %v", f.Name, event, sk, due, got, want)
					}
				}
			}
		}
	}
}

// The samples in events/ are ones that would really be delivered.
func TestSamplesPassTheFilters(t *testing.T) {
	tm := get(t, plain)
	for _, f := range wiring.Functions() {
		if f.Stream == nil {
			continue
		}
		text, err := os.ReadFile("../../events/" + f.Name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var sample struct{ Records []map[string]any }
		if err := json.Unmarshal(text, &sample); err != nil {
			t.Fatal(err)
		}
		if len(sample.Records) == 0 {
			t.Errorf("events/%s.json has no records", f.Name)
		}
		patterns := decodePatterns(t, tm.mapping(t, f.Name))
		for i, r := range sample.Records {
			if !matchesAny(patterns, r) {
				t.Errorf("events/%s.json: record %d would not be delivered", f.Name, i)
			}
		}
	}
}

func decodePatterns(t *testing.T, mapping map[string]any) []map[string]any {
	t.Helper()
	filters, _ := at(mapping, "FilterCriteria", "Filters").([]any)
	if len(filters) == 0 {
		t.Fatal("no filters")
	}
	var all []map[string]any
	for _, f := range filters {
		text, _ := at(f, "Pattern").(string)
		var pattern map[string]any
		if err := json.Unmarshal([]byte(text), &pattern); err != nil {
			t.Fatalf("pattern %s: %v", text, err)
		}
		all = append(all, pattern)
	}
	return all
}

func matchesAny(patterns []map[string]any, v any) bool {
	return slices.ContainsFunc(patterns, func(p map[string]any) bool { return matches(p, v) })
}

// matches is as much of the pattern language as the stack uses: exact values, prefixes and
// that there is a value, one of a list.
func matches(pattern, v any) bool {
	switch p := pattern.(type) {
	case map[string]any:
		for key, sub := range p {
			if !matches(sub, at(v, key)) {
				return false
			}
		}
		return true
	case []any:
		text, isText := v.(string)
		return slices.ContainsFunc(p, func(want any) bool {
			prefix, isPrefix := at(want, "prefix").(string)
			return isText && (want == text || isPrefix && strings.HasPrefix(text, prefix) || at(want, "exists") == true)
		})
	}
	return false
}

func TestSchedules(t *testing.T) {
	tm := get(t, plain)
	scheduled := 0
	for _, f := range wiring.Functions() {
		if f.Schedule == nil {
			continue
		}
		scheduled++
		failed, _ := tm.one(t, "AWS::SQS::Queue", *id(f.Schedule.OnFailure, "Queue"))
		function, _ := tm.one(t, "AWS::Lambda::Function", *id(f.Name, "Function"))
		_, rule := tm.one(t, "AWS::Events::Rule", *id(f.Name, "Schedule"))
		minutes := fmt.Sprintf("rate(%d minutes)", f.Schedule.Every/60)
		if f.Schedule.Every == 60 {
			minutes = "rate(1 minute)"
		}
		target := at(rule.Properties, "Targets", 0)
		if rule.Properties["ScheduleExpression"] != minutes || !refers(at(target, "Arn"), function) ||
			!refers(at(target, "DeadLetterConfig"), failed) || at(target, "RetryPolicy", "MaximumRetryAttempts") == nil {
			t.Errorf("%s: %v", f.Name, rule.Properties)
		}
		tm.wantAllowed(t, failed, "events.amazonaws.com", "sqs:SendMessage")
		_, invoke := tm.one(t, "AWS::Lambda::EventInvokeConfig", *id(f.Name, "FunctionEventInvokeConfig"))
		if !refers(at(invoke.Properties, "DestinationConfig", "OnFailure"), failed) {
			t.Errorf("%s: a tick that failed is lost: %v", f.Name, invoke.Properties)
		}
	}
	tm.counts(t, "AWS::Events::Rule", scheduled+len(wiring.Rules()))
}

func TestBuses(t *testing.T) {
	tm := get(t, full)
	tm.counts(t, "AWS::Events::EventBus", len(wiring.Buses()))
	for _, w := range wiring.Buses() {
		_, bus := tm.one(t, "AWS::Events::EventBus", *id(w.Name, "Bus"))
		if got := bus.Properties["Name"]; got != "merve-prod-"+w.Name {
			t.Errorf("%s is called %v", w.Name, got)
		}
	}
}

// A function that puts events on a bus may do that, on this bus only, and learns its name.
func TestPuts(t *testing.T) {
	dir := t.TempDir()
	if err := standIn(filepath.Join(dir, "dist", "probe")); err != nil {
		t.Fatal(err)
	}
	app := newApp(jsii.String(filepath.Join(dir, "out")))
	s := &stack{
		cdk: awscdk.NewStack(app, jsii.String("merve-probe"), nil), options: options{Dist: filepath.Join(dir, "dist")},
		buses: map[string]awsevents.EventBus{}, functions: map[string]awslambda.Function{},
	}
	s.addBuses(wiring.Buses())
	s.env = map[string]*string{"BUS_CONVERSATION_EVENTS": s.buses["conversation-events"].EventBusName()}
	s.addFunction(wiring.Function{Name: "probe", Memory: 128, Timeout: 3, Puts: []string{"conversation-events"}})
	text, err := json.Marshal(assertions.Template_FromStack(s.cdk, nil).ToJSON())
	if err != nil {
		t.Fatal(err)
	}
	var tm template
	if err := json.Unmarshal(text, &tm); err != nil {
		t.Fatal(err)
	}
	bus, _ := tm.one(t, "AWS::Events::EventBus", "ConversationEventsBus")
	granted := map[string][]string{}
	for _, p := range tm.all("AWS::IAM::Policy") {
		collect(t, "probe", p.Properties, granted)
	}
	if diff := cmp.Diff([]string{"events:PutEvents"}, granted[bus]); diff != "" || len(granted) != 2 { // and its log
		t.Errorf("may do %v", granted)
	}
	_, f := tm.one(t, "AWS::Lambda::Function", "ProbeFunction")
	if got := at(f.Properties, "Environment", "Variables", "BUS_CONVERSATION_EVENTS"); !refers(got, bus) {
		t.Errorf("is told %v", got)
	}
}

// A rule in the cloud takes exactly what the wiring's takes, puts it on its queue, which lets it,
// and leaves in the queue's dead letter what it cannot put there.
func TestRules(t *testing.T) {
	tm := get(t, plain)
	for _, w := range wiring.Rules() {
		logical, r := tm.one(t, "AWS::Events::Rule", *id(w.Name, "Rule"))
		bus, _ := tm.one(t, "AWS::Events::EventBus", *id(w.Bus, "Bus"))
		queue, _ := tm.one(t, "AWS::SQS::Queue", *id(w.Queue, "Queue"))
		target := at(r.Properties, "Targets", 0)
		if !refers(r.Properties["EventBusName"], bus) || len(list(r.Properties["Targets"])) != 1 || !refers(at(target, "Arn"), queue) {
			t.Errorf("%s: %v", w.Name, r.Properties)
		}
		tm.wantAllowed(t, queue, "events.amazonaws.com", "sqs:SendMessage")
		for _, q := range wiring.Queues() {
			if q.Name != w.Queue {
				continue
			}
			dead, _ := tm.one(t, "AWS::SQS::Queue", *id(q.DeadLetter, "Queue"))
			if !refers(at(target, "DeadLetterConfig"), dead) {
				t.Errorf("%s: what cannot be put on %s is lost", w.Name, w.Queue)
			}
			tm.wantAllowed(t, dead, "events.amazonaws.com", "sqs:SendMessage")
		}
		tm.wantTargetIn(t, logical, queue)
		for _, detailType := range []string{
			"PlanGenerated", "ToolInvocationRequested", "ToolInvocationResulted", "PlanCompleted",
			"SynthesizeFinalAnswerRequested", "FinalAnswerSynthesized", "",
		} {
			for _, tool := range []string{"", "math", "weather", "rag", "general_chat", "other"} {
				event := map[string]any{"detail-type": detailType, "detail": map[string]any{"payload": map[string]any{"toolName": tool}}}
				if got, want := matches(r.Properties["EventPattern"], event), w.Takes(detailType, tool); got != want {
					t.Errorf("%s takes %s of %q: %v, want %v", w.Name, detailType, tool, got, want)
				}
			}
		}
	}
}

// wantTargetIn wants the policy of a queue to let EventBridge in for this rule, and not for any rule of any account.
func (tm template) wantTargetIn(t *testing.T, rule, queue string) {
	t.Helper()
	for _, p := range tm.all("AWS::SQS::QueuePolicy") {
		for _, s := range list(at(p.Properties, "PolicyDocument", "Statement")) {
			if refers(at(s, "Resource"), queue) && at(s, "Principal", "Service") == "events.amazonaws.com" &&
				refers(at(s, "Condition", "ArnEquals", "aws:SourceArn"), rule) {
				return
			}
		}
	}
	t.Errorf("%s is let in to %s by no statement that names it", rule, queue)
}

func TestTables(t *testing.T) {
	tm := get(t, plain)
	tm.counts(t, "AWS::DynamoDB::GlobalTable", len(wiring.Tables()))
	for _, w := range wiring.Tables() {
		_, r := tm.one(t, "AWS::DynamoDB::GlobalTable", *id(w.Name, "Table"))
		p := r.Properties
		for _, c := range []struct {
			what      string
			got, want any
		}{
			{"billing", p["BillingMode"], "PAY_PER_REQUEST"},
			{"recovery", at(p, "Replicas", 0, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"), true},
			{"ttl", at(p, "TimeToLiveSpecification", "AttributeName"), "ttl"},
			{"deletion protection", at(p, "Replicas", 0, "DeletionProtectionEnabled"), true},
			{"deletion policy", r.DeletionPolicy, "Retain"},
			{"hash key", at(p, "KeySchema", 0, "AttributeName"), "pk"},
			{"range key", at(p, "KeySchema", 1, "AttributeName"), "sk"},
		} {
			if c.got != c.want {
				t.Errorf("%s: %s is %v, want %v", w.Name, c.what, c.got, c.want)
			}
		}
		if w.Stream && at(p, "StreamSpecification", "StreamViewType") != "NEW_AND_OLD_IMAGES" {
			t.Errorf("%s: stream is %v", w.Name, p["StreamSpecification"])
		}
		wantIndexes(t, w, p)
	}
}

func wantIndexes(t *testing.T, w wiring.Table, props map[string]any) {
	t.Helper()
	var want, got []string
	for _, ix := range w.Indexes {
		kind, holds := "S", "KEYS_ONLY"
		if ix.Number {
			kind = "N"
		}
		if ix.All {
			holds = "ALL"
		}
		want = append(want, fmt.Sprintln(ix.Name, ix.PK, "S", ix.SK, kind, holds))
	}
	kinds := map[any]any{}
	for _, a := range list(props["AttributeDefinitions"]) {
		kinds[at(a, "AttributeName")] = at(a, "AttributeType")
	}
	indexes, _ := props["GlobalSecondaryIndexes"].([]any)
	for _, ix := range indexes {
		pk, sk := at(ix, "KeySchema", 0, "AttributeName"), at(ix, "KeySchema", 1, "AttributeName")
		got = append(got, fmt.Sprintln(at(ix, "IndexName"), pk, kinds[pk], sk, kinds[sk], at(ix, "Projection", "ProjectionType")))
	}
	if diff := cmp.Diff(sorted(want), sorted(got)); diff != "" {
		t.Errorf("indexes of %s (-wiring +template):\n%s", w.Name, diff)
	}
}

func TestQueues(t *testing.T) {
	tm := get(t, plain)
	tm.counts(t, "AWS::SQS::Queue", len(wiring.Queues()))
	for _, w := range wiring.Queues() {
		_, r := tm.one(t, "AWS::SQS::Queue", *id(w.Name, "Queue"))
		if w.FIFO && (r.Properties["DeduplicationScope"] != "messageGroup" || r.Properties["FifoThroughputLimit"] != "perMessageGroupId") {
			t.Errorf("%s: threads wait for each other: %v", w.Name, r.Properties)
		}
		if got := r.Properties["FifoQueue"] == true; got != w.FIFO {
			t.Errorf("%s: FIFO is %v, want %v", w.Name, got, w.FIFO)
		}
		if r.Properties["SqsManagedSseEnabled"] != true {
			t.Errorf("%s is not encrypted", w.Name)
		}
		if w.DeadLetter == "" {
			continue
		}
		dead, _ := tm.one(t, "AWS::SQS::Queue", *id(w.DeadLetter, "Queue"))
		if !refers(at(r.Properties, "RedrivePolicy"), dead) || at(r.Properties, "RedrivePolicy", "maxReceiveCount") != float64(w.Receives) {
			t.Errorf("%s: redrive is %v", w.Name, r.Properties["RedrivePolicy"])
		}
		if r.Properties["VisibilityTimeout"] != float64(w.Visibility) {
			t.Errorf("%s: visibility is %v, want %d", w.Name, r.Properties["VisibilityTimeout"], w.Visibility)
		}
		if got, _ := r.Properties["DelaySeconds"].(float64); got != float64(w.Delay) {
			t.Errorf("%s: delay is %v, want %d", w.Name, r.Properties["DelaySeconds"], w.Delay)
		}
	}
}

func TestBucketIsPrivate(t *testing.T) {
	tm := get(t, plain)
	tm.has(t, "AWS::S3::Bucket", map[string]any{
		"PublicAccessBlockConfiguration": map[string]any{
			"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true,
		},
	})
	_, bucket := tm.one(t, "AWS::S3::Bucket", "MediaBucket")
	if bucket.Properties["BucketEncryption"] == nil || bucket.Properties["LifecycleConfiguration"] == nil {
		t.Errorf("the bucket is not encrypted or has no life cycle: %v", bucket.Properties)
	}
	if bucket.Properties["VersioningConfiguration"] != nil {
		t.Error("the bucket keeps old versions: photos that were deleted would stay")
	}
	if bucket.DeletionPolicy != "Retain" {
		t.Errorf("the bucket's deletion policy is %s", bucket.DeletionPolicy)
	}
	tm.has(t, "AWS::S3::BucketPolicy", map[string]any{"PolicyDocument": map[string]any{
		"Statement": assertions.Match_ArrayWith(&[]any{assertions.Match_ObjectLike(&map[string]any{
			"Effect": "Deny", "Condition": map[string]any{"Bool": map[string]any{"aws:SecureTransport": "false"}},
		})}),
	}})
}

func TestAlarms(t *testing.T) {
	tm := get(t, full)
	want := map[string]any{} // alarm to the metric that it watches
	for _, q := range wiring.Queues() {
		if q.DeadLetter == "" {
			want[*id("failed-messages-"+q.Name, "Alarm")] = "ApproximateNumberOfMessagesVisible"
		}
	}
	for _, f := range wiring.Functions() {
		if f.Schedule != nil {
			want[*id("heartbeat-"+f.Name, "Alarm")] = "Invocations"
		}
	}
	want["TurnsUnansweredAllAlarm"], want["OutboxAgeAllAlarm"], want["OutboxDepthAllAlarm"] = "TurnsUnanswered", "OutboxAge", "OutboxDepth"
	want["ServerErrorsApiAlarm"] = "5xx"
	want["TurnsLateTurnsAlarm"] = "ApproximateAgeOfOldestMessage"
	want["LiveLateLiveAlarm"] = "ApproximateAgeOfOldestMessage"
	want["AlertsRaisedAlarm"] = "Alerts"
	for name, metric := range want {
		_, a := tm.one(t, "AWS::CloudWatch::Alarm", name)
		if a.Properties["MetricName"] != metric {
			t.Errorf("%s watches %v, want %v", name, a.Properties["MetricName"], metric)
		}
		missing, compared := "notBreaching", "GreaterThanThreshold"
		if metric == "Invocations" { // silence is what it tells of
			missing, compared = "breaching", "LessThanOrEqualToThreshold"
		}
		if a.Properties["TreatMissingData"] != missing || a.Properties["ComparisonOperator"] != compared {
			t.Errorf("%s: %v", name, a.Properties)
		}
		if at(a.Properties, "AlarmActions", 0) == nil {
			t.Errorf("%s tells nobody", name)
		}
	}
	queries := map[string]string{ // of what every function or provider has
		"ErrorsAlarm":          `SELECT SUM(Errors) FROM SCHEMA("AWS/Lambda", FunctionName) GROUP BY FunctionName ORDER BY SUM() DESC`,
		"ThrottlesAlarm":       `SELECT SUM(Throttles) FROM SCHEMA("AWS/Lambda", FunctionName) GROUP BY FunctionName ORDER BY SUM() DESC`,
		"StreamAgeAlarm":       `SELECT MAX(IteratorAge) FROM SCHEMA("AWS/Lambda", FunctionName) GROUP BY FunctionName ORDER BY MAX() DESC`,
		"FailedItemsAlarm":     `SELECT SUM(FailedItems) FROM SCHEMA("Merve", function) GROUP BY function ORDER BY SUM() DESC`,
		"ProviderRefusedAlarm": `SELECT SUM(ProviderCalls) FROM SCHEMA("Merve", provider, outcome) WHERE outcome = 'refused' GROUP BY provider ORDER BY SUM() DESC`,
		"ProviderFailedAlarm":  `SELECT SUM(ProviderCalls) FROM SCHEMA("Merve", provider, outcome) WHERE outcome = 'failed' GROUP BY provider ORDER BY SUM() DESC`,
	}
	for name, query := range queries {
		a := tm.Resources[name]
		q, _ := at(a.Properties, "Metrics", 0).(map[string]any)
		if q["Expression"] != query || q["ReturnData"] != true || q["Period"] != 300.0 || a.Properties["TreatMissingData"] != "notBreaching" {
			t.Errorf("%s: %v", name, a.Properties)
		}
		if at(a.Properties, "AlarmActions", 0) == nil || at(a.Properties, "OKActions", 0) == nil {
			t.Errorf("%s tells nobody", name)
		}
	}
	if got := tm.Resources["StreamAgeAlarm"].Properties["Threshold"]; got != 300_000.0 {
		t.Errorf("the age of a stream is above %v ms", got)
	}
	tm.counts(t, "AWS::CloudWatch::Alarm", len(want)+len(queries))
	_, alerts := tm.one(t, "AWS::CloudWatch::Alarm", "AlertsRaisedAlarm")
	if alerts.Properties["Namespace"] != "Merve" || alerts.Properties["Statistic"] != "Sum" || alerts.Properties["Dimensions"] != nil {
		t.Errorf("the alarm on alerts watches %v", alerts.Properties)
	}
	for topic := range tm.all("AWS::SNS::Topic") {
		tm.wantAllowed(t, topic, "cloudwatch.amazonaws.com", "sns:Publish")
	}
	get(t, plain).counts(t, "AWS::SNS::Topic", 0)
}

// wantAllowed wants the policy of a topic or queue to let a service in: those that only deny what
// is not encrypted let none.
func (tm template) wantAllowed(t *testing.T, of, service, action string) {
	t.Helper()
	for _, kind := range []string{"AWS::SNS::TopicPolicy", "AWS::SQS::QueuePolicy"} {
		for _, p := range tm.all(kind) {
			for _, s := range list(at(p.Properties, "PolicyDocument", "Statement")) {
				if refers(at(s, "Resource"), of) && at(s, "Effect") == "Allow" && at(s, "Principal", "Service") == service &&
					slices.Contains(list(at(s, "Action")), any(action)) {
					return
				}
			}
		}
	}
	t.Errorf("%s may not %s to %s", service, action, of)
}

// A role can do what its function's line in the wiring says, and nothing on anything
// else.
func TestRolesAreLeastPrivilege(t *testing.T) {
	tm := get(t, full)
	for _, f := range wiring.Functions() {
		granted := map[string][]string{} // logical id of a resource to actions
		for _, p := range tm.all("AWS::IAM::Policy") {
			if refers(p.Properties["Roles"], tm.role(t, f)) {
				collect(t, f.Name, p.Properties, granted)
			}
		}
		if diff := cmp.Diff(tm.wanted(t, f), granted); diff != "" {
			t.Errorf("%s may (-wanted +granted):\n%s", f.Name, diff)
		}
	}
	for name, r := range tm.all("AWS::IAM::Role") {
		if r.Properties["Policies"] != nil {
			t.Errorf("%s has policies of its own: %v", name, r.Properties["Policies"])
		}
		if managed, _ := r.Properties["ManagedPolicyArns"].([]any); len(managed) > 0 &&
			!strings.Contains(fmt.Sprint(managed), "AWSXRayDaemonWriteAccess") {
			t.Errorf("%s has managed policies: %v", name, managed)
		}
	}
}

func (tm template) role(t *testing.T, f wiring.Function) string {
	t.Helper()
	_, r := tm.one(t, "AWS::Lambda::Function", *id(f.Name, "Function"))
	role, _ := at(r.Properties, "Role", "Fn::GetAtt", 0).(string)
	return role
}

// wanted is what the wiring says f may do, by logical id.
func (tm template) wanted(t *testing.T, f wiring.Function) map[string][]string {
	want := map[string][]string{"*": {"xray:PutTelemetryRecords", "xray:PutTraceSegments"}}
	add := func(kind, name, suffix string, actions ...string) {
		logical, _ := tm.one(t, kind, name)
		want[logical+suffix] = slices.Compact(sorted(append(want[logical+suffix], actions...)))
	}
	add("AWS::Logs::LogGroup", *id(f.Name, "Logs"), "", "logs:CreateLogStream", "logs:PutLogEvents")
	for _, g := range f.Tables {
		for _, a := range g.Actions {
			add("AWS::DynamoDB::GlobalTable", *id(g.Table, "Table"), "", "dynamodb:"+string(a))
		}
		for _, w := range wiring.Tables() {
			for _, ix := range w.Indexes {
				if w.Name == g.Table && slices.Contains(g.Actions, wiring.Query) {
					add("AWS::DynamoDB::GlobalTable", *id(g.Table, "Table"), "/index/"+ix.Name, "dynamodb:Query")
				}
			}
		}
	}
	if f.Scans {
		want["*"] = sorted(append(want["*"], "textract:AnalyzeExpense"))
	}
	if f.Media {
		add("AWS::S3::Bucket", "MediaBucket", "", "s3:ListBucket")
		add("AWS::S3::Bucket", "MediaBucket", "/*", "s3:DeleteObject", "s3:GetObject", "s3:PutObject")
	}
	for _, q := range f.Sends {
		add("AWS::SQS::Queue", *id(q, "Queue"), "", "sqs:SendMessage", "sqs:GetQueueAttributes")
	}
	for _, b := range f.Puts {
		add("AWS::Events::EventBus", *id(b, "Bus"), "", "events:PutEvents")
	}
	if f.Posts {
		want[connectionsOfStage] = []string{"execute-api:ManageConnections"}
	}
	onFailure := []string{"sqs:SendMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl"}
	if f.Queue != nil {
		add("AWS::SQS::Queue", *id(f.Queue.Queue, "Queue"), "", "sqs:ReceiveMessage", "sqs:ChangeMessageVisibility",
			"sqs:GetQueueUrl", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
	}
	if f.Stream != nil {
		add("AWS::DynamoDB::GlobalTable", *id(f.Stream.Table, "Table"), ".StreamArn", "dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams")
		add("AWS::SQS::Queue", *id(f.Stream.OnFailure, "Queue"), "", onFailure...)
	}
	if f.Schedule != nil {
		add("AWS::SQS::Queue", *id(f.Schedule.OnFailure, "Queue"), "", onFailure...)
	}
	if len(f.Secrets) > 0 {
		want[":secret:merve/prod-??????"] = []string{"secretsmanager:GetSecretValue"}
	}
	return want
}

// collect adds the actions that a policy allows, by what its resources are.
func collect(t *testing.T, function string, policy map[string]any, granted map[string][]string) {
	t.Helper()
	statements, _ := at(policy, "PolicyDocument", "Statement").([]any)
	for _, s := range statements {
		if at(s, "Effect") != "Allow" {
			t.Errorf("%s: a statement that does not allow: %v", function, s)
		}
		for _, r := range list(at(s, "Resource")) {
			name := resourceName(r)
			for _, a := range list(at(s, "Action")) {
				action := a.(string)
				if strings.Contains(action, "*") {
					t.Errorf("%s may do %s", function, action)
				}
				if !slices.Contains(granted[name], action) {
					granted[name] = sorted(append(granted[name], action))
				}
			}
		}
	}
}

func list(v any) []any {
	if l, ok := v.([]any); ok {
		return l
	}
	return []any{v}
}

// resourceName shortens a resource of a policy: the logical id it refers to, and what
// of it. Attribute Arn is not said.
func resourceName(r any) string {
	if s, ok := r.(string); ok {
		return s
	}
	if parts := list(at(r, "Fn::Join", 1)); len(parts) > 1 {
		last, _ := parts[len(parts)-1].(string)
		if owner := resourceName(parts[0]); owner != "arn:" {
			return owner + last
		}
		return last
	}
	logical, attribute := at(r, "Fn::GetAtt", 0), at(r, "Fn::GetAtt", 1)
	if attribute == "Arn" {
		return fmt.Sprint(logical)
	}
	return fmt.Sprintf("%v.%v", logical, attribute)
}

// The template is kept, copied and read by many: secrets are in it by name only.
func TestNoSecretsInTemplate(t *testing.T) {
	tm := get(t, full)
	for _, f := range wiring.Functions() {
		for _, key := range f.Secrets {
			if strings.Contains(tm.text, key) {
				t.Errorf("the template speaks of %s", key)
			}
		}
	}
	tm.counts(t, "AWS::SecretsManager::Secret", 0)
	if strings.Contains(tm.text, "{{resolve:") {
		t.Error("the template resolves a secret into a plain value")
	}
}

func TestDisposable(t *testing.T) {
	tm, err := synthesise(map[string]any{"stage": "test", "disposable": true})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range tm.Resources {
		if r.DeletionPolicy == "Retain" {
			t.Errorf("%s would outlive a disposable stack", name)
		}
	}
	for name, r := range tm.all("AWS::DynamoDB::GlobalTable") {
		if at(r.Properties, "Replicas", 0, "DeletionProtectionEnabled") == true {
			t.Errorf("%s is protected in a disposable stack", name)
		}
	}
}
