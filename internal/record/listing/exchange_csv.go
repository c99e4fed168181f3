package listing

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"merve/internal/base/fault"
	"merve/internal/base/geo"
	"merve/internal/base/pattern"
	"merve/internal/tenant/schedule"
	"merve/internal/words/language"
)

// A column is a field of a listing in a table.
type column struct {
	name string
	get  func(*Listing) (string, error)
	set  func(*Listing, string) error
}

// columns are the columns that every table has. A table also has name.{language} and
// description.{language}. Values other than text and numbers are JSON.
func columns() []column {
	return []column{
		plain("id", func(l *Listing) *string { return &l.ID }),
		plain("businessId", func(l *Listing) *string { return &l.Business }),
		plain("domain", func(l *Listing) *string { return &l.Domain }),
		plain("category", func(l *Listing) *string { return &l.Category }),
		plain("subCategory", func(l *Listing) *string { return &l.SubCategory }),
		plain("place", func(l *Listing) *string { return &l.Place }),
		plain("address", func(l *Listing) *string { return &l.Address }),
		{"lat", func(l *Listing) (string, error) {
			return degrees(l.Location, func(p *geo.Location) float64 { return p.Lat }), nil
		}, func(l *Listing, s string) error {
			return setDegrees(l, s, func(p *geo.Location, v float64) { p.Lat = v })
		}},
		{"lng", func(l *Listing) (string, error) {
			return degrees(l.Location, func(p *geo.Location) float64 { return p.Lng }), nil
		}, func(l *Listing, s string) error {
			return setDegrees(l, s, func(p *geo.Location, v float64) { p.Lng = v })
		}},
		{"location.address", func(l *Listing) (string, error) {
			if l.Location == nil {
				return "", nil
			}
			return l.Location.Address, nil
		}, func(l *Listing, s string) error { located(l).Address = s; return nil }},
		several("tags", func(l *Listing) *[]string { return &l.Tags }),
		plain("image", func(l *Listing) *string { return &l.Image }),
		truth("enabled", func(l *Listing) *bool { return &l.Merve.Enabled }),
		plain("whatsappE164", func(l *Listing) *string { return &l.Merve.WhatsApp }),
		plain("language", func(l *Listing) *string { return &l.Merve.Language }),
		several("coverage", func(l *Listing) *[]string { return &l.Merve.Coverage }),
		truth("requireContact", func(l *Listing) *bool { return &l.Merve.Contact }),
		{"toolType", func(*Listing) (string, error) { return "", nil }, func(l *Listing, s string) error { l.Merve.ToolType = s; return nil }},
		{"dispatchTemplate", func(*Listing) (string, error) { return "", nil }, func(l *Listing, s string) error { l.Merve.DispatchTemplate = s; return nil }},
		asJSON("price", func(l *Listing) **Price { return &l.Price }),
		asJSON("hours", func(l *Listing) **schedule.Hours { return &l.Hours }),
		asJSON("delivery", func(l *Listing) **Delivery { return &l.Delivery }),
		asJSON("media", func(l *Listing) *[]Media { return &l.Media }),
		actions(),
		asJSON("offerings", func(l *Listing) *[]schedule.Offering { return &l.Offerings }),
		asJSON("items", func(l *Listing) *[]Item { return &l.Items }),
	}
}

func truth(name string, at func(*Listing) *bool) column {
	return column{name, func(l *Listing) (string, error) { return strconv.FormatBool(*at(l)), nil }, func(l *Listing, s string) (err error) {
		if *at(l), err = strconv.ParseBool(strings.ToLower(s)); err != nil {
			return errors.New("want true or false")
		}
		return nil
	}}
}

func plain(name string, at func(*Listing) *string) column {
	return column{name, func(l *Listing) (string, error) { return *at(l), nil }, func(l *Listing, s string) error { *at(l) = s; return nil }}
}

// several is a list in one cell, with | between; JSON where that stands in one of them.
func several(name string, at func(*Listing) *[]string) column {
	return column{name, func(l *Listing) (string, error) {
		list := *at(l)
		simple := func(s string) bool { return s != "" && s == strings.TrimSpace(s) && !strings.ContainsAny(s, "|[") }
		if len(list) > 0 && slices.ContainsFunc(list, func(s string) bool { return !simple(s) }) {
			b, err := json.Marshal(list)
			return string(b), err
		}
		return strings.Join(list, "|"), nil
	}, func(l *Listing, s string) error {
		if strings.HasPrefix(s, "[") {
			return strictly([]byte(s), at(l))
		}
		for part := range strings.SplitSeq(s, "|") {
			if part = strings.TrimSpace(part); part != "" {
				*at(l) = append(*at(l), part)
			}
		}
		return nil
	}}
}

func asJSON[T any](name string, at func(*Listing) *T) column {
	return column{name, func(l *Listing) (string, error) {
		b, err := json.Marshal(at(l))
		if s := string(b); s != "null" && s != "[]" {
			return s, err
		}
		return "", err
	}, func(l *Listing, s string) error { return strictly([]byte(s), at(l)) }}
}

// actions are read with their older names too.
func actions() column {
	c := asJSON("actions", func(l *Listing) *[]Action { return &l.Merve.Actions })
	c.set = func(l *Listing, s string) error {
		var given []actionInput
		err := strictly([]byte(s), &given)
		l.Merve.Actions = read(given)
		return err
	}
	return c
}

func degrees(p *geo.Location, of func(*geo.Location) float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(of(p), 'f', -1, 64)
}

func setDegrees(l *Listing, s string, set func(*geo.Location, float64)) error {
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil {
		return errors.New("want degrees, such as 35.3364")
	}
	set(located(l), v)
	return nil
}

// located is the location of a listing that has one.
func located(l *Listing) *geo.Location {
	if l.Location == nil {
		l.Location = &geo.Location{}
	}
	return l.Location
}

// texts is the column of a text in a language.
func texts(prefix, lang string, at func(*Listing) *map[string]string) column {
	return column{prefix + "." + lang, func(l *Listing) (string, error) { return (*at(l))[lang], nil }, func(l *Listing, s string) error {
		if *at(l) == nil {
			*at(l) = map[string]string{}
		}
		(*at(l))[lang] = s
		return nil
	}}
}

func textColumns(langs []string) []column {
	var all []column
	for _, lang := range langs {
		all = append(all, texts("name", lang, func(l *Listing) *map[string]string { return &l.Names }))
	}
	for _, lang := range langs {
		all = append(all, texts("description", lang, func(l *Listing) *map[string]string { return &l.Descriptions }))
	}
	return all
}

func readCSV(r io.Reader, take func(int, *Listing, error)) error {
	in := bufio.NewReader(r)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" {
		_, _ = in.Discard(3) // it was peeked at
	}
	c := csv.NewReader(in)
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err != nil {
		return fault.New(fault.Invalid, "want a table as CSV with a header")
	}
	if len(header) == 1 && strings.Contains(header[0], ";") {
		return fault.New(fault.Invalid, "the columns must be separated by commas, not semicolons")
	}
	heads, err := headed(header)
	if err != nil {
		return err
	}
	for row := 2; ; row++ {
		record, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			take(row, nil, fault.New(fault.Invalid, "the row cannot be read: %v", broken.Err))
			return nil // what follows may be half of it
		}
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(record, func(s string) bool { return strings.TrimSpace(s) != "" }) {
			continue
		}
		l, err := rowOf(heads, record)
		take(row, l, err)
	}
}

// headed finds the columns that a header names.
func headed(header []string) ([]column, error) {
	known := map[string]column{}
	for _, c := range append(columns(), textColumns(language.Supported())...) {
		known[c.name] = c
	}
	var heads []column
	for _, name := range header {
		name = strings.TrimSpace(name)
		c, ok := known[name]
		switch {
		case name == "":
			c = column{set: func(*Listing, string) error { return fault.New(fault.Invalid, "the column has no name") }}
		case !ok:
			return nil, fault.Field(name, "no such column, or twice")
		}
		delete(known, name)
		heads = append(heads, c)
	}
	if _, missing := known["id"]; missing {
		return nil, fault.Field("id", "the column is missing")
	}
	return heads, nil
}

func rowOf(heads []column, record []string) (*Listing, error) {
	if len(record) > len(heads) {
		return nil, fault.New(fault.Invalid, "has %d cells, and the header %d", len(record), len(heads))
	}
	l := &Listing{Names: map[string]string{}}
	half := 0
	for i, cell := range record {
		if cell = unguard(cell); cell == "" {
			continue
		}
		if !utf8.ValidString(cell) {
			return nil, fault.Field(heads[i].name, "want UTF-8")
		}
		if name := heads[i].name; name == "lat" || name == "lng" {
			half++
		}
		if err := heads[i].set(l, cell); err != nil {
			detail := err.Error()
			if message, field := fault.Public(err); fault.KindOf(err) != fault.Internal {
				detail = strings.TrimPrefix(field+": "+message, ": ")
			}
			return nil, fault.Field(heads[i].name, "%s", detail)
		}
	}
	if l.Location != nil {
		if half != 2 {
			return nil, fault.Field("lat", "want both lat and lng, or neither")
		}
		l.Location = l.Location.Kept()
	}
	return l, l.Merve.modern()
}

func writeCSV(w io.Writer, all []*Listing) error {
	c := csv.NewWriter(w)
	cols := slices.DeleteFunc(columns(), func(c column) bool { return c.name == "toolType" || c.name == "dispatchTemplate" })
	cols = slices.Concat(cols[:1], textColumns(spoken(all)), cols[1:])
	record := make([]string, len(cols))
	for i, col := range cols {
		record[i] = col.name
	}
	if err := c.Write(record); err != nil {
		return err
	}
	for _, l := range all {
		for i, col := range cols {
			cell, err := col.get(l)
			if err != nil {
				return err
			}
			record[i] = guard(cell)
		}
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// spoken returns the languages that listings have texts in, in the usual order.
func spoken(all []*Listing) []string {
	return slices.DeleteFunc(slices.Clone(language.Supported()), func(lang string) bool {
		return lang != "en" && !slices.ContainsFunc(all, func(l *Listing) bool { return l.Names[lang] != "" || l.Descriptions[lang] != "" })
	})
}

// formula matches a cell that a spreadsheet would compute instead of showing it.
// https://owasp.org/www-community/attacks/CSV_Injection
var formula = pattern.New(`^'*[=+\-@\t\r]`)

// guarded reports whether a cell is not as it looks: a formula, or with space at an edge, where
// people leave some that means nothing.
func guarded(cell string) bool {
	text := strings.TrimLeft(cell, "'")
	return formula.MatchString(cell) || text != strings.TrimSpace(text)
}

// guard writes a cell so that unguard has it back from a reader, which takes the \r of \r\n away.
func guard(cell string) string {
	cell = strings.ReplaceAll(cell, "\r\n", "\r\r\n")
	if guarded(cell) {
		return "'" + cell
	}
	return cell
}

func unguard(cell string) string {
	if strings.HasPrefix(cell, "'") && guarded(cell) {
		return cell[1:]
	}
	return strings.TrimSpace(cell)
}
