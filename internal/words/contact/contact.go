// Package contact finds the ways that lead out of a conversation: links, domains, mail addresses and telephone
// numbers. A model's text may have those that the backend has given, see [Known], and loses all others: we must not
// pass on as our own what a stranger has slipped into a listing or a message.
//
// A removed way leaves "[…]" behind, and a link with a text keeps that text, so that the sentence stays readable and
// readers see that something is missing.
//
// It sees through what readers and phones see through: other scripts' digits and letters that look alike, invisible
// characters, "example dot com", dots between brackets, links of Markdown and HTML. A number is a telephone number
// from seven digits on, unless it is a date, a time, opening hours, a year, an amount of money, or a part of a word
// or of a code. Numbers too long for telephones belong to cards and accounts, and go too. The package does not see
// numbers in words. It sees shorter numbers only if they follow each other in a sentence: "0533, then 111, then 22
// 33".
package contact

import (
	_ "embed"
	"net/url"
	"strings"
	"sync"

	"merve/internal/base/pattern"
	"merve/internal/words/language"
)

// Gap stands where something was taken out.
const Gap = "[…]"

// Known are the ways out that a text may have. The zero value knows none.
type Known struct {
	site    string // with which addresses of our own begin
	links   map[string]bool
	numbers []string // their digits
	figures map[string]bool
}

// Of knows all addresses of a site.
func Of(site string) *Known { return &Known{site: strings.TrimSuffix(normal(site), "/")} }

// Learn adds the links and numbers in a text, which may be JSON, to what is known, and its dates, times and other
// figures in whatever form they are told. It leaves out those that stand in except, the request that the text
// answers: a model that repeats people's own words to them has given them nothing.
func (k *Known) Learn(text, except string) {
	text, except = unescaped.Replace(text), unescaped.Replace(except)
	k.learnFigures(text, except)
	links, numbers := found(text)
	saidLinks, saidNumbers := map[string]bool{}, map[string]bool{}
	if except != "" {
		said, digits := found(except)
		for _, link := range said {
			saidLinks[link] = true
		}
		for _, number := range digits {
			saidNumbers[number] = true
		}
	}
	if k.links == nil {
		k.links = map[string]bool{}
	}
	for _, link := range links {
		if !saidLinks[link] {
			k.links[link], k.links[bare(link)], k.links[host(link)] = true, true, true
		}
	}
	for _, number := range numbers {
		if !saidNumbers[number] {
			k.numbers = append(k.numbers, number)
		}
	}
}

// unescaped undoes what JSON does to links.
var unescaped = strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">", `\/`, "/", `\n`, "\n", `\"`, `"`, `\t`, " ")

// Clean is a text without the ways out that are not known.
func (k *Known) Clean(text string) string {
	text = replace(text, tagged, func(tag []string) (string, bool) { return "", !k.link(tag[1]) })
	text = replace(text, marked, func(m []string) (string, bool) {
		if k.link(m[2]) {
			return "", false
		}
		return m[1], true
	})
	for _, f := range []form{schemed, dotted, spelt} {
		text = replace(text, f.Pattern, func(m []string) (string, bool) { return Gap, f.leads(m) && !k.link(m[0]) })
	}
	return replaceNumbers(text, k.given, func(n number) bool { return !k.number(n) })
}

// given returns where the links stand that tools gave: a link that loses its numbers leads nowhere.
func (k *Known) given(s shadow) (places [][]int) {
	for _, f := range []form{schemed, dotted} {
		for _, at := range f.Regexp().FindAllStringIndex(s.text, -1) {
			if k.links[normal(s.text[at[0]:at[1]])] {
				places = append(places, at)
			}
		}
	}
	return places
}

// form is a form of links.
type form struct {
	pattern.Pattern
	named bool // it is one when it ends with a top-level domain
}

var (
	// tagged are HTML tags that lead somewhere.
	tagged = pattern.New(`(?i)<[^<>]*?\b(?:href|src|action)\s*=\s*["']?([^"'\s<>]*)[^<>]*>`)
	// marked are links and images of Markdown.
	marked = pattern.New(`!?\[([^\[\]\n]*)\]\s?\(\s*<?([^()\s<>]*)(?:\([^()\s]*\))?>?[^()\n]*\)`)
	// schemed are addresses with a scheme.
	schemed = form{pattern.New(`(?i)\b(?:[a-z][a-z0-9+.-]{1,20}:[/\\]{1,3}|(?:javascript|vbscript|data|mailto|whatsapp|tg|viber|skype|intent|facetime|blob):)[^\s<>"'«»“”]+`), false}
	// dotted are domains, with what stands before and behind them, and addresses of four numbers.
	dotted = form{pattern.New(`(?i)(?:[\pL\pN_.+%-]+@)?((?:[\pL\pN](?:[\pL\pN\pM_-]*[\pL\pN\pM])?\.)+)(xn--[a-z0-9-]+|[\pL][\pL\pM]+)(?::\d+)?(?:[/?#\\][^\s<>"'«»“”]*)?` +
		`|\b()(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.\d+)*(?::\d+)?(?:/[^\s<>"']*)?`), true}
	// spelt are domains whose dots are written as words, between brackets or apart.
	spelt = form{pattern.New(`(?i)[\pL\pN][\pL\pN_-]*(?:` +
		`\s*[\[({<]\s*(?:\.|dot|nokta|punto|point|punkt|ponto|точка|τελεία|נקודה|نقطة|nukta)\s*[\])}>]\s*[\pL]{2,}` +
		`|\s+dot\s+(?:com|net|org|info|biz|io|xyz|app|dev|site|online|shop|store|club|link|click|top|me|tr|cy|uk|eu|de|ru|gr|il)\b` +
		`|\s+(?:nokta|punto|point|punkt|ponto|точка|τελεία|נקודה|نقطة|nukta)\s+(?:com|net|org|xyz|biz|io|ком|нет|орг|קום|כום|كوم)(?:[^\pL]|$)` +
		`|\s+\.\s*(?:com|net|org|xyz|biz|info)\b|\.\s+(?-i:com|net|org|xyz)\b)(?:/[^\s<>"']*)?`), false}
)

// leads reports whether what has the form of a link is one. An address of numbers has no last label.
func (f form) leads(m []string) bool {
	return !f.named || m[2] == "" || strings.HasPrefix(strings.ToLower(m[2]), "xn--") || topLevel()[language.Skeleton(language.Fold(m[2]))]
}

//go:embed tlds.txt
var tldFile string

// topLevel are the top-level domains, in the form that they share with what looks like them.
var topLevel = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(tldFile) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			all[language.Skeleton(language.Fold(name))] = true
		}
	}
	return all
})

// In are the links and telephone numbers of a text, as [Known] learns them.
func In(text string) []string {
	links, numbers := found(text)
	for _, number := range numbers {
		links = append(links, "+"+number)
	}
	return links
}

// found are the links and numbers of a text, as they are compared.
func found(text string) (links, numbers []string) {
	for _, f := range []form{schemed, dotted} {
		text = replace(text, f.Pattern, func(m []string) (string, bool) {
			if f.leads(m) {
				links = append(links, normal(m[0]))
			}
			return " ", !f.named
		})
	}
	for _, n := range numbersOf(shadowOf(text)) {
		numbers = append(numbers, n.digits)
	}
	return links, numbers
}

// normal is the form in which links are compared. What follows the domain may matter, and so does the scheme unless
// it is the usual one.
func normal(link string) string {
	link = strings.TrimRight(strings.TrimSpace(shadowed(link)), ".,;:!?)]}*_~`|/…")
	scheme, rest, ok := strings.Cut(link, "://")
	if !ok {
		scheme, rest = "", link
	}
	name := rest
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		name = rest[:end]
	}
	rest = strings.TrimPrefix(strings.ToLower(name), "www.") + rest[len(name):]
	if scheme = strings.ToLower(scheme); scheme == "" || scheme == "https" {
		return rest
	}
	return scheme + "://" + rest
}

// bare is a link without its scheme, as people write it.
func bare(link string) string {
	if _, rest, ok := strings.Cut(link, "://"); ok {
		return rest
	}
	return link
}

// host is the domain of a link, or the link.
func host(link string) string {
	if u, err := url.Parse("//" + bare(link)); err == nil && u.Host != "" && u.User == nil {
		return u.Host
	}
	return link
}

// link reports whether a link is known, or leads to the site.
func (k *Known) link(written string) bool {
	link := normal(written)
	if rest, ok := strings.CutPrefix(link, k.site); ok && k.site != "" && (rest == "" || strings.ContainsRune("/?#", rune(rest[0]))) {
		return true
	}
	return k.links[link]
}

// number reports whether a number is known: the whole of it, or the end of it as it is dialled at home, or all figures
// that it consists of. One that is told in parts begins with something else where that is known.
func (k *Known) number(n number) bool {
	if k.tells(n.groups) || n.split && k.tells(n.groups[:1]) {
		return true
	}
	home := strings.TrimLeft(n.digits, "0")
	for _, known := range k.numbers {
		if known == n.digits || strings.TrimLeft(known, "0") == home || !n.abroad && len(home) >= fewest && strings.HasSuffix(known, home) {
			return true
		}
	}
	return false
}
