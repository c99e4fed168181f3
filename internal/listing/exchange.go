package listing

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"merve/internal/channel"
	"merve/internal/dynamo"
	"merve/internal/fault"
	"merve/internal/language"
	"merve/internal/schedule"
)

// A RowError says what is wrong with one row of a catalogue that is brought in.
type RowError struct {
	Row    int    `json:"row"`             // of the file, from 1; a CSV file's row 1 is its header
	Field  string `json:"field,omitempty"` // the column or the field
	Detail string `json:"detail"`
}

// maxRowErrors bounds what is told at once: whoever mends these tries again.
const maxRowErrors = 100

// Format is a form in which catalogues are exchanged.
type Format struct {
	Name  string // csv or jsonl
	Media string

	read  func(r io.Reader, take func(row int, l *Listing, err error)) error
	write func(w io.Writer, all []*Listing) error
}

// Formats are a table, for people and their spreadsheets, and JSON Lines, a listing each
// (https://jsonlines.org).
func Formats() []Format {
	return []Format{
		{"csv", "text/csv", readCSV, writeCSV},
		{"jsonl", "application/x-ndjson", readLines, writeLines},
	}
}

// LegalID is what the ids of listings that people make look like: they stand in addresses,
// keys and lists.
var LegalID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

// Read reads a catalogue for a market and checks every row of it. With any error, nothing of
// it may be stored.
func (f Format) Read(r io.Reader, market string) ([]*Listing, []RowError) {
	var all []*Listing
	var errs []RowError
	seen := map[string]int{}
	wrong := func(row int, err error) {
		e := RowError{Row: row, Detail: err.Error()}
		if message, field := fault.Public(err); fault.KindOf(err) != fault.Internal {
			e.Field, e.Detail = field, message
		}
		if len(errs) < maxRowErrors {
			errs = append(errs, e)
		}
	}
	err := f.read(r, func(row int, l *Listing, err error) {
		switch {
		case err != nil:
		case !LegalID.MatchString(l.ID):
			err = fault.Field("id", "want 1 to 80 letters, digits, full stops, dashes and underscores")
		case l.Market != "" && l.Market != market:
			err = fault.Field("marketId", "want %s, or nothing", market)
		case l.Left != nil:
			err = fault.Field("left", "is what sales have left: say how many there are in the stock of an item")
		case seen[l.ID] > 0:
			err = fault.Field("id", "row %d has it already", seen[l.ID])
		default:
			l.Market, seen[l.ID] = market, row
			l.Version, l.UpdatedAt, l.UpdatedBy = 0, time.Time{}, ""
			err = l.Check()
		}
		if err != nil {
			wrong(row, err)
			return
		}
		all = append(all, l)
	})
	if err != nil {
		wrong(max(len(seen), 1), err)
	}
	return all, errs
}

// Write writes listings, with their items, as Read takes them.
func (f Format) Write(w io.Writer, all []*Listing) error { return f.write(w, all) }

// Imported says what an import has done.
type Imported struct {
	Rows      int `json:"rows"`
	Stored    int `json:"stored"`    // new or changed
	Unchanged int `json:"unchanged"` // said the same already
}

// importsAtOnce is how many listings of an import are stored at a time.
const importsAtOnce = 8

// Import stores listings that [Format.Read] has found right, each in the stead of the one with
// its id; others stay. One that is there as it is said to be is left as it is, so that an import
// that died in the middle is completed by the same again, and a repeat changes nothing. 2
// requests for each listing, 1 for one that stays.
func (s *Store) Import(ctx context.Context, all []*Listing, by string) (Imported, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var stored atomic.Int64
	var wg sync.WaitGroup
	places := make(chan struct{}, importsAtOnce)
	for _, l := range all {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-places }()
			changed, err := s.bring(ctx, l, by)
			if err != nil {
				stop(err)
			}
			if changed {
				stored.Add(1)
			}
		})
	}
	wg.Wait()
	n := int(stored.Load())
	return Imported{len(all), n, len(all) - n}, context.Cause(ctx)
}

// bring stores a listing whatever is there, and reports whether that was another.
func (s *Store) bring(ctx context.Context, l *Listing, by string) (changed bool, err error) {
	before := 0
	saved, err := s.Change(ctx, l.Market, l.ID, by, func(b *Listing) (*Listing, error) {
		before = 0
		if b != nil {
			before = b.Version
		}
		after := *l
		return &after, nil
	})
	return err == nil && saved.Version != before, err
}

// Whole reads every listing of a market with its items, by id. A request for each megabyte of
// listings and of items.
func (s *Store) Whole(ctx context.Context, market string) ([]*Listing, error) {
	all, err := s.All(ctx, market)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	byID := make(map[string]*Listing, len(all))
	for _, l := range all {
		byID[l.ID] = l
	}
	q := dynamo.Query{
		Where:  "pk = :pk AND begins_with(sk, :prefix)",
		Values: dynamo.V{":pk": "market#" + market, ":prefix": "items#"},
	}
	for {
		page, err := s.Table.Query(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("items of %s: %w", market, err)
		}
		for _, it := range page.Items {
			var m menu
			if err := it.Decode(&m); err != nil {
				return nil, err
			}
			if l := byID[strings.TrimPrefix(it.Key().SK, "items#")]; l != nil {
				l.Items = m.Items
			}
		}
		if q.After = page.Next; q.After == "" {
			return all, nil
		}
	}
}

// --- JSON Lines ---

func readLines(r io.Reader, take func(int, *Listing, error)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for row := 1; lines.Scan(); row++ {
		line := bytes.TrimSpace(bytes.TrimPrefix(lines.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		l, err := decodeLine(line)
		take(row, l, err)
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fault.New(fault.Invalid, "a line is longer than a megabyte")
	}
	return lines.Err()
}

func decodeLine(line []byte) (*Listing, error) {
	if !utf8.Valid(line) || line[0] != '{' {
		return nil, fault.New(fault.Invalid, "want one JSON object on the line")
	}
	l := &Listing{}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields() // a name that is misspelt would be lost unseen
	if err := d.Decode(l); err != nil {
		return nil, readable(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "want one JSON object on the line")
	}
	return l, nil
}

// readable says in words what JSON could not be read for.
func readable(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrong):
		return fault.Field(wrong.Field, "want %s, not %s", wrong.Type, wrong.Value)
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		return fault.Field(strings.Trim(strings.TrimPrefix(err.Error(), "json: unknown field "), `"`), "no such field")
	case fault.KindOf(err) != fault.Internal:
		return err
	}
	return fault.New(fault.Invalid, "the JSON cannot be read")
}

func writeLines(w io.Writer, all []*Listing) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, l := range all {
		if err := e.Encode(bare(l)); err != nil {
			return err
		}
	}
	return nil
}

// bare is a listing without what the store adds.
func bare(l *Listing) *exchanged {
	c := *l
	c.Market, c.Left = "", nil // what is left is no part of a catalogue: brought in later, it would be wrong
	return &exchanged{Listing: &c}
}

// exchanged leaves out who changed a listing when, and which market it is of.
type exchanged struct {
	*Listing
	Market    string `json:"marketId,omitempty"`
	Version   int    `json:"version,omitempty"`
	UpdatedAt string `json:"updatedAt,omitempty"`
	UpdatedBy string `json:"updatedBy,omitempty"`
}

// --- CSV ---

// A column is a field of a listing in a table.
type column struct {
	name string
	get  func(*Listing) (string, error)
	set  func(*Listing, string) error
}

// columns are those that every table has; beside them stand name.{language} and
// description.{language}. What is no text or number is JSON.
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
			return degrees(l.Location, func(p *channel.Location) float64 { return p.Lat }), nil
		}, func(l *Listing, s string) error {
			return setDegrees(l, s, func(p *channel.Location, v float64) { p.Lat = v })
		}},
		{"lng", func(l *Listing) (string, error) {
			return degrees(l.Location, func(p *channel.Location) float64 { return p.Lng }), nil
		}, func(l *Listing, s string) error {
			return setDegrees(l, s, func(p *channel.Location, v float64) { p.Lng = v })
		}},
		several("tags", func(l *Listing) *[]string { return &l.Tags }),
		plain("image", func(l *Listing) *string { return &l.Image }),
		{"enabled", func(l *Listing) (string, error) { return strconv.FormatBool(l.Merve.Enabled), nil }, func(l *Listing, s string) (err error) {
			if l.Merve.Enabled, err = strconv.ParseBool(strings.ToLower(s)); err != nil {
				return errors.New("want true or false")
			}
			return nil
		}},
		plain("whatsappE164", func(l *Listing) *string { return &l.Merve.WhatsApp }),
		plain("language", func(l *Listing) *string { return &l.Merve.Language }),
		several("coverage", func(l *Listing) *[]string { return &l.Merve.Coverage }),
		{"toolType", func(*Listing) (string, error) { return "", nil }, func(l *Listing, s string) error { l.Merve.ToolType = s; return nil }},
		{"dispatchTemplate", func(*Listing) (string, error) { return "", nil }, func(l *Listing, s string) error { l.Merve.DispatchTemplate = s; return nil }},
		asJSON("price", func(l *Listing) **Price { return &l.Price }),
		asJSON("hours", func(l *Listing) **schedule.Hours { return &l.Hours }),
		asJSON("delivery", func(l *Listing) **Delivery { return &l.Delivery }),
		asJSON("media", func(l *Listing) *[]Media { return &l.Media }),
		asJSON("actions", func(l *Listing) *[]Action { return &l.Merve.Actions }),
		asJSON("offerings", func(l *Listing) *[]schedule.Offering { return &l.Offerings }),
		asJSON("items", func(l *Listing) *[]Item { return &l.Items }),
	}
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
			return readable(json.Unmarshal([]byte(s), at(l)))
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
	}, func(l *Listing, s string) error { return readable(json.Unmarshal([]byte(s), at(l))) }}
}

func degrees(p *channel.Location, of func(*channel.Location) float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(of(p), 'f', -1, 64)
}

func setDegrees(l *Listing, s string, set func(*channel.Location, float64)) error {
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	if err != nil {
		return errors.New("want degrees, such as 35.3364")
	}
	if l.Location == nil {
		l.Location = &channel.Location{}
	}
	set(l.Location, v)
	return nil
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
		if cell = strings.TrimSpace(unguard(cell)); cell == "" {
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
	if half == 1 {
		return nil, fault.Field("lat", "want both lat and lng, or neither")
	}
	return l, l.modern()
}

// modern turns the older form of actions into actions, as in JSON.
func (l *Listing) modern() error {
	if l.Merve.ToolType == "" {
		return nil
	}
	raw, err := json.Marshal(l.Merve)
	if err != nil {
		return err
	}
	l.Merve = Integration{}
	return json.Unmarshal(raw, &l.Merve)
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

// spoken are the languages that listings have texts in, in the usual order.
func spoken(all []*Listing) []string {
	return slices.DeleteFunc(slices.Clone(language.Supported()), func(lang string) bool {
		return lang != "en" && !slices.ContainsFunc(all, func(l *Listing) bool { return l.Names[lang] != "" || l.Descriptions[lang] != "" })
	})
}

// formula is what a spreadsheet would compute instead of showing it.
// https://owasp.org/www-community/attacks/CSV_Injection
var formula = regexp.MustCompile(`^'*[=+\-@\t\r]`)

func guard(cell string) string {
	if formula.MatchString(cell) {
		return "'" + cell
	}
	return cell
}

func unguard(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}
