package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// raw is a model that sends responses as they are, one after the other, and streams their
// text in pieces of so many bytes.
type raw struct {
	answers []Response
	errs    []error
	size    int
	asked   []Request
}

func (r *raw) next(req Request) (Response, error) {
	r.asked = append(r.asked, req)
	n := len(r.asked) - 1
	var err error
	if n < len(r.errs) {
		err = r.errs[n]
	}
	if n >= len(r.answers) {
		return Response{}, err
	}
	a := r.answers[n]
	a.Usage, a.Model = Usage{Input: 10, Output: 5}, req.Model
	if a.Finish == "" {
		a.Finish = "stop"
	}
	return a, err
}

func (r *raw) Complete(_ context.Context, req Request) (Response, error) { return r.next(req) }

func (r *raw) Stream(_ context.Context, req Request, say func(string) error) (Response, error) {
	a, err := r.next(req)
	for rest := a.Text; rest != ""; {
		n := min(max(r.size, 1), len(rest))
		if err := say(rest[:n]); err != nil {
			return a, fmt.Errorf("wrapped: %w", err)
		}
		rest = rest[n:]
	}
	return a, err
}

func searching() Request {
	return Request{Model: "gpt-4o-mini", MaxTokens: 1200, Messages: []Message{{Role: User, Text: "hi"}},
		Tools: []Spec{{Name: "searchMarketplace"}, {Name: "orderFood"}}}
}

// everyWay asks whole, streamed in pieces of several sizes, and streamed by a model whose
// thoughts are not known to stay apart. It wants the same each time, and said what is returned.
func everyWay(t *testing.T, name string, req Request, answers []Response, look func(way string, got Response, asked []Request, err error)) {
	t.Helper()
	r := &raw{answers: answers}
	got, err := Clean(r).Complete(t.Context(), req)
	look(name+", whole", got, r.asked, err)
	for _, model := range []string{"gpt-4o-mini", "somebody-elses"} {
		for size := 1; size <= 40; size += 3 {
			r := &raw{answers: answers, size: size}
			req.Model = model
			var said strings.Builder
			got, err := Clean(r).Stream(t.Context(), req, func(delta string) error { said.WriteString(delta); return nil })
			way := fmt.Sprintf("%s, %s in pieces of %d", name, model, size)
			if said.String() != got.Text {
				t.Errorf("%s: said %q, but the text is %q", way, said.String(), got.Text)
			}
			look(way, got, r.asked, err)
		}
	}
}

// is wants one request and its text.
func is(t *testing.T, want string) func(string, Response, []Request, error) {
	return func(way string, got Response, asked []Request, err error) {
		t.Helper()
		if err != nil || got.Text != want || len(got.Calls) > 0 || len(asked) != 1 {
			t.Errorf("%s: got %q, %d calls, asked %d times, %v, want %q", way, got.Text, len(got.Calls), len(asked), err, want)
		}
	}
}

func TestField44_ThoughtsStayHere(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ sent, want string }{
		{"<think>They greet. Rule seven says not to tell.</think>Hello! How can I help?", "Hello! How can I help?"},
		{"<think>\nOkay.\n</think>\n\nHello!", "Hello!"},
		{"<Thinking>x</thinking>Hello!", "Hello!"},
		{"<THOUGHT>x</THOUGHT> Hello!", "Hello!"},
		{"<reasoning effort=\"high\">x</reasoning>Hello!", "Hello!"},
		{"< think >x</ think >Hello!", "Hello!"},
		{"<inner_thoughts>x</inner_thoughts>Hello!", "Hello!"},
		{"<seed:think>x</seed:think>Hello!", "Hello!"},
		{"<think>a <think>b</think> c</think>Hello!", "Hello!"},
		{"<think></think>Hello!", "Hello!"},
		{"<think/>Hello!", "Hello!"},
		{"&lt;think&gt;x&lt;/think&gt;Hello!", "Hello!"},
		{"[THINK]x[/THINK]Hello!", "Hello!"},
		{"◁think▷x◁/think▷Hello!", "Hello!"},
		{"<|begin_of_thought|>x<|end_of_thought|>Hello!", "Hello!"},
		{"<|START_THINKING|>x<|END_THINKING|>Hello!", "Hello!"},
		{"<scratchpad>x</scratchpad>Hello!", "Hello!"},
		{"<plan>First I greet.</plan>Hello!", "Hello!"}, // of any name, at the beginning
		{"<düşünce>Selam ver.</düşünce>\nMerhaba!", "Merhaba!"},
		{"<think>x</think><answer>Hello!</answer>", "Hello!"},
		{"<answer>Hello!</answer>", "Hello!"},
		{"<words_to_them>Hello!</words_to_them>", "Hello!"}, // nothing else is there
		{"Hello! <think>Shall I ask?</think> How can I help?", "Hello! How can I help?"},
		{"Hello!\n\n<think>x</think>\n\nHow can I help?", "Hello!\n\nHow can I help?"},
		{"Hello!<think>and so I wonder", "Hello!"},
		{"<think>They wrote \"</think>\" to me.</think>Hello!", "Hello!"},
		{"<think>I say \"Hello!\"</think>Hello!", "Hello!"},
		{"<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>Hello!<|return|>", "Hello!"},
		{"<|channel|>analysis<|message|>x<|end|>Hello!", "Hello!"},
		{"<|channel|>commentary<|message|>x<|end|><|channel|>final<|message|>Hello!", "Hello!"},
		{"<|start|>assistant<|message|>Hello!<|end|>", "Hello!"},
		{"<|channel>thought\nx<channel|>Hello!", "Hello!"},
		{"Hello!<|im_end|>", "Hello!"},
		{"Hello!<|eot_id|>", "Hello!"},
	} {
		everyWay(t, tt.sent, searching(), []Response{{Text: tt.sent}}, is(t, tt.want))
	}
}

// What ends a thought that never began makes a thought of all before it. That is known at its
// end only, so nothing is said before where such a model may be at work.
func TestField44_ThoughtsThatNeverBegan(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{
		"They greet.\n</think>\n\nHello!", "They greet.</THINKING>Hello!", "They greet.[/THINK]Hello!", "They greet.◁/think▷Hello!",
		"They greet.<|end_of_thought|>Hello!", "They say \"hi\"</think>Hello!", "They greet.&lt;/think&gt;Hello!",
		"They greet.<|end|><|start|>assistant<|channel|>final<|message|>Hello!", "They greet.<channel|>Hello!",
		"{\"name\":\"orderFood\",\"arguments\":{}}</think>Hello!",
	} {
		r := &raw{answers: []Response{{Text: sent}}}
		got, err := Clean(r).Complete(t.Context(), searching())
		is(t, "Hello!")(sent, got, r.asked, err)
		for size := range 20 {
			r, req := &raw{answers: []Response{{Text: sent}}, size: size}, searching()
			req.Model = "somebody-elses"
			said := ""
			got, err := Clean(r).Stream(t.Context(), req, func(d string) error { said += d; return nil })
			is(t, "Hello!")(sent, got, r.asked, err)
			if said != "Hello!" {
				t.Errorf("%s: said %q", sent, said)
			}
		}
	}
	r, said := &raw{answers: []Response{{Text: "They greet.</think>Hello!"}}, size: 4}, ""
	got, err := Clean(r).Stream(t.Context(), searching(), func(d string) error { said += d; return nil })
	if MeaningOf(err) != Malformed || said != got.Text || strings.Contains(said, "Hello") {
		t.Errorf("of a model that is known to keep them apart: said %q, got %q, %v", said, got.Text, err)
	}
}

func TestHonestTextStays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Hello! How can I help?", "Merhaba, nasılsın? İki kişilik masa var.", "2 < 3 and 5 > 4, and I <3 sushi", "if a < b && c > d", "Tom & Jerry &lt; you",
		"You wrote \"<think>hi</think>\", what do you mean?", "You wrote “<think>hi</think>”.", "Write `<think>` and `</think>` around it.",
		"Put `a <think> here` please.", "Code:\n```xml\n<think>x</think>\n```\nThat is all.", "```go\nvar m map[string][]int\nif a < b { return }\n```",
		"vector<int> v; List<String> l;", "<b>Menu</b>\n<i>Sushi</i>: €5", "<p>Hello</p>", "Dear <name>, your table at <time>.", "<name>, your table is there.",
		"[Menu](https://example.com/a?b=1&c=2), [1] and [x]", "{\"price\": 5, \"currency\": \"EUR\"} is what they sent.", "Set {a, b} and {{booking:V3GM2D}}.",
		"See <https://example.com> or <mail@example.com>.", "I think so. My thoughts: yes. Reasoning is hard.", "orderFood is what I would use.",
		"a <| b |> c", "1. Castle\n2. Harbour", "{", "[", "<", "`", "a [", "It's {\"", "<", "</b>",
		"[{\"a\":1},{\"b\":2}]", "The tag &lt;b&gt; makes it bold.", "weather (today): sunny",
	} {
		want := text
		if text == "It's {\"" {
			want = "It's" // half an object is nothing to say
		}
		req := searching()
		req.Tools = append(req.Tools, Spec{Name: "weather"})
		everyWay(t, text, req, []Response{{Text: text}}, is(t, want))
	}
}

func TestField47_ATextThatIsACall(t *testing.T) {
	t.Parallel()
	const args = `{"query":"sushi"}`
	for _, sent := range []string{
		`{"name":"searchMarketplace","arguments":{"query":"sushi"}}`,
		` {"name": "searchMarketplace", "parameters": {"query": "sushi"}} `,
		`{"name":"functions.searchMarketplace","arguments":"{\"query\":\"sushi\"}"}`,
		`{"type":"function","function":{"name":"searchMarketplace","arguments":"{\"query\":\"sushi\"}"}}`,
		`{"id":"call_9","type":"function","name":"searchMarketplace","arguments":{"query":"sushi"}}`,
		`{"tool_calls":[{"name":"searchMarketplace","args":{"query":"sushi"}}]}`,
		`{"tool_uses":[{"recipient_name":"functions.searchMarketplace","parameters":{"query":"sushi"}}]}`,
		`{"tool":"searchMarketplace","tool_input":{"query":"sushi"}}`,
		`{"searchMarketplace":{"query":"sushi"}}`,
		`[{"name":"searchMarketplace","arguments":{"query":"sushi"}}]`,
		"```json\n{\"name\":\"searchMarketplace\",\"arguments\":{\"query\":\"sushi\"}}\n```",
		"```\n<tool_call>{\"name\":\"searchMarketplace\",\"arguments\":{\"query\":\"sushi\"}}</tool_call>\n```",
		"<think>They want sushi.</think>\n{\"name\":\"searchMarketplace\",\"arguments\":{\"query\":\"sushi\"}}",
		"<tool_call>\n{\"name\": \"searchMarketplace\", \"arguments\": {\"query\": \"sushi\"}}\n</tool_call>",
		"<tool_call>{\"name\":\"searchMarketplace\",\"arguments\":{\"query\":\"sushi\"}}",
		"<function=searchMarketplace>{\"query\":\"sushi\"}</function>",
		"<tool_call>\n<function=searchMarketplace>\n<parameter=query>\nsushi\n</parameter>\n</function>\n</tool_call>",
		"<function_calls><invoke name=\"searchMarketplace\"><parameter name=\"query\">sushi</parameter></invoke></function_calls>",
		"[TOOL_CALLS][{\"name\":\"searchMarketplace\",\"arguments\":{\"query\":\"sushi\"}}]",
		"[TOOL_CALLS]searchMarketplace[ARGS]{\"query\":\"sushi\"}",
		"<|python_tag|>{\"name\":\"searchMarketplace\",\"parameters\":{\"query\":\"sushi\"}}<|eom_id|>",
		"<|tool_calls_section_begin|><|tool_call_begin|>functions.searchMarketplace:0<|tool_call_argument_begin|>{\"query\":\"sushi\"}<|tool_call_end|><|tool_calls_section_end|>",
		"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>searchMarketplace\n```json\n{\"query\":\"sushi\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
		"<|channel|>commentary to=functions.searchMarketplace <|constrain|>json<|message|>{\"query\":\"sushi\"}<|call|>",
		"<|channel|>analysis<|message|>x<|end|><|start|>assistant<|channel|>commentary to=functions.searchMarketplace<|message|>{\"query\":\"sushi\"}<|call|>",
		"searchMarketplace({\"query\":\"sushi\"})",
		"searchMarketplace {\"query\": \"sushi\"}",
	} {
		everyWay(t, sent, searching(), []Response{{Text: sent}}, func(way string, got Response, asked []Request, err error) {
			t.Helper()
			if err != nil || got.Text != "" || len(got.Calls) != 1 || got.Finish != "tool_calls" || len(asked) != 1 {
				t.Errorf("%s: %+v, %v", way, got, err)
				return
			}
			var v any
			if json.Unmarshal(got.Calls[0].Args, &v) != nil {
				t.Errorf("%s: %s", way, got.Calls[0].Args)
			}
			canonical, _ := json.Marshal(v)
			if c := got.Calls[0]; c.Name != "searchMarketplace" || string(canonical) != args || c.ID == "" {
				t.Errorf("%s: %s %s %s", way, c.ID, c.Name, c.Args)
			}
		})
	}
}

func TestField47_OtherCallsAreWithheld(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ sent, want string }{
		{"Let me look.\n{\"name\":\"searchMarketplace\",\"arguments\":{\"query\":\"sushi\"}}", "Let me look."},
		{"Let me look. <tool_call>{\"name\":\"searchMarketplace\",\"arguments\":{}}</tool_call> One moment.", "Let me look. One moment."},
		{"Let me look.\n```json\n{\"name\":\"nothing\",\"arguments\":{}}\n```\nOne moment.", "Let me look.\nOne moment."},
		{"Sure. <|channel|>commentary to=functions.orderFood<|message|>{}<|call|>", "Sure."},
		{"Sure. <function=orderFood>{\"a\":1}</function>", "Sure."},
		{"Sure. [TOOL_CALLS][{\"name\":\"orderFood\",\"arguments\":{}}]", "Sure."},
		{"Sure. {\"name\":\"orderFood\",\"argum", "Sure."},
		{"Sure. {\"tool_calls\":[{\"name\":\"a\",\"arguments\":{}},{\"name\":\"b\",\"arguments\":{}}]}", "Sure."},
	} {
		everyWay(t, tt.sent, searching(), []Response{{Text: tt.sent}}, is(t, tt.want))
	}
	for _, sent := range []string{ // nothing but calls that cannot be taken
		"{\"name\":\"nothing\",\"arguments\":{}}", "{\"name\":\"orderFood\",\"arguments\":[1]}",
		"[{\"name\":\"orderFood\",\"arguments\":{}},{\"name\":\"searchMarketplace\",\"arguments\":{}}]",
		"<tool_call>{\"name\":\"orderFood\"}</tool_call><tool_call>{\"name\":\"searchMarketplace\"}</tool_call>",
		"<tool_call>searchMarketplace and orderFood</tool_call>", "searchMarketplace(query=\"sushi\")", "<tool_call>order food now</tool_call>",
	} {
		everyWay(t, sent, searching(), []Response{{Text: sent}, {Text: "Hello!"}}, func(way string, got Response, asked []Request, err error) {
			t.Helper()
			if err != nil || got.Text != "Hello!" || len(got.Calls) > 0 || len(asked) != 2 {
				t.Errorf("%s: %+v, asked %d times, %v", way, got, len(asked), err)
			}
		})
	}
	none := searching()
	none.ToolChoice = ToolNone
	everyWay(t, "no tool may be called", none, []Response{{Text: "{\"name\":\"orderFood\",\"arguments\":{}}"}, {Text: "Hello!"}}, func(way string, got Response, _ []Request, err error) {
		t.Helper()
		if err != nil || got.Text != "Hello!" || len(got.Calls) > 0 {
			t.Errorf("%s: %+v, %v", way, got, err)
		}
	})
	beside := Response{Text: "{\"name\":\"orderFood\",\"arguments\":{}}", Calls: []Call{{ID: "a", Name: "searchMarketplace", Args: []byte("{}")}}}
	everyWay(t, "beside a call", searching(), []Response{beside}, func(way string, got Response, _ []Request, err error) {
		t.Helper()
		if err != nil || got.Text != "" || len(got.Calls) != 1 || got.Calls[0].ID != "a" {
			t.Errorf("%s: %+v, %v", way, got, err)
		}
	})
}

func TestField58_TheSameCallTwice(t *testing.T) {
	t.Parallel()
	order := func(id, args string) Call { return Call{ID: id, Name: "orderFood", Args: []byte(args)} }
	r := &raw{answers: []Response{{Finish: "tool_calls", Calls: []Call{
		order("call_1", `{"listingId": "pide-hill", "items": [{"itemId": "ayran", "quantity": 2, "note": null}]}`),
		order("call_2", `{"items":[{"quantity":2,"note":null,"itemId":"ayran"}],"listingId":"pide-hill"}`),
		order("call_3", `{"listingId":"pide-hill","items":[{"itemId":"ayran","quantity":3,"note":null}]}`),
		order("call_4", `{"listingId`), order("call_5", `{"listingId`), order("call_6", `9007199254740993`), order("call_7", `9007199254740992`),
		{ID: "call_8", Name: "searchMarketplace", Args: []byte(`{"listingId`)},
	}}}}
	got, err := Clean(r).Complete(t.Context(), searching())
	var ids []string
	for _, c := range got.Calls {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"call_1", "call_3", "call_4", "call_6", "call_7", "call_8"}, ids); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestField45_ThoughtsTookAllTokens(t *testing.T) {
	t.Parallel()
	for _, nothing := range []Response{
		{Finish: "length"}, {Text: "<think>so many", Finish: "length"}, {Text: "<|channel|>analysis<|message|>so many", Finish: "length"}, {Text: "  "},
	} {
		everyWay(t, nothing.Text, searching(), []Response{nothing, {Text: "Hello!"}}, func(way string, got Response, asked []Request, err error) {
			t.Helper()
			if err != nil || got.Text != "Hello!" || got.Usage != (Usage{Input: 20, Output: 10}) || len(asked) != 2 {
				t.Errorf("%s: %+v, asked %d times, %v", way, got, len(asked), err)
				return
			}
			if asked[0].Effort != "" || asked[1].Effort != LowEffort || asked[1].MaxTokens <= asked[0].MaxTokens {
				t.Errorf("%s: asked with %q and %d tokens, then with %q and %d", way, asked[0].Effort, asked[0].MaxTokens, asked[1].Effort, asked[1].MaxTokens)
			}
		})
		everyWay(t, nothing.Text+", again", searching(), []Response{nothing, nothing, {Text: "too late"}}, func(way string, got Response, asked []Request, err error) {
			t.Helper()
			if MeaningOf(err) != Malformed || got.Text != "" || got.Usage.Input != 20 || len(asked) != 2 {
				t.Errorf("%s: %+v, asked %d times, %v", way, got, len(asked), err)
			}
		})
	}
	everyWay(t, "filtered", searching(), []Response{{Finish: "content_filter"}}, func(way string, got Response, asked []Request, err error) {
		t.Helper()
		if MeaningOf(err) != Malformed || len(asked) != 1 {
			t.Errorf("%s: %+v, asked %d times, %v", way, got, len(asked), err)
		}
	})
	failing := &raw{answers: []Response{{Finish: "length"}, {}}, errs: []error{nil, Fail(Unavailable, "away")}}
	if got, err := Clean(failing).Complete(t.Context(), searching()); MeaningOf(err) != Unavailable || got.Usage.Input != 20 || got.Model != "gpt-4o-mini" {
		t.Errorf("the retry fails: %+v, %v", got, err)
	}
}

func TestField46_CutInTheMiddle(t *testing.T) {
	t.Parallel()
	const begin = "It is nice here. You can visit the castle, which opens at 9, and after that the har"
	cut := Response{Text: begin, Finish: "length"}
	length := func(text string) Response { return Response{Text: text, Finish: "length"} }
	for _, tt := range []struct {
		name     string
		answers  []Response
		want     string // whole
		streamed string // where something else has been said already
	}{
		{"goes on in the word", []Response{cut, {Text: "bour. Enjoy!"}}, begin + "bour. Enjoy!", ""},
		{"repeats the word", []Response{cut, {Text: "harbour. Enjoy!"}}, begin + "bour. Enjoy!", ""},
		{"repeats the words", []Response{cut, {Text: "after that the harbour."}}, begin + "bour.", ""},
		{"repeats all", []Response{cut, {Text: begin + "bour."}}, begin + "bour.", ""},
		{"goes on behind the word", []Response{length("Visit the castle and"), {Text: " the harbour."}}, "Visit the castle and the harbour.", ""},
		{"cut behind white space", []Response{length("Visit the castle and "), {Text: "the harbour."}}, "Visit the castle and the harbour.", ""},
		{"a thought comes first", []Response{cut, {Text: "<think>where was I</think>bour."}}, begin + "bour.", ""},
		{"calls in the place of words", []Response{cut, {Calls: []Call{{ID: "a", Name: "orderFood"}}}}, "It is nice here.", begin + "…"},
		{"cut again", []Response{cut, length("bour. Then the mou")}, begin + "bour.", ""},
		{"cut again, the same", []Response{cut, cut}, "It is nice here.", begin + "…"},
		{"nothing more", []Response{cut, length("")}, "It is nice here.", begin + "…"},
		{"no whole sentence", []Response{length("You can visit the castle, and the har"), length("")}, "You can visit the castle, and the…", "You can visit the castle, and the har…"},
		{"a list", []Response{length("Places:\n1. Castle\n2. Harbour\n3. Mou"), length("")}, "Places:\n1. Castle\n2. Harbour", "Places:\n1. Castle\n2. Harbour\n3. Mou…"},
		{"no white space", []Response{length("城は九時に開きます。その後は港"), length("")}, "城は九時に開きます。", "城は九時に開きます。その後は港…"},
		{"cut after the empty one", []Response{length(""), cut}, "It is nice here.", begin + "…"},
	} {
		everyWay(t, tt.name, searching(), tt.answers, func(way string, got Response, asked []Request, err error) {
			t.Helper()
			want := tt.want
			if strings.Contains(way, "gpt-4o-mini in pieces") && tt.streamed != "" {
				want = tt.streamed
			}
			if err != nil || got.Text != want || len(got.Calls) > 0 || got.Usage.Input != 20 || len(asked) != 2 {
				t.Errorf("%s: got %q, used %+v, asked %d times, %v, want %q", way, got.Text, got.Usage, len(asked), err, want)
				return
			}
			if last := asked[1].Messages; tt.answers[0].Text != "" {
				if asked[1].ToolChoice != ToolNone || len(last) != 3 || last[1].Role != Assistant || !strings.HasPrefix(tt.answers[0].Text, last[1].Text) {
					t.Errorf("%s: asked to go on with %+v", way, last)
				}
				if err := Check(last); err != nil {
					t.Errorf("%s: %v", way, err)
				}
			}
		})
	}
	failing := &raw{answers: []Response{cut, {}}, errs: []error{nil, Fail(Unavailable, "away")}}
	if got, err := Clean(failing).Complete(t.Context(), searching()); err != nil || got.Text != "It is nice here." {
		t.Errorf("the second round fails: %q, %v", got.Text, err)
	}
}

func TestObjectsOfASchema(t *testing.T) {
	t.Parallel()
	const want = `{"name":"orderFood","arguments":{"text":"<think>a</think>"}}` // a schema's own, and no call
	req := searching()
	req.Schema = &Schema{Name: "x"}
	for _, sent := range []string{want, " " + want + "\n", "```json\n" + want + "\n```"} {
		everyWay(t, sent, req, []Response{{Text: sent, Finish: "length"}}, is(t, want))
	}
	everyWay(t, "a thought first", req, []Response{{Text: "<think>hm</think>{\"a\":1}"}}, is(t, `{"a":1}`))
	for _, sent := range []Response{{Text: `{"name":`, Finish: "length"}, {Text: "I cannot."}, {Text: "[]"}} {
		everyWay(t, sent.Text, req, []Response{sent, {Text: want}}, func(way string, got Response, asked []Request, err error) {
			t.Helper()
			if err != nil || got.Text != want || len(asked) != 2 || asked[1].MaxTokens <= 1200 {
				t.Errorf("%s: %q, asked %d times, %v", way, got.Text, len(asked), err)
			}
		})
		everyWay(t, sent.Text+", again", req, []Response{sent, sent}, func(way string, got Response, _ []Request, err error) {
			t.Helper()
			if MeaningOf(err) != Malformed || got.Text != "" {
				t.Errorf("%s: %q, %v", way, got.Text, err)
			}
		})
	}
}

// Text that cannot be machinery is given as it comes.
func TestStreamGivesTextAtOnce(t *testing.T) {
	t.Parallel()
	const text = "Hello! We have a table at nine, and one at ten."
	r, pieces := &raw{answers: []Response{{Text: text}}, size: 5}, 0
	_, err := Clean(r).Stream(t.Context(), searching(), func(string) error { pieces++; return nil })
	if err != nil || pieces < len(text)/6 {
		t.Errorf("%d pieces, %v", pieces, err)
	}
}

func TestSayEndsAStream(t *testing.T) {
	t.Parallel()
	stop := errors.New("they hung up")
	for _, tt := range []struct{ model, text string }{{"gpt-4o-mini", "One. Two."}, {"somebody-elses", ""}} {
		req := searching()
		req.Model = tt.model
		n := 0
		got, err := Clean(&raw{answers: []Response{{Text: "One. Two. Three."}}, size: 5}).Stream(t.Context(), req, func(string) error {
			if n++; n == 2 || tt.text == "" {
				return stop
			}
			return nil
		})
		if err != stop || got.Text != tt.text || got.Usage.Input == 0 {
			t.Errorf("%s: %q, used %+v, %v", tt.model, got.Text, got.Usage, err)
		}
	}
}

func TestFailureOfTheRawModel(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"whole", "streamed"} {
		r := &raw{answers: []Response{{Text: "Hello! One mom"}}, errs: []error{Fail(Unavailable, "away")}, size: 4}
		said := ""
		var got Response
		var err error
		if way == "whole" {
			got, err = Clean(r).Complete(t.Context(), searching())
		} else {
			got, err = Clean(r).Stream(t.Context(), searching(), func(d string) error { said += d; return nil })
		}
		if MeaningOf(err) != Unavailable || got.Text != said || got.Usage.Input != 10 || len(r.asked) != 1 {
			t.Errorf("%s: %+v, said %q, asked %d times, %v", way, got, said, len(r.asked), err)
		}
	}
}

func TestWhole(t *testing.T) {
	t.Parallel()
	m := Whole(func(_ context.Context, req Request) (Response, error) {
		if req.Messages[0].Text == "fail" {
			return Response{Text: "half", Usage: Usage{Input: 3}}, Fail(Unavailable, "away")
		}
		return Response{Text: "echo"}, nil
	})
	said := ""
	say := func(d string) error { said += d; return nil }
	if r, err := m.Stream(t.Context(), searching(), say); err != nil || r.Text != "echo" || said != "echo" {
		t.Errorf("%q, said %q, %v", r.Text, said, err)
	}
	failing := Request{Messages: []Message{{Role: User, Text: "fail"}}}
	if r, err := m.Stream(t.Context(), failing, say); MeaningOf(err) != Unavailable || r.Text != "" || r.Usage.Input != 3 || said != "echo" {
		t.Errorf("%+v, said %q, %v", r, said, err)
	}
}

// FuzzClean sends whatever a model may send: it comes out the same whole and in pieces, what is
// said is what is returned, and a call is of the set and has JSON for arguments.
func FuzzClean(f *testing.F) {
	for _, seed := range []string{
		"<think>x</think>Hello!", "They greet.</think>Hello!", "{\"name\":\"orderFood\",\"arguments\":{}}", "<|channel|>analysis<|message|>x<|end|>Hi",
		"```json\n{\"a\":1}\n```", "2 < 3 & `<b>`", "[TOOL_CALLS][{}]", "orderFood({})", "<plan>x</plan>y", "\"<think>\" <think",
	} {
		f.Add(seed, uint8(3))
	}
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		req := searching()
		whole, err := Clean(&raw{answers: []Response{{Text: text}}}).Complete(t.Context(), req)
		settled := func(got Response, err error) {
			if err == nil && got.Text == "" && len(got.Calls) == 0 || err != nil && MeaningOf(err) != Malformed {
				t.Errorf("%q: %+v, %v", text, got, err)
			}
			for _, c := range got.Calls {
				if !json.Valid(c.Args) || c.Name != "orderFood" && c.Name != "searchMarketplace" {
					t.Errorf("%q is the call %s %s", text, c.Name, c.Args)
				}
			}
		}
		settled(whole, err)
		said := ""
		streamed, err := Clean(&raw{answers: []Response{{Text: text}}, size: int(size) + 1}).Stream(t.Context(), req, func(d string) error { said += d; return nil })
		settled(streamed, err)
		if said != streamed.Text {
			t.Errorf("%q: said %q, got %q", text, said, streamed.Text)
		}
		if err == nil && cmp.Diff(whole, streamed, cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Usage" }, cmp.Ignore())) != "" {
			t.Errorf("%q: whole %+v, in pieces of %d %+v", text, whole, int(size)+1, streamed)
		}
	})
}
