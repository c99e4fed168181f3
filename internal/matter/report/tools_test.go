package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"merve/internal/agent/tool"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/telemetry"
	"merve/internal/matter/report"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
)

// album is what customers have sent: references by thread and address.
type album map[string]map[string]string

func (a album) Kept(_ context.Context, thread, urlOrRef string) (string, error) {
	if urlOrRef == "https://busy" {
		return "", fault.New(fault.Unavailable, "the bucket is away")
	}
	for address, ref := range a[thread] {
		if urlOrRef == address || urlOrRef == ref {
			return ref, nil
		}
	}
	return "", actor.ErrNotFound
}

func (a album) Address(_ context.Context, ref string) (string, error) {
	switch ref {
	case "photo:gone":
		return "", actor.ErrNotFound
	case "photo:busy":
		return "", fault.New(fault.Unavailable, "the bucket is away")
	}
	return "https://media.test/" + ref, nil
}

func (a album) Delete(_ context.Context, ref string) error {
	if ref == "photo:busy" {
		return fault.New(fault.Unavailable, "the bucket is away")
	}
	for _, sent := range a {
		for address, r := range sent {
			if r == ref {
				delete(sent, address)
			}
		}
	}
	return nil
}

// atlas is what there is on the map, by address.
type atlas struct {
	places map[string][]geo.Found
	err    error
	asked  []geo.Query
}

func (a *atlas) Geocode(_ context.Context, q geo.Query) ([]geo.Found, error) {
	a.asked = append(a.asked, q)
	return a.places[q.Text], a.err
}

// desk is a customer's conversation with the tools at hand.
type desk struct {
	*corner
	tools *tool.Registry
	atlas *atlas
	log   *bytes.Buffer
	r     *report.Reporter
	tc    tool.Context
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{corner: newCorner(t), log: &bytes.Buffer{}, atlas: &atlas{places: map[string][]geo.Found{
		"Harbour Street 21": {{Location: geo.Location{Address: "21 Harbour Street, Kyrenia", Lat: 35.34, Lng: 33.32}, Sure: true}},
		"High Street":       {{Location: geo.Location{Address: "High Street, Kyrenia", Lat: 1, Lng: 1}}, {Location: geo.Location{Address: "High Street, Bath", Lat: 2, Lng: 2}}},
		"Main Street 1": {{Location: geo.Location{Address: "Main Street, Kyrenia"}}, {Location: geo.Location{Address: "1 Main Street, Bath", Lat: 3, Lng: 3}, Sure: true},
			{Location: geo.Location{Address: "1 Main Street, York", Lat: 4, Lng: 4}, Sure: true}, {Location: geo.Location{Address: "1 Main Street, Hull", Lat: 5, Lng: 5}, Sure: true}},
	}}}
	d.r = &report.Reporter{
		Store: d.corner.Store, Places: d.atlas, Log: telemetry.NewLogger(d.log, slog.LevelDebug),
		Photos: album{"th_1": {"https://meta.test/1": "photo:1", "https://meta.test/2": "photo:2"}, "th_2": {"https://meta.test/3": "photo:3"}},
	}
	var err error
	if d.tools, err = tool.NewRegistry(d.r.Tools()...); err != nil {
		t.Fatal(err)
	}
	m := market.Default(d.market)
	d.tc = tool.Context{Actor: d.owner, Market: m, Thread: "th_1", Language: "en", TimeZone: time.FixedZone("", 3600), Location: &geo.Location{Lat: 35, Lng: 33}}
	return d
}

// call runs a tool as a turn does, and gives what the model sees.
func (d *desk) call(name, args string) (map[string]any, tool.Result, error) {
	d.t.Helper()
	tl, ok := d.tools.Get(name)
	if !ok {
		d.t.Fatalf("no tool %s", name)
	}
	raw, err := tl.Canonical(json.RawMessage(args))
	if err != nil {
		return nil, tool.Result{}, err
	}
	tc := d.tc
	tc.Key = d.by().Key
	res, err := tl.Run(context.Background(), tc, raw)
	if err != nil {
		return nil, res, err
	}
	b, err := json.Marshal(res.Data)
	if err != nil {
		d.t.Fatal(err)
	}
	var seen map[string]any
	if err := json.Unmarshal(b, &seen); err != nil {
		d.t.Fatal(err)
	}
	return seen, res, nil
}

func (d *desk) ok(name, args string) map[string]any {
	d.t.Helper()
	seen, _, err := d.call(name, strings.ReplaceAll(args, "'", `"`))
	if err != nil {
		d.t.Fatalf("%s %s: %v", name, args, err)
	}
	return seen
}

func (d *desk) started(address string) string {
	d.t.Helper()
	return d.ok("start_damage_report", `{"address":"`+address+`"}`)["reportId"].(string)
}

func TestDeclarations(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	want := []string{
		"start_damage_report", "update_damage_report_section", "get_report_details", "list_user_reports", "update_report_address",
		"update_report_photos", "delete_report", "mark_report_resolved", "create_time_limited_report_link",
	}
	if diff := cmp.Diff(want, d.tools.Names()); diff != "" {
		t.Error(diff)
	}
	for _, name := range want {
		tl, _ := d.tools.Get(name)
		var s struct {
			Type                 string
			Properties           map[string]any
			Required             []string
			AdditionalProperties any
		}
		if err := json.Unmarshal(tl.Schema, &s); err != nil || s.Type != "object" || len(s.Required) != len(s.Properties) || s.AdditionalProperties != false {
			t.Errorf("%s: %s, %v", name, tl.Schema, err)
		}
		effect, draft := tool.Propose, true
		switch name {
		case "get_report_details", "list_user_reports":
			effect, draft = tool.Read, false
		case "delete_report":
			effect, draft = tool.Commit, false
		}
		if tl.Effect != effect || tl.Draft != draft {
			t.Errorf("%s: %s, draft %v", name, tl.Effect, tl.Draft)
		}
	}
	verdict, _ := tool.May(must(d.tools.Get("delete_report")), tool.Situation{Set: want, Market: d.tc.Market})
	if verdict != tool.Confirm {
		t.Errorf("delete_report: %s", verdict)
	}
}

func must(t tool.Tool, _ bool) tool.Tool { return t }

// Where the customer has several reports they can choose one by a tap.
func TestChooseAReport(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	list := func() []channel.Choice {
		t.Helper()
		_, res, err := d.call("list_user_reports", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		return res.Choices
	}
	d.started("Harbour Street 21")
	if got := list(); got != nil {
		t.Errorf("of one report: %v", got)
	}
	d.started("Mill Lane 3")
	d.started("Mill Lane 3")
	d.started("")
	const made = "Mon 3 Jun 2030, 13:00"
	want := []channel.Choice{{Label: made}, {Label: "Mill Lane 3, " + made}, {Label: "Mill Lane 3, " + made}, {Label: "Harbour Street 21", Detail: made}}
	byLabel := cmpopts.SortSlices(func(a, b channel.Choice) bool { return a.Label < b.Label })
	if diff := cmp.Diff(want, list(), byLabel); diff != "" {
		t.Errorf("of several (-want +got):\n%s", diff)
	}
	for n := range 8 {
		d.started(fmt.Sprint("Castle Road ", n))
	}
	if got := list(); len(got) != 8 {
		t.Errorf("%d of 12 reports can be chosen", len(got))
	}
}

// A report by way of its tools, from the first word to the link.
func TestConversation(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	seen, res, err := d.call("start_damage_report", `{"address":"Harbour Street 21"}`)
	if err != nil {
		t.Fatal(err)
	}
	id := seen["reportId"].(string)
	want := map[string]any{
		"reportId": id, "status": "pending", "missing": []any{"photos"}, "address": "Harbour Street 21", "latitude": 35.34, "longitude": 33.32,
		"photos": 0.0, "sections": []any{}, "foundAs": "21 Harbour Street, Kyrenia",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("start (-want +got):\n%s", diff)
	}
	if res.Map == nil || *res.Map != (geo.Location{Lat: 35.34, Lng: 33.32, Address: "Harbour Street 21"}) || !slices.Contains(res.Facts, "done") || res.Proposal != nil {
		t.Errorf("%+v", res)
	}
	if diff := cmp.Diff(map[string]any{"reportId": id, "status": report.Pending}, res.Memory); diff != "" {
		t.Errorf("memory: %s", diff)
	}
	if q := d.atlas.asked[0]; q.Within != d.tc.Market.Bounds || !q.Stored || q.Language != "en" || q.Near == nil || q.Near.Lat != 35 {
		t.Errorf("asked %+v", q)
	}
	d.ok("update_damage_report_section", `{'reportId':'`+id+`','section':'cause','content':'a storm'}`)
	seen = d.ok("update_report_photos", `{'reportId':'`+id+`','photoUrls':['https://meta.test/2','photo:1','https://meta.test/1'],'captions':['two','one','one again'],'noPhotos':null}`)
	if seen["status"] != "completed" || seen["photos"] != 2.0 || len(seen["missing"].([]any)) != 0 {
		t.Errorf("photos: %v", seen)
	}
	seen = d.ok("get_report_details", `{'reportId':'`+id+`'}`)
	photos := []any{map[string]any{"ref": "photo:2", "caption": "two"}, map[string]any{"ref": "photo:1", "caption": "one"}}
	if !cmp.Equal(seen["photoRefs"], any(photos)) || !cmp.Equal(seen["contents"], any(map[string]any{"cause": "a storm"})) || seen["createdAt"] != "2030-06-03T13:00:00+01:00" {
		t.Errorf("details: %v", seen)
	}
	seen = d.ok("list_user_reports", `{}`)
	if lines := seen["reports"].([]any); len(lines) != 1 || lines[0].(map[string]any)["status"] != "completed" {
		t.Errorf("list: %v", seen)
	}
	seen = d.ok("create_time_limited_report_link", `{'reportId':'`+id+`','ttlHours':null}`)
	url := seen["url"].(string)
	if !strings.HasPrefix(url, "https://merve.test/r/"+id+"/") || seen["expiresAt"] != "2030-06-04T13:00:00+01:00" {
		t.Errorf("link: %v", seen)
	}
	d.opens(id, url[strings.LastIndex(url, "/")+1:], nil)
	if seen = d.ok("create_time_limited_report_link", `{'reportId':'`+id+`','ttlHours':168}`); seen["expiresAt"] != "2030-06-10T13:00:00+01:00" {
		t.Errorf("long link: %v", seen)
	}
	if seen = d.ok("mark_report_resolved", `{'reportId':'`+id+`'}`); seen["status"] != "resolved" {
		t.Errorf("resolved: %v", seen)
	}
	if seen = d.ok("delete_report", `{'reportId':'`+id+`'}`); seen["deleted"] != true {
		t.Errorf("deleted: %v", seen)
	}
}

// A report has reached those who look at it when it is complete. What is not, and what its owner marks as
// resolved, nobody is told of: that may not be called sent.
func TestWhatMayBeCalledSent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.started("Harbour Street 21")
	for _, step := range []struct {
		tool, args string
		want       []string
	}{
		{"update_damage_report_section", `,"section":"cause","content":"a storm"`, []string{"done"}},
		{"update_report_photos", `,"photoUrls":[],"captions":null,"noPhotos":true`, []string{"done", "sent"}},
		{"update_report_address", `,"address":"Harbour Street 22"`, []string{"done", "sent"}},
		{"mark_report_resolved", ``, []string{"done"}},
	} {
		_, res, err := d.call(step.tool, `{"reportId":"`+id+`"`+step.args+`}`)
		if diff := cmp.Diff(step.want, res.Facts); diff != "" || err != nil {
			t.Errorf("%s: %v, facts (-want +got):\n%s", step.tool, err, diff)
		}
	}
}

// Whatever comes of looking a place up, the address is kept, and the model is told what to do.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		address    string
		err        error
		lat        any
		foundAs    any
		candidates int
		note       string
	}{
		"found":         {"Harbour Street 21", nil, 35.34, "21 Harbour Street, Kyrenia", 0, ""},
		"none sure":     {"High Street", nil, nil, nil, 2, "several places"},
		"several sure":  {"Main Street 1", nil, 3.0, "1 Main Street, Bath", 3, "several places"},
		"not found":     {"nowhere", nil, nil, nil, 0, "not found"},
		"no address":    {"nowhere", fault.Field("text", "at most 20 words"), nil, nil, 0, "not found"},
		"geocoding off": {"Harbour Street 21", fault.New(fault.Unavailable, "geocoding is off"), nil, nil, 0, "cannot be looked up"},
		"too many":      {"Harbour Street 21", fault.New(fault.Limited, "later"), nil, nil, 0, "cannot be looked up"},
		"nothing said":  {"", nil, nil, nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			if d.atlas.err = tt.err; tt.err != nil && name != "no address" {
				d.atlas.places = map[string][]geo.Found{}
			}
			started := d.ok("start_damage_report", `{"address":"`+tt.address+`"}`)
			other := d.ok("start_damage_report", `{"address":"somewhere else"}`)["reportId"].(string)
			changed := d.ok("update_report_address", `{'reportId':'`+other+`','address':'`+tt.address+`'}`)
			for _, seen := range []map[string]any{started, changed} {
				candidates, _ := seen["candidates"].([]any)
				note, _ := seen["note"].(string)
				address, _ := seen["address"].(string)
				if seen["latitude"] != tt.lat || seen["foundAs"] != tt.foundAs || len(candidates) != tt.candidates || address != tt.address ||
					!strings.Contains(note, tt.note) || tt.note == "" && note != "" {
					t.Errorf("%v", seen)
				}
			}
			if logged := d.log.String(); strings.Contains(logged, "Harbour") || (tt.err != nil && name != "no address") != (logged != "") {
				t.Errorf("logged %s", logged)
			}
		})
	}
	d := newDesk(t)
	d.r.Places = nil
	if seen := d.ok("start_damage_report", `{"address":"Harbour Street 21"}`); seen["latitude"] != nil || seen["note"] != nil {
		t.Errorf("without a map: %v", seen)
	}
}

// Errors say what is wrong and what would be right.
func TestRefusals(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.started("")
	foreign := newDesk(t).started("a")
	completed := d.started("a")
	d.ok("update_report_photos", `{'reportId':'`+completed+`','photoUrls':[],'captions':null,'noPhotos':true}`)
	many := `['photo:1'` + strings.Repeat(`,'photo:1'`, report.MaxPhotos) + `]`
	for name, tt := range map[string]struct {
		tool, args string
		kind       fault.Kind
		says       string
	}{
		"no such section":    {"update_damage_report_section", `{'reportId':'ID','section':'colour','content':'x'}`, fault.Invalid, "description property"},
		"no such report":     {"update_damage_report_section", `{'reportId':'rp_x','section':'cause','content':'x'}`, fault.NotFound, "not found"},
		"foreign":            {"get_report_details", `{'reportId':'` + foreign + `'}`, fault.NotFound, "not found"},
		"foreign, photos":    {"update_report_photos", `{'reportId':'` + foreign + `','photoUrls':[],'captions':null,'noPhotos':null}`, fault.NotFound, "not found"},
		"foreign, delete":    {"delete_report", `{'reportId':'` + foreign + `'}`, fault.NotFound, "not found"},
		"foreign, link":      {"create_time_limited_report_link", `{'reportId':'` + foreign + `','ttlHours':1}`, fault.NotFound, "not found"},
		"another's photo":    {"update_report_photos", `{'reportId':'ID','photoUrls':['photo:1','photo:3'],'captions':null,'noPhotos':null}`, fault.Invalid, "no photo"},
		"any address":        {"update_report_photos", `{'reportId':'ID','photoUrls':['https://evil.test/'],'captions':null,'noPhotos':null}`, fault.Invalid, "no photo"},
		"too few captions":   {"update_report_photos", `{'reportId':'ID','photoUrls':['photo:1','photo:2'],'captions':['a'],'noPhotos':null}`, fault.Invalid, "want 2"},
		"too many photos":    {"update_report_photos", `{'reportId':'ID','photoUrls':` + many + `,'captions':null,'noPhotos':null}`, fault.Invalid, "at most 20"},
		"photos and none":    {"update_report_photos", `{'reportId':'ID','photoUrls':['photo:1'],'captions':null,'noPhotos':true}`, fault.Invalid, "cannot be true"},
		"bucket away":        {"update_report_photos", `{'reportId':'ID','photoUrls':['https://busy'],'captions':null,'noPhotos':null}`, fault.Unavailable, "away"},
		"last photo off":     {"update_report_photos", `{'reportId':'DONE','photoUrls':[],'captions':null,'noPhotos':null}`, fault.Conflict, "keeps its address"},
		"address off":        {"update_report_address", `{'reportId':'DONE','address':' '}`, fault.Conflict, "keeps its address"},
		"not completed":      {"mark_report_resolved", `{'reportId':'ID'}`, fault.Conflict, "only a completed"},
		"no hours":           {"create_time_limited_report_link", `{'reportId':'ID','ttlHours':0}`, fault.Invalid, "1 to 168"},
		"more than a week":   {"create_time_limited_report_link", `{'reportId':'ID','ttlHours':169}`, fault.Invalid, "1 to 168"},
		"hours without end":  {"create_time_limited_report_link", `{'reportId':'ID','ttlHours':2251799813685272}`, fault.Invalid, "1 to 168"}, // overflows to 24
		"a missing argument": {"update_report_address", `{'reportId':'ID'}`, fault.Invalid, "schema"},
		"one too many":       {"list_user_reports", `{'userId':'x'}`, fault.Invalid, "schema"},
	} {
		args := strings.NewReplacer("'", `"`, "ID", id, "DONE", completed).Replace(tt.args)
		_, _, err := d.call(tt.tool, args)
		if told := string(fault.ForModel(err)); !fault.Is(err, tt.kind) || !strings.Contains(told, tt.says) {
			t.Errorf("%s: %v (%s)", name, err, told)
		}
	}
	if got := d.get(id); got.Version != 1 {
		t.Errorf("changed all the same: %+v", got)
	}
}

// Photos that a report has stay when they are named again, wherever they came from, with
// their captions.
func TestPhotosAreKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.started("a")
	set := func(args string) []report.Photo {
		t.Helper()
		d.ok("update_report_photos", `{'reportId':'`+id+`',`+args+`}`)
		return d.get(id).Photos
	}
	set(`'photoUrls':['https://meta.test/1','photo:2'],'captions':['one',''],'noPhotos':null`)
	d.tc.Thread = "th_2" // the same customer, by another channel
	got := set(`'photoUrls':['photo:3','photo:1'],'captions':null,'noPhotos':false`)
	if diff := cmp.Diff([]report.Photo{{Ref: "photo:3"}, {Ref: "photo:1", Caption: "one"}}, got); diff != "" {
		t.Error(diff)
	}
	got = set(`'photoUrls':['photo:1','https://meta.test/3'],'captions':['first','third'],'noPhotos':null`)
	if diff := cmp.Diff([]report.Photo{{Ref: "photo:1", Caption: "first"}, {Ref: "photo:3", Caption: "third"}}, got); diff != "" {
		t.Error(diff)
	}
	got = set(`'photoUrls':['https://meta.test/3'],'captions':null,'noPhotos':null`)
	if diff := cmp.Diff([]report.Photo{{Ref: "photo:3", Caption: "third"}}, got); diff != "" {
		t.Error(diff)
	}
}

// A person who owns by several keys works on all their reports.
func TestToolsOfSeveralOwners(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first := d.started("a")
	before := d.owner.Key()
	d.tc.Actor = someone()
	d.tc.Actor.Also = []string{before}
	d.started("b")
	if lines := d.ok("list_user_reports", `{}`)["reports"].([]any); len(lines) != 2 {
		t.Errorf("%v", lines)
	}
	for _, c := range onReport(first) {
		d.ok(c.tool, c.args)
	}
}

// onReport calls all tools that take a report's id, in an order in which each does something.
func onReport(id string) (calls []struct{ tool, args string }) {
	for _, c := range [][2]string{
		{"update_damage_report_section", `,'section':'cause','content':'x'`}, {"update_report_address", `,'address':'c'`}, {"get_report_details", ``},
		{"update_report_photos", `,'photoUrls':['photo:1'],'captions':null,'noPhotos':null`}, {"create_time_limited_report_link", `,'ttlHours':1`},
		{"mark_report_resolved", ``}, {"delete_report", ``},
	} {
		calls = append(calls, struct{ tool, args string }{c[0], strings.ReplaceAll(`{'reportId':'`+id+`'`+c[1]+`}`, "'", `"`)})
	}
	return calls
}

// What somebody has told one tenant is nothing to another that they write to.
func TestReportsOfAnotherMarket(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	id := d.started("Harbour Street 21")
	d.tc.Market = market.Default("elsewhere")
	if lines := d.ok("list_user_reports", `{}`)["reports"].([]any); len(lines) != 0 {
		t.Errorf("listed: %v", lines)
	}
	for _, c := range onReport(id) {
		if seen, _, err := d.call(c.tool, c.args); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s: %v, %v", c.tool, seen, err)
		}
	}
	if got := d.get(id); got.Version != 1 {
		t.Errorf("changed all the same: %+v", got)
	}
}

// The photos of a report go with it, but for those that another report shows, by whichever of their
// identities it is its customer's.
func TestPhotosGoWithTheReport(t *testing.T) {
	t.Parallel()
	for name, also := range map[string]bool{"one identity": false, "two that are linked": true} {
		d := newDesk(t)
		photos := func(id, refs string) {
			d.ok("update_report_photos", `{'reportId':'`+id+`','photoUrls':[`+refs+`],'captions':null,'noPhotos':null}`)
		}
		stays := d.started("b")
		photos(stays, `'photo:2'`)
		if also {
			d.tc.Actor = someone()
			d.tc.Actor.Also = []string{d.owner.Key()}
		}
		gone := d.started("a")
		photos(gone, `'photo:1','photo:2'`)
		d.ok("delete_report", `{'reportId':'`+gone+`'}`)
		for ref, kept := range map[string]bool{"photo:1": false, "photo:2": true} {
			if _, err := d.r.Photos.Kept(t.Context(), d.tc.Thread, ref); (err == nil) != kept {
				t.Errorf("%s: %s: %v, want kept %v", name, ref, err, kept)
			}
		}
	}
}

// The customer is asked about the report itself; what is not theirs is not asked about.
func TestAskingForADeletion(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	remove, _ := d.tools.Get("delete_report")
	ask := func(id string) (string, error) {
		return remove.Describe(t.Context(), d.tc, json.RawMessage(`{"reportId":"`+id+`"}`))
	}
	for address, want := range map[string]string{
		"Harbour Street 21": "Delete the damage report about “Harbour Street 21” for good, with its links",
		"":                  "Delete the damage report about a place not named yet for good, with its links",
	} {
		if got, err := ask(d.started(address)); got != want || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	id := d.started("a")
	d.r.AskDelete = func(language string, r report.Report) string { return language + " " + r.ID }
	if got, err := ask(id); got != "en "+id || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, id := range []string{newDesk(t).started("a"), "rp_x"} {
		if got, err := ask(id); !errors.Is(err, actor.ErrNotFound) || got != "" {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := remove.Describe(t.Context(), d.tc, json.RawMessage(`{"reportId":1}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("%v", err)
	}
}

// What a page is given: sections in order, the place, photos with addresses.
func TestView(t *testing.T) {
	t.Parallel()
	lat, lng := 35.34, 33.32
	r := report.Report{
		ID: "rp_1", Status: report.Completed, Address: "a", Lat: &lat, Lng: &lng, CreatedAt: noon, UpdatedAt: noon, Owner: "person:x",
		Sections: map[report.Section]string{"other": "z", "description": "a", "cause": "b"},
		Photos:   []report.Photo{{Ref: "photo:1", Caption: "c"}, {Ref: "photo:gone", Caption: "d"}},
	}
	got, err := report.ViewOf(t.Context(), album{}, r)
	want := report.View{
		ID: "rp_1", Status: report.Completed, Address: "a", Location: &geo.Location{Lat: lat, Lng: lng, Address: "a"}, CreatedAt: noon, UpdatedAt: noon,
		Sections: []report.SectionView{{Name: "description", Content: "a"}, {Name: "cause", Content: "b"}, {Name: "other", Content: "z"}},
		Photos:   []report.PhotoView{{URL: "https://media.test/photo:1", Caption: "c"}, {Caption: "d"}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	b, err := json.Marshal(got)
	if err != nil || strings.Contains(string(b), "person:x") || strings.Contains(string(b), "resolvedAt") {
		t.Errorf("%s, %v", b, err)
	}
	r.Photos = []report.Photo{{Ref: "photo:busy"}}
	if _, err := report.ViewOf(t.Context(), album{}, r); !fault.Is(err, fault.Unavailable) {
		t.Errorf("%v", err)
	}
}
