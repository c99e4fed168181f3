package turn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/gate"
	"merve/internal/ledger"
	"merve/internal/llm"
	"merve/internal/llm/llmtest"
	"merve/internal/market"
	"merve/internal/thread"
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
	w := newWorld(t, func(m *market.Market) {
		if text := section("market"); text != nil {
			fromYAML(t, text, m)
		}
	})
	w.stock(section("listings"))
	p := &play{world: w, who: "ann", channel: channel.App, seen: map[string]int{}}
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
	who     string
	channel channel.Channel
	thread  string
	sends   int            // messages so far
	offers  []string       // ids of the pending actions made, in order
	seen    map[string]int // turns looked at, by thread
	reply   string         // of the last step
	calls   string         // tool calls of the last step
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
			var script []line
			for ; i < len(lines) && strings.HasPrefix(lines[i].verb, "model"); i++ {
				script = append(script, lines[i])
			}
			i--
			p.send(burst, script)
		case "later":
			d, err := time.ParseDuration(l.text)
			if err != nil {
				p.t.Fatalf("%v: %v", l, err)
			}
			p.clock.add(d)
		case "expiry runs":
			p.expire()
		case "a person takes over":
			p.handOver(p.thread)
		default:
			p.check(l)
		}
		if p.t.Failed() {
			p.t.Fatalf("stopped at %v; the last reply was\n%s", l, p.reply)
		}
	}
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
	turns := p.turnsOf(p.thread)
	var texts, calls []string
	for _, t := range turns[p.seen[p.thread]:] {
		if s := textOf(t); s != "" {
			texts = append(texts, s)
		}
		for _, c := range t.Calls {
			calls = append(calls, c.Name+" "+c.Status)
		}
		if t.Pending != "" {
			p.offers = append(p.offers, t.Pending)
		}
	}
	if len(turns) > p.seen[p.thread] {
		p.reply, p.calls = strings.Join(texts, "\n\n"), strings.Join(calls, ", ")
	}
	p.seen[p.thread] = len(turns)
}

// inbound reads the options of a customer's line.
func (p *play) inbound(l line) channel.Inbound {
	p.t.Helper()
	p.sends++
	id := fmt.Sprintf("message-%d", p.sends)
	var button, reply string
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
		case words[0] == "taps" && len(words) == 3:
			answer := map[string]gate.Answer{"yes": gate.Yes, "no": gate.No}[words[1]]
			button = gate.ButtonPayload(answer, p.offer(words[2]))
		case words[0] == "replying":
			reply = p.shownIn(p.offer(words[len(words)-1]))
		default:
			p.t.Fatalf("%v: unknown option %q", l, opt)
		}
	}
	in := p.from(p.who, p.channel, id, p.expand(l.text))
	in.Button, in.ReplyTo = button, reply
	return in
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

// scripted is the model that answers as written.
func (p *play) scripted(script []line) llm.Model {
	p.t.Helper()
	var steps []llmtest.Step
	var told []string
	for _, l := range script {
		step := llmtest.Step{Expect: told}
		text := p.expand(l.text)
		switch l.verb {
		case "model is told":
			told = append(told, text)
			continue
		case "model":
			step.Text = text
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
			return endless{llmtest.New(&unfinished{p.t}, steps...)}
		case "model fails":
			step.Err = llm.Fail(llm.Meaning(text), "as written")
		default:
			p.t.Fatalf("%v: unknown", l)
		}
		steps, told = append(steps, step), nil
	}
	return llmtest.New(p.t, steps...)
}

// endless is a script that nobody plays to its end.
type endless struct{ *llmtest.Script }

type unfinished struct{ testing.TB }

func (*unfinished) Cleanup(func()) {}

func callOf(text string) llm.Call {
	name, args, _ := strings.Cut(text, " ")
	return llm.Call{Name: name, Args: json.RawMessage(args)}
}

var placeholder = regexp.MustCompile(`\{(tx|code) (\d+)\}`)

// expand fills in {tx 1}, the id of the first transaction, and {code 1}, its reference.
func (p *play) expand(text string) string {
	p.t.Helper()
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		txs := p.transactions()
		if n < 1 || n > len(txs) {
			p.t.Fatalf("no transaction %d: there are %d", n, len(txs))
		}
		if m[1] == "code" {
			return txs[n-1].Code
		}
		return txs[n-1].ID
	})
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
	case "notes":
		return strings.Join(p.left, ", "), true
	case "sent to business":
		return p.sentTo(p.numbers...), true
	case "sent to customer":
		return p.sentTo(p.from(p.who, channel.WhatsApp, "-", "").ReplyAddr), true
	}
	return "", false
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
	page, err := p.ledger.Table.Query(p.t.Context(), dynamo.Query{Where: "pk = :pk", Values: dynamo.V{":pk": pk}})
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
