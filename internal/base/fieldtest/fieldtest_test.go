package fieldtest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type spot struct{ Lat, Lng *float64 }

type line struct {
	Name  string
	Count int
}

type order struct {
	ID    string
	At    time.Time
	Lines []line
	To    *spot
	Stock map[string]int
	Open  bool
	owner string
}

func TestFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		function       any
		named, ignored []string
	}{
		"all":       {func(l line, o spot) string { return fmt.Sprint(l, *o.Lat, *o.Lng) }, []string{"line.Name", "line.Count", "spot.Lat", "spot.Lng"}, nil},
		"none":      {func(order) string { return "" }, nil, []string{"ID", "At", "Lines (more)", "Lines.Name", "Lines.Count", "To.Lat", "To.Lng", "Stock (key)", "Stock", "Open", "owner"}},
		"some":      {func(o order) string { return fmt.Sprint(o.Lines, o.Stock, o.Open, o.owner) }, []string{"Lines (more)", "Lines.Name", "Lines.Count", "Stock (key)", "Stock", "Open", "owner"}, []string{"ID", "At", "To.Lat", "To.Lng"}},
		"a date":    {func(at time.Time) string { return at.Format(time.DateOnly) }, []string{"argument 1"}, nil},
		"of two":    {func(a, b string) (string, error) { return b, nil }, []string{"argument 2"}, []string{"argument 1"}},
		"a mixture": {func(l line, n int) string { return l.Name }, []string{"line.Name"}, []string{"line.Count", "argument 2"}},
	} {
		named, ignored := sorted(c.function)
		if diff := cmp.Diff(c.named, named); diff != "" {
			t.Errorf("%s: named (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.ignored, ignored); diff != "" {
			t.Errorf("%s: ignored (-want +got):\n%s", name, diff)
		}
	}
}

// heard is a test that notes what it is told is wrong.
type heard struct {
	testing.TB
	wrong int
}

func (h *heard) Helper()               {}
func (h *heard) Errorf(string, ...any) { h.wrong++ }

func TestWorded(t *testing.T) {
	t.Parallel()
	hash := func(o order) string { return fmt.Sprint(o.ID, o.Lines, o.At) }
	for name, c := range map[string]struct {
		words func(order) string
		but   []string
		wrong int
	}{
		"all":                  {func(o order) string { return fmt.Sprint(o.Lines, o.At) }, nil, 0},
		"more than is bound":   {func(o order) string { return fmt.Sprint(o.Lines, o.At, o.Open) }, nil, 0},
		"not when":             {func(o order) string { return fmt.Sprint(o.Lines) }, nil, 1},
		"not when, and named":  {func(o order) string { return fmt.Sprint(o.Lines) }, []string{"At"}, 0},
		"named, and said":      {func(o order) string { return fmt.Sprint(o.Lines, o.At) }, []string{"At"}, 1},
		"not how many of each": {func(o order) string { return fmt.Sprint(len(o.Lines), o.Lines[0].Name, o.At) }, nil, 1},
	} {
		h := &heard{TB: t}
		if Worded(h, hash, c.words, c.but...); h.wrong != c.wrong {
			t.Errorf("%s: told %d times that it is wrong, want %d", name, h.wrong, c.wrong)
		}
	}
}
