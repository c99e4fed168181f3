package rulemodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"merve/internal/words/language"
)

// The plan engine's questions: a plan of steps, an expression of a word problem, an answer from results, and talk. The
// rules know them by the names of their schemas and by how their prompts begin.
func init() {
	answerers["execution_plan"] = planned
	answerers["vendor_reply"] = vendorReply
	answerers["math_expression"] = expressed
}

// How the prompts of those begin that want words.
const (
	aggregatorBegins = "You write the answer to a user's question from the results of tools."
	chatBegins       = "You are the Cynical Data Engineer"
)

// ofPlans answers what the plan engine asks in words.
func ofPlans(req request) (reply, bool) {
	switch begins := string(req.Messages[0].Content); {
	case strings.HasPrefix(begins, aggregatorBegins):
		return reply{text: aggregated(req)}, true
	case strings.HasPrefix(begins, chatBegins):
		lang := language.Detect(string(req.Messages[len(req.Messages)-1].Content), "en")
		return reply{text: voiceIn("plan", lang)["chat"]}, true
	}
	return reply{}, false
}

type planStep struct {
	Tool      string `json:"tool"`
	Input     string `json:"input"`
	DependsOn []int  `json:"dependsOn"`
}

var (
	partEnds       = regexp.MustCompile(`[?!;؟;]+|[.,،](?:\s|$)|\s(?:and|und|et|ve|y|и|και|na kisha)\s|\sו(?:את\s)?|\sو`)
	ofWords        = regexp.MustCompile(`(?i)([\d%])\s*(?:\bof\b|\bvon\b|\bde\b|\bdel\b|\bdi\b|\bya\b|\bkwa\b|от|από|מתוך|מ-|من)\s*(\d)`)
	sumIn          = regexp.MustCompile(`[-(]?\d[\d.,]*\s*%?(?:\s*(?:[-+*/^×÷−xX()]|of)\s*[-(]*\d[\d.,]*\s*[%)]*)+`)
	turkishPercent = regexp.MustCompile(`(\d[\d.,]*)['’]?\p{L}*\s+(?:%|yüzde\s*)(\d[\d.,]*)['’]?\p{L}*`)
	percentWord    = regexp.MustCompile(`(?i)(\d)\s*(?:percent|prozent|por ciento|pour cent|процентов|процента|τοις εκατό|אחוז(?:ים)?|بالمئة|asilimia)`)
	asWeather      = regexp.MustCompile(`(?i)weather|forecast|temperature|warm in|cold in|rain|hava|wetter|tiempo|clima|météo|temps fait|погод|καιρ|מזג|טקס|الطقس|hali ya hewa`)
	asProduct      = regexp.MustCompile(`(?i)laptop|notebook|computer|phone|headphone|earbud|monitor|tablet|camera|keyboard|mouse|printer|router|speaker|watch|tv\b|ssd|charger|console|drone|product|bilgisayar|telefon|kulaklık|ekran|ordinateur|casque|portátil|auricular|ноутбук|телефон|наушник|монитор|λάπτοπ|ακουστικ|οθόν|τηλέφων|מחשב|אוזניות|מסך|טלפון|حاسوب|سماعات|شاشة|هاتف|kompyuta|simu|kopfhörer|bildschirm`)
	placeNamed     = regexp.MustCompile(`(?:\bin|\bfor|\bat|\ben|\bà|в|στην|στη|στο|ב|في|katika)\s*-?((?:\p{Lu}|\p{Lo})[\p{L}'’-]*(?:\s(?:\p{Lu})[\p{L}'’-]*)*)|((?:\p{Lu})[\p{L}-]*)['’](?:da|de|ta|te)`)
)

// productEnglish puts words of products into English.
var productEnglish = sync.OnceValue(func() *strings.Replacer {
	var pairs []string
	for _, p := range lexica().pairs["product"] {
		pairs = append(pairs, p[0], p[1])
	}
	return strings.NewReplacer(pairs...)
})

// planned splits a question into parts, each of which a tool's words tell. Parts that no tool is for are talk: there is
// one step.
func planned(req request, _ time.Time) any {
	steps := partsOf(strings.TrimPrefix(string(req.Messages[len(req.Messages)-1].Content), "Question: "))
	return map[string]any{"steps": steps, "totalSteps": len(steps)}
}

func partsOf(question string) []planStep {
	var steps []planStep
	var talk []string
	whole := turkishPercent.ReplaceAllString(percentWord.ReplaceAllString(question, "$1%"), "$2% of $1")
	whole = sumIn.ReplaceAllStringFunc(ofWords.ReplaceAllString(whole, "$1 of $2"), func(s string) string {
		steps = append(steps, planStep{"math", strings.Trim(strings.Join(strings.Fields(s), " "), ",. "), []int{}})
		return "; "
	})
	for _, part := range partEnds.Split(whole, -1) {
		part = strings.TrimPrefix(strings.TrimSpace(part), "and ")
		switch {
		case asWeather.MatchString(part):
			where := placeNamed.FindStringSubmatch(part)
			if where == nil {
				where = []string{"", part}
			}
			steps = append(steps, planStep{"weather", where[1] + strings.Join(where[2:], ""), []int{}})
		case asProduct.MatchString(part):
			steps = append(steps, planStep{"rag", productEnglish().Replace(part), []int{}})
		case strings.Count(part, " ") > 2:
			talk = append(talk, part)
		}
	}
	if len(steps) == 0 || len(steps) > 11 {
		steps, talk = nil, []string{question}
	}
	if len(talk) > 0 && len(steps) == 0 {
		steps = append(steps, planStep{"general_chat", question, []int{}})
	}
	return steps
}

// handedOver has the planner answer what nothing else here does: a question in several parts, a sum or the weather among
// them. It reports false for whatever is something else.
func (c *conversation) handedOver() (reply, bool) {
	if c.offered["answerQuestion"] == nil || !inParts(c.text) {
		return reply{}, false
	}
	b := c.booker()
	r, next := b.got("answerQuestion", map[string]any{"question": c.text})
	switch {
	case next != nil:
		return *next, true
	case str(r.data, "answer") == "":
		return say(b.v["away"]), true
	}
	return say(clean(str(r.data, "answer"), 1500)), true
}

// inParts reports whether a message asks several things, at least one of them a sum or about the weather, and wants
// nothing that is booked, ordered or sent.
func inParts(text string) bool {
	parts := partsOf(text)
	wish, _ := wishIn(text, false)
	if wish == toHire && !mends.MatchString(text) { // a device is asked about, not somebody who repairs it
		wish = noErrand
	}
	if wish != noErrand || len(parts) < 2 {
		return false
	}
	return slices.ContainsFunc(parts, func(s planStep) bool { return s.Tool == "math" || s.Tool == "weather" })
}

// mends are words of those whose device is broken.
var mends = regexp.MustCompile(`(?i)repair|fix|broke|mend|tamir|bozul|επισκευ|чини|ремонт|сломал|תיקון|לתקן|تصليح|إصلاح|reparatur|reparier|kaputt|repara|arregl|répar|panne|tengenez|haribik`)

var (
	firstNumber = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
	changeBy    = regexp.MustCompile(`(?i)(plus|add|with|and|minus|less|off|times|half)\D{0,20}(\d[\d.,]*\s*%?)?`)
)

// expressed puts a word problem about one earlier number into an expression.
func expressed(req request, _ time.Time) any {
	asked, earlier := string(req.Messages[len(req.Messages)-1].Content), ""
	if len(req.Messages) > 2 {
		earlier = string(req.Messages[1].Content)
		if i := strings.Index(earlier, "$"); i >= 0 {
			earlier = earlier[i:]
		}
	}
	number, how := firstNumber.FindString(earlier), changeBy.FindStringSubmatch(asked)
	if number == "" || how == nil {
		return map[string]any{"reasoning": "no number to compute", "expression": nil}
	}
	number = strings.ReplaceAll(number, ",", "")
	sign := map[string]string{"minus": "-", "less": "-", "off": "-", "times": "*", "half": "/"}[strings.ToLower(how[1])]
	switch {
	case sign == "/":
		return map[string]any{"reasoning": "half of it", "expression": number + " / 2"}
	case how[2] == "":
		return map[string]any{"reasoning": "no second number", "expression": nil}
	case sign == "":
		sign = "+"
	}
	return map[string]any{"reasoning": how[1] + " " + how[2], "expression": number + " " + sign + " " + strings.TrimSpace(how[2])}
}

// aggregated repeats what results say, in as few words as can be: names and numbers, which need no language.
func aggregated(req request) string {
	question, raw := string(req.Messages[len(req.Messages)-1].Content), ""
	if len(req.Messages) > 2 {
		raw = string(req.Messages[len(req.Messages)-2].Content)
	}
	var results []struct {
		Tool   string          `json:"tool"`
		Asked  string          `json:"asked"`
		Failed bool            `json:"failed"`
		Result json.RawMessage `json:"result"`
	}
	raw = strings.TrimSuffix(raw, "</data>")
	if i := strings.IndexByte(raw, '['); i < 0 || json.Unmarshal([]byte(raw[i:]), &results) != nil {
		return question
	}
	lang := language.Detect(question, "en")
	var lines []string
	for _, r := range results {
		if r.Failed {
			lines = append(lines, fmt.Sprintf(voiceIn("plan", lang)["notFound"], r.Asked))
			continue
		}
		lines = append(lines, inShort(r.Result, r.Asked))
	}
	return strings.Join(lines, "\n")
}

// told is one result in words.
func inShort(raw json.RawMessage, asked string) string {
	var r struct {
		Expression, Value string
		Place, Sky        string
		TemperatureC      *float64
		Chunks            []struct{ Name, Price, Text string }
	}
	var text string
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &r) != nil:
		return string(raw)
	case r.Expression != "":
		return r.Expression + " = " + r.Value
	case r.TemperatureC != nil:
		return strings.TrimSuffix(fmt.Sprintf("%s: %g °C, %s", r.Place, *r.TemperatureC, r.Sky), ", ")
	case len(r.Chunks) > 0:
		for _, c := range r.Chunks {
			if most := dollars(asked); most == 0 || dollars(c.Price) <= most {
				return c.Name + ": " + c.Price
			}
		}
	}
	return string(raw)
}

// dollars is the first amount of a text; 0 for none.
func dollars(text string) float64 {
	_, after, _ := strings.Cut(text, "$")
	n, _ := strconv.ParseFloat(strings.ReplaceAll(firstNumber.FindString(after), ",", ""), 64) // else 0
	return n
}
