package simulation

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"merve/infra/wiring"
	"merve/internal/cloud/dynamo"
	"merve/internal/provider/stripe"
	"merve/internal/provider/stripe/stripetest"
)

// dump is a town as a release left it. Its file has one line of JSON for each thing, see README.md
// beside it.
type dump struct {
	Town   townLine
	Items  []itemLine
	Images []imageLine
	Queue  []queueLine
}

// townLine is what is not in the tables.
type townLine struct {
	Now     time.Time
	IDs     int               // that were given
	Threads map[string]string // of who writes in the app, by name
	Posted  int               // messages to the page on Messenger
	Intents []stripetest.Intent
}

// itemLine is a stored item, in DynamoDB's JSON.
type itemLine struct {
	Table string
	Item  json.RawMessage
}

// imageLine is an item as a stream told a function of it. No Item is that the stored one, of a key, is
// still what it was.
type imageLine struct {
	Function string
	PK, SK   string
	Item     json.RawMessage `json:",omitempty"`
	Waits    bool            `json:",omitempty"` // the function has not had it
}

// queueLine is a message of the queue of turns.
type queueLine struct {
	Group, Dedupe, Body string
	Waits               bool `json:",omitempty"` // nobody has taken it in
}

// wire is a value in DynamoDB's JSON.
func wire(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberNULL:
		return map[string]any{"NULL": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]any{"B": v.Value}
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": slices.Sorted(slices.Values(v.Value))}
	case *types.AttributeValueMemberL:
		all := make([]any, len(v.Value))
		for i, one := range v.Value {
			all[i] = wire(one)
		}
		return map[string]any{"L": all}
	case *types.AttributeValueMemberM:
		return map[string]any{"M": wireItem(v.Value)}
	}
	panic(fmt.Sprintf("a stored value of type %T", v))
}

func wireItem(it map[string]types.AttributeValue) map[string]any {
	all := map[string]any{}
	for name, v := range it {
		all[name] = wire(v)
	}
	return all
}

// dump is the town as it is now.
func (g *goldenTown) dump() dump {
	g.t.Helper()
	g.note()
	d := dump{Town: townLine{
		Now: g.Now(), IDs: g.newNumber() - 1, Threads: map[string]string{}, Posted: g.posted, Intents: g.stripe.Intents(),
	}}
	for _, name := range slices.Concat(goldenApp, goldenSara) {
		d.Town.Threads[name] = g.who[name].Thread
	}
	alike := map[string]int{} // items of a shape that nothing needs any more, and images that no function waits for
	stored := map[string]json.RawMessage{}
	last := map[string]int64{} // turn of a thread
	for _, it := range g.items("conversations") {
		if it.Key().SK == "~" {
			last[it.Key().PK] = it.Int("turns")
		}
	}
	for _, table := range wiring.Tables() {
		for _, it := range g.items(table.Name) {
			line := g.marshal(wireItem(it))
			if shape := shapeOf(line); !needed(it, last[it.Key().PK]) {
				if alike[shape]++; alike[shape] > 2 {
					continue
				}
			}
			d.Items = append(d.Items, itemLine{table.Name, line})
			stored[table.Name+" "+it.Key().PK+" "+it.Key().SK] = line
		}
	}
	for _, s := range g.streams() {
		for i, image := range g.images[s.function] {
			line := imageLine{Function: s.function, PK: text(image["pk"]), SK: text(image["sk"]), Item: g.marshal(image)}
			line.Waits = slices.ContainsFunc(s.records, func(r *record) bool { return r.sequence == i+1 })
			if now := stored[s.table+" "+line.PK+" "+line.SK]; same(now, line.Item) {
				line.Item = nil
			} else if shape := s.function + shapeOf(line.Item); !line.Waits {
				if alike[shape]++; alike[shape] > 2 {
					continue
				}
			}
			d.Images = append(d.Images, line)
		}
	}
	for _, m := range g.queued {
		waits := slices.ContainsFunc(g.queue.messages, func(q *queued) bool { return q.id == m.id })
		d.Queue = append(d.Queue, queueLine{m.Group, m.Dedupe, m.Body, waits})
	}
	return d
}

// needed reports whether anything may still depend on an item of a thread whose last turn is given.
// Older turns and their journals, replies that went out and asked nothing, and audit records are not
// needed: the dump keeps two of each shape.
func needed(it dynamo.Item, last int64) bool {
	const latest = 2
	kind, rest, _ := strings.Cut(it.Key().SK, "#")
	turn, _, _ := strings.Cut(rest, "#")
	n, err := strconv.ParseInt(turn, 10, 64)
	switch {
	case kind == "turn":
		return err != nil || n > last-latest
	case kind == "journal":
		return err != nil || n > last
	case kind == "outbox":
		return it.String("kind") != "reply" || it.String("pending")+it.String("leadsTo") != "" || it.String("status") != "sent"
	}
	return !strings.HasPrefix(it.Key().PK, "audit#")
}

// shapeOf are all attributes of an item and in it, with their types.
func shapeOf(item json.RawMessage) string {
	var it map[string]any
	if err := json.Unmarshal(item, &it); err != nil {
		return ""
	}
	k := newKindShape()
	k.see(it)
	return fmt.Sprint(slices.Sorted(maps.Keys(k.count)))
}

// text is a string in DynamoDB's JSON.
func text(v json.RawMessage) string {
	var s struct{ S string }
	if json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s.S
}

// same reports whether two pieces of JSON say the same.
func same(a, b json.RawMessage) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

// write puts a dump into a file, sorted but for what came in an order.
func (d dump) write(t *testing.T, name string) {
	t.Helper()
	var out bytes.Buffer
	line := func(v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(b, '\n'))
	}
	line(map[string]any{"Town": d.Town})
	key := func(l itemLine) string {
		var it map[string]json.RawMessage
		if err := json.Unmarshal(l.Item, &it); err != nil {
			t.Fatal(err)
		}
		return l.Table + " " + text(it["pk"]) + " " + text(it["sk"])
	}
	for _, l := range slices.SortedFunc(slices.Values(d.Items), func(a, b itemLine) int { return cmp.Compare(key(a), key(b)) }) {
		line(l)
	}
	for _, l := range d.Images {
		line(l)
	}
	for _, l := range d.Queue {
		line(l)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// readDump reads what write has written.
func readDump(t *testing.T, name string) (d dump) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Town *townLine
			itemLine
			Function, PK, SK    string
			Group, Dedupe, Body string
			Waits               bool
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch {
		case l.Town != nil:
			d.Town = *l.Town
		case l.Table != "":
			d.Items = append(d.Items, l.itemLine)
		case l.Function != "":
			d.Images = append(d.Images, imageLine{l.Function, l.PK, l.SK, l.Item, l.Waits})
		default:
			d.Queue = append(d.Queue, queueLine{l.Group, l.Dedupe, l.Body, l.Waits})
		}
	}
	if err := lines.Err(); err != nil || len(d.Items) == 0 {
		t.Fatalf("%s: %d items, %v", name, len(d.Items), err)
	}
	return d
}

// restoreTown is a new town in which everything is as it was when it was dumped.
func restoreTown(t *testing.T, d dump) *goldenTown {
	t.Helper()
	g := newGoldenTown(t)
	g.clock, g.ids, g.posted = d.Town.Now, d.Town.IDs, d.Town.Posted
	for name, thread := range d.Town.Threads {
		g.who[name].Thread = thread
	}
	g.hireTown()
	g.hireTables()
	byTable, stored := map[string][]json.RawMessage{}, map[string]map[string]json.RawMessage{}
	for _, l := range d.Items {
		var it map[string]json.RawMessage
		if err := json.Unmarshal(l.Item, &it); err != nil {
			t.Fatal(err)
		}
		byTable[l.Table] = append(byTable[l.Table], l.Item)
		stored[l.Table+" "+text(it["pk"])+" "+text(it["sk"])] = it
	}
	for table, items := range byTable {
		g.restore(table, items, func(string) bool { return false })
	}
	for _, s := range g.streams() {
		for _, l := range d.Images {
			image := stored[s.table+" "+l.PK+" "+l.SK]
			if l.Item != nil {
				image = nil
				if err := json.Unmarshal(l.Item, &image); err != nil {
					t.Fatal(err)
				}
			}
			switch {
			case l.Function != s.function:
			case image == nil:
				t.Fatalf("%s had %s %s, which is nowhere", l.Function, l.PK, l.SK)
			case l.Waits:
				s.add(g.prefix+s.table, image)
			default:
				g.images[s.function] = append(g.images[s.function], image)
			}
		}
		g.noted[s.function] = s.seen
	}
	for i, l := range d.Queue {
		if l.Waits {
			m := &queued{id: fmt.Sprintf("restored-%d", i)}
			m.Group, m.Dedupe, m.Body = l.Group, l.Dedupe, l.Body
			g.queue.messages = append(g.queue.messages, m)
		}
	}
	g.restoreIntents(d.Town.Intents)
	if a := g.Request("admin", http.MethodPost, "/admin/api/markets/"+Market+"/reindex", asStaff, nil); a.Status != http.StatusOK {
		t.Fatalf("reindex: %d %s", a.Status, a.Body)
	}
	return g
}

// restoreIntents has Stripe know what it was asked for, and what was paid.
func (g *goldenTown) restoreIntents(all []stripetest.Intent) {
	g.t.Helper()
	client := stripe.Client{BaseURL: g.stripe.URL(), Key: func(context.Context) (string, error) { return stripetest.Key, nil }}
	for i, was := range all {
		made, err := client.Create(g.t.Context(), stripe.Wanted{
			AmountMinor: was.Amount, Currency: strings.ToUpper(was.Currency), Description: was.Description,
			Transaction: was.Metadata["transaction"], Market: was.Metadata["market"], Key: fmt.Sprintf("restored-%d", i),
		})
		if err != nil || made.ID != was.ID {
			g.t.Fatalf("intent %s is %s now: %v", was.ID, made.ID, err)
		}
		if was.Received > 0 {
			g.stripe.Pay(was.ID)
		}
	}
}

// shape says how a kind of item is written: for each kind, by its table and the pattern of its key,
// the attributes and their types, and of short words which ones there are. "?" is for what not every
// item of the kind has.
func (d dump) shape(t *testing.T) string {
	t.Helper()
	kinds := map[string]*kindShape{}
	see := func(where string, item json.RawMessage) {
		var it map[string]any
		if err := json.Unmarshal(item, &it); err != nil {
			t.Fatal(err)
		}
		of := func(name string) string { s, _ := it[name].(map[string]any)["S"].(string); return pattern(s) }
		key := where + " " + of("pk") + " " + of("sk")
		if kinds[key] == nil {
			kinds[key] = newKindShape()
		}
		kinds[key].see(it)
	}
	for _, l := range d.Items {
		see(l.Table, l.Item)
	}
	for _, l := range d.Images {
		if l.Item != nil {
			see("stream to "+l.Function, l.Item)
		}
	}
	var out strings.Builder
	for _, key := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&out, "%s\n%s\n", key, kinds[key])
	}
	bodies := map[string]bool{}
	for _, m := range d.Queue {
		bodies[fmt.Sprintf("queue %s %s %s\n", pattern(m.Group), pattern(m.Dedupe), pattern(m.Body))] = true
	}
	return out.String() + strings.Join(slices.Sorted(maps.Keys(bodies)), "")
}

// ids are what differs from one item of a kind to the next in a key, with what stands for it.
var ids = []struct {
	is      *regexp.Regexp
	written string
}{
	{regexp.MustCompile(`\b(th|m|p)_[0-9a-f]{16,}\b`), "${1}_*"},
	{regexp.MustCompile(`\b([a-z]{2})_[a-z0-9]{16}\b`), "${1}_*"},
	{regexp.MustCompile(`\b[0-9a-f]{12,}\b`), "*"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d(T\d\d(:[0-9:.]+Z?)?)?`), "date"},
	{regexp.MustCompile(`\b\d+\b`), "0"},
	{regexp.MustCompile(`\b[A-Z0-9]{4,6}\b`), "CODE"},
	{regexp.MustCompile(`\d+`), "0"},
}

// pattern is a key with what stands for its ids.
func pattern(key string) string {
	for _, id := range ids {
		key = id.is.ReplaceAllString(key, id.written)
	}
	return key
}

const maxWords = 12 // of an attribute that are told

// isCode reports whether a text may be one that code compares with.
func isCode(s string) bool { return code.MatchString(s) }

var code = regexp.MustCompile(`^[a-z][a-zA-Z_.#-]*$`)

// kindShape is what the items of a kind have.
type kindShape struct {
	items int
	count map[string]int             // of items, by attribute and type
	words map[string]map[string]bool // what a text says, unless it says much
}

func newKindShape() *kindShape {
	return &kindShape{count: map[string]int{}, words: map[string]map[string]bool{}}
}

func (k *kindShape) see(it map[string]any) {
	k.items++
	seen := map[string]bool{}
	k.walk("", map[string]any{"M": it}, seen)
	for name := range seen {
		k.count[name]++
	}
}

// walk notes a value and what is in it: maps by their names, the elements of lists together.
func (k *kindShape) walk(path string, v map[string]any, seen map[string]bool) {
	for typ, value := range v {
		name := path + " " + typ
		switch value := value.(type) {
		case map[string]any:
			for attribute, one := range value {
				if path != "" || attribute != "pk" && attribute != "sk" {
					k.walk(strings.TrimPrefix(path+"."+pattern(attribute), "."), one.(map[string]any), seen)
				}
			}
		case []any:
			seen[name] = true
			for _, one := range value {
				if in, ok := one.(map[string]any); ok {
					k.walk(path+"[]", in, seen)
				}
			}
		default:
			seen[name] = true
			if k.words[name] == nil {
				k.words[name] = map[string]bool{}
			}
			if typ == "S" {
				k.words[name][value.(string)] = true
			}
		}
	}
}

func (k *kindShape) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(k.count)) {
		if k.count[name] < k.items {
			fmt.Fprintf(&out, "  %s?", name)
		} else {
			fmt.Fprintf(&out, "  %s", name)
		}
		said := slices.Sorted(maps.Keys(k.words[name]))
		if len(said) > 0 && len(said) <= maxWords && !slices.ContainsFunc(said, func(s string) bool { return !isCode(s) }) {
			fmt.Fprintf(&out, " %s", strings.Join(said, "|"))
		}
		out.WriteString("\n")
	}
	return out.String()
}
