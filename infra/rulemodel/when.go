package rulemodel

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Patterns below are for folded text: lower case, no diacritics, one space between words.
const (
	numbers  = `\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|bir|iki|uc|dort|bes|alti|yedi|sekiz|dokuz|on bir|on iki|on`
	months   = `january|february|march|april|may|june|july|august|september|october|november|december|sept|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|ocak|subat|mart|nisan|mayis|haziran|temmuz|agustos|eylul|ekim|kasim|aralik`
	weekdays = `(?:(monday|tuesday|wednesday|thursday|friday|saturday|sunday|tues|thurs|thur|mon|tue|wed|thu|fri|sat|sun)|(pazartesi|cumartesi|carsamba|persembe|pazar|sali|cuma)` + ending + `)`
	ending   = `(?:'?(?:d[ae]n?|t[ae]n?|y[aeiu]|s[iu]|[aei]|in|leyin|lig[iu]na))?`
	nth      = `(?:st|nd|rd|th)?`
)

var (
	isoDate  = regexp.MustCompile(`\b(\d{4})-(\d{1,2})-(\d{1,2})(?:t(\d{2}):(\d{2})\S*)?\b`)
	spanOf   = regexp.MustCompile(`\b(\d{1,2})` + nth + ending + ` ?(?:-|–|to|and|until|till|ile|ve) ?(\d{1,2})` + nth + `(?: of)? (` + months + `)` + ending + `\b(?: (\d{4})\b)?`)
	spanIn   = regexp.MustCompile(`\b(` + months + `) (\d{1,2})` + nth + ` ?(?:-|–|to|until|till) ?(\d{1,2})` + nth + `\b(?:,? (\d{4})\b)?`)
	dayMonth = regexp.MustCompile(`\b(?:the )?(\d{1,2})` + nth + `(?: of)? (` + months + `)` + ending + `\b(?: (\d{4})\b)?`)
	monthDay = regexp.MustCompile(`\b(` + months + `) (\d{1,2})` + nth + `\b(?:,? (\d{4})\b)?`)
	figures  = regexp.MustCompile(`\b(\d{1,2})([./])(\d{1,2})(?:[./](\d{4}|\d{2}))?` + ending + `\b`)

	inTwoDays  = regexp.MustCompile(`\b(?:the )?day after tomorrow\b|\bobur gun\b|\byarindan sonra(?:ki gun)?\b`)
	tomorrow   = regexp.MustCompile(`\b(?:tomorrow|tomorow|tommorow|tommorrow|tmrw|yarin(?:a|ki|dan)?)\b`)
	today      = regexp.MustCompile(`\b(?:today|tonight|this (?:evening|afternoon|morning)|bugun(?:e|ku)?|bu (?:aksam|gece|sabah)(?:a|ki)?|bu ogleden sonra)\b`)
	inDays     = regexp.MustCompile(`\bin (` + numbers + `) days?\b|\b(` + numbers + `) gun sonra(?:ya|sina)?\b`)
	inAWeek    = regexp.MustCompile(`\bin (?:a|one|1) week\b|\bhaftaya bugun\b|\b(?:bir|1) hafta sonra(?:ya|sina)?\b`)
	weekend    = regexp.MustCompile(`\b(?:at |on )?(?:this |the |next )?week-?end\b|\b(?:bu )?hafta ?sonu(?:na|nda|n)?\b`)
	weekday    = regexp.MustCompile(`\b(?:(next|this|coming|on|gelecek|haftaya|onumuzdeki|bu) )?` + weekdays + `\b(?: gun(?:u|une)\b)?`)
	notWeekday = regexp.MustCompile(`\bsun (?:lounger|bed|bath|terrace|tan|cruise|deck)|\bsat (?:down|nav)|\bpazar (?:yeri|gezisi)`)

	inHours = regexp.MustCompile(`\bin (?:about |around )?(` + numbers + `|half an|an?)( and a half)? (hours?|hrs?|minutes?|mins?)( and a half)?\b|\b(` + numbers + `|yarim) (saat|dakika|dk)( bucuk)? (?:sonra(?:ya|sina)?|icinde)\b`)

	clockFull = regexp.MustCompile(`\b(?:at |saat )?([01]?\d|2[0-3])[:.h]([0-5]\d) ?(am|pm|a\.m|p\.m)?` + ending + `\b`)
	clockHalf = regexp.MustCompile(`\b(?:saat )?(` + numbers + `) bucuk` + ending + `\b|\bhalf past (` + numbers + `)\b`)
	quarter   = regexp.MustCompile(`\b(?:a )?quarter (past|after|to|before) (` + numbers + `)\b`)
	clockH    = regexp.MustCompile(`\b(?:at )?([01]?\d|2[0-3]) ?(?:h|hrs|uhr)\b`)
	clock12   = regexp.MustCompile(`\b(?:at )?(1[0-2]|0?[1-9]) ?(am|pm|a\.m|p\.m)\b`)
	clockAt   = regexp.MustCompile(`(?:\b(?:at|around|saat) |@ ?)(` + numbers + `)` + ending + `\b(?: o'?clock\b)?`)
	oClock    = regexp.MustCompile(`\b(` + numbers + `) o'?clock\b`)
	clockDe   = regexp.MustCompile(`\b(` + numbers + `)'?(?:d[ae]|t[ae])\b`)
	noon      = regexp.MustCompile(`\b(?:at )?(?:noon|midday|oglen(?:leyin)?)\b`)
	midnight  = regexp.MustCompile(`\b(?:at )?(?:midnight|gece yarisi(?:nda)?)\b`)

	evening   = regexp.MustCompile(`\b(?:evening|tonight|dinner|night|aksam\w*|gece)\b`)
	morning   = regexp.MustCompile(`\b(?:morning|breakfast|sabah\w*|kahvalti\w*)\b`)
	afternoon = regexp.MustCompile(`\b(?:afternoon|lunch|ogleden sonra|ogle|oglen\w*)\b`)
)

// digits are looked for before the patterns that need one are tried.
const digits = "0123456789"

// part is a part of the day, which tells what "at 8" means.
type part int

const (
	anyTime part = iota
	inMorning
	inAfternoon
	inEvening
)

// clock is a time of day. One that is not exact may mean the second half of the day.
type clock struct {
	hour, minute int
	exact        bool
}

// at is the time as tools take it; what "8" means depends on the part of the day and
// on whether it is for a meal.
func (c clock) at(p part, meal bool) string {
	if !c.exact && c.hour >= 1 && c.hour < 12 {
		switch {
		case p == inMorning:
		case p == inEvening, p == inAfternoon && c.hour < 7, c.hour < 7:
			c.hour += 12
		case p == anyTime && (c.hour == 7 || meal):
			c.hour += 12
		}
	}
	return time.Date(2000, 1, 1, c.hour, c.minute, 0, 0, time.UTC).Format("15:04")
}

// when is what a message says of time. A date is midnight UTC of the day; zero means no day.
type when struct {
	date, end time.Time
	clock     *clock
	part      part
}

// calendar reads dates and times as seen from a moment, whose day is today.
type calendar struct{ today, now time.Time }

func newCalendar(now time.Time) calendar {
	y, m, d := now.Date()
	return calendar{time.Date(y, m, d, 0, 0, 0, 0, time.UTC), time.Date(y, m, d, now.Hour(), now.Minute(), 0, 0, time.UTC)}
}

// read takes dates and times out of l. A number that may be either is a date when a
// date is what was asked for.
func (c calendar) read(l *line, wantDate bool) when {
	w := when{part: partOf(l)}
	if soon := c.soon(l); soon != nil {
		return *soon
	}
	found := c.exactDates(l, &w)
	if w.clock == nil {
		w.clock = takeClock(l)
	}
	found = append(found, c.figures(l, wantDate && w.clock == nil)...)
	if w.clock == nil {
		w.clock = takeFigureClock(l)
	}
	if relative := c.relative(l); len(found) == 0 { // "Saturday 21 November" is one date
		found = relative
	}
	slices.SortStableFunc(found, func(a, b dated) int { return a.from - b.from })
	for _, d := range found {
		switch {
		case w.date.IsZero():
			w.date, w.end = d.date, d.end
		case w.end.IsZero() && d.date.After(w.date):
			w.end = d.date
		}
	}
	return w
}

// soon takes a time that is told from now, such as "in two hours"; nil for none. It is
// rounded up to five minutes.
func (c calendar) soon(l *line) *when {
	g, _ := l.take(inHours)
	if g == nil {
		return nil
	}
	n, unit := cmp.Or(g[1], g[5]), time.Hour
	if u := cmp.Or(g[3], g[6]); u[0] == 'm' || u[0] == 'd' {
		unit = time.Minute
	}
	wait := max(time.Duration(number(n)), 1) * unit
	switch {
	case strings.HasPrefix(n, "half"), n == "yarim":
		wait = unit / 2
	case g[2] != "", g[4] != "", g[7] != "":
		wait += unit / 2
	}
	at := c.now.Add(wait + 5*time.Minute - 1).Truncate(5 * time.Minute)
	return &when{date: newCalendar(at).today, clock: &clock{at.Hour(), at.Minute(), true}}
}

func partOf(l *line) part {
	switch {
	case evening.Match(l.text):
		return inEvening
	case afternoon.Match(l.text):
		return inAfternoon
	case morning.Match(l.text):
		return inMorning
	}
	return anyTime
}

// dated is a date, or the two ends of a span, and where it stood.
type dated struct {
	date, end time.Time
	from      int
}

// maxDates bounds the dates taken from one message.
const maxDates = 4

// exactDates takes dates that name day and month.
func (c calendar) exactDates(l *line, w *when) []dated {
	var out []dated
	for range maxDates {
		if !bytes.ContainsAny(l.text, digits) {
			break
		}
		found := false
		if g, from := l.take(isoDate); g != nil {
			found = true
			if d, ok := civil(atoi(g[1]), time.Month(atoi(g[2])), atoi(g[3])); ok {
				out = append(out, dated{date: d, from: from})
			}
			if g[4] != "" && atoi(g[4]) < 24 && atoi(g[5]) < 60 {
				w.clock = &clock{atoi(g[4]), atoi(g[5]), true}
			}
		}
		if g, from := l.take(spanOf); g != nil {
			out, found = c.span(out, from, g[1], g[2], g[3], g[4]), true
		}
		if g, from := l.take(spanIn); g != nil {
			out, found = c.span(out, from, g[2], g[3], g[1], g[4]), true
		}
		if g, from := l.take(dayMonth); g != nil {
			out, found = c.add(out, from, g[1], g[2], g[3]), true
		}
		if g, from := l.take(monthDay); g != nil {
			out, found = c.add(out, from, g[2], g[1], g[3]), true
		}
		if !found {
			break
		}
	}
	return out
}

func (c calendar) add(out []dated, from int, day, month, year string) []dated {
	if d, ok := c.date(atoi(day), monthOf(month), year); ok {
		out = append(out, dated{date: d, from: from})
	}
	return out
}

func (c calendar) span(out []dated, from int, first, last, month, year string) []dated {
	end, ok := c.date(atoi(last), monthOf(month), year)
	start, ok2 := civil(end.Year(), end.Month(), atoi(first))
	if ok && ok2 && start.Before(end) {
		out = append(out, dated{date: start, end: end, from: from})
	}
	return out
}

// figures takes dates such as 21.11. or 21/11/2026. A dotted pair may be a time: it is
// left alone unless it cannot be one or a date is wanted.
func (c calendar) figures(l *line, wantDate bool) []dated {
	var out []dated
	for range maxDates {
		m := figures.FindSubmatch(l.text)
		if m == nil {
			break
		}
		day, month, year := atoi(string(m[1])), time.Month(atoi(string(m[3]))), string(m[4])
		if string(m[2]) == "." && year == "" && !wantDate && day < 24 && month%5 == 0 {
			break
		}
		d, ok := c.date(day, month, year)
		if !ok {
			break
		}
		_, from := l.take(figures)
		out = append(out, dated{date: d, from: from})
	}
	return out
}

// relative takes dates that are told from today.
func (c calendar) relative(l *line) []dated {
	var out []dated
	plus := func(from, days int) { out = append(out, dated{date: c.today.AddDate(0, 0, days), from: from}) }
	if g, from := l.take(inAWeek); g != nil {
		plus(from, 7)
	}
	if g, from := l.take(inTwoDays); g != nil {
		plus(from, 2)
	}
	if g, from := l.take(tomorrow); g != nil {
		plus(from, 1)
	}
	if g, from := l.take(today); g != nil {
		plus(from, 0)
	}
	if g, from := l.take(inDays); g != nil {
		plus(from, number(g[1]+g[2]))
	}
	if g, from := l.take(weekend); g != nil {
		plus(from, c.until(time.Saturday))
	}
	for range maxDates {
		if l.says(notWeekday) {
			break
		}
		g, from := l.take(weekday)
		if g == nil {
			break
		}
		plus(from, c.weekday(g[1], weekdayOf(g[2]+g[3])))
	}
	return out
}

// until counts the days to the next day of that name, today included.
func (c calendar) until(d time.Weekday) int { return (int(d-c.today.Weekday()) + 7) % 7 }

func (c calendar) weekday(which string, d time.Weekday) int {
	days := c.until(d)
	switch which {
	case "next":
		if days == 0 {
			days = 7
		}
	case "haftaya", "gelecek": // of the week that begins next Monday
		toMonday := (int(time.Monday-c.today.Weekday())+6)%7 + 1
		days = toMonday + (int(d)+6)%7
	}
	return days
}

// date returns a day; without a year it is the next such day to come.
func (c calendar) date(day int, month time.Month, year string) (time.Time, bool) {
	switch y := atoi(year); {
	case len(year) == 4:
		return civil(y, month, day)
	case len(year) == 2:
		return civil(2000+y, month, day)
	}
	for y := c.today.Year(); y <= c.today.Year()+8; y++ { // eight years: 29 February
		if d, ok := civil(y, month, day); ok && !d.Before(c.today) {
			return d, true
		}
	}
	return time.Time{}, false
}

// civil returns a day that exists.
func civil(y int, m time.Month, d int) (time.Time, bool) {
	t := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return t, y >= 1970 && y < 3000 && t.Month() == m && t.Day() == d
}

// takeClock takes a time that is said to be one. One of bare figures comes later.
func takeClock(l *line) *clock {
	if bytes.ContainsAny(l.text, digits) {
		if m := clockFull.FindSubmatch(l.text); m != nil && (len(m[3]) > 0 || bytes.ContainsAny(m[0][:1], "as") || bytes.ContainsAny(m[0], ":'")) {
			return takeFigureClock(l)
		}
		if g, _ := l.take(clock12); g != nil {
			return twelve(atoi(g[1]), 0, g[2])
		}
		if g, _ := l.take(clockH); g != nil {
			return &clock{hour: atoi(g[1]), exact: true}
		}
	}
	if g, _ := l.take(quarter); g != nil {
		c := &clock{hour: number(g[2]), minute: 15}
		if g[1] == "to" || g[1] == "before" {
			c.hour, c.minute = (c.hour+10)%12+1, 45
		}
		return c
	}
	if g, _ := l.take(clockHalf); g != nil {
		if h := number(g[1] + g[2]); h < 24 {
			return &clock{hour: h, minute: 30, exact: h > 12}
		}
	}
	for _, re := range []*regexp.Regexp{oClock, clockAt, clockDe} {
		if g, _ := l.take(re); g != nil {
			if h := number(g[1]); h < 24 {
				return &clock{hour: h, exact: h > 12 || h == 0 || strings.HasPrefix(g[1], "0")}
			}
		}
	}
	if g, _ := l.take(noon); g != nil {
		return &clock{hour: 12, exact: true}
	}
	if g, _ := l.take(midnight); g != nil {
		return &clock{exact: true}
	}
	return nil
}

// takeFigureClock takes a time such as 19:30 or 19.30.
func takeFigureClock(l *line) *clock {
	g, _ := l.take(clockFull)
	if g == nil {
		return nil
	}
	h, m := atoi(g[1]), atoi(g[2])
	if g[3] != "" {
		return twelve(h, m, g[3])
	}
	return &clock{hour: h, minute: m, exact: h > 12 || len(g[1]) == 2 && h < 10}
}

func twelve(h, m int, half string) *clock {
	if h > 12 {
		return &clock{hour: h, minute: m, exact: true}
	}
	h %= 12
	if strings.HasPrefix(half, "p") {
		h += 12
	}
	return &clock{hour: h, minute: m, exact: true}
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// number reads a number in figures or in words of either language; 0 for other words.
func number(s string) int {
	if n := atoi(s); n > 0 {
		return n
	}
	return placeIn("numbers", s)
}

func monthOf(s string) time.Month { return time.Month(placeBeginning("months", s)) }

func weekdayOf(s string) time.Weekday { return time.Weekday(max(placeBeginning("weekdays", s)-1, 0)) }
