package rulemodel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// shopCue goes before the name of a business.
var shopCue = regexp.MustCompile(`(?i)(?:^|[\s,])(?:(?:from|menu of|menu at|menu for|at|από|из|из ресторана|у|من مطعم|من|bei|chez|desde|kutoka)(?:\s+(?:the|το|τη|την|τον))?\s+|מ-)(.+)`)

// shopSuffix is a Turkish name with the ending for "from" or "of".
var shopSuffix = regexp.MustCompile(`((?:\p{Lu}[\p{L}&]*\s+)*\p{Lu}[\p{L}&]*)['’]?(?:n?[dt][ae]n|n[ıiuü]n|[ıiuü]n)(?:\s|$|[,.?!])`)

// shopEnd is where what comes behind the name begins.
var shopEnd = regexp.MustCompile(`(?i)[,.!?;\n]|\s(?:for delivery|for pick|to be|deliver|delivery|delivered|to|and|please|with|at \d|i want|i'd like|\d|για|στη διεύθυνση|με παράδοση|по адресу|с доставкой|пожалуйста|לכתובת|במשלוח|בבקשה|إلى|مع|توصيل|lütfen)(?:\s|$)`)

// notShops are words that follow the same way and name no business, folded.
var notShops = sync.OnceValue(func() []string {
	return newLine(`menu the it there here them this that first second third one my me home noon night least εκεί αυτό там него שם هناك μενού меню`).plain
})

// shopName is the name of the business that a text says something is wanted of, "" for none.
func shopName(text string) string {
	text = withoutAddress(text)
	if m := shopSuffix.FindStringSubmatch(text); m != nil && detect(text) == "tr" {
		return strings.TrimSpace(m[1])
	}
	m := shopCue.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	name := m[1]
	if end := shopEnd.FindStringIndex(name); end != nil {
		name = name[:end[0]]
	}
	name = strings.TrimSpace(name)
	if words := newLine(name).plain; len(words) == 0 || slices.Contains(notShops(), words[0]) || count(words[0]) > 0 || len(words) > 6 {
		return ""
	}
	return name
}

// shop comes to the listing that is meant, or to the reply that finds it or asks which.
func (a *agent) shop(query, action string) (*listing, *reply) {
	if l := a.referred(action); l != nil {
		return l, nil
	}
	head := a.v["found"]
	if len(a.shops) == 0 {
		r, done := a.done("searchMarketplace")
		if !done {
			values := map[string]any{"query": clean(query, maxQuery), "action": action, "limit": shownListings}
			if most := takePrice(newLine(westernDigits(a.first().text))); most > 0 && a.topic == toView {
				values["maxPrice"] = most
			}
			next := a.must("searchMarketplace", values)
			return nil, &next
		}
		if r.failed != nil {
			next := a.wrong(r.failed)
			return nil, &next
		}
		a.shops = r.listings
		if strings.Contains(str(r.data, "note"), "text") {
			head = a.v["similar"]
		}
	}
	return a.among(head, query)
}

// among takes the one of the listings found that is meant, else asks which.
func (a *agent) among(head, query string) (*listing, *reply) {
	if len(a.shops) == 0 {
		return nil, put(fmt.Sprintf(a.v["nothing"], clean(query, 60)))
	}
	if t, ok := a.answer(asksWhich); ok {
		if l := a.pick(t); l != nil {
			return l, nil
		}
	}
	if a.near != nil && slices.ContainsFunc(a.shops, func(l listing) bool { return l.id == a.near.id }) {
		return a.near, nil // looked at since
	}
	if l := a.byName(); l != nil && head != a.v["similar"] {
		return l, nil
	}
	if len(a.shops) == 1 && head != a.v["similar"] {
		return &a.shops[0], nil
	}
	next := say(enumerate(fmt.Sprintf(head, clean(query, 60)), min(len(a.shops), shownListings),
		func(i int) string { return a.v.brief(a.shops[i]) }, a.v["which"]))
	return nil, &next
}

// byName is the listing found that the customer called by its name.
func (a *agent) byName() *listing {
	first := a.first().text
	whole, wanted := " "+newLine(first).whole+" ", newLine(shopName(first)).plain
	for i, l := range a.shops {
		name := newLine(l.name).whole
		if len(name) > 3 && strings.Contains(whole, " "+name+" ") {
			return &a.shops[i]
		}
	}
	for i, l := range a.shops {
		name := words(l.name)
		if len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool { return !slices.ContainsFunc(name, func(n string) bool { return alike(w, n) }) }) {
			return &a.shops[i]
		}
	}
	return nil
}

// pick is the listing that an answer chooses by number or name.
func (e *errand) pick(t told) *listing {
	n := pickOf(newLine(westernDigits(t.text)))
	if n == 0 {
		n = lone(t.text)
	}
	if i, ok := index(n, len(e.shops)); ok {
		return &e.shops[i]
	}
	said := newLine(t.text).plain
	var match *listing
	for i, l := range e.shops {
		name := newLine(l.name).plain
		hits := 0
		for _, w := range said {
			if len(w) > 2 && slices.ContainsFunc(name, func(n string) bool { return alike(w, n) }) {
				hits++
			}
		}
		switch {
		case hits > 0 && match == nil:
			match = &e.shops[i]
		case hits > 0:
			if hits == len(name) {
				return &e.shops[i]
			}
			return nil
		}
	}
	if match == nil && len(e.shops) == 1 && onlyHeard("consent", newLine(t.text).whole) {
		return &e.shops[0]
	}
	return match
}

// another reports whether an answer, given also without what it says of time, asks for
// something else than was shown.
func (e *errand) another(t told, timeless string) bool {
	h := newLine(t.text).whole
	return lone(t.text) == 0 && len(gist(timeless, "viewing", "arranging", "reserving", "ordering", "menu", "helper")) > 0 && !asksFact(h) &&
		!onlyHeard("consent", h) && !onlyHeard("refusal", h)
}

// referred is the listing shown before that the customer points at: by number, by name, or
// because there is no other.
func (a *agent) referred(action string) *listing {
	begun := a.said[0]
	h := newLine(begun.text)
	for _, l := range a.shown {
		name := newLine(l.name).whole
		if len(name) > 3 && strings.Contains(" "+h.whole+" ", " "+name+" ") {
			return &l
		}
	}
	if a.asksMore() {
		return nil
	}
	if i, ok := index(pickOf(newLine(westernDigits(begun.text))), len(a.shown)); ok {
		return &a.shown[i]
	}
	if a.near != nil && (len(a.near.actions) == 0 || slices.Contains(a.near.actions, action)) {
		return a.near
	}
	return nil
}

// asksMore reports whether the errand's beginning says where or what to look for.
func (a *agent) asksMore() bool {
	begun := a.said[0]
	_, renewed := a.answer(asksWhat)
	return renewed || shopName(begun.text) != "" || len(a.shops) > 0 || a.topic == toHire && serviceKind(newLine(begun.text).whole) != ""
}

// brief is one line about l, with its price alone.
func (v voice) brief(l listing) string {
	parts := []string{clean(l.name, maxName)}
	if l.place != "" {
		parts = append(parts, clean(l.place, maxName))
	}
	if price := l.from.String(); price != "" {
		parts = append(parts, price)
	}
	return strings.Join(parts, " · ")
}

// alike reports whether a folded word that was said stands for one of a name: it may have
// another ending, a mistake in it, or an article before it.
func alike(said, name string) bool {
	if said == name {
		return true
	}
	for _, prefix := range []string{"וה", "ו", "ה", "ב", "ל", "وال", "بال", "ال", "و", "ب"} {
		if rest, ok := strings.CutPrefix(said, prefix); ok && len([]rune(rest)) >= 3 && rest == name {
			return true
		}
	}
	s, n := []rune(said), []rune(name)
	if len(n) < 4 || len(s) < len(n)-2 || len(s) > len(n)+4 {
		return false
	}
	same := 0
	for same < len(s) && same < len(n) && s[same] == n[same] {
		same++
	}
	switch {
	case same == len(n), len(n) >= 5 && same >= len(n)-1, len(n) >= 8 && same >= len(n)-2:
		return true
	}
	return len(n) >= 5 && len(s) >= 5 && apart(s, n) <= len(n)/8+1
}

// apart is how many letters have to be added, taken or changed to make b of a.
func apart(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		corner := row[0]
		row[0] = i + 1
		for j := range b {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, change)
		}
	}
	return row[len(b)]
}
