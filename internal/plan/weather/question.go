package weather

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/words/language"
)

// question is a text reduced to names and the day asked for. The place's own name comes first, then the areas that it
// lies in.
type question struct {
	names []string
	day   day
}

// read takes a question apart.
func read(text string) (question, error) {
	switch {
	case !utf8.ValidString(text):
		return question{}, fault.Field("place", "must be UTF-8")
	case utf8.RuneCountInString(text) > MaxQuestion:
		return question{}, fault.Field("place", "at most %d characters", MaxQuestion)
	}
	v, err := words()
	if err != nil {
		return question{}, err
	}
	var q question
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;()[]\n،؛、，", r) }) {
		named, on := v.strip(tokens(part))
		if q.day == (day{}) {
			q.day = on
		}
		if len(named) > 0 {
			q.names = append(q.names, strings.Join(named, " "))
		}
	}
	if len(q.names) == 0 {
		return question{}, fault.Field("place", "want the name of a place")
	}
	return q, nil
}

// tokens are the words of a part, without what stands around them.
func tokens(part string) []string {
	var found []string
	for _, w := range strings.FieldsFunc(part, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }) {
		w = strings.TrimFunc(w, func(r rune) bool {
			return r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		})
		if utf8.RuneCountInString(w) > len("St.") {
			w = strings.TrimRight(w, ".")
		}
		if strings.Trim(w, ".") != "" {
			found = append(found, w)
		}
	}
	return found
}

// strip removes words from both ends that belong to the question and not to a name. It returns the rest, and the day
// that the removed words name.
func (v vocabulary) strip(ws []string) ([]string, day) {
	var on day
	note := func(p phrase) {
		if p.day != (day{}) {
			on = p.day
		}
	}
	for named := false; len(ws) > 0; {
		p, n := v.first(ws)
		if n == 0 || named && p.role == asks || p.role == isArticle && !v.goesOn(ws[n:]) {
			break
		}
		note(p)
		named = p.role == isBefore
		ws = ws[n:]
	}
	for len(ws) > 0 {
		p, n := v.last(ws)
		if n == 0 || n == len(ws) && p.day == (day{}) {
			break
		}
		note(p)
		ws = ws[:len(ws)-n]
	}
	if len(ws) > 0 {
		ws[len(ws)-1] = bare(ws[len(ws)-1])
	}
	return ws, on
}

// goesOn reports whether more follows that is no name.
func (v vocabulary) goesOn(ws []string) bool {
	p, n := v.first(ws)
	return n > 0 && p.role != isBefore && p.role != isArticle
}

// endings are what Turkish and English hang on a name, behind an apostrophe.
var endings = []string{"s", "de", "da", "te", "ta", "deki", "daki", "teki", "taki", "in", "un", "nin", "nun"}

// bare takes an ending off a name: "Girne'de" is in Girne.
func bare(name string) string {
	folded := []rune(language.Fold(name))
	for _, ending := range endings {
		if n := utf8.RuneCountInString(ending) + 1; len(folded) > n && string(folded[len(folded)-n:]) == "'"+ending {
			runes := []rune(name)
			return string(runes[:max(len(runes)-n, 0)])
		}
	}
	return name
}

// whole is the place as it was named.
func (q question) whole() string { return strings.Join(q.names, ", ") }

// candidate is one reading of the names.
type candidate struct {
	name   string
	within []string
}

// candidates are the readings of the names, the likeliest first: as they stand; without an article or the Hebrew
// letter for "in" before them; and with one or two last words for the country, where no comma says so.
func (q question) candidates() []candidate {
	name, within := q.names[0], q.names[1:]
	all := []candidate{{name, within}}
	ws := strings.Fields(name)
	if v, err := words(); err == nil && len(ws) > 1 && v.is(ws[0], isArticle) {
		all = append(all, candidate{strings.Join(ws[1:], " "), within})
	}
	if short, in := strings.CutPrefix(name, "ב"); in && utf8.RuneCountInString(short) > 1 {
		all = append(all, candidate{short, within})
	}
	for n := 1; n <= 2 && n < len(ws) && len(within) == 0; n++ {
		cut := len(ws) - n
		all = append(all, candidate{strings.Join(ws[:cut], " "), []string{strings.Join(ws[cut:], " ")}})
	}
	return all
}

// day is the day asked for: so many days from today, a weekday, or a date. The zero day is today.
type day struct {
	ahead   int
	weekday string // in small letters
	date    string // 2006-01-02
}

// of picks the day out of a forecast. A forecast without days may still tell of today.
func (d day) of(f Forecast) (Day, error) {
	days := f.Days
	if len(days) == 0 && !f.At.IsZero() {
		days = []Day{{Date: f.At.Format(time.DateOnly)}}
	}
	if len(days) == 0 {
		if d == (day{}) {
			return Day{}, nil
		}
		return Day{}, fault.New(fault.Unavailable, "the weather service tells of no days to come")
	}
	want, err := d.from(days[0].Date)
	if err != nil {
		return Day{}, err
	}
	for i, told := range days {
		if told.Date == want {
			if i < 2 {
				told.Relation = [...]string{"today", "tomorrow"}[i]
			}
			return told, nil
		}
	}
	return Day{}, fault.Field("day", "the forecast is from %s to %s, not for %s", days[0].Date, days[len(days)-1].Date, want)
}

// from returns the date of the day, as seen from today's.
func (d day) from(today string) (string, error) {
	at, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return "", fault.Wrap(err, fault.Unavailable, "the weather service's answer cannot be read")
	}
	switch {
	case d.date != "":
		return d.date, nil
	case d.weekday != "":
		for strings.ToLower(at.Weekday().String()) != d.weekday {
			at = at.AddDate(0, 0, 1)
		}
	default:
		at = at.AddDate(0, 0, d.ahead)
	}
	return at.Format(time.DateOnly), nil
}
