package listing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"merve/internal/base/fault"
	"merve/internal/base/ident"
	"merve/internal/cloud/dynamo"
)

// A RowError says why one row of an imported catalogue is wrong.
type RowError struct {
	Row    int    `json:"row"`             // of the file, from 1; a CSV file's row 1 is its header
	Field  string `json:"field,omitempty"` // the column or the field
	Detail string `json:"detail"`
}

// maxRowErrors bounds the errors of one answer: people fix these and try again.
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

// Read reads a catalogue for a market and checks every row of it. If there is any error, none of
// it may be stored.
func (f Format) Read(r io.Reader, market string) ([]*Listing, []RowError) {
	var all []*Listing
	var errs []RowError
	seen, of := map[string]int{}, map[string]calendars{} // of businesses
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
		case !ident.Legal.MatchString(l.ID):
			err = fault.Field("id", ident.WantLegal)
		case l.Market != "" && l.Market != market:
			err = fault.Field("marketId", "want %s, or nothing", market)
		case l.Left != nil:
			err = fault.Field("left", "is what sales have left: say how many there are in the stock of an item")
		case seen[l.ID] > 0:
			err = fault.Field("id", "row %d has it already", seen[l.ID])
		default:
			l.Market, seen[l.ID] = market, row
			l.Version, l.UpdatedAt, l.UpdatedBy = 0, time.Time{}, ""
			if of[l.Business] == nil {
				of[l.Business] = calendars{}
			}
			if err = l.Check(); err == nil {
				err = of[l.Business].join(l)
			}
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

// importsAtOnce is how many businesses an import works on at a time.
const importsAtOnce = 8

// Import stores listings that [Format.Read] has accepted. Each replaces the listing with its id; all others
// stay. Import skips a listing that is already stored as given, so repeating an import that died halfway
// completes it, and repeating a complete one changes nothing. Listings of one business share its calendars and
// are therefore stored one after the other. Each costs what Put does.
func (s *Store) Import(ctx context.Context, all []*Listing, by string) (Imported, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var stored atomic.Int64
	var wg sync.WaitGroup
	places := make(chan struct{}, cmp.Or(s.atOnce, importsAtOnce))
	for _, some := range byBusiness(all) {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-places }()
			for _, l := range some {
				changed, err := s.bring(ctx, l, by)
				if err != nil {
					stop(err)
					return
				}
				if changed {
					stored.Add(1)
				}
			}
		})
	}
	wg.Wait()
	n := int(stored.Load())
	return Imported{len(all), n, len(all) - n}, context.Cause(ctx)
}

// byBusiness groups listings by business and keeps their order.
func byBusiness(all []*Listing) [][]*Listing {
	var groups [][]*Listing
	at := map[string]int{}
	for _, l := range all {
		if _, known := at[l.Business]; !known {
			at[l.Business] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[l.Business]] = append(groups[at[l.Business]], l)
	}
	return groups
}

// bring stores a listing no matter what is there, and reports whether that was different.
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
	if fault.Is(err, fault.Invalid) { // where many are stored
		message, field := fault.Public(err)
		err = fault.Field(field, "of listing %s: %s", l.ID, message)
	}
	return err == nil && saved.Version != before, err
}

// Whole reads every listing of a market with its items, by id. A request for each megabyte of
// listings and of items, plus those of Get for each listing that changes meanwhile.
func (s *Store) Whole(ctx context.Context, market string) ([]*Listing, error) {
	var listings []*stored
	if err := s.each(ctx, market, func(st *stored) { listings = append(listings, st) }); err != nil {
		return nil, err
	}
	menus := map[string]*menu{}
	err := s.Table.Each(ctx, dynamo.Under("market#"+market, "items#"), func(it dynamo.Item) error {
		m := &menu{}
		menus[strings.TrimPrefix(it.Key().SK, "items#")] = m
		return it.Decode(m)
	})
	if err != nil {
		return nil, fmt.Errorf("items of %s: %w", market, err)
	}
	var all []*Listing
	for _, st := range listings {
		l, torn := joined(st, menus[st.ID])
		if torn {
			if l, err = s.Get(ctx, market, st.ID); errors.Is(err, ErrNotFound) {
				continue
			} else if err != nil {
				return nil, err
			}
		}
		all = append(all, l)
	}
	return all, nil
}
