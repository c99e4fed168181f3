package wording

import (
	"strconv"
	"time"
)

// longestEvening is how long a visit that runs past midnight may be; anything
// longer is a stay, counted in nights.
const longestEvening = 12 * time.Hour

// Date words the day of t: "Sat 21 Nov 2026". t is in the zone to be shown.
func Date(lang string, t time.Time) string { return in(lang).date(t) }

// When words the time of a booking, both ends in the zone to be shown:
// "Sat 21 Nov 2026, 19:00–20:30", or "21–24 Nov 2026, 3 nights" for a stay. Without
// an end, or with one that is not after start, it is the start alone.
func When(lang string, start, end time.Time) string { return in(lang).when(start, end) }

// WhenZone is [When] with the zone's abbreviation or offset at start, for people who
// may be elsewhere: "Sat 21 Nov 2026, 19:00–20:30 (EET)".
func WhenZone(lang string, start, end time.Time) string {
	c := in(lang)
	return c.say(keyWhenZone, Vars{"when": c.when(start, end), "zone": isolate(zone(start), c.rtl)})
}

// Until words how long something is held: the time of day, with the date when it is
// not today. It fits {until}.
func Until(lang string, t, now time.Time) string {
	c := in(lang)
	if sameDay(t, now.In(t.Location())) {
		return c.say(keyUntilTime, Vars{"time": clock(t)})
	}
	return c.say(keyUntilDate, Vars{"date": c.date(t), "time": clock(t)})
}

func (c catalogue) date(t time.Time) string {
	weekdays := [...]Key{keySunday, keyMonday, keyTuesday, keyWednesday, keyThursday, keyFriday, keySaturday}
	return c.say(keyDate, Vars{
		"weekday": c.plain(weekdays[t.Weekday()]),
		"day":     strconv.Itoa(t.Day()),
		"month":   c.month(t),
		"year":    strconv.Itoa(t.Year()),
	})
}

func (c catalogue) month(t time.Time) string {
	months := [...]Key{keyJanuary, keyFebruary, keyMarch, keyApril, keyMay, keyJune,
		keyJuly, keyAugust, keySeptember, keyOctober, keyNovember, keyDecember}
	return c.plain(months[t.Month()-1])
}

func (c catalogue) when(start, end time.Time) string {
	vars := Vars{"date": c.date(start), "from": clock(start), "to": clock(end)}
	switch {
	case !end.After(start):
		return c.say(keyWhenStart, vars)
	case sameDay(start, end.Add(-time.Nanosecond)): // midnight ends a day
		return c.say(keyWhenTimes, vars)
	case end.Sub(start) <= longestEvening:
		vars["end_date"] = c.date(end)
		return c.say(keyWhenOvernight, vars)
	}
	return c.stay(start, end)
}

func (c catalogue) stay(start, end time.Time) string {
	vars := Vars{
		"day": strconv.Itoa(start.Day()), "month": c.month(start), "year": strconv.Itoa(start.Year()),
		"end_day": strconv.Itoa(end.Day()), "end_month": c.month(end), "end_year": strconv.Itoa(end.Year()),
		"nights": c.nights(nightsBetween(start, end)),
	}
	switch {
	case start.Year() != end.Year():
		return c.say(keyStayYears, vars)
	case start.Month() != end.Month():
		return c.say(keyStayYear, vars)
	}
	return c.say(keyStayMonth, vars)
}

func (c catalogue) nights(n int) string {
	return c.say(c.nightsForm(n), Vars{"count": strconv.Itoa(n)})
}

// nightsForm picks the plural form for n: the catalogue has the text of each
// (CLDR plural rules; the languages not named tell only one from more).
func (c catalogue) nightsForm(n int) Key {
	switch c.lang {
	case "ru":
		switch {
		case n%10 == 1 && n%100 != 11:
			return keyNightsOne
		case 2 <= n%10 && n%10 <= 4 && (n%100 < 12 || n%100 > 14):
			return keyNightsFew
		}
		return keyNightsMany
	case "ar":
		switch {
		case n > 2 && 3 <= n%100 && n%100 <= 10:
			return keyNightsFew
		case n > 2 && n%100 > 10:
			return keyNightsMany
		}
	}
	switch n {
	case 1:
		return keyNightsOne
	case 2:
		return keyNightsTwo
	}
	return keyNightsOther
}

// nightsBetween counts the midnights from start to end by the calendar, so that a
// change of clocks makes no difference.
func nightsBetween(start, end time.Time) int {
	days := func(t time.Time) int64 {
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60)
	}
	return int(days(end) - days(start))
}

func sameDay(a, b time.Time) bool {
	return a.Year() == b.Year() && a.YearDay() == b.YearDay()
}

// clock is the time of day; all ten languages write it so on a 24-hour clock.
func clock(t time.Time) string { return t.Format("15:04") }

// zone is the abbreviation of t's zone, or "UTC+3" where it has none of its own.
func zone(t time.Time) string {
	name, offset := t.Zone()
	if name != "" && name[0] != '+' && name[0] != '-' {
		return name
	}
	sign := "+"
	if offset < 0 {
		sign, offset = "-", -offset
	}
	s := "UTC" + sign + strconv.Itoa(offset/3600)
	if minutes := t.Format("-0700")[3:]; minutes != "00" {
		s += ":" + minutes
	}
	return s
}

// Weekday words a day of the week, given as mon, tue, wed, thu, fri, sat or sun; "" for anything
// else.
func Weekday(lang, day string) string { return in(lang).plain(Key("weekday_" + day)) }
