package turn_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"merve/infra/rulemodel"
	"merve/internal/base/actor"
	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/cloud/dynamo"
	"merve/internal/matter/booking"
	"merve/internal/model/llm"
	"merve/internal/model/llm/llmtest"
	"merve/internal/provider/openai"
	"merve/internal/provider/openai/openaitest"
	"merve/internal/record/ledger"
	"merve/internal/spine/gate"
	"merve/internal/spine/thread"
	"merve/internal/tenant/channel"
	"merve/internal/tenant/market"
	"merve/internal/tenant/media"
)

// TestConversations plays testdata/conversations/*.txt. README.md there says how they
// are written.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(conversations, "*.txt"))
	if err != nil || len(files) < 18 {
		t.Fatalf("%d conversations: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			playFile(t, file)
		})
	}
}

func playFile(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	a := txtar.Parse(text)
	section := func(name string) []byte {
		for _, f := range a.Files {
			if f.Name == name {
				return f.Data
			}
		}
		return nil
	}
	if len(a.Comment) == 0 {
		t.Error("want a line on top that says what the conversation shows")
	}
	settings := func(m *market.Market) {
		if text := section("market"); text != nil {
			fromYAML(t, text, m)
		}
	}
	p := &play{who: "ann", channel: channel.App, seen: map[string]int{}}
	switch name := strings.TrimSpace(string(section("model"))); name {
	case "":
	case "rules":
		p.rules = true
	default:
		t.Fatalf("no model %q", name)
	}
	switch name := strings.TrimSpace(string(section("assistant"))); name {
	case "", "moltbot":
		p.world = newWorld(t, settings)
		p.answers = name
		p.stock(section("listings"))
		p.settleVendors(section("vendors"))
		fromYAML(t, section("pictures"), &p.vendors.gallery.pictures)
		if drivers := section("drivers"); drivers != nil {
			p.employ(drivers)
		}
	case "sara":
		p.world, p.channel = newSara(t, settings), channel.Web
	case "pestcall":
		p.world = newPestCall(t, settings)
	default:
		t.Fatalf("no assistant %q", name)
	}
	p.run(linesOf(string(section("conversation"))))
}

// line is one line of a conversation: "word (options): text".
type line struct {
	n    int
	verb string
	opts string
	text string
}

func (l line) String() string { return fmt.Sprintf("line %d, %s", l.n, l.verb) }

var lineForm = regexp.MustCompile(`^([a-z][a-z0-9 +]*?)(?: \(([^)]*)\))?(?:: ?(.*))?$`)

// linesOf reads a conversation. A line that begins with spaces goes on with the one
// before; # begins a comment.
func linesOf(text string) []line {
	var lines []line
	for i, raw := range strings.Split(text, "\n") {
		switch m := lineForm.FindStringSubmatch(raw); {
		case strings.TrimSpace(raw) == "" || strings.HasPrefix(raw, "#"):
		case strings.HasPrefix(raw, "  ") && len(lines) > 0:
			last := &lines[len(lines)-1]
			last.text = strings.TrimPrefix(last.text+"\n"+strings.TrimSpace(raw), "\n")
		case strings.HasPrefix(raw, "+"):
			lines = append(lines, line{n: i + 1, verb: "later", text: raw[1:]})
		case m == nil:
			lines = append(lines, line{n: i + 1, verb: raw})
		default:
			lines = append(lines, line{i + 1, m[1], m[2], m[3]})
		}
	}
	return lines
}

// play is a conversation that is being played.
type play struct {
	*world
	who      string
	channel  channel.Channel
	thread   string
	sends    int               // messages so far
	offers   []string          // ids of the pending actions made, in order
	seen     map[string]int    // the last turn looked at, by thread
	reply    string            // of the last step
	stands   string            // how the conversation stands after it, as it is shown
	calls    string            // tool calls of the last step
	brought  []string          // names of the photos that were attached
	known    string            // what the model was told of the customer, last
	recalled string            // what the model was told that was said to the customer before, last
	images   int               // that the model was shown, last
	links    []string          // to reports, as tools gave them
	code     string            // that links chats, as a tool gave it
	theirs   string            // the customer's thread, while a business writes
	former   map[string]string // numbers that listings have no more, from which their people write
	rules    bool              // the stand-in answers, and nothing is scripted
}

func (p *play) run(lines []line) {
	p.t.Helper()
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch l.verb {
		case "customer":
			var burst []line
			for ; i < len(lines) && (lines[i].verb == "customer" && len(burst) == 0 || lines[i].verb == "and"); i++ {
				burst = append(burst, lines[i])
			}
			script, rest := modelLines(lines[i:])
			i = len(lines) - len(rest) - 1
			p.theirs = ""
			p.send(burst, script)
		case "later":
			d, err := time.ParseDuration(l.text)
			if err != nil {
				p.t.Fatalf("%v: %v", l, err)
			}
			p.clock.add(d)
		case "expiry runs":
			p.expire()
		case "outreach runs":
			p.remindVendors()
		case "business", "driver", "vendor":
			script, rest := modelLines(lines[i+1:])
			p.model = p.scripted(script)
			i = len(lines) - len(rest) - 1
			map[string]func(line){"business": p.business, "driver": p.driver, "vendor": p.vendor}[l.verb](l)
		case "staff takes it", "staff gives it back", "staff writes":
			p.staff(l)
		case "a person takes over":
			p.handOver(p.thread)
		case "the listing loses its number", "the listing goes":
			p.loses(l)
		case "staff resolves":
			p.resolves(p.expand(l.text))
		default:
			if !p.atTheTill(l) && !p.atTheSwitch(l) && !p.atTheExchange(l) {
				p.check(l)
			}
		}
		if p.t.Failed() {
			p.t.Fatalf("stopped at %v; the last reply was\n%s", l, p.reply)
		}
	}
}

// modelLines are the lines at the beginning that say what the model answers.
func modelLines(lines []line) (script, rest []line) {
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n].verb, "model") {
		n++
	}
	return lines[:n], lines[n:]
}

// send has the customer say something, one message or a burst.
func (p *play) send(burst, script []line) {
	p.t.Helper()
	p.model = p.scripted(script)
	p.reply, p.calls = "", ""
	for i, l := range burst {
		in := p.inbound(l)
		p.thread = threadOf(in)
		p.clock.add(time.Second)
		var err error
		switch last := i == len(burst)-1; {
		case in.Channel.Pushes():
			_, err = p.runner.ProcessInbound(p.t.Context(), in)
		case last:
			a, failed := p.runner.Converse(p.t.Context(), in)
			p.reply, err = textOf(a.Turn), failed
		default:
			_, err = p.threads.Append(p.t.Context(), in, false)
		}
		if err != nil {
			p.t.Fatalf("%v: %v", l, err)
		}
	}
	p.settle()
	p.look()
}

// look reads the turns of the current thread that are new.
func (p *play) look() {
	p.t.Helper()
	var texts, calls []string
	last := p.seen[p.thread]
	for _, t := range p.turnsOf(p.thread) {
		if t.N <= last {
			continue
		}
		if s := textOf(t); s != "" {
			texts = append(texts, s)
			p.stands = standingOf(t)
		}
		for _, c := range t.Calls {
			calls = append(calls, c.Name+" "+c.Status)
		}
		if t.Pending != "" {
			p.offers = append(p.offers, t.Pending)
		}
		p.seen[p.thread], p.reply, p.calls = t.N, strings.Join(texts, "\n\n"), strings.Join(calls, ", ")
	}
}

// choices are what the customer may choose from, below the latest reply.
func (p *play) choices() string {
	var labels []string
	for _, t := range p.turnsOf(p.thread) {
		labels = nil
		for _, r := range t.Out {
			for _, c := range r.Choices {
				labels = append(labels, c.Label)
			}
		}
	}
	return cmp.Or(strings.Join(labels, " | "), "none")
}

// standingOf is how the conversation stands after a turn: the line that is shown below it, the question, or none.
func standingOf(t thread.Turn) string {
	s := t.Out[len(t.Out)-1].Standing
	switch {
	case s == nil:
		return "none"
	case s.Asked > 0:
		return "the question"
	}
	return s.Line()
}

// inbound reads the options of a customer's line.
func (p *play) inbound(l line) channel.Inbound {
	p.t.Helper()
	p.sends++
	id := fmt.Sprintf("message-%d", p.sends)
	var button, reply string
	var attached []channel.Media
	var place *geo.Location
	for _, opt := range strings.Split(l.opts, ",") {
		words := strings.Fields(opt)
		switch {
		case len(words) == 0:
		case len(words) == 1:
			p.channel = channel.Channel(words[0])
		case words[0] == "by":
			p.who = words[1]
		case words[0] == "id":
			id = words[1]
		case words[0] == "file":
			attached = append(attached, channel.Media{URL: "https://files.example/" + words[1], Type: words[1]})
		case words[0] == "photo":
			p.brought = append(p.brought, words[1])
			attached = append(attached, p.sara.photo(p.channel, words[1]))
		case words[0] == "at" && len(words) == 3:
			place = &geo.Location{Lat: degrees(p.t, words[1]), Lng: degrees(p.t, words[2])}
		case words[0] == "taps" && len(words) == 3:
			answer := map[string]gate.Answer{"yes": gate.Yes, "no": gate.No}[words[1]]
			button = gate.ButtonPayload(answer, p.offer(words[2]))
		case words[0] == "replying":
			p.thread = threadOf(p.from(p.who, p.channel, "", ""))
			p.look() // what it was told of meanwhile may be an offer, too
			reply = p.shownIn(p.offer(words[len(words)-1]))
		default:
			p.t.Fatalf("%v: unknown option %q", l, opt)
		}
	}
	in := p.from(p.who, p.channel, id, p.expand(l.text))
	in.Button, in.ReplyTo, in.Media, in.Location = button, reply, attached, place
	return in
}

func degrees(t *testing.T, s string) float64 {
	t.Helper()
	d, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (p *play) offer(n string) string {
	p.t.Helper()
	i, err := strconv.Atoi(n)
	if err != nil || i < 1 || i > len(p.offers) {
		p.t.Fatalf("no offer %q: there were %d", n, len(p.offers))
	}
	return p.offers[i-1]
}

// shownIn is how a reply names an offer: pages by its id, others by the provider's id of
// the message that showed it.
func (p *play) shownIn(offer string) string {
	p.t.Helper()
	if !p.channel.Pushes() {
		return offer
	}
	for _, m := range p.outgoing() {
		if m.Pending == offer && m.ProviderID != "" {
			return m.ProviderID
		}
	}
	p.t.Fatalf("no message showed offer %s", offer)
	return ""
}

// scripted is the model that answers as written, behind the border that all models are behind.
func (p *play) scripted(script []line) llm.Model {
	p.t.Helper()
	if p.rules {
		if len(script) > 0 {
			p.t.Fatalf("%v: the stand-in answers here", script[0])
		}
		return p.standIn()
	}
	var steps []llmtest.Step
	var told []string
	for _, l := range script {
		step := llmtest.Step{Expect: told}
		text := l.text
		switch l.verb {
		case "model is told":
			told = append(told, p.expand(text))
			continue
		case "model":
			step.Text = text
		case "model is cut":
			step.Text, step.Finish = text, "length"
		case "model calls":
			step.Calls = []llm.Call{callOf(text)}
		case "model also calls":
			last := &steps[len(steps)-1]
			last.Calls = append(last.Calls, callOf(text))
			continue
		case "model always calls":
			for range 50 { // more than any bound lets it
				steps = append(steps, llmtest.Step{Calls: []llm.Call{callOf(text)}})
			}
			return llm.Clean(llm.Whole(filling{p, endless{llmtest.New(&unfinished{p.t}, steps...)}}.complete))
		case "model fails":
			step.Err = llm.Fail(llm.Meaning(text), "as written")
		default:
			p.t.Fatalf("%v: unknown", l)
		}
		steps, told = append(steps, step), nil
	}
	return llm.Clean(llm.Whole(filling{p, llmtest.New(p.t, steps...)}.complete))
}

// standIn is the model of rules, asked over HTTP as it is when it stands in for one that is paid.
func (p *play) standIn() llm.Model {
	p.t.Helper()
	server := httptest.NewServer(rulemodel.New(p.clock.now))
	p.t.Cleanup(server.Close)
	client, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", Key: openaitest.Key, Model: rulemodel.Model, Retry: llm.Retry{Attempts: 1}})
	if err != nil {
		p.t.Fatal(err)
	}
	return llm.Clean(llm.Whole(filling{p, client}.complete))
}

// filling fills in what its model says, with what is so then, and notes what it is told.
type filling struct {
	*play
	model llm.Model
}

func (f filling) complete(ctx context.Context, req llm.Request) (llm.Response, error) {
	f.t.Helper()
	f.known, f.recalled, f.images = "", "", 0
	for i, m := range req.Messages {
		f.images += len(m.Images)
		if i == 1 && m.Role == llm.Assistant {
			f.known = m.Text
		}
		if m.Role == llm.Assistant {
			f.recalled += m.Text + "\n"
		}
		if m.Role == llm.ToolRole {
			f.note(m.Text)
		}
	}
	resp, err := f.model.Complete(ctx, req)
	resp.Text = f.expand(resp.Text)
	for i, c := range resp.Calls {
		resp.Calls[i].Args = json.RawMessage(f.expand(string(c.Args)))
	}
	return resp, err
}

var (
	linkForm = regexp.MustCompile(`https://merve\.test/r/[^"]+`)
	codeForm = regexp.MustCompile(`"code":"([0-9A-Z]{4}-[0-9A-Z]{4})"`)
)

// note keeps what a tool gave that nobody knows before.
func (p *play) note(result string) {
	if link := linkForm.FindString(result); link != "" && !slices.Contains(p.links, link) {
		p.links = append(p.links, link)
	}
	if m := codeForm.FindStringSubmatch(result); m != nil {
		p.code = m[1]
	}
}

// endless is a script that nobody plays to its end.
type endless struct{ *llmtest.Script }

type unfinished struct{ testing.TB }

func (*unfinished) Cleanup(func()) {}

func callOf(text string) llm.Call {
	name, args, _ := strings.Cut(text, " ")
	return llm.Call{Name: name, Args: json.RawMessage(args)}
}

var placeholder = regexp.MustCompile(`\{(tx|code|report|link|photo|chat code|order id|order|wait|ride id|ride|talk|request id|request|outreach id|outreach) ?([^ {}]*)\}`)

// expand fills in {tx 1}, the id of the first transaction, {code 1}, its reference, and what
// Sara's conversations know: {report 1}, {link 1}, {photo name} and {chat code}.
func (p *play) expand(text string) string {
	p.t.Helper()
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		switch m[1] {
		case "tx":
			return p.nth(m[2]).ID
		case "code":
			return p.nth(m[2]).Code
		case "wait":
			return nth(p.t, p.waits(), m[2]).ID
		case "report":
			return nth(p.t, p.reportIDs(), m[2])
		case "link":
			return nth(p.t, p.links, m[2])
		case "ride id":
			return nth(p.t, p.allRides(), m[2]).ID
		case "ride":
			return nth(p.t, p.allRides(), m[2]).Code
		case "order id":
			return nth(p.t, p.allOrders(), m[2]).ID
		case "order":
			return nth(p.t, p.allOrders(), m[2]).Code
		case "talk":
			return p.talk(m[2])
		case "request id":
			return nth(p.t, p.allRequests(), m[2]).ID
		case "request":
			return nth(p.t, p.allRequests(), m[2]).Code
		case "outreach id":
			return p.askedOf(m[2]).ID
		case "outreach":
			return p.askedOf(m[2]).Code
		case "photo":
			return media.Ref(p.sara.photo(p.channel, m[2]).URL)
		}
		return p.code
	})
}

// waits are the wishes of everybody who was met, as they came.
func (p *play) waits() []booking.Wish {
	p.t.Helper()
	all, err := booking.Wishes{Ledger: p.ledger}.Of(p.t.Context(), p.market, p.owners()...)
	if err != nil {
		p.t.Fatal(err)
	}
	slices.SortFunc(all, func(a, b booking.Wish) int { return a.Since.Compare(b.Since) })
	return all
}

func (p *play) nth(n string) ledger.Transaction {
	p.t.Helper()
	return nth(p.t, p.transactions(), n)
}

// nth is the n-th of all, counted from 1; "" is the first.
func nth[T any](t *testing.T, all []T, n string) T {
	t.Helper()
	i, err := strconv.Atoi(cmp.Or(n, "1"))
	if err != nil || i < 1 || i > len(all) {
		t.Fatalf("no %T %q: there are %d", *new(T), n, len(all))
	}
	return all[i-1]
}

// resolves is staff, who look after a report.
func (p *play) resolves(id string) {
	p.t.Helper()
	p.reply = ""
	if err := p.resolve(id); err != nil {
		p.t.Fatal(err)
	}
	p.settle()
	p.look()
}

// expire is the schedule that expires holds, for this market's only.
func (p *play) expire() {
	p.t.Helper()
	p.reply = ""
	for _, tx := range p.transactions() {
		if tx.State == ledger.Hold && !tx.HoldExpiresAt.After(p.clock.now()) {
			if _, err := p.ledger.Expire(p.t.Context(), tx.ID); err != nil {
				p.t.Fatal(err)
			}
		}
	}
	p.lapseOrders()
	p.settle()
	p.look()
}

// check holds one wanted thing against what is.
func (p *play) check(l line) {
	p.t.Helper()
	text := strings.ReplaceAll(p.expand(l.text), `\n`, "\n")
	verb, contains := strings.CutSuffix(l.verb, " contains")
	verb, lacks := strings.CutSuffix(verb, " lacks")
	got, ok := p.value(verb, l.opts)
	switch {
	case !ok:
		p.t.Fatalf("%v: unknown", l)
	case contains && !strings.Contains(got, text):
		p.t.Errorf("%v: want %q in\n%s", l, text, got)
	case lacks && strings.Contains(got, text):
		p.t.Errorf("%v: want no %q in\n%s", l, text, got)
	case !contains && !lacks && got != text:
		p.t.Errorf("%v: want\n%s\ngot\n%s", l, text, got)
	}
}

// value is what is, in the words of a conversation file.
func (p *play) value(of, opts string) (string, bool) {
	p.t.Helper()
	n, _ := strconv.Atoi(opts)
	switch of {
	case "reply":
		return p.reply, true
	case "standing":
		return p.stands, true
	case "tools":
		return p.calls, true
	case "state":
		if h := p.head(p.thread); h.State != "" {
			return string(h.State), true
		}
		return string(thread.Idle), true
	case "pending":
		if h := p.head(p.thread); h.Pending != nil {
			return h.Pending.Summary, true
		}
		return "none", true
	case "turns":
		return strconv.Itoa(p.head(p.thread).Turns), true
	case "waiting":
		return strconv.Itoa(len(p.head(p.thread).Inbox)), true
	case "ledger":
		return p.states(), true
	case "events":
		return p.happened(max(n, 1)), true
	case "receipt":
		return p.receipt(max(n, 1)), true
	case "alerts":
		return cmp.Or(strings.Join(p.alerts, "\n"), "none"), true
	case "notes":
		return strings.Join(p.left, ", "), true
	case "sent to business":
		return p.sentTo(p.numbers...), true
	case "sent to customer":
		pushed := channel.WhatsApp
		if p.channel.Pushes() {
			pushed = p.channel
		}
		return p.sentTo(p.from(p.who, pushed, "-", "").ReplyAddr), true
	}
	if of == "counts" {
		return p.counts(opts), true
	}
	if s, ok := p.valueOfOrders(of, max(n, 1)); ok {
		return s, true
	}
	if s, ok := p.valueOfRequests(of, opts, max(n, 1)); ok {
		return s, true
	}
	if s, ok := p.valueOfPayments(of); ok {
		return s, true
	}
	return p.valueOfSara(of, opts)
}

// valueOfSara is what is in a conversation with Sara.
func (p *play) valueOfSara(of, n string) (string, bool) {
	p.t.Helper()
	switch of {
	case "reports":
		var all []string
		for _, id := range p.reportIDs() {
			status, _, _ := strings.Cut(p.describe(id), ",")
			all = append(all, status)
		}
		return cmp.Or(strings.Join(all, ", "), "none"), true
	case "report":
		return p.describe(nth(p.t, p.reportIDs(), n)), true
	case "kept photos":
		var kept []string
		for _, name := range p.brought {
			if _, err := p.sara.photos.Kept(p.t.Context(), p.thread, p.sara.photo(p.channel, name).URL); err == nil {
				kept = append(kept, name)
			}
		}
		return cmp.Or(strings.Join(kept, ", "), "none"), true
	case "link":
		return p.opens(nth(p.t, p.links, n)), true
	case "linked chats":
		return strconv.Itoa(len(p.head(p.thread).Linked)), true
	case "images":
		return strconv.Itoa(p.images), true
	case "recalled":
		return p.recalled, true
	case "known":
		return p.known, true
	case "choices":
		return p.choices(), true
	case "buttons":
		var titles []string
		for _, b := range p.sent[len(p.sent)-1].Buttons {
			titles = append(titles, b.Title)
		}
		return cmp.Or(strings.Join(titles, ", "), "none"), true
	}
	return "", false
}

// opens is what somebody finds at the address of a shared report.
func (p *play) opens(link string) string {
	p.t.Helper()
	id, token, _ := strings.Cut(strings.TrimPrefix(link, "https://merve.test/r/"), "/")
	r, _, err := p.sara.reports.Open(p.t.Context(), id, token)
	switch {
	case err == nil:
		return "shows " + r.Address
	case fault.KindOf(err) == fault.Gone, errors.Is(err, actor.ErrNotFound):
		return err.Error()
	}
	p.t.Fatal(err)
	return ""
}

func (p *play) states() string {
	p.t.Helper()
	var states []string
	for _, tx := range p.transactions() {
		states = append(states, string(tx.State))
	}
	if len(states) == 0 {
		return "empty"
	}
	return strings.Join(states, ", ")
}

func (p *play) happened(n int) string {
	p.t.Helper()
	var types []string
	for _, e := range p.events(p.transactions()[n-1].ID) {
		types = append(types, string(e.Type))
	}
	return strings.Join(types, ", ")
}

// receipt is the words that confirmed a transaction, and "none" without.
func (p *play) receipt(n int) string {
	p.t.Helper()
	tx := p.transactions()[n-1]
	for _, it := range p.items("tx#" + tx.ID) {
		if it.Key().SK == "receipt" {
			return it.String("answer")
		}
	}
	return "none"
}

func (p *play) items(pk string) []dynamo.Item {
	p.t.Helper()
	page, err := p.ledger.Table.Query(p.t.Context(), dynamo.Under(pk, ""))
	if err != nil {
		p.t.Fatal(err)
	}
	return page.Items
}

func (p *play) sentTo(numbers ...string) string {
	var texts []string
	for _, m := range p.sent {
		for _, n := range numbers {
			if m.To == n {
				texts = append(texts, m.Text)
			}
		}
	}
	if len(texts) == 0 {
		return "nothing"
	}
	return strings.Join(texts, "\n---\n")
}
